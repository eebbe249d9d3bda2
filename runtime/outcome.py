"""How an engine ends: outcomes, and the recorder that makes them.

An engine feeds a `Recorder` with what it proves and finds. The recorder tells the events, keeps the best bounds and the
time, and makes the outcome when the engine is at its end. Nobody else makes outcomes, and a finished one is a value
that is never changed.

    record = Recorder(budget, progress)         encoding begins
    record.encoded()                            solving begins
    record.raise_bound((7,), "layer 6 has no goal")
    record.found(plan, (9,))
    return record.stopped("time limit")         feasible: 7 <= optimum <= 9
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ..models.errors import BudgeError
from ..models.moves import Cost
from ..models.plan import Plan
from ..models.task import Task
from .budget import Budget
from .events import DIED, Event, LayerDone, LowerBound, Note, PlanFound, Progress, Stage, Working, silent

INITIAL = "the heuristic value of the initial state"
"""The name, in words, of the proof of a heuristic search's first bound."""

SIGN_EVERY = 0.5
"""The least number of seconds between two signs of life of an engine."""


class Status(StrEnum):
    """How a run ended. It equals its word (`status == "optimal"`), as JSON has it; the sentence is for people."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    UNSOLVABLE = "unsolvable"
    UNKNOWN = "unknown"
    INTERRUPTED = "interrupted"
    UNSUPPORTED = "unsupported"
    ERROR = "error"

    @property
    def sentence(self) -> str:
        return {
            Status.OPTIMAL: "optimal: no cheaper plan exists",
            Status.FEASIBLE: "a plan, not proven shortest",
            Status.UNSOLVABLE: "unsolvable: proven that no plan exists",
            Status.UNKNOWN: "unknown: no plan found, none excluded beyond the bound",
            Status.INTERRUPTED: "interrupted",
            Status.UNSUPPORTED: "unsupported: the engine cannot do this puzzle in this metric",
            Status.ERROR: "an error stopped the engine",
        }[self]

    @property
    def proven(self) -> bool:
        """Whether the question is settled: the optimum is proven, or that no plan exists."""
        return self in (Status.OPTIMAL, Status.UNSOLVABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds of wall-clock time, in parts that follow each other: `total` is their sum.

    `ground`: from the puzzle to the task. `encode`: what an engine does before it searches (analysis, tables) and
    between (models). `solve`: the rest of its time, whatever threads and processes it lets work meanwhile. `other`: the
    replay of the plan, and what else is not the engine's.

    `prepare` is no part of the total: the compiling of an engine, which its first run ever has to wait for.
    """

    ground: float = 0.0
    encode: float = 0.0
    solve: float = 0.0
    other: float = 0.0
    prepare: float = 0.0

    @property
    def total(self) -> float:
        return self.ground + self.encode + self.solve + self.other


Count = int | float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an engine found and proved.

    Bounds are costs in the metric (one number a component). `lower_bound_by` says what proved the lower bound, in
    words; `stopped_by` why the engine gave up, if it did; `stage` what it was doing when it was ended from outside, as
    `grounding the puzzle`. `stats` are counts (states, conflicts, ...) as they really
    happened. Made by a `Recorder`.
    """

    status: Status
    plan: Plan | None = None
    lower_bound: Cost | None = None
    lower_bound_by: str = ""
    upper_bound: Cost | None = None
    stopped_by: str | None = None
    stage: str = ""
    times: Times = Times()
    stats: Mapping[str, Count] = field(default_factory=dict)

    def with_stats(self, **more: Count) -> Outcome:
        """The same outcome, with more counts."""
        return replace(self, stats={**self.stats, **more})


@dataclass(slots=True)
class BoundsSoFar:
    """What has been reported so far: the proven bound and its proof in words, the best plan, and their history.

    `history` holds (seconds, lower bound, cost of the best plan) whenever one of the two became better.
    """

    lower_bound: Cost | None = None
    lower_bound_by: str = ""
    plan: Plan | None = None
    upper_bound: Cost | None = None
    history: list[tuple[float, Cost | None, Cost | None]] = field(default_factory=list)

    def raise_bound(self, bound: Cost, by: str, seconds: float) -> bool:
        """Note a proven lower bound; returns whether it is better than the one before."""
        if self.lower_bound is not None and bound <= self.lower_bound:
            return False
        self.lower_bound, self.lower_bound_by = bound, by
        self.history.append((seconds, bound, self.upper_bound))
        return True

    def improve(self, plan: Plan | None, cost: Cost, seconds: float) -> bool:
        """Note a plan; returns whether it is cheaper than the one before."""
        if self.upper_bound is not None and cost >= self.upper_bound:
            return False
        self.plan, self.upper_bound = plan, cost
        self.history.append((seconds, self.lower_bound, cost))
        return True

    def hear(self, event: Event) -> None:
        """Note the bound or the plan of an event."""
        match event:
            case LowerBound() | LayerDone() if event.lower_bound is not None:
                self.raise_bound(event.lower_bound, event.by, event.seconds)
            case PlanFound():
                self.improve(event.plan, event.cost, event.seconds)

    def learn(self, outcome: Outcome, seconds: float) -> None:
        """Note the bound and the plan of an outcome."""
        if outcome.lower_bound is not None:
            self.raise_bound(outcome.lower_bound, outcome.lower_bound_by, seconds)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.improve(outcome.plan, outcome.upper_bound, seconds)

    @property
    def closed(self) -> bool:
        """Whether the best plan is proven to be one of the cheapest."""
        low, high = self.lower_bound, self.upper_bound
        return low is not None and high is not None and low >= high

    def outcome(self, reason: str | None, *, unpriced: Plan | None = None, stage: str = "") -> Outcome:
        """The outcome of an engine that ended with this for a reason; None if it came to its own end.

        `unpriced`: a plan whose cost is not known yet, where there is no other. `stage`: what it was doing, if it was
        ended from outside.
        """
        plan = unpriced if self.plan is None else self.plan
        if self.closed:
            status, reason = Status.OPTIMAL, None
        elif reason == "interrupted":
            status = Status.INTERRUPTED
        elif reason is not None and reason.startswith(DIED):
            status = Status.ERROR
        else:
            status = Status.UNKNOWN if plan is None else Status.FEASIBLE
        return Outcome(
            status=status,
            plan=plan,
            lower_bound=self.lower_bound,
            lower_bound_by=self.lower_bound_by,
            upper_bound=self.upper_bound,
            stopped_by=reason,
            stage=stage,
        )


class Clock:
    """The time of an engine in two parts: encoding, with which it begins, and solving."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._encode = 0.0
        self._since: float | None = self._began
        """The moment at which the current encoding began; None while solving."""
        self._prepare = 0.0

    def encoded(self) -> None:
        """Encoding ends, solving begins."""
        if self._since is not None:
            self._encode += time.monotonic() - self._since
            self._since = None

    @contextmanager
    def encoding(self) -> Iterator[None]:
        """Count the time within as encoding."""
        if self._since is not None:
            yield
            return
        self._since = time.monotonic()
        try:
            yield
        finally:
            self.encoded()

    def prepared(self, seconds: float) -> None:
        """Take seconds out of the count, because kernels were being prepared."""
        self._prepare += seconds
        self._began += seconds
        if self._since is not None:
            self._since += seconds

    def times(self) -> Times:
        """The times of both parts up to now, and the time of preparations."""
        now = time.monotonic()
        encode = self._encode + (0.0 if self._since is None else now - self._since)
        return Times(encode=encode, solve=now - self._began - encode, prepare=self._prepare)


class Recorder:
    """What an engine has proven, found and counted so far; tells the events and makes the outcome.

    `bounds` are the best ones, `stats` the counts, to be changed as the engine likes until it ends. `parts`: the
    components of the metric; a bound that is given as a number is one on the first. Bounds, plans and counts may come
    from several threads. `lower_bound`: what is known beforehand, which is no event; `by`: by what, or why there is
    none. `h_start`: the heuristic value of the initial state, in a search that has one.
    """

    def __init__(
        self,
        budget: Budget,
        progress: Progress = silent,
        *,
        parts: int = 1,
        lower_bound: Cost | None = None,
        by: str = "",
        **stats: Count,
    ) -> None:
        self.budget, self.progress, self.parts = budget, progress, parts
        self.bounds = BoundsSoFar(lower_bound, by)
        self.stats: dict[str, Count] = dict(stats)
        self.h_start: int | None = None
        self.clock = Clock()
        self.lock = threading.RLock()
        self._next_sign = 0.0

    @property
    def elapsed(self) -> float:
        return self.budget.elapsed

    def encoded(self) -> None:
        """Encoding ends, solving begins."""
        self.clock.encoded()
        self.progress(Stage(seconds=self.elapsed))

    def encoding(self) -> AbstractContextManager[None]:
        """Count the time within as encoding."""
        return self.clock.encoding()

    def prepared(self, seconds: float) -> None:
        """Take out seconds in which kernels were compiled: the budget's clock stood still, and they do not count as
        the engine's.
        """
        self.clock.prepared(seconds)

    def raise_bound(self, bound: int | Cost, by: str, *, engine: str = "", **counts: int | None) -> bool:
        """Note a proven lower bound and report it with counts, fields of `LowerBound`; returns whether it is better
        than the one before.
        """
        cost, seconds = self._cost(bound), self.elapsed
        with self.lock:
            if not self.bounds.raise_bound(cost, by, seconds):
                return False
            self.h_start = cost[0] if by == INITIAL else self.h_start
            self.progress(LowerBound(seconds=seconds, engine=engine, lower_bound=cost, by=by, **counts))
            return True

    def layer(self, depth: int, states: int, bound: int, by: str) -> None:
        """Report that a breadth-first search has visited a whole layer, and note the lower bound that follows."""
        cost, seconds = self._cost(bound), self.elapsed
        self.bounds.raise_bound(cost, by, seconds)
        self.progress(LayerDone(seconds=seconds, depth=depth, states=states, lower_bound=cost, by=by))

    def found(self, plan: Plan, cost: Cost, *, engine: str = "") -> bool:
        """Note a plan and offer it to the others; whether it is better than the one before.

        It is an event if it is the cheapest that anyone knows.
        """
        with self.lock:
            seconds = self.elapsed
            if not self.bounds.improve(plan, cost, seconds):
                return False
            best = self.budget.incumbent is None or cost < self.budget.incumbent
            self.budget.offer(plan, cost)
            if best:
                self.progress(PlanFound(seconds=seconds, engine=engine, plan=plan, cost=cost))
            return True

    def note(self, text: str) -> None:
        """Report a sentence for people on why nothing happens for a while."""
        self.progress(Note(seconds=self.elapsed, text=text))

    def working(self, doing: str = "", **counts: int) -> None:
        """A sign of life, if the last one is some time ago: engines call it in their loops. `counts`: those that are
        not yet in `stats`.
        """
        seconds = self.elapsed
        if seconds < self._next_sign:
            return
        self._next_sign = seconds + SIGN_EVERY
        figures = {**self.stats, **counts}
        of = next((name for name in ("states", "nodes", "conflicts") if figures.get(name)), "")
        self.progress(Working(seconds=seconds, text=doing, count=int(figures.get(of, 0)), of=of))

    def count(self, **more: int) -> None:
        """Add to counts."""
        with self.lock:
            for key, value in more.items():
                self.stats[key] = int(self.stats.get(key, 0)) + value

    # The ways to end

    def trivial(self, task: Task) -> Outcome | None:
        """The outcome of a task that needs no search, None otherwise."""
        if task.unsolvable_because:
            return self.unsolvable(task.unsolvable_because)
        if task.holds(task.init):
            return self.optimal(Plan(()), (0,) * len(task.metric), "the initial state is a goal")
        return None if task.choices else self.unsolvable("there are no operators")

    def optimal(self, plan: Plan | None, cost: Cost, by: str) -> Outcome:
        """The outcome if a plan of this cost is proven optimal. (`plan` is None if only the cost is known.)"""
        if not self.raise_bound(cost, by):
            self.bounds.lower_bound_by = by
        if plan is None:
            self.bounds.improve(None, cost, self.elapsed)
        else:
            self.found(plan, cost)
        return self.stopped(None)

    def unsolvable(self, by: str, reason: str | None = None) -> Outcome:
        """It is proven that there is no plan."""
        outcome = Outcome(status=Status.UNSOLVABLE, lower_bound_by=by, stopped_by=reason)
        return self._with_counts(outcome)

    def stopped(self, reason: str | None, *, unpriced: Plan | None = None) -> Outcome:
        """Optimal if the bounds have met; otherwise what is known is not the whole answer, for a reason.

        Without one, an engine that promises no optimum is done. `unpriced`: see `BoundsSoFar.outcome`.
        """
        return self._with_counts(self.bounds.outcome(reason, unpriced=unpriced))

    def _with_counts(self, outcome: Outcome) -> Outcome:
        with self.lock:
            start: dict[str, Count] = {} if self.h_start is None or self.parts > 1 else {"h_start": self.h_start}
            return replace(outcome, times=self.clock.times(), stats=self.stats | start)

    def _cost(self, bound: int | Cost) -> Cost:
        return (bound, *([0] * (self.parts - 1))) if isinstance(bound, int) else bound


# Work that a limit, Ctrl-C or a crash ended before it had an answer.


class StoppedError(BudgeError):
    """Work was ended before it had an answer. `reason`: "time limit", "interrupted", ...; `stage`: what it was at;
    `known`: what it had reported.
    """

    def __init__(self, reason: str, stage: str = "", known: BoundsSoFar | None = None) -> None:
        super().__init__(reason, stage, known)  # the arguments, so that it can be pickled
        self.reason, self.stage, self.known = reason, stage, known

    @property
    def died(self) -> bool:
        """Whether the process has died by itself: no limit and no signal ended it."""
        return self.reason.startswith(DIED)

    def __str__(self) -> str:
        because = f"stopped by the {self.reason}" if self.reason.endswith("limit") else self.reason
        return because + (f" while {self.stage}" if self.stage else "")

    def outcome(self) -> Outcome:
        """The outcome of an engine that was stopped, with the bounds and plan known then."""

        return (self.known or BoundsSoFar()).outcome(self.reason, stage=self.stage)
