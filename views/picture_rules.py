"""Pictures of what a file gives a `look`: shapes for words, in rows, in stacks, around rods, or in glasses.

draw                 rows                pegs, stacks              tubes

1 2 3                (1) (2) (3)           -1-    -4-              |3| |5|
4 5                  (4) (5)              --2--  --5--             |2| |4|
                                         ---3---                   |1| | |
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

from ..models.cells import Cell, Rows
from ..models.family import COLOURS, Appearance, Shape
from . import shapes
from .shapes import CELL, SQUARE, SvgShape

BAR = 26
"""Units of the height of a bar."""

WIDE = 150
"""Units of a column of bars."""

GLASS = (70, 24)
"""Units of a unit of water in a glass."""

STILL = ("water", "lamp", "unlit", "hole")
"""Shapes that stay where they are, or vanish."""

TEXT = Shape("text")


class LookedLines:
    """The layout of lines of words, which is that of the start. Cells are counted in places of words."""

    def __init__(self, look: Appearance, rows: Rows) -> None:
        self.look = look
        words = [row.split() for row in rows]
        kinds = {shape.kind for shape in look.shapes.values()}
        self.cell: shapes.Size = (
            (WIDE, BAR) if "bar" in kinds else GLASS if kinds <= {"water", "nothing"} else (CELL, CELL)
        )
        self.still = {word for word, shape in look.shapes.items() if shape.kind in STILL}
        self.upright, self.reversed = look.layout != "rows", look.layout in ("stacks", "pegs")
        self.rooms = [len(row) for row in words]
        """Words of each line at the start: those of a glass are as many as it holds."""
        longest = max(map(len, words), default=0)
        if self.upright:
            moving = sum(map(len, words)) if self.reversed else longest
            self.size = max(1, moving), max(1, len(words))
        else:
            self.size = max(1, len(words)), max(1, longest)

    def words(self, rows: Rows) -> dict[Cell, str]:
        """The words of a position, each with its place."""
        word_at = {}
        for n, row in enumerate(rows):
            words = row.split()
            for k, word in enumerate(reversed(words) if self.reversed else words):
                if self.look.shapes.get(word, TEXT).kind != "nothing":
                    word_at[(self.size[0] - 1 - k, n) if self.upright else (n, k)] = word
        return word_at

    @property
    def view(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the picture."""
        high, wide = self.size
        return -8, -8, wide * self.cell[0] + 16, high * self.cell[1] + 20

    def ground(self) -> Iterator[SvgShape]:
        """What stacks stand on, rods, and glasses."""
        (high, wide), (across, down) = self.size, self.cell
        for column in range(wide if self.upright else 0):
            left, bottom = column * across, high * down + 2
            if self.look.layout == "tubes":
                top, x1, x2, low = (high - self.rooms[column]) * down - 4, left + 2, left + across - 2, bottom + 4
                path = f"M{x1} {top}V{bottom - 6}Q{x1} {low} {x1 + 10} {low}H{x2 - 10}Q{x2} {low} {x2} {bottom - 6}"
                path += f"V{top}"
            else:
                rod = f"M{left + across / 2:g} -2V{bottom}" if self.look.layout == "pegs" else ""
                path = f"{rod}M{left + 4} {bottom}H{left + across - 4}"
            line = {"class": "frame-line", "fill": "none", "stroke": shapes.LIGHT["frame"], "stroke-width": "4"}
            yield SvgShape("path", {"d": path} | line | {"stroke-linecap": "round", "opacity": ".7"})


def face(word: str, look: Mapping[str, Shape], size: shapes.Size, hue: int) -> tuple[SvgShape, ...]:
    """A word as a picture in the place at the origin; `hue`: of what has no colour of its own."""
    shape, (wide, high) = look.get(word, TEXT), size
    text = word if shape.text is None else shape.text
    paint = _paint(shape.colour, hue)
    middle = {"cx": f"{wide / 2:g}", "cy": f"{high / 2:g}"}
    edge = {"stroke-width": "1.5"} if "class" in paint else {"stroke": shapes.LIGHT["frame"], "stroke-width": "1.5"}
    match shape.kind:
        case "nothing":
            return ()
        case "text":
            return (_word(text, size, ""),)
        case "ball":
            shine = {"cx": f"{wide / 2 - 5:g}", "cy": f"{high / 2 - 6:g}", "r": "4", "fill": "#fff", "opacity": ".55"}
            return SvgShape("circle", middle | {"r": "17"} | paint | edge), SvgShape("circle", shine)
        case "balls":
            return tuple(_balls(text, wide, high, COLOURS[shape.colour or "white"]))
        case "disc":
            return SvgShape("circle", middle | {"r": "17"} | paint | edge), _word(text, size, shape.colour)
        case "hole":
            ring = {"class": "ground frame-line", "fill": shapes.LIGHT["ground"], "stroke": shapes.LIGHT["frame"]}
            return (SvgShape("circle", middle | {"r": "9", "stroke-width": "1.5"} | ring),)
        case "lamp" | "unlit":
            return tuple(_lamp(shape.kind == "lamp", middle, edge))
        case "bar":
            return _rect(size, (wide - 12) * shape.size, high - 4, 8, paint | edge), _word(text, size, shape.colour)
        case "square":
            body = _rect(size, wide - 2, high - 2, 3, paint | edge)
            return (body,) if shape.text is None else (body, _word(text, size, shape.colour))
        case "boat":
            hull = {"d": f"M2 {high - 18}H{wide - 2}L{wide - 9} {high - 4}H9Z"} | _paint(shape.colour or "brown", hue)
            sea = _rect(size, wide, high, 0, WATER)
            mast = {"d": "M20 22V4L33 18H20Z", "class": "ground", "fill": "#fbfbf7"} | edge
            return sea, SvgShape("path", mast), SvgShape("path", hull | edge)
        case "path":
            return tuple(_path(text, shape.colour))
        case "water":
            fill = {**WATER, **(_paint(shape.colour, hue) if shape.colour else {})}
            return (_rect(size, wide if size == SQUARE else wide - 8, high + 0.5, 0, fill),)
        case "person":
            return shapes.person()
        case "crate":
            return shapes.crate("box")
    return _rect(size, wide - 6, high - 6, 9, paint | edge), _word(text, size, shape.colour)


WATER = {"fill": COLOURS["blue"], "fill-opacity": ".7"}


def _path(char: str, colour: str) -> Iterator[SvgShape]:
    """A way to the sides to which the lines of a box-drawing character lead; on one with double lines is a person."""
    words = {*unicodedata.name((char or " ")[0], "").split()}
    ends = {"UP": "V0", "DOWN": "V40", "LEFT": "H0", "RIGHT": "H40"}
    both = {"HORIZONTAL": {"LEFT", "RIGHT"}, "VERTICAL": {"UP", "DOWN"}}
    arms = words.union(*(both.get(word, set()) for word in words)) & ends.keys()
    way = {"d": "".join(f"M20 20{ends[arm]}" for arm in sorted(arms)), "fill": "none"}
    paint = COLOURS[colour or "grey"]
    yield SvgShape("path", way | {"stroke": paint, "stroke-width": "14"})
    yield SvgShape("circle", {"cx": "20", "cy": "20", "r": "7", "fill": paint})
    if "DOUBLE" in words or "CONTAINING" in words:
        yield SvgShape("g", {"transform": "translate(8 6) scale(.6)"}, shapes.person())


def _balls(sizes: str, wide: int, high: int, fill: str) -> Iterator[SvgShape]:
    """A ball for each digit (a middling one without any), the first at the bottom, each sunk into the one below."""
    middle, below = float(high - 3), 0.0
    for radius in [4 + 3 * int(digit) for digit in sizes if digit in "123456789"] or [10]:
        middle -= 0.45 * (below + radius) if below else radius
        below = radius
        circle = {"cx": f"{wide / 2:g}", "cy": f"{middle:g}", "r": f"{radius}", "fill": fill}
        yield SvgShape("circle", circle | {"stroke": shapes.LIGHT["frame"], "stroke-width": "1.5"})


def _lamp(on: bool, middle: Mapping[str, str], edge: Mapping[str, str]) -> Iterator[SvgShape]:
    if on:
        yield SvgShape("circle", {**middle, "r": "19", "fill": COLOURS["yellow"], "opacity": ".35"})
    yield SvgShape("circle", {**middle, "r": "13", "fill": COLOURS["yellow" if on else "grey"], **edge})


def _paint(colour: str, hue: int) -> dict[str, str]:
    return {"fill": COLOURS[colour]} if colour else dict(shapes.hued(hue))


def _rect(size: shapes.Size, wide: float, high: float, round_: int, drawn: Mapping[str, str]) -> SvgShape:
    place = {"x": f"{(size[0] - wide) / 2:g}", "y": f"{(size[1] - high) / 2:g}"}
    return SvgShape("rect", place | {"width": f"{wide:g}", "height": f"{high:g}", "rx": str(round_)} | dict(drawn))


DARK_PAINT = ("red", "blue", "purple", "brown", "black")
"""Colours on which white is read better than black."""


def _word(text: str, size: shapes.Size, colour: str, room: float = 0) -> SvgShape:
    """A text in the middle, within `room` (0: the place's width); on a colour it is dark or light on any screen."""
    at = {"x": f"{size[0] / 2:g}", "y": f"{size[1] / 2:g}"}
    drawn = shapes.words(at, text, min(18, 0.62 * size[1], ((room or size[0]) - 8) / max(1, len(text)) * 1.7), 1)
    if not colour:
        return drawn
    fixed = {"class": "", "fill": "#ffffff" if colour in DARK_PAINT else "#1c1c1a"}
    return SvgShape(drawn.tag, dict(drawn.attributes) | fixed, drawn.inside)
