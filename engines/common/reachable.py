"""The reachable states of a task: how many, how deep, how far from the goal; and the best steps from here.

`explore` stores every state that can be reached, breadth-first, then the edges between them, and measures the
distance of each state to the goal backward along the edges. Edges need not be reversible: from some states no way
may lead to the goal any more (Sokoban).

`hint` goes only as deep as the nearest goal, and backward through the layers to all first steps of shortest plans.

Both need tasks in which every step costs one. Where walking is free, the states that differ only in where
the walker stands within its region are one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from .difficulty import Graph, Hint, Space, space_of
from .stored_states import OperatorStates, StoredStates, distances
from .work_quota import WorkQuota


def _states_of(task: Task | ProgramTask, budget: Budget, progress: Progress) -> StoredStates:
    if isinstance(task, ProgramTask):
        from .programs.kernels import ProgramStates

        return ProgramStates(task, budget, progress)
    return OperatorStates(task, budget, progress)


def explore(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Space:
    """Visit every reachable state of a task in which every step costs one."""
    search = _states_of(task, budget, progress)
    depth = 0
    reason = None
    while len(search.ends) > depth and not reason:
        depth = len(search.ends)
        reason = search.next_layer()
    store = search.store
    unfinished = [store.count] if store.count > search.ends[-1] else []
    layers = tuple(np.diff([0, *search.ends, *unfinished]).tolist())
    at_goal = search.goals()
    if not reason:
        away, graph, reason = _distances(search, at_goal)
    if reason:
        return Space(store.count, layers, int(at_goal.sum()), reason)
    return space_of(search, at_goal, graph, away)


def _distances(search: StoredStates, at_goal: NDArray[np.bool_]) -> tuple[NDArray[np.int32], Graph, str | None]:
    """The distance of each state to the goal (-1: no way), and the graph; or the reason why a limit stopped it."""
    store, budget = search.store, search.budget
    held = store.states.nbytes + store.parent.nbytes + store.table.nbytes
    none = np.empty(0, np.int32)
    nothing = np.empty(0, np.int64), none
    first = np.zeros(store.count + 1, np.int64)
    reason = _link(search, first[1:], none)
    if reason:
        return none, nothing, reason
    np.cumsum(first, out=first)
    if not budget.fits(held + 2 * first.nbytes + 4 * int(first[-1]) + 8 * store.count):
        return none, nothing, "memory limit"
    # One more entry than there are edges: an empty array would mean to count them.
    sources = np.empty(int(first[-1]) + 1, np.int32)
    reason = _link(search, first[:-1].copy(), sources)
    if reason:
        return none, nothing, reason
    distance = np.where(at_goal, 0, -1).astype(np.int32)
    queue = np.empty(store.count, np.int32)
    head, tail = 0, int(at_goal.sum())
    queue[:tail] = np.flatnonzero(at_goal)
    pace = WorkQuota(most=10_000_000)
    while head < tail:
        reason = budget.stopped()
        if reason:
            return none, nothing, reason
        before, quota = head, pace.begin()
        head, tail = distances((first, sources), distance, queue, head, tail, quota)
        pace.end(head - before)
    return distance, (first, sources), None


def _link(search: StoredStates, place: NDArray[np.int64], sources: NDArray[np.int32]) -> str | None:
    store, pace = search.store, WorkQuota()
    start = 0
    while start < store.count:
        reason = search.budget.stopped()
        if reason:
            return reason
        end = min(start + pace.begin(), store.count)
        search.link((start, end), place, sources)
        pace.end(end - start)
        start = end
    return None


def hint(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Hint:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    if task.holds(task.init):
        return Hint(0, 0, (), 1)
    search = _states_of(task, budget, progress)
    store, ends = search.store, search.ends
    while True:
        depth = len(ends)
        reason = search.next_layer()
        if reason:
            return Hint(None, depth, (), store.count, reason)
        if len(ends) == depth:
            return Hint(None, depth, (), store.count)
        leads = np.zeros(store.count, np.bool_)
        leads[ends[-2] :] = search.goals(ends[-2])
        if leads.any():
            break
    pace = WorkQuota()
    for d in range(depth - 1, 0, -1):
        start = ends[d - 1]
        while start < ends[d]:
            reason = budget.stopped()
            if reason:
                return Hint(None, depth, (), store.count, reason)
            end = min(start + pace.begin(), ends[d])
            layer = ends[d], ends[d + 1]
            search.mark_leading((start, end), layer, leads)
            pace.end(end - start)
            start = end
    steps = tuple(search.plan_to(int(i) + 1) for i in np.flatnonzero(leads[1 : ends[1]]))
    return Hint(depth, depth, steps, store.count)
