"""Conflicts: what two, three or four objects cost more together than their distances to any goals say.

    #########     Alone, the upper box is two pushes from the upper goal (under the walker, +), the lower one a push
    #   $ + #     from the lower goal: the walker goes around it to its left side. Together they fence the left off. One
    #   $.  #     must be pushed to the left first, and back: seven pushes in all, a conflict of four.
    #  #    #
    #########

Let dist(p, g) be the least cost that brings a lone object from place p to goal g, with the walker on the side where it
is. A push from p to q is paid with 1, and is worth dist(p, g) - dist(q, g) to an object that ends on g. The *excess* of
a push is the least that it is worth too little for, over all goals:

    w(push) = min over g of  1 + dist(q, g) - dist(p, g)        0 on some shortest way, 2 for a step aside or back

A backward search over sets of objects, with all others off the board, from all sets of goals, finds the least sum of
the excess of all pushes that bring a set to goals: its *conflict*. For three boxes in front of a door it is how far
they have to give way to each other.

Conflicts add to the matching. An object that ends on g is pushed dist(p, g) times and the excess of its pushes: the sum
over them of 1 + dist(q, g) - dist(p, g) is their number less dist(p, g), and each term is at least w. The pushes of a
set alone are a way of the set to goals, so their excess is at least its conflict, and disjoint sets share no push:

    pushes of a plan  >=  sum of dist(p, g) over its own assignment  +  conflicts  >=  matching  +  conflicts.

This makes the linear conflicts of Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods
using domain knowledge*, 2001; for sliding tiles: Hansson, Mayer and Yung 1992) exact and general; that distances of
several stones add as differences is as in Felner, Korf and Hanan, *Additive pattern database heuristics*, 2004. The
best choice of disjoint sets would be a maximum-weight packing; a greedy one is quicker.

The distances are those of the empty board, so conflicts do not add to a matching on a board with frozen objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Bytes, Int, Longs
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_cache import njit
from .bitset_task import BitsetTask
from .deadlocks.freeze import Boards
from .deadlocks.tables import LARGEST, Pulls, Sweep, flood, pulls, rank_of, sweep, undone, unrank
from .object_arrays import INFINITE, MovableObjects
from .tunables import TUNABLES

LOST = 255
"""The conflict of a set from which the goal cannot be reached."""

MOST = 60
"""The largest conflict that is told apart; more counts as that."""


class Conflicts(NamedTuple):
    """`extra` (sets, K): the conflict of sets of `size` objects, in operators, for each of the walker's cells.

    A set's number: see `deadlocks.tables`, `choose` as there. Each operator costs `unit`; if that is 0, nothing is
    known.
    """

    size: int
    extra: Bytes
    choose: Longs
    unit: int


class Waiting(NamedTuple):
    """Sets to be looked at, by excess. `entry` (E, 2): a set and a cell; `after` (E): the entry below, -1 for none;
    `top` (MOST + 1): the entry on top for each excess, -1 for none; `used` (1): how many entries there are.
    """

    entry: Longs
    after: Longs
    top: Longs
    used: Longs


def no_conflicts() -> Conflicts:
    """Nothing is known."""
    return Conflicts(size=0, extra=np.zeros((0, 1), np.uint8), choose=np.zeros((1, LARGEST + 1), np.int64), unit=0)


def affordable(task: BitsetTask, objects: MovableObjects, size: int, budget: Budget) -> bool:
    """Whether the conflicts of so many objects are worth their table, and looking up all sets of a state."""
    entries = comb(len(objects.fact), size) * len(task.free_bit)
    few = entries <= TUNABLES.conflict_entries and comb(objects.count, size) <= TUNABLES.conflict_lookups
    return few and budget.fits(2 * entries)


def worth_while_after(task: BitsetTask, objects: MovableObjects, size: int) -> int:
    """The expansions after which conflicts of so many objects are worth their search: it takes about as long as they.

    So no search takes more than twice as long as without them (as one buys skis when their hire has cost as much).
    """
    return comb(len(objects.fact), size) * len(task.free_bit) // TUNABLES.conflict_patience


def find_conflicts(task: BitsetTask, objects: MovableObjects, boards: Boards, size: int, budget: Budget) -> Conflicts:
    """The conflicts of `size` objects on the empty board, where a walker moves them at equal costs.

    None, if they are not affordable, or if the budget ends meanwhile.
    """
    costs = {int(objects.cost[o]) for o in range(len(objects.moves)) if objects.moves[o, 0] >= 0}
    goals = np.flatnonzero(objects.target).tolist()
    columns = [int(np.flatnonzero(row)[0]) for row in objects.meets if row.sum() == 1]
    if objects.sides == 1 or len(costs) != 1 or min(costs) == 0 or not affordable(task, objects, size, budget):
        return no_conflicts()
    if objects.count < size or sorted(columns) != goals or len(columns) != len(objects.meets):
        return no_conflicts()
    moves, (unit,) = pulls(task, objects, boards.useful), costs
    weight = _weights(task, objects, boards, unit)
    extra = np.full((comb(len(objects.fact), size), moves.cells), LOST, np.uint8)
    ends = np.array(list(combinations(goals, size)), np.int64).reshape(-1, size)
    room = max(moves.cells, size * int(np.diff(moves.arriving_first).max(initial=0)))
    waiting, scratch = _waiting(1024 + 2 * room), sweep(moves.cells, size)
    done, level = 0, 0
    while done < len(ends) or level <= MOST:
        if budget.stopped():
            return no_conflicts()
        if done < len(ends):
            done = _enter_goals(moves, ends, done, extra, waiting, room, scratch)
        else:
            level = _spread(moves, weight, extra, waiting, level, room, scratch, TUNABLES.dead_set_quota)
        if waiting.used[0] + room > len(waiting.entry):
            longer = _waiting(2 * len(waiting.entry))
            for new, old in zip(longer, waiting, strict=True):
                new[: len(old)] = old
            waiting = longer
    return Conflicts(size=size, extra=extra, choose=moves.choose, unit=unit)


def _waiting(room: int) -> Waiting:
    """Nothing waits yet."""
    return Waiting(
        entry=np.zeros((room, 2), np.int64),
        after=np.full(room, -1, np.int64),
        top=np.full(MOST + 1, -1, np.int64),
        used=np.zeros(1, np.int64),
    )


def _weights(task: BitsetTask, objects: MovableObjects, boards: Boards, unit: int) -> Longs:
    """(N): the excess w of each operator, in operators; that of one which leads nowhere does not matter."""
    side, dist = boards.side[0], boards.dist[0]
    weight = np.zeros(len(objects.moves), np.int64)
    for o, (before, after) in enumerate(objects.moves.tolist()):
        if before >= 0 and boards.useful[o]:
            start = before * objects.sides + int(side[before, task.walk[o, 0]])
            end = after * objects.sides + int(side[after, task.walk[o, 1]])
            known = dist[end] < INFINITE
            weight[o] = 1 + (dist[end, known] - dist[start, known]).min() // unit
    return weight


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


class Choice(NamedTuple):
    """Scratch of `larger_conflicts_of`, for S sets: `extra`, `members` (S) of those in conflict, `at` (objects)."""

    extra: Longs
    members: Longs
    at: Longs


def choice_for(conflicts: Sequence[Conflicts], objects: int) -> Choice:
    """Scratch for choosing among the sets of so many objects in tables."""
    sets = sum(comb(objects, table.size) for table in conflicts if table.size)
    return Choice(np.zeros(sets, np.int64), np.zeros(sets, np.int64), np.zeros(objects, np.int64))


@njit(inner=True)
def larger_conflicts_of(
    pairs: Conflicts, triples: Conflicts, fours: Conflicts, at: Longs, cell: Int, choice: Choice
) -> int:
    """What conflicts of disjoint sets of the objects at places `at` add, in operators; -1: a lost set.

    1. The places in ascending order, and all sets that have a conflict: pairs first, then triples, then fours.
    2. The sets of the largest conflict that are still disjoint, then those of the next smaller one, and so on. Of equal
       ones the smaller sets come first.
    """
    place, choose, n = choice.at, triples.choose, len(at)
    for i in range(n):
        last = i
        while last > 0 and place[last - 1] > at[i]:
            place[last] = place[last - 1]
            last -= 1
        place[last] = at[i]
    count, most = long(0), long(0)
    for table in (pairs, triples, fours):
        size = table.size
        for j in range(n if size else 0):
            for i in range(j):
                # {i < j} is a pair; {i, j < k} a triple; {i, j, k < m} four
                two, both = place[i] + choose[place[j], 2], (1 << i) | (1 << j)
                for k in range(j + 1 if size > 2 else n - 1, n):
                    three = two + choose[place[k], 3] if size > 2 else two
                    for m in range(k + 1 if size > 3 else n - 1, n):
                        number = three + choose[place[m], 4] if size > 3 else three
                        extra = long(table.extra[number, cell])
                        if extra == LOST:
                            return -1
                        if extra:
                            members = both | (1 << k if size > 2 else 0) | (1 << m if size > 3 else 0)
                            choice.extra[count], choice.members[count] = extra, members
                            count += 1
                            most = extra if extra > most else most
    total, taken = long(0), long(0)
    while most > 0:
        below = long(0)
        for which in range(count):
            if choice.members[which] & taken == 0:
                extra = choice.extra[which]
                if extra == most:
                    taken |= choice.members[which]
                    total += extra
                elif extra < most:
                    below = extra if extra > below else below
        most = below
    return total


@njit(inner=True)
def _wait(waiting: Waiting, number: Int, cell: Int, excess: Int) -> None:
    """Put a set with a cell of the walker on top of those of its excess."""
    which = waiting.used[0]
    waiting.entry[which, 0], waiting.entry[which, 1] = number, cell
    waiting.after[which] = waiting.top[excess]
    waiting.top[excess] = which
    waiting.used[0] = which + 1


@njit(cache=True)
def _enter_goals(
    moves: Pulls, ends: Longs, done: int, extra: Bytes, waiting: Waiting, room: Int, scratch: Sweep
) -> int:
    """Give sets of goal places from row `done` on the excess 0, with each of the walker's regions; gives `done`."""
    places, stack = scratch.places, scratch.stack
    while done < len(ends) and waiting.used[0] + room <= len(waiting.entry):
        for i in range(len(places)):
            places[i] = ends[done, i]
        done += 1
        number = rank_of(moves.choose, places)
        for cell in range(moves.cells):
            if extra[number, cell] == 0:
                continue
            count = flood(moves, places, cell, scratch.reached, stack)
            for i in range(count):
                extra[number, stack[i]] = 0
            if count:
                _wait(waiting, number, cell, long(0))
    return done


@njit(cache=True)
def _spread(
    moves: Pulls, weight: Longs, extra: Bytes, waiting: Waiting, level: int, room: Int, scratch: Sweep, quota: Int
) -> int:
    """Look at `quota` sets at most, the least excess first (Dial's buckets); gives the excess that it has come to.

    A set with a region may wait more than once; only the entry of its least excess counts. Goes on while there is room
    for `room` more entries. MOST + 1: nothing waits.
    """
    arriving_first, arriving, walk = moves.arriving_first, moves.arriving, moves.walk
    places, before, stack = scratch.places, scratch.before, scratch.stack
    for _ in range(quota):
        while level <= MOST and waiting.top[level] < 0:
            level += 1
        if level > MOST or waiting.used[0] + room > len(waiting.entry):
            break
        # 1. The set on top, and where the walker can be.
        which = waiting.top[level]
        waiting.top[level] = waiting.after[which]
        number, cell = waiting.entry[which, 0], waiting.entry[which, 1]
        if extra[number, cell] < level:
            continue
        unrank(moves.choose, number, places)
        flood(moves, places, cell, scratch.beside, stack)
        # 2. Each operator that can have moved one of its objects to where it is.
        for i in range(len(places)):
            for k in range(arriving_first[places[i]], arriving_first[places[i] + 1]):
                o = long(arriving[k])
                number = undone(moves, o, i, scratch)
                there = long(walk[o, 0])
                if number < 0:
                    continue
                # 3. A set with a region for which this is less than what was known.
                excess = min(level + weight[o], long(MOST))
                if extra[number, there] <= excess:
                    continue
                count = flood(moves, before, there, scratch.reached, stack)
                for c in range(count):
                    extra[number, stack[c]] = excess
                if count:
                    _wait(waiting, number, there, excess)
    return level
