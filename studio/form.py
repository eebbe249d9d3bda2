"""What the views that start runs share: a metric, limits, the button, and the head of a run under way."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..models.errors import BudgeError
from ..runtime.budget import Budget
from ..workflows.streaming import Background
from .desk import Desk
from .limits import LimitFields
from .runs import Run

LOOK = 0.25
"""Seconds between two looks at a run."""


class RunForm:
    """A form that starts a run about the desk's puzzle, and shows the last one.

    `begin(puzzle, metric, budget)` gives the work and what makes it the same if it is asked for again; `show(run)`
    draws what is known of the run into the element that it is called in.
    """

    def __init__(self, desk: Desk, what: str, verb: str, icon: str, time: str = "60s") -> None:
        self.desk, self.what = desk, what
        self.seen: tuple[object, ...] = ()
        self.metric = ui.select([], label="Metric").props("outlined dense options-dense").classes("short")
        self.limits = LimitFields(desk.studio, time)
        self.go = ui.button(verb, icon=icon).props("no-caps unelevated").classes(f"go {what}-go")
        desk.on_puzzle.append(self._puzzle_changed)

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        self.go.set_enabled(puzzle is not None)
        if puzzle is not None:
            self.metric.set_options(list(puzzle.metrics), value=puzzle.header.metric)

    @property
    def topic(self) -> str:
        return f"{self.what} {self.desk.topic}"

    @property
    def run(self) -> Run | None:
        """The last run."""
        return next(reversed(self.desk.studio.runs.of(self.topic)), None)

    def start(self, name: str, asked: tuple[object, ...], begin: Callable[[Budget], Background]) -> Run | None:
        """Start a run; what keeps it from starting is told."""
        puzzle = self.desk.puzzle
        if puzzle is None:
            return None
        try:
            budget = self.limits.budget()
            metric = str(self.metric.value)
            asked = (self.desk.text, metric, *asked)
            return self.desk.studio.runs.start(self.topic, name, asked, puzzle, metric, lambda: begin(budget))
        except BudgeError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return None

    def changed(self) -> bool:
        """Whether there is something new to show since it was asked last."""
        run = self.run
        seen: tuple[object, ...] = ()
        if run is not None:
            seen = (run.number, run.revision, run.over or round(run.work.elapsed), self.desk.dark)
        changed, self.seen = seen != self.seen, seen
        return changed


def run_head(run: Run, said: str) -> None:
    """The line of a run: its name, how it stands, its time, and the button that stops it."""
    with ui.element("div").classes("run-head"):
        ui.label(run.name).classes("run-name")
        ui.label(said or run.state).classes(f"run-state state-{run.state.split()[0]}")
        ui.label(f"{run.work.elapsed:.1f} s").classes("about")
        ui.element("div").classes("spring")
        if not run.over:
            stop = ui.button("Stop", icon="stop", on_click=run.stop).props("flat dense no-caps").classes("stop")
            stop.set_enabled(not run.stopping)
    if run.share is not None:
        ui.linear_progress(run.share, show_value=False).props("instant-feedback")
    if run.error:
        ui.label(str(run.error)).classes("bad")
    elif run.doing and not run.over:
        ui.label(run.doing).classes("about")
