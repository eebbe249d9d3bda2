"""Breadth-first search: the states in layers of equal cost; uniform-cost search where costs differ.

Breadth-first search proves by exhaustion: when layer d has been expanded and no goal met, no plan of d + 1 or
fewer operators exists; when no new state is left, no plan exists at all. Where operators cost differently
(walking is paid for, or a metric has two components), states are expanded in the order of their cost
(Dijkstra, *A note on two problems in connexion with graphs*, 1959).
"""

from __future__ import annotations

import time

from ..models.explicit import with_explicit_walker
from ..models.plan import Plan
from ..models.task import Task
from ..outcome import Budget, Outcome, Progress, Status, silent, stopped_outcome

QUOTA = 200_000
"""States expanded between two looks at the clock."""

Stats = dict[str, int | float | str]


def breadth_first(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task. The outcome's bounds are proven by exhausting layers; memory is within the budget."""
    if task.unsolvable_because:
        return Outcome(Status.UNSOLVABLE, lower_bound_by=task.unsolvable_because)
    zero = (0,) * len(task.metric)
    if task.holds(task.init):
        return Outcome(Status.OPTIMAL, Plan(()), zero, "the initial state is a goal", zero, stats={"states": 1})
    if not task.operators:
        return Outcome(Status.UNSOLVABLE, lower_bound_by="there are no operators", stats={"states": 1})
    if not task.uniform:
        task = with_explicit_walker(task)
    if task.uniform:
        return _layers(task, budget, progress)
    from .uniform_cost import uniform_cost

    return uniform_cost(task, budget, progress)


def _layers(task: Task, budget: Budget, progress: Progress) -> Outcome:
    from .kernels import expand, expand_carries
    from .packed import pack
    from .plans import plan_to
    from .store import StateStore

    began = time.monotonic()
    packed = pack(task)
    step = expand_carries if task.carries else expand
    store = StateStore(packed)
    encoded = time.monotonic()
    depth, cursor, end = 0, 0, 1
    stats: Stats = {"states": 1, "expanded": 0, "layers": 0}
    while True:
        store.count, cursor, goal = step(
            packed, store.states, store.parent, store.via, store.table, store.count, cursor, end, QUOTA
        )
        stats.update(states=store.count, expanded=cursor, layers=depth)
        encode, solve = encoded - began, time.monotonic() - encoded
        if goal >= 0:
            cost = (depth + 1,)
            plan = plan_to(task, store, goal)
            by = f"breadth-first search: no goal within {depth} {task.metric[0]}"
            return Outcome(
                Status.OPTIMAL, plan, cost, by, cost, encode_seconds=encode, solve_seconds=solve, stats=stats
            )
        if cursor == end:
            if store.count == end:
                by = f"breadth-first search: none of the {store.count:,} reachable states is a goal"
                return Outcome(
                    Status.UNSOLVABLE,
                    lower_bound_by=by,
                    encode_seconds=encode,
                    solve_seconds=solve,
                    stats=stats,
                )
            depth, end = depth + 1, store.count
            progress({"type": "layer", "depth": depth, "states": store.count, "seconds": budget.elapsed})
        reason = budget.stopped()
        needs_room = store.count + len(packed.pre) > len(store.states)
        if not reason and needs_room and not store.grow(budget):
            reason = "memory limit"
        if reason:
            by = f"breadth-first search: no goal within {depth} {task.metric[0]}"
            return stopped_outcome(reason, (depth + 1,), by, stats, encode_seconds=encode, solve_seconds=solve)
