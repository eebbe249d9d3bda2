"""Sharing: a link that holds the puzzle, and what can be kept as a file."""

from __future__ import annotations

from nicegui import ui

from ..models.errors import UsageError
from .desk import Desk
from .editor import file_name
from .library import address
from .links import packed, unpacked


def buttons(desk: Desk) -> None:
    """The button and its menu."""
    with ui.button(icon="share").props('flat round dense aria-label="Share"').classes("share"):
        ui.tooltip("Share")
        with ui.menu().props('auto-close anchor="bottom right" self="top right"'):
            ui.menu_item("Copy a link that holds this puzzle", on_click=lambda: _copy(desk))
            ui.menu_item("Open a link", on_click=lambda: _ask(desk)).classes("open-link")
            ui.menu_item("Download the puzzle file", on_click=lambda: _download(desk))


def _copy(desk: Desk) -> None:
    """Put the link on the clipboard, and show it: not every browser lets a page write there."""
    try:
        code = packed(desk.text)
    except UsageError as error:
        ui.notify(str(error), type="negative")
        return
    link = f"http://{ui.context.client.request.headers['host']}/#{code}"
    with ui.dialog(value=True).props('aria-label="Share"'), ui.card().classes("dialog"):
        ui.label("A link that holds this puzzle").classes("heading")
        ui.label(
            "It opens in any studio at this address, on this machine or another, and no server sees what is in it. "
            "In a studio at another address, paste it into Share, Open a link."
        ).classes("about")
        ui.input("Link", value=link).props("readonly outlined dense").classes("wide share-link")
    ui.clipboard.write(link)


def open_link(desk: Desk, link: str) -> None:
    """Open the puzzle of a link as a draft of its own."""
    try:
        key = desk.studio.library.new_draft(unpacked(link))
    except UsageError as error:
        ui.notify(str(error), type="negative")
    else:
        ui.navigate.to(address(key))


def _ask(desk: Desk) -> None:
    with ui.dialog(value=True).props('aria-label="Open a link"'), ui.card().classes("dialog"):
        ui.label("Open a link").classes("heading")
        ui.label("A link that another studio has made, whatever its address.").classes("about")
        link = ui.input("Link").props("outlined dense autofocus").classes("wide link-to-open")
        ui.button("Open", on_click=lambda: open_link(desk, link.value or "")).props("no-caps unelevated")


def _download(desk: Desk) -> None:
    title = desk.puzzle.header.name if desk.puzzle else "puzzle"
    ui.download.content(desk.text.encode(), file_name(title))
