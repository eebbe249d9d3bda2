"""Uniform-cost search over packed states, for operators of different costs."""

from __future__ import annotations

from ...models.moves import show_cost
from ...models.task import Task
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import RootBound
from ..common.work_quota import WorkQuota


def uniform_cost(task: Task, record: Recorder, root: RootBound) -> Outcome:
    """Expand states in the order of their cost from the initial state. The task has no walker.

    When the cheapest state not yet expanded costs c, no plan costs less than c.
    """
    from ...analysis.bitset_task import cost_of_key, to_bitset_task
    from ...runtime.by_address import laid_out
    from ..common.cost_kernels import expand_cheapest
    from ..common.forced_steps import with_forced_steps
    from ..common.plans import plan_over
    from ..common.store import StateStore, way_to

    packed, parts = to_bitset_task(task), len(task.metric)
    store = StateStore(packed, heap=True)
    record.encoded()
    tables = laid_out(packed)
    waiting, expanded, bound = 1, 0, 0
    pace = WorkQuota()
    while True:
        quota = pace.begin()
        store.count, waiting, done, goal, bound = expand_cheapest(tables, *store.arrays, store.count, waiting, quota)
        pace.end(done)
        expanded += done
        record.stats.update(states=store.count, expanded=expanded)
        cost = cost_of_key(int(bound), parts)
        by = f"uniform-cost search: every state cheaper than {show_cost(cost)} expanded"
        if goal >= 0:
            way = with_forced_steps(task, packed, store.states[way_to(store.parent, goal)])
            return record.optimal(plan_over(task, way)[0], cost, by)
        if waiting == 0:
            return record.unsolvable(f"uniform-cost search: none of the {store.count:,} reachable states is a goal")
        record.raise_bound(cost, by, states=store.count)
        record.working()
        root.look()
        reason = record.budget.stopped()
        full = max(store.count, waiting) + packed.most > len(store.states)
        if not reason and full and not store.grow(record.budget):
            reason = "memory limit"
        if reason:
            return record.stopped(reason)
