"""A binary heap of numbers by their keys, in which a key can be lowered: for Dijkstra's algorithm, compiled.

`key` has the key of each number, `heap` the numbers in the heap, least first, `place` where each stands (-1: nowhere).
"""

from __future__ import annotations

from ..runtime.arrays import Ints, Longs
from ..runtime.bitops import long
from ..runtime.kernel_calls import njit


@njit(inner=True)
def lower(key: Longs, heap: Ints, place: Ints, size: int, number: int, value: int) -> int:
    """Give a number a lower key, and put it into the heap or move it up there; gives the heap's size."""
    key[number] = value
    at = long(place[number])
    if at < 0:
        at = size
        size += 1
    # Sift up: nodes with larger keys move down, and the number is written once, where it stays.
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if key[other] <= value:
            break
        heap[at] = other
        place[other] = at
        at = above
    heap[at] = number
    place[number] = at
    return size


@njit(inner=True)
def take_least(key: Longs, heap: Ints, place: Ints, size: int) -> int:
    """Take the number with the least key out of a heap of this size, which is one less then."""
    first, last = long(heap[0]), long(heap[size - 1])
    place[first] = -1
    size -= 1
    if size == 0:
        return first
    # The last one fills the gap at the top, and sifts down past the lesser of each two below.
    value, at = key[last], long(0)
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        other = heap[below]
        if key[other] >= value:
            break
        heap[at] = other
        place[other] = at
        at = below
    heap[at] = last
    place[last] = at
    return first
