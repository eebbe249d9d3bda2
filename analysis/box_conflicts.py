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

Where triples have conflicts, too, `conflicts_of` chooses disjoint sets among both.

The distances are those of the empty board, so conflicts do not add to a matching on a board with frozen objects.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Bytes, Int, Longs, zeros
from ..runtime.bitops import long
from ..runtime.budget import Budget
from ..runtime.kernel_calls import njit
from .bitset_task import BitsetTask
from .deadlocks.freeze import Boards
from .movable_objects import INFINITE, MovableObjects

# The most objects of a set.
LARGEST = 4

# The conflict of a set from which the goal cannot be reached.
LOST = 255

# The largest conflict that a table distinguishes; a larger one counts as this.
MOST = 60

# Sets looked at between two looks at the clock.
SETS_A_LOOK = 10_000

# Conflicts of larger sets are found where the sets of places times the walker's cells, a byte each, are at most this:
# about two seconds of work.
MOST_ENTRIES = 200_000_000

# ...and of at most so many objects: sets of them are bits of a word.
MOST_OBJECTS = 62

# ...and if the objects of a state form at most this many sets of that size: a few in a hundred of them are looked up
# before it is expanded.
MOST_LOOKUPS = 20_000


class Conflicts(NamedTuple):
    """`extra` (sets, K): the conflict of sets of `size` objects, in operators, for each of the walker's cells.

    A set's number: see `Pulls`, `choose` as there. Each operator costs `unit`; if that is 0, only `LOST`
    counts.

    `begins`: whether some set in conflict has certain j places as its first ones, 0 < j <= size, so that hardly any
    set's entries are read. With r the number of those j places as a set, that is the entry `first[j] + r`:

        triples {0, 1, 4}, {0, 1, 5} in conflict, no others      j = 1: {0};  j = 2: {0, 1};  j = 3: these two
    """

    size: int
    extra: Bytes
    choose: Longs
    begins: Bytes
    first: Longs
    unit: int


def no_conflicts() -> Conflicts:
    """An empty table, with `unit` 0: no conflict of any set is known."""
    return zeros(Conflicts, 0, size=0, extra=(0, 1), choose=(1, LARGEST + 1), unit=0)


def only_lost(table: Conflicts) -> Conflicts:
    """The table with 0 in place of each conflict: it tells which sets are lost, and nothing of what others cost."""
    return table._replace(extra=np.where(table.extra == LOST, table.extra, np.uint8(0)), unit=0)


def conflicts_in(size: int, extra: Bytes, choose: Longs, unit: int, fewer: Bytes | None) -> Conflicts:
    """A table of conflicts. If those of sets with one member less are given (`fewer`), a set
    that has no more than one of those in it is not in conflict: who adds up conflicts takes the smaller set.
    """
    first = np.cumsum([0, *(comb(len(choose) - 1, j) for j in range(size + 1))])
    begins = np.full(int(first[-1]), fewer is None, np.uint8)
    if fewer is None:
        begins[first[size] :] = extra.any(axis=1)
    table = Conflicts(size=size, extra=extra, choose=choose, begins=begins, first=first, unit=unit)
    if fewer is not None:
        _leave_out(table, fewer, np.zeros(size, np.int64), np.zeros(size, np.int64))
    return table


def unit_of(objects: MovableObjects) -> int:
    """What each operator costs, where conflicts are found: a walker moves objects at equal costs, and each goal place
    is a column of its own. Else 0.
    """
    costs = {int(objects.cost[o]) for o in range(len(objects.moves)) if objects.moves[o, 0] >= 0}
    goals = np.flatnonzero(objects.target).tolist()
    columns = [int(np.flatnonzero(row)[0]) for row in objects.meets if row.sum() == 1]
    # Excess counts operators: with several costs, or goals that are shared, what two objects lose would not add up so.
    if objects.sides == 1 or len(costs) != 1 or sorted(columns) != goals or len(columns) != len(objects.meets):
        return 0
    return min(costs)


def affordable(task: BitsetTask, objects: MovableObjects, size: int, budget: Budget) -> bool:
    """Whether a table of conflicts is small enough, and a state has few enough sets of `size` objects to look up."""
    entries = comb(len(objects.fact), size) * len(task.free_bit)
    few = entries <= MOST_ENTRIES and size <= objects.count <= MOST_OBJECTS
    return few and comb(objects.count, size) <= MOST_LOOKUPS and budget.fits(2 * entries)


def find_conflicts(
    task: BitsetTask,
    objects: MovableObjects,
    boards: Boards,
    size: int,
    budget: Budget,
    fewer: Conflicts | None = None,
) -> Conflicts:
    """The conflicts of `size` objects on the empty board, where a walker moves them at equal costs.

    None, if they are not affordable, or if the budget ends meanwhile. `fewer`: see `conflicts_in`.
    """
    unit = unit_of(objects)
    if not unit or not affordable(task, objects, size, budget):
        return no_conflicts()
    moves, goals = pulls(task, objects, boards.useful), np.flatnonzero(objects.target).tolist()
    extra = np.full((comb(len(objects.fact), size), moves.cells), LOST, np.uint8)
    ends = np.array(list(combinations(goals, size)), np.int64).reshape(-1, size)
    if not fill_excess(moves, excess(task, objects, boards, unit), extra, ends, budget):
        return no_conflicts()
    # Only sets with exactly one member less are compared with: their numbers follow from dropping one place.
    of_fewer = fewer.extra if fewer is not None and fewer.size == size - 1 else None
    return conflicts_in(size, extra, moves.choose, unit, of_fewer)


def excess(task: BitsetTask, objects: MovableObjects, boards: Boards, unit: int) -> Longs:
    """(N): the excess w of each operator, in operators; 0, which is never used, if it leads to no goal."""
    side, dist = boards.side[0], boards.dist[0]
    weight = np.zeros(len(objects.moves), np.int64)
    for o, (before, after) in enumerate(objects.moves.tolist()):
        if before >= 0 and boards.useful[o]:
            start = before * objects.sides + int(side[before, task.walk[o, 0]])
            end = after * objects.sides + int(side[after, task.walk[o, 1]])
            reachable = dist[end] < INFINITE
            weight[o] = 1 + (dist[end, reachable] - dist[start, reachable]).min() // unit
    return weight


@njit()
def _leave_out(table: Conflicts, fewer: Bytes, places: Longs, without: Longs) -> None:
    """Set the conflict of a set to 0 if a subset with one member less has as large a one, and fill `begins`.

    `places`, `without` (size): scratch for a set and the numbers of these subsets.
    """
    size, extra, choose, begins, first = long(table.size), table.extra, table.choose, table.begins, table.first
    for number in range(len(extra)):
        unrank(choose, number, places)
        for left_out in range(size):
            without[left_out] = 0
            for i in range(size):
                if i != left_out:
                    without[left_out] += choose[places[i], i + 1 if i < left_out else i]
        some = False
        for cell in range(extra.shape[1]):
            least = extra[number, cell]
            for i in range(size):
                # The smaller set says as much of fewer objects, and leaves one more free for other sets.
                if fewer[without[i], cell] >= least:
                    least = np.uint8(0)
            extra[number, cell] = least
            some = some or least > 0
        rank = long(0)
        begins[first[size] + number] = some
        for i in range(size - 1 if some else 0):
            rank += choose[places[i], i + 1]
            begins[first[i + 1] + rank] = 1


# Choosing among conflicts of sets of several sizes: which disjoint sets of a state's objects are to add up.


class ConflictScratch(NamedTuple):
    """Scratch of `conflicts_of`, for S sets: `extra`, `members` (S, as bits) of those in conflict.

    For n objects: `at`, `who` (n): their places, ascending, and whose they are;
    `picked`, `rank`, `both` (n + 1): of the first i members of a set: which in `at`, their number, the objects as bits.
    """

    extra: Longs
    members: Longs
    at: Longs
    who: Longs
    picked: Longs
    rank: Longs
    both: Longs


def conflict_scratch(objects: int, largest: int) -> ConflictScratch:
    """Scratch for choosing among the sets of two to `largest` objects that `objects` objects form."""
    sets = sum(comb(objects, size) for size in range(2, largest + 1))
    return zeros(ConflictScratch, objects + 1, extra=sets, members=sets, at=objects, who=objects)


@njit(inner=True)
def conflicts_of(tables: tuple[Conflicts, ...], at: Longs, cell: Int, choice: ConflictScratch) -> int:
    """What conflicts of disjoint sets of the objects at places `at` add, in operators; -1: a lost set.

    1. All sets that have a conflict, table by table: smaller sets first.
    2. The sets of the largest conflict that are still disjoint, then those of the next smaller one, and so on. Of equal
       ones the smaller sets come first.
    """
    count, most = long(0), long(0)
    for table in tables:
        if table.size:
            count = _in_conflict(table, at, cell, choice, count)
            if count < 0:
                return -1
    for which in range(count):
        most = choice.extra[which] if choice.extra[which] > most else most
    total, taken = long(0), long(0)
    while most > 0:
        below = long(0)
        for which in range(count):
            # Disjoint sets only: then no operator is counted twice.
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
def _in_conflict(table: Conflicts, at: Longs, cell: Int, choice: ConflictScratch, count: int) -> int:
    """Put the sets of a table that have a conflict after the `count` that are there; gives how many there are then.

    -1: a set is lost. The sets come in lexicographic order, each place of a set being picked after the one before it:

        picked  0 1 2    0 1 3    0 1 4    0 2 3    ...      rank[i + 1] = rank[i] + choose[at[picked[i]], i + 1]
    """
    choose, size, begins, first = table.choose, long(table.size), table.begins, table.first
    place, who, picked, rank, both = choice.at, choice.who, choice.picked, choice.rank, choice.both
    # 1. The places in ascending order.
    n = long(len(at))
    for i in range(n):
        last = i
        while last > 0 and place[last - 1] > at[i]:
            place[last], who[last] = place[last - 1], who[last - 1]
            last -= 1
        place[last], who[last] = at[i], i
    # 2. All sets of them. Where no set in conflict begins with picked[0..depth], all that begin so are passed over.
    depth = long(0)
    picked[0], rank[0], both[0] = -1, 0, 0
    while depth >= 0:
        picked[depth] += 1
        if picked[depth] > n - size + depth:
            depth -= 1
            continue
        i = picked[depth]
        rank[depth + 1] = rank[depth] + choose[place[i], depth + 1]
        both[depth + 1] = both[depth] | (1 << who[i])
        if not begins[first[depth + 1] + rank[depth + 1]]:
            continue
        if depth + 1 < size:
            depth += 1
            picked[depth] = i
            continue
        extra = long(table.extra[rank[size], cell])
        if extra == LOST:
            return -1
        if extra:
            choice.extra[count], choice.members[count] = extra, both[size]
            count += 1
    return count


# What sets of two, three or four objects cost together, and which are lost: a search backward from the goals.
#
# A backward search over the projections onto m objects and the walker finds, for each set of m places, from which of
# the walker's cells the objects can still be brought to goal places with all other objects off the board, and at which
# excess. From the rest they cannot: they are *lost*, whatever else is there, as other objects only get in the way. Such
# deadlock tables are from Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods using domain
# knowledge*, 2001), whose Rolling Stone has one for every pattern in a 5x4 area; here it is for all sets of m on this
# very board. It is relaxed reachability over sets (h^2, h^3 backward, Haslum and Geffner 2000) made exact for each set,
# and contains every freeze and corral deadlock of m objects.
#
#     #########     A corridor: neither box can be pushed, neither from the left nor from the right. This pair of places
#     #@ $$ ..#     is lost. With free cells above the left box, the pair could be lost for a walker on the left and not
#     #########     for one on the right: there is an entry for each of the walker's cells.
#
# A set of places p0 < p1 < p2 is numbered by its rank among all such sets in colexicographic order, p0 over 1 plus p1
# over 2 plus p2 over 3 (the combinatorial number system):
#
#     {0, 1, 2}: 0    {0, 1, 3}: 1    {0, 2, 3}: 2    {1, 2, 3}: 3    {0, 1, 4}: 4    ...

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
    return zeros(Sweep, size, reached=cells, beside=cells, stack=cells)


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
    after, top = np.full(room, -1, np.int64), np.full(FREE + 1, -1, np.int64)
    return zeros(Waiting, 1, entry=(room, 2), after=after, top=top)


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
