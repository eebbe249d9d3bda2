"""The plots of runs: puzzles solved over time, bounds over time, search against the solver, time and size.

The report, notebooks and the studio draw these plots with `plot_svg.svg`. Engines differ in colour and in marker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..engines.engine import Engine, PlotStyle
from ..engines.table import ENGINES
from ..models.moves import Cost, show_cost
from ..runtime.outcome import Status
from ..workflows.rows import Row
from .shapes import escape

# Plots as SVG: series of points on two axes. Each module says what it plots, and draws it by `svg`.
#
# Text and axes have the colour of the page around, so that a plot is readable on light and on dark ground. A plot is
# drawn as wide as a phone with text of `POINTS`: there it is read without zooming, and wider screens enlarge it.

WIDTH, HEIGHT = 346, 230
"""Width and height of a plot without its legend, in units of the SVG; on a phone a unit is a pixel."""

LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 36
"""The margins around the axes for their labels."""

POINTS, LINE = 11, 17
"""The size of letters, and the height of a line of the legend."""

MOST_TICKS = 6

RADIUS = 3.6

NEAR, SAME = 9.0, 3.0
"""How far apart markers are at least: those along a line, and others."""

MOST_TIPS, MOST_TEXTS = 6, 3
"""Tips and texts of points that lie on each other; of more, the first are shown."""

Corners = tuple[int, float, float]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""

MARKERS: dict[str, Corners] = {
    "s": (4, 1.0, 45.0),
    "D": (4, 1.0, 0.0),
    "^": (3, 1.0, 0.0),
    "v": (3, 1.0, 180.0),
    "p": (5, 1.0, 0.0),
    "h": (6, 1.0, 0.0),
    "8": (8, 1.0, 22.5),
    "*": (5, 0.45, 0.0),
    "P": (4, 0.45, 0.0),
    "X": (4, 0.45, 45.0),
    "x": (4, 0.2, 45.0),
}
"""For each marker its number of corners, the distance from the middle of the points between them (1: no such points),
and the degrees by which it is turned. Other markers are circles.
"""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a series. `hollow`: not filled; `unmarked`: only the line goes there; `text`: written beside it;
    `tip`: shown under the pointer; `size`: of its marker, as a factor.
    """

    x: float
    y: float
    hollow: bool = False
    unmarked: bool = False
    text: str = ""
    tip: str = ""
    size: float = 1.0


SAMPLE = Point(0, 0)
"""The shape of a marker in the legend."""


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one colour and marker. `line`: they are joined by a staircase, `solid` or `dashed`, or are `bars`."""

    name: str
    colour: str
    marker: str
    points: Sequence[Point]
    line: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """From `least` to `most`; `title` says what it counts. Where it counts `whole` things, ticks are whole numbers."""

    title: str
    least: float
    most: float
    logarithmic: bool = False
    whole: bool = True

    def place(self, value: float) -> float:
        """Where a value is between the ends of an axis: 0 at the beginning, 1 at the end."""
        low, high, at = (math.log(x) if self.logarithmic else x for x in (self.least, self.most, value))
        return (at - low) / (high - low)

    def ticks(self) -> list[float]:
        """The values that are written on it, at most about `MOST_TICKS`."""
        if not self.logarithmic:
            wanted = (self.most - self.least) / MOST_TICKS
            steps = (base * 10**power for power in range(0 if self.whole else -3, 12) for base in (1, 2, 5))
            step = next((step for step in steps if step >= wanted), wanted)
            return [step * n for n in range(math.ceil(self.least / step), math.floor(self.most / step) + 1)]
        powers = range(math.floor(math.log10(self.least)), math.ceil(math.log10(self.most)) + 1)
        bases = (1, 2, 5) if len(powers) <= 3 else (1,)
        every = 1 + (len(powers) - 1) // (MOST_TICKS + 1)
        marks = [base * 10.0**power for power in powers[::every] for base in bases]
        return [value for value in marks if self.least <= value <= self.most]


@dataclass(frozen=True, slots=True)
class Plot:
    """Series on two axes. `diagonal`: where both are equal; `corners`: words above on the left, below on the right."""

    across: Axis
    up: Axis
    series: Sequence[Series]
    diagonal: bool = False
    corners: tuple[str, str] = ("", "")


def axis(
    title: str, values: Iterable[float], *, logarithmic: bool = False, zero: bool = False, whole: bool = True
) -> Axis:
    """An axis on which all these values fit, with a margin; it begins at 0 if `zero`."""
    ordered = sorted(values) or [1.0]
    low, high = ordered[0], ordered[-1]
    if logarithmic:
        return Axis(title, low / 1.3, high * 1.3, True)
    margin = max(0.5 if whole else 0.001, (high - low) / 20)
    return Axis(title, 0.0 if zero else low - margin, high + margin, whole=whole)


def svg(plot: Plot, label: str) -> str:
    """An SVG element, with a label for those who cannot see it."""
    parts = [*_frame(plot), *(part for series in plot.series for part in _drawn(plot, series)), *_texts(plot)]
    legend, height = _legend(plot.series)
    return (
        f'<svg role="img" aria-label="{escape(label)}" class="plot" viewBox="0 0 {WIDTH} {height}" '
        f'style="font-size: {POINTS}px" fill="currentColor">{"".join((*parts, *legend))}</svg>'
    )


def _at(plot: Plot, x: float, y: float) -> tuple[float, float]:
    """The place of a point in the picture."""
    across = LEFT + plot.across.place(x) * (WIDTH - LEFT - RIGHT)
    return across, HEIGHT - BOTTOM - plot.up.place(y) * (HEIGHT - TOP - BOTTOM)


def _frame(plot: Plot) -> Iterable[str]:
    """The axes with their numbers and titles, the grid, the diagonal, and the words in the corners."""
    right, bottom, middle = WIDTH - RIGHT, HEIGHT - BOTTOM, (TOP + HEIGHT - BOTTOM) / 2
    grid = ""
    for value in plot.across.ticks():
        x, _ = _at(plot, value, plot.up.least)
        grid += f"M{x:.1f} {TOP}V{bottom}"
        yield _text(x, bottom + 14, _number(value), "middle")
    for value in plot.up.ticks():
        _, y = _at(plot, plot.across.least, value)
        grid += f"M{LEFT} {y:.1f}H{right}"
        yield _text(LEFT - 5, y + 4, _number(value), "end")
    yield f'<path d="{grid}" stroke="currentColor" opacity=".15"/>'
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor"/>'
    if plot.diagonal:
        yield f'<path d="M{LEFT} {bottom}L{right} {TOP}" stroke="currentColor" stroke-dasharray="1 3"/>'
    yield _text((LEFT + right) / 2, bottom + 29, plot.across.title, "middle")
    yield f'<g transform="rotate(-90 11 {middle})">{_text(11, middle, plot.up.title, "middle")}</g>'
    above, below = plot.corners
    yield f'<g font-style="italic">{_text(LEFT + 6, TOP + 10, above)}{_text(right, bottom - 6, below, "end")}</g>'


def _drawn(plot: Plot, series: Series) -> Iterable[str]:
    """A series: its line, and its markers or bars."""
    places = [_at(plot, point.x, point.y) for point in series.points]
    yield f'<g stroke="{series.colour}" fill="{series.colour}">'
    if series.line in ("solid", "dashed"):
        way = f"M{places[0][0]:.1f} {places[0][1]:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in places[1:])
        dashes = ' stroke-dasharray="4 3"' if series.line == "dashed" else ""
        yield f'<path d="{way}" fill="none" stroke-width="1.4"{dashes}/>'
    drawn: list[tuple[Point, float, float]] = []
    for point, (x, y) in zip(series.points, places, strict=True):
        if series.line == "bars":
            width = 0.4 * (_at(plot, point.x + 1, point.y)[0] - x)
            bar = f'<path d="M{x:.1f} {HEIGHT - BOTTOM}V{y:.1f}" stroke-width="{width:.2f}">'
            yield f"{bar}<title>{escape(point.tip)}</title></path>"
        elif not point.unmarked:
            drawn.append((point, x, y))
    yield from (_marker(series.marker, x, y, point) for point, x, y in _apart(drawn, NEAR if series.line else SAME))
    yield "</g>"


def _apart(markers: Sequence[tuple[Point, float, float]], least: float) -> list[tuple[Point, float, float]]:
    """Of markers that would lie on each other one, with the tips of all; the last one is there in any case."""
    shown: dict[tuple[int, int, bool], tuple[Point, float, float]] = {}  # by squares of this size
    for point, x, y in [*markers[-1:], *markers[:-1]]:
        row, column = int(y / least), int(x / least)
        around = ((row + down, column + right, point.hollow) for down in (-1, 0, 1) for right in (-1, 0, 1))
        near = (square for square in around if square in shown and math.dist(shown[square][1:], (x, y)) < least)
        square = next(near, None)
        if square is None:
            shown[row, column, point.hollow] = point, x, y
        elif point.tip and (first := shown[square])[0].tip.count("\n") < MOST_TIPS:
            shown[square] = (replace(first[0], tip=f"{first[0].tip}\n{point.tip}".strip()), *first[1:])
    return [*list(shown.values())[1:], *list(shown.values())[:1]]


def _texts(plot: Plot) -> Iterable[str]:
    """The texts beside points: those of one place in one, each where no other text and few points are."""
    points = [(point, *_at(plot, point.x, point.y)) for series in plot.series for point in series.points]
    named: dict[tuple[int, int], tuple[float, float, list[str]]] = {}
    for point, x, y in points:
        if point.text:
            named.setdefault((round(x / SAME), round(y / SAME)), (x, y, []))[2].append(point.text)
    dots = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for point, x, y in points if not point.unmarked]
    written: list[Box] = []
    for x, y, texts in named.values():
        text = ", ".join(texts[:MOST_TEXTS]) + (", …" if texts[MOST_TEXTS:] else "")
        wide, high = len(text) * POINTS * 0.58, POINTS * 0.8
        boxes = [
            (left, top, left + wide, top + high)
            for top in (y - high - 2, y - high / 2, y + 2)
            for left in (x + 5, x - 5 - wide)
            if left >= LEFT and left + wide <= WIDTH and top >= 0
        ]
        free = [box for box in boxes if not any(_meet(box, other) for other in written)]
        if free:
            box = min(free, key=lambda box: sum(_meet(box, dot) for dot in dots))
            written.append(box)
            yield _text(box[0], box[3], text)


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend(series: Sequence[Series]) -> tuple[list[str], int]:
    """The names of colours and markers, below the axes; and the height of the whole picture."""
    named = {entry.name: entry for entry in series}
    columns = 3 if max(map(len, named), default=0) < 14 else 2
    parts = []
    for number, entry in enumerate(named.values()):
        x, y = LEFT + number % columns * (WIDTH - LEFT) / columns, HEIGHT + LINE * (number // columns) + 8
        parts.append(f'<g stroke="{entry.colour}" fill="{entry.colour}">{_marker(entry.marker, x, y)}</g>')
        parts.append(_text(x + 9, y + 4, entry.name))
    return parts, HEIGHT + LINE * -(-len(named) // columns)


def _marker(name: str, x: float, y: float, point: Point = SAMPLE) -> str:
    inside = ' fill="none"' if point.hollow else ""
    tip = f"<title>{escape(point.tip)}</title>" if point.tip else ""
    if name not in MARKERS:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{(RADIUS - 0.4) * point.size:.1f}"{inside}>{tip}</circle>'
    corners, between, turned = MARKERS[name]
    steps = corners if between == 1.0 else 2 * corners
    angles = [math.radians(turned + 360 * step / steps) for step in range(steps)]
    radii = [RADIUS * point.size * (1.15 if between == 1.0 or step % 2 == 0 else between) for step in range(steps)]
    points = (f"{x + r * math.sin(a):.1f},{y - r * math.cos(a):.1f}" for r, a in zip(radii, angles, strict=True))
    return f'<polygon points="{" ".join(points)}"{inside}>{tip}</polygon>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>' if text else ""


def _number(value: float) -> str:
    """A label that has room beside its neighbours: `0.01`, `100`, `1 k`, `1 M`."""
    for size, sign in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"


FAILED = (Status.UNSUPPORTED, Status.ERROR)

LEAST = 0.001
"""Times below this many seconds are drawn as this many, because the axes are logarithmic."""

FAR = 40
"""How many times the least bound a plan must cost for the axis of bounds to be logarithmic: else they are one line."""

SERIES = (("#1f8fd6", "s"), ("#c08000", "o"), ("#2ca05a", "^"), ("#e0455f", "*"), ("#9467bd", "D"))
"""Colours and markers of families, in turn."""


def look(engine: str) -> PlotStyle:
    """The style in which an engine is drawn; a default one for engines that are not installed, as rows may be from a
    file.
    """
    return ENGINES[engine].style if engine in ENGINES else PlotStyle()


def solver() -> Engine:
    """The engine with which searches are compared in plots."""
    return next(engine for engine in ENGINES.values() if engine.style.duel == "solver")


def blind() -> str:
    """Names of the engines that visit all states, joined by "or"."""
    return " or ".join(name for name, engine in ENGINES.items() if engine.style.blind)


@dataclass
class Track:
    """The bounds of a run over time, each when it became better: `lower` bounds and costs of plans (`upper`), until
    `now` seconds. Of costs with two components the first is drawn; `counted` says the whole cost in words.
    """

    name: str
    colour: str
    marker: str = "o"
    now: float = 0.0
    counted: Callable[[Cost], str] = show_cost
    lower: list[Point] = field(default_factory=list)
    upper: list[Point] = field(default_factory=list)
    low: Cost | None = None
    high: Cost | None = None

    def prove(self, seconds: float, bound: Cost | None, by: str) -> None:
        """Add a lower bound, if it is better than those before."""
        if bound is not None and (self.low is None or bound > self.low):
            self.low = bound
            self.lower.append(Point(seconds, bound[0], tip=f"at least {self.counted(bound)}{by and f': {by}'}"))

    def find(self, seconds: float, cost: Cost | None) -> None:
        """Add a plan, if it is cheaper than those before."""
        if cost is not None and (self.high is None or cost < self.high):
            self.high = cost
            self.upper.append(Point(seconds, cost[0], tip=f"a plan of {self.counted(cost)}"))


def track_of_row(row: Row) -> Track:
    """The bounds of a run that has ended."""
    track = Track(row.engine, look(row.engine).colour, look(row.engine).marker, row.seconds)
    for seconds, bound, cost in row.history:
        track.prove(seconds, bound, row.outcome.lower_bound_by if bound == row.outcome.lower_bound else "")
        track.find(seconds, cost)
    return track


def bounds_over_time(tracks: Iterable[Track], unit: str, *, logarithmic: bool = True) -> Plot:
    """The proven lower bound (solid) and the best plan (dashed) of runs over time. Where they meet, it is optimal.

    `logarithmic`: the axis of time, for runs that take milliseconds beside others that take minutes.
    """
    series, least = [], LEAST if logarithmic else 0.0
    for track in tracks:
        now = max(track.now, *(point.x for point in (*track.lower, *track.upper)), least)
        for points, line in ((track.lower, "solid"), (track.upper, "dashed")):
            if points:
                shown = [replace(point, x=max(least, point.x)) for point in points]
                shown.append(Point(now, points[-1].y, unmarked=True))
                series.append(Series(track.name, track.colour, track.marker, shown, line))
    costs = [point.y for curve in series for point in curve.points]
    far = bool(costs) and max(costs) > FAR * min(costs) > 0
    return _plot("seconds", unit, series, logarithmic=logarithmic, both=far)


def _plot(
    across: str, up: str, series: Sequence[Series], *, logarithmic: bool = True, both: bool = False, zero: bool = False
) -> Plot:
    """A plot with an axis of time or states, logarithmic or from 0; with `both`, the other axis is logarithmic."""
    points = [point for curve in series for point in curve.points]
    xs = axis(across, (point.x for point in points), logarithmic=logarithmic, zero=True, whole=False)
    return Plot(xs, axis(up, (point.y for point in points), logarithmic=both, zero=zero), series)


def solved_times(rows: Iterable[Row]) -> dict[str, list[float]]:
    """The times in which each engine solved its puzzles, sorted; the engine that solved most is first."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.proven:
            times.setdefault(row.engine, []).append(row.seconds)
    return {engine: sorted(solved) for engine, solved in sorted(times.items(), key=lambda pair: -len(pair[1]))}


def solved_over_time(sets: Mapping[str, Sequence[Row]]) -> Plot:
    """A cactus plot: the number of puzzles that an engine solves if each may take at most some time.

    Of one set of rows, whose name is empty, or of two, the second of which has dashed lines.
    """
    latest = max([LEAST, *(row.seconds for rows in sets.values() for row in rows)])
    series = []
    for (name, rows), line in zip(sets.items(), ("solid", "dashed"), strict=False):
        for engine, solved in solved_times(rows).items():
            points = [Point(max(LEAST, seconds), count) for count, seconds in enumerate(solved, 1)]
            points.append(Point(latest, len(solved), unmarked=True))
            title, style = f"{engine}, {name}" if name else engine, look(engine)
            series.append(Series(title, style.colour, style.marker, points, line))
    return _plot("seconds for each puzzle", "puzzles solved", series, zero=True)


def fastest_search(rows: Iterable[Row]) -> Row | None:
    """Of the searches on one puzzle the one that proved the answer first; if none did, the one that took longest."""
    searches = [row for row in rows if look(row.engine).duel == "search" and row.status not in FAILED]
    proven = [row for row in searches if row.proven]
    if proven:
        return min(proven, key=lambda row: row.seconds)
    return max(searches, key=lambda row: row.seconds, default=None)


def solver_of(rows: Iterable[Row]) -> Row | None:
    """The row of the solver on one puzzle, if it could be run."""
    return next((row for row in rows if look(row.engine).duel == "solver" and row.status not in FAILED), None)


def search_against_solver(groups: dict[str, list[Row]]) -> Plot:
    """A point for each puzzle, with its number: above the diagonal search was quicker, below it the solver.

    Hollow: not proven in time.
    """
    by_family: dict[str, list[Point]] = {}
    for number, (title, rows) in enumerate(groups.items(), 1):
        search, solved = fastest_search(rows), solver_of(rows)
        if search and solved:
            x, y = max(LEAST, search.seconds), max(LEAST, solved.seconds)
            hollow = not (search.proven and solved.proven)
            by_family.setdefault(search.asked.family, []).append(
                Point(x, y, hollow, text=str(number), tip=f"{number}. {title}")
            )
    times = [time for points in by_family.values() for point in points for time in (point.x, point.y)]
    across, up = (axis(f"{name}, seconds", times, logarithmic=True) for name in ("quickest search", solver().name))
    series = [
        Series(family, *SERIES[number % len(SERIES)], by_family[family])
        for number, family in enumerate(sorted(by_family))
    ]
    return Plot(across, up, series, diagonal=True, corners=("search wins", f"{solver().title} wins"))


def size_of(rows: Iterable[Row]) -> int | None:
    """How large a puzzle is to a search that knows nothing: the states that a blind search met, at least.

    Where that was not run, the most states that any engine met.
    """
    rows = list(rows)
    blind = [count for row in rows if look(row.engine).blind if (count := row.count("states"))]
    return max(blind or [count for row in rows if (count := row.count("states"))], default=None)


def time_against_size(groups: dict[str, list[Row]]) -> Plot:
    """The time of each engine over the number of states of the puzzle. Hollow: not proven (or found) in time."""
    points: dict[str, list[Point]] = {}
    for rows in groups.values():
        size = size_of(rows)
        for row in rows if size else ():
            of_engine = points.setdefault(row.engine, [])
            if row.status in _RAN:
                done = row.proven or (row.status is Status.FEASIBLE and not row.outcome.stopped_by)
                of_engine.append(Point(size or 1, max(LEAST, row.seconds), hollow=not done))
    series = [Series(engine, look(engine).colour, look(engine).marker, dots) for engine, dots in points.items()]
    return _plot("states", "seconds", [cloud for cloud in series if cloud.points], both=True)


_RAN = (Status.OPTIMAL, Status.FEASIBLE, Status.UNSOLVABLE, Status.UNKNOWN)
