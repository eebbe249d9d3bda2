"""Sliding blocks: pieces of any shape go cell by cell, never turn, and must cover the cells that the goal shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .limits import Invalid
from .pieces import WAYS, Board, Piece, Wish
from .reading import Cell, Text, only_keys, rectangle

COUNTS = (("moves", "moves"), ("slides", "slides"), ("steps", "steps"))
WORDS = {
    "up": "U",
    "down": "D",
    "left": "L",
    "right": "R",
    "horizontal": "LR",
    "vertical": "UD",
    "any": "UDLR",
    "none": "",
}


def read(fields: dict[str, Any], file: str) -> Board:
    """The puzzle of a file. (`detached` allows what this checker never forbids: pieces in several parts.)"""
    only_keys(fields, {"board", "goal", "directions", "doors", "alike", "detached"})
    grid, goal = rectangle(fields.get("board"), "board", file), rectangle(fields.get("goal"), "goal", file)
    letters = sorted(set(grid.values()) - set(".#"))
    if not letters or set(grid) != set(goal):
        raise Invalid("no piece on the board, or a goal of another size", file)
    ways = _directions(fields.get("directions", {}), letters, file)
    listed = list(_doors(fields.get("doors", []), letters, file))
    doors = dict(listed)
    if len(doors) != len(listed):
        raise Invalid("a cell is given as a door twice", file)
    pieces = []
    for letter in letters:
        open_ = frozenset(c for c, char in grid.items() if char != "#" and letter in doors.get(c, letter))
        cells = frozenset(c for c, char in grid.items() if char == letter)
        if not cells <= open_:
            raise Invalid(f"piece {letter} stands where it may not be", file)
        pieces.append(Piece(letter, cells, open_, ways.get(letter, WAYS)))
    alike = list(_alike(fields.get("alike", []), letters, file))
    wishes = []
    for letter in sorted(set(goal.values()) - set(".#")):
        if letter not in letters:
            raise Invalid(f"the goal names piece {letter[:1]}, which is not on the board", file)
        stand_ins = next((named for named in alike if letter in named), frozenset((letter,)))
        wishes.append(Wish(stand_ins, frozenset(c for c, char in goal.items() if char == letter)))
    if not wishes or any(goal[c] == "#" != grid[c] for c in grid):
        raise Invalid("the goal names no piece, or has walls that the board has not", file)
    width = max(grid)[1] + 1
    rows = tuple("".join(grid[r, c] for c in range(width)) for r in range(max(grid)[0] + 1))
    return Board(rows, tuple(pieces), tuple(wishes), COUNTS)


def _named(value: Any, letters: list[str], file: str) -> frozenset[str]:
    """The pieces that `AB`, `A, B` or a list names."""
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, Text) for text in texts):
        raise Invalid("a list of pieces is wanted, as `AB`", file)
    named = frozenset(char for text in texts for char in text if not char.isspace() and char != ",")
    if not named or not named <= set(letters):
        raise Invalid("a piece is named that is not on the board", file)
    return named


def _directions(value: Any, letters: list[str], file: str) -> dict[str, str]:
    ways: dict[str, str] = {}
    if not isinstance(value, dict):
        raise Invalid("`directions` is no mapping", file)
    for key, said in value.items():
        texts = said if isinstance(said, list) else [said]
        if not all(isinstance(text, Text) for text in texts):
            raise Invalid("`directions` has words and letters", file)
        words = [word for text in texts for word in re.split(r"[\s,]+", text.strip())]
        found = "".join(WORDS.get(word.lower(), word.upper()) for word in words)
        named = _named(key, letters, file)
        if not all(words) or not set(found) <= set(WAYS) or not named.isdisjoint(ways):
            raise Invalid("`directions` has a word that is none, or a piece twice", file)
        ways |= dict.fromkeys(named, "".join(way for way in WAYS if way in found))
    return ways


def _doors(value: Any, letters: list[str], file: str) -> Iterator[tuple[Cell, frozenset[str]]]:
    """The cells that are open to some pieces only."""
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        for item in value:
            numbers = [item.get("row"), item.get("col")]
            if set(item) != {"row", "col", "pieces"} or not all(
                isinstance(n, Text) and n.isascii() and n.isdigit() and len(n) < 4 for n in numbers
            ):
                raise Invalid("a door is not {row: ..., col: ..., pieces: ...}", file)
            yield (int(numbers[0]) - 1, int(numbers[1]) - 1), _named(item["pieces"], letters, file)
        return
    for cell, char in rectangle(value, "doors", file).items():
        if char not in ".#":
            yield cell, _named(Text(char), letters, file)


def _alike(value: Any, letters: list[str], file: str) -> Iterator[frozenset[str]]:
    """The sets of pieces that may stand for each other; `[A, B, C]` is one set."""
    items = value if isinstance(value, list) else [value]
    if all(isinstance(item, Text) and len(item.strip()) == 1 for item in items) and items:
        items = [items]
    for item in items:
        yield _named(item, letters, file)
