"""What leaving out pieces says of a puzzle that has too many states to visit all of them.

A plan of the whole puzzle, without the moves of some pieces, is one of the puzzle without these pieces, where they are
only in each other's way. So the optimum of what is left is a lower bound, and

vehicles, blocks     those that may all be left out at once, no plan being shorter then, are not the reason; each of
                     the others is: without it, a solver finds a shorter plan
boxes, tiles         each moves for itself: what a few need on an otherwise empty board is their joint share at least
                     (for tiles an additive pattern database: Korf and Felner, *Disjoint pattern database heuristics*,
                     AIJ 2002), and shares are put together as those of a graph are

Nothing is said of the order of moves, and no share is exact: other pieces may make more moves necessary.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from ...engines.common.reachable import hint
from ...engines.common.stored_states import StoredStates
from ...models.cells import rc
from ...models.families import families
from ...models.families.n_puzzle.rules import NPuzzle, cells_of
from ...models.families.sliding_block.rules import BlockPiece, SlidingBlock
from ...models.families.sokoban.rules import Sokoban
from ...models.puzzle import Puzzle
from ...models.task import GroupKind, OperatorTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, Stage, silent
from ..solving import solve
from .shares import Share, Shares, put_together

# Leaving out one piece: what the optimum is without it, a bound that shows which pieces matter.
#
# Sound where a piece is nothing but an obstacle: vehicles and blocks that the goal does not name. A plan of the whole
# puzzle, without the piece's moves, is one of the puzzle without it; so the optimum without it is never larger.


def without_one(puzzle: Puzzle, metric: str, task: object, budget: Budget) -> dict[str, int]:
    """For each single piece that may be left out, the optimum without it; nothing where that would not be sound, and
    not those for which there was no time. `task`: that of the puzzle, whose groups say which pieces are single.

    The puzzle without the piece is grounded anew: what the piece makes impossible is not in the task of the whole one.
    """
    if not isinstance(puzzle.value, SlidingBlock) or not isinstance(task, OperatorTask):
        return {}
    wanted = {fact for clause in task.goal for fact in clause}
    optima = {}
    for group in task.groups:
        if group.kind is GroupKind.OBJECT and group.count == 1 and wanted.isdisjoint(group.facts):
            if budget.stopped():
                break
            answer = hint(StoredStates(without(puzzle, [group.name]).task(metric), budget, silent))
            if answer.distance is not None:
                optima[group.name] = answer.distance
    return optima


def without(puzzle: Puzzle, letters: Collection[str]) -> Puzzle:
    """A puzzle of sliding blocks without some of its pieces."""
    pieces = tuple(piece for piece in puzzle.value.pieces if piece.letter not in letters)
    return replace(puzzle, value=replace(puzzle.value, pieces=pieces))


SOLVING = 0.5
"""Part of the time for solving the puzzle."""

TRY = 2.0
"""The time left is divided equally among the pieces; each puzzle without one may take this many times its part, as
most take less."""

HORIZONS = "cp-sat"
"""The engine that has a limit of steps: it says whether a plan of at most N steps exists."""

Kept = Callable[[Collection[str]], OperatorTask]
"""The task of a puzzle with only some of its boxes or tiles."""


@dataclass(frozen=True)
class Removals:
    """What a solver proved: no plan costs less than `least`, which is the `optimum` or a bound of it; `proof`: how.

    `left_out`: pieces without all of which no plan costs less either; `without`: the optimum without these and one
    more, which is less; `undecided`: pieces of which that was not found out in the time.
    `shares`: of boxes or tiles, each with all others away.
    """

    least: int
    optimum: int | None
    proof: str
    left_out: tuple[str, ...] = ()
    without: tuple[tuple[str, int], ...] = ()
    undecided: tuple[str, ...] = ()
    shares: Shares | None = None


def removable(puzzle: Puzzle, metric: str) -> bool:
    """Whether something is said of a puzzle here."""
    return bool(_obstacles(puzzle)) or _apart(puzzle, metric) is not None


def removals_of(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress = silent) -> Removals | None:
    """Solve a puzzle, then without pieces, or with few of them only; None if no plan exists or nothing is proven."""
    outcome = solve(puzzle, metric=metric, budget=budget.part(SOLVING * budget.remaining), progress=progress).outcome
    if outcome.lower_bound is None:
        return None
    removals = Removals(
        outcome.lower_bound[0],
        outcome.lower_bound[0] if outcome.lower_bound == outcome.upper_bound else None,
        outcome.lower_bound_by,
    )
    if kept := _apart(puzzle, metric):
        progress(Stage(seconds=budget.elapsed, text="finding what each piece needs if all others are away"))
        return replace(removals, shares=_alone(*kept, removals.least, budget))
    return _left_out(puzzle, metric, removals, budget, progress)


def _left_out(puzzle: Puzzle, metric: str, removals: Removals, budget: Budget, progress: Progress) -> Removals:
    """Leave out one obstacle after the other: for good, where no plan becomes cheaper."""
    gone, needed, undecided = list[str](), list[tuple[str, int]](), list[str]()
    letters, limit = _obstacles(puzzle), max(1, removals.least - 1)
    for tried, letter in enumerate(letters):
        if budget.stopped():
            undecided.append(letter)
            continue
        progress(Stage(seconds=budget.elapsed, text=f"solving it without {letter}"))
        part = budget.part(TRY * budget.remaining / (len(letters) - tried))
        outcome = solve(without(puzzle, [*gone, letter]), HORIZONS, metric, part, horizon_limit=limit).outcome
        if outcome.lower_bound is not None and outcome.lower_bound[0] >= removals.least:
            gone.append(letter)
        elif outcome.lower_bound is not None and outcome.lower_bound == outcome.upper_bound:
            needed.append((letter, outcome.lower_bound[0]))
        else:
            undecided.append(letter)
    return replace(removals, left_out=tuple(gone), without=tuple(needed), undecided=tuple(undecided))


def _obstacles(puzzle: Puzzle) -> list[str]:
    """The letters of pieces that are only in the way of others: those that the goal cannot ask for."""
    value = puzzle.value
    if not isinstance(value, SlidingBlock):
        return []
    wanted = {other for letter, _ in value.goal for other in value.stand_ins(letter)}
    return [piece.letter for piece in value.pieces if piece.letter not in wanted]


def _apart(puzzle: Puzzle, metric: str) -> tuple[list[str], Kept] | None:
    """The boxes or tiles of a puzzle whose moves add up to a plan's cost, and the task with only some of them."""
    value = puzzle.value
    if isinstance(value, Sokoban) and metric == "pushes":
        return _boxes(puzzle, value)
    return _tiles(puzzle, value) if isinstance(value, NPuzzle) else None


def _boxes(puzzle: Puzzle, value: Sokoban) -> tuple[list[str], Kept] | None:
    moved = [group for group in puzzle.task("pushes").groups if group.kind is GroupKind.OBJECT]
    if len(moved) != 1 or moved[0].count != len(value.boxes):  # boxes out of reach need not be on goals
        return None
    cells = {f"the box on {rc(cell)}": cell for cell in sorted(value.boxes)}

    def kept(some: Collection[str]) -> OperatorTask:
        return replace(puzzle, value=replace(value, boxes=frozenset(cells[name] for name in some))).task("pushes")

    return [*cells], kept


def _tiles(puzzle: Puzzle, value: NPuzzle) -> tuple[list[str], Kept] | None:
    """The tiles as blocks on an empty board: without the blank, each may move wherever no other one is."""
    boards = cells_of(value.start), cells_of(value.goal)
    start, goal = ({f"tile {tile}": cell for cell, tile in board.items() if tile} for board in boards)
    if len(start) + 1 < len(boards[0]):  # of equal tiles it is open which goes where
        return None

    letters = {name: chr(ord("A") + number) for number, name in enumerate(start)}

    def kept(some: Collection[str]) -> OperatorTask:
        board = SlidingBlock(
            height=len(value.start),
            width=len(value.start[0]),
            walls=frozenset(),
            pieces=tuple(BlockPiece(letters[name], (start[name],)) for name in some),
            goal=tuple((letters[name], (goal[name],)) for name in some),
        )
        return Puzzle(families()["sliding-block"], puzzle.header, board).task("steps")

    return sorted(start, key=lambda name: int(name.split()[1])), kept


def _alone(names: list[str], kept: Kept, least: int, budget: Budget) -> Shares:
    """What boxes or tiles need with all others away, by one, two, three."""

    def away(some: Collection[str]) -> int | None:
        return hint(StoredStates(kept(some), budget, silent)).distance

    least_of = {name: distance for name in names if (distance := away([name])) is not None}
    single = [Share((name,), distance) for name, distance in least_of.items()]
    joint, bound, complete = put_together(single, names, str, away, least, budget)
    return Shares(tuple(sorted(single, key=lambda share: -share.least)), tuple(joint), bound, complete)
