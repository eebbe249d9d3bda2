"""A plan as one picture that moves: SVG that programs play without a script.

Time is counted in beats, one a step. A piece that moves in step n does so in the first part of beat n, and is still
for the rest; the last position is shown for some beats, and then all begins again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from . import shapes
from .player import room_for, states
from .scene import DrawnPiece, Scene, ScenePosition
from .shapes import Size, SvgShape, moved_to
from .svg import Picture, drawn, element

BEAT = 0.8
"""Seconds that each step takes."""

MOVING = 0.4
"""The part of each beat in which the pieces move."""

AT_THE_END = 3
"""The number of beats for which the last position is shown."""


def animated_svg(puzzle: Puzzle, replay: Replay) -> Picture:
    """A plan as an `<svg>` element that plays it for ever."""
    stage = Scene(puzzle)
    shown = states(stage, replay)
    beats = len(shown) + AT_THE_END
    body = [*stage.ground]
    for piece in stage.pieces.values():
        body += _piece(piece, shown, beats, stage.cell)
    body += stage.over
    if stage.style == "lines":
        body = [
            SvgShape(
                "g", {}, (*shapes.lines(state.lines or ()), _seen([n == number for n in range(len(shown))], beats))
            )
            for number, state in enumerate(shown)
        ]
    view = room_for(stage, shown)
    return element(body, view, view[2], puzzle.header.name, puzzle.plan_text(replay), style=True)


def _piece(piece: DrawnPiece, shown: Sequence[ScenePosition], beats: int, size: Size) -> Iterable[SvgShape]:
    """A piece with its movements; one that never moves without."""
    places = [state.at.get(piece.id) for state in shown]
    first = next((place for place in places if place), None)
    if first is None:
        return
    faces = []
    for number, face in enumerate(piece.faces):
        seen = [place is not None and place[2] == number for place in places]
        if any(seen):
            faces.append(SvgShape("g", {}, (*face, *(() if all(seen) else (_seen(seen, beats),)))))
    cells = [(place or first)[:2] for place in places]
    for n, place in enumerate(places):  # what is gone stays where it was, unseen
        cells[n] = place[:2] if place else cells[n - 1] if n else cells[0]
    moving = (_movement(cells, beats, size),) if len(set(cells)) > 1 else ()
    yield moved_to((*faces, *moving), cells[0], size)


def _movement(cells: Sequence[tuple[int, int]], beats: int, size: Size) -> SvgShape:
    times, values = [0.0], [cells[0]]
    for n in range(1, len(cells)):
        if cells[n] != cells[n - 1]:
            times += [n / beats, (n + MOVING) / beats]
            values += [cells[n - 1], cells[n]]
    return SvgShape(
        "animateTransform",
        {
            "attributeName": "transform",
            "type": "translate",
            "values": ";".join(f"{c * size[0]} {r * size[1]}" for r, c in [*values, values[-1]]),
            **_timing([*times, 1.0], beats),
        },
    )


def _seen(seen: Sequence[bool], beats: int) -> SvgShape:
    """The SVG element that shows something in some frames and hides it in the others."""
    changes = [n for n in range(len(seen)) if n == 0 or seen[n] != seen[n - 1]]
    values = ";".join("visible" if seen[n] else "hidden" for n in changes)
    timing = _timing([n / beats for n in changes], beats)
    return SvgShape("animate", {"attributeName": "visibility", "values": values, "calcMode": "discrete", **timing})


def _timing(times: Sequence[float], beats: int) -> dict[str, str]:
    listed = ";".join(f"{time:.5f}".rstrip("0").rstrip(".") for time in times)
    return {"keyTimes": listed, "dur": f"{beats * BEAT:g}s", "repeatCount": "indefinite"}


# The same as a GIF: each position as SVG in light colours, drawn by resvg and put together by Pillow.

SHOWN_FOR, LAST_SHOWN_FOR = 700, 2500
"""Milliseconds for which each position is shown, and for which the last one is."""

LARGEST = 640
"""The most pixels of the longer side."""

COLOURS = 160


def gif(puzzle: Puzzle, replay: Replay) -> bytes:
    """A plan as an animated GIF. Raises `UsageError` where Pillow or resvg is not installed, with what to do."""
    try:
        import resvg_py
        from PIL import Image, ImageFont
    except ImportError as error:
        raise UsageError(f"a GIF needs Pillow and resvg ({error}): `pip install 'budge[gif]'`") from None
    font: Any = ImageFont.load_default(12)  # Pillow has a font with it: a GIF looks the same on every machine
    stage = Scene(puzzle)
    shown = states(stage, replay)
    view = room_for(stage, shown)
    pictures = []
    with TemporaryDirectory(prefix="budge-") as folder:
        file = Path(folder, "font.ttf")
        file.write_bytes(font.font_bytes)
        family = {f"{kind}_family": font.getname()[0] for kind in ("sans_serif", "monospace")}
        for state in shown:
            text = element(_shapes(stage, state), view, min(view[2], LARGEST, view[2] * LARGEST / view[3]))
            png = resvg_py.svg_to_bytes(
                svg_string=text, background="#ffffff", skip_system_fonts=True, font_files=[str(file)], **family
            )
            pictures.append(Image.open(BytesIO(png)).convert("RGB"))
    samples = [pictures[0], pictures[len(pictures) // 2], pictures[-1]]
    together = Image.new("RGB", (samples[0].width, 3 * samples[0].height))
    for number, sample in enumerate(samples):
        together.paste(sample, (0, number * sample.height))
    colours = together.convert("P", palette=Image.Palette.ADAPTIVE, colors=COLOURS)
    frames = [picture.quantize(palette=colours, dither=Image.Dither.NONE) for picture in pictures]
    out = BytesIO()
    durations = [SHOWN_FOR] * (len(frames) - 1) + [LAST_SHOWN_FOR]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, disposal=1)
    return out.getvalue()


def _shapes(stage: Scene, state: ScenePosition) -> list[shapes.SvgShape]:
    """A position, with an outline around what has moved."""
    outlines = [
        shapes.edge([(state.at[id][0] + r, state.at[id][1] + c) for r, c in stage.pieces[id].cells], "moved", 4)
        for id in state.moved
        if stage.cell == shapes.SQUARE
    ]
    return [*drawn(stage, state), *outlines]
