"""What text is written to: how wide it is, whether it shows colours, and which characters it knows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TextIO

WIDTH = 100
"""Columns of text where it is not written to a terminal."""

NARROWEST = 30

Colour = Literal["auto", "always", "never"]

DRAWN = "─│┼█·→≤…"
"""Characters that an encoding must have for drawings in Unicode."""


@dataclass(frozen=True, slots=True)
class Screen:
    """A stream of text as those see it who write to it. The default is text of `WIDTH` columns for a file.

    `height`: the lines that are seen at once; None where there is no end of them.
    """

    width: int = WIDTH
    colour: bool = False
    unicode: bool = True
    height: int | None = None

    @staticmethod
    def of(stream: TextIO, colour: Colour = "auto") -> Screen:
        """A stream with its own width, colours and characters."""
        return Screen(_width(stream), wants_colour(stream, colour), _draws(stream), _height(stream))

    def sign(self, unicode: str, ascii: str) -> str:
        """The sign `first` if the screen can show it; else the other one."""
        return unicode if self.unicode else ascii


PLAIN = Screen()


def wants_colour(stream: TextIO, colour: Colour = "auto", environment: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour what goes to a stream.

    `auto`: not if `NO_COLOR` is set (no-color.org: to anything but nothing), else if `FORCE_COLOR` is, or the stream is
    a terminal that can.
    """
    if colour != "auto":
        return colour == "always"
    if environment.get("NO_COLOR"):
        return False
    return bool(environment.get("FORCE_COLOR")) or is_terminal(stream, environment)


def is_terminal(stream: TextIO, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a stream is a terminal on which a line can be written again (`FORCE_COLOR` makes it none)."""
    return stream.isatty() and environment.get("TERM", "") not in ("dumb", "unknown")


def _width(stream: TextIO) -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit() and int(asked) > 0:
        width = int(asked)
    else:
        width = WIDTH
        if stream.isatty():
            try:
                width = os.get_terminal_size(stream.fileno()).columns or WIDTH
            except (OSError, ValueError):
                width = shutil.get_terminal_size((WIDTH, 24)).columns
    return max(NARROWEST, width)


def _height(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).lines or None
    except (OSError, ValueError):
        return None


def _draws(stream: TextIO) -> bool:
    try:
        DRAWN.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
