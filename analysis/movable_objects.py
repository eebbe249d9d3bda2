"""Movable objects as arrays for compiled kernels, and what the goal asks of them: places, columns, what bars what.

From the groups of a task whose facts operators replace, some are chosen of which no operator changes two. Their true
facts are the *members*, which stand on *places*, the groups' facts numbered from 0. An operator moves at most one
member, from place to place, and others *bar* it where they exclude what it requires. The goal is *columns* to fill,
each with a member of its own at one of some places: then the cheapest assignment of members to columns is a lower bound
(`analysis.matching`).

Most of what is chosen is of kind `object`: boxes, tiles, vehicles. But a cell may tell more. If the target of a Rush
Hour board is one slide from its exit, and another vehicle stands there, then the vehicle alone needs one slide; the
exit cell needs two, from "covered by the other" to "free" to "covered by the target".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import ExactlyInvariant, GroupKind, OperatorTask
from ..runtime.arrays import Bytes, Ints, Longs, Words, bit_rows, to_csr
from ..runtime.bitops import long, trailing_zeros
from ..runtime.kernel_calls import njit
from .bitset_kernels import ONE
from .bitset_task import BitsetTask, to_bitset_task
from .structure import structure_of
from .transition_graphs import false_at_goal, goal_positions, nearest_first

# Where more places than this satisfy the goal, they are one column that each object may use.
MOST_PLACES = 64


class Columns(NamedTuple):
    """What the goal asks of a group: places that may be occupied in a goal state, and the columns to fill.

    `spare`: columns that stay empty, as there are more of them than members.
    """

    allowed: frozenset[int]
    columns: tuple[frozenset[int], ...]
    spare: int


def find_movable_objects(task: OperatorTask) -> MovableObjects:
    """Choose disjoint groups, each moved one member at a time, with the largest rough bound.

    Disjoint: no operator moves members of two, and no fact is in two, so that their bounds add. What a walker pushes is
    chosen alone.
    """
    return task.computed(_movable_objects)


def _movable_objects(task: OperatorTask) -> MovableObjects:
    candidates = _Candidates(task, to_bitset_task(task))
    informative = [g for g in candidates.columns if candidates.informative(g)]
    if task.walker is not None:
        for g in informative:
            if task.groups[g].kind is GroupKind.OBJECT and (alone := candidates.arrays([g])).sides > 1:
                return alone
    value = {g: candidates.rough_value(g) for g in informative}
    useful = [g for g in informative if value[g] > 0]
    # Which disjoint set has the largest sum is a hard question (weighted independent set): three greedy orders.
    orders: list[list[int]] = [
        sorted(useful, key=lambda g: (-value[g], g)),
        sorted(useful, key=lambda g: (len(candidates.moves[g]), g)),
        sorted(useful, key=lambda g: (-len(task.groups[g].facts), g)),
    ]
    chosen = [candidates.disjoint(order) for order in orders]
    return candidates.arrays(max(chosen, key=lambda groups: sum(value[g] for g in groups)))


def movable_group(task: OperatorTask, packed: BitsetTask, number: int) -> MovableObjects:
    """The arrays of one group, chosen whatever the goal asks of it; of no objects if an operator moves two of them."""
    candidates = _Candidates(task, packed)
    return candidates.arrays([number] if candidates.moves[number] else [])


def no_movable_objects(task: OperatorTask, packed: BitsetTask) -> MovableObjects:
    """The arrays of no objects: the bound is 0 in every state."""
    return _Candidates(task, packed).arrays([])


def _columns(group: ExactlyInvariant, allowed: frozenset[int], required: Sequence[frozenset[int]]) -> Columns:
    if required:
        rest = group.count - len(required)
        return Columns(allowed, (*required, *[allowed] * rest), max(0, -rest))
    if group.count <= len(allowed) <= MOST_PLACES:
        return Columns(allowed, tuple(frozenset((p,)) for p in sorted(allowed)), len(allowed) - group.count)
    return Columns(allowed, (allowed,) * group.count, 0)


class _Candidates:
    """The groups of a task whose members move one at a time, and what the arrays of any choice of them need; each part
    when it is first asked for.
    """

    def __init__(self, task: OperatorTask, packed: BitsetTask) -> None:
        self.task, self.packed, self.structure = task, packed, structure_of(task)

    @cached_property
    def moves(self) -> list[dict[int, tuple[int, int]]]:
        """For each group (before, after) by operator; nothing for a group of which one step may move two members: an
        operator, or a compound move of other objects (of a piece that goes on by two cells: two free cells).
        """
        operators, by_group = self.task.operators, []
        for moves in self.structure.transitions_by_group():
            once = {operator: (before, after) for operator, before, after in moves}
            own = all(operators[o].displacement in (None, ends) for o, ends in once.items())
            by_group.append(once if own and len(once) == len(moves) else {})
        return by_group

    @cached_property
    def exclusive(self) -> list[set[int]]:
        """For each fact those that it excludes."""
        return [self.structure.excluded_by(fact) for fact in range(len(self.task.facts))]

    @cached_property
    def columns(self) -> dict[int, Columns]:
        """What the goal asks of each candidate, by the number of its group."""
        false, columns = false_at_goal(self.task), {}
        for g, group in enumerate(self.task.groups):
            if self.moves[g]:
                goal = goal_positions(self.task, group.facts, group.count, false)
                columns[g] = _columns(group, goal.allowed, goal.clauses)
        return columns

    def informative(self, g: int) -> bool:
        """Whether the goal restricts a group, and a bound could be above 0: some column is empty in the initial
        state, unless a walker has to come.
        """
        columns, facts = self.columns[g], self.task.groups[g].facts
        restricted = not all(places.issuperset(facts) for places in (columns.allowed, *columns.columns))
        unmet = not columns.spare and not all(column.intersection(self.task.init) for column in columns.columns)
        return restricted and (self.task.walker is not None or unmet)

    def rough_value(self, g: int) -> int:
        """A bound on the cost from the initial state, where no walker matters: the sum over the columns of a group of
        the nearest member's distance. It is cheaper than the arrays: a board of a hundred tiles would need a hundred.
        """
        entered: dict[int, list[tuple[int, int]]] = {}
        costs = self.packed.cost
        for operator, (before, after) in self.moves[g].items():
            entered.setdefault(after, []).append((before, int(costs[operator])))
        members = set(self.task.init).intersection(self.task.groups[g].facts)
        spare = self.columns[g].spare > 0  # then each column may stay empty
        nearest = (
            0 if spare else next((cost for cost, fact in nearest_first(column, entered) if fact in members), INFINITE)
            for column in self.columns[g].columns
        )
        most = 1 if len(self.packed.displacement) else INFINITE  # a compound move may be as long as it likes
        return sum(min(cost, most) for cost in nearest)

    def disjoint(self, order: Sequence[int]) -> list[int]:
        """The groups in this order, leaving out each that shares a fact or an operator with an earlier one."""
        chosen: list[int] = []
        facts: set[int] = set()
        operators: set[int] = set()
        for g in order:
            if facts.isdisjoint(self.task.groups[g].facts) and operators.isdisjoint(self.moves[g]):
                chosen.append(g)
                facts.update(self.task.groups[g].facts)
                operators.update(self.moves[g])
        return sorted(chosen)

    def arrays(self, chosen: Sequence[int]) -> MovableObjects:
        """The arrays of the chosen groups."""
        places = [fact for g in chosen for fact in self.task.groups[g].facts]
        place = {fact: p for p, fact in enumerate(places)}
        count = sum(self.task.groups[g].count for g in chosen)
        moves, leaving, arriving, bars = self._operators(chosen, place)
        target, meets, spare = self._goal(chosen, place)
        covers, walkable = self._walker(places)
        objects = MovableObjects(
            place=np.array([place.get(f, -1) for f in range(len(self.task.facts))], np.int32),
            fact=np.array(places, np.int32),
            mask=bit_rows([places], self.packed.words)[0],
            count=count,
            rows=max(count, len(meets)),
            moves=moves,
            **_lists(leaving=leaving, arriving=arriving, bars=bars, covers=covers),
            walkable=walkable,
            target=target,
            meets=meets,
            spare=spare,
            cost=self.packed.cost,
            sides=1,
        )
        if not _sides_matter(self.task, objects):
            return objects
        return objects._replace(sides=1 + max((len(ops) for ops in leaving), default=0))

    def _operators(
        self, chosen: Sequence[int], place: Mapping[int, int]
    ) -> tuple[Ints, list[list[int]], list[list[int]], list[list[int]]]:
        """Fill the arrays `moves`, `leaving`, `arriving` and `bars` of `MovableObjects`."""
        operators = self.task.operators
        moves = np.full((len(operators), 2), -1, np.int32)
        leaving: list[list[int]] = [[] for _ in place]
        arriving: list[list[int]] = [[] for _ in place]
        bars: list[list[int]] = [[] for _ in operators]
        for o, (before, after) in sorted(item for g in chosen for item in self.moves[g].items()):
            moves[o] = place[before], place[after]
            leaving[place[before]].append(o)
            arriving[place[after]].append(o)
            op = operators[o]
            # Another member bars it where it excludes what the operator requires, or where this one arrives.
            excluded = {f for need in op.pre if need != before for f in self.exclusive[need]} | set(op.add)
            bars[o] = sorted(place[f] for f in excluded if f in place and f != before)
        return moves, leaving, arriving, bars

    def _goal(
        self, chosen: Sequence[int], place: Mapping[int, int]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.int64]]:
        """Fill `target`, `meets` and `spare` of `MovableObjects`. A spare row may fill the columns of its own group
        only.
        """
        columns = [(g, column) for g in chosen for column in self.columns[g].columns]
        target = np.zeros(len(place), np.uint8)
        for g in chosen:
            target[[place[f] for f in self.columns[g].allowed]] = 1
        meets = np.zeros((len(columns), len(place)), np.uint8)
        for c, (_, column) in enumerate(columns):
            meets[c, [place[f] for f in column]] = 1
        spare = [
            [0 if owner == g else INFINITE for owner, _ in columns]
            for g in chosen
            for _ in range(self.columns[g].spare)
        ]
        return target, meets, np.array(spare, np.int64).reshape(len(spare), len(columns))

    def _closed_by(self, fact: int, cells: Mapping[int, Sequence[int]]) -> set[int]:
        """The facts of free cells that are never true together with a fact: none is at the start, and each operator
        that makes one of the two true makes the other false, or asks for what excludes it.
        """
        leading = [self.task.operators[o] for o in self.adders.get(fact, ())]
        return {
            free
            for free in {f for op in leading for f in op.delete if f in cells}
            if not {fact, free} <= set(self.task.init) and self._apart(fact, free) and self._apart(free, fact)
        }

    def _apart(self, fact: int, other: int) -> bool:
        """Whether an operator that makes a fact true never leaves the other one true."""
        return all(
            other in op.delete or (other not in op.add and not self.exclusive[other].isdisjoint(op.pre))
            for op in (self.task.operators[o] for o in self.adders.get(fact, ()))
        )

    @cached_property
    def adders(self) -> dict[int, list[int]]:
        """For each fact the operators that make it true."""
        adders: dict[int, list[int]] = {}
        for o, op in enumerate(self.task.operators):
            for fact in op.add:
                adders.setdefault(fact, []).append(o)
        return adders

    def _walker(self, places: Sequence[int]) -> tuple[list[list[int]], NDArray[np.uint8]]:
        """Fill the arrays `covers` and `walkable` of `MovableObjects`."""
        cells: dict[int, list[int]] = {}
        for cell, fact in enumerate(self.packed.free_bit.tolist()):
            cells.setdefault(fact, []).append(cell)
        closed = [self.exclusive[fact] | self._closed_by(fact, cells) for fact in places]
        covers = [sorted(c for f in several & cells.keys() for c in cells[f]) for several in closed]
        walkable = np.ones(len(self.packed.free_bit), np.uint8)
        if len(walkable):
            possible = set(self.task.init).union(*(op.add for op in self.task.operators))
            walkable[:] = [f in possible for f in self.packed.free_bit.tolist()]
            walkable[self.packed.start] = 1
        return covers, walkable


def _lists(**lists: list[list[int]]) -> dict[str, Ints]:
    """Each list of lists as offsets and numbers: `leaving` as `leaving_first` and `leaving`."""
    arrays: dict[str, Ints] = {}
    for name, each in lists.items():
        arrays[f"{name}_first"], arrays[name] = to_csr(each)
    return arrays


def _sides_matter(task: OperatorTask, objects: MovableObjects) -> bool:
    """Whether a walker gets to another side of a member by walking only: operators leave it next to where it was.

    An operator could take the walker through a member that it does not move; then all sides are one.
    """
    if task.walker is None or not len(objects.fact):
        return False
    for o, op in enumerate(task.operators):
        assert op.walk is not None
        before, after = op.walk
        if objects.moves[o, 0] < 0 or (before != after and after not in task.walker.neighbours[before]):
            return False
    return True


# The movable objects of a task as named arrays for compiled kernels; `movable_objects` finds and fills them.

# The distance of a place that cannot be reached: more than any distance.
INFINITE = 1 << 60


class MovableObjects(NamedTuple):
    """The chosen groups of a task with F facts and N operators: P places, `count` members, C columns to fill.

    `place` (F): the place that a fact is, or -1; `fact` (P) its inverse; `mask` (W) the bits of all places; `rows`: the
    members and the spare ones, as many as columns. `moves` (N, 2): places before and after each operator, or -1.
    `leaving`, `arriving`: operators by place before and after, as offsets and numbers. `bars`: for each operator the
    places where another member bars it; `covers`: for each place the walker's cells that a member there makes
    impassable. `walkable` (K): whether a cell can ever be walked on. `target` (P): whether a member there may satisfy
    the goal. `meets` (C, P): whether a member at a place fills a column. `spare` (rows - count, C): the costs of spare
    rows: 0 or `INFINITE`. `cost` (N): of each operator. `sides`: how many sides of a place are distinguished.

    Example: Sokoban with two boxes and two goals has count = rows = C = 2 and a place for each cell that is not dead;
    `bars` of the operator "push R from r2c3" is the place r2c4, where another box would block it.
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
    walkable: Bytes
    target: Bytes
    meets: Bytes
    spare: Longs
    cost: Longs
    sides: int


@njit(inner=True)
def places_in(objects: MovableObjects, row: Words, at: Longs) -> int:
    """Write the places of the objects of a state to `at`, in the order of their facts; how many there are."""
    mask, place, count = objects.mask, objects.place, 0
    for w in range(len(mask)):
        bits = row[w] & mask[w]
        # One turn for each true fact of an object: `bits & (bits - 1)` takes the lowest bit away.
        while bits:
            at[count] = place[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            count += 1
    return long(count)
