"""The rules of sliding blocks: a piece moves cell by cell over cells that are free and open to it; it never turns."""

from __future__ import annotations

from ...cells import Cell
from ...errors import ReplayError
from ...moves import Slide
from ...sliding import SlidingSimulator
from .notation import written
from .puzzle import SlidingBlock


class SlidingBlockSimulator(SlidingSimulator):
    """A board in play.

    Costs: `steps`; `slides`, in which consecutive steps of one piece in one direction are one; `moves`,
    in which all consecutive steps of one piece are one.
    """

    def __init__(self, puzzle: SlidingBlock) -> None:
        pieces = {piece.letter: piece.cells for piece in puzzle.pieces}
        ways = {piece.letter: piece.directions for piece in puzzle.pieces}
        super().__init__(puzzle.height, puzzle.width, puzzle.walls, pieces, ways)
        self.puzzle = puzzle
        self.closed = {piece.letter: puzzle.closed_to(piece) for piece in puzzle.pieces}
        self.costs = {"moves": 0, "slides": 0, "steps": 0}
        self._last_piece = self._last_direction = ""

    def open_to(self, letter: str, cell: Cell) -> bool:
        return cell not in self.closed[letter]

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        if not move.path:
            raise ReplayError(f"{letter} moves nowhere")
        for direction in move.path:
            if direction not in self.ways[letter]:
                raise ReplayError(f"{letter} may not move {direction}")
            self.step(letter, direction)
            self.costs["steps"] += 1
            self.costs["slides"] += (letter, direction) != (self._last_piece, self._last_direction)
            self.costs["moves"] += letter != self._last_piece
            self._last_piece, self._last_direction = letter, direction
        return written(letter, move.path)

    @property
    def solved(self) -> bool:
        return all(
            any(self.cells[other].issuperset(wanted) for other in self.puzzle.stand_ins(letter))
            for letter, wanted in self.puzzle.goal
        )
