"""The view `Solve`: engines at work on the puzzle, side by side, their bounds rising and falling live."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from ..engines.table import DEFAULT_ENGINE
from ..runtime.outcome import Status
from ..views.plots import Plot, bounds_over_time
from ..views.text import status
from ..workflows.comparison import engines_for
from ..workflows.solving import Solution, between
from .desk import Desk
from .form import COLOURS, PlotBox, RunCard, RunForm, track_of, with_own_names
from .runs import StudioRun
from .widgets import choice, flat

LOOK = 0.25
"""Seconds between two updates of the runs."""


class SolveView:
    """The form, the chart, and a line for each run."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.seen: tuple[object, ...] = ()
        with ui.element("div").classes("form"):
            self.engines = choice([DEFAULT_ENGINE], many=True, value=[DEFAULT_ENGINE], label="Engines", name="engines")
            self.form = RunForm(desk, "solve", "Solve", "play_arrow")
            self.forget = flat("Clear", on_click=self._clear, name="forget")
        self.form.go.on_click(self._solve)
        self.hint = ui.label(
            "Choose one engine or several, then Solve. The lower bound rises as shorter plans are ruled out, the upper "
            "bound falls as plans are found; where they meet, the plan is proven shortest."
        ).classes("empty")
        with ui.element("div").classes("split"):
            self.lines = ui.element("div").classes("runs")
            self.plot = PlotBox("Bounds over time")
        self.cards: list[RunCard] = []
        self.shown: dict[int, tuple[int, bool]] = {}
        self.forget.set_visibility(False)
        desk.on_puzzle.append(self._puzzle_changed)
        ui.timer(LOOK, self._look)

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        if puzzle is not None:
            names = engines_for(puzzle)
            chosen = [name for name in self.engines.value if name in names] or [DEFAULT_ENGINE]
            self.engines.set_options(names, value=chosen)

    def _solve(self) -> None:
        for name in self.engines.value:
            self.form.start_engine(name, {})
        self._look()

    # What is under way

    def _look(self) -> None:
        runs = self.desk.studio.runs.of(self.form.topic)
        seen = tuple((run.number, run.revision, run.over or round(run.clock)) for run in runs)
        if seen == self.seen:
            return
        self.seen = seen
        self._list(runs)
        self.hint.set_visibility(not runs)
        self.plot.draw(self._plot(runs[-1]) if runs else None)
        for card in self.cards:
            self._show(card)
        self.forget.set_visibility(any(run.over for run in runs))

    def _plot(self, last: StudioRun) -> Plot | None:
        """The bounds of all runs in the metric of the last one; None before any is known."""
        cards = [card for card in self.cards if card.run.metric == last.metric]
        tracks = with_own_names(track_of(card.run, card.colour) for card in cards)
        if not any(track.lower or track.upper for track in tracks):
            return None
        unit = last.puzzle.metric(last.metric).units[0].many
        return bounds_over_time(tracks, unit, logarithmic=False)

    def _list(self, runs: list[StudioRun]) -> None:
        """A card for each run, the last one first; those that are there already stay as they are."""
        for card in self.cards:
            if card.run not in runs:
                card.element.delete()
                self.shown.pop(card.run.number, None)
        self.cards = [card for card in self.cards if card.run in runs]
        for run in runs[len(self.cards) :]:
            used = [card.colour for card in self.cards]
            with self.lines:
                card = RunCard(run, min(COLOURS, key=used.count))
            card.element.move(target_index=0)
            self.cards.append(card)

    def _show(self, card: RunCard) -> None:
        """Show the state of a run. Its results are drawn again only if they have changed."""
        run = card.run
        metric = run.puzzle.metric(run.metric)
        if isinstance(run.answer, Solution):
            card.show(status(run.answer.outcome, metric), run.answer.bounds)
        else:
            card.show(run.state, between(*run.bounds, metric.counted))
        seen = len(run.events), run.over
        if self.shown.get(run.number) == seen:
            return
        self.shown[run.number] = seen
        card.found.clear()
        with card.found:
            self._proofs(run)
        if isinstance(run.answer, Solution) and run.answer.replay is not None and not any(card.more):
            with card.more:
                flat("Replay", icon="play_circle", on_click=partial(self._replay, run.answer), name="to-replay")

    def _clear(self) -> None:
        self.desk.studio.runs.clear(self.form.topic)
        self._look()

    def _proofs(self, run: StudioRun) -> None:
        """List the latest bounds, the newest first: when each was found, and what proved it."""
        track = track_of(run, "")
        if isinstance(run.answer, Solution) and run.answer.contradicts:
            ui.label(run.answer.contradicts).classes("bad")
        points = sorted([*track.lower, *track.upper], key=lambda point: (point.x, point.y), reverse=True)
        with ui.element("ol").classes("proofs"):
            for point in points[:6]:
                with ui.element("li"):
                    ui.label(f"{point.x:.2f} s").classes("when")
                    ui.label(point.tip)

    def _replay(self, solution: Solution) -> None:
        if solution.replay is not None:
            proven = " (proven shortest)" if solution.status is Status.OPTIMAL else ""
            self.desk.replay(solution.puzzle, solution.replay, f"{solution.bounds}{proven}, by {solution.engine}")
            self.desk.show("replay")
