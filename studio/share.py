"""Sharing: a link that holds the puzzle, and what can be kept as a file."""

from __future__ import annotations

from nicegui import ui

from .desk import Desk
from .editor import file_name
from .library import address
from .links import packed, unpacked
from .parts import copy_button, dialog_of, errors_shown, field, flat, strong


def buttons(desk: Desk) -> None:
    """The button that shares a puzzle, and its menu."""
    with ui.button(icon="share").props('flat round dense aria-label="Share"').classes("share"):
        ui.tooltip("Share")
        with ui.menu().props('auto-close anchor="bottom right" self="top right"'):
            ui.menu_item("Share a link that holds this puzzle", on_click=lambda: _copy(desk))
            ui.menu_item("Open a link", on_click=lambda: _ask(desk)).classes("open-link")
            ui.menu_item("Download the puzzle file", on_click=lambda: _download(desk))


def _copy(desk: Desk) -> None:
    """Show the link, with a button that copies it."""
    with errors_shown():
        link = f"http://{ui.context.client.request.headers['host']}/#{packed(desk.text)}"
        _show_link(link)


def _show_link(link: str) -> None:
    with dialog_of("Share", value=True) as dialog:
        ui.label("A link that holds this puzzle").classes("heading")
        ui.label(
            "It opens in any studio at this address, on this machine or another, and no server sees what is in it. "
            "In a studio at another address, paste it into Share, Open a link."
        ).classes("about")
        ui.input("Link", value=link).props("readonly outlined dense").classes("wide share-link")
        with ui.row():
            copy_button(lambda: link)
            flat("Close", on_click=dialog.close)


def open_link(desk: Desk, link: str) -> None:
    """Open the puzzle of a link as a draft of its own."""
    with errors_shown():
        ui.navigate.to(address(desk.studio.library.new_draft(unpacked(link))))


def _ask(desk: Desk) -> None:
    with dialog_of("Open a link", value=True):
        ui.label("Open a link").classes("heading")
        ui.label("A link that another studio has made, whatever its address.").classes("about")
        link = field("Link", props="autofocus", name="wide link-to-open")
        strong("Open", on_click=lambda: open_link(desk, link.value or ""))


def _download(desk: Desk) -> None:
    title = desk.puzzle.header.name if desk.puzzle else "puzzle"
    ui.download.content(desk.text.encode(), file_name(title))
