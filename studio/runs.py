"""The work that the studio has under way: each piece in a child process, seen by every tab, owned by none.

A run belongs to the server. A tab that is closed or loaded again finds it by its number; the same work asked for twice,
from one tab or two, is one run. When the server ends, its child processes end too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import BudgeError, UsageError
from ..models.late import late
from ..models.moves import Cost
from ..models.puzzle import Puzzle
from ..models.text import counted
from ..runtime.budget import ENGINE, Budget
from ..runtime.child_main import Work
from ..runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Preparing, Progress, Working
from ..views.progress import preparing
from ..workflows.comparison import Comparison, ComparisonListener, compare
from ..workflows.jobs import Background, Job, Solving
from ..workflows.rows import Asked, Conditions, Row, asked_of

if TYPE_CHECKING:
    from ..workflows.certifying import Certified


# The work of runs besides solving: functions that a child process calls with its budget.
#
# What they call is imported in that process: the studio starts without it, and a hint does not wait for the rest.


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDone(Event):
    """The event that a row of a comparison is finished."""

    row: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundReported(Event):
    """The engine of a cell has a better lower bound, proven `by` what it says, or a plan of a lower cost, `upper`."""

    cell: Asked
    lower: Cost | None = None
    upper: Cost | None = None
    by: str = ""


REPORTED = (RowDone, BoundReported)
"""The events of a comparison that belong to one of its cells."""


def exploring(puzzle: Puzzle, metric: str) -> Work:
    """Visit every reachable state; gives an `Answer`."""
    return partial(late(__package__, "..workflows.exploration:explore"), puzzle, metric)


@dataclass(frozen=True, slots=True)
class Fragment:
    """An answer as HTML. It is written where it was found out: to read it, solvers would have to be imported here."""

    html: str


def explain(puzzle: Puzzle, metric: str, budget: Budget, progress: Progress) -> Fragment:
    """Say why no plan is shorter, by the first component of the metric."""
    from ..views.reasons_html import fragment
    from ..workflows.why.find_reasons import why

    return Fragment(fragment(why(puzzle, metric.partition(",")[0], budget, progress)))


def explaining(puzzle: Puzzle, metric: str) -> Work:
    """The work of explaining; gives a `Fragment`."""
    return partial(explain, puzzle, metric)


def checking(puzzle: Puzzle, metric: str, plan: str | None, cost: Cost | str | None) -> Work:
    """Say what is proven of a claim: a plan as text, a cost (or `unsolvable`), or both; gives a `Verification`."""
    return partial(late(__package__, "..workflows.verification:verify"), puzzle, plan, cost, None, metric)


def solve_and_certify(folder: Path, puzzle: Puzzle, metric: str, budget: Budget, progress: Progress) -> Certified:
    """Solve, and write a certificate."""
    from ..workflows.certifying import NotCertified, certify
    from ..workflows.solving import solve

    solution = solve(puzzle, metric=metric, budget=budget, progress=progress, hard_limits=True)
    if not solution.status.proven:
        raise NotCertified(f"no certificate: {solution.bounds}, not proven ({solution.outcome.stopped_by})")
    return certify(solution, folder, budget)


def run_engines(
    puzzles: Sequence[Puzzle],
    engines: Sequence[str],
    seconds: float | None,
    memory: int | None,
    budget: Budget,
    progress: Progress,
) -> Comparison:
    """Run engines on puzzles and report bounds and rows. `seconds`, `memory`: the limits of each run."""
    best: dict[Asked, tuple[Cost | None, Cost | None]] = {}

    def on_row(row: Row) -> None:
        progress(RowDone(seconds=budget.elapsed, row=row))

    def on_event(job: Job, event: Event) -> None:
        cell = asked_of(job)
        low, high = best.get(cell, (None, None))
        match event:
            case LowerBound(lower_bound=bound, by=by) | LayerDone(lower_bound=bound, by=by):
                if bound is not None and (low is None or bound > low):
                    best[cell] = bound, high
                    progress(BoundReported(seconds=event.seconds, cell=cell, lower=bound, by=by))
            case PlanFound(cost=cost) if high is None or cost < high:
                best[cell] = low, cost
                progress(BoundReported(seconds=event.seconds, cell=cell, upper=cost))

    return compare(
        puzzles,
        engines,
        conditions=Conditions(time_limit=seconds, memory_limit=memory, command="budge studio"),
        listener=ComparisonListener(
            on_row=on_row, on_event=on_event, on_prepare=progress, interrupted=budget.interrupted
        ),
    )


MOST_KEPT = 60
"""The most runs that are kept after their end; older ones are forgotten."""

MOST_EVENTS = 2000
"""The most events that are kept of a run: its bounds, layers and cells."""


@dataclass(eq=False)
class StudioRun:
    """A piece of work and the events that it has reported. `revision` grows with everything that changes.

    `topic`: whose work it is, as `solve draft:3`; `kind`: what is done, as `explore`; `name`: what to call it, as
    `cp-sat`; `asked`: what makes it the same work when it is asked for again.
    """

    number: int
    topic: str
    kind: str
    name: str
    asked: tuple[Any, ...]
    puzzle: Puzzle
    metric: str
    work: Background
    events: list[Event] = field(default_factory=list)
    doing: str = ""
    share: float | None = None
    answer: Any = None
    error: BudgeError | RuntimeError | None = None
    over: bool = False
    stopping: bool = False
    revision: int = 0
    thread: threading.Thread | None = None
    _waits: float = field(default_factory=time.monotonic)
    _ended: float | None = None

    @property
    def prepares(self) -> bool:
        """Whether the run still loads or compiles code; its clock has not started then."""
        return not self.over and (self.share is not None or self.work.elapsed == 0)

    @property
    def clock(self) -> float:
        """Seconds of work so far; while code is loaded or compiled, and if no work came after that, those seconds."""
        if self.prepares or not self.work.elapsed:
            return (self._ended or time.monotonic()) - self._waits
        return self.work.elapsed

    @property
    def state(self) -> str:
        """In a word or two: `preparing`, `running`, `stopping`, `done`, `time limit`, `interrupted`, `failed`, ..."""
        if self.over:
            return "failed" if self.error else self.work.ended or "done"
        if self.stopping:
            return "stopping"
        return "preparing" if self.prepares else "running"

    @property
    def bounds(self) -> tuple[Cost | None, Cost | None]:
        """The best bounds so far: the lower bound, and the cost of the best plan."""
        return self.work.known.lower_bound, self.work.known.upper_bound

    def stop(self) -> None:
        """Ask the run to end with the result that it has."""
        self.stopping = True
        self.revision += 1
        self.work.stop()

    def _hear(self, event: Event) -> None:
        match event:
            case Working(text=text, count=count, of=of):
                self.doing = ", ".join(filter(None, [text, f"{count:,} {of}" if of else ""]))
            case Note(text=text):
                self.doing = text
            case Preparing(done=done):
                if self.share is None and self.work.elapsed > 0:
                    self._waits = time.monotonic()
                self.share = None if done else 0.0
                self.doing = "" if done else preparing(event)
            case LowerBound() | PlanFound() | LayerDone():
                self.share = None
                if len(self.events) < MOST_EVENTS:
                    self.events.append(event)
            case RowDone():  # the row has the history of its bounds
                self.events = [earlier for earlier in self.events if not isinstance(earlier, BoundReported)] + [event]
            case _:
                self.events.append(event)
        self.revision += 1

    def follow(self) -> None:
        """Take in its events until it ends (in a thread of its own)."""
        try:
            for event in self.work:
                self._hear(event)
            self.answer = self.work.solution if isinstance(self.work, Solving) else self.work.result
        except (BudgeError, RuntimeError) as error:
            self.error = error
        finally:
            self.share = None
            self._ended = time.monotonic()
            self.over = True
            self.revision += 1


class Runs:
    """All runs of the studio. `most`: how many may work at the same time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._all: dict[int, StudioRun] = {}
        self._lock = threading.Lock()
        self._last = 0

    def start(
        self,
        topic: str,
        kind: str,
        name: str,
        asked: tuple[Any, ...],
        puzzle: Puzzle,
        metric: str,
        begin: Callable[[], Background],
    ) -> StudioRun:
        """The run of some work: the one that is under way, if the same was asked for before, else a new one.

        Raises `UsageError` if too many are under way, and what `begin` raises.
        """
        with self._lock:
            going = [run for run in self._all.values() if not run.over]
            for run in going:
                if run.topic == topic and run.asked == asked and not run.stopping:
                    return run
            if len(going) >= self.most:
                raise UsageError(f"{counted(len(going), 'run')} at once are enough for this machine; stop one first")
            self._last += 1
            run = StudioRun(self._last, topic, kind, name, asked, puzzle, metric, begin())
            self._all[run.number] = run
            self._forget()
        run.thread = threading.Thread(target=run.follow, daemon=True, name=f"run {run.number}")
        run.thread.start()
        return run

    def all(self) -> list[StudioRun]:
        """All runs, the oldest first."""
        with self._lock:
            return list(self._all.values())

    def get(self, number: int) -> StudioRun:
        """A run by its number. Raises `UsageError` for one that is not kept any more."""
        with self._lock:
            if number not in self._all:
                raise UsageError(f"there is no run {number} any more; start it again")
            return self._all[number]

    def of(self, topic: str) -> list[StudioRun]:
        """The runs of a topic, the oldest first."""
        with self._lock:
            return [run for run in self._all.values() if run.topic == topic]

    def clear(self, topic: str) -> None:
        """Forget the runs of a topic that have ended."""
        with self._lock:
            self._all = {n: run for n, run in self._all.items() if run.topic != topic or not run.over}

    def close(self) -> None:
        """Stop all runs, and wait until their processes have ended."""
        with self._lock:
            runs = [run for run in self._all.values() if not run.over]
        for run in runs:
            run.stop()
        for run in runs:
            if run.thread is not None:
                run.thread.join(ENGINE + 1)

    def _forget(self) -> None:
        over = [number for number, run in self._all.items() if run.over]
        for number in over[: max(0, len(over) - MOST_KEPT)]:
            del self._all[number]
