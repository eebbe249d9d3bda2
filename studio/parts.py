"""Buttons, fields and dialogs as all views have them, and how errors are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nicegui import ui

from ..models.errors import BudgeError

SAID = 2.0
"""Seconds for which a button says what it has done."""

Act = Callable[..., Any]


def flat(text: str, *, icon: str | None = None, on_click: Act | None = None, name: str = "") -> ui.button:
    """A button beside others. `name`: its class, by which it is found on the page."""
    return ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps").classes(name)


def strong(text: str, *, icon: str | None = None, on_click: Act | None = None, name: str = "") -> ui.button:
    """The main button of a view or a dialog."""
    return ui.button(text, icon=icon, on_click=on_click).props("no-caps unelevated").classes(name)


def round_button(label: str, icon: str, on_click: Act, name: str = "") -> ui.button:
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
            ui.button(no, on_click=lambda: dialog.submit(False)).props("no-caps flat")
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
