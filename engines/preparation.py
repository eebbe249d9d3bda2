"""Preparing engines: every engine is run on sample puzzles of every family, in every metric, so that all of its kernels
are compiled, with all kinds of arguments (`runtime.preparation` does it, and keeps the result).

The samples are small, and the families' own: they say what such puzzles can have. Together they have what makes kernels
differ: plain operators, compound moves, a walker that walks for nothing or at a cost, costs of two components, goals of
several clauses, interchangeable objects, dead ends.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ..models.errors import UsageError
from ..models.families import families, load_text
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.environment import cores
from ..runtime.events import Progress, silent
from ..runtime.preparation import Preparation, needed, prepare
from .engine import Engine

PATIENCE = 2.0
"""Seconds for which plain search is tried once more where anything else would have to be compiled first."""

Call = Callable[[Puzzle, str], None]
"""Runs what is to be compiled on a puzzle in a metric."""


def prepare_engines(engines: Iterable[Engine], budget: Budget, progress: Progress = silent) -> float:
    """Compile what these engines run, if that has not been done; see `prepare_within`."""
    return prepare_within(preparations(engines), budget, progress)


def prepare_within(preparations: Sequence[Preparation], budget: Budget, progress: Progress = silent) -> float:
    """Do what is left to be done of preparations, while a budget's clock stands still; the seconds that it took.

    It ends when the budget is interrupted.
    """
    if not needed(preparations):
        return 0.0
    began = time.monotonic()
    with budget.paused():
        prepare(preparations, progress, budget.interrupted, cores())
    return time.monotonic() - began


def patience(preparations: Sequence[Preparation], budget: Budget) -> float:
    """For how many seconds plain search is worth a second try: 0 where nothing would have to be compiled instead."""
    return min(PATIENCE, budget.remaining / 4) if needed(preparations) else 0.0


def preparations(engines: Iterable[Engine]) -> list[Preparation]:
    """How to prepare engines; for one that is made of others, these."""
    single = {member.name: member for engine in engines for member in (engine.members() or (engine,))}
    return [on_samples(name, partial(_compile, engine)) for name, engine in single.items() if engine.compiled]


def on_samples(name: str, call: Call) -> Preparation:
    """The preparation that calls something for every sample of every family in every metric."""
    samples = [
        (text, metric)
        for family in families().values()
        for text in (family.sample, *family.samples)
        for metric in family.metric_names
    ]
    return Preparation(name, tuple(partial(_on_sample, call, *sample) for sample in samples), str(samples))


def _on_sample(call: Call, text: str, metric: str) -> None:
    with contextlib.suppress(UsageError):  # it cannot do such puzzles
        call(load_text(text), metric)


def _compile(engine: Engine, puzzle: Puzzle, metric: str) -> None:
    view: Any = puzzle.view(engine.reads, metric)
    if view is not None:
        (engine.compile or engine.run)(view, Budget())
