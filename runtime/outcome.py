"""The budget that covers a whole run, and the outcome that every engine returns."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..models.cost import Cost
from ..models.plan import Plan
from ..models.task import Task

DEFAULT_TIME_LIMIT = 600.0
"""Seconds that a puzzle may take unless the caller says otherwise."""

DEFAULT_MEMORY_LIMIT = 4096
"""MiB that an engine may take unless the caller says otherwise."""


class Status(Enum):
    """How a run ended. The value is the word in JSON, the sentence is for people."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"
    INTERRUPTED = "interrupted"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        return {
            Status.OPTIMAL: "optimal: no cheaper plan exists",
            Status.FEASIBLE: "a plan, not proven shortest",
            Status.UNSOLVABLE: "unsolvable: proven that no plan exists",
            Status.UNKNOWN: "unknown: no plan found, none excluded beyond the bound",
            Status.INTERRUPTED: "interrupted",
            Status.ERROR: "an error stopped the engine",
        }[self]


Event = dict[str, Any]
"""One line of progress: `type` and what belongs to it. What JSON output prints, line by line."""

Progress = Callable[[Event], None]


def silent(event: Event) -> None:
    """A `Progress` that shows nothing."""


class Budget:
    """Wall-clock time, memory and the user's patience, for everything from parsing to the answer.

    Engines ask `stopped()` often and give up, with what they have, when it returns a reason.
    """

    def __init__(self, seconds: float | None = DEFAULT_TIME_LIMIT, memory_mib: int | None = DEFAULT_MEMORY_LIMIT):
        self.started = time.monotonic()
        self.seconds = seconds
        self.memory_mib = memory_mib
        self.interrupted = threading.Event()
        self.incumbent: Cost | None = None
        """What the best plan costs that anyone knows, also another engine: only cheaper ones need to be looked for."""

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.started

    @property
    def remaining(self) -> float:
        """Seconds left; infinite without a limit, never negative."""
        return float("inf") if self.seconds is None else max(0.0, self.seconds - self.elapsed)

    def stopped(self) -> str | None:
        """Why to stop now: "interrupted", "time limit", or None to go on."""
        if self.interrupted.is_set():
            return "interrupted"
        return "time limit" if self.remaining <= 0 else None

    def offer(self, plan: Plan, cost: Cost) -> None:
        """Make a plan known before the search is over: it outlives the engine, and other engines hear of its cost."""
        if self.incumbent is None or cost < self.incumbent:
            self.incumbent = cost

    def fits(self, size: int) -> bool:
        """Whether `size` bytes are within the memory limit."""
        return self.memory_mib is None or size <= self.memory_mib * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an engine found and proved.

    Bounds are costs in the metric (one number a component). `lower_bound_by` says what proved the lower
    bound, in words; `stopped_by` why the engine gave up, if it did. `stats` are counts (states, conflicts, ...)
    as they really happened.
    """

    status: Status
    plan: Plan | None = None
    lower_bound: Cost | None = None
    lower_bound_by: str = ""
    upper_bound: Cost | None = None
    stopped_by: str | None = None
    encode_seconds: float = 0.0
    solve_seconds: float = 0.0
    stats: dict[str, int | float | str] = field(default_factory=dict)


def trivial_outcome(task: Task, **stats: int) -> Outcome | None:
    """The outcome of a task that needs no search, None otherwise; `stats` are an engine's counts of nothing."""
    if task.unsolvable_because:
        return Outcome(Status.UNSOLVABLE, lower_bound_by=task.unsolvable_because)
    zero = (0,) * len(task.metric)
    if task.holds(task.init):
        return Outcome(Status.OPTIMAL, Plan(()), zero, "the initial state is a goal", zero, stats={**stats})
    if not task.operators:
        return Outcome(Status.UNSOLVABLE, lower_bound_by="there are no operators", stats={**stats})
    return None


def stopped_outcome(
    reason: str,
    lower_bound: Cost | None,
    lower_bound_by: str,
    stats: dict[str, int | float | str],
    *,
    encode_seconds: float = 0.0,
    solve_seconds: float = 0.0,
) -> Outcome:
    """The outcome of an engine that gave up without a plan."""
    return Outcome(
        Status.INTERRUPTED if reason == "interrupted" else Status.UNKNOWN,
        None,
        lower_bound,
        lower_bound_by,
        None,
        reason,
        encode_seconds,
        solve_seconds,
        stats,
    )
