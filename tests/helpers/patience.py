"""How tests wait, on any machine: for an event, never for a number of seconds."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from budge import Budget
from budge.runtime.events import Event, LowerBound, Progress

SLOWER = float(os.environ.get("SLOWER", "1"))
"""How many times as fast as the wall clock the clock of the tests goes (`slowed`)."""

PATIENCE = 600.0 * SLOWER
"""Seconds after which a test that waits for something has failed; never how long that takes."""


def slowed() -> None:
    """From now on every limit in this process, and in those that it forks, meets a machine `SLOWER` times as slow."""
    clock, began = time.monotonic, time.monotonic()
    time.monotonic = lambda: began + (clock() - began) * SLOWER


def until(happened: Callable[[], object], pause: Callable[[], object] = lambda: time.sleep(0.01)) -> None:
    """Wait until something has happened, with a `pause` between two looks."""
    ends = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < ends, "it has not happened"
        pause()


def run_out(budget: Budget) -> None:
    """Let the time of a budget be over, as its clock would some time: a test chooses the moment."""
    budget.seconds = 0.0


def until_bound(budget: Budget, *least: int) -> Progress:
    """What lets the time of a budget be over when it is told of a lower bound of at least so much."""

    def tell(event: Event) -> None:
        if isinstance(event, LowerBound) and event.lower_bound >= least:
            run_out(budget)

    return tell
