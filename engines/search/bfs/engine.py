"""Breadth-first search: the states in layers of equal cost; uniform-cost search where costs differ.

Breadth-first search proves by exhaustion: when layer d has been expanded and no goal met, no plan of d + 1 or
fewer operators exists; when no new state is left, no plan exists at all. Where operators cost differently
(walking is paid for, or a metric has two components), states are expanded in the order of their cost
(Dijkstra, *A note on two problems in connexion with graphs*, 1959).
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from ....analysis.transforms.strips import with_explicit_walker
from ....models.plan import Plan
from ....models.task import Task
from ....runtime.outcome import Budget, Event, Outcome, Progress, Status, silent, stopped_outcome, trivial_outcome
from ..states.pace import Pace

Stats = dict[str, int | float | str]


def breadth_first(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task. The outcome's bounds are proven by exhausting layers; memory is within the budget."""
    if done := trivial_outcome(task, states=1):
        return done
    if not task.uniform:
        task = with_explicit_walker(task)
    if task.uniform:
        return _layers(task, budget, progress)
    from .uniform_cost import uniform_cost

    return uniform_cost(task, budget, progress)


def _layers(task: Task, budget: Budget, progress: Progress) -> Outcome:
    from .fdr_key import to_fdr_task

    began = time.monotonic()
    short = to_fdr_task(task)
    if short is None:
        return _long_layers(task, budget, progress)
    from ....runtime.warmup import announce
    from .fdr_store import FdrStore

    store = FdrStore(task, *short)
    announce(progress, store.expand)
    encoded = time.monotonic()
    depth = 0
    pace = Pace()
    while True:
        expanded = store.expanded
        goal = store.search(pace.begin())
        pace.end(store.expanded - expanded)
        for layer in range(depth + 1, len(store.layers)):
            progress(_layer(task, layer, store.layers[layer], budget))
        depth = len(store.layers) - 1
        found = _Found(depth, store.count, store.expanded, encoded - began, time.monotonic() - encoded)
        if goal >= 0:
            return found.optimal(task, Plan.of(store.plan_to(goal)))
        if store.exhausted:
            return found.unsolvable()
        reason = budget.stopped()
        if not reason and not store.grow(budget):
            reason = "memory limit"
        if reason:
            return found.stopped(task, reason)


def _no_goal_within(task: Task, depth: int) -> str:
    return f"breadth-first search: no goal within {depth} {task.metric[0]}"


def _layer(task: Task, depth: int, states: int, budget: Budget) -> Event:
    """The event that tells that all states of a depth are known, and none is a goal."""
    by = _no_goal_within(task, depth)
    seconds = budget.elapsed
    return {"type": "layer", "depth": depth, "states": states, "lower_bound": depth + 1, "by": by, "seconds": seconds}


@dataclass(frozen=True, slots=True)
class _Found:
    """How far the search has come: no goal within `depth` steps."""

    depth: int
    states: int
    expanded: int
    encode: float
    solve: float

    @property
    def stats(self) -> Stats:
        return {"states": self.states, "expanded": self.expanded, "layers": self.depth}

    def by(self, task: Task) -> str:
        return _no_goal_within(task, self.depth)

    def optimal(self, task: Task, plan: Plan) -> Outcome:
        cost = (self.depth + 1,)
        return Outcome(Status.OPTIMAL, plan, cost, self.by(task), cost, None, self.encode, self.solve, self.stats)

    def unsolvable(self) -> Outcome:
        by = f"breadth-first search: none of the {self.states:,} reachable states is a goal"
        return Outcome(Status.UNSOLVABLE, None, None, by, None, None, self.encode, self.solve, self.stats)

    def stopped(self, task: Task, reason: str) -> Outcome:
        return stopped_outcome(
            reason,
            (self.depth + 1,),
            self.by(task),
            self.stats,
            encode_seconds=self.encode,
            solve_seconds=self.solve,
        )


def _long_layers(task: Task, budget: Budget, progress: Progress) -> Outcome:
    """The same over states of any length, and for tasks that carry."""
    from ....analysis.bitset_task import to_bitset_task
    from ....runtime.warmup import announce
    from ..states.kernels import expand, expand_compound_moves
    from ..states.plans import plan_to
    from ..states.store import StateStore

    began = time.monotonic()
    packed = to_bitset_task(task)
    step = expand_compound_moves if task.compound_moves else expand
    announce(progress, step)
    store = StateStore(packed)
    encoded = time.monotonic()
    depth, cursor, end = 0, 0, 1
    pace = Pace()
    while True:
        cursor, goal = store.advance(step, packed, cursor, end, pace)
        found = _Found(depth, store.count, cursor, encoded - began, time.monotonic() - encoded)
        if goal >= 0:
            return found.optimal(task, plan_to(task, store, goal))
        if cursor == end:
            if store.count == end:
                return found.unsolvable()
            depth, end = depth + 1, store.count
            progress(_layer(task, depth, store.count, budget))
        reason = budget.stopped()
        if not reason and store.full(packed) and not store.grow(budget):
            reason = "memory limit"
        if reason:
            return _Found(depth, store.count, cursor, encoded - began, time.monotonic() - encoded).stopped(task, reason)
