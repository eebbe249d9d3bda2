"""The library: cards of all puzzles with their pictures, found by words."""

from __future__ import annotations

from functools import partial
from urllib.parse import quote

from nicegui import run as threads
from nicegui import ui

from ..models.text import counted
from .desk import Desk
from .library import FILE, SHIPPED, Entry, address

PER_PAGE = 24


def button(desk: Desk) -> None:
    """The button that opens the library."""
    shelf = Shelf(desk)
    ui.button("Library", icon="grid_view", on_click=shelf.open).props("flat dense no-caps").classes("library-button")


class Shelf:
    """The dialog with the cards."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.page = 0
        self.entries: list[Entry] = []
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
        self._more()

    def _more(self) -> None:
        found = [entry for entry in self.entries if entry.matches(self.words.value or "")]
        shown = found[self.page * PER_PAGE : (self.page + 1) * PER_PAGE]
        with self.cards:
            for entry in shown:
                self._card(entry)
        self.page += 1
        self.count.text = counted(len(found), "puzzle")
        self.more.set_visibility(len(found) > self.page * PER_PAGE)

    def _card(self, entry: Entry) -> None:
        with ui.element("button").classes("puzzle-card").props('type="button"') as card:
            if entry.problem:
                ui.icon("report_problem").classes("no-picture")
            else:
                source = f"/picture?key={quote(entry.key, safe='')}"
                ui.element("img").props(f'src="{source}" alt="" loading="lazy"')
            ui.label(entry.title).classes("card-title")
            ui.label(entry.problem or f"{entry.family} · {entry.size}").classes("card-about")
            ui.label(f"optimum {entry.known}" if entry.known and entry.known != "unsolvable" else entry.known).classes(
                "card-known"
            )
            place = entry.key.removeprefix(SHIPPED) if entry.key.startswith(SHIPPED) else entry.key.removeprefix(FILE)
            ui.label(place).classes("card-place")
        card.on("click", partial(ui.navigate.to, address(entry.key)))
