"""A Sokoban level: a map with walls and goals, boxes to be pushed, and a player.

A level is solved when every box stands on a goal; there may be more goals than boxes. Boxes that the player can never
reach are decoration.

Metrics: `pushes`, `moves` (pushes and walking), and both lexicographically, in either order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ...cells import Cell, Rows
from ...cost import Metric, Unit
from ...text import counted
from ..units import MOVE
from .xsb import BOX, BOX_ON_GOAL, GOAL, PLAYER, PLAYER_ON_GOAL, WALL

NAME = "sokoban"

PUSH = Unit("push", "pushes")
METRICS = (Metric((PUSH,)), Metric((MOVE,)), Metric((PUSH, MOVE)), Metric((MOVE, PUSH)))


@dataclass(frozen=True)
class Sokoban:
    """A Sokoban level. `terrain` is its map without player and boxes: walls, goals and floor (or outside)."""

    terrain: Rows
    boxes: frozenset[Cell]
    player: Cell

    @cached_property
    def goals(self) -> frozenset[Cell]:
        """The cells of all goals, those that the player can never reach included."""
        return frozenset((r, c) for r, row in enumerate(self.terrain) for c, char in enumerate(row) if char == GOAL)

    @cached_property
    def open_cells(self) -> frozenset[Cell]:
        """The cells of the map that are no walls."""
        return frozenset((r, c) for r, row in enumerate(self.terrain) for c, char in enumerate(row) if char != WALL)

    def is_open(self, cell: Cell) -> bool:
        """Whether a cell is on the map and no wall."""
        return cell in self.open_cells

    def draw(self, boxes: frozenset[Cell], player: Cell) -> Rows:
        """XSB rows of a position."""
        rows = [list(row) for row in self.terrain]
        for cell, off_goal, on_goal in [(b, BOX, BOX_ON_GOAL) for b in boxes] + [(player, PLAYER, PLAYER_ON_GOAL)]:
            rows[cell[0]][cell[1]] = on_goal if cell in self.goals else off_goal
        return tuple("".join(row) for row in rows)

    def board(self) -> Rows:
        """XSB rows of the start."""
        return self.draw(self.boxes, self.player)

    def counts(self) -> str:
        return counted(len(self.boxes), "box", "boxes")

    def goal_text(self) -> Rows:
        return ("every box stands on a goal",)
