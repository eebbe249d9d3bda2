"""Boards as pixels, for GIFs: the shapes of a scene drawn with Pillow, in their light colours.

What is understood is what `shapes` makes: paths of the letters `M L H V A Z` in both cases, rectangles, circles, texts,
and groups that are moved or turned by quarters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from . import shapes
from .player import states
from .scene import Stage, State
from .shapes import LIGHT, Shape

FINE = 3
"""The picture is drawn so many times as large, and then made smaller: that smooths its edges."""

BEAT, AT_THE_END = 700, 2500
"""Milliseconds for which a position stays, and the last one."""

LARGEST = 640
"""Pixels of the longer side, at most."""

Point = tuple[float, float]


class Turtle(NamedTuple):
    """Where a group is drawn: moved by (x, y), after a turn by so many quarters to the right."""

    x: float = 0
    y: float = 0
    quarters: int = 0

    def at(self, x: float, y: float) -> Point:
        for _ in range(self.quarters % 4):
            x, y = -y, x
        return self.x + x, self.y + y

    def within(self, transform: str) -> Turtle:
        moved = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", transform)
        turned = re.search(r"rotate\(([-\d.]+)\)", transform)
        x, y = self.at(float(moved[1]), float(moved[2])) if moved else (self.x, self.y)
        return Turtle(x, y, self.quarters + (int(float(turned[1])) // 90 if turned else 0))


def gif(puzzle: Puzzle, replay: Replay) -> bytes:
    """A plan as an animated GIF. Raises `UsageError` where Pillow is not installed, with what to do."""
    try:
        from PIL import Image
    except ImportError:
        raise UsageError("a GIF needs Pillow, which is not installed: `pip install pillow`") from None
    from io import BytesIO

    stage = Stage(puzzle)
    shown = states(stage, replay)
    pictures = [_picture(stage, state, shown) for state in shown]
    samples = [pictures[0], pictures[len(pictures) // 2], pictures[-1]]
    together = Image.new("RGB", (samples[0].width, 3 * samples[0].height))
    for number, sample in enumerate(samples):
        together.paste(sample, (0, number * sample.height))
    colours = together.convert("P", palette=Image.Palette.ADAPTIVE, colors=160)
    pictures = [picture.quantize(palette=colours, dither=Image.Dither.NONE) for picture in pictures]
    out = BytesIO()
    durations = [BEAT] * (len(pictures) - 1) + [AT_THE_END]
    pictures[0].save(out, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0, disposal=1)
    return out.getvalue()


def _picture(stage: Stage, state: State, shown: Sequence[State]) -> Any:
    from PIL import Image

    left, top, wide, high = stage.view
    if stage.style == "lines":
        wide, high = (max(shapes.page_of(one.lines or ())[side] for one in shown) for side in (2, 3))
        drawn = list(shapes.lines(state.lines or ()))
    else:
        drawn = [*stage.ground]
        for id, (row, column, face) in state.at.items():
            drawn.append(shapes.moved_to(stage.pieces[id].faces[face], (row, column), stage.cell))
        drawn += stage.over
        drawn += [
            shapes.edge([(state.at[id][0] + r, state.at[id][1] + c) for r, c in stage.pieces[id].cells], "moved", 4)
            for id in state.moved
            if stage.cell == shapes.SQUARE
        ]
    scale = min(1.0, LARGEST / max(wide, high))
    canvas = Canvas(Image.new("RGB", (round(wide * FINE * scale), round(high * FINE * scale)), "#ffffff"), FINE * scale)
    for shape in drawn:
        canvas.draw(shape, Turtle(-left, -top))
    return canvas.image.resize((round(wide * scale), round(high * scale)), Image.Resampling.LANCZOS)


class Canvas:
    """An image of Pillow on which shapes are drawn, `scale` pixels a unit."""

    def __init__(self, image: Any, scale: float) -> None:
        from PIL import ImageDraw

        self.image, self.scale = image, scale
        self.pen = ImageDraw.Draw(image, "RGBA")

    def draw(self, shape: Shape, turtle: Turtle) -> None:
        """Draw a shape and what is in it."""
        given = shape.attributes
        match shape.tag:
            case "g":
                inside = turtle.within(given.get("transform", ""))
                for part in shape.inside:
                    if isinstance(part, Shape):
                        self.draw(part, inside)
            case "path":
                parts = [(self._scaled(points, turtle), closed) for points, closed in traced(given["d"])]
                self._paint(parts, given)
            case "rect":
                x, y, w, h = (float(given[name]) for name in ("x", "y", "width", "height"))
                self._paint([(self._scaled([(x, y), (x + w, y), (x + w, y + h), (x, y + h)], turtle), True)], given)
            case "circle":
                x, y, r = (float(given[name]) for name in ("cx", "cy", "r"))
                ring = [(x + r * math.cos(t * math.pi / 24), y + r * math.sin(t * math.pi / 24)) for t in range(48)]
                self._paint([(self._scaled(ring, turtle), True)], given)
            case "text":
                self._write(str(shape.inside), given, turtle)

    def _scaled(self, points: Sequence[Point], turtle: Turtle) -> list[Point]:
        return [(x * self.scale, y * self.scale) for x, y in (turtle.at(*point) for point in points)]

    def _paint(self, parts: Sequence[tuple[list[Point], bool]], given: Mapping[str, str]) -> None:
        alpha = round(255 * float(given.get("opacity", 1)))
        if given.get("fill", "none") != "none":
            closed = [points for points, _ in parts]
            holes = [points for points in closed if _area(points) < 0]  # they run the other way round
            for points in closed:
                if points not in holes:
                    self.pen.polygon(points, fill=_colour(given["fill"], alpha))
            for points in holes:
                self.pen.polygon(points, fill=_colour(LIGHT["ground"], 255))
        if "stroke" in given:
            width = max(1, round(float(given.get("stroke-width", "1")) * self.scale))
            for points, ring in parts:
                line = [*points, points[0]] if ring else points
                for a, b in self._dashes(line) if "stroke-dasharray" in given else [(line[0], None)]:
                    self.pen.line(line if b is None else [a, b], fill=_colour(given["stroke"], alpha), width=width)

    def _dashes(self, line: Sequence[Point]) -> Iterator[tuple[Point, Point]]:
        """Dashes of 6 units with gaps of 5, side by side."""
        for (x, y), (u, v) in pairwise(line):
            length = math.dist((x, y), (u, v)) / self.scale
            for start in range(0, math.ceil(length), 11):
                a, b = start / length, min(length, start + 6) / length
                yield (x + (u - x) * a, y + (v - y) * a), (x + (u - x) * b, y + (v - y) * b)

    def _write(self, text: str, given: Mapping[str, str], turtle: Turtle) -> None:
        from PIL import ImageFont

        point = self._scaled([(float(given["x"]), float(given["y"]))], turtle)[0]
        font = ImageFont.load_default(float(given["font-size"]) * self.scale)
        anchor = "mm" if given.get("text-anchor") == "middle" else "ls"
        colour = _colour(given["fill"], round(255 * float(given.get("opacity", 1))))
        self.pen.text(point, text, fill=colour, font=font, anchor=anchor)


def _colour(text: str, alpha: int) -> tuple[int, int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16), alpha


def _area(points: Sequence[Point]) -> float:
    """Twice the area that a ring goes round, negative if anticlockwise on the screen."""
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(points, [*points[1:], points[0]], strict=True))


def traced(path: str) -> Iterator[tuple[list[Point], bool]]:
    """The lines of a path: their points, and whether they are closed. Arcs are half ellipses, above their ends."""
    points: list[Point] = []
    x = y = 0.0
    for letter, listed in re.findall(r"([MLHVAZmlhvaz])([^MLHVAZmlhvaz]*)", path):
        numbers = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", listed)]
        here = (x, y) if letter.islower() else (0.0, 0.0)
        match letter.upper():
            case "Z":
                yield points, True
                points = []
                continue
            case "M":
                if len(points) > 1:
                    yield points, False
                x, y = here[0] + numbers[0], here[1] + numbers[1]
                points = [(x, y)]
                continue
            case "L":
                x, y = here[0] + numbers[0], here[1] + numbers[1]
            case "H":
                x = here[0] + numbers[0]
            case "V":
                y = here[1] + numbers[0]
            case "A":
                end = (here[0] + numbers[5], here[1] + numbers[6])
                middle, (wide, high) = (x + end[0]) / 2, numbers[:2]
                turns = [math.pi + t * math.pi / 16 for t in range(1, 16)]
                points += [(middle + wide * math.cos(turn), y + high * math.sin(turn)) for turn in turns]
                x, y = end
        points.append((x, y))
    if len(points) > 1:
        yield points, False
