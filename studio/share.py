"""Sharing: a link that holds the puzzle, and what can be kept as a file."""

from __future__ import annotations

import base64
import binascii
import zlib

from nicegui import ui

from ..models.errors import UsageError
from .desk import Desk
from .editor import file_name
from .library import address
from .reading import MAX_TEXT
from .widgets import copy_button, dialog_of, errors_shown, field, flat, round_button, strong


def buttons(desk: Desk) -> None:
    """The button that shares a puzzle, and its menu."""
    with (
        round_button("Share", "share", None, "share"),
        ui.menu().props('auto-close anchor="bottom right" self="top right"'),
    ):
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
        field("Link", value=link, props="readonly", name="wide share-link")
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


# Links with a puzzle in them: its text, packed, behind the `#` of the studio's address.
#
# The part behind `#` is never sent to a server. The page hands it to the studio that it came from; so a link opens in
# the reader's own studio and no one else learns what is in it.

MARK = "z="
"""The beginning of the fragment of such a link: raw deflate (RFC 1951) in base64url (RFC 4648)."""

MAX_PACKED = 64 * 1024
"""Characters of a packed text."""


def packed(text: str) -> str:
    """A text as the fragment of a link, without the `#`. Raises `UsageError` for one that is too long."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(text.encode()) + deflate.flush()
    code = MARK + base64.urlsafe_b64encode(data).decode().rstrip("=")
    if len(code) > MAX_PACKED:
        raise UsageError("the text is too long for a link; mail the file instead")
    return code


def unpacked(code: str) -> str:
    """The text of a fragment, or of a whole link. Raises `UsageError` for other text, or one that is too long.

    >>> unpacked("http://127.0.0.1:8427/#" + packed("format: 1"))
    'format: 1'
    """
    code = code.strip().rpartition("#")[2]
    try:
        if not code.startswith(MARK) or len(code) > MAX_PACKED:
            raise ValueError
        body = code.removeprefix(MARK)
        data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        inflate = zlib.decompressobj(-15)
        text = inflate.decompress(data, MAX_TEXT + 1)
        if len(text) > MAX_TEXT or not inflate.eof:
            raise ValueError
        return text.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise UsageError("this link holds no puzzle; it may have been cut when it was copied") from None
