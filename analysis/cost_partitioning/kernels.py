"""Saturated cost partitioning, compiled: distances in a projection, the costs that they need, and the sum for a state.

By definition h(s) is the least cost of a way from s to a goal in a projection (-1: none, here `NEVER`), and the
*saturated cost* of a label the most by which one of its transitions lowers h:

    max over its transitions s -> t of h(s) - h(t), at least 0

With saturated costs in place of the given ones h is the same, as no way has become shorter than h. What is left of the
costs is for the next projection, so no operator pays more than its cost in all of them together, and their distances
add up to a lower bound (Seipp, Keller and Helmert, *Saturated cost partitioning for optimal classical planning*, JAIR
2020). `tests/analysis/test_cost_partitioning.py` holds both against the definitions.
"""

from __future__ import annotations

from ...runtime.arrays import Ints, Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE, applies, apply
from ..bitset_task import BitsetTask
from ..index_heap import lower, take_least
from .projection import Projection
from .tables import PartitionedCosts

NEVER = 1 << 62
"""The distance of an abstract state from which no way leads to a goal."""


@njit(cache=True)
def saturate(graph: Projection, left: Longs, level: Longs, needed: Longs, heap: Ints, place: Ints) -> None:
    """Write to `level` (n) the distances under the costs that are `left` (N) of the operators, and take what they need,
    the saturated costs, off these. Scratch: `needed` (L) by label, `heap`, `place` (n).
    """
    states, labels = len(graph.first) - 1, len(graph.label_first) - 1
    # 1. A label costs what its cheapest operator does.
    for i in range(labels):
        cost = long(NEVER)
        for k in range(graph.label_first[i], graph.label_first[i + 1]):
            cost = min(cost, left[graph.operators[k]])
        needed[i] = cost
    # 2. Distances (Dijkstra, backward from all goals).
    for state in range(states):
        level[state], place[state] = NEVER, -1
    size = long(0)
    for i in range(len(graph.goals)):
        size = lower(level, heap, place, size, long(graph.goals[i]), long(0))
    while size > 0:
        target = take_least(level, heap, place, size)
        size -= 1
        for t in range(graph.first[target], graph.first[target + 1]):
            other = level[target] + needed[graph.label[t]]
            if other < level[graph.source[t]]:
                size = lower(level, heap, place, size, long(graph.source[t]), other)
    # 3. Saturated costs.
    for i in range(labels):
        needed[i] = 0
    for target in range(states):
        if level[target] == NEVER:
            continue
        for t in range(graph.first[target], graph.first[target + 1]):
            needed[graph.label[t]] = max(needed[graph.label[t]], level[graph.source[t]] - level[target])
    for i in range(labels):
        for k in range(graph.label_first[i], graph.label_first[i + 1]):
            left[graph.operators[k]] -= needed[i]


@njit(inner=True)
def look_up(tables: PartitionedCosts, row: Words) -> None:
    """Write to `tables.states` the abstract state of a state in each projection."""
    values, states = tables.values, tables.states
    for v in range(len(values)):
        values[v] = 0
    for w in range(len(row)):
        bits = row[w]
        while bits:
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(tables.fact_first[fact], tables.fact_first[fact + 1]):
                values[tables.variable[i]] = tables.value[i]
    for p in range(len(states)):
        number = long(0)
        for i in range(tables.first[p], tables.first[p + 1]):
            number += values[tables.variables[i]] * tables.strides[i]
        states[p] = number


@njit(inner=True)
def partitioned_value(tables: PartitionedCosts, row: Words) -> int:
    """The largest sum of distances of a state, over all orders; -1 for a dead end."""
    if len(tables.order_first) == 1:
        return long(0)
    look_up(tables, row)
    best = long(0)
    for order in range(len(tables.order_first) - 1):
        total = long(0)
        for i in range(tables.order_first[order], tables.order_first[order + 1]):
            distance = tables.distances[tables.offset[i] + tables.states[tables.projection[i]]]
            if distance == NEVER:
                return long(-1)
            total += distance
        best = max(best, total)
    return best


@njit(cache=True)
def abstract_states(tables: PartitionedCosts, row: Words) -> None:
    """The abstract state of each projection in a state; `look_up`, for callers in Python."""
    look_up(tables, row)


@njit(cache=True)
def partitioned_value_of(tables: PartitionedCosts, row: Words) -> int:
    """The lower bound of saturated costs in a state: `partitioned_value`, for callers in Python."""
    return partitioned_value(tables, row)


@njit(cache=True)
def random_walk(task: BitsetTask, row: Words, steps: int, chance: int) -> int:
    """Make at most `steps` steps by chance from a state, in place; gives the last pseudo-random number."""
    for _ in range(steps):
        chosen, count = long(-1), long(0)
        for w in range(task.words):
            bits = row[w] & task.watched[w]
            while bits:
                fact = (w << 6) + long(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = long(task.watch_ops[i])
                    if applies(task, op, row):
                        # The k-th operator found replaces the one chosen with probability 1/k.
                        count += 1
                        chance = (chance * 1103515245 + 12345) & 0x7FFFFFFF
                        if (chance >> 8) % count == 0:
                            chosen = op
        if chosen < 0:
            break
        apply(task, chosen, row, row)
    return chance
