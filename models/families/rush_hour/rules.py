"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from ...cells import Rows, draw, place, shift
from ...errors import ReplayError
from ...moves import Slide
from ...plan import Simulator
from .notation import written
from .puzzle import BACKWARD, FORWARD, RushHour


class RushHourSimulator(Simulator[Slide]):
    """A board in play. A run of moves of one piece in one direction counts as one of `slides`."""

    def __init__(self, puzzle: RushHour) -> None:
        self.puzzle = puzzle
        self.letters = {cell: v.letter for v in puzzle.vehicles for cell in v.cells}
        self.horizontal = {v.letter: v.horizontal for v in puzzle.vehicles}
        self.costs = {"slides": 0, "steps": 0}
        self._previous: tuple[str, str] | None = None

    def play(self, move: Slide) -> str:
        letter = self.letters.get(move.cell)
        if letter is None:
            raise ReplayError(f"no piece at {place(move.cell)}")
        direction, horizontal = move.path[:1], self.horizontal[letter]
        if direction not in (FORWARD[horizontal], BACKWARD[horizontal]) or set(move.path) != {direction}:
            raise ReplayError(f"{letter} cannot move {move.path or 'nowhere'}")
        for _ in move.path:
            self._step(letter, direction)
        self.costs["steps"] += len(move.path)
        self.costs["slides"] += self._previous != (letter, direction)
        self._previous = (letter, direction)
        return written(letter, direction == FORWARD[horizontal], len(move.path))

    def _step(self, letter: str, direction: str) -> None:
        old = {cell for cell, owner in self.letters.items() if owner == letter}
        new = {shift(cell, direction) for cell in old}
        for cell in new - old:
            if not self.puzzle.inside(cell) or cell in self.letters:
                raise ReplayError(f"{letter} is blocked at {place(cell)}")
        for cell in old:
            del self.letters[cell]
        self.letters.update(dict.fromkeys(new, letter))

    def board(self) -> Rows:
        return draw(self.puzzle.height, self.puzzle.width, self.letters, self.puzzle.walls)

    @property
    def solved(self) -> bool:
        return self.letters.get(self.puzzle.exit_cell) == self.puzzle.target
