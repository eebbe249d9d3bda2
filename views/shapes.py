"""Shapes: what boards are drawn of, for Python to write as SVG and for a browser to draw.

A cell of a board is a square of `CELL` units. Colours are CSS variables, so that a page can change them; dark screens
get dark ones. Each shape has its light colour as an attribute too, for programs that know no variables.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape as escaped
from importlib.resources import files
from json import dumps
from typing import Any

from ..models.cells import DIRECTIONS, Cell, Rows
from ..models.errors import printable_lines

CELL = 40
"""Units of a cell."""

HUES = (210, 44, 152, 290, 180, 28, 225, 95, 335, 60, 200, 128, 262, 168, 310, 190, 75, 245)
"""Hues of pieces that are told apart by their colour, in the order in which they appear on the initial board."""

SHAPE_HUES = (212, 168, 38, 268, 120, 330)
"""Hues of quiet pieces, one for each shape: pieces of the same shape look alike. The piece of the goal is red."""

COLOURS = {
    "ground": ("#f4f2ec", "#26282d"),
    "grid": ("#e2dfd6", "#363941"),
    "wall": ("#55565c", "#50545e"),
    "frame": ("#55565c", "#8d919b"),
    "ink": ("#1c1c1a", "#f2f2ee"),
    "goal": ("#cf3227", "#ff7468"),
    "key": ("#d63a2e", "#d14035"),
    "on-key": ("#ffffff", "#ffffff"),
    "box": ("#d99a3c", "#c98c36"),
    "done": ("#4c9f5e", "#3f8a50"),
    "player": ("#2b6cb0", "#6aa9ea"),
    "moved": ("#111111", "#ffffff"),
}
"""The colours of boards, on light screens and on dark ones."""

LIGHT = {name: light for name, (light, _) in COLOURS.items()}


@dataclass(frozen=True, slots=True)
class Tone:
    """Saturation and lightness of pieces, and the lightness of their edges, in percent."""

    saturation: int
    lightness: int
    edge: int


TARGET = 55, 48
"""Saturation and lightness of the outline of a goal."""

BRIGHT, QUIET = Tone(62, 74, 55), Tone(24, 72, 58)
_DARK_BRIGHT, _DARK_QUIET = Tone(42, 31, 48), Tone(17, 34, 46)


def _variables(dark: bool, bright: Tone, quiet: Tone) -> str:
    listed = "".join(f"--budge-{name}:{pair[dark]};" for name, pair in COLOURS.items())
    tones = "".join(
        f"--budge-{kind}s:{tone.saturation}%;--budge-{kind}l:{tone.lightness}%;--budge-{kind}e:{tone.edge}%;"
        for kind, tone in (("", bright), ("quiet-", quiet))
    )
    return (listed + tones).rstrip(";")


@cache
def web(name: str) -> str:
    """A file of `web/` without its indentation, its comments and, of a script, its types: a third of it."""
    text = re.sub(r"^\s+", "", (files(__package__) / "web" / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return COMMENT.sub("", text) if name.endswith(".js") else re.sub(r"/\*.*?\*/|\n| *([{};,]) *", r"\1", text)


COMMENT = re.compile(r"^/\*.*?\*/\s*|^//[^\n]*\n| // [^\n]*|/\*\* @.*?\*/ ?", re.MULTILINE | re.DOTALL)
"""A comment of a script: one that begins a line, one at its end, a type."""

IN_LIGHT, IN_DARK = _variables(False, BRIGHT, QUIET), _variables(True, _DARK_BRIGHT, _DARK_QUIET)

STYLE = (
    web("shapes.css").replace("LIGHT", IN_LIGHT).replace("DARK", IN_DARK)
    + f".budge-board .hue-line{{stroke:hsl(var(--hue) {TARGET[0]}% {TARGET[1]}%)}}"
    + "".join(f".budge-board .hue-{hue}{{--hue:{hue}}}" for hue in dict.fromkeys((*HUES, *SHAPE_HUES)))
)
"""The rules of all boards. A page with many of them may have it once, and draw with `style=False`. An element with
`data-budge-theme` (`light`, `dark`) sets the theme of the boards in it, whatever the screen's.
"""


@dataclass(frozen=True, slots=True)
class SvgShape:
    """An SVG element: its tag, its attributes, and the text or the shapes within."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    inside: str | tuple[SvgShape, ...] = ""

    def svg(self) -> str:
        """As text; everything from outside is escaped."""
        inside = escape(self.inside) if isinstance(self.inside, str) else "".join(shape.svg() for shape in self.inside)
        listed = "".join(f' {name}="{escape(text)}"' for name, text in self.attributes.items())
        return f"<{self.tag}{listed}>{inside}</{self.tag}>" if inside else f"<{self.tag}{listed}/>"

    def json(self) -> list[Any]:
        """As `[tag, attributes, text or shapes]`."""
        inside = self.inside if isinstance(self.inside, str) else [shape.json() for shape in self.inside]
        return [self.tag, dict(self.attributes), inside] if inside else [self.tag, dict(self.attributes)]


def escape(text: str) -> str:
    """A text of a file as a part of a picture: it is no markup, and turns around nothing that follows it (U+202E)."""
    return escaped(printable_lines(text))


Size = tuple[int, int]
"""Width and height of a cell, in units."""

SQUARE: Size = (CELL, CELL)


def moved_to(shapes: Iterable[SvgShape], cell: Cell, size: Size = SQUARE) -> SvgShape:
    """Shapes that are drawn at the origin, on a cell."""
    return SvgShape("g", {"transform": f"translate({cell[1] * size[0]} {cell[0] * size[1]})"}, tuple(shapes))


def area(cells: Collection[Cell], kind: str) -> SvgShape:
    """Cells filled in the colour of a kind."""
    return _path(cells, {"class": kind, "fill": LIGHT[kind]})


def edge(cells: Collection[Cell], kind: str, width: int, dashes: str = "") -> SvgShape:
    """The boundary of cells as a line in the colour of a kind."""
    drawn = {"class": f"{kind}-line", "fill": "none", "stroke-width": str(width)}
    return _path(cells, drawn | ({"stroke-dasharray": dashes} if dashes else {}) | {"stroke": LIGHT[kind]})


def target(cells: Collection[Cell], hue: int | None) -> SvgShape:
    """The boundary of the cells that a piece of a hue has to cover, in its colour."""
    if hue is None:
        return edge(cells, "goal", 3, "6 5")
    drawn = {"class": f"hue-line hue-{hue}", "fill": "none", "stroke-width": "3", "stroke-dasharray": "6 5"}
    return _path(cells, drawn | {"stroke": _hex(hue, *TARGET)})


def piece(cells: Collection[Cell], hue: int | None, tone: Tone = BRIGHT) -> SvgShape:
    """The body of a piece; without a hue it is the red one that the goal is about."""
    return SvgShape("path", {"d": outline(cells, GAP, ROUND)} | hued(hue, tone) | {"stroke-linejoin": "round"})


def hued(hue: int | None, tone: Tone = BRIGHT) -> dict[str, str]:
    """The attributes that fill a shape with the colour of a piece."""
    if hue is None:
        return {"class": "piece key", "stroke-width": "1.5", "fill": LIGHT["key"], "stroke": LIGHT["key"]}
    kind = f"piece {'quiet ' * (tone is QUIET)}hue-{hue}"
    fill, stroke = (_hex(hue, tone.saturation, part) for part in (tone.lightness, tone.edge))
    return {"class": kind, "stroke-width": "1.5", "fill": fill, "stroke": stroke}


def disc(hue: int) -> SvgShape:
    """The body of a piece that is one cell of a map."""
    return SvgShape("circle", {"cx": "20", "cy": "20", "r": "17"} | hued(hue))


def floor(cells: Collection[Cell]) -> tuple[SvgShape, ...]:
    """The ground, with thin lines between its cells."""
    corners = ((c * CELL, r * CELL) for r, c in sorted(cells))
    lines = "".join(f"M{x} {y + CELL}L{x} {y}L{x + CELL} {y}" for x, y in corners)
    grid = {"d": lines, "class": "grid-line", "fill": "none", "stroke": LIGHT["grid"]}
    return area(cells, "ground"), SvgShape("path", grid)


def label(cells: Collection[Cell], text: str, ink: str = "ink") -> SvgShape:
    """A text in the middle of a rectangular piece; in another one, in its cell that is nearest to the middle."""
    row, column = (sum(part) / len(cells) for part in zip(*cells, strict=True))
    if len(cells) < len({r for r, _ in cells}) * len({c for _, c in cells}):
        row, column = min(cells, key=lambda cell: (cell[0] - row) ** 2 + (cell[1] - column) ** 2)
    drawn = {"x": f"{(column + 0.5) * CELL:g}", "y": f"{(row + 0.5) * CELL:g}", "class": ink, "fill": LIGHT[ink]}
    size = {"font-size": f"{CELL * min(0.44, 0.95 / max(1, len(text))):g}"}
    return SvgShape("text", drawn | size | {"text-anchor": "middle", "dominant-baseline": "central"}, text)


def arrow(cell: Cell, way: str) -> SvgShape:
    """An opening in the frame, and an arrow that leads out of it."""
    down, right = DIRECTIONS[way]
    x, y = (cell[1] + 0.5 + right / 2) * CELL, (cell[0] + 0.5 + down / 2) * CELL
    half = CELL / 2 - 3

    def drawn(corners: Iterable[tuple[float, float]], kind: str) -> SvgShape:
        """A polygon that is drawn as if the way out were to the right, turned and moved."""
        turned = (f"{x + a * right - b * down:g} {y + a * down + b * right:g}" for a, b in corners)
        return SvgShape("path", {"d": f"M{'L'.join(turned)}Z", "class": kind, "fill": LIGHT[kind]})

    opening = ((-2.5, -half), (2.5, -half), (2.5, half), (-2.5, half))
    out = ((6, -5), (18, -5), (18, -12), (34, 0), (18, 12), (18, 5), (6, 5))
    return SvgShape("g", {}, (drawn(opening, "ground"), drawn(out, "goal")))


def crate(kind: str) -> tuple[SvgShape, ...]:
    """A box; `kind` is `box`, or `done` for one on a goal."""
    body = {"x": "5", "y": "5", "width": "30", "height": "30", "rx": "4", "class": kind, "fill": LIGHT[kind]}
    cross = {"d": "M11 11L29 29M29 11L11 29", "class": "grid-line", "stroke": LIGHT["grid"], "stroke-width": "2.5"}
    return SvgShape("rect", body), SvgShape("path", cross | {"opacity": ".7"})


SHOULDERS = 16
"""Sides of the polygon that draws a player's body."""


def person() -> tuple[SvgShape, ...]:
    """A player."""
    fill = {"class": "player", "fill": LIGHT["player"]}
    turns = (math.pi * n / SHOULDERS for n in range(SHOULDERS + 1))  # half an ellipse, above its ends
    corners = "L".join(f"{20 - 12 * math.cos(turn):.4g} {35 - 13 * math.sin(turn):.4g}" for turn in turns)
    body = SvgShape("path", {"d": f"M{corners}Z"} | fill)
    return body, SvgShape("circle", {"cx": "20", "cy": "14", "r": "7"} | fill)


def diamond() -> SvgShape:
    """The mark of a goal on the ground."""
    fill = {"class": "goal", "fill": LIGHT["goal"], "opacity": ".8"}
    return SvgShape("path", {"d": "M20 11L29 20L20 29L11 20Z"} | fill)


def words(at: Mapping[str, str], text: str, size: float, ink: float) -> SvgShape:
    """A text around a point; `ink` is 1 for full strength."""
    drawn = {**at, "class": "ink", "fill": LIGHT["ink"], "font-size": f"{size:.3g}"}
    middle = {"text-anchor": "middle", "dominant-baseline": "central"}
    return SvgShape("text", drawn | ({"opacity": f"{ink:g}"} if ink < 1 else {}) | middle, text)


def mark(cell: Cell, char: str) -> SvgShape:
    """A character on the ground."""
    text = label([cell], char)
    return SvgShape(text.tag, dict(text.attributes) | {"opacity": ".55"}, text.inside)


LINE, LETTER = 30, 11
"""Height of a line of text, and the width of its characters."""


def lines(rows: Rows) -> tuple[SvgShape, ...]:
    """A board that is lines of text."""
    font = {"class": "ink line", "fill": LIGHT["ink"], "font-size": "18", "font-family": "ui-monospace,monospace"}
    return tuple(
        SvgShape("text", {"x": "12", "y": str(28 + n * LINE)} | font | {"xml:space": "preserve"}, row)
        for n, row in enumerate(rows)
    )


def page_of(rows: Rows) -> tuple[int, int, int, int]:
    """Left, top, width and height of lines of text."""
    return 0, 0, max(8, *map(len, rows), 8) * LETTER + 24, len(rows) * LINE + 16


def bar(cell: Cell, way: str) -> str:
    """The side of a cell in a direction, as a part of a path: a thin wall."""
    r, c = cell
    x, y = (c + (way == "R")) * CELL, (r + (way == "D")) * CELL
    return f"M{x} {y}L{x} {y + CELL}" if way in "LR" else f"M{x} {y}L{x + CELL} {y}"


def thin_walls(sides: Iterable[tuple[Cell, str]]) -> SvgShape:
    """Walls between cells."""
    path = "".join(bar(*side) for side in sides)
    drawn = {"class": "frame-line", "fill": "none", "stroke-width": "4", "stroke": LIGHT["frame"]}
    return SvgShape("path", {"d": path} | drawn | {"stroke-linecap": "round"})


GAP, ROUND = 2.0, 6.0
"""Units between a piece and the edges of its cells, and the radius of its corners."""


def outline(cells: Collection[Cell], gap: float = 0.0, radius: float = 0.0) -> str:
    """The boundary of a set of cells as an SVG path, clockwise around the cells (holes the other way round), moved
    inwards by a gap and with round corners.

    Each side of a cell that no other cell of the set shares is a directed edge, with the cell on its right hand:

        (r, c) --top--> (r, c+1)
          ^                |
         left            right
          |                v
        (r+1, c) <-bottom- (r+1, c+1)

    Edges are joined end to start; where two cells touch at a corner only, the path turns right, and so stays with its
    cell.
    """
    inside = set(cells)
    edges: dict[Cell, list[Cell]] = {}
    for r, c in sorted(inside):
        for (dr, dc), start, end in (
            ((-1, 0), (r, c), (r, c + 1)),
            ((0, 1), (r, c + 1), (r + 1, c + 1)),
            ((1, 0), (r + 1, c + 1), (r + 1, c)),
            ((0, -1), (r + 1, c), (r, c)),
        ):
            if (r + dr, c + dc) not in inside:
                edges.setdefault(start, []).append(end)
    return "".join(f"M{'L'.join(_corners(list(corners), gap, radius))}Z" for corners in _loops(edges))


def _corners(corners: Sequence[Cell], gap: float, radius: float) -> Iterable[str]:
    """The corners of a closed way as parts of a path. The way turns right or left at each, and the cells are on its
    right: a corner moves inwards across the edge before it and across the edge behind it.
    """
    for number, (r, c) in enumerate(corners):
        before, behind = corners[number - 1], corners[(number + 1) % len(corners)]
        ways = [(_sign(r - before[0]), _sign(c - before[1])), (_sign(behind[0] - r), _sign(behind[1] - c))]
        x = c * CELL - gap * sum(down for down, _ in ways)
        y = r * CELL + gap * sum(right for _, right in ways)
        if not radius:
            yield f"{x:g} {y:g}"
            continue
        (down, right), (on_down, on_right) = ways
        yield (
            f"{x - radius * right:g} {y - radius * down:g}"
            f"Q{x:g} {y:g} {x + radius * on_right:g} {y + radius * on_down:g}"
        )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _loops(edges: dict[Cell, list[Cell]]) -> Iterable[list[Cell]]:
    """The corners of each closed way along directed edges, given as the ends of those that start at a point."""
    while edges:
        here = first = min(edges)
        way: Cell | None = None
        corners: list[Cell] = []
        while way is None or here != first:
            ends = edges[here]
            right = None if way is None else (way[1], -way[0])
            there = next((end for end in ends if (end[0] - here[0], end[1] - here[1]) == right), ends[0])
            ends.remove(there)
            if not ends:
                del edges[here]
            step = (there[0] - here[0], there[1] - here[1])
            if step != way:
                corners.append(here)
            way, here = step, there
        yield corners


def _path(cells: Collection[Cell], drawn: Mapping[str, str]) -> SvgShape:
    return SvgShape("path", {"d": outline(cells)} | dict(drawn) | {"stroke-linejoin": "round"})


def _hex(hue: int, saturation: int, lightness: int) -> str:
    """A colour without CSS; saturation and lightness in percent."""
    parts = colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


# The files of the elements `<budge-board>` and `<budge-game>`: scripts and style for pages.

IMPORTED = re.compile(r'^import .* from "\./(\w+)\.js";\n', re.MULTILINE)


@cache
def script(*names: str) -> str:
    """Modules of `web/` with all that they import, as one script: pages of files may load no modules.

    `board` defines `<budge-board>`, `game` (which needs it) `<budge-game>`, `plan` both for plans alone; `zoom` is for
    large boards, `site` for an index of puzzles, `link` for puzzles in addresses, `report` sorts tables.
    """
    modules: dict[str, str] = {}

    def take(name: str) -> None:
        text = web(f"{name}.js")
        for other in [*(["zoom"] if name == "board" else []), *IMPORTED.findall(text)]:
            take(other)
        modules.setdefault(name, re.sub("^export ", "", IMPORTED.sub("", text), flags=re.MULTILINE))

    for name in names:
        take(name)
    text = "".join(modules.values())
    if "game" in names:
        text = text.replace('"worker.js"', dumps(script("worker")))
    return f"(() => {{\n{text}}})();\n"


@cache
def style(*pages: str) -> str:
    """The rules of the theme, of boards, of games, and of kinds of pages: `site`, `report`, `why`, ..."""
    return STYLE + "".join(web(f"{name}.css") for name in ("theme", "board", "game", *pages))
