"""Which piece a move is of, in words: a hint that does not give the move away."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..models.cells import Rows, rc
from ..models.families.custom.puzzle import Act
from ..models.moves import Move, Slide
from ..models.puzzle import Puzzle

_PIECE = re.compile(r"[^\W\d_](?=[+:-])|\d+(?=[UDLR])")
"""The piece in the notation of a move: `B+3`, `G:RD`, `12U`."""

BOXES = "$*"

FAR, MILESTONE, PIECE, MOVE = DEGREES = ("far", "milestone", "piece", "move")
"""How much a hint says: how far the goal is; also a place that every plan passes; which piece to move; the moves."""


def piece_of(board: Rows, move: Move, notation: str) -> str:
    """The piece that a move is of: `B`, `tile 12`, `the box on r3c4`; of an action its name.

    `board`: the position before it, as the puzzle draws it.
    """
    if isinstance(move, Act):
        return move.action
    if found := _PIECE.match(notation):
        return f"tile {found[0]}" if found[0].isdigit() else found[0]
    if isinstance(move, Slide):
        row, column = move.cell
        sign = board[row][column] if row < len(board) and column < len(board[row]) else ""
        return f"the box on {rc(move.cell)}" if sign and sign in BOXES else "the player"
    return notation.split()[0]


def pieces_of(puzzle: Puzzle, moves: Iterable[tuple[Move, str]]) -> tuple[str, ...]:
    """The pieces of several moves in the puzzle's own position, each with its notation; every piece once."""
    board = puzzle.board()
    return tuple(dict.fromkeys(piece_of(board, move, notation) for move, notation in moves))
