"""Boards of the built-in families as they are read from a puzzle file: pieces on cells, and levels of Sokoban.

Rush Hour, sliding blocks and the n-puzzle are all boards of pieces. They differ in shapes and directions, in the cells
that are open to a piece, and in what is counted. What may be done with a board its page of rules says (`pages`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .core.limits import Invalid, Limits
from .reading import (
    DIRECTIONS,
    Cell,
    Text,
    cell_of,
    mapping_of,
    only_keys,
    other_form,
    rectangle,
    rows_of,
    shifted,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: its letter, the cells that it covers at the start, those that it may cover, and where it may go. `name`:
    what people call it, where that is not its letter.
    """

    letter: str
    cells: frozenset[Cell]
    open: frozenset[Cell]
    ways: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """A part of the goal: one of these pieces covers all these cells."""

    letters: frozenset[str]
    cells: frozenset[Cell]


@dataclass(frozen=True)
class PiecePuzzle:
    """A puzzle of pieces. The goal is that every wish holds. `counts`: what the family counts, by metric, in the words
    `steps`, `slides` and `moves` of this file (the n-puzzle's `moves` are steps)."""

    rows: tuple[str, ...]
    pieces: tuple[Piece, ...]
    wishes: tuple[Wish, ...]
    counts: tuple[tuple[str, str], ...]

    def counted(self, metric: str) -> str | None:
        """The units of a metric; None if the family does not have this metric."""
        return dict(self.counts).get(metric)


def everywhere(height: int, width: int) -> frozenset[Cell]:
    """The cells of a rectangle."""
    return frozenset((r, c) for r in range(height) for c in range(width))


WAYS = "".join(DIRECTIONS)


# The n-puzzle: tiles of one cell, one blank; a tile moves into the blank beside it.

N_PUZZLE_COUNTS = (("moves", "steps"),)
Tiles = dict[Cell, int]


def read_n_puzzle(fields: dict[str, Any], file: str, _limits: Limits) -> PiecePuzzle:
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
    return PiecePuzzle(rows, pieces, wishes, N_PUZZLE_COUNTS)


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


# Rush Hour: vehicles are straight runs of cells and move along their length; one of them must cover the exit.

EMPTY, WALL = ".", "#"
RUSH_HOUR_COUNTS = (("slides", "slides"), ("steps", "steps"))
AXES = {"horizontal": "LR", "vertical": "UD"}


def read_rush_hour(fields: dict[str, Any], file: str, _limits: Limits) -> PiecePuzzle:
    """The puzzle of a file."""
    only_keys(fields, {"board", "goal", "orientation"})
    grid = rectangle(fields.get("board"), "board", file)
    if not set(grid.values()).isdisjoint("ox"):
        raise other_form("`board` has `.` for an empty cell and `#` for a wall, not o and x", file)
    cells: dict[str, set[Cell]] = {}
    for cell, char in grid.items():
        cells.setdefault(char, set()).add(cell)
    open_ = frozenset(cell for cell, char in grid.items() if char != WALL)
    turned = mapping_of(fields, "orientation", file)
    singles = {char for char, covered in cells.items() if len(covered) == 1 and char not in EMPTY + WALL}
    if set(turned) != singles or not all(isinstance(said, Text) and said in AXES for said in turned.values()):
        raise other_form("`orientation` says horizontal or vertical, of each vehicle of one cell and no other", file)
    pieces = tuple(
        Piece(
            letter,
            frozenset(covered),
            open_,
            AXES[turned[letter]] if letter in turned else _ways(letter, covered, file),
        )
        for letter, covered in sorted(cells.items())
        if letter not in EMPTY + WALL
    )
    goal = fields.get("goal")
    if not isinstance(goal, dict) or set(goal) != {"piece", "exit"} or not isinstance(goal["piece"], Text):
        raise other_form("`goal` is `{piece: ..., exit: {row: ..., col: ...}}`", file)
    exit_ = cell_of(goal["exit"], {"row", "col"}, "`exit`", file)
    if str(goal["piece"]) not in {piece.letter for piece in pieces} or exit_ not in open_:
        raise Invalid("the piece that must get out is not on the board, or the exit is a wall or outside", file)
    rows = tuple(fields["board"].removesuffix("\n").split("\n"))
    return PiecePuzzle(rows, pieces, (Wish(frozenset((str(goal["piece"]),)), frozenset((exit_,))),), RUSH_HOUR_COUNTS)


def _ways(letter: str, cells: set[Cell], file: str) -> str:
    """The directions in which a vehicle of several cells moves: along its length."""
    rows, columns = {r for r, _ in cells}, {c for _, c in cells}
    for ways, across, along in (("LR", rows, columns), ("UD", columns, rows)):
        if len(across) == 1 and max(along) - min(along) + 1 == len(cells):
            return ways
    raise Invalid(f"piece {letter} is no straight run of cells", file)


# Sliding blocks: pieces of any shape go cell by cell, never turn, and must cover the cells that the goal shows.

SLIDING_BLOCK_COUNTS = (("moves", "moves"), ("slides", "slides"), ("steps", "steps"))


def read_sliding_block(fields: dict[str, Any], file: str, limits: Limits) -> PiecePuzzle:
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
    return PiecePuzzle(rows, pieces, wishes, SLIDING_BLOCK_COUNTS)


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
        if len({(shape(pieces[letter].cells), pieces[letter].ways, pieces[letter].open) for letter in named}) > 1:
            raise Invalid("pieces that are `alike` differ in shape, directions or doors", file)
    return sets


def shape(cells: frozenset[Cell]) -> frozenset[Cell]:
    row, column = min(cells)
    return frozenset((r - row, c - column) for r, c in cells)


# Sokoban: a player walks on free cells and pushes boxes.

PLAYER, BOX, GOAL = "@+", "$*", ".+*"
SOKOBAN_COUNTS = ("pushes", "moves", "pushes,moves", "moves,pushes")


@dataclass(frozen=True)
class Level:
    """A level. Cells that are not `open` are walls, or not on the map."""

    rows: tuple[str, ...]
    open: frozenset[Cell]
    goals: frozenset[Cell]
    boxes: frozenset[Cell]
    player: Cell

    def counted(self, metric: str) -> str | None:
        """The units of a metric; None if this checker does not know it."""
        return metric if metric in SOKOBAN_COUNTS else None


def read_sokoban(fields: dict[str, Any], file: str, _limits: Limits) -> Level:
    """The level of a file."""
    only_keys(fields, {"map"})
    rows = ["" if row == "-" else row for row in rows_of(fields.get("map"), "map", file)]
    if not set().union(*rows) <= set("# " + PLAYER + BOX + GOAL):
        raise other_form("`map` has no characters but `#`, `@`, `+`, `$`, `*`, `.` and blanks", file)
    cells = {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}
    players = [cell for cell, char in cells.items() if char in PLAYER]
    boxes = frozenset(cell for cell, char in cells.items() if char in BOX)
    goals = frozenset(cell for cell, char in cells.items() if char in GOAL)
    if len(players) != 1 or not boxes or len(boxes) > len(goals):
        raise Invalid("a level has one player, and boxes, and at least as many goals", file)
    open_ = frozenset(cell for cell, char in cells.items() if char != "#")
    walked, seen = list(players), set(players)
    for here in walked:  # grows while it is read
        around = [shifted(here, way) for way in "UDLR"]
        if not cells.keys() >= set(around):
            raise Invalid("the border is open: the player can walk off the map", file)
        fresh = open_.intersection(around) - seen
        seen |= fresh
        walked += fresh
    return Level(tuple(rows), open_, goals, boxes, players[0])
