"""The rules of Sokoban.

The player steps to a neighbouring cell. If a box stands there, it is pushed one cell further, which must be
neither a wall nor a box. Nothing here knows the grounded task.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable

from ...cells import DIRECTIONS, Cell, Rows, place, shift
from ...errors import ReplayError
from ...moves import Slide
from ...plan import Simulator
from .puzzle import Sokoban


class SokobanSimulator(Simulator[Slide]):
    """A level in play, and the LURD of how its position came about.

    Before each push the player walks by a shortest way to where it is made from. The notation of a move is its LURD
    (`urrR`), `costs` counts pushes and moves.
    """

    def __init__(self, puzzle: Sokoban) -> None:
        self.puzzle = puzzle
        self.boxes = set(puzzle.boxes)
        self.player = puzzle.player
        self.costs = {"pushes": 0, "moves": 0}
        self.lurd = ""

    def step(self, letter: str) -> None:
        """The player steps in a direction (U, D, L, R) and pushes what stands there. Raises `ReplayError`."""
        target = shift(self.player, letter)
        if target in self.boxes:
            beyond = shift(target, letter)
            if not self.puzzle.is_open(beyond) or beyond in self.boxes:
                what = "a box" if beyond in self.boxes else "a wall"
                raise ReplayError(f"the box at {place(target)} cannot be pushed {letter}: {what} is behind it")
            self.boxes.remove(target)
            self.boxes.add(beyond)
            self.lurd += letter
            self.costs["pushes"] += 1
        elif not self.puzzle.is_open(target):
            raise ReplayError(f"the player at {place(self.player)} cannot step {letter} into a wall")
        else:
            self.lurd += letter.lower()
        self.costs["moves"] += 1
        self.player = target

    def walk(self, target: Cell) -> None:
        """Walk by a shortest way, pushing nothing. Raises `ReplayError` if boxes and walls leave none."""
        path = self._path(target)
        if path is None:
            raise ReplayError(f"the player at {place(self.player)} cannot walk to {place(target)}")
        for letter in path:
            self.step(letter)

    def _path(self, target: Cell) -> str | None:
        """A shortest walk to a cell; None if there is none."""
        came = self._reach(target)
        if target not in came:
            return None
        path, cell = "", target
        while came[cell]:
            path = came[cell] + path
            cell = shift(cell, came[cell], -1)
        return path

    def _reach(self, target: Cell | None = None) -> dict[Cell, str]:
        """The cells that the player can reach, each with the last step of a shortest walk; the search ends at
        `target`.
        """
        came: dict[Cell, str] = {self.player: ""}
        open_cells, boxes, steps = self.puzzle.open_cells, self.boxes, tuple(DIRECTIONS.items())
        queue = deque([self.player])
        while queue and target not in came:
            row, column = queue.popleft()
            for letter, (down, right) in steps:
                cell = row + down, column + right
                if cell not in came and cell in open_cells and cell not in boxes:
                    came[cell] = letter
                    queue.append(cell)
        return came

    def moves(self, of: Cell | None = None) -> Iterable[Slide]:
        """Every push that the player can walk to, and every walk by a shortest way."""
        came = self._reach()
        yield from self._pushes(came, sorted(self.boxes) if of is None else self.boxes & {of})
        paths = {self.player: ""}
        for cell, letter in came.items():  # each after the cell from which it was reached
            if cell != self.player:
                paths[cell] = paths[shift(cell, letter, -1)] + letter
                if of in (None, self.player):
                    yield Slide(self.player, paths[cell])

    def _pushes(self, reach: Container[Cell], boxes: Iterable[Cell]) -> Iterable[Slide]:
        """The pushes of boxes by one cell, from cells that the player can walk to."""
        for box in boxes:
            for letter in DIRECTIONS:
                beyond = shift(box, letter)
                if shift(box, letter, -1) in reach and self.puzzle.is_open(beyond) and beyond not in self.boxes:
                    yield Slide(box, letter)

    def near_moves(self) -> Iterable[Slide]:
        """Every push that the player can walk to, and every step."""
        yield from self._pushes(self._reach(), sorted(self.boxes))
        for letter in DIRECTIONS:
            cell = shift(self.player, letter)
            if self.puzzle.is_open(cell) and cell not in self.boxes:
                yield Slide(self.player, letter)

    def walk_to(self, cell: Cell) -> Slide | None:
        """A shortest walk."""
        path = self._path(cell)
        return Slide(self.player, path) if path else None

    def play(self, move: Slide) -> str:
        """A move of a plan: of a box, which is pushed along the path, or of the player, who only walks."""
        played = len(self.lurd)
        if not move.path or not set(move.path) <= DIRECTIONS.keys():
            raise ReplayError(f"`{move.path}` is not a path of the letters U, D, L, R")
        if move.cell in self.boxes:
            box = move.cell
            for letter in move.path:
                self.walk(shift(box, letter, -1))
                self.step(letter)
                box = shift(box, letter)
        elif move.cell == self.player:
            for letter in move.path:
                if shift(self.player, letter) in self.boxes:
                    raise ReplayError(f"the player at {place(self.player)} cannot walk {letter} into a box")
                self.step(letter)
        else:
            raise ReplayError(f"neither a box nor the player stands at {place(move.cell)}")
        return self.lurd[played:]

    def board(self) -> Rows:
        return self.puzzle.draw(frozenset(self.boxes), self.player)

    @property
    def solved(self) -> bool:
        return self.boxes <= self.puzzle.goals
