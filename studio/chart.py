"""The chart of bounds: for each run what is proven, rising, and what is known, falling, over time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from ..models.cost import Cost, Metric, show_cost
from ..runtime.events import Event, LayerDone, LowerBound, PlanFound
from ..views.compare_text import Compared
from ..views.plots import LEAST, look
from ..workflows.rows import Row
from . import axes
from .runs import Run
from .work import BoundTold, RowDone, cell_of

COLOURS = ("#1f6fd0", "#c2571a", "#3c8a3f", "#8a4fbf", "#b03060", "#5f6b7a")
"""One for each run, readable on light and dark."""

Point = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Track:
    """What is known of a run over time: `lower` bounds, costs of plans (`upper`), until `now` seconds."""

    name: str
    colour: str
    lower: list[Point]
    upper: list[Point]
    now: float


def options(tracks: Iterable[Track], unit: str, dark: bool, *, logarithmic: bool = False) -> dict[str, Any]:
    """What ECharts is told. `unit`: of the costs; of those with several components the first is drawn.

    `logarithmic`: the axis of time, for runs that take milliseconds beside others that take minutes.
    """
    series = [one for track in tracks for one in _lines(track, LEAST if logarithmic else 0.0)]
    across = {"type": "log", "name": "s"} if logarithmic else {"type": "value", "name": "s", "min": 0}
    up = {"name": f"{unit} (dashed: plans)", "scale": True}
    return axes.options(across, up, series, dark, "{a}<br>{b}")


def _lines(track: Track, least: float) -> list[dict[str, Any]]:
    """The two lines of a run, of one name and so of one place in the legend. Where they meet, the optimum is proven."""
    now = max([least, track.now, *(point["value"][0] for point in (*track.lower, *track.upper))])
    found = []
    for line, kind in ((track.lower, "solid"), (track.upper, "dashed")):
        if not line:
            continue
        shown = [{**point, "value": [max(least, point["value"][0]), point["value"][1]]} for point in line]
        last = {**line[-1], "value": [now, line[-1]["value"][1]], "symbol": "none"}
        found.append(
            {
                "name": track.name,
                "type": "line",
                "step": "end",
                "data": [*shown, last],
                "symbolSize": 7,
                "symbol": "circle" if kind == "solid" else "diamond",
                "lineStyle": {"type": kind, "width": 2, "color": track.colour},
                "itemStyle": {"color": track.colour},
            }
        )
    return found


def track_of(run: Run, colour: str) -> Track:
    """What a run of an engine has told."""
    return Track(run.name, colour, *points(run, run.puzzle.metric(run.metric)), run.work.elapsed)


def told_apart(tracks: Iterable[Track]) -> list[Track]:
    """Tracks of which each has a name of its own: `auto`, `auto (2)`."""
    found: dict[str, Track] = {}
    for track in tracks:
        names = (track.name if number == 1 else f"{track.name} ({number})" for number in count(1))
        name = next(name for name in names if name not in found)
        found[name] = replace(track, name=name)
    return list(found.values())


def tracks_of_cells(told: Iterable[Event], puzzle: Compared) -> list[Track]:
    """What a comparison (`work.comparing`) has told of each engine on a puzzle."""
    found: dict[str, Track] = {}
    for event in [*told]:
        match event:
            case RowDone(row=row) if cell_of(row).compared == puzzle:
                found[row.engine] = _track_of_row(row)
            case BoundTold(cell=cell) if cell.compared == puzzle:
                track = found.setdefault(cell.engine, Track(cell.engine, look(cell.engine).colour, [], [], 0.0))
                if event.lower is not None:
                    name = f"at least {show_cost(event.lower)}: {event.by}"
                    track.lower.append(_point(event.seconds, event.lower, name))
                if event.upper is not None:
                    track.upper.append(_point(event.seconds, event.upper, f"a plan of {show_cost(event.upper)}"))
    return list(found.values())


def _track_of_row(row: Row) -> Track:
    """The history of a row, each bound when it became better."""
    lower, upper = list[Point](), list[Point]()
    low = high = None
    for seconds, bound, cost in row.history:
        if bound is not None and (low is None or bound > low):
            low = bound
            by = row.outcome.lower_bound_by if bound == row.outcome.lower_bound else ""
            lower.append(_point(seconds, bound, f"at least {show_cost(bound)}{by and f': {by}'}"))
        if cost is not None and (high is None or cost < high):
            high = cost
            upper.append(_point(seconds, cost, f"a plan of {show_cost(cost)}"))
    return Track(row.engine, look(row.engine).colour, lower, upper, row.seconds)


def points(run: Run, metric: Metric) -> tuple[list[Point], list[Point]]:
    """Lower bounds with what proved them, and plans, each when it became better."""
    lower, upper = list[Point](), list[Point]()
    low = high = None
    for event in [*run.told]:
        match event:
            case LowerBound(lower_bound=bound, by=by) | LayerDone(lower_bound=bound, by=by) if bound is not None:
                if low is None or bound > low:
                    low = bound
                    lower.append(_point(event.seconds, bound, f"at least {metric.counted(bound)}: {by}"))
            case PlanFound(cost=cost):
                if high is None or cost < high:
                    high = cost
                    upper.append(_point(event.seconds, cost, f"a plan of {metric.counted(cost)}"))
    outcome = getattr(run.answer, "outcome", None)
    if outcome is not None and outcome.lower_bound is not None and (low is None or outcome.lower_bound > low):
        at, bound = run.work.elapsed, outcome.lower_bound
        lower.append(_point(at, bound, f"at least {metric.counted(bound)}: {outcome.lower_bound_by}"))
    if outcome is not None and outcome.upper_bound is not None and high is None:
        upper.append(_point(run.work.elapsed, outcome.upper_bound, f"a plan of {metric.counted(outcome.upper_bound)}"))
    return lower, upper


def _point(seconds: float, cost: Cost, name: str) -> Point:
    return {"value": [round(seconds, 3), cost[0]], "name": name}
