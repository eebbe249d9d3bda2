"""Sokoban rooms: walls and goals by chance, and the start that needs the most pushes by pulling backward."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..analysis.bitset_kernels import ONE
from ..models.family import Keys
from ..runtime.bitops import long, trailing_zeros
from ..runtime.kernel_calls import njit
from .generator import Graded
from .rectangles import FULL, States, enter, hardest, room_for

# Sokoban backward: from the solved positions, boxes are pulled; the last position that is new is the hardest start.
#
# Rooms of at most 8 x 8 cells within their outer walls. A set of cells is one word, cell (r, c) in bit 8 r + c, so
# that the player's region grows by shifts. A state is the word of the boxes and the lowest cell of the player's
# region.
#
#     push   @$.   ->  .@$          pull   .@$   ->  @$.     the same two positions, the other way round

SIZE = 8
"""The most rows and columns within the outer walls: cell (r, c) is bit 8 r + c."""

_NOT_FIRST = np.uint64(0xFEFEFEFEFEFEFEFE)
"""The cells of all columns but column 0: a step to the right cannot end in column 0."""
_NOT_LAST = np.uint64(0x7F7F7F7F7F7F7F7F)
_UP, _LEFT = np.uint64(8), np.uint64(1)


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


@njit()
def farthest(floor: np.uint64, goals: np.uint64, space: States) -> tuple[int, int, int]:
    """Visit all positions from which as many boxes as goals can be pushed home. Gives their number, the most pushes
    that one of them needs, and its number (of several: the one with the least boxes and player).

    (FULL, 0, 0) if there are more than there is room for.
    """
    count, full = 0, False
    # 1. The solved positions: one for each region of the player.
    left = floor & ~goals
    while left:
        # x & -x, the lowest bit: a cell from which the next region grows.
        start = left & (~left + ONE)
        here = region(floor & ~goals, start)
        left &= ~here
        if enter(space, goals, long(trailing_zeros(here)), count) == count:
            space.distance[count], space.queue[count] = 0, count
            count += 1
    # 2. Breadth-first: each layer is one pull, that is one push, farther.
    head = 0
    while head < count and not full:
        boxes = space.states[head]
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
                number = enter(space, after, long(trailing_zeros(there)), count)
                if number < 0:
                    full = True
                    break
                if number == count:
                    space.distance[count], space.queue[count] = space.distance[head] + 1, count
                    count += 1
            if full:
                break
        head += 1
    # 3. The last layer.
    best = hardest(space, count, count)
    return (FULL, 0, 0) if full else (count, long(space.distance[best]) if count > 0 else 0, best)


# Rooms by chance, and what they are worth.

STATES = 1 << 18
"""Rooms with more positions are left. Four boxes in a hard room of 8x8 cells have some ten thousand."""

WALLS = 0.45
"""The share of walls in a random room."""


@dataclass(frozen=True, slots=True)
class SokobanRoom:
    """Sets of cells as bits. `boxes` and `player` (its cell) are those of the hardest start; 0 before it is known."""

    floor: int
    goals: int
    boxes: int = 0
    player: int = 0


@dataclass(frozen=True)
class RoomMaker:
    """Rooms of `height` x `width` cells within their outer walls."""

    family: ClassVar[str] = "sokoban"
    metric: ClassVar[str] = "pushes"
    evaluations: ClassVar[int] = 300

    height: int
    width: int
    boxes: int
    states: int = STATES

    def _cells(self) -> list[int]:
        return [1 << (SIZE * r + c) for r in range(self.height) for c in range(self.width)]

    def new(self, chance: random.Random) -> SokobanRoom:
        """A random room: each cell is a wall with probability `WALLS`, and goals are on random cells."""
        floor = sum(cell for cell in self._cells() if chance.random() > WALLS)
        cells = _members(floor)
        goals = chance.sample(cells, self.boxes) if len(cells) > self.boxes else []
        return SokobanRoom(floor, sum(goals))

    def mutate(self, board: SokobanRoom, chance: random.Random) -> SokobanRoom:
        """One to three cells change between wall and floor, or a goal goes elsewhere, often to the cell beside it."""
        floor, goals = board.floor, board.goals
        for _ in range(chance.choice((1, 1, 2, 3))):
            if chance.random() < 0.3:
                gone = chance.choice(_members(goals))
                free = [cell for cell in _members(floor) if not cell & goals]
                near = [cell for cell in free if cell in (gone << 1, gone >> 1, gone << SIZE, gone >> SIZE)]
                if free:
                    goals = goals & ~gone | chance.choice(near if near and chance.random() < 0.5 else free)
                continue
            cell = chance.choice(self._cells())
            if not cell & goals:
                floor ^= cell
        return SokobanRoom(floor, goals)

    def grade(self, board: SokobanRoom) -> Graded | None:
        """See `Maker`; a room has a grade if there is a goal for each box, on the floor."""
        if board.goals & ~board.floor or board.goals.bit_count() != self.boxes:
            return None
        space = room_for(self.states)
        count, pushes, start = farthest(np.uint64(board.floor), np.uint64(board.goals), space)
        if count <= 0 or not pushes:
            return None
        boxes, player = space.value.states[start], space.value.player[start]
        return Graded(replace(board, boxes=int(boxes), player=int(player)), pushes, count)

    def minimal(self, graded: Graded) -> Graded:
        """Turn cells that the optimum does not need into walls."""
        for cell in _members(graded.board.floor & ~graded.board.goals):
            less = self.grade(replace(graded.board, floor=graded.board.floor & ~cell))
            if less is not None and less.optimum == graded.optimum:
                graded = less
        return graded

    def same(self, board: SokobanRoom) -> Hashable:
        """The least of the drawings of all eight mirror images, without outer rows and columns of walls."""
        return min(tuple(_cut(rows)) for rows in _images(self._drawn(board)))

    def _drawn(self, room: SokobanRoom) -> list[str]:
        """Rows of the map, with outer walls."""
        rows = []
        for r in range(-1, self.height + 1):
            row = ""
            for c in range(-1, self.width + 1):
                inside = 0 <= r < self.height and 0 <= c < self.width
                row += _sign(room, SIZE * r + c) if inside else "#"
            rows.append(row)
        return rows

    def keys(self, board: SokobanRoom) -> Keys:
        """See `Maker`."""
        return {"map": tuple(_cut(self._drawn(board)))}


def _sign(room: SokobanRoom, cell: int) -> str:
    bit = 1 << cell
    if not room.floor & bit:
        return "#"
    box, goal, player = room.boxes & bit, room.goals & bit, cell == room.player
    return ("*" if goal else "$") if box else ("+" if goal else "@") if player else "." if goal else " "


def _cut(rows: list[str]) -> list[str]:
    """A map without rows and columns of walls beyond the outer ones."""
    for _ in range(4):
        while len(rows) > 2 and set(rows[0]) == set(rows[1]) == {"#"}:
            rows = rows[1:]
        rows = ["".join(column) for column in zip(*rows, strict=True)][::-1]  # a quarter turn
    return rows


def _images(rows: list[str]) -> Iterator[list[str]]:
    """The eight mirror images of a map."""
    for _ in range(4):
        yield rows
        yield rows[::-1]
        rows = ["".join(column) for column in zip(*rows, strict=True)][::-1]


def _members(cells: int) -> list[int]:
    """The cells of a set (bits of an integer), each as a set with one cell."""
    found = []
    while cells:
        found.append(cells & -cells)
        cells &= cells - 1
    return found
