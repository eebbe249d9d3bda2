"""What there is to see of a puzzle: data, for Python to draw still pictures of and for a browser to play.

A scene has a ground (floor, walls, goals), kinds of pieces with one or more faces, and what lies over them (frame,
exit). The rows of a board say where pieces of which kind are and which face they show: a box on a goal has another one
than beside it. Of a family that is drawn as pieces, a letter is a piece. Of a map, each character of something movable
is a piece. Which piece of one board is which of the next only a page asks (`web/pieces.js`, which takes `scene()`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Literal

from ..models.cells import Cell, Rows
from ..models.errors import printable
from ..models.family import Shape, Sign
from ..models.puzzle import Puzzle
from . import shapes
from .picture_rules import LookedLines, face
from .shapes import BRIGHT, CELL, HUES, QUIET, SHAPE_HUES, SvgShape

MARGIN = 6
"""Units around the board: one cell on the side of an exit, elsewhere less."""

EMPTY, WALL = ".", "#"


Place = tuple[str, Cell, int]
"""Where a piece is: its kind, its first cell, and the number of the face that it shows."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Pieces that look alike: their name for people, what is written on them, their cells relative to the first, and
    their faces, drawn as if the first cell were the upper left one of the board.
    """

    name: str
    label: str
    cells: tuple[Cell, ...]
    faces: tuple[tuple[SvgShape, ...], ...]

    def json(self) -> dict[str, Any]:
        faces = [[shape.json() for shape in face] for face in self.faces]
        return {"name": self.name, "label": self.label, "cells": self.cells, "faces": faces}


@dataclass
class Scene:
    """A puzzle's scene. `ground` is under the pieces and `over` above them; both are the same in every position.

    `signs`: for each character of a board the kind of its pieces and their face (-1: a mark, which is a piece where the
    ground has none). `still`: kinds that come and go, and never move. `walker`: the kind of the one piece that walks.
    """

    puzzle: Puzzle
    kinds: dict[str, Kind] = field(default_factory=dict)
    ground: tuple[SvgShape, ...] = ()
    over: tuple[SvgShape, ...] = ()
    signs: dict[str, tuple[str, int]] = field(default_factory=dict)
    still: set[str] = field(default_factory=set)
    walker: str | None = None
    direct: bool = False

    def __post_init__(self) -> None:
        self.rows = self.puzzle.board()
        drawing = self.puzzle.record.drawing
        signs = drawing.signs(self.puzzle.value) if drawing.signs else {}
        self.style: Literal["pieces", "map", "words", "lines"] = "pieces"
        self.cell = shapes.SQUARE
        self._looks: dict[str, list[tuple[str, str]]] = {}
        self._look = drawing.look(self.puzzle.value) if drawing.look else None
        if drawing.style == "map":
            self.style = "map" if signs else "words" if self._look else "lines"
        self._cells = cells_of(self.rows)
        self._marked: set[Cell] = set()
        self._extent = len(self.rows), max(map(len, self.rows), default=0)
        if self.style == "map":
            self._map(signs)
        elif self.style == "pieces":
            self._pieces()
        elif self._look and self.style == "words":
            self._lines = LookedLines(self._look, self.rows)
            self.cell, self.ground, self.still = self._lines.cell, tuple(self._lines.ground()), self._lines.still

    def scene(self, boards: Iterable[Rows] | None = None) -> dict[str, Any]:
        """The scene for a page that shows these boards, or any. `other`: the faces of words without a look, by their
        length; `rows`: the start.
        """
        told: dict[str, Any] = {
            "title": printable(self.puzzle.header.name),
            "family": self.puzzle.record.title,
            "goal": list(self.puzzle.goal_text()),
            "cell": self.cell,
            "view": self.view,
            "ground": [shape.json() for shape in self.ground],
            "over": [shape.json() for shape in self.over],
            "walker": self.walker,
            "direct": self.direct,
            "rows": list(self.rows),
            "style": self.style,
            "signs": self.signs,
            "still": sorted(self.still),
            **({"exit": exit} if (exit := self._exit()) else {}),
        }
        looks, longest = self._look.shapes if self._look else {}, 1
        names = dict.fromkeys((*looks, *(kind for kind, _ in self.signs.values() if kind)))
        if self.style == "words":
            lines, longest = self._lines, 12
            told |= {"upright": lines.upright, "size": lines.size[0], "turned": lines.reversed}
            told |= {"empty": [word for word, shape in looks.items() if shape.kind == "nothing"]}
        if boards is not None:
            names = dict.fromkeys(kind for rows in boards for kind, *_ in self.places(rows))
        elif self.style in ("words", "map"):
            told["other"] = [self.kind("M" * n).json()["faces"] for n in range(1, longest + 1)]
        return told | {"marked": sorted(self._marked), "kinds": {name: self.kind(name).json() for name in names}}

    def places(self, rows: Rows) -> list[Place]:
        """Where the pieces of a board are; none of one that is lines of text."""
        if self.style == "words":
            return [(word, cell, 0) for cell, word in self._lines.words(rows).items()]
        found: dict[object, Place] = {}
        for cell, char in cells_of(rows).items():
            other = char if self.style == "map" and not char.isspace() else ""
            kind, face = self.signs.get(char, (other, 0))
            if kind and (face >= 0 or cell not in self._marked):
                found.setdefault(kind if self.style == "pieces" else cell, (kind, cell, max(0, face)))
        return list(found.values())

    def covered(self, place: Place) -> list[Cell]:
        """The cells of a piece."""
        kind, (row, column), _ = place
        return [(row + r, column + c) for r, c in self.kind(kind).cells]

    def kind(self, name: str) -> Kind:
        """What the pieces of a kind look like."""
        if name not in self.kinds:
            looks = self._looks.get(name, [(name, "")])
            order = list(self._looks or (self._look.shapes if self._look else ()))
            hue = HUES[order.index(name) % len(HUES)] if name in order else 0
            faces = tuple(self._face(name, char, ground, hue) for char, ground in looks)
            label = "" if name in ("box", "player") else looks[0][0]
            self.kinds[name] = Kind(name.rpartition("=")[2], label, ((0, 0),), faces)
        return self.kinds[name]

    @property
    def view(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the picture."""
        if self.style == "lines":
            return shapes.page_of(self.rows)
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

    # Pieces

    def _pieces(self) -> None:
        """Floor and walls; the pieces with their labels; the frame, the cells of the goal and the exit."""
        labels, goal_of = self.puzzle.labels(), self.puzzle.record.drawing.goal_cells
        goals = goal_of(self.puzzle.value) if goal_of else {}
        walls = {cell for cell, char in self._cells.items() if char == WALL}
        floor = set(self._cells) - walls
        self.ground = (*shapes.floor(floor), *((shapes.area(walls, "wall"),) if walls else ()))
        letters = {char: None for row in self.rows for char in row if char not in (EMPTY, WALL)}
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
            self.kinds[letter] = Kind(f"piece {text}", text, cells, (body,))
            self.signs[letter] = letter, 0
        own_cells = {letter: [cell for cell, owner in goals.items() if owner == letter] for letter in wanted}
        way_out = self._exit()
        self.over = (
            shapes.edge(floor, "frame", 3),
            *(shapes.target(cells, wanted[letter]) for letter, cells in own_cells.items()),
            *((shapes.arrow(*way_out),) if way_out else ()),
        )
        self.direct = sum(char == EMPTY for char in self._cells.values()) == 1

    # Maps

    def _map(self, signs: Mapping[str, Sign]) -> None:
        """The scene of a map: floor, walls and goals are the ground, all other characters are pieces."""
        marks: dict[str, set[Cell]] = {"": set(), "wall": set(), "goal": set(), "mark": set()}
        for cell, char in self._cells.items():
            marks[signs.get(char, NOTHING).ground].add(cell)
        floor = set(self._cells) - marks["wall"] - _outside(self._cells, marks["wall"])
        sides_of = self.puzzle.record.drawing.sides
        sides = list(sides_of(self.puzzle.value)) if sides_of else []
        goal_of = self.puzzle.record.drawing.goal_cells
        goals = set(goal_of(self.puzzle.value)) - marks["goal"] if goal_of and signs else set()
        self._marked = marks["mark"]
        looks = self._look.shapes if self._look else {}
        bare = [char for char in looks if signs.get(char, NOTHING) == NOTHING]
        self.ground = (
            *(shapes.floor(floor) if floor else ()),
            *((shapes.area(marks["wall"], "wall"),) if marks["wall"] else ()),
            *(shapes.moved_to([shapes.diamond()], cell) for cell in sorted(marks["goal"])),
            *(shapes.moved_to(face(char, looks, self.cell, 0), cell) for cell in sorted(floor) for char in bare),
            *(self._mark(cell, looks) for cell in sorted(marks["mark"])),
        )
        height, width = self._extent
        if any(r in (0, height - 1) or c in (0, width - 1) for r, c in floor):
            self.over = (shapes.edge(floor, "frame", 3),)
        if sides:
            self.over += (shapes.thin_walls(sides),)
        self.over += tuple(shapes.target([cell], None) for cell in sorted(goals))
        for char, sign in signs.items():
            faces = self._looks.setdefault(sign.piece, []) if sign.piece else []
            faces.append((char, sign.ground))
            kind = sign.piece or char * (sign.ground == "mark")
            self.signs[char] = kind, len(faces) - 1 if sign.piece else -1
        self.still = {sign.piece for sign in signs.values() if sign.piece and sign.stays}
        walkers = {sign.piece for sign in signs.values() if sign.walks}
        walking = [kind for kind, *_ in self.places(self.rows) if kind in walkers]
        self.walker = walking[0] if len(walking) == 1 else None

    def _mark(self, cell: Cell, looks: Mapping[str, Shape]) -> SvgShape:
        """A mark on the floor."""
        char = self._cells[cell]
        mark = face(char, looks, self.cell, 0) if char in looks else (shapes.mark((0, 0), char),)
        return shapes.moved_to(mark, cell)

    def _face(self, kind: str, char: str, ground: str, hue: int) -> tuple[SvgShape, ...]:
        if self._look and (self.style == "words" or char in self._look.shapes):
            return face(char, self._look.shapes, self.cell, hue)
        if kind == "box":
            return shapes.crate("done" if ground == "goal" else "box")
        if kind == "player":
            return shapes.person()
        return shapes.disc(hue), shapes.label([(0, 0)], char)


NOTHING = Sign()


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
