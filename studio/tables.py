"""Tables of text: to read, and to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from nicegui import ui
from nicegui.events import GenericEventArguments

from ..views.html import table

CHOSEN = "(event) => {const at = event.target.closest('[data-pick]'); if (at) emit(at.dataset.pick);}"
"""JavaScript: of a click within a table, tell which button it was on."""


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
        right, self._lines, self._columns = set(numbers), len(lines), len(head)
        arrow, order = (" ▾", "descending") if descending else (" ▴", "ascending")
        heads = []
        for i, text in enumerate(head):
            chosen = i == sorted_by
            name = f"{escape(text)}{arrow if chosen else ''}"
            inside = f'<button type="button" data-pick="column {i}">{name}</button>' if self._on["column"] else name
            said = f' aria-sort="{order}"' if chosen else ""
            heads.append(f'<th scope="col"{_aligned(i in right)}{said}>{inside}</th>')
        rows = []
        for number, line in enumerate(lines):
            first, *rest = line
            opens = f'<td><button type="button" data-pick="row {number}">{escape(first)}</button></td>'
            cells = "".join(f"<td{_aligned(i in right)}>{escape(text)}</td>" for i, text in enumerate(rest, 1))
            rows.append(f"<tr>{opens}{cells}</tr>")
        self.html.content = (
            f'<div class="scroll" tabindex="0"><table><thead><tr>{"".join(heads)}</tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table></div>"
        )

    def _picked(self, event: GenericEventArguments) -> None:
        """The browser says what was pressed: a row or a column, if it is one of those shown."""
        what, _, number = str(event.args).partition(" ")
        most = {"row": self._lines, "column": self._columns}.get(what, 0)
        handler = self._on.get(what)
        if handler is not None and number.isdecimal() and len(number) < 9 and int(number) < most:
            handler(int(number))


def _aligned(right: bool) -> str:
    return ' class="number"' if right else ""
