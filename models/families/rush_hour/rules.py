"""The rules of Rush Hour: a vehicle moves along its axis, cell by cell, over cells that are empty."""

from __future__ import annotations

from collections.abc import Iterable

from ...cells import Cell, Rows, draw, place, shift
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
        self.cells = {v.letter: set(v.cells) for v in puzzle.vehicles}
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
        blocked = self._blocked(letter, direction)
        if blocked:
            raise ReplayError(f"{letter} is blocked at {place(blocked)}")
        old = self.cells[letter]
        new = {shift(cell, direction) for cell in old}
        for cell in old:
            del self.letters[cell]
        self.letters.update(dict.fromkeys(new, letter))
        self.cells[letter] = new

    def _blocked(self, letter: str, direction: str) -> Cell | None:
        """The cell that keeps a piece from moving by one cell; None if it can."""
        old = self.cells[letter]
        [ahead] = {shift(cell, direction) for cell in old} - old
        return None if self.puzzle.inside(ahead) and ahead not in self.letters else ahead

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        for letter in self.cells if of is None else [self.letters[of]]:
            for ways in (FORWARD, BACKWARD):
                way = ways[self.horizontal[letter]]
                if self._blocked(letter, way) is None:
                    yield Slide(min(self.cells[letter]), way)

    def board(self) -> Rows:
        return draw(self.puzzle.height, self.puzzle.width, self.letters, self.puzzle.walls)

    @property
    def solved(self) -> bool:
        return self.letters.get(self.puzzle.exit_cell) == self.puzzle.target
