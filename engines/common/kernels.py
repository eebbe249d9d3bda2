"""Compiled kernel of breadth-first search over packed states, with a hash table of the states met.

It works on arrays that its caller grows; it returns when they are nearly full, when it has come to the end that the
caller gave (so that the caller can look at the clock), or when a goal is met. What it computes is defined by
`models.plan.apply` on sets of facts; `tests/engines/test_bfs.py` holds the two against each other.
"""

from __future__ import annotations

from ...analysis.bitset_kernels import find, is_goal
from ...analysis.bitset_task import BitsetTask
from ...runtime.kernel_cache import njit
from .state_arrays import Nodes
from .successors import Workspace, copy_row, successors


@njit(cache=True)
def expand(task: BitsetTask, nodes: Nodes, work: Workspace, count: int, cursor: int, end: int) -> tuple[int, int, int]:
    """Expand states[cursor:end] of `nodes`, in which `count` states are met, breadth-first.

    New states go to states[count:]; `parent` holds where they came from.
    Returns (count, cursor, goal): the goal state met first, or -1.
    """
    states, parent, table, rows = nodes.states, nodes.parent, nodes.table, work.rows
    while cursor < end:
        if count + task.most > len(states) or 2 * (count + task.most) > len(table):
            break
        for i in range(successors(task, states[cursor], work, -1)):
            row = rows[i]
            slot = find(states, table, row)
            if table[slot] >= 0:
                continue
            copy_row(states[count], row)
            parent[count] = cursor
            table[slot] = count
            count += 1
            if is_goal(task, row):
                return count, cursor, count - 1
        cursor += 1
    return count, cursor, -1
