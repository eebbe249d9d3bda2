"""The library: unsaved texts, then the puzzles of the folder and of each family, from short solutions to long ones."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, partial
from urllib.parse import quote

from nicegui import run as threads
from nicegui import ui

from ..models.families import families
from ..models.text import counted
from .desk import WRITE, Desk
from .kept import DRAFT, Unsaved, new_key
from .library import FILE, SHIPPED, LibraryEntry, address, unsaved_entry
from .widgets import asked, choice, flat, round_button

FIRST = 12
"""Cards of a section that are shown before all of them are asked for."""

ALL = "all"
LENGTHS = (ALL, "short", "medium", "long")
STATES = (ALL, "solved", "not solved")


def button(desk: Desk) -> None:
    """The button that opens the library. (The first press makes the shelf of puzzles: pages come sooner without.)"""
    shelf = cache(partial(Shelf, desk))

    async def opened() -> None:
        await shelf().open()

    flat("Library", icon="grid_view", on_click=opened, name="library-button").props('aria-label="Library"')


def new_button() -> None:
    """The button that begins a puzzle of a family."""
    with ui.dropdown_button("New", icon="add", auto_close=True).props("flat dense no-caps").classes("new"):
        for family in families().values():
            ui.item(family.title, on_click=partial(ui.navigate.to, address(new_key(), family.name, WRITE)))


class Shelf:
    """The dialog with the cards, in sections."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.entries: list[LibraryEntry] = []
        self.lengths: dict[str, str] = {}
        titles = {ALL: "all families"} | {family.name: family.title for family in families().values()}
        self.dialog = ui.dialog().props('full-width full-height aria-label="Library"')
        with self.dialog, ui.card().classes("shelf"):
            with ui.element("div").classes("toolbar"):
                ui.label("Library").classes("heading")
                self.words = (
                    ui.input(placeholder="name, optimum ...", on_change=self._show)
                    .props('outlined dense clearable debounce=200 aria-label="Search the library"')
                    .classes("search")
                )
                filtering = partial(choice, value=ALL, on_change=self._show)
                self.family = filtering(titles, label="Family", name="short by-family")
                self.length = filtering(list(LENGTHS), label="Solution", name="short by-length")
                self.state = filtering(list(STATES), label="Solved", name="short by-state")
                self.count = ui.label("").classes("about")
                ui.element("div").classes("spring")
                new_button()
                round_button("Close", "close", self.dialog.close)
            with ui.element("div").classes("shelved"):
                self.unsaved = ui.element("section").classes("unsaved").props('aria-label="Not saved"')
                self.sections = ui.element("div")

    async def open(self) -> None:
        """Show the library as it is now."""
        self.dialog.open()
        self.entries = await threads.io_bound(self.desk.studio.library.entries) or []
        self.lengths = lengths_of(self.entries)
        self._show()

    def _show(self) -> None:
        self._show_unsaved()
        sections: dict[str, list[LibraryEntry]] = {}
        fitting = [entry for entry in self.entries if self._fits(entry)]
        for entry in fitting:
            own = f"In {self.desk.studio.library.folder.name}"
            title = families()[entry.family].title if entry.key.startswith(SHIPPED) else own
            sections.setdefault(title, []).append(entry)
        self.count.text = counted(len(fitting), "puzzle")
        self.sections.clear()
        with self.sections:
            for title, entries in sections.items():
                self._section(title, entries)
            if not fitting:
                ui.label("No puzzle fits. Take a word or a filter away, or begin a new one.").classes("empty")

    def _fits(self, entry: LibraryEntry) -> bool:
        return (
            entry.matches(self.words.value or "")
            and self.family.value in (ALL, entry.family)
            and self.length.value in (ALL, self.lengths.get(entry.key))
            and self.state.value in (ALL, STATES[1] if self._least(entry) is not None else STATES[2])
        )

    def _least(self, entry: LibraryEntry) -> int | None:
        return self.desk.studio.solved.least(entry.digest, entry.metric)

    def _section(self, title: str, entries: Sequence[LibraryEntry]) -> None:
        with ui.element("section").classes("section").props(f'aria-label="{title}"'):
            solved = sum(self._least(entry) is not None for entry in entries)
            ui.label(f"{title} · {solved} of {len(entries)} solved").classes("heading")
            cards = ui.element("div").classes("cards")
            with cards:
                for entry in entries[:FIRST]:
                    self._card(entry)
            if len(entries) > FIRST:

                def all_of_them() -> None:
                    more.delete()
                    with cards:
                        for entry in entries[FIRST:]:
                            self._card(entry)

                more = flat(f"Show all {len(entries)}", on_click=all_of_them, name="show-all")

    def _show_unsaved(self) -> None:
        """List the texts that differ from their files, or have none, in whichever tab they were written."""
        cards = [(text, unsaved_entry(text)) for text in self.desk.studio.library.shelf()]
        cards = [(text, entry) for text, entry in cards if entry.matches(self.words.value or "")]
        self.unsaved.clear()
        if not cards:
            return
        with self.unsaved:
            ui.label(f"Not saved: {counted(len(cards), 'text')}").classes("heading")
            with ui.element("div").classes("cards"):
                for text, entry in cards:
                    with ui.element("div").classes("unsaved-card"):
                        self._card(entry)
                        ui.label(f"changed {_ago(time.time() - text.changed)}").classes("card-about")
                        flat("Discard", on_click=partial(self._discard, text, entry.title), name="discard")

    async def _discard(self, text: Unsaved, title: str) -> None:
        question = f"Discard the unsaved text of {title}? It is kept nowhere else."
        if await asked("Discard", question, "Discard it", "Keep it"):
            self.desk.studio.library.drop(text.key)
            self._show_unsaved()

    def _card(self, entry: LibraryEntry) -> None:
        with ui.element("a").classes("puzzle-card").props(f'href="{address(entry.key)}"'):
            if entry.problem:
                ui.icon("report_problem").classes("no-picture")
            else:
                source = f"/picture?key={quote(entry.key, safe='')}&stamp={entry.stamp}"
                ui.element("img").props(f'src="{source}" alt="" loading="lazy"')
            ui.label(entry.title).classes("card-title")
            ui.label(entry.problem or entry.size or entry.family).classes("card-about")
            if entry.known:
                ui.label(entry.known if entry.known == "unsolvable" else f"optimum {entry.known}").classes("card-about")
            if (least := self._least(entry)) is not None:
                best = "a shortest solution" if least == entry.cost else f"in {least:,} {entry.metric}"
                ui.label(f"✓ solved: {best}").classes("card-solved")
            place = "" if entry.key.startswith(DRAFT) else entry.key.removeprefix(SHIPPED).removeprefix(FILE)
            ui.label(place).classes("card-place")


def lengths_of(entries: Sequence[LibraryEntry]) -> dict[str, str]:
    """By key, the third of its family to which a puzzle belongs by the length of its shortest solution, where known."""
    lengths: dict[str, str] = {}
    for family in {entry.family for entry in entries}:
        by_cost = sorted(
            (entry.cost, entry.key) for entry in entries if entry.family == family and entry.cost is not None
        )
        lengths |= {key: LENGTHS[1 + 3 * number // len(by_cost)] for number, (_, key) in enumerate(by_cost)}
    return lengths


def _ago(seconds: float) -> str:
    """`now`, `5 minutes ago`.

    >>> _ago(7300)
    '2 hours ago'
    """
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "now"
