"""What there is to see of a puzzle, and where it is in a position: data, for Python to draw and for a browser to play.

A scene has a ground (floor, walls, goals), pieces with one or more faces, and what lies over them (frame, exit). A
position says where each piece is and which face it shows: a box on a goal has another one than beside it. Of a family
that is drawn as pieces, a letter is a piece. Of a map, each character of something movable is a piece, and
from one position to the next pieces of a kind are matched so that each goes as little as possible.

`Scene(puzzle).scene()` and `.state(rows)` are what the element `<budge-board>` takes (`web/board.js`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Literal

from ..models.cells import Cell, Rows
from ..models.errors import printable
from ..models.family import Sign
from ..models.puzzle import Puzzle
from . import shapes
from .picture_rules import LookedLines, face
from .shapes import BRIGHT, CELL, HUES, QUIET, SHAPE_HUES, SvgShape

# Which piece of one position is which of the next, among pieces that are alike: each goes as little as possible.

Place = tuple[int, int, int]
"""The place of a piece: the row and column of its first cell, and the number of the face it shows."""


def matched(
    old: Mapping[str, Place], places: Mapping[Cell, int], names: Iterable[str], first: Cell | None, moving: bool
) -> Iterable[tuple[str, Cell]]:
    """Which piece is on which cell: those that stay, then what stood on `first`, then the nearest pairs, then pieces
    that were not there. Pieces that are not `moving` stay or vanish.
    """
    unmatched = dict(old)
    cells = dict.fromkeys(places)
    for id, (row, column, _) in old.items():
        if (row, column) in cells:
            yield id, (row, column)
            del unmatched[id], cells[row, column]
    pairs = sorted(
        ((row, column) != first, abs(row - r) + abs(column - c), id, (r, c))
        for id, (row, column, _) in unmatched.items()
        for r, c in cells
        if moving
    )
    for _, _, id, cell in pairs:
        if id in unmatched and cell in cells:
            yield id, cell
            del unmatched[id], cells[cell]
    fresh = (name for name in names if name not in old)
    for cell in cells:
        yield next(fresh), cell


MARGIN = 6
"""Units around the board: one cell on the side of an exit, elsewhere less."""

EMPTY, WALL = ".", "#"


@dataclass(frozen=True, slots=True)
class DrawnPiece:
    """A piece: its name for people, what is written on it, its cells relative to the first, and its faces.

    A face is drawn as if the first cell were the upper left one of the board.
    """

    id: str
    name: str
    label: str
    cells: tuple[Cell, ...]
    faces: tuple[tuple[SvgShape, ...], ...]

    def json(self) -> dict[str, Any]:
        faces = [[shape.json() for shape in face] for face in self.faces]
        return {"id": self.id, "name": self.name, "label": self.label, "cells": self.cells, "faces": faces}


@dataclass(frozen=True, slots=True)
class ScenePosition:
    """A position: where each piece is. `moved`: those that are elsewhere than before.

    `pieces`: those that the scene did not have before. `lines`: the board, where it is lines of text.
    """

    at: Mapping[str, Place]
    moved: tuple[str, ...] = ()
    pieces: tuple[DrawnPiece, ...] = ()
    lines: Rows | None = None

    def json(self, pieces: bool = True) -> dict[str, Any]:
        said: dict[str, Any] = {"at": dict(self.at), "moved": list(self.moved)}
        if self.pieces and pieces:
            said["pieces"] = [piece.json() for piece in self.pieces]
        if self.lines is not None:
            said["lines"] = list(self.lines)
        return said


@dataclass
class Scene:
    """A puzzle's scene, and the position that was looked at last.

    `ground` is under the pieces and `over` above them; both are the same in every position.
    """

    puzzle: Puzzle
    pieces: dict[str, DrawnPiece] = field(default_factory=dict)
    ground: tuple[SvgShape, ...] = ()
    over: tuple[SvgShape, ...] = ()
    walker: str | None = None
    direct: bool = False
    _covered: dict[Cell, str] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        rows = self.puzzle.board()
        drawing = self.puzzle.record.drawing
        signs = drawing.signs(self.puzzle.value) if drawing.signs else {}
        self.style: Literal["pieces", "map", "words", "lines"] = "pieces"
        self.cell = shapes.SQUARE
        self._looks: dict[str, list[tuple[str, str]]] = {}
        self._look = drawing.look(self.puzzle.value) if drawing.look else None
        if drawing.style == "map":
            self.style = "map" if signs else "words" if self._look else "lines"
        self._glyphs = Counter(glyph for row in rows for glyph in (row.split() if self.style == "words" else row))
        self._cells = cells_of(rows)
        self._signs: Mapping[str, Sign] = {}
        self._marked: set[Cell] = set()
        self._extent = len(rows), max(map(len, rows), default=0)
        if self.style == "map":
            self._map(rows, signs)
        elif self.style == "pieces":
            self._pieces(rows)
        elif self._look and self.style == "words":
            self._lines = LookedLines(self._look, rows)
            self.cell, self.ground = self._lines.cell, tuple(self._lines.ground())
        self.start = self.last = self._state(rows, {})

    # What the element takes

    def scene(self) -> dict[str, Any]:
        """The property `scene`."""
        return {
            "title": printable(self.puzzle.header.name),
            "family": self.puzzle.record.title,
            "goal": list(self.puzzle.goal_text()),
            "cell": self.cell,
            "view": self.view,
            "ground": [shape.json() for shape in self.ground],
            "pieces": [piece.json() for piece in self.pieces.values()],
            "over": [shape.json() for shape in self.over],
            "walker": self.walker,
            "direct": self.direct,
            **({"exit": exit} if (exit := self._exit()) else {}),
            "start": self.start.json(),
        }

    def state(self, rows: Rows, first: Cell | None = None) -> ScenePosition:
        """Where the pieces are on a board, which is then the last that was looked at.

        Those that are alike are matched with the last board: each goes as little as possible, but what stood on the
        cell `first` is taken to have moved.
        """
        self.show(self.look(rows, first))
        return self.last

    def show(self, position: ScenePosition) -> None:
        """Keep a position as the last one."""
        self.last, self._covered = position, None

    def look(self, rows: Rows, first: Cell | None = None) -> ScenePosition:
        """The places of the pieces on a board, as `state` gives them, but without keeping the board as the last one."""
        return self._state(rows, self.last.at, first)

    def piece_at(self, cell: Cell) -> str | None:
        """The piece on a cell of the last board that `state` was called with; None if no piece is there."""
        if self._covered is None:
            self._covered = {
                (row + r, column + c): id
                for id, (row, column, _) in self.last.at.items()
                for r, c in self.pieces[id].cells
            }
        return self._covered.get(cell)

    @property
    def view(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the picture."""
        if self.style == "lines":
            return shapes.page_of(self.last.lines or ())
        if self.style == "words":
            return self._lines.view
        room = dict.fromkeys("LURD", MARGIN)
        if way_out := self._exit():
            room[way_out[1]] = CELL
        height, width = self._extent
        return -room["L"], -room["U"], width * CELL + room["L"] + room["R"], height * CELL + room["U"] + room["D"]

    def _exit(self) -> tuple[Cell, str] | None:
        exit_of = self.puzzle.record.drawing.exit
        return exit_of(self.puzzle.value) if exit_of else None

    def _state(self, rows: Rows, before: Mapping[str, Place], first: Cell | None = None) -> ScenePosition:
        if self.style == "lines":
            return ScenePosition({}, lines=rows)
        old = set(self.pieces)
        match self.style:
            case "map":
                at = self._of_map(rows, before, first)
            case "words":
                at = self._of_words(rows, before)
            case _:
                at = self._of_letters(rows)
        moved = [id for id, place in at.items() if id in before and before[id][:2] != place[:2]]
        still = self._lines.still if self.style == "words" else ()
        moved += [id for id in at if before and id not in before and _kind(id) not in still]
        if len(moved) > 1 and self.walker in moved:
            moved.remove(self.walker)  # it only follows what it pushes
        fresh = tuple(piece for id, piece in self.pieces.items() if before and id not in old)
        return ScenePosition(at, tuple(moved), fresh)

    # Pieces

    def _pieces(self, rows: Rows) -> None:
        """Floor and walls; the pieces with their labels; the frame, the cells of the goal and the exit."""
        labels, goal_of = self.puzzle.labels(), self.puzzle.record.drawing.goal_cells
        goals = goal_of(self.puzzle.value) if goal_of else {}
        walls = {cell for cell, char in self._cells.items() if char == WALL}
        floor = set(self._cells) - walls
        self.ground = (*shapes.floor(floor), *((shapes.area(walls, "wall"),) if walls else ()))
        letters = {char: None for row in rows for char in row if char not in (EMPTY, WALL)}
        wanted: dict[str, int | None] = dict.fromkeys(goals.values())
        if len(wanted) > 1:  # each in a colour of its own, as the cells that it has to cover
            wanted = dict(zip(wanted, cycle(HUES), strict=False))
        hues: dict[tuple[Cell, ...], int] = {}
        for letter in letters:
            own = sorted(cell for cell, char in self._cells.items() if char == letter)
            cells = tuple((r - own[0][0], c - own[0][1]) for r, c in own)
            text, key = labels.get(letter, letter), letter in wanted
            hue = wanted[letter] if key else hues.setdefault(cells, SHAPE_HUES[len(hues) % len(SHAPE_HUES)])
            piece = shapes.piece(cells, hue, BRIGHT if key else QUIET)
            body = piece, shapes.label(cells, text, "on-key" if hue is None else "ink")
            self.pieces[letter] = DrawnPiece(letter, f"piece {text}", text, cells, (body,))
        own_cells = {letter: [cell for cell, owner in goals.items() if owner == letter] for letter in wanted}
        way_out = self._exit()
        self.over = (
            shapes.edge(floor, "frame", 3),
            *(shapes.target(cells, wanted[letter]) for letter, cells in own_cells.items()),
            *((shapes.arrow(*way_out),) if way_out else ()),
        )
        self.direct = sum(char == EMPTY for char in self._cells.values()) == 1

    def _of_letters(self, rows: Rows) -> dict[str, Place]:
        at: dict[str, Place] = {}
        for r, row in enumerate(rows):
            for c, char in enumerate(row):
                if char in self.pieces and char not in at:
                    at[char] = (r, c, 0)
        return at

    # Maps

    def _map(self, rows: Rows, signs: Mapping[str, Sign]) -> None:
        """The scene of a map: floor, walls and goals are the ground, all other characters are pieces."""
        self._signs = signs
        marks: dict[str, set[Cell]] = {"": set(), "wall": set(), "goal": set(), "mark": set()}
        for cell, char in self._cells.items():
            marks[signs.get(char, NOTHING).ground].add(cell)
        floor = set(self._cells) - marks["wall"] - _outside(self._cells, marks["wall"])
        sides_of = self.puzzle.record.drawing.sides
        sides = list(sides_of(self.puzzle.value)) if sides_of else []
        self._marked = marks["mark"]
        self.ground = (
            *(shapes.floor(floor) if floor else ()),
            *((shapes.area(marks["wall"], "wall"),) if marks["wall"] else ()),
            *(shapes.moved_to([shapes.diamond()], cell) for cell in sorted(marks["goal"])),
            *self._under(floor, marks["mark"]),
        )
        height, width = self._extent
        if any(r in (0, height - 1) or c in (0, width - 1) for r, c in floor):
            self.over = (shapes.edge(floor, "frame", 3),)
        if sides:
            self.over += (shapes.thin_walls(sides),)
        for char, sign in signs.items():
            if sign.piece:
                self._looks.setdefault(sign.piece, []).append((char, sign.ground))
        self._of_map(rows, {})
        walkers = {sign.piece for sign in signs.values() if sign.walks}
        walking = [id for id in self.pieces if _kind(id) in walkers]
        self.walker = walking[0] if len(walking) == 1 else None

    def _under(self, floor: set[Cell], marked: set[Cell]) -> Iterable[SvgShape]:
        """What a look says of the floor, and the marks on it."""
        looks = self._look.shapes if self._look else {}
        bare = [char for char in looks if self._signs.get(char, NOTHING) == NOTHING]
        yield from (shapes.moved_to(face(char, looks, self.cell, 0), cell) for cell in sorted(floor) for char in bare)
        for cell in sorted(marked):
            char = self._cells[cell]
            mark = face(char, looks, self.cell, 0) if char in looks else (shapes.mark((0, 0), char),)
            yield shapes.moved_to(mark, cell)

    def _of_map(self, rows: Rows, before: Mapping[str, Place], first: Cell | None = None) -> dict[str, Place]:
        """The places of the pieces on a map; pieces of a kind are matched with those of the board before."""
        by_kind: dict[str, dict[Cell, int]] = {}
        staying: set[str] = set()
        for r, row in enumerate(rows):
            for c, char in enumerate(row):
                sign = self._signs.get(char)
                if sign is None:  # of a map that says nothing of it
                    if not char.isspace():
                        by_kind.setdefault(char, {})[r, c] = 0
                elif sign.piece:
                    looks = self._looks[sign.piece]
                    by_kind.setdefault(sign.piece, {})[r, c] = looks.index((char, sign.ground)) if len(looks) > 1 else 0
                    if sign.stays:
                        staying.add(sign.piece)
                elif sign.ground == "mark" and (r, c) not in self._marked:
                    by_kind.setdefault(char, {})[r, c] = 0
        return self._placed(by_kind, staying, before, first)

    def _of_words(self, rows: Rows, before: Mapping[str, Place]) -> dict[str, Place]:
        """The places of words; those that are equal are matched with those of the drawing before."""
        by_kind: dict[str, dict[Cell, int]] = {}
        for cell, word in self._lines.words(rows).items():
            by_kind.setdefault(word, {})[cell] = 0
        return self._placed(by_kind, self._lines.still, before, None)

    def _placed(
        self,
        by_kind: Mapping[str, Mapping[Cell, int]],
        staying: Collection[str],
        before: Mapping[str, Place],
        first: Cell | None,
    ) -> dict[str, Place]:
        """Pieces of each kind on the cells of that kind, matched with those of the board before."""
        at: dict[str, Place] = {}
        for kind, places in by_kind.items():
            old = {id: place for id, place in before.items() if _kind(id) == kind}
            names = self._names(kind, len(old) + len(places))
            for id, cell in matched(old, places, names, first, kind not in staying):
                at[id] = (*cell, places[cell])
        return at

    def _names(self, kind: str, most: int) -> Iterable[str]:
        """Names for pieces of a kind, one after the other; a name becomes a piece when it is used."""
        for number in range(1, most + 1):
            id = f"{kind} {number}"
            if id not in self.pieces:
                name, label, faces = self._kind(kind)
                own = name if self._single(kind) else f"{name} {number}"
                self.pieces[id] = DrawnPiece(id, own, label, ((0, 0),), faces)
            yield id

    def _single(self, kind: str) -> bool:
        """Whether one piece at the start is of a kind."""
        return sum(self._glyphs[char] for char, _ in self._looks.get(kind, [(kind, "")])) == 1

    def _kind(self, kind: str) -> tuple[str, str, tuple[tuple[SvgShape, ...], ...]]:
        """The name of the pieces of a kind, what is written on them, and their faces."""
        looks = self._looks.get(kind, [(kind, "")])
        order = list(self._looks or (self._look.shapes if self._look else ()))
        hue = HUES[order.index(kind) % len(HUES)] if kind in order else 0
        faces = tuple(self._face(kind, char, ground, hue) for char, ground in looks)
        return kind.rpartition("=")[2], "" if kind in ("box", "player") else looks[0][0], faces

    def kinds(self, texts: Iterable[str]) -> dict[str, Any]:
        """What a page needs to find the pieces of a position in what is drawn (`web/program_moves.js`). `texts`:
        those that may be drawn.

        `signs`: for each character the kind of its pieces, their face (-1: a mark, a piece where the ground has none),
        and whether they stay. `other`: the faces of words without a look, by their length. `once`: kinds of which there
        is one piece.
        """
        told: dict[str, Any] = {"style": self.style, "signs": {}, "marked": [], "still": [], "empty": []}
        names: Iterable[str] = ()
        if self.style == "map":
            told["marked"] = sorted(self._marked)
            for char, sign in self._signs.items():
                face = self._looks[sign.piece].index((char, sign.ground)) if sign.piece else -1
                told["signs"][char] = sign.piece or char * (sign.ground == "mark"), face, int(sign.stays)
            chars = dict.fromkeys(
                char for text in texts for char in text if not char.isspace() and char not in self._signs
            )
            names = dict.fromkeys((*(kind for kind, *_ in told["signs"].values() if kind), *chars))
        elif self._look and self.style == "words":
            names, lines = self._look.shapes, self._lines
            told |= {"still": sorted(lines.still), "upright": lines.upright, "size": lines.size[0]}
            told |= {"turned": lines.reversed, "empty": [w for w, shape in names.items() if shape.kind == "nothing"]}
            words = ["M" * n for n in range(1, 13)]
            told["other"] = [[shape.json() for shape in self._face(word, word, "", 0)] for word in words]
        kinds = {kind: self._kind(kind) for kind in names}
        told["kinds"] = {
            kind: {"name": name, "label": label, "faces": [[shape.json() for shape in face] for face in faces]}
            for kind, (name, label, faces) in kinds.items()
        }
        told["once"] = [kind for kind in dict.fromkeys((*kinds, *self._glyphs)) if self._single(kind)]
        return told

    def _face(self, kind: str, char: str, ground: str, hue: int) -> tuple[SvgShape, ...]:
        if self._look and (self.style == "words" or char in self._look.shapes):
            return face(char, self._look.shapes, self.cell, hue)
        if kind == "box":
            return shapes.crate("done" if ground == "goal" else "box")
        if kind == "player":
            return shapes.person()
        return shapes.disc(hue), shapes.label([(0, 0)], char)


NOTHING = Sign()


def _kind(id: str) -> str:
    return id.rpartition(" ")[0]


def cells_of(rows: Sequence[str]) -> dict[Cell, str]:
    """The characters of a board by their cells."""
    return {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}


def _outside(cells: Mapping[Cell, str], walls: set[Cell]) -> set[Cell]:
    """The blank cells of a map outside its walls: those joined to the edge."""
    if not walls:
        return set()
    height, width = (1 + max(part) for part in zip(*cells, strict=True))
    outside = {
        (r, c) for r, c in cells if (r in (0, height - 1) or c in (0, width - 1) or (r, c + 1) not in cells)
    } - walls
    outside = {cell for cell in outside if cells[cell].isspace()}
    queue = list(outside)
    for r, c in queue:  # grows while it is read
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if near in cells and near not in walls and near not in outside and cells[near].isspace():
                outside.add(near)
                queue.append(near)
    return outside
