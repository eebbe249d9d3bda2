"""Compiled kernel of uniform-cost search: a binary heap over the states that wait to be expanded."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....analysis.bitset_kernels import ONE, applies, apply, find, is_goal
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit


@njit(cache=True)
def push(heap_cost: Any, heap: Any, size: int, cost: int, index: int) -> None:
    """Put a state into a heap of `size` entries."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if heap_cost[above] <= cost:
            break
        heap_cost[place], heap[place] = heap_cost[above], heap[above]
        place = above
    heap_cost[place], heap[place] = cost, index


@njit(cache=True)
def pop(heap_cost: Any, heap: Any, size: int) -> None:
    """Take the cheapest entry, heap[0], out of a heap of `size` entries."""
    cost, index = heap_cost[size - 1], heap[size - 1]
    size -= 1
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and heap_cost[below + 1] < heap_cost[below]:
            below += 1
        if heap_cost[below] >= cost:
            break
        heap_cost[place], heap[place] = heap_cost[below], heap[below]
        place = below
    heap_cost[place], heap[place] = cost, index


@njit(cache=True)
def expand_cheapest(
    task: Any,
    states: Any,
    parent: Any,
    via: Any,
    table: Any,
    costs: Any,
    heap_cost: Any,
    heap: Any,
    count: int,
    waiting: int,
    quota: int,
) -> Any:
    """Expand at most `quota` states, cheapest first (Dijkstra's algorithm with outdated heap entries skipped).

    Returns a tuple (count, waiting, expanded, goal, bound): `goal` is the cheapest goal state or -1; `bound`, a lower
    bound on the cost of every plan: the cost of the goal or of the cheapest state that waits.
    """
    words = task.words
    row = np.empty(states.shape[1], np.uint64)
    known: Any
    expanded = 0
    while waiting > 0:
        cost, index = heap_cost[0], np.int64(heap[0])
        if cost > costs[index]:  # a cheaper way was found after this entry was made
            pop(heap_cost, heap, waiting)
            waiting -= 1
            continue
        if expanded >= quota or max(count, waiting) + task.most > len(states):
            return count, waiting, expanded, -1, cost
        if 2 * (count + task.most) > len(table):
            return count, waiting, expanded, -1, cost
        state = states[index]
        if is_goal(task, state):
            return count, waiting, expanded, index, cost
        pop(heap_cost, heap, waiting)
        waiting -= 1
        expanded += 1
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = task.watch_ops[i]
                    if not applies(task, op, state):
                        continue
                    apply(task, op, state, row)
                    total = cost + task.cost[op]
                    slot = find(states, table, row)
                    known = np.int64(table[slot])
                    if known >= 0 and costs[known] <= total:
                        continue
                    if known < 0:
                        known = count
                        states[count] = row
                        table[slot] = count
                        count += 1
                    costs[known] = total
                    parent[known] = index
                    via[known] = op
                    push(heap_cost, heap, waiting, total, known)
                    waiting += 1
    return count, 0, expanded, -1, 0
