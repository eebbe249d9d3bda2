"""Sokoban backward: from the solved positions, boxes are pulled; the last position that is new is the hardest start.

Rooms of at most 8 x 8 cells within their outer walls. A set of cells is one word, cell (r, c) in bit 8 r + c, so that
the player's region grows by shifts. A state is the word of the boxes and the lowest cell of the player's region.

    push   @$.   ->  .@$          pull   .@$   ->  @$.     the same two positions, the other way round
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..analysis.bitset_kernels import ONE
from ..runtime.arrays import Bytes, Ints, Shorts, Words
from ..runtime.bitops import HASH_SEED, hash_word, long, trailing_zeros
from ..runtime.kernel_calls import laid_out, njit

SIZE = 8
EMPTY, FULL = -1, -2
_NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)
"""The cells of all columns but column 0: a step to the right cannot end in column 0."""
_NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)
_UP, _LEFT = np.uint64(8), np.uint64(1)


class PullSpace(NamedTuple):
    """Room for states: their boxes, the player's cell, their distance, the hash table and their slots in it."""

    boxes: Words
    player: Bytes
    distance: Shorts
    table: Ints
    slot: Ints


@njit(inner=True)
def beside(cells: np.uint64, way: int) -> np.uint64:
    """A set of cells moved one step up, down, left or right (0 to 3); cells that would leave the room are dropped."""
    if way == 0:
        return cells >> _UP
    if way == 1:
        return cells << _UP
    if way == 2:
        return (cells & _NOT_FIRST) >> _LEFT
    return (cells & _NOT_LAST) << _LEFT


@njit(inner=True)
def region(free: np.uint64, start: np.uint64) -> np.uint64:
    """The cells that can be reached from a set of cells through free ones."""
    reached, before = start, np.uint64(0)
    # All cells of the front step in four directions at once, by shifts of the whole word.
    while reached != before:
        before = reached
        for way in range(4):
            reached |= beside(reached, way) & free
    return reached


@njit(inner=True)
def enter(space: PullSpace, boxes: np.uint64, player: int, count: int) -> bool:
    """Store a state under the number `count` unless it is stored already; returns whether it is new."""
    table = space.table
    last = len(table) - 1
    at = long(hash_word(HASH_SEED, boxes ^ (np.uint64(player) << np.uint64(57)))) & last
    while table[at] != EMPTY:
        if space.boxes[table[at]] == boxes and space.player[table[at]] == player:
            return False
        at = (at + 1) & last
    table[at] = count
    space.boxes[count], space.player[count], space.slot[count] = boxes, player, at
    return True


@njit()
def farthest(floor: np.uint64, goals: np.uint64, space: PullSpace) -> tuple[int, int, int]:
    """Visit all positions from which as many boxes as goals can be pushed home. Gives their number, the most pushes
    that one of them needs, and its number (of several: the one with the least boxes and player).

    (FULL, 0, 0) if there are more than there is room for.
    """
    room = len(space.boxes) - 1
    count, full = 0, False
    # 1. The solved positions: one for each region of the player.
    left = floor & ~goals
    while left:
        # x & -x, the lowest bit: a cell from which the next region grows.
        start = left & (~left + ONE)
        here = region(floor & ~goals, start)
        left &= ~here
        if enter(space, goals, long(trailing_zeros(here)), count):
            space.distance[count] = 0
            count += 1
    # 2. Breadth-first: each layer is one pull, that is one push, farther.
    head = 0
    while head < count and not full:
        boxes = space.boxes[head]
        free = floor & ~boxes
        reached = region(free, ONE << np.uint64(space.player[head]))
        for way in range(4):
            # The player beside a box in this direction, with a free cell behind: the box follows to where he stands.
            back = way ^ 1
            movable = boxes & beside(reached & beside(free, back), back)
            while movable:
                # The player, on `stand`, takes a step in direction `way`, and the box follows to where he stood.
                box = movable & (~movable + ONE)
                movable ^= box
                stand = beside(box, way)
                after = (boxes ^ box) | stand
                there = region(floor & ~after, beside(stand, way))
                if enter(space, after, long(trailing_zeros(there)), count):
                    space.distance[count] = space.distance[head] + 1
                    count += 1
                    if count >= room:
                        full = True
                        break
            if full:
                break
        head += 1
    # 3. The last layer.
    most, best = 0, 0
    if count > 0 and not full:
        most, best = space.distance[count - 1], count - 1
        for i in range(count - 1, -1, -1):
            if space.distance[i] < most:
                break
            less = space.boxes[i] < space.boxes[best]
            if less or (space.boxes[i] == space.boxes[best] and space.player[i] < space.player[best]):
                best = i
    for i in range(count):
        space.table[space.slot[i]] = EMPTY
    return (FULL, 0, 0) if full else (count, most, best)


@dataclass(frozen=True, slots=True)
class Hardest:
    """The start of a room that needs the most pushes, and of how many positions. Cells are numbers 8 r + c."""

    states: int
    pushes: int
    boxes: int
    player: int


class Puller:
    """Finds the hardest starts of rooms with at most `most` positions, in arrays that are made once."""

    def __init__(self, most: int) -> None:
        self._space = laid_out(
            PullSpace(
                boxes=np.empty(most, np.uint64),
                player=np.empty(most, np.uint8),
                distance=np.empty(most, np.int16),
                table=np.full(1 << (2 * most - 1).bit_length(), EMPTY, np.int32),
                slot=np.empty(most, np.int32),
            )
        )

    def hardest(self, floor: int, goals: int) -> Hardest | None:
        """The hardest start of a room, given by the sets of its cells and goals; None if it is too large."""
        count, pushes, best = farthest(np.uint64(floor), np.uint64(goals), self._space)
        if count <= 0:
            return None
        found = self._space.value  # type: ignore[attr-defined]
        return Hardest(count, pushes, int(found.boxes[best]), int(found.player[best]))
