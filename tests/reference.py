"""A search too simple to be wrong: the definition of a task's optimal cost, for tests to compare with."""

from __future__ import annotations

import heapq
from itertools import count

from budge.analysis.transforms.strips import to_strips
from budge.models.cost import Cost
from budge.models.plan import apply
from budge.models.task import Operator, Task


def optimal(task: Task, max_states: int = 200_000) -> tuple[Cost, list[Operator]] | None:
    """Uniform-cost search over sets of facts: (cost, operators), or None if the goal cannot be reached.

    Raises `OverflowError` beyond `max_states`.
    """
    task = to_strips(task)
    by_fact: dict[int, list[Operator]] = {}
    for op in task.operators:
        by_fact.setdefault(op.pre[0], []).append(op)
    start = frozenset(task.init)
    zero: Cost = (0,) * len(task.metric)
    best: dict[frozenset[int], Cost] = {start: zero}
    came: dict[frozenset[int], tuple[frozenset[int], Operator]] = {}
    tick = count()
    queue = [(zero, next(tick), start)]
    while queue:
        cost, _, state = heapq.heappop(queue)
        if cost > best[state]:
            continue
        if task.holds(state):
            plan = []
            while state in came:
                state, op = came[state]
                plan.append(op)
            return cost, plan[::-1]
        for fact in state:
            for op in by_fact.get(fact, ()):
                if state.issuperset(op.pre):
                    child = apply(task, state, op)
                    total = tuple(a + b for a, b in zip(cost, op.cost, strict=True))
                    if child not in best or total < best[child]:
                        best[child] = total
                        came[child] = (state, op)
                        heapq.heappush(queue, (total, next(tick), child))
                        if len(best) > max_states:
                            raise OverflowError(f"more than {max_states} states")
    return None


def cheapest(task: Task) -> Cost:
    """The optimal cost of a task that has a plan."""
    found = optimal(task)
    assert found is not None
    return found[0]


def distances(task: Task) -> tuple[dict[frozenset[int], int], dict[frozenset[int], int]]:
    """Cost from the initial state and to the nearest goal, for every reachable state of a plain task."""
    start = frozenset(task.init)
    edges: dict[frozenset[int], list[tuple[frozenset[int], int]]] = {}
    backwards: dict[frozenset[int], list[tuple[frozenset[int], int]]] = {start: []}
    queue = [start]
    for state in queue:
        edges[state] = []
        for op in task.operators:
            if state.issuperset(op.pre):
                child = apply(task, state, op)
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
