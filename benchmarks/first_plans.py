"""How soon `auto` has a first plan of large puzzles, and how good its plan is at the limit.

    python -m pip install -e '.[bench]'
    python benchmarks/first_plans.py --limit 30 > first_plans.md
    python benchmarks/first_plans.py --limit 30 xsokoban-90-001.yaml depot/domain.pddl+depot/p05.pddl

Without files, on boards that are made by seeds: random n-puzzles with the blank first in the goal, and Rush Hour. Each
puzzle is solved by `budge solve PUZZLE --json` in a process of its own, once before the clock so that code is loaded.
*First plan*: seconds after which it was reported, from the start of reading; *grounding*: how many of these went by
until there was a task. *CPU*: processor seconds of all processes, in which runs on a busy machine can be compared.
`--engine greedy` runs the search for first plans alone.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from heading import heading
from made_boards import random_tiles, rush_hour

BOARDS = {
    **{f"24-puzzle {seed}": random_tiles(5, seed) for seed in range(1, 11)},
    **{f"35-puzzle {seed}": random_tiles(6, seed) for seed in range(1, 6)},
    **{f"Rush Hour 16x16 {seed}": rush_hour(16, 58, seed) for seed in range(1, 6)},
    **{f"Rush Hour 30x30 {seed}": rush_hour(30, 58, seed) for seed in range(1, 4)},
}


def row_of(name: str, puzzle: str, limit: float, engine: str) -> list[str]:
    """A row of the table."""
    command = [sys.executable, "-m", "budge", "solve", *puzzle.split("+"), "--json", f"--time-limit={limit}s"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*command, "--engine", engine], capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    events: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    plans, result = [event for event in events if event["type"] == "plan"], events[-1]
    if result["type"] != "result":
        return [name, done.stderr.strip().partition("\n")[0], *[""] * 7]
    best = [] if result["upper_bound"] is None else [{"cost": result["upper_bound"], **result}]
    first = (plans or best or [{"cost": None, "seconds": None}])[0]
    seconds, ground = first["seconds"], result["seconds"]["ground"]
    return [
        name,
        "" if seconds is None else f"{seconds if plans else seconds['total']:.2f}",
        f"{ground:.2f}",
        str(first["cost"] or ""),
        str(first.get("engine", "")),
        str(result["upper_bound"] or ""),
        str(result["lower_bound"] or ""),
        result["status"],
        f"{after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime:.1f}",
    ]


def puzzles(names: list[str], folder: Path) -> Iterator[tuple[str, str]]:
    """(name, file) of each puzzle."""
    for name in names:
        yield "/".join(Path(name.rpartition("+")[2]).parts[-2:]), name
    for name, text in {} if names else BOARDS.items():
        file = folder / f"{name.replace(' ', '-')}.yaml"
        file.write_text(text)
        yield name, str(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*", metavar="PUZZLE", help="a file, or DOMAIN+PROBLEM (default: made boards)")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each puzzle")
    parser.add_argument("--engine", default="auto")
    arguments = parser.parse_args()
    columns = ["puzzle", "first plan", "grounding", "its cost", "by", "best at the limit", "bound", "status", "CPU"]
    row_of("", "bird-2", arguments.limit, arguments.engine)
    print(heading(), f"| {' | '.join(columns)} |", "|" + "---|" * len(columns), sep="\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, file in puzzles(arguments.puzzles, Path(folder)):
            print(f"| {' | '.join(row_of(name, file, arguments.limit, arguments.engine))} |", flush=True)


if __name__ == "__main__":
    main()
