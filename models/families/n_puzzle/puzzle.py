"""An n-puzzle: numbered tiles on a rectangle with one blank, which every move exchanges with a tile beside it.

Equal tiles are interchangeable. Metric: `moves` (one tile, one cell).
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass

from ...cells import Cell, Rows
from ...cost import Metric
from ...text import counted
from ..units import MOVE

MOVES = Metric((MOVE,))
METRICS = (MOVES,)

BLANK = 0
"""The blank as it is kept in rows."""

SIGNS = string.digits[1:] + string.ascii_letters
"""One character for each tile, for drawing boards. More tiles get characters of Unicode's private area."""

Tiles = tuple[tuple[int, ...], ...]
"""Rows of numbers, 0 for the blank."""


@dataclass(frozen=True)
class NPuzzle:
    """An n-puzzle: `start` and `goal` have the same tiles and one blank."""

    start: Tiles
    goal: Tiles

    def goal_text(self) -> Rows:
        return draw(self.signs(self.goal))

    def counts(self) -> str:
        return counted(sum(tile != BLANK for row in self.start for tile in row), "tile")

    def labels(self) -> dict[str, str]:
        """The number of each tile by its sign on the board: `1` to `9`, `a` for the tenth, and so on."""
        tiles = sorted(tile for row in self.start for tile in row if tile != BLANK)
        return {_sign(i): str(tile) for i, tile in enumerate(tiles)}

    def signs(self, tiles: Tiles) -> dict[Cell, str]:
        """The sign on each cell: a character of its own for every tile, also among equal ones; `.` is the blank."""
        free: dict[str, list[str]] = {}
        for sign, number in self.labels().items():
            free.setdefault(number, []).append(sign)
        return {cell: free[str(tile)].pop(0) if tile else "." for cell, tile in cells_of(tiles).items()}


def cells_of(tiles: Tiles) -> dict[Cell, int]:
    """The tile on each cell, in reading order."""
    return {(r, c): tile for r, row in enumerate(tiles) for c, tile in enumerate(row)}


def draw(signs: Mapping[Cell, str]) -> Rows:
    """The board as rows of signs."""
    height = max(row for row, _ in signs) + 1
    return tuple("".join(sign for (row, _), sign in signs.items() if row == r) for r in range(height))


def _sign(i: int) -> str:
    """A character for the tile number i, counted from 0."""
    return SIGNS[i] if i < len(SIGNS) else chr(0xE000 + i)
