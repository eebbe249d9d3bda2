"""The chart of bounds: for each run what is proven, rising, and what is known, falling, over time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..models.cost import Cost, Metric
from ..runtime.events import LayerDone, LowerBound, PlanFound
from . import axes
from .runs import Run

COLOURS = ("#1f6fd0", "#c2571a", "#3c8a3f", "#8a4fbf", "#b03060", "#5f6b7a")
"""One for each run, readable on light and dark."""

Point = dict[str, Any]


def options(runs: Iterable[Run], metric: Metric, dark: bool) -> dict[str, Any]:
    """What ECharts is told. Of costs with several components the first is drawn."""
    series = [one for number, run in enumerate(runs) for one in _lines(run, COLOURS[number % len(COLOURS)], metric)]
    across = {"type": "value", "name": "s", "min": 0}
    return axes.options(across, {"name": metric.units[0].many, "scale": True}, series, dark, "{a}<br>{b}")


def _lines(run: Run, colour: str, metric: Metric) -> list[dict[str, Any]]:
    """The two lines of a run. Where they meet, the optimum is proven."""
    lower, upper = points(run, metric)
    now = max([run.work.elapsed, *(point["value"][0] for point in (*lower, *upper))])
    found = []
    for name, line, kind in ((run.name, lower, "solid"), (f"{run.name}, plan", upper, "dashed")):
        if not line:
            continue
        last = {**line[-1], "value": [now, line[-1]["value"][1]], "symbol": "none"}
        found.append(
            {
                "name": name,
                "type": "line",
                "step": "end",
                "data": [*line, last],
                "symbolSize": 7,
                "symbol": "circle" if kind == "solid" else "diamond",
                "lineStyle": {"type": kind, "width": 2, "color": colour},
                "itemStyle": {"color": colour},
            }
        )
    return found


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
