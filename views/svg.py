"""Boards as SVG: for notebooks, reports and pages. No script, no font and no picture from elsewhere.

The picture is drawn of the puzzle's scene (`scene`) and scaled by its `width`. The text for screen readers is the
puzzle's name, its goal and the rows of the board.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..models.cells import Cell, Rows
from ..models.puzzle import Puzzle
from . import shapes
from .scene import EMPTY, WALL, Place, Scene, cells_of
from .shapes import CELL, STYLE, SvgShape, edge, escape, moved_to

PIXELS, WIDEST = 44, 640
"""Pixels of a cell, and the most pixels of a whole picture, where no width is asked for."""


class Picture(str):
    """The text of an `<svg>` element; notebooks show it as the picture, templates do not escape it."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)

    _repr_html_ = __html__


def board_svg(
    puzzle: Puzzle,
    rows: Rows | None = None,
    *,
    moved: Collection[Cell] = (),
    width: int | None = None,
    style: bool = True,
) -> Picture:
    """A position of a puzzle (default: the initial one) as an `<svg>` element, with its goal and its exit.

    `moved`: the cells, on this board, of what has just moved; they get a heavy outline (see `moved_cells`). `width`: of
    the picture, in pixels. Without `style`, the page has to hold `STYLE`.
    """
    rows = puzzle.board() if rows is None else rows
    stage = Scene(puzzle)
    shown_shapes = drawn(stage, rows)
    if moved:
        shown_shapes.append(edge(moved, "moved", 4))
    shown = min(WIDEST, stage.view[2] * PIXELS / CELL) if width is None else width
    return element(shown_shapes, stage.view, shown, puzzle.header.name, _description(puzzle, rows), style=style)


def element(
    body: Iterable[SvgShape],
    view: tuple[int, int, int, int],
    width: float,
    title: str = "",
    about: str = "",
    *,
    style: bool = False,
) -> Picture:
    """Shapes as an `<svg>` element that is `width` pixels wide and shows the part `view` (left, top, width, height).
    One without a title only decorates: nobody has it read out.
    """
    left, top, wide, high = view
    role, said = ("role", "img") if title else ("aria-hidden", "true")
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="budge-board" {role}="{said}" '
        f'viewBox="{left} {top} {wide} {high}" width="{width:.0f}" height="{width * high / wide:.0f}" '
        'font-family="system-ui,sans-serif">'
        + (f"<title>{escape(title)}</title><desc>{escape(about)}</desc>" if title else "")
        + (f"<style>{STYLE}</style>" if style else "")
        + "".join(shape.svg() for shape in body)
        + "</svg>"
    )


def drawn(stage: Scene, rows: Rows) -> list[SvgShape]:
    """The shapes of a position, from the ground up."""
    if stage.style == "lines":
        return list(shapes.lines(rows))
    return [*stage.ground, *(placed(stage, place) for place in stage.places(rows)), *stage.over]


def placed(stage: Scene, place: Place) -> SvgShape:
    """A piece where it is."""
    kind, cell, face = place
    return moved_to(stage.kind(kind).faces[face], cell, stage.cell)


def moved_cells(puzzle: Puzzle, before: Rows, after: Rows) -> frozenset[Cell]:
    """The cells that pieces moved in a step cover after it."""
    drawing = puzzle.record.drawing
    old, new = cells_of(before), cells_of(after)
    if drawing.style == "map":
        signs = drawing.signs(puzzle.value) if drawing.signs else {}
        movable = {char for char, sign in signs.items() if sign.piece}
        return frozenset(cell for cell, char in new.items() if char in movable and old.get(cell) not in movable) or (
            frozenset(cell for cell, char in new.items() if char in movable and old.get(cell) != char)
        )
    letters = {char for cell, char in {*old.items()} ^ {*new.items()}} - {EMPTY, WALL}
    return frozenset(cell for cell, char in new.items() if char in letters)


def _description(puzzle: Puzzle, rows: Rows) -> str:
    goal = puzzle.goal_text()
    return "\n".join([*rows, "goal:", *goal] if len(goal) > 1 else [*rows, *(f"goal: {line}" for line in goal)])
