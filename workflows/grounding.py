"""Grounding within a budget: what was found is shown, and the clock is looked at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..models.watching import progress_to
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage
from ..runtime.outcome import StoppedError

GROUNDING = "grounding the puzzle"
"""The stage in which a puzzle is grounded, after reading and before solving."""

TOLD_EVERY = 0.25
"""Seconds between two reports of how many operators, or other things, were found."""


@contextmanager
def grounding(budget: Budget, progress: Progress, engine: str = "", text: str = GROUNDING) -> Iterator[None]:
    """Tell that grounding begins, and what is found while it goes on. Raises `StoppedError` within when the budget is
    over. (Until something is found, and in families that never look, it cannot be stopped in this process.)
    """
    progress(Stage(seconds=budget.elapsed, engine=engine, text=text, uninterruptible=True))
    told = time.monotonic()

    def on_progress(count: int, of: str) -> None:
        nonlocal told
        if reason := budget.stopped():
            raise StoppedError(reason, text)
        if time.monotonic() - told >= TOLD_EVERY:
            told = time.monotonic()
            progress(Stage(seconds=budget.elapsed, engine=engine, text=text, count=count, of=of))

    with progress_to(on_progress):
        yield
