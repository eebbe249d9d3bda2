"""Levels of Boxoban: seconds a level in one `budge batch`, and the certificates of all optima.

    python benchmarks/boxoban.py hard/000.txt                          pushes and moves, by `auto`
    python benchmarks/boxoban.py hard/000.txt --engines auto,bfs,astar
    python benchmarks/boxoban.py hard/000.txt --certificates           solves each level again, writes and checks

The levels become puzzle files (`budge convert`) and are solved one after the other by one worker. A line has the
metric, the engine, how many levels are proven, then the median, mean and maximum of the seconds by the clock and of the
states.
Of certificates: how many are valid, then seconds of processor time to write and check (all processes), those of the
check alone, and bytes; median and maximum each.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

from budge import Budget, Puzzle
from budge.models.errors import BudgeError
from budge.proofs.check import check_folder
from budge.proofs.verdict import VALID
from budge.workflows.certifying import certify
from budge.workflows.solving import solve
from heading import heading
from level_table import levels

METRICS = ("pushes", "moves")


def budge(*arguments: str) -> list[dict[str, Any]]:
    """The rows that a command prints as JSON."""
    command = [sys.executable, "-m", "budge", *arguments, "--json"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    return [row for row in map(json.loads, lines) if row["type"] == "row"]


def batch(collection: Path, engines: str, metric: str, seconds: float) -> None:
    """Solve all levels in one batch; prints a line for each engine."""
    with tempfile.TemporaryDirectory() as folder:
        budge("convert", str(collection), "--out", folder)
        given = ["--engines", engines, "--metrics", metric, "--jobs", "1", "--time-limit", str(seconds), "--quiet"]
        rows = budge("batch", folder, *given, "--store", f"{folder}/store")
    for engine in engines.split(","):
        made = [row for row in rows if row["engine"] == engine]
        proven = sum(row["status"] in ("optimal", "unsolvable") for row in made)
        took = sorted(row["seconds"] for row in made)
        states = [row["stats"].get("states") or row["stats"].get("bfs_states", 0) for row in made]
        text = f"{metric:7} {engine:8} {proven:4} of {len(made)} proven, seconds {median(took):.3f} {mean(took):.3f}"
        print(f"{text} {took[-1]:.3f}, states {median(states):,.0f} {mean(states):,.0f} {max(states):,}", flush=True)


def certificates(puzzles: list[Puzzle], metric: str, seconds: float, evidence: str) -> None:
    """Write and check the certificate of each level; prints those that have none, then a line for all."""
    made = []
    for number, puzzle in enumerate(puzzles, 1):
        solution = solve(puzzle, metric=metric, budget=Budget(seconds), hard_limits=True)
        try:
            with tempfile.TemporaryDirectory() as folder:
                began = sum(os.times()[:4])
                written = certify(solution, Path(folder), Budget(seconds), evidence=evidence)
                both, began = sum(os.times()[:4]) - began, time.process_time()
                verdict = check_folder(Path(folder))
                if verdict.status == VALID:
                    made.append((both, time.process_time() - began, written.size))
                else:
                    print(f"{metric} {number}: {verdict.headline}", flush=True)
        except BudgeError as error:
            print(f"{metric} {number}: {error}", flush=True)
    columns = list(zip(*made, strict=True))
    told = ", ".join(f"{median(column):,.2f} {max(column):,.2f}" for column in columns)
    print(f"{metric:7} {len(made)} of {len(puzzles)} certificates valid: {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("collection", type=Path, help="levels as Boxoban's files have them")
    parser.add_argument("--engines", default="auto", help="separated by commas")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each level")
    parser.add_argument("--certificates", action="store_true", help="certificates in place of the batch")
    parser.add_argument("--evidence", default="auto", help="the kind, as `budge certify` has it")
    options = parser.parse_args()
    print(heading())
    for metric in METRICS:
        if options.certificates:
            certificates(levels(options.collection), metric, options.time_limit, options.evidence)
        else:
            batch(options.collection, options.engines, metric, options.time_limit)


if __name__ == "__main__":
    main()
