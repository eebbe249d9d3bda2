"""Why no plan is shorter, in pictures: a bar of shares that fills the optimum, the only route of each piece on its
board, milestones as a strip of boards. For a page of its own, notebooks and the studio.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from ..models.cells import Cell, Rows
from ..workflows.why.milestones import cell_in
from ..workflows.why.reasons import Reasons
from ..workflows.why.shares import Shares
from . import shapes
from .html import Markup, closed_page, render
from .reasons import of_reasons
from .scene import Kind, Place, Scene
from .sections import as_html
from .shapes import CELL, HUES, SvgShape
from .svg import drawn, placed
from .svg import element as svg

Paint = dict[str, str]
"""The attributes that colour a shape."""

UNIT = 26
"""Pixels of a box of the bar, which is one move."""

CHUNK = 10
"""Boxes that are not parted where the bar is wider than the screen."""

MOST_UNITS = 200
"""Moves up to which each is a box of its own, with a letter; of more, boxes are narrow and have none."""

LETTERS = 5
"""Characters of a name that fit into a box."""

BOARD = 190
"""Pixels of the width of a small board."""

DRAWN = 8
"""Moves of a route up to which it is drawn."""


def reasons_page(why: Reasons) -> str:
    """The explanation as one HTML file that needs nothing from elsewhere."""
    title, reasons = f"Why not shorter? {why.puzzle.header.name}", fragment(why)
    return closed_page("why", title, more=("why",), puzzle=why.puzzle, pictured=why.pictured, reasons=reasons)


def fragment(why: Reasons) -> Markup:
    """The explanation as HTML, for a page that has the styles of boards and `why`."""
    pictures = {"shares": _bar(why), "routes": _routes(why), "milestones": _milestones(why)}
    return Markup('<div class="why">{}</div>').format(as_html(of_reasons(why), pictures))


def colours(why: Reasons, shares: Shares) -> dict[str, Paint]:
    """The colour of each owner: that of its piece on the board, where there is one, and otherwise one of its own."""
    stage = Scene(why.puzzle)
    kinds = (stage.kind(name) for name, *_ in stage.places(stage.rows))
    of_pieces = {kind.label: _paint(kind) for kind in kinds}
    others, paints = cycle(HUES), dict[str, Paint]()
    for share in shares.single:
        name = share.owners[0]
        paints[name] = of_pieces.get(name.removeprefix("tile ")) or shapes.hued(next(others))
    return paints


def _paint(kind: Kind) -> Paint | None:
    """The attributes that colour a piece; None for a picture of several colours."""
    body = next(
        (shape.attributes for shape in kind.faces[0] if "piece" in shape.attributes.get("class", "").split()), {}
    )
    return {name: body[name] for name in ("class", "stroke-width", "fill", "stroke") if name in body} or None


# The bar


def _bar(why: Reasons) -> Markup:
    if why.shares and why.optimum is not None and not why.stopped_by:
        return Markup(bar(why, why.shares, colours(why, why.shares)))
    return Markup("")


def bar(why: Reasons, shares: Shares, paints: dict[str, Paint]) -> str:
    """A box for each move of the optimum: those of single shares in their owners' colours; those that joint shares add,
    in two colours; those that nothing explains, empty.
    """
    assert why.optimum is not None
    narrow = why.optimum > MOST_UNITS
    boxes = [(share.owners, share.least) for share in shares.single]
    least = {share.owners[0]: share.least for share in shares.single}
    more = shares.bound - sum(least.values())
    added = [(share.owners, share.least - sum(least[name] for name in share.owners)) for share in shares.joint]
    if sum(number for _, number in added) != more:  # they overlap
        added = [(tuple(dict.fromkeys(name for owners, _ in added for name in owners)), more)]
    boxes += [*added, ((), why.optimum - shares.bound)]
    return f'<div class="bar">{"".join(_boxes(owners, number, paints, narrow) for owners, number in boxes)}</div>'


def _boxes(owners: Sequence[str], number: int, paints: dict[str, Paint], narrow: bool) -> str:
    """The boxes of one share, in pictures that a line can be broken between."""
    text = (
        f"{' and '.join(owners)} {'together ' * (len(owners) > 1)}{number:,}" if owners else f"{number:,} unexplained"
    )
    pictures = []
    for start in range(0, number, CHUNK):
        many = min(CHUNK, number - start)
        inside = [shapes.moved_to(_box(owners, paints, narrow), (0, n)) for n in range(many)]
        pictures.append(svg(inside, (0, 0, many * CELL, CELL), many * (UNIT / 4 if narrow else UNIT), text))
    return "".join(pictures)


def _box(owners: Sequence[str], paints: dict[str, Paint], narrow: bool) -> list[SvgShape]:
    if not owners:
        return [shapes.edge([(0, 0)], "grid", 4, "5 4")]
    square = shapes.piece([(0, 0)], None)
    body = SvgShape(square.tag, {**square.attributes, **paints[owners[0]]})
    if len(owners) > 1:
        half = {"d": f"M{CELL} 0L{CELL} {CELL}L0 {CELL}Z"}
        return [body, SvgShape(square.tag, half | paints[owners[1]])]
    name = owners[0].split(" (")[0].removeprefix("the box on ").removeprefix("tile ")
    return [body] if narrow or len(name) > LETTERS else [body, shapes.label([(0, 0)], name)]


# Routes


def _routes(why: Reasons) -> Markup:
    """The only route of each owner on its board, or in words; then what the others need."""
    if not why.shares or why.optimum is None or why.stopped_by:
        return Markup("")
    paints = colours(why, why.shares)
    stops = why.pictured.stops if why.pictured else {}
    figures, lines = [], []
    for share in why.shares.single:
        name, route = share.owners[0], why.routes.get(share.owners[0], ())
        words = f"{name}, {why.puzzle.metric(why.metric).counted((share.least,))}"
        words += f": {', '.join(route)}" if route else ""
        if name in stops and len(route) <= DRAWN and (picture := _route(why, name, stops[name])):
            figures.append((Markup(picture), words))
        elif share.least:
            key = svg(_box([name], paints, narrow=True), (0, 0, CELL, CELL), UNIT / 2)
            lines.append((Markup(key), f"{words} ({'the only way' if route else 'in several ways'})"))
    return render("figures", head="With so few there is only one way", figures=figures, note="", lines=lines)


def _route(why: Reasons, name: str, stops: Sequence[Cell]) -> str | None:
    """The board with all pieces but one pale, and that piece's moves as numbered lines beside each other."""
    stage = Scene(why.puzzle)
    place = next((place for place in stage.places(stage.rows) if stops[0] in stage.covered(place)), None)
    if place is None:
        return None
    cells = stage.kind(place[0]).cells
    middle = [0.5 + sum(cell[axis] for cell in cells) / len(cells) for axis in (0, 1)]
    moves = len(stops) - 1
    gap = min(0.3, 0.9 / moves)
    # Lines beside each other: up or down where all moves are along a row, left or right along a column, else both.
    across = [float(len({stop[1 - axis] for stop in stops}) > 1) for axis in (0, 1)]
    lines, numbers = list[SvgShape](), list[SvgShape]()
    for n in range(moves):
        aside = (n - (moves - 1) / 2) * gap
        (y, x), (v, u) = (
            [(stop[axis] + middle[axis] + aside * across[axis]) * CELL for axis in (0, 1)] for stop in stops[n : n + 2]
        )
        drawn_as = {"class": "frame-line", "stroke": shapes.LIGHT["frame"], "stroke-width": "3", "fill": "none"}
        lines.append(SvgShape("path", {"d": f"M{x:g} {y:g}L{u:g} {v:g}"} | drawn_as))
        dot = {"cx": f"{u:g}", "cy": f"{v:g}", "r": "7.5", "class": "ink", "fill": shapes.LIGHT["ink"]}
        text = shapes.words({"x": f"{u:g}", "y": f"{v:g}"}, str(n + 1), 11, 1)
        white = {**text.attributes, "class": "ground", "fill": shapes.LIGHT["ground"]}
        numbers += [SvgShape("circle", dot), SvgShape(text.tag, white, text.inside)]
    body = [*_only(stage, stage.rows, place), *lines, *numbers]
    return svg(body, stage.view, BOARD, f"the route of {name}")


def _only(stage: Scene, rows: Rows, own: Place) -> list[SvgShape]:
    """A position with all pieces but one pale."""
    others = (placed(stage, place) for place in stage.places(rows) if place != own)
    return [*stage.ground, SvgShape("g", {"opacity": ".3"}, tuple(others)), placed(stage, own), *stage.over]


# Milestones


def _milestones(why: Reasons) -> Markup:
    strip = why.pictured.strip if why.pictured else ()
    if not strip or why.milestones is None:
        return Markup("")
    figures = []
    for number, (milestone, rows) in enumerate(zip(why.milestones.chain, strip, strict=True), 1):
        stage, cell = Scene(why.puzzle), cell_in(milestone.text)
        thing, places = milestone.text.rpartition(" ")[0], stage.places(rows)
        own = next((one for one in places if (cell in stage.covered(one) if cell else thing == one[0])), None)
        lit = _only(stage, rows, own) if own else drawn(stage, rows)
        picture = Markup(svg(lit, stage.view, BOARD, milestone.text))
        figures.append((picture, f"{number}. {milestone.text} ({milestone.earliest:,})"))
    note = "In this order in every plan; all else, pale, as in one shortest plan."
    return render("figures", head="", figures=figures, note=note, lines=())
