"""Buttons, fields and dialogs as all views have them, and how errors are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..models.errors import BudgeError
from ..models.puzzle import Puzzle
from ..views.html import TableOrder, table
from ..views.sections import Section, as_html

SAID = 2.0
"""Seconds for which a button says what it has done."""

Act = Callable[..., Any]


def flat(text: str, *, icon: str | None = None, on_click: Act | None = None, name: str = "") -> ui.button:
    """A button beside others. `name`: its class, by which it is found on the page."""
    return ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps").classes(name)


def strong(text: str, *, icon: str | None = None, on_click: Act | None = None, name: str = "") -> ui.button:
    """The main button of a view or a dialog."""
    return ui.button(text, icon=icon, on_click=on_click).props("no-caps unelevated").classes(name)


def round_button(label: str, icon: str, on_click: Act | None, name: str = "") -> ui.button:
    """A button that is an icon; its label is read aloud, and shown when the pointer is over it."""
    button = ui.button(icon=icon, on_click=on_click).props(f'flat round dense aria-label="{label}"').classes(name)
    with button:
        ui.tooltip(label)
    return button


def choice(options: Any, *, label: str, name: str = "short", many: bool = False, **more: Any) -> ui.select:
    """A list to choose one word from, or `many`."""
    select = ui.select(options, label=label, multiple=many, **more)
    return select.props("outlined dense options-dense" + (" use-chips" if many else "")).classes(name)


def field(label: str, *, name: str = "short", props: str = "", **more: Any) -> ui.input:
    """A line to write into. `props`: further properties of Quasar's."""
    return ui.input(label, **more).props(f"outlined dense {props}").classes(name)


def copy_button(text: Callable[[], str]) -> None:
    """A button that puts a text on the clipboard, and says so for a moment."""

    def copy() -> None:
        ui.clipboard.write(text())
        button.text = "Copied"
        ui.timer(SAID, lambda: button.set_text("Copy"), once=True)

    button = flat("Copy", icon="content_copy", on_click=copy, name="copy")


@contextmanager
def dialog_of(title: str, **more: Any) -> Iterator[ui.dialog]:
    """A dialog, to be filled within."""
    with ui.dialog(**more).props(f'aria-label="{title}"') as dialog, ui.card().classes("dialog"):
        yield dialog


async def asked(title: str, question: str, yes: str, no: str) -> bool:
    """Ask the user a question; whether the answer is `yes`."""
    with dialog_of(title) as dialog:
        ui.label(question).classes("heading")
        with ui.row():
            strong(yes, on_click=lambda: dialog.submit(True))
            flat(no, on_click=lambda: dialog.submit(False))
    return bool(await dialog)


def show_error(error: Exception | str) -> None:
    """Tell the user what went wrong."""
    ui.notify(str(error), type="negative", multi_line=True)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Within, an error of Budge ends the block and is shown to the user."""
    try:
        yield
    except BudgeError as error:
        show_error(error)


# Tables of text: to read, and to choose from.

CHOSEN = "(event) => {const at = event.target.closest('[data-pick]'); if (at) emit(at.dataset.pick);}"
"""JavaScript that sends the name of the button clicked in a table."""


def show_table(head: Sequence[str], lines: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> None:
    """A table, as in reports. All text is escaped."""
    ui.html(table(head, lines, numbers=numbers), sanitize=False).classes("table")


def show_sections(puzzle: Puzzle, sections: Iterable[Section]) -> None:
    """An answer about a puzzle, as notebooks show it."""
    ui.html("".join(as_html(puzzle, sections)), sanitize=False).classes("table")


class PickTable:
    """A table of which each row can be opened, by the button in its first cell, and each column sorted, by its head.

    `on_row` is called with the number of a row, `on_column` with that of a column; without one, nothing is sorted.
    """

    def __init__(self, on_row: Callable[[int], None], on_column: Callable[[int], None] | None = None) -> None:
        self._on = {"row": on_row, "column": on_column}
        self._lines = self._columns = 0
        self.html = ui.html("", sanitize=False).classes("table")
        self.html.on("click", self._picked, js_handler=CHOSEN)

    def show(
        self,
        head: Sequence[str],
        lines: Sequence[Sequence[str]],
        numbers: Iterable[int] = (),
        *,
        sorted_by: int | None = None,
        descending: bool = False,
    ) -> None:
        """Show lines under a head. All text is escaped. The columns `numbers` are aligned to the right."""
        self._lines, self._columns = len(lines), len(head)
        order = TableOrder(sorted_by, descending, rows=True, columns=self._on["column"] is not None)
        self.html.content = table(head, lines, numbers=numbers, order=order)

    def _picked(self, event: GenericEventArguments) -> None:
        """Handle a click that the browser reports, if it names a row or a column that is shown."""
        what, _, number = str(event.args).partition(" ")
        most = {"row": self._lines, "column": self._columns}.get(what, 0)
        handler = self._on.get(what)
        if handler is not None and number.isdecimal() and len(number) < 9 and int(number) < most:
            handler(int(number))
