"""Compiled kernels of uniform-cost search: a binary heap over the states that wait to be expanded, and expanding them.

The cheapest state first (Dijkstra, *A note on two problems in connexion with graphs*, 1959). By definition the cost of
a state is the least sum of operators' costs over the paths of `models.plan.apply` that lead there;
`tests/engines/test_bfs.py` and `tests/engines/test_agreement.py` hold it against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from ...analysis.bitset_kernels import find, is_goal
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .forced_steps import follow_forced
from .state_arrays import Nodes
from .successors import Workspace, copy_row, successors

# A heap of n entries is in key[0:n] and item[0:n]: no entry is below the one at (place - 1) // 2 above it.
#
#     place       0            keys        3
#                1 2                      5 4         key  = 3 5 4 9 7
#               3 4                      9 7          item = the states that wait, by these keys


@njit(inner=True)
def push(key: Longs, item: Ints, size: int, new: int, index: int) -> None:
    """Put item `index` with key `new` into a heap of `size` entries."""
    place = size
    while place > 0:
        above = (place - 1) // 2
        if key[above] <= new:
            break
        key[place], item[place] = key[above], item[above]
        place = above
    key[place], item[place] = new, index


@njit(inner=True)
def pop(key: Longs, item: Ints, size: int) -> None:
    """Take the entry with the least key, at 0, out of a heap of `size` entries: the last one sinks from there."""
    last, index = key[size - 1], item[size - 1]
    size -= 1
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and key[below + 1] < key[below]:
            below += 1
        if key[below] >= last:
            break
        key[place], item[place] = key[below], item[below]
        place = below
    key[place], item[place] = last, index


@njit(cache=True)
def expand_cheapest(
    task: BitsetTask, nodes: Nodes, work: Workspace, count: int, waiting: int, quota: int
) -> tuple[int, int, int, int, int]:
    """Expand at most `quota` states, cheapest first; `count` states are met, `waiting` entries are in the heap.

    Returns (count, waiting, expanded, goal, bound): `goal` is the cheapest goal state or -1; `bound`, a lower bound on
    the cost of every plan: the cost of the goal or of the cheapest state that waits.
    """
    states, table, costs = nodes.states, nodes.table, nodes.cost
    expanded = 0
    while waiting > 0:
        # 1. The cheapest entry. A state has an entry for each cost that it was met at: only the last one counts.
        cost, index = long(nodes.heap_key[0]), long(nodes.heap[0])
        if cost > costs[index]:
            pop(nodes.heap_key, nodes.heap, waiting)
            waiting -= 1
            continue
        # 2. It stays in the heap if this is all for now: room, quota or the goal.
        if expanded >= quota or max(count, waiting) + task.most > len(states) or 2 * (count + task.most) > len(table):
            return count, waiting, expanded, -1, cost
        if is_goal(task, states[index]):
            return count, waiting, expanded, index, cost
        pop(nodes.heap_key, nodes.heap, waiting)
        waiting -= 1
        expanded += 1
        # 3. Its children, if they are new or cheaper than before. Of a single one, what is forced behind it.
        children = successors(task, states[index], work, -1)
        if children == 1 and task.cost[work.operators[0]] == 0 and follow_forced(task, work.rows[0]) < 0:
            continue
        for i in range(children):
            row = work.rows[i]
            total = cost + task.cost[work.operators[i]]
            slot = find(states, table, row)
            known = long(table[slot])
            if known >= 0 and costs[known] <= total:
                continue
            if known < 0:
                known = long(count)
                copy_row(states[count], row)
                table[slot] = count
                count += 1
            costs[known] = total
            nodes.parent[known] = index
            push(nodes.heap_key, nodes.heap, waiting, total, known)
            waiting += 1
    return count, 0, expanded, -1, 0
