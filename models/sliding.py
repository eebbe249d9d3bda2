"""Boards whose pieces slide: the part of playing that Rush Hour and sliding blocks share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from .cells import Cell, Rows, direction, draw, place, shift
from .errors import ReplayError
from .moves import Slide
from .plan import Simulator

# A view of puzzles in which every piece moves along a lane of its own: for engines that plan in such terms.
#
# A family offers this view in its record. An engine that reads it knows nothing of the family, of its files or its
# rules.


@dataclass(frozen=True, slots=True)
class LaneVehicle:
    """A vehicle in its lane: the cells between walls that it could cover, in order.

    It covers `size` of them, from `cells[position]` on. `AA` in `..AA#` has a lane of 4 cells, size 2, position 2.
    """

    cells: tuple[Cell, ...]
    size: int
    position: int

    def slide(self, start: int, end: int) -> Slide:
        """The move from one position in the lane to another."""
        step = 1 if end > start else -1
        return Slide(self.cells[start], direction(self.cells[start], self.cells[start + step]) * abs(end - start))


@dataclass(frozen=True, slots=True)
class LaneBoard:
    """Vehicles in their lanes, in reading order; vehicle number `target` must cover the cell `exit`.

    `long_moves`: in the metric asked for a vehicle that goes on in one direction makes one move, however far.
    `unsolvable_because` says why the exit is not in the target's lane, if it is not.
    """

    vehicles: tuple[LaneVehicle, ...]
    target: int
    exit: Cell
    long_moves: bool
    unsolvable_because: str | None = None


class SlidingSimulator(Simulator[Slide]):
    """A board in play on which pieces, named by letters, move cell by cell over cells that are empty and open to them.

    `ways`: the directions that each piece may take. `units`: what is counted: `steps`; `slides`, in which consecutive
    steps of one piece in one direction are one; `moves`, in which all consecutive steps of one piece are one.
    """

    def __init__(
        self,
        height: int,
        width: int,
        walls: Container[Cell],
        pieces: Mapping[str, Sequence[Cell]],
        ways: dict[str, str],
        units: Iterable[str],
    ) -> None:
        self.height, self.width, self.walls, self.ways = height, width, walls, ways
        self.letters = {cell: letter for letter, cells in pieces.items() for cell in cells}
        self.cells = {letter: set(cells) for letter, cells in pieces.items()}
        self.costs = dict.fromkeys(units, 0)
        self._last = "", ""  # the piece that moved last, and its direction

    @abstractmethod
    def open_to(self, letter: str, cell: Cell) -> bool:
        """Whether a piece may ever cover a cell of the board."""

    def piece_at(self, cell: Cell) -> str:
        """The letter of the piece on a cell. Raises `ReplayError` if there is none."""
        if cell not in self.letters:
            raise ReplayError(f"no piece at {place(cell)}")
        return self.letters[cell]

    def go(self, letter: str, path: str) -> None:
        """Move a piece along a path, and count. Raises `ReplayError` if it may not, or something is in its way."""
        for way in path:
            if way not in self.ways[letter]:
                raise ReplayError(f"{letter} may not move {way}")
            self.step(letter, way)
            new = {"steps": True, "slides": self._last != (letter, way), "moves": self._last[0] != letter}
            for unit in self.costs:
                self.costs[unit] += new[unit]
            self._last = letter, way

    def step(self, letter: str, direction: str) -> None:
        """Move a piece by one cell. Raises `ReplayError` if something is in its way."""
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
        """The first cell, outside the board or occupied, that keeps a piece from moving by one cell; None if it can
        move.
        """
        old = self.cells[letter]
        for cell in sorted({shift(cell, direction) for cell in old} - old):
            inside = 0 <= cell[0] < self.height and 0 <= cell[1] < self.width
            if not inside or cell in self.letters or not self.open_to(letter, cell):
                return cell
        return None

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        for letter in self.cells if of is None else [self.letters[of]]:
            for way in self.ways[letter]:
                if self._blocked(letter, way) is None:
                    yield Slide(min(self.cells[letter]), way)

    def board(self) -> Rows:
        return draw(self.height, self.width, self.letters, self.walls)
