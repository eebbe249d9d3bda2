"""The estimate of a state: a lower bound on its cost to the goal, or that it is a dead end.

The heuristics of `analysis/heuristics` say it, each of which can be switched off by its name. The bound is the largest
of theirs. What they share is computed here: where the objects are, which of them are frozen, and their matching.

    state ---> survey: places, frozen ones, board, matching            once, when the state is expanded
      |
      +------> successor: dead end? frozen? new board?                 for each successor
                          what adds to the matching? the bounds

The lists of heuristics cost nothing in compiled code: their functions are composed when this module is imported, one
around the other, and LLVM makes them one. Measured beside the same functions called one by one, see
`benchmarks/results`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from ..models.task import OperatorTask
from ..runtime.arrays import Int, Words
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_calls import njit
from .bitset_task import BitsetTask
from .box_conflicts import conflict_scratch
from .deadlocks.freeze import (
    WANTED,
    add_board,
    barred,
    board_of,
    boards,
    freeze,
    holds_learned,
    learned_sets,
)
from .heuristic import Estimate, Heuristic, Listed, Preparation, Role, Successor, Survey
from .heuristics import heuristics
from .matching import aim, assignment, rematch
from .movable_objects import MovableObjects, find_movable_objects, no_movable_objects, places_in

T = TypeVar("T")

# The roles of heuristics that are evaluated when a state is met: the estimate.
EARLY = (Role.BOUND, Role.ADDITION)


def with_role(role: Role) -> list[tuple[str, Heuristic]]:
    """The heuristics of a role, by name, in the order in which they are evaluated."""
    return [(name, heuristic) for name, heuristic in heuristics().items() if heuristic.role is role]


def listed(tables: dict[str, Any], role: Role) -> Any:
    """The tables of the heuristics of a role as a list for kernels."""
    made: Any = 0
    for name, _ in reversed(with_role(role)):
        made = Listed(tables[name], made)
    return made


def each_with_tables(estimate: Estimate) -> Iterator[tuple[str, Heuristic, Any]]:
    """Every heuristic of the estimate with its name and its tables."""
    for role, tables in zip(EARLY, (estimate.bounds, estimate.additions), strict=True):
        for name, heuristic in with_role(role):
            yield name, heuristic, tables.tables
            tables = tables.rest


def _early() -> dict[str, Heuristic]:
    """The heuristics of the estimate by name, in the order in which they are prepared."""
    return {name: heuristic for name, heuristic in heuristics().items() if heuristic.role in EARLY}


def tables_of(estimate: Estimate, kind: type[T]) -> tuple[str, T] | None:
    """The heuristic whose tables are of a kind, by name, and its tables; None if there is no such heuristic.

    So a search that fills or extends some kind of tables (learned sets, conflicts) names no heuristic.
    """
    return next(((name, held) for name, _, held in each_with_tables(estimate) if isinstance(held, kind)), None)


def prepare_estimate(
    task: OperatorTask,
    packed: BitsetTask,
    budget: Budget,
    on_bound: Callable[[int], object] = lambda _bound: None,
    without: frozenset[str] = frozenset(),
) -> Estimate:
    """Find and fill the tables, of all heuristics but those in `without`.

    Objects of groups of one, without a walker, are left to the patterns. What is cheap comes first: `on_bound` gets
    lower bounds from the initial state, as keys of their costs, before the tables are filled that take long on a large
    board.
    """
    # 1. Bounds that follow from the task alone.
    for name, heuristic in heuristics().items():
        if heuristic.root is not None and name not in without:
            on_bound(heuristic.root.of(task))
    # 2. The objects and their boards. What patterns count object by object needs no matching.
    objects = find_movable_objects(task)
    if task.walker is None and objects.count == len(objects.meets) == _singles(task, objects):
        objects = no_movable_objects(task, packed)
    made = boards(packed, objects)
    if "matching" in without:
        objects = objects._replace(rows=0)
    # 3. An estimate in which every heuristic has tables that know nothing. The types are those of full tables, so that
    # one compiled search serves every task and every `without`.
    given = Preparation(task, packed, objects, made, budget, without)
    empty = {name: heuristic.empty(task, packed) for name, heuristic in _early().items()}
    cells = len(packed.free_bit) if objects.sides > 1 and "learned" not in without else 0
    estimate = Estimate(
        objects=objects,
        boards=made._replace(freezes=0) if "freeze" in without else made,
        bounds=listed(empty, Role.BOUND),
        additions=listed(empty, Role.ADDITION),
        adds=0,
        learned=learned_sets(packed.words, len(objects.fact), cells),
    )
    # 4. Tables, in the order of the heuristics' ranks. Each bound joins the estimate at once, and its value at the root
    # is reported, before the next one's tables are filled.
    for name, heuristic in _early().items():
        given.prepared[name] = empty[name] if name in without else heuristic.prepare(given)
        if heuristic.role is Role.BOUND:
            estimate = estimate._replace(bounds=listed(empty | given.prepared, Role.BOUND))
            on_bound(root_value(packed, estimate))
    return estimate._replace(
        additions=listed(given.prepared, Role.ADDITION),
        adds=int(any(heuristic.words(given.prepared[name]) for name, heuristic in with_role(Role.ADDITION))),
    )


def root_value(packed: BitsetTask, estimate: Estimate) -> int:
    """The lower bound of the initial state, without the additions; -1 for a dead end. Its board is added if wanted."""
    survey, row = survey_arrays(estimate.objects), np.zeros(packed.row, np.uint64)
    row[: packed.words] = packed.init
    row[packed.words :] = packed.start
    while (value := int(state_value(estimate, survey, row, packed.start))) == WANTED:
        add_board(packed, estimate.objects, estimate.boards)
    return value


def no_estimate(task: OperatorTask, packed: BitsetTask) -> Estimate:
    """An estimate that is 0 in every state, of the same types as any other."""
    objects = no_movable_objects(task, packed)
    empty = {name: heuristic.empty(task, packed) for name, heuristic in _early().items()}
    return Estimate(
        objects=objects,
        boards=boards(packed, objects),
        bounds=listed(empty, Role.BOUND),
        additions=listed(empty, Role.ADDITION),
        adds=0,
        learned=learned_sets(packed.words, len(objects.fact), 0),
    )


def prepare_late(
    task: OperatorTask, packed: BitsetTask, estimate: Estimate, budget: Budget, without: frozenset[str] = frozenset()
) -> list[tuple[Any, dict[str, str]]]:
    """Of the late bounds but those in `without`, in the order of their ranks: the first that knows something of the
    task, the first two, and so on. Each as a list of tables for kernels (`late_bound`), and in words, by name.

    Nothing is known of tasks with a walker, whose steps are no operators, and of compound moves, which cost one
    together.
    """
    if task.walker is not None or task.compound_moves:
        return []
    given = Preparation(task, packed, estimate.objects, estimate.boards, budget, without)
    heuristics = dict(with_role(Role.LATE_BOUND))
    tables: dict[str, Any] = {name: heuristic.empty(task, packed) for name, heuristic in heuristics.items()}
    made, words = [], dict[str, str]()
    for name in (name for name in heuristics if name not in without):
        given.prepared[name] = heuristics[name].prepare(given)
        if text := heuristics[name].words(given.prepared[name]):
            tables, words = tables | {name: given.prepared[name]}, words | {name: text}
            made.append((listed(tables, Role.LATE_BOUND), words))
    return made


def words_of(estimate: Estimate) -> dict[str, str]:
    """The heuristics and rules that know something of the task, by name, each in words: `conflicts of pairs`."""
    texts = {name: heuristic.words(tables) for name, heuristic, tables in each_with_tables(estimate)}
    texts["freeze"] = "freeze deadlocks" if estimate.boards.freezes else ""
    return {name: words for name, words in texts.items() if words}


def _singles(task: OperatorTask, objects: MovableObjects) -> int:
    """The number of objects that have no other object in their group."""
    facts = set(objects.fact.tolist())
    return sum(1 for group in task.groups if group.count == 1 and facts.issuperset(group.facts))


def survey_arrays(objects: MovableObjects) -> Survey:
    """Scratch for states with these objects."""
    places = len(objects.fact)
    return Survey(
        at=np.zeros(objects.count, np.int64),
        occupied=np.zeros(places, np.uint8),
        frozen=np.zeros(places, np.uint8),
        before=assignment(objects.rows),
        empty=assignment(objects.rows),
        standing=np.zeros(places, np.uint8),
        after=assignment(objects.rows),
        choice=conflict_scratch(objects.count, 2 if objects.sides > 1 else 0),
    )


# The heuristics of a role as one compiled function of the list of their tables: each is put around those after it.


@njit(inner=True)
def _no_bound(_listed: int, _estimate: Estimate, _survey: Survey, _child: Successor) -> int:
    return long(0)


def _or_larger(value: Any, rest: Any) -> Any:
    """Combine the bound of one heuristic with those of the rest of the list: the larger value; -1, a dead end, if one
    is -1.
    """

    @njit(inner=True)
    def larger(listed: Listed, estimate: Estimate, survey: Survey, child: Successor) -> Any:
        found = value(listed.tables, estimate, survey, child)
        if found < 0:
            return found
        other = rest(listed.rest, estimate, survey, child)
        return other if other < 0 or other > found else found

    return larger


def _chain(role: Role, join: Callable[[Any, Any], Any], last: Any) -> Any:
    return reduce(lambda rest, item: join(item[1].after, rest), reversed(with_role(role)), last)


_largest_bound: Any = _chain(Role.BOUND, _or_larger, _no_bound)
_largest_addition: Any = _chain(Role.ADDITION, _or_larger, _no_bound)
# The largest of the late bounds of a successor, from the list of their tables (`prepare_late`); -1: a dead end.
late_bound: Any = _chain(Role.LATE_BOUND, _or_larger, _no_bound)


@njit(inner=True)
def survey_state(estimate: Estimate, survey: Survey, row: Words, cell: Int) -> int:
    """Look at a state, the walker being in `cell` (0 without one): its board, -1 for a dead end, or `WANTED`.

    Leaves its objects and their assignment in `survey`.
    """
    objects, boards, before = estimate.objects, estimate.boards, survey.before
    at, occupied = survey.at, survey.occupied
    for place in range(len(occupied)):
        occupied[place] = 0
    for i in range(places_in(objects, row, at)):
        occupied[at[i]] = 1
    board = 0
    if boards.freezes:
        if not freeze(objects, boards.useful, at, survey.frozen):
            return -1
        board = board_of(boards, survey.frozen)
        if board < 0:
            return board
    if objects.rows:
        aim(objects, boards.side[board], at, cell, before.where)
        if rematch(boards.dist[board], before, before, False) < 0:
            return -1
        if board and estimate.adds:
            aim(objects, boards.side[0], at, cell, survey.empty.where)
            rematch(boards.dist[0], survey.empty, survey.empty, False)
    return board


@njit()
def state_value(estimate: Estimate, survey: Survey, row: Words, cell: int) -> int:
    """The lower bound of any state, without the additions; -1 for a dead end, or `WANTED`."""
    board = survey_state(estimate, survey, row, cell)
    if board < 0:
        return board
    value: int = _largest_bound(
        estimate.bounds, estimate, survey, Successor(row, long(-1), cell, board, board, long(0))
    )
    return value


@njit(inner=True)
def value_after(estimate: Estimate, survey: Survey, board: int, before: Int, after: Int, row: Words, cell: Int) -> int:
    """The lower bound of a successor, `row`, of the state surveyed; -1 for a dead end, or `WANTED`.

    An object went from place `before` to place `after` (-1: none did), the walker is in `cell`.
    """
    at, occupied = survey.at, survey.occupied
    moved = long(-1)
    if before >= 0:
        moved = long(0)
        while at[moved] != before:
            moved += 1
        at[moved] = after
        occupied[before], occupied[after] = 0, 1
    value = _value(estimate, survey, board, moved, row, cell)
    if before >= 0:
        at[moved] = before
        occupied[after], occupied[before] = 0, 1
    return value


@njit(inner=True)
def _value(estimate: Estimate, survey: Survey, board: int, moved: int, row: Words, cell: Any) -> int:
    """As `value_after`; `at` and `occupied` are those of the successor, in which object `moved` (-1: none) has moved.

    What is cheap and often enough comes first.
    """
    objects, boards, standing, now = estimate.objects, estimate.boards, survey.standing, board
    # 1. Dead sets with the object that has moved: one without it would have made the parent a dead end, too.
    if moved >= 0 and holds_learned(estimate.learned, row, survey.at[moved], cell):
        return -1
    # 2. Freeze deadlock; the board changes if the object that moved is frozen now.
    if boards.freezes and moved >= 0 and barred(objects, boards.useful, survey.occupied, survey.at[moved]):
        if not freeze(objects, boards.useful, survey.at, standing):
            return -1
        if standing[survey.at[moved]]:
            now = board_of(boards, standing)
            if now < 0:
                return now
    # 3. What adds to the matching, then the bounds.
    child = Successor(row, moved, cell, board, now, long(0))
    extra: int = _largest_addition(estimate.additions, estimate, survey, child)
    if extra < 0:
        return extra
    child = Successor(row, moved, cell, board, now, extra)
    value: int = _largest_bound(estimate.bounds, estimate, survey, child)
    return value
