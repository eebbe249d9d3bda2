"""The positions of a level of Sokoban, and the moves between them.

Cells are bits of one integer, row by row, each row one bit wider than the map, so that a shift by 1 or by the width is
a step and nothing wraps around.
"""

from __future__ import annotations

from collections.abc import Iterator

from .core.limits import Limits
from .reading import Cell, Cost
from .rules_sokoban import Level

Position = tuple[int, int]


class BoxGame:
    """A level, step by step. A position is the boxes and the player's cell."""

    def __init__(self, level: Level, limits: Limits) -> None:
        self.width = max(map(len, level.rows)) + 1
        self.floor, self.goals = self.mask(level.open), self.mask(level.goals)
        self.shifts = (1, -1, self.width, -self.width)
        self.limits = limits
        self.size = 120 + 2 * self.width * (len(level.rows) + 2) // 7
        self.start: Position = self.mask(level.boxes), self.mask(frozenset((level.player,)))

    def mask(self, cells: frozenset[Cell]) -> int:
        """Cells as one integer, with a bit for each."""
        return sum(1 << ((r + 1) * self.width + c + 1) for r, c in cells)

    def solved(self, position: Position) -> bool:
        """Whether every box stands on a goal."""
        return not position[0] & ~self.goals

    def steps(self, position: Position) -> Iterator[tuple[Cost, Position]]:
        """The positions after one step of the player, each with its cost in pushes and moves; a push is a step, too."""
        boxes, player = position
        free = self.floor & ~boxes
        for by in self.shifts:
            self.limits.tick()
            there = moved(player, by)
            if there & free:
                yield (0, 1), (boxes, there)
            elif there & boxes and moved(there, by) & free:
                yield (1, 1), (boxes ^ there ^ moved(there, by), there)


def moved(mask: int, by: int) -> int:
    """The cells of a mask, moved by one step in the direction of `by`."""
    return mask << by if by > 0 else mask >> -by
