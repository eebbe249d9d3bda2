"""Built-in families beside the same puzzles with their rules written out; prints two tables.

    python benchmarks/custom_families.py                   all boards
    python benchmarks/custom_families.py --only uva-9x9    boards whose name has this word
    python benchmarks/custom_families.py --ground-only     the first table alone
    python benchmarks/custom_families.py --runs 1          quicker, and noisier
    python benchmarks/custom_families.py --steps 100000    definitions become programs later

The rules are the pages in `proofs/rules/`, and `tests/helpers/as_definition.py` converts a board to them. The
built-in puzzle and its definition take turns; the least of some runs counts, as built-in / definition (factor).

First table. `facts, operators`: the enumerated task. `read`: from the definition's text to the checked puzzle.
`ground`: from the puzzle to that task. `form`: from the puzzle to what engines read, and what that is for the
definition: operators, or programs where enumerating would take long. All in processor time.

Second table. `engine alone`: from what an engine reads to its answer, everything compiled. `whole`: from the puzzle to
the replayed plan. Both in processor seconds of all processes. A run has `--limit` seconds; one of more than five
seconds is not repeated, and where it ends without a proof, what it used until then is shown. Optima that differ end
the benchmark.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from budge import Puzzle, Status, load, load_text, solve
from budge.engines.table import find
from budge.models.families.custom import grounding as choice
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from heading import heading
from made_boards import room, rush_hour

from tests.helpers.as_definition import as_definition

ENGINES = ("auto", "cp-sat", "bfs", "astar")
LONG = 5.0
"""Seconds from which a run is not repeated."""


@dataclass(frozen=True, slots=True)
class Board:
    """A built-in puzzle, a metric, and the engines that solve it; a name that is not shipped has a maker."""

    name: str
    metric: str
    engines: tuple[str, ...] = ENGINES
    make: Callable[[], str] | None = None

    def puzzle(self) -> Puzzle:
        return load_text(self.make()) if self.make else load(self.name)


BOARDS = (
    Board("bird-1", "steps"),
    Board("bird-1", "slides"),
    Board("level-27", "slides"),
    Board("uva-9x9", "slides", ("auto", "cp-sat")),
    Board("rush-hour-12x12", "steps", (), lambda: rush_hour(12, 40)),
    Board("rush-hour-12x12", "slides", (), lambda: rush_hour(12, 40)),
    Board("rush-hour-16x16", "steps", (), lambda: rush_hour(16, 58)),
    Board("simplicity", "steps"),
    Board("simplicity", "moves"),
    Board("heng-dao-li-ma", "steps", ("auto", "bfs", "astar")),
    Board("heng-dao-li-ma", "moves", ("auto", "bfs", "astar")),
    Board("eight-31-a", "moves", ("auto", "bfs", "astar")),
    Board("korf-12", "moves", ("auto", "idastar")),
    Board("fourteen-fifteen", "moves", ("auto",)),
    Board("microban-001", "pushes"),
    Board("microban-001", "moves"),
    Board("microban-043", "pushes"),
    Board("microban-043", "moves", ("auto", "cp-sat", "astar")),
    Board("microban-099", "pushes", ("auto", "bfs", "astar")),
    Board("microban-099", "moves", ("auto", "bfs", "astar")),
    Board("room-20x20", "pushes", (), lambda: room(20, 4)),
    Board("room-40x40", "pushes", (), lambda: room(40, 4)),
)


def processor() -> float:
    """Processor seconds so far of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def least(runs: int, *works: Callable[[], object]) -> list[float]:
    """The least processor seconds of each work, done by turns."""
    found = [float("inf")] * len(works)
    for _ in range(runs):
        for number, work in enumerate(works):
            began = time.process_time()
            work()
            found[number] = min(found[number], time.process_time() - began)
    return found


def pair(seconds: Sequence[float]) -> str:
    """`12.3 / 24.6 ms (2.0)`"""
    own, custom = seconds
    factor, unit = (1.0, "s") if min(seconds) >= 1 else (1e3, "ms")
    return f"{own * factor:.1f} / {custom * factor:.1f} {unit} ({custom / own:.2f})"


def sizes(board: Board, runs: int) -> str:
    """A row of the first table."""
    own = board.puzzle()
    custom = as_definition(own, board.metric)
    text = custom.to_yaml()
    tasks = own.task(board.metric), custom.task(board.metric)
    numbers = " / ".join(f"{len(task.facts):,}, {len(task.operators):,}" for task in tasks)
    (read,) = least(runs, lambda: load_text(text))
    ground = least(runs, lambda: own.task(board.metric), lambda: custom.task(board.metric))
    form = least(runs, lambda: own.form(board.metric), lambda: custom.form(board.metric))
    kind = (
        type(custom.form(board.metric)).__name__.replace("ProgramTask", "programs").replace("OperatorTask", "operators")
    )
    return (
        f"| {board.name} | {board.metric} | {numbers} | {read * 1e3:.1f} ms | {pair(ground)} | {pair(form)}, {kind} |"
    )


def solving(board: Board, engine: str, runs: int, limit: float) -> str:
    """A row of the second table."""
    own = board.puzzle()
    puzzles = own, as_definition(own, board.metric)
    first = [solve(puzzle, engine, board.metric, time_limit=limit) for puzzle in puzzles]  # compiles, too
    proven = [solution.status in (Status.OPTIMAL, Status.UNSOLVABLE) for solution in first]
    if all(proven) and first[0].cost != first[1].cost:
        raise SystemExit(f"{board.name}: the optima differ: {first[0].cost} and {first[1].cost}")
    alone, whole = [float("inf")] * 2, [float("inf")] * 2
    for _ in range(1 if max(solution.seconds for solution in first) > LONG else runs):
        for number, puzzle in enumerate(puzzles):
            began = processor()
            form = puzzle.form(board.metric)
            formed = processor()
            outcome = find(engine).run(form, Budget(limit), silent)
            ran = processor()
            if outcome.plan is not None:
                puzzle.replay(outcome.plan)
            alone[number] = min(alone[number], ran - formed)
            whole[number] = min(whole[number], processor() - began)
    answers = first[0].bounds if all(proven) else " / ".join(solution.bounds for solution in first)
    return f"| {board.name} | {board.metric} | {engine} | {answers} | {pair(alone)} | {pair(whole)} |"


def table(*columns: str) -> None:
    print("\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="boards whose name has this word")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="of which the least counts (default: 5)")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="for a run (default: 60)")
    parser.add_argument("--steps", type=int, metavar="N", help="of enumerating, before programs are made instead")
    parser.add_argument("--ground-only", action="store_true", help="solve nothing")
    arguments = parser.parse_args()
    if arguments.steps:
        choice.FEW = replace(choice.FEW, steps=arguments.steps)
    boards = [board for board in BOARDS if arguments.only in board.name]
    print(heading())
    table("board", "metric", "facts, operators", "read", "ground", "form")
    for board in boards:
        print(sizes(board, arguments.runs), flush=True)
    if arguments.ground_only:
        return
    table("board", "metric", "engine", "answer", "engine alone", "whole")
    for board in boards:
        for engine in board.engines:
            print(solving(board, engine, arguments.runs, arguments.limit), flush=True)


if __name__ == "__main__":
    main()
