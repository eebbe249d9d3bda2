"""Boards as pixels, for GIFs: the shapes of a scene drawn with Pillow, in their light colours.

It reads the SVG that `shapes` makes: paths of the letters `M L Z`, rectangles, circles, texts, moved groups.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from . import shapes
from .player import states
from .scene import Scene, ScenePosition
from .shapes import LIGHT, SvgShape
from .svg import drawn

FINE = 3
"""A picture is drawn larger by this factor, then made smaller: that smooths its edges."""

BEAT, AT_THE_END = 700, 2500
"""Milliseconds for which each position is shown, and the last one."""

LARGEST = 640
"""Pixels of the longer side, at most."""

Point = tuple[float, float]


def gif(puzzle: Puzzle, replay: Replay) -> bytes:
    """A plan as an animated GIF. Raises `UsageError` where Pillow is not installed, with what to do."""
    try:
        from PIL import Image
    except ImportError:
        raise UsageError("a GIF needs Pillow, which is not installed: `pip install pillow`") from None
    from io import BytesIO

    stage = Scene(puzzle)
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


def _picture(stage: Scene, state: ScenePosition, shown: Sequence[ScenePosition]) -> Any:
    from PIL import Image

    left, top, wide, high = stage.view
    if stage.style == "lines":
        wide, high = (max(shapes.page_of(one.lines or ())[side] for one in shown) for side in (2, 3))
    outlines = [
        shapes.edge([(state.at[id][0] + r, state.at[id][1] + c) for r, c in stage.pieces[id].cells], "moved", 4)
        for id in state.moved
        if stage.cell == shapes.SQUARE
    ]
    scale = min(1.0, LARGEST / max(wide, high))
    canvas = Canvas(Image.new("RGB", (round(wide * FINE * scale), round(high * FINE * scale)), "#ffffff"), FINE * scale)
    for shape in (*drawn(stage, state), *outlines):
        canvas.draw(shape, -left, -top)
    return canvas.image.resize((round(wide * scale), round(high * scale)), Image.Resampling.LANCZOS)


class Canvas:
    """An image of Pillow on which shapes are drawn, `scale` pixels a unit."""

    def __init__(self, image: Any, scale: float) -> None:
        from PIL import ImageDraw

        self.image, self.scale = image, scale
        self.pen = ImageDraw.Draw(image, "RGBA")

    def draw(self, shape: SvgShape, x: float, y: float) -> None:
        """Draw a shape and the shapes in it, moved by (x, y)."""
        given = shape.attributes
        match shape.tag:
            case "g":
                moved = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", given.get("transform", ""))
                down = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
                for part in shape.inside:
                    if isinstance(part, SvgShape):
                        self.draw(part, x + down[0], y + down[1])
            case "path":
                self._paint([(self._scaled(points, x, y), closed) for points, closed in traced(given["d"])], given)
            case "rect":
                a, b, w, h = (float(given[name]) for name in ("x", "y", "width", "height"))
                self._paint([(self._scaled([(a, b), (a + w, b), (a + w, b + h), (a, b + h)], x, y), True)], given)
            case "circle":
                a, b, r = (float(given[name]) for name in ("cx", "cy", "r"))
                ring = [(a + r * math.cos(t * math.pi / 24), b + r * math.sin(t * math.pi / 24)) for t in range(48)]
                self._paint([(self._scaled(ring, x, y), True)], given)
            case "text":
                self._write(str(shape.inside), given, x, y)

    def _scaled(self, points: Sequence[Point], x: float, y: float) -> list[Point]:
        return [((a + x) * self.scale, (b + y) * self.scale) for a, b in points]

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

    def _write(self, text: str, given: Mapping[str, str], x: float, y: float) -> None:
        from PIL import ImageFont

        point = self._scaled([(float(given["x"]), float(given["y"]))], x, y)[0]
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
    """The lines of a path, each with its points, and whether it is closed."""
    for line in filter(None, path.split("M")):
        corners = (corner.split() for corner in line.removesuffix("Z").split("L"))
        yield [(float(x), float(y)) for x, y in corners], line.endswith("Z")
