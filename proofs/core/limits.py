"""The errors of a certificate, and the limits within which it is checked.

Rejected
├── Invalid      the certificate does not show what it claims; says file, line and step
└── Unsupported  nothing is said of the claim: an unknown format or rule
    └── Stopped  a limit was reached, or the check was broken off
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable

TICKS = 1024
"""Pieces of work between two looks at the clock."""


class Rejected(Exception):
    """A certificate that is not accepted."""


class Invalid(Rejected):
    """A certificate does not show its claim. `line` counts from 1, `step` is a step of plan or proof."""

    def __init__(self, message: str, file: str = "", line: int | None = None, step: int | None = None) -> None:
        place = file + (f", line {line}" if line else "") + (f", step {step}" if step else "")
        super().__init__(printable(f"{place}: {message}" if place else message))
        self.reason, self.file, self.line, self.step = message, file, line, step


class Unsupported(Rejected):
    """This checker cannot decide."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class Stopped(Unsupported):
    """This checker reached a limit."""


class Limits:
    """Seconds of wall-clock time and mebibytes of memory for one check. None is no limit. `stopped` says why to break
    it off, or None.

    Memory is what the checker's own tables are reckoned to take: whoever makes one calls `hold` with its bytes before
    or while it grows.
    """

    def __init__(
        self,
        seconds: float | None = 600,
        mebibytes: int | None = 4096,
        stopped: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.seconds, self.mebibytes, self.stopped = seconds, mebibytes, stopped
        self.began, self.held, self._work = time.monotonic(), 0, 0

    def tick(self, work: int = 1) -> None:
        """Count some work, and check the clock now and then. Raises `Stopped` if the time is over."""
        self._work += work
        if self._work >= TICKS:
            self._work = 0
            self.look()

    def look(self) -> None:
        """Check the clock, and whether the caller wants to stop. Raises `Stopped`."""
        if why := self.stopped():
            raise Stopped(f"not decided: {why}")
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise Stopped(f"not decided within the time limit of {round(self.seconds, 2):g} s")

    def hold(self, size: int) -> None:
        """Count bytes as held (a negative number: as freed). Raises `Stopped` beyond the memory limit."""
        self.held += size
        if self.mebibytes is not None and self.held > self.mebibytes << 20:
            raise self.too_large()

    def room(self, most: int) -> int:
        """The bytes that may still be held, or `most` if that is less."""
        return most if self.mebibytes is None else max(1, min(most, (self.mebibytes << 20) - self.held))

    def too_large(self) -> Stopped:
        """The error raised where memory is not enough."""
        limit = "there is" if self.mebibytes is None else f"the memory limit of {self.mebibytes} MiB allows"
        return Stopped(f"not decided: it takes more memory than {limit}")


def visible(char: str) -> bool:
    """Whether a character is visible by itself: no control or combining character, and no space but the blank."""
    return char.isprintable() and unicodedata.category(char) not in ("Mn", "Me")


def printable(text: str) -> str:
    """A text without control sequences for a terminal: what is not visible is written as an escape."""
    return "".join(char if visible(char) else char.encode("unicode_escape").decode() for char in text)
