"""A plan as an animated GIF: each position as SVG in light colours, drawn by resvg and put together by Pillow."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from . import shapes
from .player import room_for, states
from .scene import Scene, ScenePosition
from .svg import drawn, element

BEAT, AT_THE_END = 700, 2500
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
    durations = [BEAT] * (len(frames) - 1) + [AT_THE_END]
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
