"""Boards of sliding rectangles: Rush Hour, and sliding blocks with one piece that has to get somewhere."""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from ..models.family import Keys
from .generator import Graded
from .rectangles import ANYWHERE, FREE, HORIZONTAL, METRICS, VERTICAL, Cell, Component, Rectangle, explored

STATES = 1 << 15
"""Boards with more reachable states are dropped; hard boards have some thousand (Klotski's has 25,955)."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnpqrstuvwyz"
"""Of pieces. Not `o` and `x`: in a puzzle file these are an empty cell and a wall."""

TRIES = 30
"""Attempts to place a piece at random before the board goes without it."""


@dataclass(frozen=True, slots=True)
class BlockBoard:
    """Walls and pieces; the first piece is the one with a goal."""

    walls: frozenset[Cell]
    pieces: tuple[Rectangle, ...]


@dataclass(frozen=True)
class BlockMaker:
    """What Rush Hour and sliding blocks share. `pieces`: the least and the most, the target included."""

    family: ClassVar[str]
    evaluations: ClassVar[int] = 80

    height: int
    width: int
    pieces: tuple[int, int]
    walls: int
    metric: str
    states: int = STATES

    def keys(self, board: BlockBoard) -> Keys:
        raise NotImplementedError

    def _target(self, chance: random.Random) -> Rectangle:
        raise NotImplementedError

    def _piece(self, chance: random.Random) -> Rectangle:
        raise NotImplementedError

    def _images(self, rows: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The mirror images of a drawing that are the same puzzle."""
        raise NotImplementedError

    # Random boards and mutations

    def new(self, chance: random.Random) -> BlockBoard:
        """A target, walls, and pieces wherever there is room."""
        board = BlockBoard(frozenset(), (self._target(chance),))
        for _ in range(self.walls):
            board = self._with_wall(board, chance)
        for _ in range(chance.randint(*self.pieces) - 1):
            board = self._with_piece(board, chance)
        return board

    def mutate(self, board: BlockBoard, chance: random.Random) -> BlockBoard:
        """Change the board one to three times: add, remove or exchange a piece, or move a wall."""
        for _ in range(chance.choice((1, 1, 2, 3))):
            count = len(board.pieces)
            kind = chance.random()
            if self.walls and kind < 0.15:
                gone = set(chance.sample(sorted(board.walls), 1)) if board.walls else set()
                board = self._with_wall(BlockBoard(board.walls - gone, board.pieces), chance)
                continue
            if count > 1 and (kind < 0.75 or count >= self.pieces[1]):
                which = chance.randrange(1, count)
                board = BlockBoard(board.walls, board.pieces[:which] + board.pieces[which + 1 :])
            if kind > 0.4 and len(board.pieces) < self.pieces[1]:
                board = self._with_piece(board, chance)
        return board

    def _with_piece(self, board: BlockBoard, chance: random.Random) -> BlockBoard:
        taken = board.walls.union(*(piece.cells() for piece in board.pieces))
        for _ in range(TRIES):
            piece = self._piece(chance)
            if taken.isdisjoint(piece.cells()):
                return BlockBoard(board.walls, (*board.pieces, piece))
        return board

    def _with_wall(self, board: BlockBoard, chance: random.Random) -> BlockBoard:
        taken = board.walls.union(*(piece.cells() for piece in board.pieces))
        for _ in range(TRIES):
            cell = chance.randrange(self.height), chance.randrange(self.width)
            if cell not in taken:
                return BlockBoard(board.walls | {cell}, board.pieces)
        return board

    # What they are worth

    def grade(self, board: BlockBoard) -> Graded | None:
        """See `Maker`; a board whose number of pieces is not within the range has none."""
        fits = self.pieces[0] <= len(board.pieces) <= self.pieces[1]
        return self._graded(self.explored(board)) if fits else None

    def _graded(self, component: Component | None) -> Graded | None:
        """The board at the start that is farthest from the goal in its component; None without such a start."""
        if component is None or not component.farthest:
            return None
        target = next(piece for piece in component.pieces if piece.goal != ANYWHERE)
        rest = tuple(piece for piece in component.pieces if piece is not target)
        return Graded(_sorted(BlockBoard(component.walls, (target, *rest))), component.farthest, component.states)

    def explored(self, board: BlockBoard, least: int = 0) -> Component | None:
        """The component of a board (all states that it can reach); None if it is too large, or has a goal within
        `least` steps.
        """
        pieces = self._classed(board.pieces)
        metric = METRICS[self.metric]
        return explored(self.height, self.width, board.walls, pieces, metric, self.states, least)

    def _classed(self, pieces: tuple[Rectangle, ...]) -> list[Rectangle]:
        """The pieces with the numbers of their classes: pieces of one shape without a goal are interchangeable."""
        kinds = {kind: number for number, kind in enumerate(dict.fromkeys(_kind(n, p) for n, p in enumerate(pieces)))}
        return [piece._replace(klass=kinds[_kind(n, piece)]) for n, piece in enumerate(pieces)]

    def minimal(self, graded: Graded) -> Graded:
        """Take away pieces and walls without which the start is as far from the goal; then it may have a harder start,
        and all begins anew.
        """
        while True:
            board: BlockBoard = graded.board
            fewer = [
                *(
                    BlockBoard(board.walls, board.pieces[:n] + board.pieces[n + 1 :])
                    for n in range(len(board.pieces) - 1, 0, -1)
                ),
                *(BlockBoard(board.walls - {wall}, board.pieces) for wall in sorted(board.walls)),
            ]
            for less in fewer:
                component = self.explored(less, graded.optimum)
                if component and component.distance == graded.optimum and (again := self._graded(component)):
                    graded = again
                    break
            else:
                return graded

    # Boards that are the same, and how they are drawn

    def same(self, board: BlockBoard) -> Hashable:
        """See `Maker`: the least of the drawings of all mirror images, with the target's goal."""
        images = zip(*(self._images(tuple(rows)) for rows in self.keys(board).values()), strict=True)
        return min(tuple(map(_lettered, drawings)) for drawings in images)

    def _drawn(self, board: BlockBoard) -> tuple[str, ...]:
        """Rows with letters in reading order, the target's being A."""
        rows = [["."] * self.width for _ in range(self.height)]
        for r, c in board.walls:
            rows[r][c] = "#"
        first, *rest = board.pieces
        for letter, piece in zip(LETTERS, (first, *sorted(rest)), strict=False):
            for r, c in piece.cells():
                rows[r][c] = letter
        return tuple(map("".join, rows))


@dataclass(frozen=True)
class RushHourMaker(BlockMaker):
    """Rush Hour: the target leaves on the right, in the row `exit` (from 0; the third of six)."""

    family: ClassVar[str] = "rush-hour"

    metric: str = "slides"

    @property
    def exit(self) -> int:
        return (self.height - 1) // 2

    def _target(self, chance: random.Random) -> Rectangle:
        return Rectangle(self.exit, chance.randrange(self.width - 1), 1, 2, HORIZONTAL, 0, (self.exit, self.width - 2))

    def _piece(self, chance: random.Random) -> Rectangle:
        """A random vehicle: a car or, three times in ten, a lorry."""
        length = 3 if chance.random() < 0.3 else 2
        if chance.random() < 0.5:
            row, column = chance.randrange(self.height), chance.randrange(self.width - length + 1)
            return Rectangle(row, column, 1, length, HORIZONTAL)
        row, column = chance.randrange(self.height - length + 1), chance.randrange(self.width)
        return Rectangle(row, column, length, 1, VERTICAL)

    def _images(self, rows: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [rows, rows[::-1]] if 2 * self.exit == self.height - 1 else [rows]

    def keys(self, board: BlockBoard) -> Keys:
        """See `Maker`."""
        return {"board": self._drawn(board)}


SHAPES = ((1, 1), (1, 2), (2, 1), (2, 2))
"""Of sliding blocks: height and width."""


@dataclass(frozen=True)
class SlidingBlockMaker(BlockMaker):
    """Sliding blocks: rectangles up to 2x2; the target is `target` high and wide, its goal anywhere."""

    family: ClassVar[str] = "sliding-block"

    metric: str = "moves"
    states: int = 2 * STATES
    target: tuple[int, int] = (2, 2)

    def _target(self, chance: random.Random) -> Rectangle:
        height, width = self.target

        def anywhere() -> Cell:
            return chance.randrange(self.height - height + 1), chance.randrange(self.width - width + 1)

        return Rectangle(*anywhere(), height, width, FREE, 0, anywhere())

    def _piece(self, chance: random.Random) -> Rectangle:
        height, width = chance.choice(SHAPES[:3] if chance.random() < 0.9 else SHAPES)
        row, column = chance.randrange(self.height - height + 1), chance.randrange(self.width - width + 1)
        return Rectangle(row, column, height, width)

    def mutate(self, board: BlockBoard, chance: random.Random) -> BlockBoard:
        """A changed board: nine times in ten its pieces or walls change, else the target piece gets another goal."""
        if chance.random() > 0.1:
            return super().mutate(board, chance)
        target = board.pieces[0]._replace(goal=self._target(chance).goal)
        return BlockBoard(board.walls, (target, *board.pieces[1:]))

    def _images(self, rows: tuple[str, ...]) -> list[tuple[str, ...]]:
        across = tuple(row[::-1] for row in rows)
        return [rows, across, rows[::-1], across[::-1]]

    def keys(self, board: BlockBoard) -> Keys:
        """See `Maker`."""
        target = board.pieces[0]
        goal = [["."] * self.width for _ in range(self.height)]
        for r, c in target._replace(row=target.goal[0], column=target.goal[1]).cells():
            goal[r][c] = LETTERS[0]
        return {"board": self._drawn(board), "goal": tuple(map("".join, goal))}


def _lettered(rows: tuple[str, ...]) -> tuple[str, ...]:
    """A drawing with the letters of its pieces in reading order, but the target's, which stays A."""
    letters = dict.fromkeys(letter for letter in "".join(rows) if letter not in "A.#")
    renamed = str.maketrans(dict(zip(letters, LETTERS[1:], strict=False)))
    return tuple(row.translate(renamed) for row in rows)


def _sorted(board: BlockBoard) -> BlockBoard:
    """The board with its pieces in reading order, behind the first one; without classes."""
    first, *rest = (piece._replace(klass=0) for piece in board.pieces)
    return BlockBoard(board.walls, (first, *sorted(rest)))


def _kind(number: int, piece: Rectangle) -> Hashable:
    """A value that is equal for pieces of one class; in Rush Hour, and for pieces with a goal, each piece is its own
    class.
    """
    return number if piece.axis != FREE or piece.goal != ANYWHERE else (piece.height, piece.width)
