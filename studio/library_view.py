"""The library: unsaved texts, then cards of all puzzles with their pictures, found by words."""

from __future__ import annotations

import time
from functools import partial
from urllib.parse import quote

from nicegui import run as threads
from nicegui import ui

from ..models.text import counted
from .desk import Desk
from .kept import DRAFT, Unsaved
from .library import FILE, SHIPPED, LibraryEntry, address, unsaved_entry
from .parts import asked, flat

PER_PAGE = 24


def button(desk: Desk) -> None:
    """The button that opens the library."""
    shelf = Shelf(desk)
    flat("Library", icon="grid_view", on_click=shelf.open, name="library-button")


class Shelf:
    """The dialog with the cards."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.page = 0
        self.entries: list[LibraryEntry] = []
        self.dialog = ui.dialog().props('full-width full-height aria-label="Library"')
        with self.dialog, ui.card().classes("shelf"):
            with ui.element("div").classes("toolbar"):
                ui.label("Library").classes("heading")
                self.words = (
                    ui.input(placeholder="name, family, optimum ...", on_change=self._searched)
                    .props('outlined dense clearable debounce=200 aria-label="Search the library"')
                    .classes("search")
                )
                self.count = ui.label("").classes("about")
                ui.element("div").classes("spring")
                ui.button(icon="close", on_click=self.dialog.close).props('flat round dense aria-label="Close"')
            with ui.element("div").classes("shelved"):
                self.unsaved = ui.element("section").classes("unsaved").props('aria-label="Not saved"')
                self.cards = ui.element("div").classes("cards")
                self.more = ui.button("More", on_click=self._more).props("flat no-caps")

    async def open(self) -> None:
        """Show the library as it is now."""
        self.dialog.open()
        self.entries = await threads.io_bound(self.desk.studio.library.entries) or []
        self._searched()

    def _searched(self) -> None:
        self.cards.clear()
        self.page = 0
        self._show_unsaved()
        self._more()

    def _show_unsaved(self) -> None:
        """List the texts that differ from their files, or have none, in whichever tab they were written."""
        found = [(one, unsaved_entry(one)) for one in self.desk.studio.library.shelf()]
        found = [(one, entry) for one, entry in found if entry.matches(self.words.value or "")]
        self.unsaved.clear()
        if not found:
            return
        with self.unsaved:
            ui.label(f"Not saved: {counted(len(found), 'text')}").classes("heading")
            with ui.element("div").classes("cards"):
                for one, entry in found:
                    with ui.element("div").classes("unsaved-card"):
                        self._card(entry)
                        ui.label(f"changed {_ago(time.time() - one.changed)}").classes("card-about")
                        flat("Discard", on_click=partial(self._discard, one, entry.title), name="discard")

    async def _discard(self, one: Unsaved, title: str) -> None:
        question = f"Discard the unsaved text of {title}? It is kept nowhere else."
        if await asked("Discard", question, "Discard it", "Keep it"):
            self.desk.studio.library.drop(one.key)
            self._show_unsaved()

    def _more(self) -> None:
        found = [entry for entry in self.entries if entry.matches(self.words.value or "")]
        shown = found[self.page * PER_PAGE : (self.page + 1) * PER_PAGE]
        with self.cards:
            for entry in shown:
                self._card(entry)
        self.page += 1
        self.count.text = counted(len(found), "puzzle")
        self.more.set_visibility(len(found) > self.page * PER_PAGE)

    def _card(self, entry: LibraryEntry) -> None:
        with ui.element("button").classes("puzzle-card").props('type="button"') as card:
            if entry.problem:
                ui.icon("report_problem").classes("no-picture")
            else:
                source = f"/picture?key={quote(entry.key, safe='')}"
                ui.element("img").props(f'src="{source}" alt="" loading="lazy"')
            ui.label(entry.title).classes("card-title")
            ui.label(entry.problem or " · ".join(filter(None, (entry.family, entry.size)))).classes("card-about")
            ui.label(f"optimum {entry.known}" if entry.known and entry.known != "unsolvable" else entry.known).classes(
                "card-known"
            )
            place = "" if entry.key.startswith(DRAFT) else entry.key.removeprefix(SHIPPED).removeprefix(FILE)
            ui.label(place).classes("card-place")
        card.on("click", partial(ui.navigate.to, address(entry.key)))


def _ago(seconds: float) -> str:
    """`now`, `5 minutes ago`.

    >>> _ago(7300)
    '2 hours ago'
    """
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "now"
