"""Deadlock tables: sets of two, three or four objects from which the goal cannot be reached, whatever else is there.

A backward search from the goal over the projections onto m objects and the walker finds, for each set of m places, from
which of the walker's cells the objects can still be brought to goal places with all other objects off the board. The
rest is dead, as other objects only get in the way. Such tables are from Junghanns and Schaeffer (*Sokoban: enhancing
general single-agent search methods using domain knowledge*, 2001), whose Rolling Stone has one for every pattern in a
5x4 area; here it is for all sets of m on this very board. It is relaxed reachability over sets (h^2, h^3 backward,
Haslum and Geffner 2000) made exact for each set, and contains every freeze and corral deadlock of m objects.

    #########     A corridor: neither box can be pushed, neither from the left nor from the right. All bits of this
    #@ $$ ..#     pair of places are 0. With free cells above the left box, the pair could be dead for a walker on the
    #########     left and alive for one on the right: there is a bit for each of the walker's cells.

A set of places p0 < p1 < p2 is numbered by its rank among all such sets in colexicographic order, p0 over 1 plus p1
over 2 plus p2 over 3 (the combinatorial number system):

    {0, 1, 2}: 0    {0, 1, 3}: 1    {0, 2, 3}: 2    {1, 2, 3}: 3    {0, 1, 4}: 4    ...
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Flags, Int, Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..bitset_task import BitsetTask
from ..movable_objects import MovableObjects

# Minimal dead sets: what a table of dead sets of one size says of smaller ones.
#
# places 0 to 4, and a table of triples: {0, 1, 2}, {0, 1, 3}, {0, 1, 4} and {2, 3, 4} are dead {0, 1} is dead too,
# with three objects on the board: the third one makes one of the first three triples minimal: {0, 1}, and {2, 3, 4}
# if no two of its places are dead


class SetsOfSize(NamedTuple):
    """All sets of k places: `places` (n, k), ascending; `lives` (n, words): the walker's cells for which a set is not
    lost, as bits. Its *parts* are the sets with one place less. `minimal` (n): for some cell it is lost and no part is;
    `parts_live` (n): each part is alive for some cell.
    """

    places: Longs
    lives: Words
    minimal: Flags
    parts_live: Flags


def sets_by_size(size: int, alive: Words, choose: Longs) -> Iterator[SetsOfSize]:
    """The sets of a table (`tables.DeadSets`), then those with a place less, and so on, down to single places.

    A set of fewer places is lost for a cell where all sets of the table are that it is a part of: with as many objects
    as the table counts, one of these is there.
    """
    places = len(choose) - 1
    for k in range(size, 0, -1):
        sets = np.array(list(combinations(range(places), k)), np.int64).reshape(-1, k)
        lives = alive[choose[sets, np.arange(1, k + 1)].sum(axis=1)]
        minimal, parts_live = ~lives, np.ones(len(sets), np.bool_)
        if k > 1:
            alive = np.zeros((comb(places, k - 1), lives.shape[1]), np.uint64)
            parts = [np.delete(sets, i, axis=1) for i in range(k)]
            numbers = [choose[part, np.arange(1, k)].sum(axis=1) for part in parts]
            for of_part in numbers:
                np.bitwise_or.at(alive, of_part, lives)
            for of_part in numbers:
                minimal &= alive[of_part]
                parts_live &= alive[of_part].any(axis=1)
        yield SetsOfSize(sets, lives, minimal.any(axis=1), parts_live)


def together(size: int, alive: Words, choose: Longs) -> Bytes:
    """(P, P): 1 for two places that belong to a dead set of which no part is dead (`tables.DeadSets.together`)."""
    places = len(choose) - 1
    matters = np.zeros((places, places), np.uint8)
    for of_size in sets_by_size(size, alive, choose):
        sets = of_size.places[of_size.minimal]
        for i, j in combinations(range(sets.shape[1]), 2):
            matters[sets[:, i], sets[:, j]] = matters[sets[:, j], sets[:, i]] = 1
    return matters


# Larger sets are taken where the sets of places times the walker's cells are at most this: about a second of work.
MOST_WORK = 30_000_000

# ...and where a move makes at most this many sets: those that can hold a minimal dead set are looked up in every
# successor. It allows 27 objects for sets of four, 78 for sets of three.
MOST_LOOKUPS = 3_000

# If a move makes more sets than this, which objects matter to which (`DeadSets.together`) is found first, in up to
# 0.1 s; else all sets are looked up.
FEW_LOOKUPS = 20

# Sets looked at between two looks at the clock.
SETS_A_LOOK = 10_000

# The most objects of a dead set; the scratch of `lost` is twice this long.
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


class DeadSets(NamedTuple):
    """`alive` (sets, words): the walker's cells from which a set of `size` places is not lost, as bits.

    A set's number is the sum of `choose[p, i]` (P, 5), p over i, for its i-th place p. `size` 0: nothing is known.
    `together` (P, P): 1 for two places of a minimal dead set (`minimal_sets`), see `lost`; all 1 unless `with_picks`
    has found them.
    """

    size: int
    alive: Words
    choose: Longs
    together: Bytes


class Pulls(NamedTuple):
    """What a backward search over sets of objects needs of a task: moves by the place that they lead to, and the floor.

    `cells` (the walker's, or 1 if it does not matter where the walker is: then it is always in cell 0); `walk` (N, 2):
    its cell before and after a move. `choose`: see `DeadSets`. The rest as in `BitsetTask`, `MovableObjects`, `Boards`.
    """

    cells: int
    walk: Ints
    moves: Ints
    useful: Bytes
    arriving_first: Ints
    arriving: Ints
    bars_first: Ints
    bars: Ints
    covers_first: Ints
    covers: Ints
    walkable: Bytes
    near_first: Ints
    near: Ints
    choose: Longs


class Sweep(NamedTuple):
    """Scratch of a backward search: what the walker reaches (K) and its cells listed (K), here and one move before.

    `places`, `before`: a set and its predecessor.
    """

    reached: Bytes
    beside: Bytes
    stack: Longs
    places: Longs
    before: Longs


def no_dead_sets() -> DeadSets:
    """A table without dead sets."""
    nothing = np.zeros((0, 1), np.uint64)
    return DeadSets(0, nothing, np.zeros((1, LARGEST + 1), np.int64), np.zeros((0, 0), np.uint8))


def pulls(task: BitsetTask, objects: MovableObjects, useful: Bytes) -> Pulls:
    """The moves of objects as a backward search undoes them; `useful` as in `freeze.Boards`."""
    places, walks = len(objects.fact), objects.sides > 1
    choose = [[comb(p, i) for i in range(LARGEST + 1)] for p in range(places + 1)]
    nothing = np.zeros(0, np.int32)
    return Pulls(
        cells=len(task.free_bit) if walks else 1,
        walk=task.walk if walks else np.zeros_like(objects.moves),
        moves=objects.moves,
        useful=useful,
        arriving_first=objects.arriving_first,
        arriving=objects.arriving,
        bars_first=objects.bars_first,
        bars=objects.bars,
        covers_first=objects.covers_first if walks else np.zeros(places + 1, np.int32),
        covers=objects.covers if walks else nothing,
        walkable=objects.walkable if walks else np.ones(1, np.uint8),
        near_first=task.near_first if walks else np.zeros(2, np.int32),
        near=task.near if walks else nothing,
        choose=np.array(choose, np.int64),
    )


def sweep(cells: int, size: int) -> Sweep:
    """Scratch for sets of `size` places."""
    return Sweep(
        reached=np.empty(cells, np.uint8),
        beside=np.empty(cells, np.uint8),
        stack=np.empty(cells, np.int64),
        places=np.empty(size, np.int64),
        before=np.empty(size, np.int64),
    )


def dead_sets(task: BitsetTask, objects: MovableObjects, useful: Bytes, budget: Budget) -> DeadSets:
    """The table for the largest sets that are worth their work; `useful` as in `freeze.Boards`.

    If the budget ends meanwhile, none.
    """
    moves = pulls(task, objects, useful)
    places = len(objects.fact)
    for size in range(LARGEST, 1, -1):
        if size > objects.count or comb(objects.count - 1, size - 1) > MOST_LOOKUPS:
            continue
        if comb(places, size) * moves.cells <= MOST_WORK:
            goals = np.flatnonzero(objects.target).tolist()
            ends = np.array(list(combinations(goals, size)), np.int64).reshape(-1, size)
            # A set is dead if no moves, whatever they cost, bring it to goals: a search in which all weigh nothing.
            extra = np.full((comb(places, size), moves.cells), LOST, np.uint8)
            if not fill_excess(moves, np.zeros(len(moves.moves), np.int64), extra, ends, budget):
                break
            alive = np.zeros((len(extra), (moves.cells + 63) // 64 * 64), np.bool_)
            alive[:, : moves.cells] = extra != LOST
            bits = np.packbits(alive, axis=1, bitorder="little").view("<u8").astype(np.uint64)
            return DeadSets(size, bits, moves.choose, np.ones((places, places), np.uint8))
    return no_dead_sets()


def fill_excess(moves: Pulls, weight: Longs, extra: Bytes, ends: Longs, budget: Budget) -> bool:
    """Fill a table, as `box_conflicts.Conflicts` has it, by a backward search from the sets `ends` (E, size) of goals,
    where operators have the excess `weight` (N). False if the budget ends meanwhile.
    """
    size = ends.shape[1]
    room = max(moves.cells, size * int(np.diff(moves.arriving_first).max(initial=0)))
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


def with_picks(dead: DeadSets, count: int) -> DeadSets:
    """The table with `together` found, for states of `count` objects, if each object is in many sets."""
    if dead.size == 0 or comb(count - 1, dead.size - 1) <= FEW_LOOKUPS:
        return dead
    return dead._replace(together=together(dead.size, dead.alive, dead.choose))


@njit(inner=True)
def lost(dead: DeadSets, at: Longs, moved: Int, cell: Int, chosen: Longs) -> bool:
    """Whether the objects at places `at`, the walker being in `cell`, hold a dead set with the i-th, i = `moved`.

    Let p be the place of the i-th, which has just moved. A minimal dead set without p was there before it moved, so one
    with p is looked for, and its other places q have together[p, q] = 1. Sets of the table are made of p and objects on
    such places; where there are too few, any others fill the set up: it is dead if a part of it is.
    `chosen` (2 * LARGEST + len(at)) is scratch: a set; which of the objects to pick from belong to it; these objects.
    """
    size, n = dead.size, len(at)
    if size == 0:
        return False
    choose, alive, together = dead.choose, dead.alive, dead.together
    here, word, bit = at[moved], cell >> 6, np.uint64(cell & 63)
    # 1. The objects to pick from.
    near = long(0)
    for i in range(n):
        if i != moved and together[here, at[i]]:
            chosen[2 * LARGEST + near] = at[i]
            near += 1
    for i in range(n):
        if near >= size - 1:
            break
        if i != moved and not together[here, at[i]]:
            chosen[2 * LARGEST + near] = at[i]
            near += 1
    # The choice: indices into `near` places, ascending; the first one in lexicographic order is 0, 1, ...
    for i in range(size - 1):
        chosen[LARGEST + i] = i
    while True:
        # 2. The set, in ascending order: at[moved] and those that are picked.
        chosen[0] = here
        for i in range(size - 1):
            place = chosen[2 * LARGEST + chosen[LARGEST + i]]
            last = i + 1
            while last > 0 and chosen[last - 1] > place:
                chosen[last] = chosen[last - 1]
                last -= 1
            chosen[last] = place
        # 3. Look it up.
        # Combinatorial number system: places p1 < p2 < ... have the number C(p1, 1) + C(p2, 2) + ..., so {1, 4} has 1 +
        # 6 = 7. A bit of row `alive` is a cell of the walker from which the set is not lost.
        rank = long(0)
        for i in range(size):
            rank += choose[chosen[i], i + 1]
        if not (alive[rank, word] >> bit) & ONE:
            return True
        # 4. The next choice, in lexicographic order.
        i = size - 2
        # The last index that can still rise does; those behind it follow as closely as they can.
        while i >= 0 and chosen[LARGEST + i] == near - size + 1 + i:
            i -= 1
        if i < 0:
            return False
        chosen[LARGEST + i] += 1
        for j in range(i + 1, size - 1):
            chosen[LARGEST + j] = chosen[LARGEST + j - 1] + 1


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
    covers_first, covers, walkable = moves.covers_first, moves.covers, moves.walkable
    near_first, near = moves.near_first, moves.near
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
    places, before, bars = scratch.places, scratch.before, moves.bars
    if not moves.useful[o] or scratch.beside[moves.walk[o, 1]] != 1:
        return -1
    start = moves.moves[o, 0]
    for j in range(len(places)):
        before[j] = places[j]
        # The other objects stay. Before the move none of them may be where the moved one came from, nor in the way.
        if j != i:
            if places[j] == start:
                return -1
            for b in range(moves.bars_first[o], moves.bars_first[o + 1]):
                if bars[b] == places[j]:
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
        for cell in range(moves.cells):
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
    arriving_first, arriving, walk = moves.arriving_first, moves.arriving, moves.walk
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
