"""The n-puzzle: tiles of one cell, one blank; a tile moves into the blank beside it."""

from __future__ import annotations

import re
from collections import Counter
from math import isqrt
from typing import Any

from .limits import Invalid, Unsupported
from .pieces import WAYS, Board, Piece, Wish, everywhere
from .reading import WIDEST, Cell, Text, only_keys

COUNTS = (("moves", "steps"),)
BLANKS = (".", "_", "0")
Tiles = dict[Cell, int]


def read(fields: dict[str, Any], file: str) -> Board:
    """The puzzle of a file. Each tile is a piece with a letter of its own; equal tiles grant each other's wishes."""
    only_keys(fields, {"start", "goal"})
    start = _tiles(fields.get("start"), "start", file)
    height, width = max(start)[0] + 1, max(start)[1] + 1
    goal = {(r, c): (r * width + c + 1) % (height * width) for r, c in sorted(start)}
    if "goal" in fields:
        goal = _tiles(fields["goal"], "goal", file)
    if set(goal) != set(start) or Counter(goal.values()) != Counter(start.values()):
        raise Invalid("`start` and `goal` do not have the same cells and tiles", file)
    board = everywhere(height, width)
    letters = {cell: chr(0xE000 + i) for i, cell in enumerate(cell for cell, tile in sorted(start.items()) if tile)}
    pieces = tuple(Piece(letter, frozenset((cell,)), board, WAYS) for cell, letter in letters.items())
    wishes = tuple(
        Wish(frozenset(letters[c] for c, other in start.items() if other == tile), frozenset((cell,)))
        for cell, tile in sorted(goal.items())
        if tile
    )
    wide = max(len(str(tile)) for tile in start.values())
    rows = tuple(" ".join(str(start[r, c] or ".").rjust(wide) for c in range(width)) for r in range(height))
    return Board(rows, pieces, wishes, COUNTS)


def _tiles(value: Any, key: str, file: str) -> Tiles:
    """The numbers of a rectangle with one blank, which is 0."""
    if isinstance(value, Text):
        lines = [*re.split("[\n/]", value.strip("\n "))]
        rows = [re.findall(r"[^\s,|]+", line) for line in lines]
    elif isinstance(value, list):
        parts = [re.findall(r"[^\s,|]+", item) if isinstance(item, Text) else item for item in value]
        if not all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in parts):
            raise Invalid(f"`{key}` is no rows of numbers", file)
        rows = parts
    else:
        raise Invalid(f"`{key}` is no rows of numbers", file)
    if not rows:
        raise Invalid(f"`{key}` is empty", file)
    if {len(row) for row in rows} == {1} and len(rows[0][0]) > 1:  # nothing between the numbers
        rows = [list(row[0]) for row in rows]
    if isinstance(value, Text) and len(rows) == 1 and isqrt(len(rows[0])) ** 2 == len(rows[0]) > 1:
        side = isqrt(len(rows[0]))
        rows = [rows[0][i : i + side] for i in range(0, len(rows[0]), side)]
    good = all(text in BLANKS or re.fullmatch("[0-9]{1,9}", text) for row in rows for text in row)
    if max(len(rows), *map(len, rows)) > WIDEST:
        raise Unsupported(f"{file}: `{key}` has more than {WIDEST} rows or columns")
    if not good or len({len(row) for row in rows}) != 1:
        raise Invalid(f"`{key}` is no rectangle of numbers", file)
    tiles = {(r, c): 0 if text in BLANKS else int(text) for r, row in enumerate(rows) for c, text in enumerate(row)}
    if list(tiles.values()).count(0) != 1 or len(tiles) < 2:
        raise Invalid(f"`{key}` does not have one blank", file)
    return tiles
