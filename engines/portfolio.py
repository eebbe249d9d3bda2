"""The engine `auto`: a portfolio of engines, side by side in processes of their own, that share what they learn.

A portfolio beats the choice of one solver where one cannot know beforehand which is the right one (Huberman, Lukose,
Hogg, *An economics approach to hard computational problems*, Science 275, 1997). Here search and CP-SAT complement
each other: search is quick where there are few states, CP-SAT where plans are short or tightly constrained.

First, breadth-first search gets a moment (`SLICE`) in this process: that solves a puzzle with up to some hundred
thousand states, and no process is started. Then three sides work in parallel: a search, the solver `cp-sat`, and
`greedy` for a quick plan. A side is a queue of engines: when one ends without a proof (out of memory, or it cannot do
this task), the next takes over. Which search comes first depends on what the task shows:

    one object takes part in every operator (the blank of an n-puzzle)  idastar, astar
    the goal has several clauses: an estimate can see far               astar, idastar
    other tasks: states are many and cheap                              bfs, idastar
    steps differ in cost                                                astar, bfs

Where the last operator says which few can follow, IDA* makes a hundred times as many nodes in a second as A*, and needs
no memory. Where one goal piece among many others decides all, an estimate saves little, and breadth-first search is
the quickest way through all states; `idastar` goes on in what memory is left.

Two cores are enough: the search has one, `cp-sat` about the other, and `greedy` runs at low priority, not for long. Its
plan gives an upper bound early, and an answer where nothing is proven in time.

All that any engine proves or finds counts at once: the best plan is told to the others as an upper bound, and when
the highest lower bound has met the cheapest plan, wherever the two came from, the task is solved and the rest is
ended. `stats` names who found the plan (`plan_by`) and who proved the bound (`bound_by`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module

from ..analysis.structure import structure_of
from ..models.cost import Cost, show_cost
from ..models.errors import DisagreementError
from ..models.plan import Plan
from ..models.task import Task
from ..runtime.outcome import Budget, Event, Outcome, Progress, Status, silent
from ..runtime.processes import MIB, BoundsSoFar, Child, as_cost, wait
from .table import ENGINES

SLICE, SHORT_SLICE = 0.5, 0.2
"""Seconds for which breadth-first search is tried before processes are started; the shorter where another search is
the first in line.
"""

QUICK = 20.0
"""Seconds that the search for a quick plan has at most."""

NICENESS = {"greedy": 10}
"""How much engines stand back behind the others where cores are few (nice(2))."""

GRACE = 0.4
"""Seconds in which an engine may end by itself when the time is over."""

SHARE = 0.95
"""The part of the memory limit that the engines may hold together; when they hold more, the largest is ended."""

MOST_MEMORY = {"idastar": 0.5}
"""The part of the memory limit that an engine may have which would fill all of it, but goes on with less."""

OPTIONS: dict[str, dict[str, object]] = {"cp-sat": {"strategy": "one-model", "workers": 1}}
"""How engines are run here. (Other strategies of `cp-sat` begin with `greedy`, which has a side of its own; the other
cores are busy.)"""

Queue = tuple[tuple[str, float | None], ...]
"""Engines to run one after the other, each with the seconds that it may have at most."""


def line_up(task: Task) -> tuple[Queue, ...]:
    """Which engines work side by side on a task, in queues."""
    if not task.uniform:
        search = ("astar", "bfs")
    elif not task.walker and structure_of(task).always_changed:
        search = ("idastar", "astar")
    elif len(task.goal) > 1:
        search = ("astar", "idastar")
    else:
        search = ("bfs", "idastar")
    return tuple((name, None) for name in search), (("cp-sat", None),), (("greedy", QUICK),)


@dataclass(slots=True)
class _Portfolio:
    """What the engines have achieved together. `plan_by` and `bound_by` are engines."""

    task: Task
    budget: Budget
    progress: Progress
    known: BoundsSoFar = field(default_factory=BoundsSoFar)
    plan_by: str = ""
    bound_by: str = ""
    unsolvable: Outcome | None = None
    stats: dict[str, int | float | str] = field(default_factory=dict)

    def learn_bound(self, engine: str, bound: Cost, by: str) -> None:
        if self.known.raise_bound(bound, by, self.budget.elapsed):
            self.bound_by = engine
            shown = bound if len(bound) > 1 else bound[0]
            seconds = self.budget.elapsed
            self.progress({"type": "bound", "lower_bound": shown, "by": by, "seconds": seconds, "engine": engine})

    def learn_plan(self, engine: str, plan: Plan, cost: Cost) -> None:
        if self.known.improve(plan, cost, self.budget.elapsed):
            self.plan_by = engine
            self.budget.offer(plan, cost)

    def learn(self, engine: str, outcome: Outcome) -> None:
        """Take over what an engine's outcome says."""
        if outcome.lower_bound is not None:
            self.learn_bound(engine, outcome.lower_bound, outcome.lower_bound_by)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.learn_plan(engine, outcome.plan, outcome.upper_bound)
        if outcome.status is Status.UNSOLVABLE:
            self.unsolvable, self.bound_by = outcome, engine
        self.stats |= {f"{engine}_{key}": value for key, value in outcome.stats.items()}

    @property
    def solved(self) -> bool:
        """Whether there is nothing left to prove. Raises `DisagreementError` if engines contradict each other."""
        low, high = self.known.lower_bound, self.known.upper_bound
        if high is not None and (self.unsolvable or (low is not None and low > high)):
            proof = self.unsolvable.lower_bound_by if self.unsolvable else self.known.lower_bound_by
            raise DisagreementError(
                f"{self.plan_by} has a plan of {show_cost(high)}, but {self.bound_by} proves otherwise: {proof}"
            )
        return self.unsolvable is not None or self.known.closed

    def outcome(self, reason: str | None, began: float) -> Outcome:
        stats = dict(self.stats)
        stats |= {key: name for key, name in (("plan_by", self.plan_by), ("bound_by", self.bound_by)) if name}
        result = self.unsolvable or self.known.outcome(None if self.known.closed else reason)
        return replace(result, encode_seconds=0.0, solve_seconds=time.monotonic() - began, stats=stats)


def auto(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task by several engines at once. Raises `DisagreementError` if they contradict each other."""
    began = time.monotonic()
    if task.unsolvable_because:
        return Outcome(Status.UNSOLVABLE, lower_bound_by=task.unsolvable_because)
    portfolio = _Portfolio(task, budget, progress)
    sides = line_up(task)
    portfolio.learn("bfs", _slice(task, budget, SLICE if sides[0][0][0] == "bfs" else SHORT_SLICE))
    reason = budget.stopped()
    if not reason and not portfolio.solved:
        reason = _side_by_side(portfolio, sides)
    return portfolio.outcome(reason, began)


def _slice(task: Task, budget: Budget, seconds: float) -> Outcome:
    """Breadth-first search for a short while, after its code has been loaded."""
    import_module(".search.states.kernels", __package__)
    short = Budget(min(seconds, budget.remaining), budget.memory_mib)
    short.interrupted = budget.interrupted
    return ENGINES["bfs"].solve(task, short, silent)


@dataclass(slots=True)
class _Side:
    """One of the queues: the engine that is working and those that wait."""

    queue: list[tuple[str, float | None]]
    engine: str = ""
    child: Child | None = None


def _side_by_side(portfolio: _Portfolio, queues: Sequence[Queue]) -> str | None:
    """Let the sides work until the task is solved; why they ended otherwise."""
    budget = portfolio.budget
    sides = [_Side(list(queue)) for queue in queues]
    reason: str | None = None
    gave_up = "no engine can do more"
    try:
        while not portfolio.solved:
            reason = reason or budget.stopped()
            for side in sides:
                if side.child is None and side.queue and not reason:
                    _start(portfolio, side)
                elif side.child and reason:
                    side.child.stop(reason)
            working = [side.child for side in sides if side.child]
            if not working:
                return reason or gave_up
            wait(working, 0.02 if reason else 0.05)
            _ease(working, budget)
            for side in sides:
                gave_up = _hear(portfolio, side) or gave_up
            for child in working:
                if portfolio.known.upper_bound is not None and not child.ended:
                    child.tell(portfolio.known.upper_bound)
        return None
    finally:
        for side in sides:
            if side.child:
                side.child.kill()


def _start(portfolio: _Portfolio, side: _Side) -> None:
    side.engine, most = side.queue.pop(0)
    budget = portfolio.budget
    seconds = None if budget.seconds is None else budget.remaining
    if most is not None:
        seconds = most if seconds is None else min(most, seconds)
    side.child = Child(
        partial(_solve, side.engine, portfolio.task),
        seconds,
        None if budget.memory_mib is None else int(budget.memory_mib * MOST_MEMORY.get(side.engine, 1)),
        parts=len(portfolio.task.metric),
        incumbent=portfolio.known.upper_bound,
        on_event=_bounds_to(portfolio, side.engine),
        grace=GRACE,
    )


def _solve(engine: str, task: Task, budget: Budget, progress: Progress) -> Outcome:
    if hasattr(os, "nice"):
        os.nice(NICENESS.get(engine, 0))
    return ENGINES[engine].solve(task, budget, progress)


def _bounds_to(portfolio: _Portfolio, engine: str) -> Callable[[Event], None]:
    def hear(event: Event) -> None:
        if event.get("lower_bound") is not None:
            bound = as_cost(event["lower_bound"], len(portfolio.task.metric))
            portfolio.learn_bound(engine, bound, event.get("by", ""))

    return hear


def _hear(portfolio: _Portfolio, side: _Side) -> str | None:
    """Take over what a side has told; why it ended, if its engine did."""
    child = side.child
    if child is None:
        return None
    if child.known.plan is not None and child.known.upper_bound is not None:
        portfolio.learn_plan(side.engine, child.known.plan, child.known.upper_bound)
    if not child.ended:
        return None
    side.child = None
    outcome = child.outcome()
    portfolio.learn(side.engine, outcome)
    if child.error is None:
        reason = outcome.stopped_by or (child.ended if child.ended != "done" else None)
        own = reason == "time limit" and not portfolio.budget.stopped()  # a limit of its own: the others go on
        return None if own else reason
    kind, message = child.error
    if not issubclass(kind, ImportError):
        portfolio.stats[f"{side.engine}_error"] = message
    return None


def _ease(working: list[Child], budget: Budget) -> None:
    """End the largest engine if all together hold more than they may."""
    if budget.memory_mib is None or sum(c.held for c in working if not c.ended) <= SHARE * budget.memory_mib * MIB:
        return
    max((c for c in working if not c.ended), key=lambda c: c.held).end("memory limit")
