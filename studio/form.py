"""The form of the views that start runs (metric, limits, button), and the card of a run."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..runtime.budget import Budget
from ..workflows.streaming import Background
from .desk import Desk
from .limits import LimitFields
from .parts import choice, errors_shown, flat, strong
from .runs import StudioRun

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

    def start(self, name: str, asked: tuple[object, ...], begin: Callable[[Budget], Background]) -> None:
        """Start a run; if it cannot start, show why."""
        puzzle = self.desk.puzzle
        if puzzle is None:
            return
        with errors_shown():
            budget = self.limits.budget()
            metric = str(self.metric.value)
            asked = (self.desk.text, metric, *asked)
            self.desk.studio.runs.start(self.topic, name, asked, puzzle, metric, lambda: begin(budget))
            self.look()

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
