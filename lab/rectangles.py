"""Rectangles that slide, and what one move of them is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Ints, Longs, Words

STEPS, SLIDES, MOVES = range(3)
"""The metrics: what counts as one is a step of one cell, a straight slide, or any path of one piece."""

METRICS = {"steps": STEPS, "slides": SLIDES, "moves": MOVES}

FREE, HORIZONTAL, VERTICAL = range(3)
"""The axis along which a piece may move."""

ANYWHERE = (-1, -1)
"""The goal of a piece whose final place does not matter."""

Cell = tuple[int, int]


class Rectangle(NamedTuple):
    """A rectangle: its top left cell, its size, its axis. Pieces of one class, from 0 on, are interchangeable.

    `goal`: the top left cell that it has to reach, or `ANYWHERE`.
    """

    row: int
    column: int
    height: int
    width: int
    axis: int = FREE
    klass: int = 0
    goal: Cell = ANYWHERE

    def cells(self) -> set[Cell]:
        """The cells that it covers."""
        return {(self.row + r, self.column + c) for r in range(self.height) for c in range(self.width)}


# Boards of sliding rectangles, and the component of states around one.
#
# A state is one word: the position of each piece in some bits, pieces of one class (interchangeable) in rising order.
# A piece on an axis (a vehicle) has the number of its row or column as its position, another one that of its top left
# cell:
#
#     . . B        A on a horizontal axis at column 0, B on a vertical axis at row 0
#     A A B        key = 0 | 0 << 2
#     . . .        A one to the right is not possible; B one down neither; A's goal is position 1

MOST_CELLS = 64
KEY_BITS = 62


class Blocks(NamedTuple):
    """A board as kernels take it: n pieces, P positions of each, sorted by their class.

    `mask` (n, P): the cells that a piece covers at a position; `step` (n, P, 4): its position after one cell up, down,
    left, right, -1 off the board or into a wall; `shift` (n): where its position stands in a key; `first`, `last`
    (n): the pieces of its class; `goal` (n): its goal, -1 for none.
    """

    mask: Words
    step: Ints
    shift: Longs
    first: Longs
    last: Longs
    goal: Longs


def lay_out(height: int, width: int, walls: frozenset[Cell], pieces: list[Rectangle]) -> tuple[Blocks, Longs] | None:
    """The board for kernels, of pieces sorted by class, and their positions; None if a key is too short for it."""
    n, positions = len(pieces), height * width
    bits = [_bits(piece, height, width) for piece in pieces]
    if positions > MOST_CELLS or sum(bits) > KEY_BITS:
        return None
    blocked = sum(1 << (r * width + c) for r, c in walls)
    mask, step = np.zeros((n, positions), np.uint64), np.full((n, positions, 4), -1, np.int32)
    start, goal = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    for p, piece in enumerate(pieces):
        rows = [piece.row] if piece.axis == HORIZONTAL else range(height - piece.height + 1)
        columns = [piece.column] if piece.axis == VERTICAL else range(width - piece.width + 1)
        base = sum(((1 << piece.width) - 1) << (r * width) for r in range(piece.height))
        covers = {(r, c): base << (r * width + c) for r in rows for c in columns}
        open_at = {at: _position(piece, at, width) for at, cells in covers.items() if not cells & blocked}
        for (r, c), position in open_at.items():
            mask[p, position] = covers[r, c]
            for way, beside in enumerate(((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))):
                step[p, position, way] = open_at.get(beside, -1)
        start[p] = open_at[piece.row, piece.column]
        if piece.goal != ANYWHERE:
            goal[p] = open_at.get(piece.goal, positions)  # a position that no piece has: it is never reached
    classes = [piece.klass for piece in pieces]
    first = np.array([classes.index(klass) for klass in classes], np.int64)
    last = np.array([n - 1 - classes[::-1].index(klass) for klass in classes], np.int64)
    shift = np.cumsum([0, *bits[:-1]]).astype(np.int64)
    return Blocks(mask, step, shift, first, last, goal), start


def _bits(piece: Rectangle, height: int, width: int) -> int:
    """Bits of a position."""
    positions = {FREE: height * width, HORIZONTAL: width - piece.width + 1, VERTICAL: height - piece.height + 1}
    return max(1, (positions[piece.axis] - 1).bit_length())


def _position(piece: Rectangle, at: Cell, width: int) -> int:
    return {FREE: at[0] * width + at[1], HORIZONTAL: at[1], VERTICAL: at[0]}[piece.axis]


def place_of(piece: Rectangle, position: int, width: int) -> Cell:
    """The top left cell of a piece at a position."""
    if piece.axis == HORIZONTAL:
        return piece.row, position
    return (position, piece.column) if piece.axis == VERTICAL else divmod(position, width)
