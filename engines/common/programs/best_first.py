"""Best-first search over actions as programs: A*, or uniform-cost search where no projections are wanted."""

from __future__ import annotations

from ....models.cost import show_cost
from ....models.program import ProgramTask
from ....runtime.outcome import Outcome, Recorder
from ..pace import Pace

TIES = 12
"""Bits of the key of an open state in which its estimate stands."""

MOST_FOR_TIES = 1 << 31
"""Costs of actions up to here leave room for them: a plan of a million such actions costs less than 2^51."""


def best_first(task: ProgramTask, record: Recorder, name: str, *, projections: bool) -> Outcome:
    """Solve a task that is not trivial. When the least f of an open state is c, no plan costs less than c.

    `name`: of the search, in words. With `projections` a state's estimate comes from projections of the task
    (`analysis.projections`).
    """
    from ....analysis.bitset_task import cost_of_key
    from ....analysis.programs.tables import scratch_for
    from ....analysis.projections.build import no_projections, projections_of
    from ....runtime.by_address import laid_out
    from .kernels import estimate_of, expand_best_first
    from .store import ProgramStore

    budget, parts = record.budget, len(task.metric)
    store = ProgramStore(task, heap=True)
    scratch = laid_out(scratch_for(task, store.tables))
    found = projections_of(task, store.tables, budget) if projections and parts == 1 else no_projections()
    tables, bounds = laid_out(store.tables), laid_out(found.tables)
    record.stats.update(found.stats)
    # Costs of two components, or very large ones, leave no bits for the order of states of equal f.
    ties = TIES if parts == 1 and max(action.cost[0] for action in task.actions) < MOST_FOR_TIES else 0
    record.encoded()
    root = int(estimate_of(tables, scratch, bounds, store.laid_out, 0))
    if root < 0:
        return record.unsolvable(f"{found.words}: no goal can be reached")
    if root:
        record.raise_bound(root, "the heuristic value of the initial state")
    waiting, expanded, pace = 1, 0, Pace()
    while True:
        quota = pace.begin()
        store.count, waiting, done, goal, bound = expand_best_first(
            tables, scratch, bounds, store.laid_out, store.count, waiting, quota, ties
        )
        pace.end(done)
        expanded += done
        record.stats.update(states=store.count, expanded=expanded)
        cost = cost_of_key(int(bound), parts)
        proof = f"{name}{found.words and f' ({found.words})'}: every state below {show_cost(cost)} expanded"
        if goal >= 0:
            return record.optimal(store.plan_to(goal), cost, proof)
        if waiting == 0:
            return record.unsolvable(f"{name}: none of the {store.count:,} states that were met is a goal")
        record.raise_bound(cost, proof, states=store.count)
        record.working()
        reason = budget.stopped()
        full = max(store.count, waiting) + store.most > len(store.states)
        if not reason and full and not store.grow(budget):
            reason = "memory limit"
        if reason:
            return record.stopped(reason)
