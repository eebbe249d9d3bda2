"""The files of the elements `<budge-board>` and `<budge-replay>`: scripts and style for pages."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from .shapes import STYLE

COMMENT = re.compile(r"^/\*.*?\*/\s*|^//[^\n]*\n", re.MULTILINE | re.DOTALL)
"""A comment of a script that begins a line."""


@cache
def script(name: str) -> str:
    """The text of a script of `web/`: `board` defines `<budge-board>`, with its zoom, `replay` (which needs it)
    `<budge-replay>`; `game` plays without a server, `site` is for an index of puzzles.
    """
    return (_text("zoom.js") if name == "board" else "") + _text(f"{name}.js")


@cache
def style() -> str:
    """The rules of boards that are drawn and played on, and of the player."""
    return STYLE + _text("board.css") + _text("replay.css")


@cache
def site_style() -> str:
    """The rules of the pages of `budge site`."""
    return style() + _text("site.css")


def _text(name: str) -> str:
    """A file of `web/` without its indentation and the comments that begin a line, a fifth of it."""
    text = re.sub(r"^\s+", "", (files(__package__) / "web" / name).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return COMMENT.sub("", text) if name.endswith(".js") else text
