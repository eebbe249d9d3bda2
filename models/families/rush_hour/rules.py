"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from ...cells import Cell
from ...errors import ReplayError
from ...moves import Slide
from ...sliding import SlidingSimulator
from .notation import written
from .puzzle import BACKWARD, FORWARD, RushHour


class RushHourSimulator(SlidingSimulator):
    """A board in play. A run of moves of one piece in one direction counts as one of `slides`."""

    def __init__(self, puzzle: RushHour) -> None:
        pieces = {v.letter: v.cells for v in puzzle.vehicles}
        ways = {v.letter: FORWARD[v.horizontal] + BACKWARD[v.horizontal] for v in puzzle.vehicles}
        super().__init__(puzzle.height, puzzle.width, puzzle.walls, pieces, ways)
        self.puzzle = puzzle
        self.costs = {"slides": 0, "steps": 0}
        self._previous: tuple[str, str] | None = None

    def open_to(self, _letter: str, cell: Cell) -> bool:
        return cell not in self.walls

    def play(self, move: Slide) -> str:
        letter = self.piece_at(move.cell)
        direction, ways = move.path[:1], self.ways[letter]
        if not direction or direction not in ways or set(move.path) != {direction}:
            raise ReplayError(f"{letter} cannot move {move.path or 'nowhere'}")
        for _ in move.path:
            self.step(letter, direction)
        self.costs["steps"] += len(move.path)
        self.costs["slides"] += self._previous != (letter, direction)
        self._previous = (letter, direction)
        return written(letter, direction == ways[0], len(move.path))

    @property
    def solved(self) -> bool:
        return self.letters.get(self.puzzle.exit_cell) == self.puzzle.target
