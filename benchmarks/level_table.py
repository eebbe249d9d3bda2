"""A table with a line for each level of a Sokoban collection, made level by level: what benchmarks of levels share.

Each level is one line of the file `--out`, as soon as it is done; a run that was stopped makes the lines that are
missing. `--best` is a file with lines `number<tab>cost`, the least cost known, and `--levels` chooses some by number.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from budge import Budget, Puzzle
from budge.models.collections import open_collection
from budge.models.families import load_text
from heading import heading

PROVEN_OF_XSOKOBAN = (
    *(1, 2, 3, 4, 5, 6, 7, 9, 17, 21, 27, 33, 38, 43, 45, 48, 49, 51, 53, 55, 57, 59, 60, 61, 65, 68, 72, 73),
    *(78, 79, 80, 81, 82, 83),
)
"""The levels of XSokoban, by number, that `astar` proves in 15 s of processor time (2026-11-23-cd20937)."""


class ProcessorBudget(Budget):
    """A budget whose clock is the processor time of this process. `seconds` is None, as solvers that are given a limit
    themselves would take it for one of the wall clock; they are ended by `stopped()`.
    """

    def __init__(self, seconds: float | None, memory_mib: int | None) -> None:
        super().__init__(None, memory_mib)
        self.limit = seconds
        self.used = time.process_time()

    @property
    def remaining(self) -> float:
        return float("inf") if self.limit is None else max(0.0, self.limit - self.elapsed)

    @property
    def elapsed(self) -> float:
        return time.process_time() - self.used

    def with_clock(self, seconds: float) -> Budget:
        return ProcessorBudget(seconds, self.memory_mib)


def levels(collection: Path) -> list[Puzzle]:
    """The levels of a collection, in its order; those that no puzzle file can hold are left out."""
    opened = open_collection(collection, "xsb")
    return [load_text(text) for text in map(opened.text, range(1, len(opened.levels) + 1)) if text is not None]


def arguments(doc: str | None, seconds: float) -> argparse.ArgumentParser:
    """The arguments of such a benchmark; `seconds` for each level by default."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("collection", type=Path, help="levels in XSB")
    parser.add_argument(
        "--out", type=Path, required=True, help="the file with the table; lines that it has are not made anew"
    )
    parser.add_argument("--time-limit", type=float, default=seconds, help="seconds for each level")
    parser.add_argument("--processor-time", action="store_true", help="the limit is one of processor time")
    parser.add_argument("--memory-limit", type=int, default=4096, help="MiB for each level")
    parser.add_argument("--best", type=Path, help="the least cost known: number, tab, cost")
    parser.add_argument("--levels", type=int, nargs="+", help="numbers of the levels to make (default: all)")
    return parser


def read_best(file: Path | None) -> dict[int, int]:
    """The fewest pushes known of each level, by its number; none without a file."""
    listed = (line.split("\t") for line in file.read_text().splitlines()) if file else ()
    return {int(number): int(cost) for number, cost in listed}


def make(
    options: argparse.Namespace,
    columns: str,
    warm_up: Callable[[], object],
    row: Callable[[int, Puzzle, Budget, int | None], str],
) -> list[str]:
    """Make the lines that are missing, each by `row` of the level's number, the level, a budget and the least cost
    known; all lines. `warm_up` compiles what is measured.
    """
    best = read_best(options.best)
    known = options.out.read_text().splitlines() if options.out.exists() else []
    if not known:
        options.out.write_text(f"{heading()}\n" + columns.replace(" ", "\t") + "\n")
    lines = [line for line in known if line[:1].isdigit()]
    made = {int(line.split("\t")[0]) for line in lines}
    kind = ProcessorBudget if options.processor_time else Budget
    warm_up()
    for number, puzzle in enumerate(levels(options.collection), 1):
        if number in made or (options.levels and number not in options.levels):
            continue
        lines.append(row(number, puzzle, kind(options.time_limit, options.memory_limit), best.get(number)))
        print(lines[-1], flush=True)
        with options.out.open("a") as out:
            out.write(lines[-1] + "\n")
    return lines
