"""What each technique of `cp-sat` is worth: every board with all of them, and without one after the other.

    python benchmarks/encodings.py                                  # the boards of BOARDS, all techniques
    python benchmarks/encodings.py servais-93 --metric slides --without within pruning --time-limit 60

Prints the result, processor seconds of all threads (waits for deeper tables are on the clock only), conflicts, models
solved, and the size of the last model. Everything runs in one process; compilation of kernels is not counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from budge import Budget, load
from budge.analysis.plan_invariants import NOTHING_KNOWN, Invariants
from budge.engines.cp_sat import horizon_run as run
from budge.workflows.solving import metric_of, solve
from heading import heading

BOARDS = [
    ("level-30", "slides"),
    ("level-35", "slides"),
    ("level-37", "slides"),
    ("servais-93", "slides"),
    ("uva-9x9", "slides"),
    ("uva-12x12", "slides"),
    ("eight-31-a", "moves"),
    ("microban-077", "pushes"),
    ("heng-dao-li-ma", "moves"),
    ("heng-dao-li-ma", "steps"),
]

Patches = Callable[[], Any]


TECHNIQUES: dict[str, tuple[str, Patches]] = {
    "within": (
        "tables of h^m within a known plan",
        lambda: patch.object(run.HorizonRun, "_limit_tables", lambda _self: None),
    ),
    "deeper": ("tables of h⁴ and h⁵", lambda: patch("budge.engines.cp_sat.engine.DEEPEST", 3)),
    "pruning": ("move pruning", lambda: patch.object(run, "find_move_pruning", lambda _task: None)),
    "invariants": (
        "potentials, dead sets and parity",
        lambda: patch.object(Invariants, "if_informative", lambda _self, _init, _bound: NOTHING_KNOWN),
    ),
    "parallel": ("parallel steps", lambda: patch("budge.engines.cp_sat.strategies.MANY_OBJECTS", 10**9)),
    "companions": ("companions", lambda: patch.object(run, "companions", lambda _run: [])),
    "first-plan": (
        "a first plan by greedy search",
        lambda: patch("budge.engines.cp_sat.strategies.FIRST_PLAN_SECONDS", 0.001),
    ),
}


@contextmanager
def left_out(technique: str | None) -> Iterator[None]:
    if technique is None:
        yield
    else:
        with TECHNIQUES[technique][1]():
            yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("puzzles", nargs="*", help="files or names of shipped puzzles (default: a fixed list)")
    parser.add_argument("--metric", help="default: the puzzle's own")
    parser.add_argument("--without", nargs="*", choices=TECHNIQUES, default=list(TECHNIQUES), help="what to leave out")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each run")
    arguments = parser.parse_args()
    boards = [(name, arguments.metric) for name in arguments.puzzles] or BOARDS
    print(heading())
    for technique in arguments.without:
        print(f"# without {technique}: {TECHNIQUES[technique][0]}")
    print(
        f"{'board':22} {'without':11} {'status':9} {'bounds':>9} {'cpu s':>7} {'seconds':>8} {'conflicts':>10}", end=""
    )
    print(f" {'models':>6} {'variables':>9} {'constraints':>11}")
    for name, metric in boards:
        puzzle = load(name)
        metric = metric_of(puzzle, metric)
        for technique in (None, *arguments.without):
            with left_out(technique):
                solve(load("three-6"), "cp-sat", "moves", Budget(30.0))
                began, used = time.monotonic(), time.process_time()
                outcome = solve(puzzle, "cp-sat", metric, Budget(arguments.time_limit)).outcome
            shown = [
                "-" if cost is None else ",".join(map(str, cost)) for cost in (outcome.lower_bound, outcome.upper_bound)
            ]
            stats = outcome.stats
            print(
                f"{name[:22]:22} {technique or '-':11} {outcome.status.value:9} {'..'.join(shown):>9}"
                f" {time.process_time() - used:7.1f} {time.monotonic() - began:8.1f} {stats['conflicts']:10,}"
                f" {stats['models']:6} {stats['variables']:9,} {stats['constraints']:11,}",
                flush=True,
            )


if __name__ == "__main__":
    main()
