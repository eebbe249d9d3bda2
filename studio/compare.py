"""The view `Compare`: puzzles times engines, the table filling as runs end, with its plots, saved as the report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from nicegui import run as threads
from nicegui import ui

from ..models.errors import PuzzleError
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.events import Event
from ..views.compare_text import HEAD, NUMBERS, cells, grouped, titles, verdict
from ..views.plots import bounds_over_time, solved_over_time
from ..views.report import report
from ..workflows.comparison import Comparison, disagreements, engines_for
from ..workflows.rows import Asked
from ..workflows.streaming import Background
from . import runs
from .desk import Desk
from .form import PlotBox, RunCard, RunForm, tracks_of_cells
from .library import FILE, SHIPPED
from .runs import StudioRun
from .widgets import choice, errors_shown, show_error, show_table, strong

TOPIC = "compare"

AT_WORK = "the puzzle at work"
"""The choice that shows the bounds of whichever puzzle is being solved."""

NOTHING_YET = (
    "Each engine works on each puzzle in a process of its own, one after the other, under the same limits. What they "
    "prove is held against each other."
)

MOST_PUZZLES = 60
"""Puzzles of one comparison."""


class CompareView:
    """The form, the cactus plot, the bounds over time, the tables."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        with ui.element("div").classes("form"):
            self.puzzles = choice(
                {desk.key: "this puzzle"},
                many=True,
                value=[desk.key],
                label="Puzzles",
                with_input=True,
                name="engines puzzles",
            )
            self.engines = choice([], many=True, label="Engines (none: all)", name="engines")
            self.form = RunForm(desk, TOPIC, "Compare", "leaderboard", "20s")
        self.form.metric.set_visibility(False)
        self.form.go.on_click(self._compare)
        self.followed = AT_WORK
        self.plots = ui.element("div").classes("plots")
        with self.plots:
            with ui.element("div") as self.solved:
                ui.label("Puzzles solved within a time").classes("heading")
                self.cactus = PlotBox("Puzzles solved in a time")
            with ui.element("div"):
                self.which = choice(
                    {AT_WORK: AT_WORK},
                    value=AT_WORK,
                    label="Bounds over time",
                    on_change=self._followed,
                    name="wide bounds-of",
                )
                self.bounds = PlotBox("Bounds over time")
        self.plots.set_visibility(False)
        self.form.show_in(ui.element("div").classes("runs"), NOTHING_YET, self._show)
        desk.on_puzzle.append(self._puzzle_changed)

    async def _puzzle_changed_now(self) -> None:
        keys = await threads.io_bound(self.desk.studio.library.keys) or []
        names = {key: key.removeprefix(SHIPPED).removeprefix(FILE) for key in keys}
        self.puzzles.set_options({self.desk.key: "this puzzle", **names}, value=self.puzzles.value)

    def _puzzle_changed(self) -> None:
        puzzle = self.desk.puzzle
        if puzzle is not None:
            self.engines.set_options(engines_for(puzzle))
        if len(self.puzzles.options) < 2:
            ui.timer(0.5, self._puzzle_changed_now, once=True)

    async def _compare(self) -> None:
        keys, engines = list(self.puzzles.value or [self.desk.key]), list(self.engines.value or [])
        if len(keys) > MOST_PUZZLES:
            show_error(f"{MOST_PUZZLES} puzzles at once are enough; use `budge compare` for more")
            return
        with errors_shown():
            puzzles = await threads.io_bound(self._load, keys) or []

            def begin(_puzzle: Puzzle, _metric: str, each: Budget) -> Background:
                work = partial(runs.run_engines, puzzles, engines, each.seconds, each.memory_mib)
                return runs.under(Budget(None, None), work)

            self.form.start(f"{len(puzzles)} × {len(engines) or 'all'}", (tuple(keys), tuple(engines)), begin)

    def _load(self, keys: list[str]) -> list[Puzzle]:
        """The puzzles of keys, read as in the editor. Raises `PuzzleError` for one with problems, and `UsageError`."""
        studio, puzzles = self.desk.studio, list[Puzzle]()
        for key in keys:
            check = studio.reader.check(studio.library.text(key), studio.library.name(key), studio.library.path(key))
            if check.puzzle is None:
                raise PuzzleError(list(check.problems), check.dropped)
            puzzles.append(check.puzzle)
        return puzzles

    def _show(self, card: RunCard | None) -> None:
        if card is None:
            return
        comparison = comparison_of(card.run)
        self._draw(card.run, comparison)
        card.found.clear()
        with card.found:
            if card.run.over and comparison.rows:
                for sentence in verdict(comparison):
                    ui.label(sentence).classes("bad" if comparison.disagreements or comparison.errors else "good")
                strong("Save the report", icon="download", on_click=lambda: self._save(comparison), name="save-report")
            for title, rows in grouped(comparison.rows).items():
                ui.label(title).classes("heading")
                show_table(HEAD, map(cells, rows), NUMBERS)

    def _followed(self) -> None:
        """Show the bounds of the puzzle that the user has chosen."""
        run = self.form.run
        if run is not None and self.which.value and self.which.value != self.followed:
            self.followed = str(self.which.value)
            self._draw(run, comparison_of(run))

    def _draw(self, run: StudioRun, comparison: Comparison) -> None:
        """The cactus plot, and the bounds of each engine on the puzzle that is followed."""
        events = [*run.events]
        named = titles(puzzles_of(events))
        self.plots.set_visibility(bool(named))
        if not named:
            return
        names = {AT_WORK: AT_WORK, **{title: title for title in named.values()}}
        if self.which.options != names:
            self.which.set_options(names, value=self.followed if self.followed in names else AT_WORK)
        at_work = puzzles_of(events)[-1].compared
        followed = next((compared for compared, title in named.items() if title == self.followed), at_work)
        self.solved.set_visibility(len(named) > 1)  # of one puzzle it is a flat line
        self.cactus.draw(solved_over_time({"": comparison.rows}))
        self.bounds.draw(bounds_over_time(tracks_of_cells(events, followed), followed[1].split(",")[0]))

    async def _save(self, comparison: Comparison) -> None:
        text = await threads.io_bound(report, comparison)
        if text is not None:
            ui.download.content(text.encode(), "budge-compare.html")


def puzzles_of(events: Iterable[Event]) -> list[Asked]:
    """What a comparison has asked of engines so far, in the order in which it was begun: the puzzle at work last."""
    cells = (e.row.asked if isinstance(e, runs.RowDone) else e.cell for e in events if isinstance(e, runs.REPORTED))
    return list(dict.fromkeys(cells))


def comparison_of(run: StudioRun) -> Comparison:
    """The comparison that a run has returned; before that, one of the rows so far."""
    if isinstance(run.answer, Comparison):
        return run.answer
    rows = tuple(event.row for event in run.events if isinstance(event, runs.RowDone))
    return Comparison(rows, disagreements(rows), interrupted=True, puzzles=(run.puzzle,))
