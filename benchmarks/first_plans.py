"""The engines that promise no optimum beside each other, on all families: how soon there is a plan, and how good it is.

    python benchmarks/first_plans.py                                    a choice of every family, and large boards
    python benchmarks/first_plans.py --growth --limit 2                 the growth set: 12x12 to 16x16, seeds 1 to 10
    python benchmarks/first_plans.py sokoban/microban-085 hanoi-8 --engine fess --engine greedy

For each engine: processor seconds until the first plan is there (kernels are compiled before), the cost of that plan,
and the cost after it was shortened; `-` where there is no plan within the limit. An engine that does not read such
puzzles has no entry. The limit is processor time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from budge import Puzzle, load
from budge.engines.preparation import prepare_engines
from budge.engines.table import ENGINES
from budge.models.library import shipped
from budge.runtime.budget import Budget
from budge.runtime.events import Event, PlanFound
from budge.workflows.solving import solve
from heading import heading
from level_table import ProcessorBudget
from made_boards import blocks, room, rush_hour, tiles

NAMES = ("greedy", "bird", "fess")

CHOICE = (
    *("bird-1", "bird-4", "servais-93", "uva-9x9", "uva-12x12"),
    *("jewel-swap", "klotski/heng-dao-li-ma", "klotski/bing-fen-san-lu", "eight-31-a", "korf-12", "korf-42"),
    *("microban-001", "microban-077", "microban-085", "xsokoban-01"),
    *(name for name in shipped() if name.startswith("custom/")),
)
"""Shipped puzzles of every family."""

MADE = {
    **{f"rush-hour-{size}-{seed}": rush_hour(size, n, seed) for size, n in ((12, 40), (16, 58)) for seed in (1, 2, 3)},
    "blocks-12": blocks(12),
    "tiles-5": tiles(5),
    "room-60": room(60, 4),
}


GROWTH = {
    f"rush-hour-{size}-{seed}": rush_hour(size, n, seed)
    for size, n in ((12, 40), (14, 52), (16, 58))
    for seed in range(1, 11)
}
"""What `portfolio.py` calls the growth set."""


def puzzles(names: list[str], made: dict[str, str], folder: Path) -> Iterator[tuple[str, Puzzle]]:
    """The puzzles that are named, and made boards."""
    for name in names:
        yield Path(name).stem, load(name)
    for name, text in made.items():
        file = folder / f"{name}.yaml"
        file.write_text(text)
        yield name, load(str(file))


def cell(puzzle: Puzzle, engine: str, limit: float) -> tuple[str, str]:
    """What an engine does on a puzzle, empty if it does not read such puzzles; and the optimum, if the file has it."""
    if not puzzle.offers(ENGINES[engine].reads):
        return "", ""
    plans: list[tuple[float, int]] = []
    began = time.process_time()

    def tell(event: Event) -> None:
        if isinstance(event, PlanFound):
            plans.append((time.process_time() - began, event.cost[0]))

    outcome = solve(puzzle, engine, budget=ProcessorBudget(limit, 8192), progress=tell).outcome
    if not plans or outcome.upper_bound is None:
        return "unsolvable" if outcome.status.value == "unsolvable" else "-", ""
    optimum = str(outcome.stats.get("optimum_by_expect", ""))
    return f"{plans[0][0]:.2f} s {plans[0][1]} → {outcome.upper_bound[0]}", optimum


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("puzzles", nargs="*", help="files or names of shipped puzzles")
    parser.add_argument("--growth", action="store_true", help="the growth set instead of a choice")
    parser.add_argument("--engine", action="append", choices=NAMES, help="may be repeated")
    parser.add_argument("--limit", type=float, default=5.0, help="processor seconds for each run")
    arguments = parser.parse_args()
    names = arguments.engine or NAMES
    prepare_engines([ENGINES[name] for name in names], Budget())
    for name in names:
        ENGINES[name].load()
        solve(load("microban-001" if name == "fess" else "bird-2"), name)  # loads what is compiled
    chosen = [] if arguments.growth else arguments.puzzles or CHOICE
    made = GROWTH if arguments.growth else {} if arguments.puzzles else MADE
    print(heading())
    print("| puzzle | optimum | " + " | ".join(names) + " |\n|---|---|" + "---|" * len(names))
    with tempfile.TemporaryDirectory() as folder:
        for name, puzzle in puzzles(list(chosen), made, Path(folder)):
            cells, optima = zip(*(cell(puzzle, engine, arguments.limit) for engine in names), strict=True)
            print(f"| {name} | {max(optima)} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
