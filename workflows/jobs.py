"""Runs of engines on puzzles, each in a process of its own, one after the other or several side by side."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from ..engines.engine import Engine
from ..engines.table import find
from ..models.errors import BudgeError, FaultError
from ..models.families import families, load_text
from ..models.moves import Cost
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..runtime import budget as waits
from ..runtime.budget import MIB, Budget
from ..runtime.child_main import Orders
from ..runtime.events import Event, Progress, silent
from ..runtime.outcome import BoundsSoFar, Outcome, Status
from ..runtime.processes import Child, ChildReport, wait
from . import solving


@dataclass(frozen=True, slots=True)
class Job:
    """An engine to run on a puzzle in a metric, with options of its own; `repetition` counts from 1."""

    puzzle: Puzzle
    engine: str
    metric: str
    options: tuple[tuple[str, Any], ...] = ()
    repetition: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a job.

    `seconds` is the wall-clock time of grounding, encoding and solving, without the loading of code; `memory_mib` the
    most by which its memory grew; `history` is as in `BoundsSoFar`. `error`: what the engine raised, if it did; an
    engine that says that it cannot do this puzzle raises `UsageError`. `killed`: it gave no outcome of its own, and
    `outcome` is what it had reported.
    """

    job: Job
    outcome: Outcome
    replay: Replay | None
    seconds: float
    memory_mib: float
    history: tuple[tuple[float, Cost | None, Cost | None], ...] = ()
    error: BudgeError | None = None
    killed: bool = False


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What each run may take. With `whole`, all of them together take no longer than is left of that budget.

    `enough`: whether what a job has reported is enough; then it is ended. `incumbent`: the cost of a known plan.
    """

    seconds: float | None
    memory_mib: int | None
    whole: Budget | None = None
    incumbent: Cost | None = None
    enough: Callable[[Job, BoundsSoFar], bool] = lambda _job, _known: False

    def until(self) -> float | None:
        """The time of `time.monotonic` at which the budget `whole` ends; None without a limit."""
        seconds = self.whole.seconds_left if self.whole else None
        return None if seconds is None else time.monotonic() + seconds


def run_all(
    jobs: Sequence[Job],
    limits: RunLimits,
    *,
    parallel: int = 1,
    interrupted: threading.Event | None = None,
    on_event: Callable[[Job, Event], None] | None = None,
) -> Iterator[tuple[int, Run]]:
    """Run jobs, `parallel` at a time, each under its own limits; gives each with its index when it has ended.

    The kernels have to be there (`runtime.kernels`), or they are compiled while a clock goes on. When
    `interrupted` is set, what runs is ended and given with what it knows, and no more is started.
    """
    interrupted = interrupted or threading.Event()
    engines = [find(name) for name in dict.fromkeys(job.engine for job in jobs)]
    for engine in engines:
        with contextlib.suppress(ImportError, OSError):  # a library cannot be loaded: reported by the run itself
            engine.load()  # what children that are forked can share
    waiting = list(enumerate(jobs))[::-1]
    running: dict[int, Child] = {}
    try:
        while running or (waiting and not interrupted.is_set()):
            while waiting and len(running) < parallel and not interrupted.is_set():
                index, job = waiting.pop()
                running[index] = _start(job, limits, partial(on_event, job) if on_event else silent)
            wait(list(running.values()))
            for index, child in list(running.items()):
                if child.ended:
                    del running[index]
                    yield index, run_of(jobs[index], child.report())
                elif interrupted.is_set():
                    child.stop("interrupted")
                elif limits.enough(jobs[index], child.known):
                    child.stop("enough is proven")
    finally:
        for child in running.values():
            child.kill()


def _start(job: Job, limits: RunLimits, on_event: Progress) -> Child:
    orders = orders_of(job, job.puzzle, find(job.engine), limits.seconds, limits.memory_mib)
    grace = waits.ENGINE if limits.whole is None else waits.MEMBER  # time to combine the answers
    return Child(replace(orders, incumbent=limits.incumbent, until=limits.until()), on_event, grace)


def run_of(job: Job, report: ChildReport) -> Run:
    """What the process of a job leaves. A plan is replayed here again, by the rules of its family."""
    outcome, replay, error = report.outcome(), None, report.error
    if outcome.status is Status.ERROR and error is None:  # its process died
        error = FaultError(str(outcome.stopped_by))
    if outcome.plan is not None:
        try:
            replay = solving.replayed(job.puzzle, job.metric, outcome)
        except BudgeError as bad:
            error = bad
    return Run(
        job,
        outcome,
        replay,
        report.seconds,
        report.peak / MIB,
        tuple(report.known.history),
        error,
        report.result is None,
    )


def orders_of(
    job: Job, puzzle: Puzzle | str, engine: Engine | str, seconds: float | None, memory_mib: int | None
) -> Orders:
    """The work of a job for another process; if that is on another machine, the puzzle is sent as text, the engine
    by name.
    """
    work = partial(_solve, puzzle, engine, job.metric, job.options)
    return Orders(work, seconds, memory_mib, warm_up=partial(_warm_up, engine, job.puzzle.family, job.metric))


def _solve(
    puzzle: Puzzle | str,
    engine: Engine | str,
    metric: str,
    options: Sequence[tuple[str, Any]],
    budget: Budget,
    progress: Progress,
) -> Outcome:
    try:
        read = _read(puzzle) if isinstance(puzzle, str) else puzzle
        engine = find(engine) if isinstance(engine, str) else engine
    except BudgeError as error:  # it could be read where it comes from
        raise FaultError(f"another Budge, or other packages, on the machine of this worker: {error}") from None
    return solving.solve(read, engine, metric, budget, progress, **dict(options)).outcome


_read = lru_cache(maxsize=8)(load_text)
"""Reads the text of a puzzle once for all of its jobs, which come one after the other."""


def _warm_up(engine: Engine | str, family: str, metric: str) -> None:
    """Load the engine and its compiled code before the time is measured."""
    with contextlib.suppress(Exception):  # what goes wrong here goes wrong again in the run itself, which reports it
        (find(engine) if isinstance(engine, str) else engine).load()
        solving.solve(load_text(families()[family].sample), engine, metric)
