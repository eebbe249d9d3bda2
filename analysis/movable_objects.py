"""Things that move one at a time, found from a task's groups, and what the goal asks of them.

A *thing* is what a group counts (a box, a block, a tile); its facts are *places*. An operator moves at most one
thing, from place to place, and other things *bar* it where they exclude what it requires. The goal is *columns* to
fill, each with a thing of its own at one of some places.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import Group, Task
from ..runtime.arrays import bit_rows, to_csr
from .bitset_task import BitsetTask, Ints, Words
from .distances import INFINITE, distances
from .variables import ends_of, excluded_by, never_at_goal

MAX_COLUMNS = 64
"""Where more places than this satisfy the goal, they are one column each thing may use."""


class MovableObjects(NamedTuple):
    """The things of P places in a task with F facts and N operators; C columns (goal places) to fill.

    `place` (F): the place that a fact is, or -1; `fact` (P) its inverse; `mask` (W) the bits of all places; `count`:
    how many things there are; `rows`: with the spare ones, as many as columns. `moves` (N, 2): places before and
    after each operator, or -1. `leaving`, `arriving`: operators by place before and after, as offsets and numbers.
    `bars`: for each operator the places where another thing bars it; `covers`: for each place the walker's cells
    that a thing there makes impassable. `walkable` (K): whether a cell can ever be walked on. `target` (P): whether
    a thing there may satisfy the goal. `meets` (C, P): whether a thing at a place fills a column. `spare` (rows -
    count, C): the costs of spare rows: 0 or `INFINITE`. `cost` (N): of each operator. `sides`: how many sides of a
    place are told apart.
    """

    place: Ints
    fact: Ints
    mask: Words
    count: int  # type: ignore[assignment]
    rows: int
    moves: Ints
    leaving_first: Ints
    leaving: Ints
    arriving_first: Ints
    arriving: Ints
    bars_first: Ints
    bars: Ints
    covers_first: Ints
    covers: Ints
    walkable: NDArray[np.uint8]
    target: NDArray[np.uint8]
    meets: NDArray[np.uint8]
    spare: NDArray[np.int64]
    cost: NDArray[np.int64]
    sides: int


class Columns(NamedTuple):
    """What the goal asks of a group: places that may be occupied in a goal state, and the columns to fill."""

    allowed: frozenset[int]
    columns: tuple[frozenset[int], ...]
    spare: int


def find_movable_objects(task: Task, packed: BitsetTask) -> MovableObjects:
    """The things of a task: of the sets of groups of which no operator moves two at once, one with a high bound."""
    exclusive = [excluded_by(task, fact) for fact in range(len(task.facts))]
    never = never_at_goal(task)
    touching = _touching(task)
    movable = {g: _columns(task, task.groups[g], never) for g in touching if _moves_singly(task, g, touching[g])}
    alone = {
        g: _things(task, packed, [g], movable, exclusive, touching)
        for g in movable
        if _informative(task, g, movable[g]) and (task.walker or _unmet(task, movable[g]))
    }
    value = {g: _rough_value(task, packed, things) for g, things in alone.items()}
    useful = [g for g in alone if value[g] > 0]
    pushed = [g for g in alone if alone[g].sides > 1]
    if pushed:  # what the walker moves, and nothing else
        return alone[pushed[0]]
    orders: list[list[int]] = [
        sorted(useful, key=lambda g: (-value[g], g)),
        sorted(useful, key=lambda g: (len(touching[g]), g)),
        sorted(useful, key=lambda g: (-len(task.groups[g].facts), g)),
    ]
    best = max((_compatible(order, task, touching) for order in orders), key=lambda gs: sum(value[g] for g in gs))
    return _things(task, packed, best, movable, exclusive, touching)


def no_things(packed: BitsetTask) -> MovableObjects:
    """No things at all: their bound is 0."""
    none = np.zeros(0, np.int32)
    facts, operators = 64 * packed.words, len(packed.pre)
    lists = (np.zeros(1, np.int32), none, np.zeros(1, np.int32), none, np.zeros(operators + 1, np.int32), none)
    return MovableObjects(
        np.full(facts, -1, np.int32),
        none,
        np.zeros(packed.words, np.uint64),
        0,
        0,
        np.full((operators, 2), -1, np.int32),
        *lists,
        np.zeros(1, np.int32),
        none,
        np.ones(len(packed.free_bit), np.uint8),
        np.zeros(0, np.uint8),
        np.zeros((0, 0), np.uint8),
        np.zeros((0, 0), np.int64),
        packed.cost,
        1,
    )


def _touching(task: Task) -> dict[int, set[int]]:
    """For each group that operators change: which."""
    touching: dict[int, set[int]] = {}
    for number, op in enumerate(task.operators):
        for fact in (*op.add, *op.delete):
            for g in task.groups_of[fact]:
                touching.setdefault(g, set()).add(number)
    return touching


def _moves_singly(task: Task, g: int, touching: set[int]) -> bool:
    facts = set(task.groups[g].facts)
    return all(len(facts.intersection(task.operators[o].delete)) <= 1 for o in touching)


def _columns(task: Task, group: Group, never: Set[int]) -> Columns:
    allowed, required = ends_of(task, group, never)
    if required:
        rest = group.count - len(required)
        return Columns(allowed, (*required, *[allowed] * rest), max(0, -rest))
    if group.count <= len(allowed) <= MAX_COLUMNS:
        return Columns(allowed, tuple(frozenset((p,)) for p in sorted(allowed)), len(allowed) - group.count)
    return Columns(allowed, (allowed,) * group.count, 0)


def _informative(task: Task, g: int, columns: Columns) -> bool:
    return not columns.allowed.issuperset(task.groups[g].facts) or any(
        not column.issuperset(task.groups[g].facts) for column in columns.columns
    )


def _unmet(task: Task, columns: Columns) -> bool:
    """Whether some column is empty in the initial state; else the group has no value, unless a walker has to come."""
    return not columns.spare and not all(column.intersection(task.init) for column in columns.columns)


def _compatible(order: Sequence[int], task: Task, touching: dict[int, set[int]]) -> list[int]:
    """Groups in this order, without those that share a fact or an operator with one before."""
    chosen: list[int] = []
    facts: set[int] = set()
    operators: set[int] = set()
    for g in order:
        if facts.isdisjoint(task.groups[g].facts) and operators.isdisjoint(touching[g]):
            chosen.append(g)
            facts.update(task.groups[g].facts)
            operators.update(touching[g])
    return sorted(chosen)


def _rough_value(task: Task, packed: BitsetTask, things: MovableObjects) -> int:
    """A bound on the cost from the initial state: the sum over columns of the nearest thing's distance."""
    side, dist = distances(packed, things)
    init = [int(things.place[f]) for f in task.init if things.place[f] >= 0]
    rows = [p * things.sides + int(side[p, packed.start]) for p in init]
    rows += range(len(things.fact) * things.sides, len(dist))
    return int(sum(min(int(dist[row, c]) for row in rows) for c in range(things.rows)))


def _things(
    task: Task,
    packed: BitsetTask,
    chosen: list[int],
    wanted: dict[int, Columns],
    exclusive: list[set[int]],
    touching: dict[int, set[int]],
) -> MovableObjects:
    places = [fact for g in chosen for fact in task.groups[g].facts]
    number = {fact: p for p, fact in enumerate(places)}
    columns = [(g, column) for g in chosen for column in wanted[g].columns]
    target = np.zeros(len(places), np.uint8)
    for g in chosen:
        target[[number[f] for f in wanted[g].allowed]] = 1
    meets = np.zeros((len(columns), len(places)), np.uint8)
    for c, (_, column) in enumerate(columns):
        meets[c, [number[f] for f in column]] = 1
    spare = [[0 if owner == g else INFINITE for owner, _ in columns] for g in chosen for _ in range(wanted[g].spare)]
    count = sum(task.groups[g].count for g in chosen)
    moves = np.full((len(task.operators), 2), -1, np.int32)
    bars: list[list[int]] = [[] for _ in task.operators]
    leaving: list[list[int]] = [[] for _ in places]
    arriving: list[list[int]] = [[] for _ in places]
    for o in sorted(set[int]().union(*(touching[g] for g in chosen))):
        op = task.operators[o]
        before = next(number[f] for f in op.delete if f in number)
        after = next(number[f] for f in op.add if f in number)
        moves[o] = before, after
        leaving[before].append(o)
        arriving[after].append(o)
        excluded = {f for need in op.pre if need != places[before] for f in exclusive[need]} | set(op.add)
        bars[o] = sorted(number[f] for f in excluded if f in number and f != places[before])
    cells: dict[int, list[int]] = {}
    for cell, fact in enumerate(packed.free_bit.tolist()):
        cells.setdefault(fact, []).append(cell)
    covers = [sorted(c for f in exclusive[fact] & cells.keys() for c in cells[f]) for fact in places]
    walkable = np.ones(len(packed.free_bit), np.uint8)
    if len(walkable):
        possible = set(task.init).union(*(op.add for op in task.operators))
        walkable[:] = [f in possible for f in packed.free_bit.tolist()]
        walkable[packed.start] = 1
    things = MovableObjects(
        np.array([number.get(f, -1) for f in range(len(task.facts))], np.int32),
        np.array(places, np.int32),
        bit_rows([places], packed.words)[0],
        count,
        max(count, len(columns)),
        moves,
        *to_csr(leaving),
        *to_csr(arriving),
        *to_csr(bars),
        *to_csr(covers),
        walkable,
        target,
        meets,
        np.array(spare, np.int64).reshape(len(spare), len(columns)),
        packed.cost,
        1,
    )
    if not _sides_matter(task, things):
        return things
    return things._replace(sides=1 + max((len(ops) for ops in leaving), default=0))


def _sides_matter(task: Task, things: MovableObjects) -> bool:
    """Whether a walker cannot change sides but by walking: every operator leaves it next to where it was.

    An operator could carry the walker through a thing that it does not move; then all sides are one.
    """
    if task.walker is None or not len(things.fact):
        return False
    for o, op in enumerate(task.operators):
        assert op.walk is not None
        before, after = op.walk
        if things.moves[o, 0] < 0 or (before != after and after not in task.walker.neighbours[before]):
            return False
    return True
