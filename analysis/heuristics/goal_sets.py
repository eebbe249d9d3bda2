"""What sets of objects cost that the goal wants together: databases of them, in the cheapest partition.

Some goals name no place. They say that of certain places all are filled or none, and that in several parts of the
board: here a *goal set* is three places of one cell, and any cell may be the one.

    goal    small[c] == medium[c] == large[c], for each cell c
    sets    {small c1, medium c1, large c1}, {small c2, medium c2, large c2}, ...

In a goal state n interchangeable objects are n / k goal sets of k places each. A backward search from all goal sets,
over k objects and the walker with all others off the board, finds for each k places the least number of operators that
make them a goal set (a pattern database: Culberson and Schaeffer, *Pattern databases*, 1998; the search is that of
`analysis.box_conflicts`). In a plan, objects that end as a goal set cost at least that, and no operator moves objects
of two sets. Which objects end together is not known, so the bound is the cheapest partition:

    h  =  min over partitions of the objects into sets of k   of the sum of what each set costs

If each partition has a set that cannot become a goal set, the state is a dead end.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...models.task import ExactlyInvariant, GroupKind, OperatorTask
from ...runtime.arrays import Bytes, Int, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..box_conflicts import LARGEST, LOST, fill_excess, pulls
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..movable_objects import MovableObjects, movable_group, no_movable_objects, places_in
from ..transition_graphs import false_at_goal

# The most entries of a table (sets of places times the walker's cells), a byte each.
MOST_ENTRIES = 500_000_000

# The most objects: the sets of them that are joined so far are bits of a number.
MOST_OBJECTS = 12

# More than any sum of what sets cost.
TOO_MUCH = 1 << 40


class GoalSets(NamedTuple):
    """`cost` (sets, K): what sets of `size` places cost, in operators of which each costs `unit`, for each of the
    walker's cells; `choose` as in `box_conflicts.Pulls`.

    `member` (T, size): the sets of objects, by the lowest one, those of object i from `first[i]` on; `joined` (T): the
    same as bits. Scratch: `at` (count): where the objects are, `least` (1 << count): of the cheapest partition of the
    objects in a set, as bits.
    """

    size: int
    unit: int
    objects: MovableObjects
    cost: Bytes
    choose: Longs
    member: Longs
    joined: Longs
    first: Longs
    at: Longs
    least: Longs


def goal_sets(task: OperatorTask, group: ExactlyInvariant, false: Set[int]) -> list[list[int]]:
    """The facts of a group that may be true in a goal state, in sets: of each all are true in it, or none. `false`: the
    facts that are false in every goal state.

    `not a or b` and `not b or a` are clauses of the goal: a and b are in one set.
    """
    follows = set[tuple[int, int]]()
    opposite = {g.facts[i]: g.facts[1 - i] for g in task.groups if len(g.facts) == 2 and g.count == 1 for i in (0, 1)}
    for clause in task.goal:
        if len(clause) == 2:
            follows |= {(opposite.get(a, -1), b) for a, b in (clause, clause[::-1])}
    while more := {a for a, b in follows if b in false} - false:
        false = false | more
    whole = {fact: [fact] for fact in group.facts if fact not in false}
    for a, b in follows:
        if {a, b} <= whole.keys() and (b, a) in follows and whole[a] is not whole[b]:
            whole[a] += whole[b]
            for fact in whole[b]:
                whole[fact] = whole[a]
    return sorted({min(each): sorted(each) for each in whole.values()}.values())


def _empty(task: OperatorTask, packed: BitsetTask) -> GoalSets:
    none = np.zeros(1, np.int64)
    objects, two = no_movable_objects(task, packed), np.zeros((1, 1), np.int64)
    return GoalSets(0, 0, objects, np.zeros((1, 1), np.uint8), two, two, none, none, none, none)


def _prepare(given: Preparation) -> GoalSets:
    task, packed = given.task, given.packed
    if task.walker is None or task.compound_moves:
        return _empty(task, packed)
    several = [(n, group) for n, group in enumerate(task.groups) if group.kind is GroupKind.OBJECT and group.count > 1]
    false = false_at_goal(task) if several else set()
    for number, group in several:
        sets = goal_sets(task, group, false)
        size = len(sets[0]) if sets else 0
        if not 1 < size <= LARGEST or {len(each) for each in sets} != {size} or group.count % size:
            continue
        objects = movable_group(task, packed, number)
        costs = {int(packed.cost[o]) for o in range(len(objects.moves)) if objects.moves[o, 0] >= 0}
        entries = comb(len(group.facts), size) * len(packed.free_bit)
        few = group.count <= MOST_OBJECTS and entries <= MOST_ENTRIES
        if not few or len(costs) != 1 or not given.budget.fits(2 * entries):
            continue
        # The group's facts are places in their order.
        place = {fact: p for p, fact in enumerate(group.facts)}
        ends = np.array([[place[fact] for fact in each] for each in sets], np.int64)
        moves = pulls(packed, objects, np.ones(len(objects.moves), np.uint8))
        cost = np.full((comb(len(group.facts), size), moves.cells), LOST, np.uint8)
        if fill_excess(moves, np.ones(len(objects.moves), np.int64), cost, ends, given.budget):
            member = np.array([*combinations(range(group.count), size)], np.int64)
            first = np.searchsorted(member[:, 0], np.arange(group.count + 1))
            at, least = np.zeros(group.count, np.int64), np.zeros(1 << group.count, np.int64)
            joined = (1 << member).sum(1)
            return GoalSets(size, min(costs), objects, cost, moves.choose, member, joined, first, at, least)
    return _empty(task, packed)


@njit(inner=True)
def cheapest_partition(sets: GoalSets, row: Words, cell: Int) -> int:
    """The least sum of what the sets of a partition of a state's objects cost; -1 if there is no partition, 0 if no
    goal sets are known.
    """
    if not sets.size:
        return long(0)
    at, least, first, last = sets.at, sets.least, sets.first, len(sets.least) - 1
    places_in(sets.objects, row, at)
    for joined in range(1, last + 1):
        least[joined] = TOO_MUCH
    # The lowest object that is in no set yet is in the next one, so each partition is met once.
    for joined in range(last):
        if least[joined] == TOO_MUCH:
            continue
        lowest = 0
        while joined >> lowest & 1:
            lowest += 1
        for i in range(first[lowest], first[lowest + 1]):
            if sets.joined[i] & joined:
                continue
            number = long(0)
            for j in range(sets.size):
                number += sets.choose[at[sets.member[i, j]], j + 1]
            cost = long(sets.cost[number, cell])
            more = joined | sets.joined[i]
            if cost != LOST and least[joined] + cost < least[more]:
                least[more] = least[joined] + cost
    return least[last] * sets.unit if least[last] < TOO_MUCH else long(-1)


@njit(inner=True)
def _after(sets: GoalSets, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = cheapest_partition(sets, child.row, child.cell)
    return value


HEURISTIC = Heuristic(
    sentence="what sets of objects cost that the goal wants together, in the cheapest partition",
    role=Role.BOUND,
    rank=15,
    prepare=_prepare,
    empty=_empty,
    words=lambda sets: f"goal sets of {sets.size}" if sets.size else "",
    after=_after,
)
