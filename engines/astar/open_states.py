"""The open states of A*, in buckets: all states of the same key stand in one, and a heap orders the buckets.

A key is two numbers of 64 bits: the total f = cost + estimate, and a second one that orders states of equal f, such as
the estimate h. There are a few thousand keys where there are millions of states.

    heap of buckets     (20, 3)  (20, 5)  (22, 4)        the least f first, then the least h
    top                    17       9        4           the newest state of each
                            |       |
    bottom                  3      12        4           the oldest; the list is linked both ways

A state stands in at most one bucket: one to which a cheaper way is found leaves its old one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit

# Buckets of open states that there is room for at first.
FIRST_BUCKETS = 1 << 10

BUCKETS, HEAPED = range(2)
"""Entries of `OpenStates.sizes`: buckets that there are, and those that stand in the heap."""

NOWHERE = -1
"""No state below, or above; an empty bucket; an empty slot."""

OUT = -2
"""Stands in place of the state below for a state that is in no bucket, that is, not open."""


class OpenStates(NamedTuple):
    """Buckets (B) of states (S). `below`, `above` (S): the neighbours of a state in its bucket; `top`, `bottom` (B):
    the states at its ends.

    `total`, `second` (B): the key of each bucket; `slot` (2 B): open addressing, the number of a bucket or -1. `heap`
    (B): a binary heap of numbers of buckets, in which each that is not empty stands, and may stand when it is: `heaped`
    (B).
    """

    below: Ints
    above: Ints
    total: Longs
    second: Longs
    top: Ints
    bottom: Ints
    slot: Ints
    heaped: Ints
    heap: Ints
    sizes: Longs


def open_states(states: int, buckets: int = FIRST_BUCKETS) -> OpenStates:
    """An empty queue with room for `states` states and `buckets` buckets (a power of two)."""
    return OpenStates(
        below=np.full(states, OUT, np.int32),
        above=np.full(states, NOWHERE, np.int32),
        total=np.zeros(buckets, np.int64),
        second=np.zeros(buckets, np.int64),
        top=np.full(buckets, NOWHERE, np.int32),
        bottom=np.full(buckets, NOWHERE, np.int32),
        slot=np.full(2 * buckets, NOWHERE, np.int32),
        heaped=np.zeros(buckets, np.int32),
        heap=np.zeros(buckets, np.int32),
        sizes=np.zeros(2, np.int64),
    )


def begin(opened: OpenStates, total: int, second: int) -> None:
    """Open the initial state, 0, in an empty queue."""
    opened.below[0] = opened.above[0] = NOWHERE
    opened.total[0], opened.second[0] = total, second
    opened.top[0] = opened.bottom[0] = opened.heap[0] = 0
    opened.heaped[0] = opened.sizes[BUCKETS] = opened.sizes[HEAPED] = 1
    _reslot(opened)


def longer(opened: OpenStates, states: int) -> OpenStates:
    """The same queue with room for `states` states, and for twice the buckets if these are three quarters full.

    The arrays of states are made longer in place: nothing else may hold their addresses.
    """
    enough = 4 * opened.sizes[BUCKETS] < 3 * len(opened.total)
    made = open_states(0, len(opened.total) if enough else 2 * len(opened.total))
    for links in (opened.below, opened.above):
        links.resize(states, refcheck=False)
    made = made._replace(below=opened.below, above=opened.above)
    for name in ("total", "second", "top", "bottom", "heaped", "heap"):
        getattr(made, name)[: len(opened.top)] = getattr(opened, name)
    made.sizes[:] = opened.sizes
    _reslot(made)
    return made


@njit()
def _reslot(opened: OpenStates) -> None:
    for bucket in range(opened.sizes[BUCKETS]):
        opened.slot[_slot_of(opened, opened.total[bucket], opened.second[bucket])] = bucket


@njit(inner=True)
def _slot_of(opened: OpenStates, total: int, second: int) -> int:
    """The slot of the bucket with a key, or the empty one where it belongs."""
    slot, mask = opened.slot, len(opened.slot) - 1
    # A product spreads a number over the upper bits (Knuth's multiplicative hashing).
    place = ((long(total) << 32) + long(total) + long(second)) * long(0x9E3779B97F4A7C1) >> 20 & mask
    while slot[place] != NOWHERE and (opened.total[slot[place]] != total or opened.second[slot[place]] != second):
        place = (place + 1) & mask
    return place


@njit(inner=True)
def _before(opened: OpenStates, one: int, other: int) -> bool:
    """Whether a bucket has a smaller key than another: a smaller total, or an equal one and a smaller second number."""
    total, than = opened.total[one], opened.total[other]
    return bool(total < than or (total == than and opened.second[one] < opened.second[other]))


@njit(inner=True)
def _push(opened: OpenStates, bucket: int) -> None:
    """Put a bucket into the heap, where it rises above those with larger keys."""
    heap, place = opened.heap, opened.sizes[HEAPED]
    opened.sizes[HEAPED] += 1
    opened.heaped[bucket] = 1
    while place > 0 and _before(opened, bucket, heap[(place - 1) >> 1]):
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = bucket


@njit(inner=True)
def _pop(opened: OpenStates) -> None:
    """Take the bucket with the least key out of the heap: the last one sinks from there."""
    heap, place = opened.heap, long(0)
    opened.heaped[heap[0]] = 0
    opened.sizes[HEAPED] -= 1
    size = opened.sizes[HEAPED]
    last = heap[size]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and _before(opened, heap[below + 1], heap[below]):
            below += 1
        if not _before(opened, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last


@njit(inner=True)
def enter(opened: OpenStates, total: int, second: int, state: int) -> None:
    """Put a state that stands nowhere on top of the bucket of a key. There must be room for a bucket."""
    sizes, top = opened.sizes, opened.top
    slot = _slot_of(opened, total, second)
    bucket = long(opened.slot[slot])
    if bucket == NOWHERE:
        bucket = sizes[BUCKETS]
        sizes[BUCKETS] += 1
        opened.slot[slot], opened.total[bucket], opened.second[bucket] = bucket, total, second
    if not opened.heaped[bucket]:
        _push(opened, bucket)
    under = top[bucket]
    opened.below[state], opened.above[state] = under, NOWHERE
    if under == NOWHERE:
        opened.bottom[bucket] = state
    else:
        opened.above[under] = state
    top[bucket] = state


@njit(inner=True)
def leave(opened: OpenStates, total: int, second: int, state: int) -> None:
    """Take a state out of the bucket of a key, in which it stands."""
    below, above = opened.below[state], opened.above[state]
    bucket = long(opened.slot[_slot_of(opened, total, second)])
    if above == NOWHERE:
        opened.top[bucket] = below
    else:
        opened.below[above] = below
    if below == NOWHERE:
        opened.bottom[bucket] = above
    else:
        opened.above[below] = above
    opened.below[state] = OUT


@njit(inner=True)
def least(opened: OpenStates) -> int:
    """The number of the bucket with the least key that is not empty; -1 if all are."""
    sizes = opened.sizes
    while sizes[HEAPED] > 0:
        bucket = long(opened.heap[0])
        if opened.top[bucket] != NOWHERE:
            return bucket
        _pop(opened)
    return -1


@njit(inner=True)
def beside(opened: OpenStates, total: int, second: int) -> int:
    """The number of the bucket of a key; -1 if no bucket has this key or it is empty."""
    bucket = long(opened.slot[_slot_of(opened, total, second)])
    return bucket if bucket != NOWHERE and opened.top[bucket] != NOWHERE else -1
