"""Levels of A Good Snowman in their text form, solved for the fewest pushes, beside the seconds of others.

    python benchmarks/snowman.py FOLDER [--engine E] [--time-limit S] [--memory-limit MIB] [--only WORD]

FOLDER holds LEVEL.txt, a map in the signs of `puzzles/custom/snowman.family.yaml`, and may hold `results.csv`: a line
for each level, its name first, then the seconds of each method ("" where there was no answer). The table has the least
of them. Each level is solved in a process of its own, and its line is printed as soon as it is done: *seconds* as
`budge solve` counts them, those of the whole command, and those of the processor.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from heading import heading


def maps(folder: Path) -> dict[str, list[str]]:
    """The maps of a folder by their names: files whose lines are all of signs, and have a player."""
    found = {}
    for file in sorted(folder.glob("*.txt")):
        rows = file.read_text().rstrip().split("\n")
        if all(set(row) <= set("x#'.pq1234567") for row in rows) and sum(map("".join(rows).count, "pq")) == 1:
            found[file.stem] = [row.ljust(max(map(len, rows)), "#") for row in rows]
    return found


def seconds_of_others(folder: Path) -> dict[str, float | None]:
    """For each level of `results.csv` the least seconds of any method; None if no method has an answer."""
    file = folder / "results.csv"
    if not file.exists():
        return {}
    _, *lines = csv.reader(file.read_text().splitlines())
    return {name: min((float(text) for text in texts if text), default=None) for name, *texts in lines}


def solve(name: str, rows: list[str], options: list[str]) -> dict[str, Any]:
    """What `budge solve` reports of a level, with the seconds of the whole command."""
    text = "\n".join(
        ("format: 1", "family: snowman.family.yaml", f"name: {name}", "grid: |", *(f"  {r}" for r in rows))
    )
    with tempfile.TemporaryDirectory() as folder:
        (file := Path(folder, f"{name}.yaml")).write_text(text + "\n")
        began, used = time.monotonic(), processor_seconds()
        command = [sys.executable, "-m", "budge", "solve", str(file), "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    result = next((line for line in reversed(lines) if line.get("type") == "result"), {"status": done.stderr[-80:]})
    return result | {"command": time.monotonic() - began, "processor": processor_seconds() - used}


def processor_seconds() -> float:
    """What the processes that have ended took of the processor."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder of levels")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--time-limit", default="600", metavar="S")
    parser.add_argument("--memory-limit", default="8192", metavar="MIB")
    parser.add_argument("--only", default="", metavar="WORD", help="levels with this in their names")
    chosen = parser.parse_args()
    options = [
        *("--engine", chosen.engine),
        *("--time-limit", chosen.time_limit),
        *("--memory-limit", chosen.memory_limit),
    ]
    others, proven, number = seconds_of_others(chosen.folder), 0, 0
    print(heading())
    print("\n| level | balls | pushes | status | proven by | seconds | command | processor | states | others |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, rows in maps(chosen.folder).items():
        if chosen.only not in name:
            continue
        result, number = solve(name, rows, options), number + 1
        proven += result.get("status") in ("optimal", "unsolvable")
        balls = sum("".join(rows).count(sign) * (int(sign).bit_count()) for sign in "1234567")
        cost, bound = result.get("cost"), result.get("lower_bound")
        least = others.get(name)
        said = "" if name not in others else "none" if least is None else f"{least:.1f}"
        cells = (
            name,
            balls,
            cost if cost is not None else f"at least {bound}",
            result["status"],
            result.get("lower_bound_by", ""),
            f"{result.get('seconds', {}).get('total', 0.0):.1f}",
            f"{result['command']:.1f}",
            f"{result['processor']:.1f}",
            f"{result.get('stats', {}).get('states', 0):,}",
            said,
        )
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
    print(f"\n{proven} of {number} decided")


if __name__ == "__main__":
    main()
