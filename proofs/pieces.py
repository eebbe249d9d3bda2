"""Pieces on a board of cells: what a position is, how a plan is replayed, and where a piece can stand.

Rush Hour, sliding blocks and the n-puzzle are all such boards. They differ in shapes and directions, in the cells that
are open to a piece, and in what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .core.limits import Invalid, Limits
from .reading import DIRECTIONS, Cell, Cost, shifted

Move = tuple[Cell, str]
"""What stands on a cell moves along a path of the letters U, D, L and R."""

LINE = re.compile(r"([1-9][0-9]{0,3}) ([1-9][0-9]{0,3}) ([UDLR]{1,4096})")
"""A move in a plan: row and column, from 1, and the path."""


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

    def cost(self, plan: str, metric: str, file: str, limits: Limits) -> Cost:
        """Replay a plan, cell by cell, and count. Raises `Invalid` at a step that the rules forbid, and if the goal is
        not reached."""
        pieces = {piece.letter: piece for piece in self.pieces}
        where = {piece.letter: piece.cells for piece in self.pieces}
        on = {cell: piece.letter for piece in self.pieces for cell in piece.cells}
        counts = {"steps": 0, "slides": 0, "moves": 0}
        last, last_way = "", ""
        for number, (cell, path) in enumerate(moves_of(plan, file), 1):
            limits.tick()
            letter = on.get(cell)
            if letter is None:
                raise Invalid("no piece stands there", file, number)
            for way in path:
                limits.tick(len(where[letter]))
                covered = frozenset(shifted(c, way) for c in where[letter])
                if way not in pieces[letter].ways or not covered <= pieces[letter].open:
                    raise Invalid(f"piece {letter} cannot go {way} there", file, number)
                if any(on.get(c, letter) != letter for c in covered):
                    raise Invalid(f"piece {letter} is blocked", file, number)
                for c in where[letter]:
                    del on[c]
                on.update(dict.fromkeys(covered, letter))
                where[letter] = covered
                counts["steps"] += 1
                counts["slides"] += (letter, way) != (last, last_way)
                counts["moves"] += letter != last
                last, last_way = letter, way
        if not all(any(where[letter] >= wish.cells for letter in wish.letters) for wish in self.wishes):
            raise Invalid("the goal is not reached at the end of the plan", file)
        return (counts[self.counted(metric) or ""],)


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
            row, column = min(piece.cells)
            shape = frozenset((r - row, c - column) for r, c in piece.cells)
            wishes = frozenset(i for i, wish in enumerate(board.wishes) if piece.letter in wish.letters)
            limits.hold(100 * (len(piece.cells) + len(wishes)))
            groups.setdefault((shape, piece.ways, piece.open, wishes), []).append(piece)
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


def moves_of(plan: str, file: str) -> Iterator[Move]:
    """The moves of a plan, one a line. Raises `Invalid`."""
    for number, line in enumerate(plan.splitlines(), 1):
        match = LINE.fullmatch(line)
        if match is None:
            raise Invalid("no move: a row, a column and a path are wanted, as `3 4 RR`", file, number)
        yield (int(match[1]) - 1, int(match[2]) - 1), match[3]


def plan_text(moves: list[Move]) -> str:
    """A plan as a certificate has it."""
    return "".join(f"{row + 1} {column + 1} {path}\n" for (row, column), path in moves)
