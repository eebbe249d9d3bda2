"""Tiles on a rectangle with one blank: a permutation that no plan makes (Johnson, Story 1879).

A move exchanges the blank with a tile beside it. Seen as a chessboard, the blank changes its colour with every move,
and every move is one transposition. So a permutation of tiles and blank is odd if and only if the blank ends on the
other colour. It needs tiles that all differ.
"""

from __future__ import annotations

from .pieces import PiecePuzzle
from .reading import Cell


def never_solved(board: PiecePuzzle) -> bool:
    """Whether the goal places every tile, and by a permutation of the wrong parity; False if it does not apply."""
    cells = frozenset().union(*(piece.open for piece in board.pieces))
    single = all(len(piece.cells) == 1 for piece in board.pieces)
    placed = {letter: wish.cells for wish in board.wishes for letter in wish.letters if len(wish.letters) == 1}
    letters = {piece.letter for piece in board.pieces}
    apart = len(placed) == len(board.wishes) == len(letters) and set(placed) == letters
    if not single or not apart or len(cells) != len(letters) + 1 or any(len(cells) != 1 for cells in placed.values()):
        return False
    goes: dict[Cell, Cell] = {min(p.cells): min(placed[p.letter]) for p in board.pieces}
    if len(set(goes.values())) != len(goes) or not set(goes.values()) <= cells:
        return False
    (blank,), (blank_ends,) = cells - set(goes), cells - set(goes.values())
    goes[blank] = blank_ends
    odd = (sum(blank) + sum(blank_ends)) % 2
    cycles, left = 0, set(goes)
    while left:
        cycles += 1
        here = left.pop()
        while (here := goes[here]) in left:
            left.remove(here)
    return (len(goes) - cycles) % 2 != odd
