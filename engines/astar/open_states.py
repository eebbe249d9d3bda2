"""The open states of A*, in buckets: all states of the same key stand in one, and a heap orders the buckets.

A key is the total f = cost + estimate and, where there is room for it, the estimate h; there are a few thousand keys
where there are millions of states.

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
from ...runtime.kernel_cache import njit
from ..common.cost_kernels import pop, push
from .tunables import ASTAR

BUCKETS, HEAPED = range(2)
"""Entries of `OpenStates.sizes`: buckets that there are, and those that stand in the heap."""

NOWHERE = -1
"""No state below, or above; an empty bucket; an empty slot."""

OUT = -2
"""Stands in place of the state below for a state that is in no bucket, that is, not open."""

FIRST_BUCKETS = ASTAR.first_buckets


class OpenStates(NamedTuple):
    """Buckets (B) of states (S). `below`, `above` (S): the neighbours of a state in its bucket; `top`, `bottom` (B):
    the states at its ends.

    `key` (B) of each bucket; `slot` (2 B): open addressing, the number of a bucket or -1. `heap_key`, `heap` (B): a
    binary heap of numbers of buckets, in which each that is not empty stands, and may stand when it is: `heaped` (B).
    """

    below: Ints
    above: Ints
    key: Longs
    top: Ints
    bottom: Ints
    slot: Ints
    heaped: Ints
    heap_key: Longs
    heap: Ints
    sizes: Longs


def open_states(states: int, buckets: int = FIRST_BUCKETS) -> OpenStates:
    """An empty queue with room for `states` states and `buckets` buckets (a power of two)."""
    return OpenStates(
        below=np.full(states, OUT, np.int32),
        above=np.full(states, NOWHERE, np.int32),
        key=np.zeros(buckets, np.int64),
        top=np.full(buckets, NOWHERE, np.int32),
        bottom=np.full(buckets, NOWHERE, np.int32),
        slot=np.full(2 * buckets, NOWHERE, np.int32),
        heaped=np.zeros(buckets, np.int32),
        heap_key=np.zeros(buckets, np.int64),
        heap=np.zeros(buckets, np.int32),
        sizes=np.zeros(2, np.int64),
    )


def begin(opened: OpenStates, key: int) -> None:
    """Open the initial state, 0, in an empty queue."""
    opened.below[0] = opened.above[0] = NOWHERE
    opened.key[0] = opened.heap_key[0] = key
    opened.top[0] = opened.bottom[0] = opened.heap[0] = 0
    opened.heaped[0] = opened.sizes[BUCKETS] = opened.sizes[HEAPED] = 1
    _reslot(opened)


def longer(opened: OpenStates, states: int) -> OpenStates:
    """The same queue with room for `states` states, and for twice the buckets if these are three quarters full.

    The arrays of states are made longer in place: nothing else may hold their addresses.
    """
    enough = 4 * opened.sizes[BUCKETS] < 3 * len(opened.key)
    made = open_states(0, len(opened.key) if enough else 2 * len(opened.key))
    for links in (opened.below, opened.above):
        links.resize(states, refcheck=False)
    made = made._replace(below=opened.below, above=opened.above)
    for new, old in ((made.key, opened.key), (made.heap_key, opened.heap_key)):
        new[: len(old)] = old
    for name in ("top", "bottom", "heaped", "heap"):
        getattr(made, name)[: len(opened.top)] = getattr(opened, name)
    made.sizes[:] = opened.sizes
    _reslot(made)
    return made


@njit(cache=True)
def _reslot(opened: OpenStates) -> None:
    for bucket in range(opened.sizes[BUCKETS]):
        opened.slot[_slot_of(opened, opened.key[bucket])] = bucket


@njit(inner=True)
def _slot_of(opened: OpenStates, key: int) -> int:
    """The slot of the bucket with a key, or the empty one where it belongs."""
    slot, mask = opened.slot, len(opened.slot) - 1
    # f stands above bit 32 and h below: a product spreads both over the upper bits (Knuth's multiplicative hashing).
    place = (long(key) * long(0x9E3779B97F4A7C1) >> 20) & mask
    while slot[place] != NOWHERE and opened.key[slot[place]] != key:
        place = (place + 1) & mask
    return place


@njit(inner=True)
def enter(opened: OpenStates, key: int, state: int) -> None:
    """Put a state that stands nowhere on top of the bucket of a key. There must be room for a bucket."""
    sizes, top = opened.sizes, opened.top
    slot = _slot_of(opened, key)
    bucket = long(opened.slot[slot])
    if bucket == NOWHERE:
        bucket = sizes[BUCKETS]
        sizes[BUCKETS] += 1
        opened.slot[slot], opened.key[bucket] = bucket, key
    if not opened.heaped[bucket]:
        push(opened.heap_key, opened.heap, sizes[HEAPED], key, bucket)
        sizes[HEAPED] += 1
        opened.heaped[bucket] = 1
    under = top[bucket]
    opened.below[state], opened.above[state] = under, NOWHERE
    if under == NOWHERE:
        opened.bottom[bucket] = state
    else:
        opened.above[under] = state
    top[bucket] = state


@njit(inner=True)
def leave(opened: OpenStates, key: int, state: int) -> None:
    """Take a state out of the bucket of a key, in which it stands."""
    below, above = opened.below[state], opened.above[state]
    bucket = long(opened.slot[_slot_of(opened, key)])
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
        pop(opened.heap_key, opened.heap, sizes[HEAPED])
        sizes[HEAPED] -= 1
        opened.heaped[bucket] = 0
    return -1


@njit(inner=True)
def beside(opened: OpenStates, key: int) -> int:
    """The number of the bucket of a key; -1 if no bucket has this key or it is empty."""
    bucket = long(opened.slot[_slot_of(opened, key)])
    return bucket if bucket != NOWHERE and opened.top[bucket] != NOWHERE else -1
