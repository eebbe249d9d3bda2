"""Tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nicegui import ui

from ..views.html import table


def show_table(head: Sequence[str], lines: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> None:
    """A table, as in reports. All text is escaped."""
    ui.html(table(head, lines, numbers=numbers), sanitize=False).classes("table")
