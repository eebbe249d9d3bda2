"""Sokoban rooms: walls and goals by chance, and the start that needs the most pushes by pulling backward."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from ..models.family import Keys
from .maker import Graded

if TYPE_CHECKING:
    from .pulls import Puller

STATES = 1 << 18
"""Rooms with more positions are left. Four boxes in a hard room of 8x8 cells have some ten thousand."""

SIZE = 8
"""The most rows and columns within the outer walls: cell (r, c) is bit 8 r + c."""

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

    height: int
    width: int
    boxes: int
    states: int = STATES

    @property
    def family(self) -> str:
        return "sokoban"

    @property
    def metric(self) -> str:
        return "pushes"

    @property
    def evaluations(self) -> int:
        return 300

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
        found = _puller(self.states).hardest(board.floor, board.goals)
        if found is None or not found.pushes:
            return None
        return Graded(replace(board, boxes=found.boxes, player=found.player), found.pushes, found.states)

    def minimal(self, graded: Graded) -> Graded:
        """Turn cells that the player never reaches, and cells that the optimum does not need, into walls."""
        room: SokobanRoom = graded.board
        reached = _reached(room.floor, 1 << room.player)
        graded = replace(graded, board=replace(room, floor=reached | room.boxes | room.goals))
        for cell in _members(reached & ~room.goals):
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


def _reached(floor: int, start: int) -> int:
    """The cells that can be reached from a cell on a floor without boxes."""
    reached, before = start, 0
    columns = sum(1 << (SIZE * r) for r in range(SIZE))
    while reached != before:
        before = reached
        left, right = (reached & ~columns) >> 1, (reached & ~(columns << (SIZE - 1))) << 1
        reached |= (left | right | reached >> SIZE | reached << SIZE) & floor
    return reached


@cache
def _puller(states: int) -> Puller:
    """The puller of this process; its arrays are made once for each limit of states."""
    from .pulls import Puller

    return Puller(states)
