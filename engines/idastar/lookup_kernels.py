"""Compiled kernel of iterative deepening over a task whose operators are looked up (`analysis.successor_table`).

A node costs a few loads, and nothing is remembered but the way. By definition a round visits every path of operators
whose cost plus heuristic is within the limit at each of its states; `tests/engines/test_idastar.py` holds its counts
against known ones, and its answers against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.pattern_databases import UNREACHED
from ...analysis.successor_table import SuccessorTable
from ...runtime.arrays import Bytes, Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .control import COST, DEPTH, DONE, EXPANDED, GOAL, LEAST, LIMIT, MORE, NEVER, NODES


class Deltas(NamedTuple):
    """What each operator does to the heuristic: N operators, P tables.

    `change` (N): its cost plus what it adds to the sum over single objects, `NEVER` if no goal is reachable after;
    `table` (N): the table whose index it changes, or -1; `step` (N): by how much. `values`: the tables.
    """

    cost: Longs
    change: Longs
    table: Ints
    step: Ints
    values: Bytes


class Way(NamedTuple):
    """The way to the current node, one entry a depth; and that node itself.

    `operator`: how it was reached; `branch`, `end`: the branches still to be tried; `total`: cost plus heuristic;
    `held`: the value of the table that the operator changed, before. Of the node, `value`: its variables;
    `position`, `entry`: where it stands in the tables, and what they say there.
    """

    operator: Ints
    branch: Ints
    end: Ints
    total: Longs
    held: Longs
    value: Ints
    position: Longs
    entry: Longs


@njit(cache=True)
def deepen_lookup(task: SuccessorTable, deltas: Deltas, way: Way, at: Longs, quota: int) -> int:
    """Go on with a round of iterative deepening, for about `quota` nodes (Korf, *Depth-first iterative-deepening*,
    *Artificial Intelligence* 27, 1985). The way has room for every depth within the limit.
    """
    # Invariant: `cost` is that of the operators of the way, way.total[depth] - cost is the heuristic of the current
    # node, and `value`, `position`, `entry` are those of that node: every descent is undone by step 1, whatever it
    # changed.
    limit, least, depth, cost = at[LIMIT], at[LEAST], at[DEPTH], at[COST]
    nodes, expanded = 0, 0
    changes = task.changed.shape[1]
    status = DONE
    while True:
        branch = way.branch[depth]
        if branch == way.end[depth]:
            # 1. No branch is left: back to the parent, undoing what the operator changed.
            if depth == 0:
                break
            op = long(way.operator[depth])
            for i in range(changes):
                way.value[task.changed[op, i]] = task.old[op, i]
            p = deltas.table[op]
            if p >= 0:
                way.position[p] -= deltas.step[op]
                way.entry[p] = way.held[depth]
            cost -= deltas.cost[op]
            depth -= 1
            continue
        if nodes >= quota:
            status = MORE
            break
        # 2. The operator of the next branch: what one variable's value says.
        way.branch[depth] = branch + 1
        # A branch is a variable and a table of operators by its value, -1 where none applies. Which branches there are
        # depends on the operator before: what may not follow it is in none.
        op = long(task.table[task.offset[branch] + way.value[task.variable[branch]]])
        if op < 0:
            continue
        nodes += 1
        # 3. Cost plus heuristic of the child: what single objects add, and the one table of which the index changes.
        total = way.total[depth] + deltas.change[op]
        p = deltas.table[op]
        entry = 0
        if p >= 0:
            entry = long(deltas.values[way.position[p] + deltas.step[op]])
            total = total + entry - way.entry[p] if entry != UNREACHED else NEVER
        if total > limit:
            least = min(least, total)
            continue
        # 4. Down to the child.
        depth += 1
        expanded += 1
        cost += deltas.cost[op]
        way.operator[depth] = op
        way.branch[depth] = task.first[op]
        way.end[depth] = task.first[op + 1]
        way.total[depth] = total
        if p >= 0:
            way.position[p] += deltas.step[op]
            way.held[depth] = way.entry[p]
            way.entry[p] = entry
        for i in range(changes):
            way.value[task.changed[op, i]] = task.new[op, i]
        # 5. A goal has heuristic 0, so only then the goal's facts are looked at.
        if total == cost:
            met = True
            for i in range(len(task.goal)):
                if way.value[task.goal[i, 0]] != task.goal[i, 1]:
                    met = False
                    break
            if met:
                status = GOAL
                break
    at[LEAST], at[DEPTH], at[COST] = least, depth, cost
    at[NODES] += nodes
    at[EXPANDED] += expanded
    return status
