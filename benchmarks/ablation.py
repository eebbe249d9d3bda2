"""What each heuristic and pruning rule of a search is worth: every board with all of them, and without one at a time.

    python benchmarks/ablation.py xsokoban --collection xsokoban.xsb --best best.tsv --seconds 40 --out xsokoban.tsv
    python benchmarks/ablation.py microban-moves --collection microban.xsb --parts walks,dominance --out moves.tsv
    python benchmarks/ablation.py library --engine idastar --seconds 10 --out library.tsv

Sets: `xsokoban`, the 34 levels that `astar` proves in 15 s, and `microban`, both in pushes; `microban-moves`;
`library`, the puzzles that come with Budge, each in its first metric; `growth`, made boards of the kinds and the
smaller sizes of `growth.py`. The file `--out` has a line for each part and board; a run that was stopped makes those
that are missing, and a table is printed from them. Seconds are processor time; kernels are compiled before. `--best`:
lines `number<tab>cost`. Then only cheaper plans are looked for: what is measured is the proof, and not the luck with
which a plan is found among the states of the last f.

In the table counts are of the boards that both runs solve. A part earns its place where leaving it out takes 5 percent
more expansions or seconds, or loses a board.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from budge import load, load_text
from budge.engines.engine import without_option
from budge.engines.table import find
from budge.models.library import shipped
from budge.models.task import Task
from budge.runtime.kernels import ensure_kernels
from heading import heading
from level_table import PROVEN_OF_XSOKOBAN, ProcessorBudget, levels, read_best
from made_boards import blocks, room, rush_hour, tiles

MATCHED = "a plan of another engine meets the bound"
ALL = "all"
SEEDS = range(1, 6)

GROWTH = {
    **{
        f"rush-hour-{size}-{seed}": rush_hour(size, cars, seed)
        for size, cars in ((6, 9), (8, 16), (9, 21))
        for seed in SEEDS
    },
    **{f"tiles-{size}-{seed}": tiles(size, seed) for size in (3, 4) for seed in SEEDS},
    **{f"room-{size}": room(size, 4) for size in (10, 15, 20)},
    "blocks-5": blocks(5),
}
"""Made boards, by name."""

WORTH = 0.05

Row = tuple[int, int, int, float]
"""Solved (0 or 1), states expanded (or nodes), states generated, seconds of processor time."""


def boards(name: str, collection: Path | None) -> Iterator[tuple[str, Task]]:
    """The tasks of a set, by name."""
    if name == "library":
        for puzzle_name in shipped():
            puzzle = load(puzzle_name)
            yield puzzle_name, puzzle.form(next(iter(puzzle.metrics)))
        return
    if name == "growth":
        for board, text in GROWTH.items():
            puzzle = load_text(text)
            yield board, puzzle.task(puzzle.header.metric or next(iter(puzzle.metrics)))
        return
    if collection is None:
        raise SystemExit("this set needs --collection")
    for number, puzzle in enumerate(levels(collection), 1):
        if name != "xsokoban" or number in PROVEN_OF_XSOKOBAN:
            yield str(number), puzzle.task("moves" if name.endswith("-moves") else "pushes")


def measure(engine: str, task: Task, part: str, seconds: float, best: int | None) -> Row:
    """One search without a part."""
    budget, began = ProcessorBudget(seconds, 4096), time.process_time()
    if best is not None:
        budget.hear((best,))
    outcome = find(engine).run(task, budget, without=None if part == ALL else part)
    used, stats = time.process_time() - began, outcome.stats
    solved = outcome.status.proven or outcome.stopped_by == MATCHED
    return int(solved), int(stats.get("expanded", 0)), int(stats.get("generated", stats.get("nodes", 0))), used


def read(file: Path) -> dict[str, dict[str, Row]]:
    """The lines that are there, by part and board."""
    found: dict[str, dict[str, Row]] = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        if not line.startswith("#"):
            part, board, solved, expanded, generated, seconds = line.split("\t")
            found.setdefault(part, {})[board] = int(solved), int(expanded), int(generated), float(seconds)
    return found


def table(rows: dict[str, dict[str, Row]]) -> Iterator[str]:
    """The table: what changes where a part is left out."""
    yield "| without | boards | solved | lost | won | expanded | | generated | seconds | | earns |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    whole = rows[ALL]
    for part, found in rows.items():
        both = [board for board in found if found[board][0] and whole[board][0]]
        lost = [board for board in found if whole[board][0] > found[board][0]]
        won = [board for board in found if whole[board][0] < found[board][0]]
        before, after = ([sum(made[board][i] for board in both) for i in (1, 2, 3)] for made in (whole, found))
        change = [b / a - 1 if a else 0.0 for a, b in zip(before, after, strict=True)]
        earns = "yes" if lost or max(change[0], change[2]) >= WORTH else "no"
        yield (
            f"| {part if part != ALL else 'nothing'} | {len(found)} | {sum(row[0] for row in found.values())} "
            f"| {', '.join(lost)} | {', '.join(won)} | {after[0]:,} | {change[0]:+.1%} | {change[1]:+.1%} "
            f"| {after[2]:.1f} | {change[2]:+.1%} | {'' if part == ALL else earns} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=("xsokoban", "microban", "microban-moves", "library", "growth"))
    parser.add_argument("--collection", type=Path, help="the levels in XSB")
    parser.add_argument("--engine", default="astar", help="astar (default) or idastar")
    parser.add_argument("--parts", help="what is left out, with commas; default: each that the engine can do without")
    parser.add_argument("--seconds", type=float, default=10.0, help="of processor time for each board (default 10)")
    parser.add_argument("--best", type=Path, help="the least cost known of each level: only the proof is wanted")
    parser.add_argument("--out", type=Path, required=True, help="the file with a line for each part and board")
    arguments = parser.parse_args()
    option = next(one for one in find(arguments.engine).options if one.name == without_option(()).name)
    parts = arguments.parts.split(",") if arguments.parts else option.choices
    best, rows = read_best(arguments.best), read(arguments.out)
    tasks = dict(boards(arguments.set, arguments.collection))
    ensure_kernels()
    for part in (ALL, *parts):
        for board, task in tasks.items():
            if board not in rows.setdefault(part, {}):
                known = best.get(int(board)) if board.isdigit() else None
                row = rows[part][board] = measure(arguments.engine, task, part, arguments.seconds, known)
                with arguments.out.open("a") as out:
                    out.write("\t".join((part, board, *map(str, row[:3]), f"{row[3]:.2f}")) + "\n")
    print(
        heading(), f"\n{arguments.set}, {len(tasks)} boards, {arguments.seconds:g} s of processor time each\n", sep="\n"
    )
    print("\n".join(table(rows)))


if __name__ == "__main__":
    main()
