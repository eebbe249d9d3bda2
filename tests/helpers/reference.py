"""A search too simple to be wrong: the definition of a task's optimal cost, for tests to compare with."""

from __future__ import annotations

import heapq
from itertools import count

from budge.engines.common.plain_search import PlainSearch
from budge.models.moves import Cost
from budge.models.plan import apply
from budge.models.task import Operator, OperatorTask
from budge.runtime.budget import Budget
from budge.runtime.outcome import Recorder


def optimal(task: OperatorTask, max_states: int = 200_000) -> tuple[Cost, list[Operator]] | None:
    """The optimal cost and the operators of a plan of it, by plain search; None if the goal cannot be reached.

    Raises `OverflowError` beyond `max_states`.
    """
    search = PlainSearch(task, Recorder(Budget(None, None), parts=len(task.metric)), max_states)
    outcome = search.run()
    if outcome.stopped_by:
        raise OverflowError(outcome.stopped_by)
    if outcome.upper_bound is None or search.goal is None:
        return None
    return outcome.upper_bound, [op for step in search.steps_to(search.goal) for op in step]


def cheapest(task: OperatorTask) -> Cost:
    """The optimal cost of a task that has a plan."""
    found = optimal(task)
    assert found is not None
    return found[0]


def distances(task: OperatorTask) -> tuple[dict[frozenset[int], int], dict[frozenset[int], int]]:
    """Cost from the initial state and to the nearest goal, for every reachable state of a plain task."""
    start = frozenset(task.init)
    edges: dict[frozenset[int], list[tuple[frozenset[int], int]]] = {}
    backwards: dict[frozenset[int], list[tuple[frozenset[int], int]]] = {start: []}
    queue = [start]
    for state in queue:
        edges[state] = []
        for op in task.operators:
            if state.issuperset(op.pre):
                child = apply(state, op)
                if child not in backwards:
                    backwards[child] = []
                    queue.append(child)
                edges[state].append((child, op.cost[0]))
                backwards[child].append((state, op.cost[0]))
    return _dijkstra(edges, [start]), _dijkstra(backwards, [s for s in edges if task.holds(s)])


def _dijkstra(
    edges: dict[frozenset[int], list[tuple[frozenset[int], int]]], sources: list[frozenset[int]]
) -> dict[frozenset[int], int]:
    best = dict.fromkeys(sources, 0)
    tick = count()
    heap = [(0, next(tick), state) for state in sources]
    while heap:
        cost, _, state = heapq.heappop(heap)
        if cost > best[state]:
            continue
        for other, weight in edges[state]:
            if cost + weight < best.get(other, 10**9):
                best[other] = cost + weight
                heapq.heappush(heap, (cost + weight, next(tick), other))
    return best
