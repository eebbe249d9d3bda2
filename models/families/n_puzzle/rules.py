"""The rules of the n-puzzle: each step moves one tile by one cell, into the blank."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace

from ...cells import DIRECTIONS, Cell, Rows, draw, shift
from ...errors import ReplayError
from ...family import MOVE, Notation
from ...moves import Metric, Slide
from ...plan import Plan, words
from ...task import ExactlyInvariant, GroupKind, OperatorTask
from ...text import counted
from ..sliding_block.rules import STEPS, BlockPiece, SlidingBlock, SlidingBlockSimulator
from ..sliding_block.rules import ground as ground_blocks

# An n-puzzle: numbered tiles on a rectangle with one blank, which every move exchanges with a tile beside it.
#
# Equal tiles are interchangeable. Metric: `moves` (one tile, one cell).

MOVES = Metric((MOVE,))
METRICS = (MOVES,)

BLANK = 0
"""The blank as it is kept in rows."""

SIGNS = string.digits[1:] + string.ascii_letters
"""One character for each tile, for drawing boards. More tiles get characters of Unicode's private area."""

Tiles = tuple[tuple[int, ...], ...]
"""Rows of numbers, 0 for the blank."""


@dataclass(frozen=True)
class NPuzzle:
    """An n-puzzle: `start` and `goal` have the same tiles and one blank."""

    start: Tiles
    goal: Tiles

    def goal_text(self) -> Rows:
        return draw(len(self.goal), len(self.goal[0]), self.signs(self.goal), ())

    def counts(self) -> str:
        return counted(sum(tile != BLANK for row in self.start for tile in row), "tile")

    def as_blocks(self) -> SlidingBlock:
        """The tiles, in order, as sliding blocks of one cell; equal ones stand for each other."""
        signs, tiles = self.signs(self.start), cells_of(self.start)
        by_tile: dict[int, list[BlockPiece]] = {}
        for cell in sorted(tiles, key=tiles.__getitem__):
            by_tile.setdefault(tiles[cell], []).append(BlockPiece(signs[cell], (cell,)))
        del by_tile[BLANK]
        return SlidingBlock(
            height=len(self.start),
            width=len(self.start[0]),
            walls=frozenset(),
            pieces=tuple(piece for pieces in by_tile.values() for piece in pieces),
            goal=tuple((sign, (cell,)) for cell, sign in self.signs(self.goal).items() if sign != "."),
            alike=tuple(frozenset(piece.letter for piece in pieces) for pieces in by_tile.values()),
        )

    def labels(self) -> dict[str, str]:
        """The number of each tile by its sign on the board: `1` to `9`, `a` for the tenth, and so on."""
        tiles = sorted(tile for row in self.start for tile in row if tile != BLANK)
        return {_sign(i): str(tile) for i, tile in enumerate(tiles)}

    def signs(self, tiles: Tiles) -> dict[Cell, str]:
        """The sign on each cell: a character of its own for every tile, also among equal ones; `.` is the blank."""
        free: dict[str, list[str]] = {}
        for sign, number in self.labels().items():
            free.setdefault(number, []).append(sign)
        return {cell: free[str(tile)].pop(0) if tile else "." for cell, tile in cells_of(tiles).items()}


def cells_of(tiles: Tiles) -> dict[Cell, int]:
    """The tile on each cell, in reading order."""
    return {(r, c): tile for r, row in enumerate(tiles) for c, tile in enumerate(row)}


def _sign(i: int) -> str:
    """A character for the tile number i, counted from 0."""
    return SIGNS[i] if i < len(SIGNS) else chr(0xE000 + i)


# Plans of the family `n-puzzle` as text: `8L 5U`, the number of a tile and where it goes, into the blank.

STEP = r"([0-9]{1,9})([UDLR])"


def written(tile: str, direction: str) -> str:
    """A step for people: `8L` is tile 8, to the left."""
    return f"{tile}{direction}"


def parse(puzzle: NPuzzle, text: str) -> Plan:
    """The plan that a text writes. Raises `ReplayError` for any other text, and for a tile that cannot go there."""
    tiles = cells_of(puzzle.start)
    blank = next(cell for cell, tile in tiles.items() if tile == BLANK)
    moves = []
    for word in words(text):
        number, way = word.parsed(STEP, "the number of a tile and U, D, L or R, as `8L`").groups()
        here = shift(blank, way, -1)
        if tiles.get(here) != int(number):
            around = [f"{tiles[cell]}{letter}" for letter in DIRECTIONS if (cell := shift(blank, letter, -1)) in tiles]
            raise word.wrong(f"no tile {number} can go {way} into the blank; possible are {' '.join(around)}")
        moves.append(Slide(here, way))
        tiles[blank], tiles[here], blank = tiles[here], BLANK, here
    return Plan(tuple(moves))


NOTATION = Notation("the number of a tile and where it goes, U, D, L or R: `8L 5U`", parse)


class NPuzzleSimulator(SlidingBlockSimulator):
    """A board in play. A tile that moves by one cell counts as one of `moves`."""

    def __init__(self, puzzle: NPuzzle) -> None:
        super().__init__(puzzle.as_blocks())
        self.labels, self.costs = puzzle.labels(), {"moves": 0}

    def play(self, move: Slide) -> str:
        if move.path not in DIRECTIONS:
            raise ReplayError(f"a tile moves one cell, not {move.path or 'nowhere'}")
        sign = self.piece_at(move.cell)
        self.step(sign, move.path, self.labels[sign])
        self.costs["moves"] += 1
        return written(self.labels[sign], move.path)


# N-puzzles as planning tasks.
#
# Half of all boards cannot be solved: every move is a transposition, and moves the blank by one cell
# (`analysis.parity`).


def ground(puzzle: NPuzzle, metric: Metric) -> OperatorTask:
    """The task of the tiles as sliding blocks: a fact for each tile at each cell (equal tiles share theirs), and one
    for each free cell, which is the blank. Raises `UsageError` if there are more than `MAX_OPERATORS` operators.
    """
    task = ground_blocks(puzzle.as_blocks(), STEPS, "{}{}".format, called=puzzle.labels().__getitem__)
    *groups, free = task.groups
    tiles = [replace(g, name=f"tile {g.name}") if g.kind == GroupKind.OBJECT else g for g in groups]
    blank = next(number for number, tile in enumerate(cells_of(puzzle.goal).values()) if tile == BLANK)
    return replace(
        task,
        groups=(*tiles, ExactlyInvariant("blank", GroupKind.OBJECT, free.facts)),
        goal=(*task.goal[:blank], (free.facts[blank],), *task.goal[blank:]),
        metric=metric.components,
    )
