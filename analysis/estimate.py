"""What a search knows of a state beforehand: a lower bound on the cost to the goal, or that it is a dead end.

The bound is the larger of the matching of things to goal places, on the board with what is frozen on it as walls,
and of the additive patterns. Dead ends are infinite bounds, freeze deadlocks, and lost sets of a few things.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import Task
from ..runtime.bitops import trailing_zeros
from ..runtime.budget import Budget
from ..runtime.kernel_cache import njit
from .bitset_kernels import ONE
from .bitset_task import BitsetTask
from .conflicts import Conflicts, conflicts_of, find_conflicts, no_conflicts
from .deadlocks.corrals import pushes_only
from .deadlocks.freeze import Boards, barred, board_of, boards, freeze
from .deadlocks.tables import DeadSets, dead_sets, lost, no_dead_sets
from .matching import Assignment, assignment, match, rematch
from .movable_objects import MovableObjects, find_movable_objects, no_movable_objects
from .patterns.databases import Patterns, additive_patterns, no_patterns
from .patterns.kernels import patterns_value

PATTERN_ENTRIES = 1_000_000
"""Entries of a pattern's table at most."""


class Estimate(NamedTuple):
    """All tables of a task's heuristics; `corrals`: whether corral pruning is sound for it."""

    things: MovableObjects
    boards: Boards
    dead: DeadSets
    conflicts: Conflicts
    patterns: Patterns
    corrals: int


class Look(NamedTuple):
    """What was computed of the state that is being expanded, and scratch for its successors.

    `at` (count): the places of its things; `occupied` (P): the same; `frozen` (P): those that are frozen; `before`:
    their assignment. `standing`, `after`: the same for the successor that is looked at.
    """

    at: NDArray[np.int64]
    occupied: NDArray[np.uint8]
    frozen: NDArray[np.uint8]
    before: Assignment
    standing: NDArray[np.uint8]
    after: Assignment
    chosen: NDArray[np.int64]


def prepare_estimate(task: Task, packed: BitsetTask, budget: Budget) -> Estimate:
    """Find and fill the tables. Things of groups of one, without a walker, are left to the patterns."""
    things = find_movable_objects(task, packed)
    if task.walker is None:
        patterns = additive_patterns(task, PATTERN_ENTRIES, budget)
        if things.count == len(things.meets) == _singles(task, things):
            things = no_movable_objects(packed)
    else:
        patterns = no_patterns(task)
    made = boards(packed, things)
    dead = dead_sets(packed, things, made.useful, budget) if made.freezes else no_dead_sets()
    conflicts = no_conflicts()
    if made.freezes:
        conflicts = find_conflicts(packed, things, made.useful, made.side[0], made.dist[0], budget)
    return Estimate(things, made, dead, conflicts, patterns, int(pushes_only(task, things)))


def _singles(task: Task, things: MovableObjects) -> int:
    """How many of the things are the only ones of their groups."""
    facts = set(things.fact.tolist())
    return sum(1 for group in task.groups if group.count == 1 and facts.issuperset(group.facts))


def look(things: MovableObjects) -> Look:
    """Scratch for states with these things."""
    places = len(things.fact)
    return Look(
        np.zeros(things.count, np.int64),
        np.zeros(places, np.uint8),
        np.zeros(places, np.uint8),
        assignment(things.rows),
        np.zeros(places, np.uint8),
        assignment(things.rows),
        np.zeros(4, np.int64),
    )


@njit(cache=True)
def _node(things: Any, boards: Any, board: int, place: int, cell: int) -> Any:
    """The row of the distance table for a thing at a place, with the walker in a cell."""
    if things.sides == 1:
        return np.int64(place)
    return np.int64(place) * things.sides + boards.side[board, place, cell]


@njit(cache=True)
def _aim(things: Any, boards: Any, board: int, at: Any, cell: int, where: Any) -> None:
    for i in range(len(at)):
        where[i] = _node(things, boards, board, at[i], cell)
    for i in range(len(at), len(where)):
        where[i] = len(things.fact) * things.sides + i - len(at)


@njit(cache=True)
def survey(task: Any, estimate: Any, look: Any, row: Any, cell: int) -> Any:
    """Look at a state, the walker being in `cell` (0 without one): its board, or -1 for a dead end.

    Leaves its things and their assignment in `look`.
    """
    things, boards = estimate.things, estimate.boards
    look.occupied[:] = 0
    count = 0
    for w in range(len(things.mask)):
        bits = row[w] & things.mask[w]
        while bits:
            place = things.place[(w << 6) + np.int64(trailing_zeros(bits))]
            bits &= bits - ONE
            look.at[count] = place
            look.occupied[place] = 1
            count += 1
    board = 0
    if boards.freezes:
        if not freeze(things, boards.useful, look.at, look.frozen):
            return -1
        board = board_of(task, things, boards, look.frozen)
    if things.rows:
        _aim(things, boards, board, look.at, cell, look.before.where)
        if match(boards.dist[board], look.before) < 0:
            return -1
    return board


@njit(cache=True)
def bound_of(estimate: Any, look: Any, board: int, row: Any) -> Any:
    """The lower bound of the state that `survey` has looked at, or -1 for a dead end."""
    value = np.int64(0)
    for i in range(estimate.things.rows):
        value += estimate.boards.dist[board, look.before.where[i], look.before.column[i]]
    other = np.int64(patterns_value(estimate.patterns, row))
    return other if other < 0 else max(value, other)


@njit(cache=True)
def bound_after(task: Any, estimate: Any, look: Any, board: int, moved: int, row: Any, cell: int) -> Any:
    """The lower bound of a successor, `row`, of the state surveyed, or -1 for a dead end.

    `at` and `occupied` are those of the successor already, in which the thing number `moved` (-1: none) has moved, and
    the walker is in `cell`.
    """
    things, boards = estimate.things, estimate.boards
    value = np.int64(0)
    if things.rows:
        now = board
        if boards.freezes and moved >= 0 and barred(things, boards.useful, look.occupied, look.at[moved]):
            if not freeze(things, boards.useful, look.at, look.standing):
                return np.int64(-1)
            if look.standing[look.at[moved]]:
                now = board_of(task, things, boards, look.standing)
        _aim(things, boards, now, look.at, cell, look.after.where)
        dist = boards.dist[now]
        value = rematch(dist, look.before, look.after) if now == board else match(dist, look.after)
        if value < 0:
            return value
        if now == 0 and estimate.conflicts.unit:
            extra = conflicts_of(estimate.conflicts, look.at, cell)
            if extra < 0:
                return extra
            value += extra
    other = np.int64(patterns_value(estimate.patterns, row))
    return other if other < 0 else max(value, other)


@njit(cache=True)
def value_after(task: Any, estimate: Any, look: Any, board: int, before: int, after: int, row: Any, cell: int) -> Any:
    """The lower bound of a successor, `row`, of the state surveyed, or -1 for a dead end.

    A thing went from place `before` to place `after` (-1: none did), the walker is in `cell`.
    """
    if before < 0:
        return bound_after(task, estimate, look, board, -1, row, cell)
    moved = 0
    while look.at[moved] != before:
        moved += 1
    look.at[moved] = after
    look.occupied[before], look.occupied[after] = 0, 1
    value = np.int64(-1)
    if not lost(estimate.dead, look.at, moved, cell if estimate.things.sides > 1 else 0, look.chosen):
        value = bound_after(task, estimate, look, board, moved, row, cell)
    look.at[moved] = before
    look.occupied[after], look.occupied[before] = 0, 1
    return value
