"""Which open state comes next.

Which of the states of the least total comes next does not matter for the proof, but it does for how soon a plan is
found among them. The newest one of the least estimate leads straight to the goal, or into a dead end that takes a
million states to leave. So every other turn is another state's: one of an estimate drawn by chance (after Xie, Müller,
Holte and Imai, *Type-based exploration with multiple search queues for satisficing planning*, AAAI 2014), or the oldest
one of the least estimate. Of XSokoban's levels 3, 4, 51, 53, 55 and 78 each single order leaves one or two unsolved.

With a packing plan every other turn is by rank instead (`plan_progress`), of the states of the same total: in turn the
newest one of the best rank, and one of features drawn by chance, the way to which has the fewest box changes.

    expansion   0       1          2     3         4       5          6        7
    state       newest  best rank  any   any rank  newest  best rank  oldest   any rank
"""

from __future__ import annotations

from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .open_states import HEAPED, NOWHERE, beside, enter, least, leave
from .packed_states import COST, ESTIMATE, set_value, value_of
from .plan_progress import MOST_CHANGES
from .tables import BEST, BOUND, CHANCE, DROPPED, EXHAUSTED, EXPANDED, NONE, PROVEN, WAITING, AStarSearch

# The most buckets that are drawn for a rank by chance; one of a larger total does not count.
DRAWS = 16

ANY_ESTIMATE, OLDEST = 1, 3
"""Turns, out of four, with a rule of their own; in the others the newest state of least total, then estimate,
is taken."""


@njit(inner=True)
def _key(search: AStarSearch, index: int) -> tuple[int, int]:
    """The order of open states: the total, then the estimate, unless the cost has two components (`unit` is 0)."""
    value = long(value_of(search.nodes, ESTIMATE, index))
    return value_of(search.nodes, COST, index) + value, value if search.unit else long(0)


@njit(inner=True)
def put_open(search: AStarSearch, index: int) -> None:
    """Open a state that is not open. Its cost, its estimate and its rank must be known."""
    total, second = _key(search, index)
    enter(search.opened, total, second, index)
    if len(search.rank):
        enter(search.ranked, total, long(search.rank[index]), index)
    search.control[WAITING] += 1


@njit(inner=True)
def wait_again(search: AStarSearch, index: int, value: int) -> None:
    """Let a state that was taken wait with another estimate; it is dropped if it is dead (-1), or leads to no better
    plan.
    """
    set_value(search.nodes, ESTIMATE, index, value)
    search.control[DROPPED] += 1
    if value >= 0 and value_of(search.nodes, COST, index) + value < search.control[BEST]:
        put_open(search, index)


@njit(inner=True)
def take_out(search: AStarSearch, index: int) -> None:
    """Take a state that is open out of its bucket."""
    total, second = _key(search, index)
    leave(search.opened, total, second, index)
    if len(search.rank):
        leave(search.ranked, total, long(search.rank[index]), index)
    search.control[WAITING] -= 1


@njit(inner=True)
def _draw(search: AStarSearch, most: int) -> int:
    """A pseudo-random number below `most`, by a linear congruential generator."""
    control = search.control
    control[CHANCE] = (control[CHANCE] * 1103515245 + 12345) & 0x7FFFFFFF
    return long((control[CHANCE] >> 8) % most)


@njit(inner=True)
def _any_estimate(search: AStarSearch, bucket: int) -> int:
    """The bucket of (f, h') if it is not empty, for that of (f, h): h' is drawn by chance from h to the estimate of the
    initial state, in the unit of all costs. The bucket itself if that one is empty.
    """
    value = search.opened.second[bucket]
    more = (value_of(search.nodes, ESTIMATE, 0) - value) // search.unit
    if more <= 0:
        return bucket
    other = beside(search.opened, search.opened.total[bucket], value + search.unit * _draw(search, more + 1))
    return other if other >= 0 else bucket


@njit(inner=True)
def _any_rank(search: AStarSearch, total: int) -> int:
    """A bucket of `ranked` that is not empty and has this total: of features drawn by chance, with the fewest changes.
    The one of the best rank if none is drawn.
    """
    ranked = search.ranked
    for _ in range(DRAWS):
        bucket = long(ranked.heap[_draw(search, ranked.sizes[HEAPED])])
        if ranked.total[bucket] != total or ranked.top[bucket] == NOWHERE:
            continue
        rank = ranked.second[bucket]
        first = rank - (rank & MOST_CHANGES)
        while beside(ranked, total, first) < 0:
            first += 1
        return beside(ranked, total, first)
    return least(ranked)


@njit(inner=True)
def take(search: AStarSearch) -> int:
    """Take an open state of the least total out of its bucket; gives the state, or PROVEN or EXHAUSTED."""
    opened, ranked, control = search.opened, search.ranked, search.control
    bucket = least(opened)
    if bucket < 0:
        return EXHAUSTED if control[BEST] == NONE else PROVEN
    total = opened.total[bucket]
    if total >= control[BEST]:
        return PROVEN
    # Of eight turns, with ranks, the odd ones go by rank: two of them the best rank, two a rank by chance. The even
    # ones, and without ranks all, rotate over four: the newest state of the least estimate, one of any estimate, the
    # newest again, the oldest. Whatever is taken has the least total: the bound, and so the proof, is the same for all.
    turn = control[EXPANDED] & 7
    if len(search.rank) and turn & 1:
        index = long(ranked.top[least(ranked) if turn & 2 == 0 else _any_rank(search, total)])
    else:
        turn = turn >> 1 if len(search.rank) else turn & 3
        if turn == ANY_ESTIMATE and search.unit:
            bucket = _any_estimate(search, bucket)
        index = long(opened.bottom[bucket] if turn == OLDEST else opened.top[bucket])
    take_out(search, index)
    control[BOUND] = max(control[BOUND], total)
    control[EXPANDED] += 1
    return index
