"""The head start of plain search in the portfolio: it works in this process, and after a moment all others begin in a
child process beside it.

The others need a moment before they do anything: the library of kernels is loaded, and tables are filled.
Plain search needs nothing: in that time it solves a puzzle of some ten thousand states. So neither waits for
the other:

    seconds   this process                              the child
    0.0       plain search, alone
    0.1       plain search, which hears the child       breadth-first search for a moment,
    0.45      hears the child                           then all sides, in processes of their own

On a large task, one of many operators, the others need seconds for their tables. There plain search goes on for longer,
unless its layers show that the state space is large, too; and where actions are programs, whose searches have more to
load.

These are seconds of processor time: on a busy machine plain search does as much as on an idle one. What the child tells
is the portfolio's, as if its engines were here.

Of many puzzles in one process only the first that plain search does not solve in its moment alone is given to a child
so: the library is loaded here then, and breadth-first search takes the place of plain search (`kernels.loaded`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ...models.errors import DisagreementError
from ...models.moves import Cost, show_cost
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import OperatorTask
from ...runtime import budget as grace
from ...runtime import kernels
from ...runtime.budget import LOADING, Budget
from ...runtime.child_main import Orders, Work
from ...runtime.environment import cores
from ...runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Working
from ...runtime.outcome import Outcome, Recorder, Status
from ...runtime.processes import Child, start_method, wait
from ..common import root_bound
from ..engine import Engine

# The results that the engines of a portfolio share: the best plan, the highest bound, and whose they are.

# A search that would have to meet more states than this before the bound is reached is ended.
HOPELESS_STATES = 1e10


@dataclass(slots=True)
class Portfolio:
    """What the engines have achieved together on a task, of operators or programs.

    `plan_by` and `bound_by` are engines; `layers`: the last three layers of those that search in layers; `proven`: the
    last bound that each has proven.
    """

    task: Any
    record: Recorder
    plan_by: str = ""
    bound_by: str = ""
    unsolvable_by: str | None = None
    layers: dict[str, list[LayerDone]] = field(default_factory=dict)
    proven: dict[str, Cost] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        return self.record.budget

    @property
    def large(self) -> bool:
        """Whether the task has so many operators that analysing it takes seconds."""
        return isinstance(self.task, OperatorTask) and len(self.task.operators) > root_bound.LARGE_TASK

    def learn_bound(self, engine: str, bound: Cost, by: str) -> None:
        self.proven[engine] = max(bound, self.proven.get(engine, bound))
        if self.record.raise_bound(bound, by, engine=engine):
            self.bound_by = engine

    def learn_plan(self, engine: str, plan: Plan, cost: Cost) -> None:
        if self.record.found(plan, cost, engine=engine):
            self.plan_by = engine

    def hear(self, engine: str, event: Event) -> None:
        """Take over an event that an engine reports: a plan, a bound, a completed layer or a note."""
        if isinstance(event, LayerDone):
            self.layers[engine] = [*self.layers.get(engine, ())[-2:], event]
        match event:
            case LowerBound() | LayerDone() if event.lower_bound is not None:
                self.learn_bound(engine, event.lower_bound, event.by)
            case PlanFound():
                self.learn_plan(engine, event.plan, event.cost)
            case Note() | Working():
                self.record.progress(replace(event, seconds=self.record.elapsed))

    def learn(self, engine: str, outcome: Outcome) -> None:
        """Take over the plan and the bounds of an engine's outcome."""
        self._take(outcome, bound_by=engine, plan_by=engine)
        self.record.stats |= {f"{engine}_{key}": value for key, value in outcome.stats.items()}

    def learn_all(self, outcome: Outcome) -> None:
        """Take over the plan and the bounds of a portfolio in another process, and the names of the engines they are
        from.
        """
        stats = dict(outcome.stats)
        self._take(outcome, bound_by=str(stats.pop("bound_by", "")), plan_by=str(stats.pop("plan_by", "")))
        self.record.stats |= stats

    def _take(self, outcome: Outcome, *, bound_by: str, plan_by: str) -> None:
        if outcome.lower_bound is not None:
            self.learn_bound(bound_by, outcome.lower_bound, outcome.lower_bound_by)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.learn_plan(plan_by, outcome.plan, outcome.upper_bound)
        if outcome.status is Status.UNSOLVABLE:
            self.unsolvable_by, self.bound_by = outcome.lower_bound_by, bound_by

    def hopeless(self, engine: str, most_states: float = HOPELESS_STATES) -> bool:
        """Whether an engine that searches in layers would meet more than `most_states` before the proven bound is
        reached, if the layers went on growing as the last one did.

        S states after layer d, r times as many in it as in the one before, a bound L: S * r^(L - d) states. Nothing is
        said of layers which the engine knows from the moment that it had before.
        """
        layers, bound = self.layers.get(engine, ()), self.record.bounds.lower_bound
        if len(layers) < 3 or bound is None or layers[-1].depth + 1 < self.proven.get(engine, (0,))[0]:
            return False
        first, second, third = (layer.states for layer in layers)
        growth = (third - second) / max(1, second - first)
        left = bound[0] - layers[-1].depth
        return growth > 1 and left * math.log(growth) + math.log(third) > math.log(most_states)

    def forget_counts(self, engine: str) -> None:
        """An engine begins anew: what it counted before says nothing of what it will have proven.

        If it is killed, it has no counts: none are better than wrong ones.
        """
        kept = {key: value for key, value in self.record.stats.items() if not key.startswith(f"{engine}_")}
        self.record.stats = kept

    @property
    def solved(self) -> bool:
        """Whether the bounds have met. Raises `DisagreementError` if engines contradict each other."""
        known = self.record.bounds
        low, high = known.lower_bound, known.upper_bound
        if high is not None and (self.unsolvable_by is not None or (low is not None and low > high)):
            proof = known.lower_bound_by if self.unsolvable_by is None else self.unsolvable_by
            raise DisagreementError(
                f"{self.plan_by} has a plan of {show_cost(high)}, but {self.bound_by} proves otherwise: {proof}"
            )
        return self.unsolvable_by is not None or known.closed

    def outcome(self, reason: str | None) -> Outcome:
        who = (("plan_by", self.plan_by), ("bound_by", self.bound_by))
        self.record.stats |= {key: name for key, name in who if name}
        if self.unsolvable_by is not None:
            return self.record.unsolvable(self.unsolvable_by)
        return self.record.stopped(reason)


# Seconds between two looks at the engines, or at the child.
POLL = 0.05

# Seconds before the others begin. Half of the shipped puzzles are solved in less.
ALONE = 0.1

# The same where actions are programs: a snake of twelve takes 0.6 s by breadth-first search.
ALONE_ON_PROGRAMS = 0.05

# The same on large tasks: a ball sort of 2,152 states takes 0.3 s; the others take seconds.
ALONE_ON_LARGE_TASKS = 0.3

# Seconds after which plain search ends. When the others have loaded numba, they meet ten times as many states in a
# second.
TOGETHER = 0.45

# The same on large tasks. A ball sort of 5,120 operators and 2,152 states took 4 s, and plain search alone 0.5 s.
TOGETHER_ON_LARGE_TASKS = 2.0

# States beyond which plain search is given up on large tasks: those that its layers, growing on, would have at the
# proven bound.
MOST_STATES = 1e6


def possible() -> bool:
    """Whether a child can begin beside plain search: it is forked, and there is a core for it."""
    return cores() > 1 and start_method() == "fork"


def within(seconds: float) -> Callable[[], str | None]:
    """A function that gives "time limit" once this thread has used `seconds` of processor time from now on,
    else None.
    """
    end = time.thread_time() + seconds
    return lambda: "time limit" if time.thread_time() >= end else None


def solve_with_head_start(
    together: Portfolio, plain: Engine, others: Work, ready: Callable[[], bool], here: Callable[[], str | None]
) -> str | None:
    """Plain search, and after a moment the `others` beside it, whose outcome is a portfolio's, if they are `ready`;
    else they work `here` when its moment is over. Why it ended unsolved.
    """

    def tell(event: Event) -> None:
        if isinstance(event, LowerBound | LayerDone):
            together.hear(plain.name, event)

    beside = _Beside(together, plain, others, ready)
    try:
        together.learn(plain.name, plain.run(together.task, budget=beside.budget, progress=tell))
        if together.solved or (reason := together.record.budget.stopped()):
            return None if together.solved else reason
        return beside.rest() if beside.child or ready() else here()
    finally:
        if beside.child:
            beside.child.kill()


class _Beside:
    """The child beside plain search, and the budget of plain search, whose checks start the child and hear it."""

    def __init__(self, together: Portfolio, plain: Engine, others: Work, ready: Callable[[], bool]) -> None:
        self.whole = together.record.budget
        self.budget = self.whole.part(self.whole.remaining, self.over)
        self.together, self.plain, self.others, self.ready = together, plain, others, ready
        self.large = together.large
        self.child: Child | None = None
        self.began, self.asked = time.thread_time(), False
        self.programs = isinstance(together.task, ProgramTask)
        alone = ALONE_ON_PROGRAMS if self.programs else ALONE
        self.alone = ALONE_ON_LARGE_TASKS if self.large else alone
        self.seconds = max(self.alone, (plain.role and plain.role.seconds) or 0.0)

    def over(self) -> str | None:
        """Called again and again while plain search works: starts the child when its time has come, if it
        is ready, and reads its reports. Gives a reason for which plain search has to end, else None.
        """
        worked = time.thread_time() - self.began
        if not self.asked and worked >= self.alone:
            self.asked = True
            if self.ready():
                self.child = self.begun()
                longer = self.large or self.programs
                self.seconds = TOGETHER_ON_LARGE_TASKS if longer else TOGETHER
            else:
                self.seconds = max(self.seconds, kernels.patience(self.whole))
        if self.child:
            self.child.look()
            if self.together.solved or self.child.ended:
                return "the others have ended"
            if self.large and self.together.hopeless(self.plain.name, MOST_STATES):
                return "too many states"
        return "time limit" if worked >= self.seconds else None

    def begun(self) -> Child:
        """Start the child. It limits the memory of its own children itself: counted here, shared pages would count
        twice.
        """
        if kernels.ready():
            with self.whole.paused(LOADING):
                kernels.library()  # here: it is in all child processes then
        budget = self.whole
        orders = Orders(self.others, budget.seconds_left, budget.memory_mib, budget.incumbent)
        child = Child(orders, lambda event: self.together.hear(event.engine, event), grace.PORTFOLIO)
        child.memory_mib = None
        return child

    def rest(self) -> str | None:
        """Wait for the child, starting it if need be; gives the reason if it ended without a solution. Raises the
        exception that it raised.
        """
        child = self.child = self.child or self.begun()
        while not child.ended:
            with self.whole.paused(child.doing, child.loading):
                wait([child], POLL)
            if self.together.solved:
                return None
            if reason := self.whole.stopped():
                child.stop(reason)
        if child.error:
            raise child.error
        outcome = child.outcome()
        self.together.learn_all(outcome)
        return self.whole.stopped() or outcome.stopped_by
