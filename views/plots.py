"""The plots of runs: puzzles solved over time, bounds over time, search against the solver, time and size.

The report, notebooks and the studio draw these plots with `plot_svg.svg`. Engines differ in colour and in marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..engines.engine import Engine, Look
from ..engines.table import ENGINES
from ..models.moves import Cost, show_cost
from ..runtime.outcome import Status
from ..workflows.rows import Row
from .plot_svg import Plot, Point, Series, axis

FAILED = (Status.UNSUPPORTED, Status.ERROR)

LEAST = 0.001
"""Times below this many seconds are drawn as this many, because the axes are logarithmic."""

FAR = 40
"""How many times the least bound a plan must cost for the axis of bounds to be logarithmic: else they are one line."""

SERIES = (("#1f8fd6", "s"), ("#d99000", "o"), ("#2ca05a", "^"), ("#e0455f", "*"), ("#9467bd", "D"))
"""Colours and markers of families, in turn."""


def look(engine: str) -> Look:
    """The style in which an engine is drawn; a default one for engines that are not installed, as rows may be from a
    file.
    """
    return ENGINES[engine].look if engine in ENGINES else Look()


def solver() -> Engine:
    """The engine with which searches are compared in plots."""
    return next(engine for engine in ENGINES.values() if engine.look.duel == "solver")


def blind() -> str:
    """Names of the engines that visit all states, joined by "or"."""
    return " or ".join(name for name, known in ENGINES.items() if known.look.blind)


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
                series.append(
                    Series(
                        track.name, track.colour, track.marker, [*shown, Point(now, points[-1].y, unmarked=True)], line
                    )
                )
    found = [point.y for one in series for point in one.points]
    far = bool(found) and max(found) > FAR * min(found) > 0
    return _plot("seconds", unit, series, logarithmic=logarithmic, both=far)


def _plot(
    across: str, up: str, series: Sequence[Series], *, logarithmic: bool = True, both: bool = False, zero: bool = False
) -> Plot:
    """A plot with an axis of time or states, logarithmic or from 0; with `both`, the other axis is logarithmic."""
    points = [point for one in series for point in one.points]
    xs = axis(across, (point.x for point in points), logarithmic=logarithmic, zero=True, whole=False)
    return Plot(xs, axis(up, (point.y for point in points), logarithmic=both, zero=zero), series)


def solved_times(rows: Iterable[Row]) -> dict[str, list[float]]:
    """The times in which each engine solved its puzzles, sorted; the engine that solved most is first."""
    times: dict[str, list[float]] = {}
    for row in rows:
        if row.proven:
            times.setdefault(row.engine, []).append(row.seconds)
    return {engine: sorted(solved) for engine, solved in sorted(times.items(), key=lambda one: -len(one[1]))}


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
    for number, rows in enumerate(groups.values(), 1):
        search, solved = fastest_search(rows), solver_of(rows)
        if search and solved:
            x, y = max(LEAST, search.seconds), max(LEAST, solved.seconds)
            hollow = not (search.proven and solved.proven)
            by_family.setdefault(search.asked.family, []).append(Point(x, y, hollow, text=str(number)))
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
    series = [Series(engine, look(engine).colour, look(engine).marker, found) for engine, found in points.items()]
    return _plot("states", "seconds", [one for one in series if one.points], both=True)


_RAN = (Status.OPTIMAL, Status.FEASIBLE, Status.UNSOLVABLE, Status.UNKNOWN)
