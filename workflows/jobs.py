"""Runs of engines on puzzles, each in a process of its own, one after the other or several side by side."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from ..models.cost import Cost
from ..models.errors import BudgeError
from ..models.families import load_text
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..runtime.outcome import Budget, Event, Outcome, Progress
from ..runtime.processes import BoundsSoFar, Child, wait
from . import solving as engines

TINY = {
    "rush-hour": "board: |\n  AA.\n  ...\n",
    "sliding-block": "board: |\n  aXX\n  b..\ngoal: |\n  ...\n  .XX\n",
    "n-puzzle": "start: |\n  1 2\n  . 3\n",
    "sokoban": "map: |2\n  ######\n  #@$ .#\n  ######\n",
}
"""For each family a puzzle that any engine solves at once, to load its code with."""


@dataclass(frozen=True, slots=True)
class Job:
    """An engine to run on a puzzle in a metric."""

    puzzle: Puzzle
    engine: str
    metric: str


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a job.

    `seconds` is the wall-clock time of grounding, encoding and solving, without the loading of code; `memory_mib` the
    most by which its memory grew; `history` is as in `BoundsSoFar`. `error`, if the engine raised one, is its type and
    message; an engine that says that it cannot do this puzzle raises `UsageError`. `killed`: it gave no outcome of its
    own, and `outcome` is what it had told.
    """

    job: Job
    outcome: Outcome
    replay: Replay | None
    seconds: float
    memory_mib: float
    history: tuple[tuple[float, Cost | None, Cost | None], ...] = ()
    error: tuple[type[Exception], str] | None = None
    killed: bool = False


def run_all(
    jobs: Sequence[Job],
    seconds: float | None,
    memory_mib: int | None,
    *,
    parallel: int = 1,
    interrupted: threading.Event | None = None,
    on_event: Callable[[Job, Event], None] | None = None,
    enough: Callable[[Job, BoundsSoFar], bool] = lambda job, known: False,
    incumbent: Cost | None = None,
) -> Iterator[tuple[int, Run]]:
    """Run jobs, `parallel` at a time, each under its own limits; gives each with its index when it has ended.

    `enough` says when what a job has told will do: then it is ended. When `interrupted` is set, what runs is ended
    and given with what it knows, and no more is started.
    """
    interrupted = interrupted or threading.Event()
    preload({job.engine for job in jobs})
    waiting = list(enumerate(jobs))[::-1]
    running: dict[int, Child] = {}
    try:
        while running or (waiting and not interrupted.is_set()):
            while waiting and len(running) < parallel and not interrupted.is_set():
                index, job = waiting.pop()
                running[index] = _start(job, seconds, memory_mib, incumbent, on_event)
            wait(list(running.values()))
            for index, child in list(running.items()):
                if child.ended:
                    del running[index]
                    yield index, _run(jobs[index], child)
                elif interrupted.is_set():
                    child.stop("interrupted")
                elif enough(jobs[index], child.known):
                    child.stop("enough is proven")
    finally:
        for child in running.values():
            child.kill()


def _start(
    job: Job,
    seconds: float | None,
    memory_mib: int | None,
    incumbent: Cost | None,
    on_event: Callable[[Job, Event], None] | None,
) -> Child:
    return Child(
        partial(_solve, job),
        seconds,
        memory_mib,
        parts=job.metric.count(",") + 1,
        warm_up=partial(_warm_up, job.engine, job.puzzle.family, job.metric),
        incumbent=incumbent,
        on_event=partial(on_event, job) if on_event else None,
    )


def _solve(job: Job, budget: Budget, progress: Progress) -> Outcome:
    return engines.solve(job.puzzle, job.engine, job.metric, budget, progress).outcome


def _warm_up(engine: str, family: str, metric: str) -> None:
    """Load (and compile, the first time ever) what the engine needs, outside of the time that is measured."""
    with contextlib.suppress(Exception):  # what goes wrong here goes wrong again in the run itself, and is told there
        engines.solve(load_text(f"format: 1\nfamily: {family}\n{TINY[family]}"), engine, metric)


def preload(names: set[str]) -> None:
    """Import what children that are forked can share."""
    modules = {"..engines.search.states.kernels"} if names - {"csp", "bird"} else set()
    if names & {"cp-sat", "auto"}:
        modules |= {"..engines.cp_sat.engine", "ortools.sat.python.cp_model_helper"}
    for module in modules:
        import_module(module, __package__)


def _run(job: Job, child: Child) -> Run:
    """What a child that has ended leaves. A plan is replayed here again, by the rules of its family."""
    outcome, replay, error = child.outcome(), None, child.error
    if outcome.plan is not None:
        try:
            replay = engines.replayed(job.puzzle, job.metric, outcome)
        except BudgeError as bad:
            error = type(bad), str(bad)
    return Run(
        job,
        outcome,
        replay,
        child.elapsed,
        child.peak / (1024 * 1024),
        tuple(child.known.history),
        error,
        child.result is None,
    )
