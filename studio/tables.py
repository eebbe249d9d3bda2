"""Tables of text: to read, and to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..views.html import TableOrder, table

CHOSEN = "(event) => {const at = event.target.closest('[data-pick]'); if (at) emit(at.dataset.pick);}"
"""JavaScript that sends the name of the button clicked in a table."""


def show_table(head: Sequence[str], lines: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> None:
    """A table, as in reports. All text is escaped."""
    ui.html(table(head, lines, numbers=numbers), sanitize=False).classes("table")


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
