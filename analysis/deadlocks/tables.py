"""What sets of two, three or four objects cost together, and which are lost: a search backward from the goals.

A backward search over the projections onto m objects and the walker finds, for each set of m places, from which of the
walker's cells the objects can still be brought to goal places with all other objects off the board, and at which excess
(`box_conflicts`). From the rest they cannot: they are *lost*, whatever else is there, as other objects only get in the
way. Such deadlock tables are from Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods
using domain knowledge*, 2001), whose Rolling Stone has one for every pattern in a 5x4 area; here it is for all sets of
m on this very board. It is relaxed reachability over sets (h^2, h^3 backward, Haslum and Geffner 2000) made exact for
each set, and contains every freeze and corral deadlock of m objects.

    #########     A corridor: neither box can be pushed, neither from the left nor from the right. This pair of places
    #@ $$ ..#     is lost. With free cells above the left box, the pair could be lost for a walker on the left and not
    #########     for one on the right: there is an entry for each of the walker's cells.

A set of places p0 < p1 < p2 is numbered by its rank among all such sets in colexicographic order, p0 over 1 plus p1
over 2 plus p2 over 3 (the combinatorial number system):

    {0, 1, 2}: 0    {0, 1, 3}: 1    {0, 2, 3}: 2    {1, 2, 3}: 3    {0, 1, 4}: 4    ...
"""

from __future__ import annotations

from math import comb
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Int, Longs
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..movable_objects import MovableObjects

# Sets looked at between two looks at the clock.
SETS_A_LOOK = 10_000

# The most objects of a set.
LARGEST = 4


# The conflict of a set from which the goal cannot be reached.
LOST = 255

# The largest conflict that a table distinguishes; a larger one counts as this.
MOST = 60


# The place in `Waiting.top` of the entries that are free again.
FREE = MOST + 1


class Waiting(NamedTuple):
    """Sets to be looked at, by excess. `entry` (E, 2): a set and a cell; `after` (E): the entry below, -1 for none;
    `top` (FREE + 1): the entry on top for each excess, -1 for none; `used` (1): how many entries were ever taken.
    """

    entry: Longs
    after: Longs
    top: Longs
    used: Longs


class Pulls(NamedTuple):
    """What a backward search over sets of objects needs of a task with a walker.

    `useful` as in `freeze.Boards`. A set's number is the sum of `choose[p, i]` (P, 5), p over i, for its i-th place p.
    """

    task: BitsetTask
    objects: MovableObjects
    useful: Bytes
    choose: Longs

    @property
    def cells(self) -> int:
        """The number of the walker's cells."""
        return len(self.task.free_bit)


class Sweep(NamedTuple):
    """Scratch of a backward search: what the walker reaches (K) and its cells listed (K), here and one move before.

    `places`, `before`: a set and its predecessor.
    """

    reached: Bytes
    beside: Bytes
    stack: Longs
    places: Longs
    before: Longs


def pulls(task: BitsetTask, objects: MovableObjects, useful: Bytes) -> Pulls:
    """The moves of objects as a backward search undoes them."""
    choose = [[comb(p, i) for i in range(LARGEST + 1)] for p in range(len(objects.fact) + 1)]
    return Pulls(task, objects, useful, np.array(choose, np.int64))


def sweep(cells: int, size: int) -> Sweep:
    """Scratch for sets of `size` places."""
    return Sweep(
        reached=np.empty(cells, np.uint8),
        beside=np.empty(cells, np.uint8),
        stack=np.empty(cells, np.int64),
        places=np.empty(size, np.int64),
        before=np.empty(size, np.int64),
    )


def fill_excess(moves: Pulls, weight: Longs, extra: Bytes, ends: Longs, budget: Budget) -> bool:
    """Fill a table, as `box_conflicts.Conflicts` has it, by a backward search from the sets `ends` (E, size) of goals,
    where operators have the excess `weight` (N). False if the budget ends meanwhile.
    """
    size = ends.shape[1]
    room = max(moves.cells, size * int(np.diff(moves.objects.arriving_first).max(initial=0)))
    waiting, scratch = _waiting(1024 + 2 * room), sweep(moves.cells, size)
    done, level = 0, 0
    # All goals first (excess 0), then the buckets in ascending order; a look at a time, so that the budget is asked.
    while done < len(ends) or level <= MOST:
        if budget.stopped():
            return False
        if done < len(ends):
            done = int(_enter_goals(moves, ends, done, extra, waiting, room, scratch))
        else:
            level = _spread(moves, weight, extra, waiting, level, room, scratch, SETS_A_LOOK)
        if waiting.used[0] + room > len(waiting.entry):
            longer = _waiting(2 * len(waiting.entry))
            # Twice the room: entries are named by their place, which stays.
            for new, old in zip(longer, waiting, strict=True):
                new[: len(old)] = old
            waiting = longer
    return True


def _waiting(room: int) -> Waiting:
    """An empty queue of sets to be looked at."""
    return Waiting(
        entry=np.zeros((room, 2), np.int64),
        after=np.full(room, -1, np.int64),
        top=np.full(FREE + 1, -1, np.int64),
        used=np.zeros(1, np.int64),
    )


@njit(inner=True)
def sort_places(places: Longs) -> None:
    """Sort a few places in place, by insertion."""
    for i in range(1, len(places)):
        place = places[i]
        j = i
        while j > 0 and places[j - 1] > place:
            places[j] = places[j - 1]
            j -= 1
        places[j] = place


@njit(inner=True)
def rank_of(choose: Longs, places: Longs) -> int:
    """Sort `places` in place and give the number of the set."""
    sort_places(places)
    rank = long(0)
    for i in range(len(places)):
        rank += choose[places[i], i + 1]
    return rank


@njit(inner=True)
def unrank(choose: Longs, rank: Int, places: Longs) -> None:
    """Write the set with this number into `places`, ascending: the largest place first, by bisection."""
    for i in range(len(places), 0, -1):
        low, high = i - 1, len(choose) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if choose[middle, i] <= rank:
                low = middle
            else:
                high = middle
        places[i - 1] = low
        rank -= choose[low, i]


@njit(inner=True)
def flood(moves: Pulls, places: Longs, start: Int, reached: Bytes, stack: Longs) -> int:
    """Put the cells that a walker reaches from `start` past objects at `places` into `stack`; 1 for them in `reached`.

    Gives their number: 0, if an object is on `start`.
    """
    covers_first, covers, walkable = moves.objects.covers_first, moves.objects.covers, moves.objects.walkable
    near_first, near = moves.task.near_first, moves.task.near
    for cell in range(len(reached)):
        reached[cell] = 0
    for place in places:
        for j in range(covers_first[place], covers_first[place + 1]):
            reached[covers[j]] = 2
    if reached[start]:
        return 0
    reached[start] = 1
    stack[0] = start
    count, head = 1, 0
    while head < count:
        cell = stack[head]
        head += 1
        for j in range(near_first[cell], near_first[cell + 1]):
            other = near[j]
            if reached[other] == 0 and walkable[other]:
                reached[other] = 1
                stack[count] = other
                count += 1
    return count


@njit(inner=True)
def undone(moves: Pulls, o: Int, i: Int, scratch: Sweep) -> int:
    """The number of the set from which operator `o` leads to `scratch.places`, its i-th place being the last moved to.

    -1 if the operator cannot have been the last one: it is not useful, the walker does not reach the cell where it
    would be (`scratch.beside`), or another object of the set bars it. The set is left in `scratch.before`.
    """
    places, before, objects = scratch.places, scratch.before, moves.objects
    if not moves.useful[o] or scratch.beside[moves.task.walk[o, 1]] != 1:
        return -1
    start = objects.moves[o, 0]
    for j in range(len(places)):
        before[j] = places[j]
        # The other objects stay. Before the move none of them may be where the moved one came from, nor in the way.
        if j != i:
            if places[j] == start:
                return -1
            for b in range(objects.bars_first[o], objects.bars_first[o + 1]):
                if objects.bars[b] == places[j]:
                    return -1
    before[i] = start
    return rank_of(moves.choose, before)


@njit(inner=True)
def wait(waiting: Waiting, number: Int, cell: Int, excess: Int) -> None:
    """Put a set with a cell of the walker on top of those of its excess."""
    which = waiting.top[FREE]
    if which >= 0:
        waiting.top[FREE] = waiting.after[which]
    else:
        which = waiting.used[0]
        waiting.used[0] = which + 1
    waiting.entry[which, 0], waiting.entry[which, 1] = number, cell
    waiting.after[which] = waiting.top[excess]
    waiting.top[excess] = which


@njit()
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
        for cell in range(len(scratch.reached)):
            if extra[number, cell] == 0:
                continue
            count = flood(moves, places, cell, scratch.reached, stack)
            for i in range(count):
                extra[number, stack[i]] = 0
            if count:
                wait(waiting, number, cell, long(0))
    return done


@njit()
def _spread(
    moves: Pulls, weight: Longs, extra: Bytes, waiting: Waiting, level: int, room: Int, scratch: Sweep, quota: Int
) -> int:
    """Look at `quota` sets at most, the least excess first (Dial's buckets); gives the excess that it has come to.

    A set with a region may wait more than once; only the entry of its least excess counts. Goes on while there is room
    for `room` more entries. MOST + 1: nothing waits.
    """
    arriving_first, arriving, walk = moves.objects.arriving_first, moves.objects.arriving, moves.task.walk
    places, before, stack = scratch.places, scratch.before, scratch.stack
    for _ in range(quota):
        while level <= MOST and waiting.top[level] < 0:
            level += 1
        if level > MOST or waiting.used[0] + room > len(waiting.entry):
            break
        # 1. The set on top, and where the walker can be.
        which = waiting.top[level]
        waiting.top[level], waiting.after[which], waiting.top[FREE] = waiting.after[which], waiting.top[FREE], which
        number, cell = waiting.entry[which, 0], waiting.entry[which, 1]
        # It was met again at less since then, and that entry has been looked at.
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
                # Cut off at MOST: a smaller conflict than the true one is still a bound.
                excess = min(level + weight[o], long(MOST))
                if extra[number, there] <= excess:
                    continue
                count = flood(moves, before, there, scratch.reached, stack)
                for c in range(count):
                    extra[number, stack[c]] = excess
                if count:
                    wait(waiting, number, there, excess)
    return level
