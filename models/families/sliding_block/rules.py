"""The rules of sliding blocks: a piece moves cell by cell over cells that are free and open to it; it never turns."""

from __future__ import annotations

from collections.abc import Iterable

from ...cells import Cell, Rows, draw, place, shift
from ...errors import ReplayError
from ...moves import Slide
from ...plan import Simulator
from .notation import written
from .puzzle import SlidingBlock


class SlidingBlockSimulator(Simulator[Slide]):
    """A board in play.

    Costs: `steps`; `slides`, in which consecutive steps of one piece in one direction are one; `moves`,
    in which all consecutive steps of one piece are one.
    """

    def __init__(self, puzzle: SlidingBlock) -> None:
        self.puzzle = puzzle
        self.directions = {piece.letter: piece.directions for piece in puzzle.pieces}
        self.closed = {piece.letter: puzzle.closed_to(piece) for piece in puzzle.pieces}
        self.letters = {cell: piece.letter for piece in puzzle.pieces for cell in piece.cells}
        self.cells = {piece.letter: set(piece.cells) for piece in puzzle.pieces}
        self.costs = {"moves": 0, "slides": 0, "steps": 0}
        self._last_piece = self._last_direction = ""

    def play(self, move: Slide) -> str:
        letter = self.letters.get(move.cell)
        if letter is None:
            raise ReplayError(f"no piece at {place(move.cell)}")
        if not move.path:
            raise ReplayError(f"{letter} moves nowhere")
        for direction in move.path:
            self._step(letter, direction)
        return written(letter, move.path)

    def _step(self, letter: str, direction: str) -> None:
        if direction not in self.directions[letter]:
            raise ReplayError(f"{letter} may not move {direction}")
        blocked = self._blocked(letter, direction)
        if blocked:
            raise ReplayError(f"{letter} is blocked at {place(blocked)}")
        old = self.cells[letter]
        new = {shift(cell, direction) for cell in old}
        for cell in old:
            del self.letters[cell]
        self.letters.update(dict.fromkeys(new, letter))
        self.cells[letter] = new
        self.costs["steps"] += 1
        self.costs["slides"] += (letter, direction) != (self._last_piece, self._last_direction)
        self.costs["moves"] += letter != self._last_piece
        self._last_piece, self._last_direction = letter, direction

    def _blocked(self, letter: str, direction: str) -> Cell | None:
        """The first cell that keeps a piece from moving by one cell; None if it can."""
        old = self.cells[letter]
        for cell in sorted({shift(cell, direction) for cell in old} - old):
            inside = 0 <= cell[0] < self.puzzle.height and 0 <= cell[1] < self.puzzle.width
            if not inside or cell in self.closed[letter] or cell in self.letters:
                return cell
        return None

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        for letter in self.cells if of is None else [self.letters[of]]:
            for way in self.directions[letter]:
                if self._blocked(letter, way) is None:
                    yield Slide(min(self.cells[letter]), way)

    def board(self) -> Rows:
        return draw(self.puzzle.height, self.puzzle.width, self.letters, self.puzzle.walls)

    @property
    def solved(self) -> bool:
        return all(
            any(self.cells[other].issuperset(wanted) for other in self.puzzle.stand_ins(letter))
            for letter, wanted in self.puzzle.goal
        )
