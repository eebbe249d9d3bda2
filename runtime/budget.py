"""The budget that covers a whole run: time, memory, and the user's patience."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..models.moves import MOST_OF_A_PLAN, Cost
from ..models.plan import Plan
from ..models.text import clip

# How long each level waits for the one below it to end by itself, before it goes on without it.
#
# An engine may have threads and, if it is the portfolio, child processes; it may itself be in a child process. When
# the time is over, each level has longer than the one below: what a thread, a member, an engine tells at the last
# moment still reaches the level above before that is ended, and so the best plan and the bound get through to the
# user.
#
#     level                          seconds   then
#     a thread of an engine              0.05   it is left alone, a daemon that dies with its process
#     a member of the portfolio          0.16   its process is killed; what it has told is kept
#     an engine in its own process       0.28   its process is killed; what it has told is kept
#     a command that runs engines so     0.35   the same

THREAD = 0.05
MEMBER = 0.16
ENGINE = 0.28
"""`budge compare` promises that no run goes on longer than this after its time limit (docs/comparison.md)."""

COMMAND = 0.35
"""With the start and the end of the program itself, this is within the half second that docs/command-line.md names."""


DEFAULT_TIME_LIMIT = 600.0
"""Seconds that a puzzle may take unless the caller says otherwise."""

RUN_TIME_LIMIT = 60.0
"""Seconds that a run of many may take: in a comparison, in an experiment, for a page of a site."""

WHY_TIME_LIMIT = 30.0
"""Default time limit of `explain --why` and `plans`, in seconds: they visit all states if they can."""

EXPLAIN_TIME_LIMIT = 10.0
"""Default time limit of `explain`, in seconds: goals out of reach, what never moves, dead ends."""

DEFAULT_MEMORY_LIMIT = 4096
"""MiB that an engine may take unless the caller says otherwise."""

MIB = 1024 * 1024

LOADING = "loading code"
"""What is done while modules and compiled code are loaded: the clock of a budget stands still meanwhile."""


class Budget:
    """Wall-clock time, memory and the user's patience, for everything from parsing to the answer.

    Engines ask `stopped()` often and give up, with what they have, when it returns a reason.
    """

    def __init__(self, seconds: float | None = DEFAULT_TIME_LIMIT, memory_mib: int | None = DEFAULT_MEMORY_LIMIT):
        self.started = time.monotonic()
        self.seconds = seconds
        self.memory_mib = memory_mib
        self.interrupted = threading.Event()
        self._paused: float | None = None
        self.incumbent: Cost | None = None
        """The cost of the best plan known to any engine: only cheaper plans are still worth finding."""
        self.plan: Plan | None = None
        """The plan of cost `incumbent`; None if it is known elsewhere only."""
        self._over: Callable[[], str | None] = lambda: None

    @property
    def elapsed(self) -> float:
        return (time.monotonic() if self._paused is None else self._paused) - self.started

    @contextmanager
    def paused(self, doing: str = "compiling", if_: bool = True) -> Iterator[None]:
        """Stop the clock within, if `if_` is true: for compiling or loading code, from which later runs profit, too."""
        if self._paused is not None or not if_:
            yield
            return
        self.pause(doing)
        try:
            yield
        finally:
            self.resume()

    def pause(self, doing: str = "") -> None:  # noqa: ARG002 -- a child tells it to its parent
        """Stop the clock, if it runs, for what is done meanwhile, in words that fit behind "while"."""
        if self._paused is None:
            self._paused = time.monotonic()

    def resume(self) -> None:
        """Let the clock run on after `pause`."""
        if self._paused is not None:
            self.started += time.monotonic() - self._paused
            self._paused = None

    @property
    def remaining(self) -> float:
        """Seconds left; infinite without a limit, never negative."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    @property
    def seconds_left(self) -> float | None:
        """Seconds left, as a limit for something else; None without a limit."""
        return None if self.seconds is None else self.remaining

    def stopped(self, held: int = 0) -> str | None:
        """Why to stop now: "interrupted", "time limit", "memory limit" if `held` bytes are more, or None to go on."""
        if self.interrupted.is_set():
            return "interrupted"
        if self.remaining <= 0:
            return "time limit"
        return self._over() or (None if self.fits(held) else "memory limit")

    def offer(self, plan: Plan, cost: Cost) -> None:
        """Offer a plan before the search is over: it is kept if the engine is ended, and its cost is passed to other
        engines.
        """
        if self.incumbent is None or cost < self.incumbent:
            self.incumbent, self.plan = cost, plan

    def hear(self, incumbent: Cost) -> None:
        """Note that another engine has a plan of this cost."""
        if self.incumbent is None or incumbent < self.incumbent:
            self.incumbent, self.plan = incumbent, None

    def forget(self) -> None:
        """Forget the plans of one puzzle: they are of no use for the next."""
        self.incumbent = self.plan = None

    def fits(self, size: int) -> bool:
        """Whether `size` bytes are within the memory limit."""
        return self.memory_mib is None or size <= self.memory_mib * MIB

    def part(self, seconds: float, over: Callable[[], str | None] = lambda: None) -> Budget:
        """A budget of its own for a piece of work: at most `seconds`, and no more than is left of this one.

        It ends when this one is interrupted, or when `over()` gives a reason. Plans that are offered to it stay there.
        """
        part = self.with_clock(min(seconds, self.remaining))
        part.interrupted, part._over = self.interrupted, lambda: over() or self._over()
        return part

    def with_clock(self, seconds: float) -> Budget:
        """A new budget of `seconds` by the same kind of clock, with the same memory limit."""
        return Budget(seconds, self.memory_mib)


# Times and sizes as people write them: `90`, `10s`, `2m`, `1h30m`; `512`, `512M`, `4G`.
#
# The command line and the Python API read their limits by these functions.

DIGITS = 4_000
"""Python converts no more digits than 4,300 to a number."""

_SECONDS = {"s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_MEBIBYTES = {"k": 1 / 1024, "m": 1.0, "g": 1024.0, "t": 1024.0**2}

_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_TIME = re.compile(rf"{_NUMBER}\s*({'|'.join(sorted(_SECONDS, key=len, reverse=True))})(?=[\d.\s]|$)\s*", re.ASCII)
_SIZE = re.compile(rf"{_NUMBER}\s*([kmgt])(?:i?b)?$", re.ASCII)
_PLAIN = re.compile(rf"-?{_NUMBER}(?:e\d+)?", re.ASCII)


def seconds(value: float | str) -> float:
    """Seconds: a number, or a text such as `10`, `10s`, `2m`, `1h30m`.

    Raises `ValueError` unless it is positive and finite, and `TypeError` for what is neither number nor text.
    """
    wanted = "a number of seconds, such as 10, 10s or 2m"
    return _positive(_read(value, wanted, _TIME, _SECONDS), value, wanted)


def mebibytes(value: float | str) -> int:
    """Whole MiB: a number of MiB, or a text such as `512`, `512M`, `4G` (1 G is 1024 MiB).

    Raises `ValueError` for less than one MiB or no number, and `TypeError` for what is neither number nor text.
    """
    wanted = "a number of MiB, such as 512, 512M or 4G"
    size = _read(value, wanted, _SIZE, _MEBIBYTES)
    if 0 < size < 1:
        raise ValueError(f"must be at least 1 MiB (got `{value}`)")
    return int(_positive(size, value, wanted))


def whole(text: str, least: int = 0) -> int:
    """A whole number in decimal digits, at most that of the largest cost of a plan. Raises `ValueError` for others."""
    digits = text.isascii() and text.isdigit()
    if digits and len(text) <= DIGITS and least <= int(text) <= MOST_OF_A_PLAN:
        return int(text)
    wanted = f"up to {MOST_OF_A_PLAN:,}" if digits and text.strip("0") else f"from {least} on, such as 7"
    raise ValueError(f"needs a whole number {wanted} (got `{clip(text)}`)")


def _read(value: float | str, wanted: str, part: re.Pattern[str], units: dict[str, float]) -> float:
    """A number, or the sum of the parts of a text, each a number with a unit; NaN for any other text. Raises
    `TypeError` for what is neither number nor text.
    """
    if not isinstance(value, str):
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"needs {wanted} (got {type(value).__name__})")
        return float(value)
    text = value.strip().lower()
    if _PLAIN.fullmatch(text):
        return float(text)
    total, at = 0.0, 0
    while match := part.match(text, at):
        total += float(match[1]) * units[match[2]]
        at = match.end()
    return total if text and at == len(text) else math.nan


def _positive(number: float, value: float | str, wanted: str) -> float:
    if number <= 0:
        raise ValueError(f"must be more than 0 (got `{value}`)")
    if not 0 < number < math.inf:
        raise ValueError(f"needs {wanted} (got `{value}`)")
    return number
