"""A Rush Hour board.

A board of any size. A vehicle is a straight run of cells and moves only along its length; one cell long, it needs an
`orientation`. The goal: the target covers the exit cell, at the edge of the board or anywhere.

Metrics: `slides` (one piece, one straight line, any distance) and `steps` (one cell).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...cells import Cell, Rows, place, shift
from ...cost import Metric
from ...text import counted
from ..units import SLIDE, STEP

SLIDES, STEPS = Metric((SLIDE,)), Metric((STEP,))
METRICS = (SLIDES, STEPS)

FORWARD = {True: "R", False: "D"}
BACKWARD = {True: "L", False: "U"}
"""The direction backward, by whether a vehicle is horizontal."""

OUT = {"R": "to the right, row", "L": "to the left, row", "U": "at the top, column", "D": "at the bottom, column"}
"""How a vehicle that moves in a direction leaves the board, and in which line."""


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A piece: its letter, its cells from the top left, and its axis."""

    letter: str
    cells: tuple[Cell, ...]
    horizontal: bool


@dataclass(frozen=True)
class RushHour:
    """A Rush Hour board. `target` is the letter of the piece that must get out, by covering `exit_cell`."""

    height: int
    width: int
    walls: frozenset[Cell]
    vehicles: tuple[Vehicle, ...]
    target: str
    exit_cell: Cell

    def goal_text(self) -> Rows:
        way = self.exit()
        if way is None:
            return (f"piece {self.target} gets to {place(self.exit_cell)}",)
        return (f"piece {self.target} gets out {OUT[way[1]]} {self.exit_cell[way[1] in 'UD'] + 1}",)

    def goal_cells(self) -> dict[Cell, str]:
        return {self.exit_cell: self.target}

    def exit(self) -> tuple[Cell, str] | None:
        """The exit and its direction, if it lies at an end of the target's row or column."""
        horizontal = next(vehicle.horizontal for vehicle in self.vehicles if vehicle.letter == self.target)
        for way in (FORWARD[horizontal], BACKWARD[horizontal]):
            row, column = shift(self.exit_cell, way)
            if not (0 <= row < self.height and 0 <= column < self.width):
                return self.exit_cell, way
        return None

    def counts(self) -> str:
        return counted(len(self.vehicles), "vehicle")

    def inside(self, cell: Cell) -> bool:
        """Whether a cell is on the board and no wall."""
        return 0 <= cell[0] < self.height and 0 <= cell[1] < self.width and cell not in self.walls

    def lane_of(self, vehicle: Vehicle) -> list[Cell]:
        """The cells that a vehicle could cover on an empty board, from the top left."""
        lane = list(vehicle.cells)
        while self.inside(cell := shift(lane[0], BACKWARD[vehicle.horizontal])):
            lane.insert(0, cell)
        while self.inside(cell := shift(lane[-1], FORWARD[vehicle.horizontal])):
            lane.append(cell)
        return lane

    def walled_off(self) -> str | None:
        """Why the target cannot reach its exit even on an empty board, in a sentence; None if it can."""
        target = next(v for v in self.vehicles if v.letter == self.target)
        if self.exit_cell in self.lane_of(target):
            return None
        return f"a wall stands between piece {self.target} and its exit, {place(self.exit_cell)}"
