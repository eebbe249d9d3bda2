"""Draw mode: the maps of a text are painted, and only their rows change in it. Comments and everything else stay."""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..models.documents.compose import Scalar
from ..models.documents.document import Document, parse
from ..models.documents.fields import MAP, ROW, Grid, read_grid
from ..models.errors import BudgeError
from ..models.families import family_of
from ..models.family import Family, Sign
from ..models.puzzle import Puzzle
from ..views.scene import Scene
from .desk import Desk
from .widgets import flat

EMPTY = {"pieces": ".", "map": " "}
"""The character of an empty cell, by how a family is drawn."""

LARGEST = 64
"""Rows or columns of a map that is painted."""


@dataclass(frozen=True, slots=True)
class Map:
    """A map in a text: its key, its rows, and their places (`grid.origins`)."""

    key: str
    grid: Grid
    family: Family[Any, Any]

    @property
    def empty(self) -> str:
        """The character of a cell with nothing on it."""
        dots = self.family.name != "sokoban" and any("." in row for row in self.grid.rows)
        return "." if dots else EMPTY[self.family.drawing.style]

    @property
    def border(self) -> str:
        """What new rows and columns are made of: spaces at the edge of a map would not count."""
        return "#" if self.empty == " " else self.empty


def maps_of(text: str) -> list[Map]:
    """The maps of a text, in its order; none where it cannot be read that far."""
    try:
        document = parse(text)
    except BudgeError:
        return []
    family = _family(document)
    if family is None:
        return []
    keys = {key.name for key in family.keys if key.types == MAP and key.items is ROW}
    maps = []
    for entry in document.root.entries:
        if entry.key.text in keys:
            grid = read_grid(entry.value, document.report, entry.key.text)
            if grid is not None and grid.exact and max(grid.height, grid.width) <= LARGEST:
                maps.append(Map(entry.key.text, grid, family))
    return maps


def nothing_to_draw(text: str) -> str:
    """A sentence on why a text has no maps."""
    try:
        family = _family(parse(text))
    except BudgeError:
        family = None
    if family is None:
        return "What can be drawn is shown as soon as the text names its family."
    return "There is no map of characters in this text."


def _family(document: Document) -> Family[Any, Any] | None:
    node = document.root.get("family")
    if not isinstance(node, Scalar):
        return None
    return family_of("custom" if node.text.endswith(".yaml") else node.text)


def painted(text: str, drawn: Map, strokes: Iterable[tuple[int, int, str]]) -> str:
    """The text with some cells of a map painted: (row, column, character).

    >>> text = "format: 1\\nfamily: rush-hour\\nboard: |  # mine\\n  AA.\\n  ..."
    >>> print(painted(text, maps_of(text)[0], [(1, 2, "#")]))
    format: 1
    family: rush-hour
    board: |  # mine
      AA.
      ..#
    """
    lines = text.split("\n")
    for row, column, char in strokes:
        if not (0 <= row < drawn.grid.height and 0 <= column < LARGEST and len(char) == 1 and char.isprintable()):
            continue
        origin = drawn.grid.origins[row]
        at = origin.column + column
        line = lines[origin.line].ljust(at)
        lines[origin.line] = line[:at] + char + line[at + 1 :]
    return "\n".join(lines)


def resized(text: str, drawn: Map, rows: int, columns: int) -> str:
    """The text with a map of one more (1) or one less (-1) row below or column at the right."""
    grid, lines = drawn.grid, text.split("\n")
    if columns:
        for row, origin in enumerate(grid.origins):
            line, end = lines[origin.line], origin.column + grid.width
            if columns > 0:
                padded = line[: origin.column + len(grid.rows[row])].ljust(end, drawn.empty)
                lines[origin.line] = padded + drawn.border
            elif grid.width > 1:
                lines[origin.line] = line[: end - 1]
    if rows > 0:
        last = grid.origins[-1]
        lines.insert(last.line + 1, lines[last.line][: last.column] + drawn.border * grid.width)
    elif rows < 0 and grid.height > 1:
        del lines[grid.origins[-1].line]
    return "\n".join(lines)


def palette(drawn: Map, puzzle: Puzzle | None) -> list[tuple[str, str]]:
    """The characters to paint with, and their meanings. `puzzle`: the last that the text was."""
    used = sorted({char for row in drawn.grid.rows for char in row} - {drawn.empty, "#"})
    drawing = drawn.family.drawing
    meanings = {drawn.empty: "empty", "#": "wall"}
    if drawing.style == "pieces":
        fresh = next(char for char in string.ascii_letters.swapcase() if char not in used)
        return [*meanings.items(), *((char, f"piece {char}") for char in used), (fresh, f"new piece {fresh}")]
    fits = puzzle is not None and puzzle.family == drawn.family.name and drawing.signs is not None
    signs = drawing.signs(puzzle.value) if fits and puzzle is not None and drawing.signs is not None else {}
    meanings |= dict.fromkeys(used, "") | {char: _said(sign) for char, sign in signs.items()}
    return [(char, text or char) for char, text in meanings.items()]


def looks_of(drawn: Map, puzzle: Puzzle | None) -> dict[str, str]:
    """The classes that give cells the colours of the board. `puzzle`: the last that the text was."""
    looks = {"#": "wall"}
    if puzzle is None or puzzle.family != drawn.family.name:
        return looks
    drawing = drawn.family.drawing
    if drawing.style == "pieces":
        return looks | {id: piece.faces[0][0].attributes["class"] for id, piece in Scene(puzzle).pieces.items()}
    for char, sign in (drawing.signs(puzzle.value) if drawing.signs else {}).items():
        kind = "done" if (sign.piece, sign.ground) == ("box", "goal") else sign.piece or sign.ground
        looks[char] = kind if kind in ("box", "done", "player", "goal", "wall", "") else "piece"
    return looks


def _said(sign: Sign) -> str:
    """The meaning of a character in words: `box on goal`."""
    return " on ".join(word for word in (sign.piece, sign.ground if sign.ground != "mark" else "") if word)


class Painter:
    """The maps of a desk's text as grids of cells that are painted with a pointer or with keys."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.on = False
        self.puzzle: Puzzle | None = None
        self.panel = ui.element("div").classes("painter")
        self.panel.set_visibility(False)
        desk.on_check.append(self._show)

    def turn(self) -> bool:
        """Open draw mode, or close it; returns whether it is open now."""
        self.on = not self.on
        self.panel.set_visibility(self.on)
        self._show()
        return self.on

    def _show(self) -> None:
        self.puzzle = self.desk.puzzle or self.puzzle
        if not self.on:
            return
        self.panel.clear()
        maps = maps_of(self.desk.text)
        with self.panel:
            if not maps:
                ui.label(nothing_to_draw(self.desk.text)).classes("empty")
            for number, drawn in enumerate(maps):
                self._map(number, drawn)

    def _map(self, number: int, drawn: Map) -> None:
        with ui.element("div").classes("painted"):
            with ui.element("div").classes("toolbar"):
                ui.label(drawn.key).classes("heading")
                for text, rows, columns in (("+ row", 1, 0), ("− row", -1, 0), ("+ column", 0, 1), ("− column", 0, -1)):
                    flat(text, on_click=partial(self._resize, number, rows, columns)).props("size=sm")
            board = ui.element("div").classes("cells").props(f'aria-label="Cells of {drawn.key}"')
            board.on("paint", lambda event: self._paint(number, event), args=["detail"])
            tell = [drawn.grid.rows, drawn.grid.width, palette(drawn, self.puzzle), looks_of(drawn, self.puzzle)]
            ui.run_javascript(f"budgeStudio.painter({board.id}, ...{json.dumps(tell)})")

    async def _paint(self, number: int, event: GenericEventArguments) -> None:
        maps = maps_of(self.desk.text)
        strokes = _strokes(event.args.get("detail")) if isinstance(event.args, dict) else []
        if number < len(maps) and strokes:
            await self.desk.set_text(painted(self.desk.text, maps[number], strokes))

    async def _resize(self, number: int, rows: int, columns: int) -> None:
        maps = maps_of(self.desk.text)
        if number < len(maps):
            await self.desk.set_text(resized(self.desk.text, maps[number], rows, columns))


def _strokes(detail: object) -> list[tuple[int, int, str]]:
    """The well-formed strokes, (row, column, character), among those that a browser reports."""
    if not isinstance(detail, Sequence) or isinstance(detail, str):
        return []
    strokes = []
    for stroke in detail[: LARGEST * LARGEST]:
        match stroke:
            case [int(row), int(column), str(char)]:
                strokes.append((row, column, char))
    return strokes
