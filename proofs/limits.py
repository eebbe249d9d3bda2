"""What can be wrong with a certificate, and the limits within which it is checked.

Rejected
├── Invalid      the certificate does not show what it claims; says file, line and step
└── Unsupported  nothing is said of the claim: an unknown format or rule
    └── Stopped  a limit was reached, or the check was broken off
"""

from __future__ import annotations

import time
from collections.abc import Callable

TICKS = 1024
"""Pieces of work between two looks at the clock."""


class Rejected(Exception):
    """A certificate that is not accepted."""


class Invalid(Rejected):
    """What a certificate claims is not shown by it. `line` counts from 1, `step` is a step of plan or proof."""

    def __init__(self, message: str, file: str = "", line: int | None = None, step: int | None = None) -> None:
        place = file + (f", line {line}" if line else "") + (f", step {step}" if step else "")
        super().__init__(f"{place}: {message}" if place else message)
        self.reason, self.file, self.line, self.step = message, file, line, step


class Unsupported(Rejected):
    """This checker cannot tell."""


class Stopped(Unsupported):
    """This checker has not come to an end."""


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
        """Some work is done. Raises `Stopped` if the time is over."""
        self._work += work
        if self._work >= TICKS:
            self._work = 0
            self.look()

    def look(self) -> None:
        """Look at the clock. Raises `Stopped`."""
        if why := self.stopped():
            raise Stopped(f"not decided: {why}")
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise Stopped(f"not decided within the time limit of {round(self.seconds, 2):g} s")

    def hold(self, size: int) -> None:
        """So many bytes more are held (or fewer, if negative). Raises `Stopped` if they are too many."""
        self.held += size
        if self.mebibytes is not None and self.held > self.mebibytes << 20:
            raise Stopped(f"not decided within the memory limit of {self.mebibytes} MiB")
