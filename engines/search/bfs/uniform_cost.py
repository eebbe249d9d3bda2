"""Uniform-cost search over packed states, for operators of different costs."""

from __future__ import annotations

import time

from ....models.task import Task
from ....runtime.outcome import Budget, Outcome, Progress, Status, stopped_outcome
from ..states.pace import Pace


def uniform_cost(task: Task, budget: Budget, progress: Progress) -> Outcome:
    """Expand states in the order of their cost from the initial state. The task has no walker.

    When the cheapest state not yet expanded costs c, no plan costs less than c.
    """
    from ....analysis.bitset_task import cost_of_key, to_bitset_task
    from ....runtime.warmup import announce
    from ..states.cost_kernels import expand_cheapest
    from ..states.plans import plan_to
    from ..states.store import StateStore

    began = time.monotonic()
    packed, parts = to_bitset_task(task), len(task.metric)
    announce(progress, expand_cheapest)
    store = StateStore(packed, heap=True)
    encoded = time.monotonic()
    waiting, expanded, bound = 1, 0, 0
    stats: dict[str, int | float | str] = {"states": 1, "expanded": 0}
    pace = Pace()
    while True:
        quota = pace.begin()
        store.count, waiting, done, goal, bound = expand_cheapest(
            packed,
            store.states,
            store.parent,
            store.via,
            store.table,
            store.cost,
            store.heap_cost,
            store.heap,
            store.count,
            waiting,
            quota,
        )
        pace.end(done)
        expanded += done
        stats.update(states=store.count, expanded=expanded)
        encode, solve = encoded - began, time.monotonic() - encoded
        cost = cost_of_key(int(bound), parts)
        by = f"uniform-cost search: every state cheaper than {', '.join(map(str, cost))} expanded"
        if goal >= 0:
            plan = plan_to(task, store, goal)
            return Outcome(
                Status.OPTIMAL, plan, cost, by, cost, encode_seconds=encode, solve_seconds=solve, stats=stats
            )
        if waiting == 0:
            by = f"uniform-cost search: none of the {store.count:,} reachable states is a goal"
            return Outcome(
                Status.UNSOLVABLE, lower_bound_by=by, encode_seconds=encode, solve_seconds=solve, stats=stats
            )
        progress({"type": "bound", "lower_bound": cost, "by": by, "seconds": budget.elapsed, "states": store.count})
        reason = budget.stopped()
        full = max(store.count, waiting) + packed.most > len(store.states)
        if not reason and full and not store.grow(budget):
            reason = "memory limit"
        if reason:
            return stopped_outcome(reason, cost, by, stats, encode_seconds=encode, solve_seconds=solve)
