"""Sets of two, three or four things from which the goal cannot be reached, even with all other things off the board.

A backward search from the goal over the projections onto m things and the walker finds, for each set of m places,
from which of the walker's cells the things can still be brought to goal places; the rest is lost, whatever else
stands on the board. This is relaxed reachability over sets (h² and h³ backward, Haslum and Geffner 2000) made exact
for each set: it contains every freeze and corral deadlock of m things.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE
from ..bitset_task import BitsetTask, Words
from ..movable_objects import MovableObjects

MAX_WORK = 30_000_000
"""Sets of m places are searched where their number times the walker's cells is at most this: about a second."""

MAX_LOOKUPS = 250
"""...and a move does not have to be looked up more often than this."""


QUOTA = 10_000
"""Sets looked at between two looks at the clock."""


class DeadSets(NamedTuple):
    """`alive` (sets, words): the walker's cells from which a set of `size` places is not lost, as bits.

    A set's number is its rank among the ascending tuples in colexicographic order: the sum of `choose[p, i]` (P, 5),
    p over i, for its i-th place p. `size` 0: nothing is known.
    """

    size: int
    alive: Words
    choose: NDArray[np.int64]


def no_dead_sets() -> DeadSets:
    """Nothing is known to be lost."""
    return DeadSets(0, np.zeros((0, 1), np.uint64), np.zeros((1, 5), np.int64))


def dead_sets(task: BitsetTask, things: MovableObjects, useful: NDArray[np.uint8], budget: Budget) -> DeadSets:
    """The largest sets that are worth their work; `useful` as in `freezing.Boards`.

    If the budget ends meanwhile, none.
    """
    places, cells = len(things.fact), len(task.free_bit) if things.sides > 1 else 1
    choose = np.array([[comb(p, i) for i in range(5)] for p in range(places + 1)], np.int64).reshape(-1, 5)
    for size in (4, 3, 2):
        if size > things.count or comb(things.count - 1, size - 1) > MAX_LOOKUPS:
            continue
        if comb(places, size) * cells <= MAX_WORK:
            alive = np.zeros((comb(places, size), (cells + 63) // 64), np.uint64)
            waiting, height = _goals(task, things, choose, size, alive)
            while height > 0:
                if budget.stopped():
                    return no_dead_sets()
                waiting, height = _spread(task, things, useful, choose, size, alive, waiting, height, QUOTA)
            return DeadSets(size, alive, choose)
    return no_dead_sets()


@njit(cache=True)
def lost(dead: Any, at: Any, moved: int, cell: int, chosen: Any) -> bool:
    """Whether the things at places `at`, the walker being in `cell`, hold a lost set with the i-th, i = `moved`.

    `chosen` is scratch, as long as a set.
    """
    if dead.size == 0:
        return False
    size, n = dead.size, len(at)
    picked = np.empty(4, np.int64)
    for i in range(size - 1):
        picked[i] = i
    word, bit = cell >> 6, np.uint64(cell & 63)
    while True:
        # the set: at[moved] and the picked ones of the others, in ascending order
        last = 0
        chosen[0] = at[moved]
        for i in range(size - 1):
            place = at[picked[i] if picked[i] < moved else picked[i] + 1]
            last = i + 1
            while last > 0 and chosen[last - 1] > place:
                chosen[last] = chosen[last - 1]
                last -= 1
            chosen[last] = place
        rank = np.int64(0)
        for i in range(size):
            rank += dead.choose[chosen[i], i + 1]
        if not (dead.alive[rank, word] >> bit) & ONE:
            return True
        i = size - 2
        while i >= 0 and picked[i] == n - 1 - (size - 1) + i:
            i -= 1
        if i < 0:
            return False
        picked[i] += 1
        for j in range(i + 1, size - 1):
            picked[j] = picked[j - 1] + 1


@njit(cache=True)
def rank_of(choose: Any, places: Any, size: int) -> Any:
    """Sort `places` in place and give the number of the set."""
    for i in range(1, size):
        place = places[i]
        j = i
        while j > 0 and places[j - 1] > place:
            places[j] = places[j - 1]
            j -= 1
        places[j] = place
    rank = np.int64(0)
    for i in range(size):
        rank += choose[places[i], i + 1]
    return rank


@njit(cache=True)
def unrank(choose: Any, rank: int, size: int, places: Any) -> None:
    """Write the set with this number into `places`, ascending."""
    for i in range(size, 0, -1):
        low, high = i - 1, len(choose) - 1
        while high - low > 1:
            middle = (low + high) // 2
            if choose[middle, i] <= rank:
                low = middle
            else:
                high = middle
        places[i - 1] = low
        rank -= choose[low, i]


@njit(cache=True)
def flood(task: Any, things: Any, places: Any, size: int, start: int, reached: Any, stack: Any) -> int:
    """Put the cells that a walker reaches from `start` past things at `places` into `stack`.

    Gives their number: 0, if a thing is on `start`.
    """
    reached[:] = 0
    if things.sides == 1:  # no walker, or one that does not matter
        stack[0] = 0
        return 1
    for i in range(size):
        for j in range(things.covers_first[places[i]], things.covers_first[places[i] + 1]):
            reached[things.covers[j]] = 2
    if reached[start]:
        return 0
    reached[start] = 1
    stack[0] = start
    count, head = 1, 0
    while head < count:
        cell = stack[head]
        head += 1
        for j in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[j]
            if reached[other] == 0 and things.walkable[other]:
                reached[other] = 1
                stack[count] = other
                count += 1
    return count


@njit(cache=True)
def _goals(task: Any, things: Any, choose: Any, size: int, alive: Any) -> Any:
    """Mark in `alive` all sets of goal places; gives (waiting, height): each with a cell of each of its regions."""
    cells = len(task.free_bit) if things.sides > 1 else 1
    reached = np.empty(cells, np.uint8)
    stack = np.empty(cells, np.int64)
    places = np.empty(size, np.int64)
    waiting = np.empty((1024, 2), np.int64)
    height = 0
    for rank in range(len(alive)):
        unrank(choose, rank, size, places)
        goal = True
        for i in range(size):
            if not things.target[places[i]]:
                goal = False
                break
        if not goal:
            continue
        for cell in range(cells):
            if (alive[rank, cell >> 6] >> np.uint64(cell & 63)) & ONE:
                continue
            count = flood(task, things, places, size, cell, reached, stack)
            for i in range(count):
                alive[rank, stack[i] >> 6] |= ONE << np.uint64(stack[i] & 63)
            if count == 0:
                continue
            if height == len(waiting):
                waiting = np.concatenate((waiting, np.empty_like(waiting)))
            waiting[height, 0], waiting[height, 1] = rank, cell
            height += 1
    return waiting, height


@njit(cache=True)
def _spread(
    task: Any, things: Any, useful: Any, choose: Any, size: int, alive: Any, waiting: Any, height: int, quota: int
) -> Any:
    """Mark in `alive` what leads to the sets and cells that wait, looking at most at `quota`; gives what waits then."""
    cells = len(task.free_bit) if things.sides > 1 else 1
    reached = np.empty(cells, np.uint8)
    stack = np.empty(cells, np.int64)
    places = np.empty(size, np.int64)
    before = np.empty(size, np.int64)
    walks = things.sides > 1
    for _ in range(quota):
        if height == 0:
            break
        height -= 1
        unrank(choose, waiting[height, 0], size, places)
        flood(task, things, places, size, waiting[height, 1], reached, stack)
        side = reached.copy()
        for i in range(size):
            for k in range(things.arriving_first[places[i]], things.arriving_first[places[i] + 1]):
                o = things.arriving[k]
                if not useful[o] or (walks and side[task.walk[o, 1]] != 1):
                    continue
                start = things.moves[o, 0]
                possible = True
                for j in range(size):
                    if j != i and places[j] == start:
                        possible = False
                    for b in range(things.bars_first[o], things.bars_first[o + 1]):
                        if j != i and things.bars[b] == places[j]:
                            possible = False
                if not possible:
                    continue
                before[:] = places
                before[i] = start
                number = rank_of(choose, before, size)
                there = np.int64(task.walk[o, 0]) if walks else np.int64(0)
                if (alive[number, there >> 6] >> np.uint64(there & 63)) & ONE:
                    continue
                count = flood(task, things, before, size, there, reached, stack)
                for c in range(count):
                    alive[number, stack[c] >> 6] |= ONE << np.uint64(stack[c] & 63)
                if count == 0:
                    continue
                if height == len(waiting):
                    waiting = np.concatenate((waiting, np.empty_like(waiting)))
                waiting[height, 0], waiting[height, 1] = number, there
                height += 1
    return waiting, height
