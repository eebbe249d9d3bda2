"""Certificates: what they take to write, how large they are, and what they take to check.

    python benchmarks/certificates.py                  some rows, and all shipped puzzles
    python benchmarks/certificates.py bird-1:slides    a puzzle in a metric; `:refutation` or `:exhaustion` behind it
    python benchmarks/certificates.py 'klotski/*'      shipped puzzles by a pattern, sums, medians and maxima, and which
                                                       verdict has how many of them
    python benchmarks/certificates.py --seconds 300 p01.pddl:cost    a problem in PDDL; 300 s in place of 120
    python benchmarks/certificates.py --limits [ROW ...]    how long writing goes on after a time limit or an interrupt

Wall-clock seconds: `solve`, from the puzzle to the proven optimum, with the engine `auto`; `write`, the evidence,
without the solve. Processor time, which other jobs on the machine disturb less: `cpu`, of writing and its first check,
all processes; `check`, of `proofs.check`.
"""

from __future__ import annotations

import fnmatch
import os
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

from budge.models.errors import BudgeError
from budge.models.library import load, shipped
from budge.proofs.check import check_folder
from budge.proofs.core.limits import Limits
from budge.proofs.verdict import FOR_PROBLEM, VALID
from budge.runtime.budget import Budget
from budge.workflows.certifying import certify
from budge.workflows.solving import Solution, metric_of, solve
from heading import heading

ROWS = [
    "bird-1:slides:refutation",
    "servais-93:slides:refutation",
    "servais-93:slides",
    "servais-93:steps",
    "uva-9x9:slides:refutation",
    "heng-dao-li-ma:moves",
    "heng-dao-li-ma:steps",
    "eight-31-a:moves",
    "eight-31-a:moves:refutation",
    "korf-12:moves",
    "korf-42:moves",
    "korf-16:moves",
    "xsokoban-01:pushes",
    "unsolvable:slides",
    "unsolvable-deep:slides",
    "unsolvable-lane:slides",
    "fourteen-fifteen:moves",
    "microban-001:pushes,moves",
    "microban-001:moves,pushes",
]
GROUPS = ["rush_hour/*:slides", "rush_hour/*:steps", "klotski/*", "sliding_block/*", "n_puzzle/*", "custom/*"]
GROUPS += ["sokoban/*:pushes"]
LIMITED = ["servais-93:slides:refutation", "eight-31-a:moves:refutation", "korf-16:moves"]
LIMITED += ["xsokoban-78:pushes:refutation"]
"""Rows that take longer than the limits that `--limits` sets."""
VERDICTS: defaultdict[str, list[str]] = defaultdict(list)
"""The puzzles of which certificates were written, by verdict."""
LIMIT = 120.0
"""Seconds for the solve, and for writing and checking, each."""
MEMORY = 8192
"""MiB for each of them."""


def measured(row: str) -> tuple[float, ...] | None:
    """The seconds of the solve, of writing, of the check, and the bytes; prints them. None if there was none."""
    name, metric, *kind = row.split(":")
    try:
        solution = solve(load(name), metric=metric, budget=Budget(LIMIT, MEMORY), hard_limits=True)
    except BudgeError as error:
        print(f"{row:38} {str(error)[:100]}", flush=True)
        return None
    return certified(row, solution, *kind)


def certified(row: str, solution: Solution, kind: str = "auto") -> tuple[float, ...] | None:
    """What `measured` gives, of a solution."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            before = sum(os.times()[:4])
            made = certify(solution, Path(folder), Budget(LIMIT, MEMORY), evidence=kind)
            cpu = sum(os.times()[:4]) - before
            began = time.process_time()
            verdict = check_folder(Path(folder), Limits(mebibytes=MEMORY))
            assert verdict.status in (VALID, FOR_PROBLEM)
            VERDICTS[verdict.status].append(row.split(":")[0])
            took = time.process_time() - began
    except BudgeError as error:
        print(f"{row:38} {str(error)[:100]}", flush=True)
        return None
    numbers = solution.seconds, made.seconds[0], cpu, took, made.size
    told = f"{made.kind:10} {' '.join(f'{seconds:8.2f}' for seconds in numbers[:4])} {made.size:10,}"
    print(f"{row:38} {told}  {made.verdict.headline}", flush=True)
    return numbers


def overruns(row: str) -> None:
    """How many seconds writing went on after its time limit, and after an interrupt at that time; without the solve."""
    name, metric, *kind = row.split(":")
    solution = solve(load(name), metric=metric, budget=Budget(LIMIT), hard_limits=True)
    for seconds in (1.0, 3.0, 10.0):
        over = []
        for limit, later in ((seconds, LIMIT), (LIMIT, seconds)):
            budget = Budget(limit)
            interrupt = threading.Timer(later, budget.interrupted.set)
            interrupt.start()
            began = time.monotonic()
            with tempfile.TemporaryDirectory() as folder:
                try:
                    certify(solution, Path(folder), budget, evidence=kind[0] if kind else "auto")
                    over.append("written")
                except BudgeError:
                    over.append(f"{time.monotonic() - began - seconds:+.2f}")
            interrupt.cancel()
        print(f"{row:38} {seconds:5.0f} {over[0]:>8} {over[1]:>9}", flush=True)


def together(pattern: str) -> None:
    """All shipped puzzles whose names a pattern describes, in its metric or their own: sums, medians and maxima."""
    name, _, metric = pattern.partition(":")
    rows = [f"{one}:{metric or metric_of(load(one), None)}" for one in fnmatch.filter(shipped(), name)]
    VERDICTS.clear()
    columns = list(zip(*filter(None, map(measured, rows)), strict=True))
    for word, of in (("sum", sum), ("median", median), ("most", max)) if columns else ():
        numbers = [of(column) for column in columns]
        told = " ".join(f"{seconds:8.2f}" for seconds in numbers[:4])
        title = f"{pattern}, {len(columns[0])} of {len(rows)}"
        print(f"{title:38} {word:10} {told} {int(numbers[4]):10,}", flush=True)
    known = {row.split(":")[0] for row in rows}
    VERDICTS["none"] = sorted(known.difference(*VERDICTS.values()))
    for verdict in VALID, FOR_PROBLEM, "none":
        names = VERDICTS[verdict]
        print(f"{pattern}: {verdict} {len(names)}", *(names if verdict != VALID else ()), flush=True)


def main() -> None:
    """The rows that are named, or all."""
    global LIMIT
    if sys.argv[1:2] == ["--seconds"]:
        LIMIT = float(sys.argv[2])
        del sys.argv[1:3]
    if sys.argv[1:2] == ["--limits"]:
        print(heading(), f"\n{'puzzle':38} {'limit':>5} {'over':>8} {'interrupt':>9}")
        for row in sys.argv[2:] or LIMITED:
            overruns(row)
        return
    columns = " ".join(f"{name:>8}" for name in ("solve", "write", "cpu", "check"))
    print(heading(), f"\n{'puzzle':38} {'evidence':10} {columns} {'bytes':>10}")
    for row in sys.argv[1:] or [*ROWS, *GROUPS]:
        (together if "*" in row else measured)(row)


if __name__ == "__main__":
    main()
