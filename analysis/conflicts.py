"""Conflicts: what two objects cost more together than the sum of their distances says.

For two objects the exact cost to each pair of goal places, with all other objects off the board, comes from a backward
search. The least difference, over all pairs of goal places, from the cheapest way to share these two between them is
the *conflict* of the pair: it is paid whatever the assignment.

    #########     Alone, the upper box is two pushes from the upper goal (under the walker, +), the lower one a push
    #   $ + #     from the lower goal: the walker goes around it to its left side. Together they fence the left off. One
    #   $.  #     must be pushed to the left first, and back: seven pushes in all, a conflict of four.
    #  #    #
    #########

Conflicts of disjoint pairs add to the matching: every operator moves one object, so what a pair costs is counted once;
and where a plan's assignment is not the cheaper one within a pair, exchanging the two does not make the sum of
distances larger. So the sum stays a lower bound. This makes the linear conflicts of Junghanns and Schaeffer (*Sokoban:
enhancing general single-agent search methods using domain knowledge*, 2001; for sliding tiles: Hansson, Mayer and Yung
1992) exact and general. The best choice of pairs would be a maximum-weight matching; a greedy one is quicker.

The distances are those of the empty board, so conflicts do not add to a matching on a board with frozen objects.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Bytes, Int, Ints, Longs
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_cache import njit
from .bitset_task import BitsetTask
from .deadlocks.freeze import Boards
from .deadlocks.tables import Pulls, Sweep, flood, pulls, rank_of, sweep, undone, unrank
from .object_arrays import INFINITE, MovableObjects
from .tunables import TUNABLES

LOST = 255
"""The conflict of a pair from which the goal cannot be reached."""


class Conflicts(NamedTuple):
    """`extra` (pairs of places, K): the conflict of two objects, in operators, for each of the walker's cells.

    The number of a pair is p over 1 plus q over 2 (p < q), see `deadlocks.tables`. Each operator costs `unit`; if that
    is 0, nothing is known.
    """

    extra: Bytes
    unit: int


class Alone(NamedTuple):
    """What objects cost alone: `side` and `dist` as in `distances.project`, `column` (P) that a goal place fills."""

    side: Bytes
    dist: Longs
    sides: int
    column: Ints
    unit: int


class Frontier(NamedTuple):
    """A breadth-first search over pairs: `seen` (pairs, K), the number of the search that was last in a state; `queue`
    of (pair, cell, operators)."""

    seen: Ints
    queue: Ints


def no_conflicts() -> Conflicts:
    """Nothing is known."""
    return Conflicts(extra=np.zeros((0, 1), np.uint8), unit=0)


def find_conflicts(task: BitsetTask, objects: MovableObjects, boards: Boards, budget: Budget) -> Conflicts:
    """The conflicts of objects on the empty board, where each column is a place and all costs are equal.

    If the budget ends meanwhile, none.
    """
    places, cells = len(objects.fact), len(task.free_bit)
    costs = {int(objects.cost[o]) for o in range(len(objects.moves)) if objects.moves[o, 0] >= 0}
    goals = np.flatnonzero(objects.target).tolist()
    columns = [int(np.flatnonzero(row)[0]) for row in objects.meets if row.sum() == 1]
    pairs, ends = places * (places - 1) // 2, len(goals) * (len(goals) - 1) // 2
    if objects.sides == 1 or objects.count < 2 or len(costs) != 1 or sorted(columns) != goals:
        return no_conflicts()
    if min(costs) == 0 or len(columns) != len(objects.meets) or pairs * ends * cells > TUNABLES.conflict_work:
        return no_conflicts()
    column = np.zeros(places, np.int32)
    column[columns] = np.arange(len(columns))
    alone = Alone(side=boards.side[0], dist=boards.dist[0], sides=objects.sides, column=column, unit=min(costs))
    moves, scratch = pulls(task, objects, boards.useful), sweep(cells, 2)
    extra = np.full((pairs, cells), LOST, np.uint8)
    frontier = Frontier(seen=np.full(extra.shape, -1, np.int32), queue=np.empty((extra.size, 3), np.int32))
    for search, pair in enumerate(combinations(goals, 2)):
        if budget.stopped():
            return no_conflicts()
        _lower(moves, alone, frontier, np.array(pair, np.int64), search, extra, scratch)
    return Conflicts(extra=extra, unit=min(costs))


@njit(inner=True)
def conflicts_of(conflicts: Conflicts, at: Longs, cell: Int, taken: Bytes) -> int:
    """What conflicts of disjoint pairs of the objects at places `at` add, chosen greedily; -1: a lost pair.

    Takes all pairs of the largest conflict that are still disjoint, then those of the next smaller one, and so on.
    `taken` (as long as `at`, or longer) is scratch.
    """
    n, table = len(at), conflicts.extra
    most = long(0)
    for i in range(n):
        taken[i] = 0
        for j in range(i):
            p, q = (at[i], at[j]) if at[i] > at[j] else (at[j], at[i])
            extra = long(table[q + p * (p - 1) // 2, cell])
            if extra == LOST:
                return -1
            most = extra if extra > most else most
    total = long(0)
    while most > 0:
        below = long(0)
        for i in range(n):
            for j in range(i):
                if taken[i] or taken[j]:
                    continue
                p, q = (at[i], at[j]) if at[i] > at[j] else (at[j], at[i])
                extra = long(table[q + p * (p - 1) // 2, cell])
                if extra == most:
                    taken[i] = taken[j] = 1
                    total += extra
                elif extra < most:
                    below = extra if extra > below else below
        most = below
    return total * conflicts.unit


@njit(cache=True)
def _lower(
    moves: Pulls, alone: Alone, frontier: Frontier, goals: Longs, search: Int, extra: Bytes, scratch: Sweep
) -> None:
    """Lower `extra` to the difference for one pair of goal places, by a breadth-first search backward from there."""
    seen, queue = frontier.seen, frontier.queue
    arriving_first, arriving, walk = moves.arriving_first, moves.arriving, moves.walk
    places, before, stack = scratch.places, scratch.before, scratch.stack
    head, tail = 0, 0

    # 1. The goal places themselves, with each region of the walker: nothing to pay, nothing to pay more.
    places[0], places[1] = goals[0], goals[1]
    number = rank_of(moves.choose, places)
    for cell in range(moves.cells):
        if seen[number, cell] == search:
            continue
        count = flood(moves, places, cell, scratch.reached, stack)
        for i in range(count):
            seen[number, stack[i]] = search
            extra[number, stack[i]] = 0
        if count:
            queue[tail, 0], queue[tail, 1], queue[tail, 2] = number, cell, 0
            tail += 1

    # 2. Layer by layer: the pairs and regions from which one operator leads to a known one.
    while head < tail:
        unrank(moves.choose, long(queue[head, 0]), places)
        flood(moves, places, long(queue[head, 1]), scratch.beside, stack)
        far = long(queue[head, 2]) + 1
        head += 1
        for i in range(2):
            for k in range(arriving_first[places[i]], arriving_first[places[i] + 1]):
                o = long(arriving[k])
                number = undone(moves, o, i, scratch)
                there = long(walk[o, 0])
                if number < 0 or seen[number, there] == search:
                    continue
                count = flood(moves, before, there, scratch.reached, stack)
                for c in range(count):
                    cell = stack[c]
                    seen[number, cell] = search
                    more = far - _apart(alone, before, goals, cell) // alone.unit
                    if more < extra[number, cell] and more < LOST - 1:
                        extra[number, cell] = more
                    elif extra[number, cell] == LOST:
                        extra[number, cell] = LOST - 1
                if count:
                    queue[tail, 0], queue[tail, 1], queue[tail, 2] = number, there, far
                    tail += 1


@njit(inner=True)
def _apart(alone: Alone, places: Longs, goals: Longs, cell: Int) -> int:
    """The cheaper way to share two goal places between two objects, each as if it were alone."""
    side, dist = alone.side, alone.dist
    first, second = alone.column[goals[0]], alone.column[goals[1]]
    one = places[0] * alone.sides + side[places[0], cell]
    two = places[1] * alone.sides + side[places[1], cell]
    least = INFINITE
    if dist[one, first] < INFINITE and dist[two, second] < INFINITE:
        least = dist[one, first] + dist[two, second]
    if dist[one, second] < INFINITE and dist[two, first] < INFINITE:
        other = dist[one, second] + dist[two, first]
        least = other if other < least else least
    return least
