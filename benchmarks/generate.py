"""How hard the puzzles are that `budge generate` makes in a given time, and how the best grew; prints tables.

    python benchmarks/generate.py                         ten minutes for each of three kinds, on all cores, seed 1
    python benchmarks/generate.py --seconds 60 --only sokoban --seed 7

The kinds: a minimal 6x6 Rush Hour board without walls (slides), a sliding-block puzzle of 4x5 (moves; the classic
横刀立马 needs 81), a Sokoban level of 8x8 cells within its outer walls and four boxes (pushes). `best` is the optimum
of the hardest board so far, before it is made minimal, which takes nothing of it. The puzzle at the end is proven once
more by an engine.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator

from budge.runtime.environment import cores
from budge.runtime.executors.local import LocalExecutor
from budge.workflows.generate.choose import maker_for
from budge.workflows.generate.finish import Wishes, finish
from budge.workflows.generate.maker import Maker
from budge.workflows.generate.prepare import prepare_maker
from budge.workflows.generate.search import Goal, SearchSetting, best_first, search
from heading import heading

KINDS: dict[str, Callable[[], Maker]] = {
    "rush-hour": lambda: maker_for("rush-hour", size=(6, 6)),
    "sliding-block": lambda: maker_for("sliding-block", size=(4, 5)),
    "sokoban": lambda: maker_for("sokoban", size=(8, 8), pieces=(4, 4)),
}

CANDIDATES = 5
"""Boards that are made minimal: the hardest so many."""


def record(maker: Maker, seconds: float, seed: int, jobs: int) -> Iterator[str]:
    """The lines of one table, and the hardest puzzle."""
    executor = LocalExecutor(jobs)
    prepare_maker(maker, threading.Event())
    try:
        archive = search(SearchSetting(maker, executor, seed=seed), seconds=seconds)
        yield f"\n{maker.family}, {maker.metric}: {archive.graded:,} boards in {archive.rounds} rounds"
        yield "  seconds  round   boards  best"
        for at, rounds, graded, best in archive.history:
            yield f"{at:9.1f} {rounds:6} {graded:8} {best:5}"
        found = [graded for _, graded in best_first(archive, Goal())[:CANDIDATES]]
        made = list(finish(SearchSetting(maker, executor), found, Wishes(), how="", name="record"))
    finally:
        executor.close()
    if made:
        best_made = max(made, key=lambda one: one.optimum)
        yield f"hardest minimal one: {best_made.optimum} {maker.metric}, {best_made.states:,} states"
        yield best_made.puzzle.to_yaml()


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=cores())
    parser.add_argument("--only", choices=tuple(KINDS))
    arguments = parser.parse_args()
    print(heading())
    for kind, maker in KINDS.items():
        if arguments.only in (None, kind):
            for line in record(maker(), arguments.seconds, arguments.seed, arguments.jobs):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
