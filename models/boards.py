"""Boards with lanes: a view of puzzles in which every piece moves along a lane of its own.

A family offers this view in its record. An engine that reads it knows nothing of the family, of its files or its rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from .cells import Cell, direction
from .moves import Slide


@dataclass(frozen=True, slots=True)
class LaneVehicle:
    """A vehicle in its lane: the cells between walls that it could cover, in order.

    It covers `size` of them, from `cells[position]` on. `AA` in `..AA#` has a lane of 4 cells, size 2, position 2.
    """

    cells: tuple[Cell, ...]
    size: int
    position: int

    def slide(self, start: int, end: int) -> Slide:
        """The move from one position in the lane to another."""
        step = 1 if end > start else -1
        return Slide(self.cells[start], direction(self.cells[start], self.cells[start + step]) * abs(end - start))


@dataclass(frozen=True, slots=True)
class LaneBoard:
    """Vehicles in their lanes, in reading order; vehicle number `target` must cover the cell `exit`.

    `long_moves`: in the metric asked for a vehicle that goes on in one direction makes one move, however far.
    `unsolvable_because` says why the exit is not in the target's lane, if it is not.
    """

    vehicles: tuple[LaneVehicle, ...]
    target: int
    exit: Cell
    long_moves: bool
    unsolvable_because: str | None = None
