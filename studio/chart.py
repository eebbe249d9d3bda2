"""The bounds of runs over time, as plots on the page that are drawn again when something is new."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count

from nicegui import ui

from ..runtime.events import Event, LayerDone, LowerBound, PlanFound
from ..views.plots import Plot, Track, look, svg, track_of_row
from ..workflows.rows import Compared
from .runs import StudioRun
from .work import BoundReported, RowDone

COLOURS = ("#1f6fd0", "#c2571a", "#3c8a3f", "#8a4fbf", "#b03060", "#5f6b7a")
"""A colour for each run, readable on light and on dark pages."""


class PlotBox:
    """A plot on the page; it is hidden while there is nothing in it."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.html = ui.html("", sanitize=False).classes("chart")
        self.html.set_visibility(False)

    def draw(self, plot: Plot | None) -> None:
        """Show a plot in place of the one before."""
        drawn = plot is not None and any(one.points for one in plot.series)
        self.html.set_visibility(drawn)
        if plot is not None and drawn:
            self.html.content = svg(plot, self.label)


def track_of(run: StudioRun, colour: str) -> Track:
    """The bounds over time of a run: those that it has reported, and those of its answer."""
    track = Track(run.name, colour, now=run.work.elapsed, counted=run.puzzle.metric(run.metric).counted)
    for event in [*run.events]:
        match event:
            case LowerBound(lower_bound=bound, by=by) | LayerDone(lower_bound=bound, by=by):
                track.prove(event.seconds, bound, by)
            case PlanFound(cost=cost):
                track.find(event.seconds, cost)
    if (outcome := getattr(run.answer, "outcome", None)) is not None:
        track.prove(track.now, outcome.lower_bound, outcome.lower_bound_by)
        track.find(track.now, outcome.upper_bound)
    return track


def with_own_names(tracks: Iterable[Track]) -> list[Track]:
    """The tracks with names that occur once: of two called `auto` the second becomes `auto (2)`."""
    found: dict[str, Track] = {}
    for track in tracks:
        names = (track.name if number == 1 else f"{track.name} ({number})" for number in count(1))
        name = next(name for name in names if name not in found)
        found[name] = replace(track, name=name)
    return list(found.values())


def tracks_of_cells(events: Iterable[Event], puzzle: Compared) -> list[Track]:
    """The bounds that a comparison (`work.comparing`) has reported of each engine on a puzzle."""
    found: dict[str, Track] = {}
    for event in [*events]:
        match event:
            case RowDone(row=row) if row.asked.compared == puzzle:
                found[row.engine] = track_of_row(row)
            case BoundReported(cell=cell) if cell.compared == puzzle:
                style = look(cell.engine)
                track = found.setdefault(cell.engine, Track(cell.engine, style.colour, style.marker))
                track.prove(event.seconds, event.lower, event.by)
                track.find(event.seconds, event.upper)
    return list(found.values())
