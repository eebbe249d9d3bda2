"""What can be wrong with a certificate, and the limits within which it is checked.

Rejected
├── Invalid      the certificate does not show what it claims; says file, line and step
└── Unsupported  nothing is said of the claim: an unknown format or rule, or a limit was reached
"""

from __future__ import annotations

import time

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


class Limits:
    """Seconds of wall-clock time and mebibytes of memory for one check. None is no limit.

    Memory is what the checker's own tables are reckoned to take: whoever makes one calls `hold` with its bytes before
    or while it grows.
    """

    def __init__(self, seconds: float | None = 600, mebibytes: int | None = 4096) -> None:
        self.seconds, self.mebibytes = seconds, mebibytes
        self.began, self.held, self._work = time.monotonic(), 0, 0

    def tick(self, work: int = 1) -> None:
        """Some work is done. Raises `Unsupported` if the time is over."""
        self._work += work
        if self._work >= TICKS:
            self._work = 0
            self.look()

    def look(self) -> None:
        """Look at the clock."""
        if self.seconds is not None and time.monotonic() - self.began > self.seconds:
            raise Unsupported(f"not decided within the time limit of {self.seconds:g} s")

    def hold(self, size: int) -> None:
        """So many bytes more are held (or fewer, if negative). Raises `Unsupported` if they are too many."""
        self.held += size
        if self.mebibytes is not None and self.held > self.mebibytes << 20:
            raise Unsupported(f"not decided within the memory limit of {self.mebibytes} MiB")
