"""The plots of the report as SVG: puzzles solved over time, bounds over time, search against the solver, time and size.

Made by matplotlib, which is imported with the first plot. Text stays text; the colour of text and axes is that of the
page around, so that a plot is readable on light and on dark ground. Engines differ in colour and in marker. A plot is
drawn as wide as a phone, `SIZE`, with text of `POINTS`: there it is read without zooming, and wider screens enlarge it.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..engines.engine import Engine, Look
from ..engines.table import ENGINES
from ..models.cost import Cost
from ..runtime.outcome import Status
from ..workflows.rows import Row

INK = "#010203"
"""Stands for the page's own text colour until the SVG is written."""

FAILED = (Status.UNSUPPORTED, Status.ERROR)

LEAST = 0.001
"""Seconds below which times are drawn as this much: the axes are logarithmic."""


SERIES = (("#1f8fd6", "s"), ("#d99000", "o"), ("#2ca05a", "^"), ("#e0455f", "*"), ("#9467bd", "D"))
"""Colours and markers of families, in turn."""


def look(engine: str) -> Look:
    """How an engine is drawn, also one that is not installed here (rows may come from a file)."""
    return ENGINES[engine].look if engine in ENGINES else Look()


def solver() -> Engine:
    """The engine that search is held against."""
    return next(engine for engine in ENGINES.values() if engine.look.duel == "solver")


def blind() -> str:
    """The engines that meet all states, by name."""
    return " or ".join(name for name, known in ENGINES.items() if known.look.blind)


SIZE = (4.8, 3.7)
"""Inches of a plot; 346 by 266 points, which are the units of the SVG."""

POINTS = 11.0
"""The size of text: 11 pixels where a plot is 346 pixels wide, as on a phone."""

Draw = Callable[[Any], None]


def svg(draw: Draw, label: str, salt: str) -> str:
    """An SVG element of what `draw` draws on the axes, with a label for those who cannot see it.

    `salt` keeps the ids of several plots on one page apart.
    """
    import matplotlib
    from matplotlib.figure import Figure

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": salt,
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": POINTS,
        "axes.labelsize": POINTS,
        "xtick.labelsize": POINTS,
        "ytick.labelsize": POINTS,
        "legend.fontsize": POINTS,
        "legend.handlelength": 1.4,
        "legend.columnspacing": 1.2,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    }
    out = io.StringIO()
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # glyphs missing here: the reader's fonts count
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        axes.grid(True, color="#80808040", linewidth=0.6)
        draw(axes)
        _legend(figure, axes)
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    head = f'<svg role="img" aria-label="{_attribute(label)}" class="plot" '
    text = text.replace("<svg ", head, 1)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"font-family: [^;\"]*;? ?", "", text)  # that of the page
    return re.sub(r'(?<= id=")|(?<="#)|(?<=url\(#)', f"{salt}-", text)


def _legend(figure: Any, axes: Any) -> None:
    """What the colours and markers mean, below the axes: beside them there is no room."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        across = 3 if max(map(len, labels)) < 14 else 2
        figure.legend(handles, labels, loc="outside lower center", ncols=min(across, len(labels)))


def _attribute(text: str) -> str:
    from html import escape

    return escape(text, quote=True)


def bounds_over_time(rows: Sequence[Row]) -> Draw:
    """The proven lower bound (solid) and the best plan (dashed) of each engine over time, for one puzzle."""

    def draw(axes: Any) -> None:
        for row in rows:
            style_of = look(row.engine)
            labelled = False
            for which, style in ((1, "-"), (2, "--")):
                points = [(max(LEAST, p[0]), value[0]) for p in row.history if (value := _part(p, which)) is not None]
                if not points:
                    continue
                xs, ys = map(list, zip(*points, strict=True))
                axes.step(
                    [*xs, max(LEAST, row.seconds)],
                    [*ys, ys[-1]],
                    style,
                    where="post",
                    color=style_of.colour,
                    marker=style_of.marker,
                    markersize=4,
                    linewidth=1.3,
                    label=None if labelled else row.engine,
                )
                labelled = True
        _logarithmic(axes, "x")
        axes.set_xlabel("seconds")
        axes.set_ylabel(rows[0].asked.metric.split(",")[0])
        axes.yaxis.get_major_locator().set_params(integer=True)

    return draw


def solved_times(groups: dict[str, list[Row]]) -> dict[str, list[float]]:
    """The times, in order, in which each engine solved puzzles; engines that solved most first."""
    times: dict[str, list[float]] = {}
    for rows in groups.values():
        for row in rows:
            times.setdefault(row.engine, []).extend([row.seconds] if row.proven else [])
    return {engine: sorted(solved) for engine, solved in sorted(times.items(), key=lambda one: -len(one[1])) if solved}


def solved_over_time(groups: dict[str, list[Row]]) -> Draw:
    """A cactus plot: how many puzzles an engine has solved when each may take so many seconds."""
    times = solved_times(groups)
    latest = max(row.seconds for rows in groups.values() for row in rows)

    def draw(axes: Any) -> None:
        for engine, solved in times.items():
            style = look(engine)
            xs = [max(LEAST, seconds) for seconds in solved]
            axes.step(
                [*xs, max(LEAST, latest)],
                [*range(1, len(xs) + 1), len(xs)],
                where="post",
                color=style.colour,
                marker=style.marker,
                markersize=4,
                markevery=range(len(xs)),
                linewidth=1.3,
                label=engine,
            )
        _logarithmic(axes, "x")
        axes.set_xlabel("seconds for each puzzle")
        axes.set_ylabel("puzzles solved")
        axes.set_ylim(bottom=0)
        axes.yaxis.get_major_locator().set_params(integer=True)

    return draw


def _logarithmic(axes: Any, *names: str) -> None:
    """Make the axes `x`, `y` logarithmic, with numbers as people write them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for name in names:
        axes.set(**{f"{name}scale": "log"})
        scale = axes.xaxis if name == "x" else axes.yaxis
        scale.set_major_locator(LogLocator(numticks=9))
        scale.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
        scale.set_minor_formatter(NullFormatter())


def _part(point: tuple[float, Cost | None, Cost | None], which: int) -> Cost | None:
    value = point[which]
    return value if isinstance(value, tuple) else None


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


def search_against_solver(groups: dict[str, list[Row]]) -> Draw:
    """A point for each puzzle, with its number: above the diagonal search was quicker, below it the solver.

    Hollow: not proven in time.
    """
    pairs = [
        (number, search, solved)
        for number, rows in enumerate(groups.values(), 1)
        if (search := fastest_search(rows)) and (solved := solver_of(rows))
    ]
    families = sorted({search.asked.family for _, search, _ in pairs})

    def draw(axes: Any) -> None:
        for family, (colour, marker) in zip(families, SERIES * len(families), strict=False):
            label: str | None = family
            for _, search, solved in (pair for pair in pairs if pair[1].asked.family == family):
                proven = search.proven and solved.proven
                point = [max(LEAST, search.seconds)], [max(LEAST, solved.seconds)]
                axes.plot(*point, marker, color=colour, markerfacecolor=colour if proven else "none")
                if label:
                    axes.plot([], [], marker, color=colour, label=label)
                label = None
        for number, search, solved in pairs:
            at = (max(LEAST, search.seconds), max(LEAST, solved.seconds))
            axes.annotate(str(number), at, xytext=(5, 2), textcoords="offset points")
        times = [max(LEAST, row.seconds) for _, s, c in pairs for row in (s, c)]
        ends = [min(times, default=LEAST) / 2, max(times, default=1.0) * 2]
        axes.plot(ends, ends, ":", color=INK, linewidth=1)
        _logarithmic(axes, "x", "y")
        axes.set_xlabel("quickest search, seconds")
        axes.set_ylabel(f"{solver().name}, seconds")
        axes.text(0.02, 0.97, "search wins", transform=axes.transAxes, va="top", style="italic")
        axes.text(0.98, 0.03, f"{solver().title} wins", transform=axes.transAxes, ha="right", style="italic")

    return draw


def size_of(rows: Iterable[Row]) -> int | None:
    """How large a puzzle is to a search that knows nothing: the states that a blind search met, at least.

    Where that was not run, the most states that any engine met.
    """
    rows = list(rows)
    blind = [count for row in rows if look(row.engine).blind if (count := row.count("states"))]
    return max(blind or [count for row in rows if (count := row.count("states"))], default=None)


def time_against_size(groups: dict[str, list[Row]]) -> Draw:
    """The time of each engine over the number of states of the puzzle. Hollow: not proven (or found) in time."""
    sized = sorted(((size, rows) for rows in groups.values() if (size := size_of(rows))), key=lambda pair: pair[0])
    engines = dict.fromkeys(row.engine for _, rows in sized for row in rows)

    def draw(axes: Any) -> None:
        for engine in engines:
            colour, marker = look(engine).colour, look(engine).marker
            ran = [(n, r) for n, rows in sized for r in rows if r.engine == engine and r.status in _RAN]
            if not ran:
                continue
            xs, ys = [n for n, _ in ran], [max(LEAST, r.seconds) for _, r in ran]
            done = [r.proven or (r.status is Status.FEASIBLE and not r.outcome.stopped_by) for _, r in ran]
            for x, y, solid in zip(xs, ys, done, strict=True):
                axes.plot([x], [y], marker, color=colour, markerfacecolor=colour if solid else "none")
            axes.plot([], [], marker, color=colour, label=engine)
        _logarithmic(axes, "x", "y")
        axes.set_xlabel("states")
        axes.set_ylabel("seconds")

    return draw


_RAN = (Status.OPTIMAL, Status.FEASIBLE, Status.UNSOLVABLE, Status.UNKNOWN)


def _tick(value: float) -> str:
    """A label that has room beside its neighbours: `0.01`, `100`, `1 k`, `1 M`."""
    for size, sign in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"
