"""Which piece of one position is which of the next, among pieces that are alike: each goes as little as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..models.cells import Cell

Place = tuple[int, int, int]
"""The place of a piece: the row and column of its first cell, and the number of the face it shows."""


def matched(
    old: Mapping[str, Place], places: Mapping[Cell, int], names: Iterable[str], first: Cell | None, moving: bool
) -> Iterable[tuple[str, Cell]]:
    """Which piece is on which cell: those that stay, then what stood on `first`, then the nearest pairs, then pieces
    that were not there. Pieces that are not `moving` stay or vanish.
    """
    left = dict(old)
    cells = dict.fromkeys(places)
    for id, (row, column, _) in old.items():
        if (row, column) in cells:
            yield id, (row, column)
            del left[id], cells[row, column]
    pairs = sorted(
        ((row, column) != first, abs(row - r) + abs(column - c), id, (r, c))
        for id, (row, column, _) in left.items()
        for r, c in cells
        if moving
    )
    for _, _, id, cell in pairs:
        if id in left and cell in cells:
            yield id, cell
            del left[id], cells[cell]
    fresh = (name for name in names if name not in old)
    for cell in cells:
        yield next(fresh), cell
