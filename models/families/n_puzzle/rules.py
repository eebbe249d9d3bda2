"""The rules of the n-puzzle: each step moves one tile by one cell, into the blank."""

from __future__ import annotations

from collections.abc import Iterable

from ...cells import DIRECTIONS, Cell, Rows, place, shift
from ...errors import ReplayError
from ...moves import Slide
from ...plan import Simulator
from .notation import written
from .puzzle import BLANK, NPuzzle, cells_of, draw


class NPuzzleSimulator(Simulator[Slide]):
    """A board in play."""

    def __init__(self, puzzle: NPuzzle) -> None:
        self.puzzle = puzzle
        self.signs, self.labels = puzzle.signs(puzzle.start), puzzle.labels()
        self.costs = {"moves": 0}

    def play(self, move: Slide) -> str:
        if move.path not in DIRECTIONS:
            raise ReplayError(f"a tile moves one cell, not {move.path or 'nowhere'}")
        sign = self.signs.get(move.cell, ".")
        if sign == ".":
            raise ReplayError(f"no tile at {place(move.cell)}")
        target = shift(move.cell, move.path)
        if self.signs.get(target) != ".":
            raise ReplayError(f"{self.labels[sign]} is blocked at {place(target)}")
        self.signs[target], self.signs[move.cell] = sign, "."
        self.costs["moves"] += 1
        return written(self.labels[sign], move.path)

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        blank = next(cell for cell, sign in self.signs.items() if sign == ".")
        for way in DIRECTIONS:
            cell = shift(blank, way, -1)
            if cell in self.signs and of in (None, cell):
                yield Slide(cell, way)

    def board(self) -> Rows:
        return draw(self.signs)

    @property
    def solved(self) -> bool:
        tiles = {cell: int(self.labels.get(sign, BLANK)) for cell, sign in self.signs.items()}
        return tiles == cells_of(self.puzzle.goal)
