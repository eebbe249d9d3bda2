"""Boards as SVG: for notebooks, reports and pages. No script, no font and no picture from elsewhere.

A cell is a square of `CELL` units; the picture is scaled by its `width`. Colours are CSS variables, so that a page can
change them; dark screens get dark ones. Each shape has its light colour as an attribute too, for programs that know no
variables. The text for screen readers is the puzzle's name, its goal and the rows of the board.
"""

from __future__ import annotations

import colorsys
from collections.abc import Collection, Iterable, Mapping
from html import escape
from itertools import cycle

from ..models.cells import DIRECTIONS, Cell, Rows
from ..models.puzzle import Puzzle

CELL = 40
"""Units of a cell."""

MARGIN = 6
"""Units around the board; one cell on the side of an exit."""

PIXELS, WIDEST = 44, 640
"""Pixels of a cell where no width is asked for; less where the whole would be wider than `WIDEST`."""

EMPTY, WALL = ".", "#"

HUES = (210, 44, 152, 290, 180, 28, 225, 95, 335, 60, 200, 128, 262, 168, 310, 190, 75, 245)
"""Hues of pieces in the order in which they appear on the initial board. Pieces that the goal names are red."""

GOAL_HUE = 4

LIGHT = {
    "ground": "#f4f2ec",
    "grid": "#e2dfd6",
    "wall": "#55565c",
    "frame": "#55565c",
    "ink": "#1c1c1a",
    "goal": "#c2185b",
    "box": "#d99a3c",
    "done": "#4c9f5e",
    "player": "#2b6cb0",
    "moved": "#111111",
}
DARK = {
    "ground": "#26282d",
    "grid": "#363941",
    "wall": "#50545e",
    "frame": "#8d919b",
    "ink": "#f2f2ee",
    "goal": "#ff7aa8",
    "box": "#b87f2e",
    "done": "#3f8a50",
    "player": "#6aa9ea",
    "moved": "#ffffff",
}


def _variables(colours: Mapping[str, str], saturation: int, lightness: int) -> str:
    listed = "".join(f"--budge-{name}:{colour};" for name, colour in colours.items())
    return f"{listed}--budge-s:{saturation}%;--budge-l:{lightness}%"


_SATURATION, _LIGHTNESS = 62, 74
_FILLS = ("ground", "wall", "goal", "box", "done", "player", "ink")
STYLE = (
    f".budge-board{{{_variables(LIGHT, _SATURATION, _LIGHTNESS)};max-width:100%;height:auto}}"
    f"@media (prefers-color-scheme:dark){{.budge-board{{{_variables(DARK, 42, 38)}}}}}"
    f'[data-jp-theme-light="true"] .budge-board{{{_variables(LIGHT, _SATURATION, _LIGHTNESS)}}}'
    f'[data-jp-theme-light="false"] .budge-board,.vscode-dark .budge-board{{{_variables(DARK, 42, 38)}}}'
    + "".join(f".budge-board .{name}{{fill:var(--budge-{name})}}" for name in _FILLS)
    + ".budge-board .piece{fill:hsl(var(--hue) var(--budge-s) var(--budge-l));stroke:var(--budge-ground)}"
    + "".join(f".budge-board .{name}-line{{stroke:var(--budge-{name})}}" for name in ("grid", "frame", "goal", "moved"))
)
"""The rules of all boards. A page with many of them may have it once, and draw with `style=False`."""


class Picture(str):
    """The text of an `<svg>` element; notebooks show it as the picture."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


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
    shapes = _map(puzzle, rows) if puzzle.drawing == "map" else _pieces(puzzle, rows)
    body = [*shapes]
    if moved:
        body.append(_path(moved, 'class="moved-line" fill="none" stroke-width="4"', stroke=LIGHT["moved"]))
    left, top, right, bottom = _extent(puzzle, rows)
    wide, high = right - left, bottom - top
    shown = min(WIDEST, wide * PIXELS / CELL) if width is None else width
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="budge-board" role="img" viewBox="{left} {top} {wide} {high}" '
        f'width="{shown:.0f}" height="{shown * high / wide:.0f}" font-family="system-ui,sans-serif">'
        f"<title>{escape(puzzle.header.name)}</title><desc>{escape(_description(puzzle, rows))}</desc>"
        + (f"<style>{STYLE}</style>" if style else "")
        + "".join(body)
        + "</svg>"
    )


def moved_cells(puzzle: Puzzle, before: Rows, after: Rows) -> frozenset[Cell]:
    """The cells, on the board after a step, of what has moved in it."""
    drawing = puzzle.record.drawing
    old, new = _cells(before), _cells(after)
    if drawing.style == "map":
        movable = {char for char, roles in drawing.roles.items() if {"box", "player"} & set(roles)}
        return frozenset(cell for cell, char in new.items() if char in movable and old.get(cell) not in movable) or (
            frozenset(cell for cell, char in new.items() if char in movable and old.get(cell) != char)
        )
    letters = {char for cell, char in {*old.items()} ^ {*new.items()}} - {EMPTY, WALL}
    return frozenset(cell for cell, char in new.items() if char in letters)


def outline(cells: Collection[Cell]) -> str:
    """The boundary of a set of cells as an SVG path, clockwise around the cells (holes the other way round).

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
    return "".join(f"M{'L'.join(f'{c * CELL} {r * CELL}' for r, c in corners)}Z" for corners in _loops(edges))


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


def _cells(rows: Rows) -> dict[Cell, str]:
    return {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}


def _path(cells: Collection[Cell], attributes: str, **colours: str) -> str:
    painted = "".join(f' {name}="{colour}"' for name, colour in colours.items())
    return f'<path d="{outline(cells)}" {attributes}{painted} stroke-linejoin="round"/>'


def _extent(puzzle: Puzzle, rows: Rows) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the picture."""
    height, width = len(rows), max(map(len, rows), default=0)
    room = dict.fromkeys("LURD", MARGIN)
    if way_out := _exit(puzzle):
        room[way_out[1]] = CELL
    return -room["L"], -room["U"], width * CELL + room["R"], height * CELL + room["D"]


def _exit(puzzle: Puzzle) -> tuple[Cell, str] | None:
    exit_of = puzzle.record.drawing.exit
    return exit_of(puzzle.value) if exit_of else None


def _description(puzzle: Puzzle, rows: Rows) -> str:
    goal = puzzle.goal_text()
    return "\n".join([*rows, "goal:", *goal] if len(goal) > 1 else [*rows, *(f"goal: {line}" for line in goal)])


# Pieces


def _pieces(puzzle: Puzzle, rows: Rows) -> Iterable[str]:
    """Floor, walls, pieces with their labels, the cells of the goal, the frame and the exit."""
    cells, labels = _cells(rows), puzzle.labels()
    goal_of = puzzle.record.drawing.goal_cells
    goals = goal_of(puzzle.value) if goal_of else {}
    walls = {cell for cell, char in cells.items() if char == WALL}
    yield from _floor(set(cells) - walls)
    if walls:
        yield _path(walls, 'class="wall"', fill=LIGHT["wall"])
    own: dict[str, list[Cell]] = {letter: [] for letter in "".join(puzzle.board())}  # a piece keeps its colour
    for cell, char in cells.items():
        own.setdefault(char, []).append(cell)
    pieces = {char: its for char, its in own.items() if char not in (EMPTY, WALL)}
    hues = dict(zip((letter for letter in pieces if letter not in goals.values()), cycle(HUES)))
    for letter, its in pieces.items():
        if not its:
            continue
        hue = hues.get(letter, GOAL_HUE)
        yield _path(
            its,
            f'class="piece" style="--hue:{hue}" stroke-width="4"',
            fill=_hex(hue),
            stroke=LIGHT["ground"],
        )
        yield _label(its, labels.get(letter, letter))
    yield _path(set(cells) - walls, 'class="frame-line" fill="none" stroke-width="3"', stroke=LIGHT["frame"])
    for letter in dict.fromkeys(goals.values()):
        its = [cell for cell in goals if goals[cell] == letter]
        yield _path(its, 'class="goal-line" fill="none" stroke-width="3" stroke-dasharray="6 5"', stroke=LIGHT["goal"])
    if way_out := _exit(puzzle):
        yield _arrow(*way_out)


def _floor(cells: Collection[Cell]) -> Iterable[str]:
    """The ground, with thin lines between its cells."""
    yield _path(cells, 'class="ground"', fill=LIGHT["ground"])
    lines = "".join(f"M{c * CELL} {r * CELL + CELL}v-{CELL}h{CELL}" for r, c in sorted(cells))
    yield f'<path d="{lines}" class="grid-line" fill="none" stroke="{LIGHT["grid"]}"/>'


def _label(cells: Collection[Cell], text: str) -> str:
    """A text in the middle of a rectangular piece; in another one, in its cell that is nearest to the middle."""
    row, column = (sum(part) / len(cells) for part in zip(*cells, strict=True))
    if len(cells) < len({r for r, _ in cells}) * len({c for _, c in cells}):
        row, column = min(cells, key=lambda cell: (cell[0] - row) ** 2 + (cell[1] - column) ** 2)
    size = CELL * min(0.5, 0.95 / max(1, len(text)))
    return (
        f'<text x="{(column + 0.5) * CELL:g}" y="{(row + 0.5) * CELL:g}" class="ink" fill="{LIGHT["ink"]}" '
        f'font-size="{size:g}" text-anchor="middle" dominant-baseline="central">{escape(text)}</text>'
    )


def _arrow(cell: Cell, way: str) -> str:
    """An opening in the frame, and an arrow that leads out of it."""
    down, right = DIRECTIONS[way]
    turn = {"R": 0, "D": 90, "L": 180, "U": 270}[way]
    x, y = (cell[1] + 0.5 + right / 2) * CELL, (cell[0] + 0.5 + down / 2) * CELL
    half = CELL / 2 - 3
    return (
        f'<g transform="translate({x:g} {y:g}) rotate({turn})">'
        f'<rect x="-2.5" y="-{half:g}" width="5" height="{2 * half:g}" class="ground" fill="{LIGHT["ground"]}"/>'
        f'<path d="M6 -5h12v-7l16 12l-16 12v-7h-12z" class="goal" fill="{LIGHT["goal"]}"/></g>'
    )


def _hex(hue: int) -> str:
    """A piece's light colour without CSS."""
    parts = colorsys.hls_to_rgb(hue / 360, _LIGHTNESS / 100, _SATURATION / 100)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


# Maps


def _map(puzzle: Puzzle, rows: Rows) -> Iterable[str]:
    """Floor, walls, and what stands on each cell, from the ground up; a character without a role as itself."""
    roles, cells = puzzle.record.drawing.roles, _cells(rows)
    walls = {cell for cell, char in cells.items() if "wall" in roles.get(char, ())}
    inside = set(cells) - walls - _outside(cells, walls)
    if inside:
        yield from _floor(inside)
    if walls:
        yield _path(walls, 'class="wall"', fill=LIGHT["wall"])
    for (r, c), char in cells.items():
        own = roles.get(char)
        if own is None:
            if not char.isspace():
                yield _label([(r, c)], char)
            continue
        x, y = c * CELL, r * CELL
        for role in own:
            if role != "wall":
                yield f'<g transform="translate({x} {y})">{_SHAPES[role]}</g>'
        if "goal" in own and "box" in own:
            yield f'<g transform="translate({x} {y})">{_DONE}</g>'


def _outside(cells: Mapping[Cell, str], walls: Collection[Cell]) -> set[Cell]:
    """The blank cells that are joined to the edge of a map which has walls."""
    height, width = (1 + max(part) for part in zip(*cells, strict=True))
    if not walls:
        return set()
    found = {
        (r, c) for r, c in cells if (r in (0, height - 1) or c in (0, width - 1) or (r, c + 1) not in cells)
    } - set(walls)
    found = {cell for cell in found if cells[cell].isspace()}
    queue = list(found)
    for r, c in queue:  # grows while it is read
        for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
            if near in cells and near not in walls and near not in found and cells[near].isspace():
                found.add(near)
                queue.append(near)
    return found


_CRATE = '<rect x="5" y="5" width="30" height="30" rx="4" class="{0}" fill="{1}"/>' + (
    '<path d="M11 11l18 18M29 11l-18 18" class="grid-line" stroke="#e2dfd6" stroke-width="2.5" opacity=".7"/>'
)
_SHAPES = {
    "goal": f'<path d="M20 11l9 9l-9 9l-9 -9z" class="goal" fill="{LIGHT["goal"]}" opacity=".8"/>',
    "box": _CRATE.format("box", LIGHT["box"]),
    "player": f'<circle cx="20" cy="14" r="7" class="player" fill="{LIGHT["player"]}"/>'
    f'<path d="M8 35a12 13 0 0 1 24 0z" class="player" fill="{LIGHT["player"]}"/>',
}
_DONE = _CRATE.format("done", LIGHT["done"])
