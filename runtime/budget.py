"""The budget that covers a whole run: time, memory, and the user's patience."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..models.moves import Cost
from ..models.plan import Plan

# How long each level waits for the one below it to end by itself, before it goes on without it.
#
# An engine may have threads and, if it is the portfolio, child processes; it may itself be in a child process. When
# the time is over, each level has longer than the one below: what a thread, a member, an engine tells at the last
# moment still reaches the level above before that is ended, and so the best plan and the bound get through to the
# user.
#
#     level                          seconds   then
#     a thread of an engine             0.05   it is left alone, a daemon that dies with its process
#     a member of the portfolio          0.16   its process is killed; what it has told is kept
#     the portfolio beside plain search  0.22   the same
#     an engine in its own process       0.28   its process is killed; what it has told is kept
#     a command that runs engines so     0.35   the same

THREAD = 0.05
MEMBER = 0.16
PORTFOLIO = 0.22
ENGINE = 0.28
"""`budge compare` promises that no run goes on longer than this after its time limit (docs/comparison.md)."""

COMMAND = 0.35
"""With the start and the end of the program itself, this is within the half second that docs/command-line.md names."""


DEFAULT_TIME_LIMIT = 600.0
"""Seconds that a puzzle may take unless the caller says otherwise."""

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

    def stopped(self) -> str | None:
        """Why to stop now: "interrupted", "time limit", or None to go on."""
        if self.interrupted.is_set():
            return "interrupted"
        return "time limit" if self.remaining <= 0 else self._over()

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
