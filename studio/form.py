"""The form of the views that start runs (metric, limits, button), the card of a run, and the plot of its bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count
from typing import Any

from nicegui import ui

from ..models.errors import UsageError
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget, mebibytes, seconds
from ..runtime.child_main import Work
from ..runtime.events import Event, LayerDone, LowerBound, PlanFound
from ..views.plots import Plot, Track, look, svg, track_of_row
from ..workflows.rows import Compared
from ..workflows.streaming import Background, Solving
from .desk import Desk, Studio
from .runs import BoundReported, RowDone, StudioRun, under
from .widgets import choice, errors_shown, field, flat, strong

# The limits of a run, as they are asked for on the page: never more than the studio was started with.


class LimitFields:
    """Two fields: the time limit (`60`, `2m`) and the memory limit (`512M`, `4G`)."""

    def __init__(self, studio: Studio, time: str = "60s") -> None:
        self.studio = studio
        self.time = field("Time limit", value=time)
        self.memory = field("Memory limit", value="2G")

    def budget(self) -> Budget:
        """The budget that is asked for. Raises `UsageError` for what is no limit, or is too much."""
        try:
            asked, size = seconds(self.time.value or ""), mebibytes(self.memory.value or "")
        except ValueError as error:
            raise UsageError(f"a limit {error}") from None
        if asked > self.studio.most_seconds:
            raise UsageError(f"a run may take {self.studio.most_seconds:g} seconds; `--time-limit` allows more")
        if size > self.studio.most_memory:
            raise UsageError(f"a run may take {self.studio.most_memory:,} MiB; `--memory-limit` allows more")
        return Budget(asked, size)


LOOK = 0.25
"""Seconds between two updates of a run on the page."""


class RunForm:
    """A form that starts a run about the desk's puzzle, and shows the last one (`show_in`)."""

    def __init__(self, desk: Desk, what: str, verb: str, icon: str, time: str = "60s") -> None:
        self.desk, self.what = desk, what
        self._seen: object = ""
        self._place: ui.element | None = None
        self._card: RunCard | None = None
        self.metric = choice([], label="Metric")
        self.limits = LimitFields(desk.studio, time)
        self.go = strong(verb, icon=icon, name=f"go {what}-go")
        desk.on_puzzle.append(self._puzzle_changed)

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        self.go.set_enabled(puzzle is not None)
        if puzzle is not None:
            self.metric.set_options(list(puzzle.metrics), value=puzzle.header.metric)

    @property
    def topic(self) -> str:
        return f"{self.what} {self.desk.key}"

    @property
    def run(self) -> StudioRun | None:
        """The run that was started last; None without one."""
        return next(reversed(self.desk.studio.runs.of(self.topic)), None)

    def start(self, name: str, asked: tuple[object, ...], begin: Callable[[Puzzle, str, Budget], Background]) -> None:
        """Start a run of the desk's puzzle in the metric that was chosen, within the limits; if it cannot start, show
        why. `asked`: what, besides these, makes it the same run when it is asked for again.
        """
        puzzle, metric = self.desk.puzzle, str(self.metric.value)
        if puzzle is None:
            return
        with errors_shown():
            budget = self.limits.budget()
            asked = (self.desk.text, metric, *asked)
            self.desk.studio.runs.start(self.topic, name, asked, puzzle, metric, lambda: begin(puzzle, metric, budget))
            self.look()

    def start_engine(self, name: str, options: dict[str, Any]) -> None:
        """The same for a run of an engine."""
        self.start(name, (name,), lambda puzzle, metric, budget: Solving(puzzle, name, metric, budget, options))

    def start_work(self, name: str, asked: tuple[object, ...], work_on: Callable[[Puzzle, str], Work]) -> None:
        """The same for a piece of work in a process of its own: what is to be done with the puzzle in the metric."""
        self.start(name, asked, lambda puzzle, metric, budget: under(budget, work_on(puzzle, metric)))

    def show_in(self, place: ui.element, empty: str, show: Callable[[RunCard | None], None]) -> None:
        """Show the last run in an element, now and whenever there is something new; without a run, the text `empty`.

        `show` then adds what is particular to the view.
        """
        self._place, self._empty, self._show = place, empty, show
        self.look()
        ui.timer(LOOK, self.look)

    def look(self) -> None:
        """Show the news of the last run."""
        run = self.run
        seen = None if run is None else (run.number, run.revision, run.over or round(run.clock))
        if seen == self._seen or self._place is None:
            return
        self._seen = seen
        if self._card is not None and self._card.run is run:
            self._card.show()
        else:
            self._place.clear()
            with self._place:
                self._card = None if run is None else RunCard(run)
                if run is None:
                    ui.label(self._empty).classes("empty")
        self._show(self._card)


class RunCard:
    """The state of a run, with the button that stops it; `found` is for its results, `more` for buttons beside them.

    It is made once for a run and then only changed: a button that is made anew while it is pressed is never pressed.
    """

    def __init__(self, run: StudioRun, colour: str = "") -> None:
        self.run, self.colour = run, colour
        with ui.element("article").classes("run").props(f'aria-label="{run.name}"') as self.element:
            with ui.element("div").classes("run-head"):
                ui.label(run.name).classes("run-name")
                self.bounds = ui.label("").classes("run-bounds")
                self.state = ui.label("").classes("run-state")
                self.time = ui.label("").classes("about")
                ui.element("div").classes("spring")
                self.stop = flat("Stop", icon="stop", on_click=run.stop, name="stop")
                self.more = ui.element("div")
            self.progress = ui.linear_progress(0, show_value=False).props("instant-feedback aria-label=Progress")
            self.error = ui.label("").classes("bad")
            self.doing = ui.label("").classes("about")
            self.found = ui.element("div").classes("found")
        if colour:
            self.element.style(f"--run: {colour}")
        self.show()

    def show(self, said: str = "", bounds: str = "") -> None:
        """Show the state of the run; `said` is shown in place of the run's own words."""
        run = self.run
        self.bounds.text = bounds
        self.bounds.set_visibility(bool(bounds))
        self.state.text = said or run.state
        self.state.classes(replace=f"run-state state-{run.state.split()[0]}")
        self.time.text = f"{run.clock:.1f} s"
        if not self.stop.is_deleted:
            self.stop.delete() if run.over else self.stop.set_enabled(not run.stopping)
        self.progress.set_visibility(run.share is not None)
        self.progress.value = run.share or 0.0
        self.error.text = str(run.error or "")
        self.error.set_visibility(run.error is not None)
        self.doing.text = run.doing or ("loading code" if run.prepares else "")
        self.doing.set_visibility(bool(self.doing.text) and not run.over)


# The bounds of runs over time, as plots on the page that are drawn again when something is new.

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
        drawn = plot is not None and any(curve.points for curve in plot.series)
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
    by_name: dict[str, Track] = {}
    for track in tracks:
        names = (track.name if number == 1 else f"{track.name} ({number})" for number in count(1))
        name = next(name for name in names if name not in by_name)
        by_name[name] = replace(track, name=name)
    return list(by_name.values())


def tracks_of_cells(events: Iterable[Event], puzzle: Compared) -> list[Track]:
    """The bounds that a comparison (`runs.run_engines`) has reported of each engine on a puzzle."""
    by_engine: dict[str, Track] = {}
    for event in [*events]:
        match event:
            case RowDone(row=row) if row.asked.compared == puzzle:
                by_engine[row.engine] = track_of_row(row)
            case BoundReported(cell=cell) if cell.compared == puzzle:
                style = look(cell.engine)
                track = by_engine.setdefault(cell.engine, Track(cell.engine, style.colour, style.marker))
                track.prove(event.seconds, event.lower, event.by)
                track.find(event.seconds, event.upper)
    return list(by_engine.values())
