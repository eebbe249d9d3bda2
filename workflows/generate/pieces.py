"""Rectangles that slide, and what one move of them is."""

from __future__ import annotations

from typing import NamedTuple

STEPS, SLIDES, MOVES = range(3)
"""The metrics: what counts as one is a step of one cell, a straight slide, or any path of one piece."""

METRICS = {"steps": STEPS, "slides": SLIDES, "moves": MOVES}

FREE, HORIZONTAL, VERTICAL = range(3)
"""The axis along which a piece may move."""

ANYWHERE = (-1, -1)
"""The goal of a piece whose final place does not matter."""

Cell = tuple[int, int]


class Rectangle(NamedTuple):
    """A rectangle: its top left cell, its size, its axis. Pieces of one class, from 0 on, are interchangeable.

    `goal`: the top left cell that it has to reach, or `ANYWHERE`.
    """

    row: int
    column: int
    height: int
    width: int
    axis: int = FREE
    klass: int = 0
    goal: Cell = ANYWHERE

    def cells(self) -> set[Cell]:
        """The cells that it covers."""
        return {(self.row + r, self.column + c) for r in range(self.height) for c in range(self.width)}
