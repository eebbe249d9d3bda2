"""The view `Results`: the runs that a store of `budge batch` holds: sorted, filtered, held against each other, plotted,
exported; each opens its puzzle and its plan.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from nicegui import run as threads
from nicegui import ui

from ..lab.results import CHANGES, Difference, Filter, latest
from ..lab.store import Kept
from ..models.errors import BudgeError, UsageError
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import Budget
from ..views.compare_text import as_csv
from ..views.plots import solved_over_time
from ..views.results_text import (
    ENGINE_NAMES,
    PAIR_HEAD,
    RUN_HEAD,
    RUN_NUMBERS,
    difference_sentences,
    engine_table,
    pair_cells,
    run_cells,
)
from ..workflows.rows import replay_of
from .desk import Desk
from .form import PlotBox
from .library import address
from .runs import under
from .stores import Content, Question
from .widgets import PickTable, choice, errors_shown, field, flat, round_button, show_error, show_table

LOOK = 0.3
"""Seconds between two checks for another question, or for new runs of `budge batch`."""

PER_PAGE = 100
"""Runs on a page of the table."""

SHOWN_PAIRS = 100
"""The most pairs that are listed for each kind of change."""

REPORT = Budget(120.0, 2048)
"""The time limit of writing a report, which has plots for each puzzle."""

VIEW = "results"

NO_STORE = (
    "No store is in this folder yet. In a terminal, type "
    "<code>budge batch . --engines auto --store results.sqlite</code>: it runs engines on all puzzles of the folder, "
    "and each run is shown here as it ends."
)

COLUMNS = (*RUN_HEAD[:1], "label", *RUN_HEAD[1:])

CHOICES = ("label", "engine", "metric", "family", "status")
"""The parts of a filter that are chosen from a list."""


class ResultsView:
    """The view of a store: the choice of a store, a filter, and below them the runs, or two sets side by side."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.stores = desk, desk.studio.stores
        self.asked = self.stores.last
        self.content: Content | None = None
        self.difference: Difference | None = None
        self.stamp: object = None
        self.page = 0
        self.names: list[str] | None = None
        self.setting = False
        with ui.element("div").classes("form filter") as self.filter:
            self.store = self._select("Store", self._store_chosen).classes("store")
            self.choices = {name: self._select(name.capitalize(), self._filtered) for name in CHOICES}
            self.puzzle = field("Puzzle", on_change=self._filtered, props="clearable debounce=300")
        self.none = ui.html(NO_STORE, sanitize=False).classes("empty")
        self.body = ui.element("div").classes("results")
        with self.body:
            self._head()
            self.changes = ui.element("div").classes("changes")
            with ui.element("div").classes("split"):
                self.engines = ui.element("div")
                self.plot = PlotBox("Puzzles solved within a time")
            self._table()
        self.body.set_visibility(False)
        desk.on_puzzle.append(self._open_plan)
        desk.on_view.append(self._listed_again)
        ui.timer(LOOK, self._look)

    # What is on the page

    def _select(self, label: str, do: Callable[[], None]) -> ui.select:
        """A list to choose from. `do` is called when the user chooses, not when the page does (`_offer`)."""
        return choice([""], label=label, value="", on_change=lambda: None if self.setting else do())

    def _head(self) -> None:
        with ui.element("div").classes("toolbar"):
            self.about = ui.label("").classes("heading").props('role="status"')
            ui.element("div").classes("spring")
            for text, icon, do in (("CSV", "download", self._save_csv), ("Report", "article", self._save_report)):
                flat(text, icon=icon, on_click=do, name=f"save-{text.lower()}")
        with ui.element("div").classes("form against"):
            self.one = self._select("Hold this", self._sides_chosen).classes("one")
            self.other = self._select("against", self._sides_chosen).classes("other")
            ui.label("labels, versions, or numbers of sessions").classes("about")

    def _table(self) -> None:
        self.runs = PickTable(self._open_run, self._sort)
        with ui.element("div").classes("toolbar pages"):
            self.before = round_button("The runs before these", "chevron_left", lambda: self._turn(-1))
            self.place = ui.label("").classes("about")
            self.after = round_button("More runs", "chevron_right", lambda: self._turn(1))

    # What is asked

    def _listed_again(self) -> None:
        """Have the stores listed again, now that the view is chosen; walking through a folder may take long."""
        self.names = None

    def _store_chosen(self) -> None:
        name = str(self.store.value or "")
        if name != self.asked.store:
            self._ask(Question(store=name))

    def _filtered(self) -> None:
        wanted = Filter(**{n: str(s.value or "") for n, s in self.choices.items()}, puzzle=str(self.puzzle.value or ""))
        if wanted != self.asked.wanted:
            self._ask(replace(self.asked, wanted=wanted))

    def _sides_chosen(self) -> None:
        label, other = str(self.one.value or ""), str(self.other.value or "")
        if (label, other) != (self.asked.label, self.asked.other):
            self._ask(replace(self.asked, label=label, other=other))

    def _sort(self, column: int) -> None:
        name = COLUMNS[column]
        self._ask(replace(self.asked, column=name, descending=self.asked.column == name and not self.asked.descending))

    def _turn(self, by: int) -> None:
        self.page += by
        self._show_runs()

    def _ask(self, asked: Question) -> None:
        self.asked = self.stores.last = asked
        self.page, self.stamp = 0, None

    # What is answered

    async def _look(self) -> None:
        """Read the store if the question has changed, or if something was written to it."""
        if self.desk.view != VIEW:
            return
        if self.names is None:
            self.names = await threads.io_bound(self.stores.names) or []
            if self.asked.store not in self.names:
                self._ask(Question(store=self.names[0] if self.names else ""))
            self.none.set_visibility(not self.names)
            for part in (self.filter, self.body):
                part.set_visibility(bool(self.names))
            self._offer(self.store, self.names, self.asked.store)
        if not self.asked.store:
            return
        try:
            stamp = self.stores.stamp(self.asked.store)
            if stamp == self.stamp:
                return
            asked, self.stamp = self.asked, stamp
            content = await threads.io_bound(self.stores.answer, asked)
            both = asked.label and asked.other
            difference = await threads.io_bound(self.stores.difference, asked) if both else None
        except UsageError as error:
            self.content = self.difference = None
            self.about.text = str(error)
            return
        if content is not None and asked is self.asked:
            self.content, self.difference = content, difference
            self._show(content)

    def _offer(self, select: ui.select, words: list[str], chosen: str, none: str = "all") -> None:
        """Offer words in a list; the empty word is shown as `none`."""
        named = {word: word or none for word in words}
        if (select.options, select.value) != (named, chosen):
            self.setting = True
            select.set_options(named, value=chosen if chosen in named else None)
            self.setting = False

    def _show(self, content: Content) -> None:
        words = {"label": content.labels, **content.words}
        for name, select in self.choices.items():
            self._offer(select, ["", *words[name]], getattr(self.asked.wanted, name))
        for select, chosen in ((self.one, self.asked.label), (self.other, self.asked.other)):
            self._offer(select, ["", *content.labels], chosen, "nothing")
        proven = sum(kept.row.proven for kept in content.runs)
        shown = "" if len(content.runs) == content.fitting else f"the last {len(content.runs):,} of "
        self.about.text = f"{shown}{counted(content.fitting, 'run')}, {proven:,} of them proven"
        self.engines.clear()
        with self.engines:
            head, *lines = engine_table(content.rows)
            show_table(head, lines, range(ENGINE_NAMES, len(head)))
        self._draw()
        self._show_changes()
        self._show_runs()

    def _show_runs(self) -> None:
        if self.content is None:
            return
        runs = self.content.runs
        pages = max(1, -(-len(runs) // PER_PAGE))
        self.page = min(max(self.page, 0), pages - 1)
        column = COLUMNS.index(self.asked.column) if self.asked.column else None
        numbers = [number + 1 for number in RUN_NUMBERS]
        lines = [_line(kept) for kept in self._on_page()]
        self.runs.show(COLUMNS, lines, numbers, sorted_by=column, descending=self.asked.descending)
        self.place.text = f"{self.page + 1} of {counted(pages, 'page')}"
        self.before.set_enabled(self.page > 0)
        self.after.set_enabled(self.page < pages - 1)

    def _on_page(self) -> tuple[Kept, ...]:
        runs = self.content.runs if self.content else ()
        return runs[self.page * PER_PAGE : (self.page + 1) * PER_PAGE]

    def _show_changes(self) -> None:
        """Two sets of runs side by side: what changed, the largest changes first."""
        self.changes.clear()
        diff, names = self.difference, (self.asked.label, self.asked.other)
        if diff is None:
            return
        with self.changes:
            for sentence in difference_sentences(diff, names):
                ui.label(sentence)
            for how in CHANGES:
                pairs = diff.changed(how)[:SHOWN_PAIRS]
                if pairs:
                    ui.label(f"{how}: {len(diff.changed(how)):,}").classes("heading")
                    table = PickTable(lambda number, pairs=pairs: self._go(pairs[number].number))  # type: ignore[misc]
                    table.show([*PAIR_HEAD, *names], [pair_cells(pair) for pair in pairs])

    def _draw(self) -> None:
        """Draw the cactus plot of the runs that fit, or of the two sets."""
        if self.content is None:
            return
        diff = self.difference
        sets = {"": latest(self.content.rows)}
        if diff is not None:
            sides = ([pair.before for pair in diff.pairs], [pair.after for pair in diff.pairs])
            sets = dict(zip((self.asked.label, self.asked.other), sides, strict=True))
        self.plot.draw(solved_over_time(sets))

    # A run

    def _open_run(self, number: int) -> None:
        self._go(self._on_page()[number].number)

    def _go(self, number: int) -> None:
        """Open the puzzle of a run; its plan is shown when it has been read (`_open_plan`)."""
        with errors_shown():
            kept, text = self.stores.one(self.asked.store, number)
            key = self.desk.studio.library.key_of(kept.row.asked.file, text)
            store = quote(self.asked.store, safe="/")
            ui.navigate.to(f"{address(key)}&store={store}&run={number}")

    def _open_plan(self) -> None:
        """Replay the plan of the run that was opened with this puzzle, once."""
        puzzle, opened = self.desk.puzzle, self.desk.opened_run
        if puzzle is None or opened is None:
            return
        self.desk.opened_run = None
        with errors_shown():
            self._replay(puzzle, self.stores.one(*opened)[0])

    def _replay(self, puzzle: Puzzle, kept: Kept) -> None:
        row = kept.row
        replay = replay_of(row.plan, puzzle) if row.plan else None
        if replay is None:
            ui.notify(f"{row.engine} has no plan of this puzzle in the store", type="info")
            return
        _, label, _, _, _, status, bounds, _ = _line(kept)
        self.desk.replay(puzzle, replay, f"{status} {bounds} {row.asked.metric}, by {row.engine} ({label})")
        self.desk.show("replay")

    # Files

    async def _save_csv(self) -> None:
        with errors_shown():
            rows = await threads.io_bound(self.stores.rows, self.asked) or []
            ui.download.content(as_csv(rows).encode(), "budge-results.csv")

    async def _save_report(self) -> None:
        ui.notify("The report is being written ...", type="info")
        try:
            writing = under(REPORT, self.stores.reporting(self.asked))
            text = await threads.io_bound(lambda: writing.result)
        except (BudgeError, RuntimeError) as error:
            show_error(error)
            return
        if text is None:
            show_error(
                f"The report took more than {REPORT.seconds:g} seconds; filter the runs, or use `budge results "
                f"{self.asked.store} --html FILE`"
            )
        else:
            ui.download.content(text.encode(), "budge-results.html")


def _line(kept: Kept) -> list[str]:
    """The cells of a run in the table, by `COLUMNS`."""
    first, *rest = run_cells(kept.row)
    return [first, kept.label, *rest]
