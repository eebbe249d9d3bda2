"""Conflicts: what two things cost more together than the sum of their distances says.

For two things the exact cost to each pair of goal places, with all other things off the board, comes from a backward
search. The least difference, over all pairs of goal places, from the cheapest way to share these two between them is a
*conflict*: it is paid whatever the assignment. Conflicts of disjoint pairs add to the matching, as every thing is
counted once; where a solution's assignment is not the cheaper one within a pair, exchanging the two does not make the
sum of distances larger. This makes the linear conflicts of Junghanns and Schaeffer (*Sokoban: enhancing general
single-agent search methods using domain knowledge*, 2001) exact and general.

The distances are those of the empty board, so conflicts do not add to a matching on a board with frozen things.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..runtime.budget import Budget
from ..runtime.kernel_cache import njit
from .bitset_task import BitsetTask
from .deadlocks.tables import flood, rank_of, unrank
from .distances import INFINITE
from .movable_objects import MovableObjects

MAX_WORK = 100_000_000
"""Conflicts are looked for where pairs of places, pairs of goals and cells multiply to at most this: some seconds."""

LOST = 255
"""The conflict of a pair from which the goal cannot be reached."""


class Conflicts(NamedTuple):
    """`extra` (pairs of places, K): the conflict of two things, in operators, for each of the walker's cells; the
    number of a pair is p over 1 plus q over 2 (p < q), see `dead_sets`. Each operator costs `unit`; if that is 0,
    nothing is known.
    """

    extra: NDArray[np.uint8]
    unit: int


def no_conflicts() -> Conflicts:
    """Nothing is known."""
    return Conflicts(np.zeros((0, 1), np.uint8), 0)


def find_conflicts(
    task: BitsetTask,
    things: MovableObjects,
    useful: NDArray[np.uint8],
    side: NDArray[np.uint8],
    dist: NDArray[np.int64],
    budget: Budget,
) -> Conflicts:
    """The conflicts of things on the empty board (`side`, `dist`), where each column is a place and costs are equal.

    If the budget ends meanwhile, none.
    """
    places, cells = len(things.fact), len(task.free_bit)
    costs = {int(things.cost[o]) for o in range(len(things.moves)) if things.moves[o, 0] >= 0}
    goals = np.flatnonzero(things.target).astype(np.int32)
    columns = [int(np.flatnonzero(row)[0]) for row in things.meets if row.sum() == 1]
    pairs, ends = places * (places - 1) // 2, len(goals) * (len(goals) - 1) // 2
    if things.sides == 1 or things.count < 2 or len(costs) != 1 or sorted(columns) != goals.tolist():
        return no_conflicts()
    if min(costs) == 0 or len(columns) != len(things.meets) or pairs * ends * cells > MAX_WORK:
        return no_conflicts()
    column = np.zeros(places, np.int32)
    column[columns] = np.arange(len(columns))
    choose = np.array([[1, p, p * (p - 1) // 2] for p in range(places + 1)], np.int64)
    extra = np.full((pairs, cells), LOST, np.uint8)
    seen = np.full(extra.shape, -1, np.int32)
    queue = np.empty((extra.size, 3), np.int32)
    for stamp, (a, b) in enumerate(combinations(goals.tolist(), 2)):
        if budget.stopped():
            return no_conflicts()
        _search(task, things, useful, side, dist, a, b, column, choose, min(costs), seen, stamp, queue, extra)
    return Conflicts(extra, min(costs))


@njit(cache=True)
def conflicts_of(conflicts: Any, at: Any, cell: int) -> Any:
    """What conflicts of disjoint pairs of the things at places `at` add, chosen greedily; -1: a lost pair."""
    n = len(at)
    taken = np.zeros(n, np.uint8)
    most = np.int64(0)
    for i in range(n):
        for j in range(i):
            p, q = max(at[i], at[j]), min(at[i], at[j])
            extra = conflicts.extra[q + p * (p - 1) // 2, cell]
            if extra == LOST:
                return np.int64(-1)
            most = max(most, np.int64(extra))
    total = np.int64(0)
    while most > 0:
        below = np.int64(0)
        for i in range(n):
            for j in range(i):
                if taken[i] or taken[j]:
                    continue
                p, q = max(at[i], at[j]), min(at[i], at[j])
                extra = np.int64(conflicts.extra[q + p * (p - 1) // 2, cell])
                if extra == most:
                    taken[i] = taken[j] = 1
                    total += extra
                elif extra < most:
                    below = max(below, extra)
        most = below
    return total * conflicts.unit


@njit(cache=True)
def _search(
    task: Any,
    things: Any,
    useful: Any,
    side: Any,
    dist: Any,
    goal: int,
    other_goal: int,
    column: Any,
    choose: Any,
    unit: int,
    seen: Any,
    stamp: int,
    queue: Any,
    extra: Any,
) -> None:
    """Lower `extra` to the difference for one pair of goal places, by a breadth-first search backward from there."""
    cells, sides = len(task.free_bit), things.sides
    reached = np.empty(cells, np.uint8)
    stack = np.empty(cells, np.int64)
    places = np.empty(2, np.int64)
    before = np.empty(2, np.int64)
    head, tail = 0, 0
    first, second = column[goal], column[other_goal]
    places[0], places[1] = goal, other_goal
    number = rank_of(choose, places, 2)
    for cell in range(cells):
        if seen[number, cell] == stamp:
            continue
        count = flood(task, things, places, 2, cell, reached, stack)
        for i in range(count):
            seen[number, stack[i]] = stamp
            extra[number, stack[i]] = 0
        if count:
            queue[tail, 0], queue[tail, 1], queue[tail, 2] = number, cell, 0
            tail += 1
    while head < tail:
        unrank(choose, queue[head, 0], 2, places)
        far = queue[head, 2] + 1
        flood(task, things, places, 2, queue[head, 1], reached, stack)
        head += 1
        beside = reached.copy()
        for i in range(2):
            other = places[1 - i]
            for k in range(things.arriving_first[places[i]], things.arriving_first[places[i] + 1]):
                o = things.arriving[k]
                start = things.moves[o, 0]
                if not useful[o] or beside[task.walk[o, 1]] != 1 or start == other:
                    continue
                free = True
                for j in range(things.bars_first[o], things.bars_first[o + 1]):
                    if things.bars[j] == other:
                        free = False
                if not free:
                    continue
                before[i], before[1 - i] = start, other
                number = rank_of(choose, before, 2)
                there = np.int64(task.walk[o, 0])
                if seen[number, there] == stamp:
                    continue
                count = flood(task, things, before, 2, there, reached, stack)
                p, q = before[0], before[1]
                for c in range(count):
                    cell = stack[c]
                    seen[number, cell] = stamp
                    one, two = p * sides + side[p, cell], q * sides + side[q, cell]
                    least = INFINITE
                    if dist[one, first] < INFINITE and dist[two, second] < INFINITE:
                        least = dist[one, first] + dist[two, second]
                    if dist[one, second] < INFINITE and dist[two, first] < INFINITE:
                        least = min(least, dist[one, second] + dist[two, first])
                    more = np.int64(far) - least // unit
                    extra[number, cell] = min(np.int64(extra[number, cell]), min(more, LOST - 1))
                if count:
                    queue[tail, 0], queue[tail, 1], queue[tail, 2] = number, there, far
                    tail += 1
