"""The errors of a certificate, and the limits within which it is checked.

Rejected
├── Invalid      the certificate does not show what it claims; says file, line and step
└── Unsupported  nothing is said of the claim: an unknown format or rule
    └── Stopped  a limit was reached, or the check was broken off
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

TICKS = 1024
"""Pieces of work between two looks at the clock."""


class Rejected(Exception):
    """A certificate that is not accepted."""


class Invalid(Rejected):
    """A certificate does not show its claim. `line` counts from 1."""

    def __init__(self, reason: str, file: str = "", line: int | None = None) -> None:
        place = f"{file}, line {line}" if line else file
        super().__init__(f"{place}: {reason}" if place else reason)


class Unsupported(Rejected):
    """The checker cannot decide about the claim: nothing is said of it."""


class Stopped(Unsupported):
    """The checker reached a limit of time or memory before it could decide."""


@dataclass(slots=True)
class Limits:
    """Seconds of wall-clock time and mebibytes of memory for one check. None is no limit. `stopped` says why to break
    it off, or None.

    Memory is what the checker's own tables are reckoned to take: whoever makes one calls `hold` with its bytes before
    or while it grows.
    """

    seconds: float | None = 600
    mebibytes: int | None = 4096
    stopped: Callable[[], str | None] = lambda: None
    began: float = field(default_factory=time.monotonic)
    held: int = 0
    work: int = 0

    def tick(self, work: int = 1) -> None:
        """Count some work, and check the clock now and then. Raises `Stopped` if the time is over."""
        self.work += work
        if self.work >= TICKS:
            self.work = 0
            if why := self.stopped():
                raise Stopped(f"not decided: {why}")
            if self.seconds is not None and time.monotonic() - self.began > self.seconds:
                raise Stopped(f"not decided within the time limit of {round(self.seconds, 2):g} s")

    def hold(self, size: int) -> None:
        """Count bytes as held (a negative number: as freed). Raises `Stopped` beyond the memory limit."""
        self.held += size
        if self.mebibytes is not None and self.held > self.mebibytes << 20:
            raise Stopped(f"not decided: it takes more memory than the limit of {self.mebibytes} MiB allows")
