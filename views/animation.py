"""A plan as one picture that moves: SVG that programs play without a script.

Time is counted in beats, one a step. A piece that moves in step n does so in the first part of beat n, and is still
for the rest; the last position is shown for some beats, and then all begins again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..models.cells import Cell, Rows
from ..models.errors import UsageError
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from . import shapes
from .player import boards_of, room_for
from .scene import Scene
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
    stage, boards = Scene(puzzle), boards_of(puzzle, replay)
    beats = len(boards) + AT_THE_END
    if stage.style == "lines":
        body = [
            SvgShape("g", {}, (*shapes.lines(rows), _seen([n == number for n in range(len(boards))], beats)))
            for number, rows in enumerate(boards)
        ]
    else:
        pieces = (_piece(stage, piece, len(boards), beats) for piece in _pieces(stage, boards, replay))
        body = [*stage.ground, *pieces, *stage.over]
    view = room_for(stage, boards)
    return element(body, view, view[2], puzzle.header.name, puzzle.plan_text(replay), style=True)


@dataclass
class ShownPiece:
    """A piece of a kind: its cell and its face on each board from `first` on, as long as it is there."""

    kind: str
    first: int
    shown: list[tuple[Cell, int]] = field(default_factory=list)


def _pieces(stage: Scene, boards: Sequence[Rows], replay: Replay) -> list[ShownPiece]:
    """The pieces of all boards. Where of a kind one comes, it is the one that has gone, or that of the move's own cell;
    where several come at once, as the squares on the side of a cube, each vanishes where it was or appears where it is.
    """
    found: list[ShownPiece] = []
    before: dict[tuple[str, Cell], ShownPiece] = {}
    wheres = [None, *(step.move.where for step in replay.steps)]
    for number, (rows, where) in enumerate(zip(boards, wheres, strict=True)):
        faces = {(kind, cell): face for kind, cell, face in stage.places(rows)}
        came, now = Counter(kind for kind, _ in faces.keys() - before.keys()), {}
        for (kind, cell), face in faces.items():
            piece = before.get((kind, cell))
            gone = [place for place in before.keys() - faces.keys() if place[0] == kind and kind not in stage.still]
            gone = [place for place in gone if place[1] == where] or gone
            if piece is None and came[kind] == len(gone) == 1:
                piece = before[gone[0]]
            if piece is None:
                piece = ShownPiece(kind, number)
                found.append(piece)
            piece.shown.append((cell, face))
            now[kind, cell] = piece
        before = now
    return found


def _piece(stage: Scene, piece: ShownPiece, boards: int, beats: int) -> SvgShape:
    """A piece with its movements; one that never moves without."""
    cells = [piece.shown[0][0]] * piece.first + [cell for cell, _ in piece.shown]
    numbers = [-1] * piece.first + [number for _, number in piece.shown]
    numbers += [-1] * (boards - len(numbers))
    faces = []
    for number, face in enumerate(stage.kind(piece.kind).faces):
        seen = [number == shown for shown in numbers]
        if any(seen):
            faces.append(SvgShape("g", {}, (*face, *(() if all(seen) else (_seen(seen, beats),)))))
    moving = (_movement(cells, beats, stage.cell),) if len(set(cells)) > 1 else ()
    return moved_to((*faces, *moving), cells[0], stage.cell)


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
    stage, boards = Scene(puzzle), boards_of(puzzle, replay)
    view = room_for(stage, boards)
    pictures = []
    with TemporaryDirectory(prefix="budge-") as folder:
        file = Path(folder, "font.ttf")
        file.write_bytes(font.font_bytes)
        family = {f"{kind}_family": font.getname()[0] for kind in ("sans_serif", "monospace")}
        for before, rows in zip([boards[0], *boards], boards, strict=False):
            text = element(_shapes(stage, before, rows), view, min(view[2], LARGEST, view[2] * LARGEST / view[3]))
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


def _shapes(stage: Scene, before: Rows, rows: Rows) -> list[SvgShape]:
    """A position, with an outline around what has moved; not around one who walks behind what he pushes."""
    old = {place[:2] for place in stage.places(before)}
    still = stage.still if stage.style == "words" else ()
    moved = [place for place in stage.places(rows) if place[:2] not in old and place[0] not in still]
    if stage.cell != shapes.SQUARE:
        moved = []
    pushed = [place for place in moved if place[0] != stage.walker]
    return [*drawn(stage, rows), *(shapes.edge(stage.covered(place), "moved", 4) for place in pushed or moved)]
