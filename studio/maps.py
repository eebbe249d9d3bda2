"""The maps of a text: where their rows stand in it, and what a page paints them with."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any

from ..models.documents.compose import Scalar
from ..models.documents.document import Document, parse
from ..models.documents.fields import MAP, ROW, Grid, read_grid
from ..models.errors import BudgeError
from ..models.families import family_of
from ..models.family import Family, Sign
from ..models.puzzle import Puzzle
from ..views.scene import Scene

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


def maps_json(text: str, puzzle: Puzzle | None) -> dict[str, Any]:
    """What a page paints with. `puzzle`: the last that the text was."""
    maps = [
        {
            "key": drawn.key,
            "rows": drawn.grid.rows,
            "origins": [[origin.line, origin.column] for origin in drawn.grid.origins],
            "width": drawn.grid.width,
            "empty": drawn.empty,
            "border": drawn.border,
            "style": drawn.family.drawing.style,
            "palette": palette(drawn, puzzle),
            "looks": looks_of(drawn, puzzle),
        }
        for drawn in maps_of(text)
    ]
    return {"maps": maps, "no_maps": "" if maps else nothing_to_draw(text)}


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
        return looks | {id: kind.faces[0][0].attributes["class"] for id, kind in Scene(puzzle).kinds.items()}
    for char, sign in (drawing.signs(puzzle.value) if drawing.signs else {}).items():
        kind = "done" if (sign.piece, sign.ground) == ("box", "goal") else sign.piece or sign.ground
        looks[char] = kind if kind in ("box", "done", "player", "goal", "wall", "") else "piece"
    return looks


def _said(sign: Sign) -> str:
    """The meaning of a character in words: `box on goal`."""
    return " on ".join(word for word in (sign.piece, sign.ground if sign.ground != "mark" else "") if word)
