"""Sliding blocks: pieces of any shape go cell by cell, never turn, and must cover the cells that the goal shows."""

from __future__ import annotations

import re
from typing import Any

from .core.limits import Invalid, Limits
from .pieces import WAYS, Piece, PiecePuzzle, Wish
from .reading import Cell, Text, cell_of, mapping_of, only_keys, other_form, rectangle

COUNTS = (("moves", "moves"), ("slides", "slides"), ("steps", "steps"))


def read(fields: dict[str, Any], file: str, limits: Limits) -> PiecePuzzle:
    """The puzzle of a file. (`detached` allows what this checker never forbids: pieces in several parts.)"""
    only_keys(fields, {"board", "goal", "directions", "doors", "alike", "detached"})
    grid, goal = rectangle(fields.get("board"), "board", file), rectangle(fields.get("goal"), "goal", file)
    letters = sorted(set(grid.values()) - set(".#"))
    if not letters or set(grid) != set(goal):
        raise Invalid("no piece on the board, or a goal of another size", file)
    if "detached" in fields:
        _named(fields["detached"], letters, file)
    wanted: dict[str, set[Cell]] = {}
    for cell, char in goal.items():
        if char not in ".#":
            wanted.setdefault(char, set()).add(cell)
    if not wanted or not wanted.keys() <= set(letters) or any(goal[c] == "#" != grid[c] for c in grid):
        raise Invalid(
            "the goal names no piece, one that is not on the board, or has walls that the board has not", file
        )
    pieces = _pieces(grid, fields, letters, file, limits)
    alike = _alike(fields.get("alike", []), {piece.letter: piece for piece in pieces}, file)
    together = frozenset().union(*alike)
    if any(
        piece.letter in together and len(wanted.get(piece.letter, piece.cells)) < len(piece.cells) for piece in pieces
    ):
        raise Invalid("the goal shows only a part of a piece that is `alike` with others", file)  # one could cover two
    wishes = tuple(
        Wish(next((named for named in alike if letter in named), frozenset((letter,))), frozenset(cells))
        for letter, cells in sorted(wanted.items())
    )
    rows = tuple(fields["board"].removesuffix("\n").split("\n"))
    return PiecePuzzle(rows, pieces, wishes, COUNTS)


def _pieces(
    grid: dict[Cell, str], fields: dict[str, Any], letters: list[str], file: str, limits: Limits
) -> tuple[Piece, ...]:
    ways, doors = _directions(mapping_of(fields, "directions", file), letters, file), _doors(fields, letters, file)
    covered: dict[str, set[Cell]] = {}
    for cell, char in grid.items():
        covered.setdefault(char, set()).add(cell)
    floor = frozenset(grid) - covered.get("#", set())
    if not doors.keys() <= floor:
        raise Invalid("a door where the board has a wall, or outside of it", file)
    pieces = []
    for letter in letters:
        limits.tick(1 + len(doors))
        closed = {cell for cell, named in doors.items() if letter not in named}
        if closed:
            limits.hold(100 * len(floor))
        if not covered[letter].isdisjoint(closed):
            raise Invalid(f"piece {letter} stands where it may not be", file)
        pieces.append(
            Piece(letter, frozenset(covered[letter]), floor - closed if closed else floor, ways.get(letter, WAYS))
        )
    return tuple(pieces)


def _named(value: Any, letters: list[str], file: str) -> frozenset[str]:
    """The pieces that a text names by their letters, in order: `AB`."""
    if not isinstance(value, Text) or not value or list(value) != sorted(set(value)):
        raise other_form("pieces are named by their letters, each once and in order, as `AB`", file)
    if not set(value) <= set(letters):
        raise Invalid("a piece is named that is not on the board", file)
    return frozenset(value)


def _directions(value: dict[str, Any], letters: list[str], file: str) -> dict[str, str]:
    for letter, said in value.items():
        if letter not in letters or not isinstance(said, Text) or not re.fullmatch("none|(?=.)U?D?L?R?", said):
            raise other_form("`directions` has, for a piece, `none` or some of the letters UDLR in this order", file)
    return {str(letter): "" if said == "none" else str(said) for letter, said in value.items()}


def _doors(fields: dict[str, Any], letters: list[str], file: str) -> dict[Cell, frozenset[str]]:
    """The cells that are open to some pieces only."""
    value = fields.get("doors", [])
    if not isinstance(value, list):
        raise other_form("`doors` is a list of cells", file)
    cells = [cell_of(item, {"row", "col", "pieces"}, "a door", file) for item in value]
    if len(set(cells)) < len(cells):
        raise Invalid("a cell is given as a door twice", file)
    return {cell: _named(item["pieces"], letters, file) for cell, item in zip(cells, value, strict=True)}


def _alike(value: Any, pieces: dict[str, Piece], file: str) -> list[frozenset[str]]:
    """The sets of interchangeable pieces."""
    if not isinstance(value, list):
        raise other_form("`alike` is a list of sets of pieces", file)
    sets = [_named(item, sorted(pieces), file) for item in value]
    if sum(map(len, sets)) > len(frozenset().union(*sets)) or any(len(one) < 2 for one in sets):
        raise Invalid("`alike` names a piece twice, or a piece alone", file)
    for named in sets:
        if len({(_shape(pieces[letter].cells), pieces[letter].ways, pieces[letter].open) for letter in named}) > 1:
            raise Invalid("pieces that are `alike` differ in shape, directions or doors", file)
    return sets


def _shape(cells: frozenset[Cell]) -> frozenset[Cell]:
    row, column = min(cells)
    return frozenset((r - row, c - column) for r, c in cells)
