"""Runs of engines on puzzles, each in a process of its own: one after the other, several side by side, or while someone
watches the events of one.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import TracebackType
from typing import Any, Self

from ..engines.engine import Engine
from ..engines.table import find
from ..models.errors import BudgeError, FaultError
from ..models.families import families, load_text
from ..models.moves import Cost
from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..runtime import budget as waits
from ..runtime.budget import MIB, Budget
from ..runtime.child_main import Orders, Work
from ..runtime.events import Event, Progress, silent
from ..runtime.outcome import BoundsSoFar, Outcome, Status, Times
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


# Work while someone watches: it goes on in its process while the reader does something else, limits hold, and it can be
# stopped at any time.


class Background(Iterator[Event]):
    """A piece of work in a child process: its events as they come; `result` when it has ended.

    To stop it, `stop` and read on, or `close` it, leave its `with` block, or forget it.
    """

    def __init__(self, work: Work, budget: Budget, warm_up: Callable[[], None] | None = None) -> None:
        """Start the child process. It calls `warm_up` first, and the budget's clock starts after that."""
        self._events: deque[Event] = deque()
        orders = Orders(work, budget.seconds, budget.memory_mib, warm_up=warm_up)
        self._child = Child(orders, self._events.append)
        weakref.finalize(self, self._child.kill)

    def __next__(self) -> Event:
        """The next event; waits for it. Raises what the work raised."""
        while not self._events and not self._child.ended:
            self._wait()
        if self._events:
            return self._events.popleft()
        self._raise_failure()
        raise StopIteration

    @property
    def result(self) -> Any:
        """What the work has returned, None if it was ended before; waits for it. Events that nobody has read yet can
        still be read. Raises what the work raised.
        """
        while not self._child.ended:
            self._wait()
        self._raise_failure()
        return self._child.result

    @property
    def known(self) -> BoundsSoFar:
        """The bounds and the best plan that a run has reported so far."""
        return self._child.known

    @property
    def ended(self) -> str | None:
        """How the work ended, as in `Child`: "done", "failed", "time limit", ...; None while it goes on."""
        return self._child.ended

    @property
    def elapsed(self) -> float:
        """Seconds of work so far, or altogether, without the loading and compiling of code."""
        return self._child.elapsed

    def stop(self) -> None:
        """Ask it to end with what it has; the events that it still sends can be read."""
        self._child.stop("interrupted")

    def close(self) -> None:
        """Stop it, if it still works, and drop the events that nobody has read."""
        self.stop()
        while not self._child.ended:
            self._wait()
        self._events.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _wait(self) -> None:
        """Wait a short time for the child. Ctrl-C stops the child too."""
        try:
            wait([self._child])
        except KeyboardInterrupt:
            self._child.stop("interrupted")
            raise

    def _raise_failure(self) -> None:
        if failure := self._child.report().failure:
            raise failure


class Solving(Background):
    """A run of an engine: its events as they come; `solution` when they are all read.

    To stop it, `close` it, leave its `with` block, or forget it; what it knew by then is its solution.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        engine: str | Engine,
        metric: str | None,
        budget: Budget,
        options: dict[str, Any],
        *,
        warm_up: bool = True,
    ) -> None:
        """Begin. Raises `UsageError` for an unknown engine, metric or option.

        `warm_up`: load all of the engine's compiled code before the clock starts, a second or two; without, what the
        puzzle needs is loaded when it is needed, within the time limit.
        """
        self.puzzle = puzzle
        self._engine = engine if isinstance(engine, Engine) else find(engine)
        self._metric = solving.metric_of(puzzle, metric)
        self._solution: solving.Solution | None = None
        work = partial(_solve, puzzle, self._engine, self._metric, tuple(self._engine.checked(options).items()))
        super().__init__(work, budget, self._engine.load if warm_up else None)

    def __repr__(self) -> str:
        state = repr(self._solution) if self._solution else "at work"
        return f"Solving({self.puzzle!r}, {self._engine.name}, {state})"

    @property
    def solution(self) -> solving.Solution:
        """The answer; waits for it. Events that nobody has read yet can still be read. Raises what the engine raised,
        `FaultError` if its process died, and `ReplayError` if the plan does not replay.
        """
        while not self._child.ended:
            self._wait()
        if self._child.error:
            self._raise_failure()
        if self._solution is None:
            outcome = self._child.outcome()
            if self._child.result is None:  # it was ended, and could not say what took its time
                outcome = replace(outcome, times=Times(other=self._child.elapsed))
            replay = solving.replayed(self.puzzle, self._metric, outcome)
            self._solution = solving.Solution(self.puzzle, self._engine.name, self._metric, outcome, replay)
        if self._solution.status is Status.ERROR:
            raise solving.fault_of(self._solution)
        return self._solution
