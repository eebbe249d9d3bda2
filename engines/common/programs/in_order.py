"""Breadth-first search over actions as programs."""

from __future__ import annotations

from ....models.program import ProgramTask
from ....runtime.budget import Budget
from ....runtime.outcome import Outcome, Recorder
from ..work_quota import WorkQuota


def in_order(task: ProgramTask, record: Recorder) -> Outcome:
    """Solve a task in which every action costs one, and which is not trivial.

    When layer d is expanded and no goal met, no plan has d + 1 steps or fewer.
    """
    from ....analysis.program_machine import scratch_for
    from ....runtime.by_address import laid_out
    from .kernels import expand_in_order
    from .store import ProgramStore

    budget, store = record.budget, ProgramStore(task)
    tables, scratch = laid_out(store.tables), laid_out(scratch_for(task, store.tables))
    record.encoded()
    depth, cursor, end, pace = 0, 0, 1, WorkQuota()
    while True:
        before, most = cursor, min(end, cursor + pace.begin())
        store.count, cursor, goal = expand_in_order(tables, scratch, store.laid_out, store.count, cursor, most)
        pace.end(cursor - before)
        record.stats.update(states=store.count, expanded=cursor, layers=depth)
        if goal >= 0:
            return record.optimal(store.plan_to(goal), (depth + 1,), task.no_goal_within(depth))
        if cursor == end:
            if store.count == end:
                return record.unsolvable(f"breadth-first search: none of the {end:,} reachable states is a goal")
            depth, end = depth + 1, store.count
            record.layer(depth, end, depth + 1, task.no_goal_within(depth))
        record.working()
        reason = budget.stopped()
        if not reason and store.full and not store.grow(budget):
            reason = "memory limit"
        if reason:
            record.raise_bound(depth + 1, task.no_goal_within(depth))
            return record.stopped(reason)


def exhausted(task: ProgramTask, budget: Budget, most: int) -> int:
    """The number of reachable states, if there are not many more than `most` and none is a goal; else 0."""
    from ....analysis.program_machine import scratch_for
    from ....runtime.by_address import laid_out
    from .kernels import expand_in_order
    from .store import ProgramStore

    store = ProgramStore(task)
    tables, scratch, cursor, pace = laid_out(store.tables), laid_out(scratch_for(task, store.tables)), 0, WorkQuota()
    while store.count <= most:
        before, end = cursor, min(store.count, cursor + pace.begin())
        store.count, cursor, goal = expand_in_order(tables, scratch, store.laid_out, store.count, cursor, end)
        pace.end(cursor - before)
        if goal >= 0 or budget.stopped():
            return 0
        if cursor == store.count:
            return int(store.count)
        if store.full and not store.grow(budget):
            return 0
    return 0
