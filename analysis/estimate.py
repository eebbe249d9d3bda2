"""What a search knows of a state beforehand: a lower bound on the cost to the goal, or that it is a dead end.

The bound is the largest of three, each of which no plan undercuts: the matching of movable objects to goal places, on
the board with what is frozen on it as walls and with the conflicts of pairs on top (`matching`, `freeze`, `conflicts`),
the sum of the additive patterns (`patterns`), and, where a walker's steps cost as much as its pushes, what both cost
together (`walk_potentials`). Dead ends are states without a matching, freeze deadlocks, and dead sets
of a few objects (`deadlocks`).

    state ---> survey: places, frozen ones, board, matching            once, when the state is expanded
      |
      +------> successor: dead set? freeze deadlock? new board?        for each successor
                          matching from the parent's, conflicts, patterns, walks
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..models.task import Task
from ..runtime.arrays import Bytes, Int, Longs, Words
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_cache import njit
from .bitset_kernels import ONE
from .bitset_task import BitsetTask
from .conflicts.conflicts import Conflicts, conflicts_of, find_conflicts, no_conflicts
from .deadlocks.corrals import STRONG, pushes_only
from .deadlocks.freeze import Boards, barred, board_of, boards, freeze, no_boards
from .deadlocks.learned import LearnedSets, holds_learned, learned_sets
from .deadlocks.tables import LARGEST, DeadSets, dead_sets, lost, no_dead_sets, with_picks
from .matching import Assignment, assignment, match, rematch
from .movable_objects import MovableObjects, find_movable_objects, no_movable_objects
from .object_arrays import places_in
from .patterns.databases import Patterns, additive_patterns, no_patterns, root_value
from .patterns.kernels import patterns_value
from .tunables import TUNABLES
from .tunnels import Tunnels, find_tunnels, no_tunnels
from .walks.potentials import WalkPotentials, first_function, no_walk_potentials, root_walk_value, walk_value
from .walks.sets import WalkSets, no_walk_sets

SIX, LOW_SIX = np.uint64(6), np.uint64(63)


class Estimate(NamedTuple):
    """All tables of a task's heuristics.

    `conflicts`: those of pairs; `triples`, `fours`, `fives`: those of larger sets, which take so long to look up that
    only A* does, at its expansions; `fours`, `fives` and `walk_sets` are found by A* when it has searched a while.
    `corrals`: 0 where corral pruning is not sound, else see `corrals.STRONG`; `learned` is filled by a search.
    `tunnels` are found only where corral pruning is sound.
    """

    objects: MovableObjects
    boards: Boards
    dead: DeadSets
    learned: LearnedSets
    conflicts: Conflicts
    triples: Conflicts
    fours: Conflicts
    fives: Conflicts
    patterns: Patterns
    walks: WalkPotentials
    walk_sets: WalkSets
    corrals: int
    tunnels: Tunnels


class Look(NamedTuple):
    """What was computed of the state that is being expanded, and scratch for its successors.

    `at` (count): the places of its objects; `occupied` (P): the same; `frozen` (P): those that are frozen; `before`:
    their assignment on the board with these as walls; `empty`: the one on the empty board, filled where that is another
    board and conflicts are known. `standing`, `after`: the same for the successor that is looked at. `taken` (count),
    `chosen`: scratch of `conflicts_of` and `lost`.
    """

    at: Longs
    occupied: Bytes
    frozen: Bytes
    before: Assignment
    empty: Assignment
    standing: Bytes
    after: Assignment
    taken: Bytes
    chosen: Longs


def prepare_estimate(
    task: Task, packed: BitsetTask, budget: Budget, on_bound: Callable[[int], object] = lambda bound: None
) -> Estimate:
    """Find and fill the tables. Objects of groups of one, without a walker, are left to the patterns.

    What is cheap comes first: `on_bound` gets a lower bound from the initial state, as a key of its cost, before the
    tables are filled that take long on a large board.
    """
    patterns, dead, conflicts = no_patterns(task), no_dead_sets(), no_conflicts()
    if task.walker is None:
        on_bound(root_value(task))
        patterns = additive_patterns(task, TUNABLES.pattern_entries, budget)
    objects = find_movable_objects(task)
    if task.walker is None and objects.count == len(objects.meets) == _singles(task, objects):
        objects = no_movable_objects(packed)
    made, corrals = boards(packed, objects), pushes_only(task, objects)
    estimate = Estimate(
        objects=objects,
        boards=made,
        dead=dead,
        learned=learned_sets(len(objects.mask), len(objects.fact), len(packed.free_bit) if objects.sides > 1 else 0),
        conflicts=conflicts,
        triples=conflicts,
        fours=conflicts,
        fives=conflicts,
        patterns=patterns,
        walks=no_walk_potentials(),
        walk_sets=no_walk_sets(),
        corrals=STRONG if corrals else 0,
        tunnels=find_tunnels(task, packed, objects) if corrals else no_tunnels(packed),
    )
    on_bound(_root_value(packed, estimate))
    if task.walker is not None and task.walker.cost[0]:
        estimate = estimate._replace(walks=first_function(task, packed, objects, made, budget))
        on_bound(_root_value(packed, estimate))
    if not made.freezes:
        return estimate
    dead = with_picks(dead_sets(packed, objects, made.useful, budget), objects.count)
    if estimate.walks.known[0]:
        return estimate._replace(dead=dead)  # then conflicts, of pushes alone, hardly change what is expanded
    pairs = find_conflicts(packed, objects, made, 2, budget)
    triples = find_conflicts(packed, objects, made, 3, budget, fewer=pairs)
    return estimate._replace(dead=dead, conflicts=pairs, triples=triples)


def _root_value(packed: BitsetTask, estimate: Estimate) -> int:
    """A bound from the initial state, as if nothing were frozen in it; -1 for a dead end."""
    objects, boards, row = estimate.objects, estimate.boards, np.zeros(packed.row, np.uint64)
    row[: packed.words] = packed.init
    matched = 0
    if objects.rows:
        work = assignment(objects.rows)
        facts = objects.fact.astype(np.uint64)
        (at,) = np.nonzero(row[facts >> SIX] >> (facts & LOW_SIX) & ONE)
        nodes, spare = len(objects.fact) * objects.sides, np.arange(objects.rows - len(at))
        sides = boards.side[0, at, packed.start] if objects.sides > 1 else 0
        work.where[:] = np.concatenate((at * objects.sides + sides, nodes + spare))  # as `aim` writes them
        matched = match(boards.dist[0], work)
        if estimate.walks.unit:
            matched = matched if matched < 0 else max(matched, root_walk_value(estimate.walks, at, packed.start))
    other = patterns_value(estimate.patterns, row)
    return int(min(matched, other) if min(matched, other) < 0 else max(matched, other))


def no_estimate(task: Task, packed: BitsetTask) -> Estimate:
    """The estimate that is 0 everywhere, of the same types."""
    objects = no_movable_objects(packed)
    return Estimate(
        objects=objects,
        boards=no_boards(packed, objects),
        dead=no_dead_sets(),
        learned=learned_sets(len(objects.mask), len(objects.fact), 0),
        conflicts=no_conflicts(),
        triples=no_conflicts(),
        fours=no_conflicts(),
        fives=no_conflicts(),
        patterns=no_patterns(task),
        walks=no_walk_potentials(),
        walk_sets=no_walk_sets(),
        corrals=0,
        tunnels=no_tunnels(packed),
    )


def _singles(task: Task, objects: MovableObjects) -> int:
    """How many of the objects are the only ones of their groups."""
    facts = set(objects.fact.tolist())
    return sum(1 for group in task.groups if group.count == 1 and facts.issuperset(group.facts))


def look(objects: MovableObjects) -> Look:
    """Scratch for states with these objects."""
    places = len(objects.fact)
    return Look(
        at=np.zeros(objects.count, np.int64),
        occupied=np.zeros(places, np.uint8),
        frozen=np.zeros(places, np.uint8),
        before=assignment(objects.rows),
        empty=assignment(objects.rows),
        standing=np.zeros(places, np.uint8),
        after=assignment(objects.rows),
        taken=np.zeros(objects.count, np.uint8),
        chosen=np.zeros(2 * LARGEST + objects.count, np.int64),
    )


@njit(inner=True)
def aim(objects: MovableObjects, side: Bytes, at: Longs, cell: Int, where: Longs) -> None:
    """Write the rows of the distance table for objects at places `at`, the walker being in `cell`; then the spare rows.

    `side` (P, K): see `distances.project`.
    """
    sides, n = objects.sides, len(at)
    for i in range(n):
        where[i] = at[i] * sides + (side[at[i], cell] if sides > 1 else 0)
    for i in range(n, len(where)):
        where[i] = len(objects.fact) * sides + i - n


@njit(inner=True)
def survey(estimate: Estimate, look: Look, row: Words, cell: Int) -> int:
    """Look at a state, the walker being in `cell` (0 without one): its board, -1 for a dead end, or `WANTED`.

    Leaves its objects and their assignment in `look`.
    """
    objects, boards, before = estimate.objects, estimate.boards, look.before
    at, occupied = look.at, look.occupied
    for place in range(len(occupied)):
        occupied[place] = 0
    for i in range(places_in(objects, row, at)):
        occupied[at[i]] = 1
    board = 0
    if boards.freezes:
        if not freeze(objects, boards.useful, at, look.frozen):
            return -1
        board = board_of(boards, look.frozen)
        if board < 0:
            return board
    if objects.rows:
        aim(objects, boards.side[board], at, cell, before.where)
        if rematch(boards.dist[board], before, before, False) < 0:
            return -1
        if board and estimate.conflicts.unit:
            aim(objects, boards.side[0], at, cell, look.empty.where)
            rematch(boards.dist[0], look.empty, look.empty, False)
    return board


def bound_of(estimate: Estimate, look: Look, board: int, row: Words) -> int:
    """The lower bound of the state that `survey` has looked at, or -1 for a dead end."""
    matched = estimate.boards.dist[board, look.before.where, look.before.column].sum()
    other = patterns_value(estimate.patterns, row)
    if estimate.walks.unit:
        matched = max(matched, root_walk_value(estimate.walks, look.at, int(row[-1])))
    return int(other if other < 0 else max(matched, other))


@njit(inner=True)
def value_after(estimate: Estimate, look: Look, board: int, before: Int, after: Int, row: Words, cell: Int) -> int:
    """The lower bound of a successor, `row`, of the state surveyed; -1 for a dead end, or `WANTED`.

    An object went from place `before` to place `after` (-1: none did), the walker is in `cell`.
    """
    at, occupied = look.at, look.occupied
    moved = long(-1)
    if before >= 0:
        moved = long(0)
        while at[moved] != before:
            moved += 1
        at[moved] = after
        occupied[before], occupied[after] = 0, 1
    value = _value(estimate, look, board, moved, row, cell)
    if before >= 0:
        at[moved] = before
        occupied[after], occupied[before] = 0, 1
    return value


@njit(inner=True)
def _value(estimate: Estimate, look: Look, board: int, moved: int, row: Words, cell: Int) -> int:
    """As `value_after`; `at` and `occupied` are those of the successor, in which object `moved` (-1: none) has moved.

    What is cheap and often enough comes first.
    """
    objects, boards, at, standing, after = estimate.objects, estimate.boards, look.at, look.standing, look.after
    # 1. Dead sets with the object that moved; without it there is none, as the parent had none.
    if moved >= 0 and lost(estimate.dead, at, moved, cell if objects.sides > 1 else 0, look.chosen):
        return -1
    if moved >= 0 and holds_learned(estimate.learned, row, at[moved], cell):
        return -1
    value = long(0)
    if objects.rows:
        # 2. Freeze deadlock; the board changes if the object that moved is frozen now.
        now = board
        if boards.freezes and moved >= 0 and barred(objects, boards.useful, look.occupied, at[moved]):
            if not freeze(objects, boards.useful, at, standing):
                return -1
            if standing[at[moved]]:
                now = board_of(boards, standing)
                if now < 0:
                    return now
        # 3. Conflicts. Let M(b) be the matching on board b, and C the conflicts, which are those of the empty board, 0.
        #    M(0) + C is a lower bound on every board, as frozen objects only take operators away; M(b) is one on b.
        #    The larger counts.
        extra = long(0)
        if estimate.conflicts.unit:
            extra = conflicts_of(estimate.conflicts, at, cell, look.taken)
            if extra < 0:
                return extra
        if now and extra:
            before = look.empty if board else look.before
            aim(objects, boards.side[0], at, cell, after.where)
            value = rematch(boards.dist[0], before, after, True) + extra
            if value < extra:
                return long(-1)
        # 4. The matching; on the same board from the parent's.
        aim(objects, boards.side[now], at, cell, after.where)
        matched = rematch(boards.dist[now], look.before, after, now == board)
        if matched < 0:
            return matched
        value = max(value, matched if now else matched + extra)
    # 5. Walks and pushes together.
    if estimate.walks.unit:
        value = max(value, walk_value(estimate.walks, at, cell))
    # 6. Patterns.
    other = patterns_value(estimate.patterns, row)
    return other if other < 0 or other > value else value
