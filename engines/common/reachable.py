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

from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.arrays import Flags, Ints
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import StoppedError
from .difficulty import Graph, Hint, Space, space_of
from .stored_states import StoredStates, distances
from .work_quota import WorkQuota

# Edges that are looked at together on the way back from the goal.
MOST_EDGES = 1 << 20


def explore(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Space:
    """Visit every reachable state of a task in which every step costs one."""
    search = StoredStates(task, budget, progress)
    store, ends, depth = search.store, search.ends, 0
    try:
        while len(ends) > depth:
            depth = len(ends)
            search.stop(search.next_layer())
        at_goal, graph = search.goals(), search.incoming()
        return space_of(search, at_goal, graph, _distances(search, at_goal, graph))
    except StoppedError as stop:
        unfinished = [store.count] if store.count > ends[-1] else []
        layers = tuple(np.diff([0, *ends, *unfinished]).tolist())
        return Space(store.count, layers, int(search.goals().sum()), stop.reason)


def _distances(search: StoredStates, at_goal: Flags, graph: Graph) -> Ints:
    """The distance of each state to the goal, -1 where no way leads to one. Raises `StoppedError` at a limit."""
    distance = np.where(at_goal, 0, -1).astype(np.int32)
    queue = np.empty(search.store.count, np.int32)
    head, tail = 0, int(at_goal.sum())
    queue[:tail] = np.flatnonzero(at_goal)
    pace = WorkQuota(most=10_000_000)
    while head < tail:
        search.stop(search.budget.stopped())
        before, quota = head, pace.begin()
        head, tail = distances(graph, distance, queue, head, tail, quota)
        pace.end(head - before)
    return distance


def hint(task: Task | ProgramTask, budget: Budget, progress: Progress = silent) -> Hint:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    if task.holds(task.init):
        return Hint(0, 0, (), 1)
    search = StoredStates(task, budget, progress)
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
    # Backward through the layers: a state leads on if an edge goes from it to one of the next layer that does.
    pace, most = WorkQuota(), max(1, MOST_EDGES // store.most)
    targets, no_steps = np.empty(store.most * min(most, store.count), np.int32), np.empty(0, np.int32)
    for d in range(depth - 1, 0, -1):
        start = ends[d - 1]
        while start < ends[d]:
            reason = budget.stopped()
            if reason:
                return Hint(None, depth, (), store.count, reason)
            end = min(start + min(pace.begin(), most), ends[d])
            first = np.zeros(end - start + 1, np.int64)
            search.leave((start, end), first, targets, no_steps)
            sources, there = np.repeat(np.arange(start, end), np.diff(first)), targets[: first[-1]]
            leads[sources[leads[there] & (there >= ends[d])]] = True
            pace.end(end - start)
            start = end
    steps = tuple(search.plan_to(int(i) + 1) for i in np.flatnonzero(leads[1 : ends[1]]))
    return Hint(depth, depth, steps, store.count)
