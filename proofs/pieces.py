"""Pieces on a board of cells: how they are read from a puzzle file, and where each can stand.

Rush Hour, sliding blocks and the n-puzzle are all such boards. They differ in shapes and directions, in the cells that
are open to a piece, and in what is counted.
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


@dataclass(frozen=True, slots=True)
class Kind:
    """Pieces that can stand for each other: of one shape, with the same ways, open cells and wishes.

    Exchanging two of them changes no move and no goal, so a position says where *some* piece of each kind stands.
    `places`: the numbers of its places, consecutive. `start`: those of its pieces.
    """

    letters: str
    places: range
    start: tuple[int, ...]


class Places:
    """The places of all kinds, numbered from 0: `cells[place]` are covered by a piece there, `next[place]` has the
    places one step away, by direction, whatever else is on the board.

    A place is found by a flood fill from the start of the pieces of its kind: a piece cannot be where it could not get
    to on a board without any others.
    """

    def __init__(self, board: PiecePuzzle, limits: Limits) -> None:
        self.cells: list[frozenset[Cell]] = []
        self.next: list[dict[str, int]] = []
        self.kinds: list[Kind] = []
        groups: dict[tuple[object, ...], list[Piece]] = {}
        for piece in board.pieces:
            limits.tick(len(piece.cells) + len(board.wishes))
            wishes = frozenset(i for i, wish in enumerate(board.wishes) if piece.letter in wish.letters)
            limits.hold(100 * (len(piece.cells) + len(wishes)))
            groups.setdefault((_shape(piece.cells), piece.ways, piece.open, wishes), []).append(piece)
        for pieces in groups.values():
            for alike in _meeting(pieces, limits):
                self._add_kind(alike, limits)
        kind_of = {letter: kind for kind in self.kinds for letter in kind.letters}
        self.wished: list[list[int]] = []
        for wish in board.wishes:
            limits.tick(len(wish.letters))
            kinds = dict.fromkeys(map(kind_of.__getitem__, sorted(wish.letters)))
            limits.tick(sum(len(kind.places) for kind in kinds))
            self.wished.append([p for kind in kinds for p in kind.places if self.cells[p] >= wish.cells])
            limits.hold(8 * len(self.wished[-1]))
        self.start = tuple(sorted(place for kind in self.kinds for place in kind.start))
        self.all_cells = sorted(frozenset().union(*self.cells))

    def _add_kind(self, pieces: list[Piece], limits: Limits) -> None:
        first, piece = len(self.cells), pieces[0]
        reached = frozenset().union(*(_reached(p, limits) for p in pieces))
        number = {covered: first + i for i, covered in enumerate(sorted(reached, key=min))}
        for covered in number:
            limits.tick(1 + len(covered))
            near = {way: frozenset(shifted(cell, way) for cell in covered) for way in piece.ways}
            self.cells.append(covered)
            self.next.append({way: number[there] for way, there in near.items() if there in number})
        start = tuple(number[p.cells] for p in pieces)
        letters = "".join(p.letter for p in pieces)
        self.kinds.append(Kind(letters, range(first, len(self.cells)), start))

    def line(self, place: int, way: str) -> list[int]:
        """The places in a straight line from a place, the nearest first."""
        found = []
        while way in self.next[place]:
            place = self.next[place][way]
            found.append(place)
        return found


def _reached(piece: Piece, limits: Limits) -> frozenset[frozenset[Cell]]:
    """The sets of cells that a piece can cover if it is alone on the board."""
    found, queue = {piece.cells}, [piece.cells]
    for here in queue:  # grows while it is read
        limits.tick(len(here))
        for way in piece.ways:
            there = frozenset(shifted(cell, way) for cell in here)
            if there <= piece.open and there not in found:
                limits.hold(200 + 100 * len(there))
                found.add(there)
                queue.append(there)
    return frozenset(found)


def _meeting(pieces: list[Piece], limits: Limits) -> list[list[Piece]]:
    """Pieces of one shape, parted into those that can stand in the same places. What moves along one axis only stays
    itself: it never gets past another in its line, so there is nothing to exchange."""
    if len(pieces) == 1 or set(pieces[0].ways) in ({"L", "R"}, {"U", "D"}):
        return [[piece] for piece in pieces]
    parts: list[tuple[set[frozenset[Cell]], list[Piece]]] = []
    for piece in pieces:
        reached, together = set(_reached(piece, limits)), [piece]
        for part in [part for part in parts if not reached.isdisjoint(part[0])]:
            parts.remove(part)
            reached, together = reached | part[0], part[1] + together
        parts.append((reached, together))
    return [together for _, together in parts]


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
        if len({(_shape(pieces[letter].cells), pieces[letter].ways, pieces[letter].open) for letter in named}) > 1:
            raise Invalid("pieces that are `alike` differ in shape, directions or doors", file)
    return sets


def _shape(cells: frozenset[Cell]) -> frozenset[Cell]:
    row, column = min(cells)
    return frozenset((r - row, c - column) for r, c in cells)
