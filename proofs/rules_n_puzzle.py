"""The n-puzzle: tiles of one cell, one blank; a tile moves into the blank beside it."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from .core.limits import Invalid, Limits
from .pieces import WAYS, Piece, PiecePuzzle, Wish, everywhere
from .reading import Cell, only_keys, other_form, rows_of

COUNTS = (("moves", "steps"),)
Tiles = dict[Cell, int]


def read(fields: dict[str, Any], file: str, _limits: Limits) -> PiecePuzzle:
    """The puzzle of a file. Each tile is a piece with a letter of its own; equal tiles grant each other's wishes."""
    only_keys(fields, {"start", "goal"})
    rows, start = _tiles(fields.get("start"), "start", file)
    _, goal = _tiles(fields.get("goal"), "goal", file)
    if set(goal) != set(start) or Counter(goal.values()) != Counter(start.values()):
        raise Invalid("`start` and `goal` do not have the same cells and tiles", file)
    board = everywhere(max(start)[0] + 1, max(start)[1] + 1)
    letters = {cell: chr(0xE000 + i) for i, cell in enumerate(cell for cell, tile in sorted(start.items()) if tile)}
    pieces = tuple(Piece(letter, frozenset((c,)), board, WAYS, str(start[c])) for c, letter in letters.items())
    equal: dict[int, set[str]] = {}
    for cell, letter in letters.items():
        equal.setdefault(start[cell], set()).add(letter)
    stand_ins = {tile: frozenset(letters) for tile, letters in equal.items()}
    wishes = tuple(Wish(stand_ins[tile], frozenset((cell,))) for cell, tile in sorted(goal.items()) if tile)
    return PiecePuzzle(rows, pieces, wishes, COUNTS)


def _tiles(value: Any, key: str, file: str) -> tuple[tuple[str, ...], Tiles]:
    """Read tiles written in columns: their rows as words, and the number on each cell (the blank, a point, is 0)."""
    rows = rows_of(value, key, file)
    words = [row.split() for row in rows]
    if not all(re.fullmatch(r"\.|[1-9][0-9]{0,8}", word) for row in words for word in row):
        raise other_form(f"`{key}` has numbers, and `.` for the blank", file, value.line)
    wide = max(len(word) for row in words for word in row)
    if rows != [" ".join(word.rjust(wide) for word in row) for row in words]:
        raise other_form(f"the numbers of `{key}` stand in columns", file, value.line)
    if len({len(row) for row in words}) != 1:
        raise Invalid(f"the rows of `{key}` are not equally long", file, value.line)
    tiles = {(r, c): 0 if word == "." else int(word) for r, row in enumerate(words) for c, word in enumerate(row)}
    if list(tiles.values()).count(0) != 1 or len(tiles) < 2:
        raise Invalid(f"`{key}` does not have one blank", file)
    return tuple(rows), tiles
