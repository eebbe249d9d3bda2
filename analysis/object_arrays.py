"""The movable objects of a task as named arrays for compiled kernels; `movable_objects` finds and fills them."""

from __future__ import annotations

from typing import NamedTuple

from ..runtime.arrays import Bytes, Ints, Longs, Words
from ..runtime.bitops import long, trailing_zeros
from ..runtime.kernel_cache import njit
from .bitset_kernels import ONE

INFINITE = 1 << 60
"""The distance of a place that cannot be reached: more than any distance."""


class MovableObjects(NamedTuple):
    """The chosen groups of a task with F facts and N operators: P places, `count` members, C columns to fill.

    `place` (F): the place that a fact is, or -1; `fact` (P) its inverse; `mask` (W) the bits of all places; `rows`: the
    members and the spare ones, as many as columns. `moves` (N, 2): places before and after each operator, or -1.
    `leaving`, `arriving`: operators by place before and after, as offsets and numbers. `bars`: for each operator the
    places where another member bars it; `covers`: for each place the walker's cells that a member there makes
    impassable. `walkable` (K): whether a cell can ever be walked on. `target` (P): whether a member there may satisfy
    the goal. `meets` (C, P): whether a member at a place fills a column. `spare` (rows - count, C): the costs of spare
    rows: 0 or `INFINITE`. `cost` (N): of each operator. `sides`: how many sides of a place are distinguished.

    Example: Sokoban with two boxes and two goals has count = rows = C = 2 and a place for each cell that is not dead;
    `bars` of the operator "push R from r2c3" is the place r2c4, where another box would block it.
    """

    place: Ints
    fact: Ints
    mask: Words
    count: int  # type: ignore[assignment]
    rows: int
    moves: Ints
    leaving_first: Ints
    leaving: Ints
    arriving_first: Ints
    arriving: Ints
    bars_first: Ints
    bars: Ints
    covers_first: Ints
    covers: Ints
    walkable: Bytes
    target: Bytes
    meets: Bytes
    spare: Longs
    cost: Longs
    sides: int


@njit(inner=True)
def places_in(objects: MovableObjects, row: Words, at: Longs) -> int:
    """Write the places of the objects of a state to `at`, in the order of their facts; how many there are."""
    mask, place, count = objects.mask, objects.place, 0
    for w in range(len(mask)):
        bits = row[w] & mask[w]
        # One turn for each true fact of an object: `bits & (bits - 1)` takes the lowest bit away.
        while bits:
            at[count] = place[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            count += 1
    return long(count)
