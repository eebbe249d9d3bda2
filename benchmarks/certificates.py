"""Certificates: what they take to write, how large they are, and what they take to check.

    python benchmarks/certificates.py                  the rows of docs/certificates.md
    python benchmarks/certificates.py bird-1:slides    a puzzle in a metric; `:refutation` or `:exhaustion` behind it
    python benchmarks/certificates.py --limits [ROW ...]    how long writing goes on after a time limit or an interrupt
    python benchmarks/certificates.py --forms [ROW ...]     built-in families: with clauses of their own,
                                                       and, in the row below, with a problem text

Wall-clock seconds: `solve`, from the puzzle to the proven optimum, with the engine `auto`; `write`, the evidence,
without the solve. Processor time, which other jobs on the machine disturb less: `cpu`, of writing and its first check,
all processes; `check`, of `proofs.check`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest import mock

from budge.models.errors import BudgeError
from budge.models.library import load, shipped
from budge.proofs.check import check_folder
from budge.proofs.core.limits import Limits
from budge.proofs.verdict import VALID
from budge.runtime.budget import Budget
from budge.workflows import certifying
from budge.workflows.certifying import certify
from budge.workflows.solving import Solution, solve
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
LIMITED = ["servais-93:slides:refutation", "eight-31-a:moves:refutation", "korf-16:moves"]
LIMITED += ["xsokoban-78:pushes:refutation"]
"""Rows that take longer than the limits that `--limits` sets."""
FORMS = [
    "bird-1:slides",
    "bird-1:slides:refutation",
    "level-16:slides",
    "level-16:slides:refutation",
    "level-27:slides",
]
FORMS += ["uva-9x9:slides", "unsolvable:slides", "simplicity:moves", "heng-dao-li-ma:moves", "eight-20:moves"]
FORMS += ["eight-20:moves:refutation", "eight-31-a:moves", "microban-001:pushes", "microban-001:pushes,moves"]
FORMS += ["microban-013:pushes", "microban-013:pushes:refutation", "microban-017:pushes"]
"""The rows of docs/proof-language.md."""
LIMIT = 120.0
"""Seconds for the solve, and for writing and checking, each."""


def measured(row: str) -> tuple[float, ...] | None:
    """The seconds of the solve, of writing, of the check, and the bytes; prints them. None if there was none."""
    name, metric, *kind = row.split(":")
    try:
        solution = solve(load(name), metric=metric, budget=Budget(LIMIT), hard_limits=True)
    except BudgeError as error:
        print(f"{row:38} {str(error)[:100]}", flush=True)
        return None
    return certified(row, solution, *kind)


def certified(row: str, solution: Solution, kind: str = "auto") -> tuple[float, ...] | None:
    """What `measured` gives, of a solution."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            before = sum(os.times()[:4])
            made = certify(solution, Path(folder), Budget(LIMIT), evidence=kind)
            cpu = sum(os.times()[:4]) - before
            began = time.process_time()
            assert check_folder(Path(folder), Limits()).status == VALID
            took = time.process_time() - began
    except BudgeError as error:
        print(f"{row:38} {str(error)[:100]}", flush=True)
        return None
    numbers = solution.seconds, made.seconds[0], cpu, took, made.size
    told = f"{made.kind:10} {' '.join(f'{seconds:8.2f}' for seconds in numbers[:4])} {made.size:10,}"
    print(f"{row:38} {told}  {made.verdict.shown}", flush=True)
    return numbers


def in_both_forms(row: str) -> None:
    """A row for each form of certificates, of one solve."""
    name, metric, *kind = row.split(":")
    solution = solve(load(name), metric=metric, budget=Budget(LIMIT), hard_limits=True)
    certified(row, solution, *kind)
    with mock.patch.object(certifying, "has_problem_text", return_value=True):
        certified("  with a problem text", solution, *kind)


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


def together(title: str, rows: list[str]) -> None:
    """Many puzzles, and their sums."""
    found = [numbers for row in rows if (numbers := measured(row))]
    sums = [sum(column) for column in zip(*found, strict=True)]
    if sums:
        told = " ".join(f"{seconds:8.2f}" for seconds in sums[:4])
        print(f"{title + f', {len(found)} of {len(rows)}':38} {'together':10} {told} {int(sums[4]):10,}\n", flush=True)


def main() -> None:
    """The rows that are named, or all."""
    if sys.argv[1:2] == ["--limits"]:
        print(heading(), f"\n{'puzzle':38} {'limit':>5} {'over':>8} {'interrupt':>9}")
        for row in sys.argv[2:] or LIMITED:
            overruns(row)
        return
    columns = " ".join(f"{name:>8}" for name in ("solve", "write", "cpu", "check"))
    print(heading(), f"\n{'puzzle':38} {'evidence':10} {columns} {'bytes':>10}")
    if sys.argv[1:2] == ["--forms"]:
        for row in sys.argv[2:] or FORMS:
            in_both_forms(row)
        return
    if sys.argv[1:]:
        for row in sys.argv[1:]:
            measured(row)
        return
    for row in ROWS:
        measured(row)
    levels = [name for name in shipped() if "/level-" in name or "/bird-" in name]
    together("forty levels and Bird's four", [f"{name}:slides" for name in levels])
    together("Microban, as shipped", [f"{name}:pushes" for name in shipped() if "/microban" in name])
    custom = [name for name in shipped() if name.startswith("custom/")]
    together("custom puzzles", [f"{name}:{load(name).header.metric}" for name in custom])


if __name__ == "__main__":
    main()
