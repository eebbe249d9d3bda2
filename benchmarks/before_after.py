"""Two checkouts side by side: the same commands in this one and in another, by turns, on the same machine.

    python benchmarks/before_after.py PARENT [--runs N] [--only WORD]

PARENT is a folder in which the other checkout is visible as `budge`. Each command runs N times in both, by turns;
the first run may compile kernels. Of the runs counts the least: of the seconds that Budge reports for all puzzles of
the command, and of the processor seconds of its processes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from heading import heading

HERE = Path(__file__).resolve().parents[2]
LEVELS = [f"level-{number:02}" for number in range(1, 41)]
CASES = {
    "forty levels and the 93-step board, slides, `cp-sat` one-model": [
        *LEVELS,
        *("servais-93", "--engine", "cp-sat", "--strategy", "one-model", "--metric", "slides"),
    ],
    "eight levels of Microban, pushes, `astar`": [
        *(f"microban-{number:03}" for number in (1, 3, 5, 11, 21, 31, 77, 85)),
        *("--engine", "astar", "--metric", "pushes", "--time-limit", "10"),
    ],
    "XSokoban 1, pushes, `astar`": ["xsokoban-01", "--engine", "astar", "--metric", "pushes"],
    "9x9, slides, `cp-sat` one-model": ["uva-9x9", "--engine", "cp-sat", "--strategy", "one-model"],
    "Klotski, steps, `bfs`": ["heng-dao-li-ma", "--engine", "bfs", "--metric", "steps"],
    "Korf 42, `idastar` 20 s": ["korf-42", "--engine", "idastar", "--time-limit", "20"],
    "8-puzzle at 31, `cp-sat` one-model": ["eight-31-a", "--engine", "cp-sat", "--strategy", "one-model"],
    "Klotski, moves, `cp-sat` one-model": [
        *("heng-dao-li-ma", "--engine", "cp-sat", "--strategy", "one-model", "--metric", "moves"),
    ],
}


@dataclass(frozen=True, slots=True)
class Run:
    """One command: what Budge reports for its puzzles, and the processor time of all processes."""

    seconds: float
    processor: float
    solved: int


def run(parent: Path, arguments: list[str]) -> Run:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "budge", "solve", *arguments, "--json"],
        cwd=parent,
        env=os.environ | {"PYTHONPATH": str(parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    results = [line for line in lines if line["type"] == "result"]
    if not results:
        raise RuntimeError(done.stderr)
    return Run(
        seconds=sum(result["seconds"]["total"] for result in results),
        processor=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        solved=sum(result["status"] == "optimal" for result in results),
    )


def row(name: str, arguments: list[str], other: Path, runs: int) -> str:
    places = (other, HERE)
    found: dict[Path, list[Run]] = {place: [] for place in places}
    for _ in range(runs):
        for place in places:
            found[place].append(run(place, arguments))
    before, after = (min(one.seconds for one in found[place]) for place in places)
    old, new = (min(one.processor for one in found[place]) for place in places)
    solved = "/".join(str(max(one.solved for one in found[place])) for place in places)
    return (
        f"| {name} | {before:.2f} | {after:.2f} | {after / before:.2f} | {old:.2f} | {new:.2f} | {new / old:.2f} "
        f"| {solved} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, metavar="PARENT")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="WORD", help="only cases with this word; may be repeated")
    arguments = parser.parse_args()
    print(heading())
    print("\n| case | s before | after | ratio | processor s before | after | ratio | proven |")
    print("|---|---|---|---|---|---|---|---|")
    for name, case in CASES.items():
        if not arguments.only or any(word in name for word in arguments.only):
            print(row(name, case, arguments.other.resolve(), arguments.runs), flush=True)


if __name__ == "__main__":
    main()
