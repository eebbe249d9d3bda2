"""A sliding-block puzzle: pieces of any shape that slide on a board of any shape (Klotski and its kin).

Pieces slide from cell to neighbouring cell and never turn. A goal may name several pieces, and may show
only some of a piece's cells: every position that covers the cells shown will do. Pieces of one shape that
the goal does not name are interchangeable; pieces that it names are themselves, even if others look the
same.

Metrics: `moves` (one piece along any path, corners included), `slides` (one piece, one straight line, any
distance) and `steps` (one cell).
"""

from __future__ import annotations

from dataclasses import dataclass

from ...cells import Cell, Rows, draw
from ...cost import Metric
from ...text import counted
from ..units import MOVE, SLIDE, STEP

MOVES, SLIDES, STEPS = Metric((MOVE,)), Metric((SLIDE,)), Metric((STEP,))
METRICS = (MOVES, SLIDES, STEPS)


@dataclass(frozen=True, slots=True)
class BlockPiece:
    """A piece: its letter, its cells in reading order, the directions that it may take (letters of UDLR)."""

    letter: str
    cells: tuple[Cell, ...]
    directions: str = "UDLR"

    @property
    def shape(self) -> tuple[Cell, ...]:
        """The cells relative to the first one."""
        row, column = self.cells[0]
        return tuple((r - row, c - column) for r, c in self.cells)


@dataclass(frozen=True)
class SlidingBlock:
    """A sliding-block puzzle.

    `doors` are the cells that only some pieces, given by letter, may enter. `goal` lists letters with the
    cells that the piece must cover; `alike` are sets of letters of which each can stand for the others in
    the goal.
    """

    height: int
    width: int
    walls: frozenset[Cell]
    pieces: tuple[BlockPiece, ...]
    goal: tuple[tuple[str, tuple[Cell, ...]], ...]
    doors: tuple[tuple[Cell, frozenset[str]], ...] = ()
    alike: tuple[frozenset[str], ...] = ()

    def goal_cells(self) -> dict[Cell, str]:
        return {cell: letter for letter, cells in self.goal for cell in cells}

    def goal_text(self) -> Rows:
        return draw(self.height, self.width, self.goal_cells(), self.walls)

    def counts(self) -> str:
        return counted(len(self.pieces), "piece")

    def closed_to(self, piece: BlockPiece) -> frozenset[Cell]:
        """The cells that a piece may never enter: walls, and doors that are not open to it."""
        return self.walls.union(cell for cell, letters in self.doors if piece.letter not in letters)

    def stand_ins(self, letter: str) -> frozenset[str]:
        """The pieces that count as the piece with this letter in the goal: itself, and those that the file says are
        alike.
        """
        return next((letters for letters in self.alike if letter in letters), frozenset(letter))
