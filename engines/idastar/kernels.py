"""Compiled kernels of iterative deepening over packed states with a transposition table, in portions.

Depth-first, with an explicit stack, below one limit; a caller can stop after each portion. By definition a round visits
every state to which some path leads whose cost plus heuristic is within the limit at each of its states;
`tests/engines/test_idastar.py` holds the answers against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import is_goal
from ...analysis.bitset_task import BitsetTask
from ...analysis.pattern_databases import Patterns, patterns_value
from ...runtime.arrays import Flags, Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..common.successors import Workspace, copy_row, successors
from .control import COST, DEPTH, DONE, EXPANDED, GOAL, HITS, LEAST, LIMIT, MORE, NEVER, NODES, ROOM, ROUND, TABLE, TOP
from .transposition import TranspositionTable, known, remember, slot_of


class OpenStack(NamedTuple):
    """The open nodes, a stack: states, costs, operators that led to them, depths; and the path to the node expanded
    last: states by depth.

        stack   a  b  b'  c        nodes of one depth stand together, the next one to be expanded on top;
        depth   1  2  2   3        the path is the initial state, then one state for each depth
    """

    rows: Words
    cost: Longs
    operator: Ints
    depth: Ints
    path: Words


def open_nodes(row: int, size: int, depth: int) -> OpenStack:
    """An empty stack with room for `size` open nodes of `row` words and for a path of `depth` nodes."""
    return OpenStack(
        rows=np.empty((size, row), np.uint64),
        cost=np.empty(size, np.int64),
        operator=np.empty(size, np.int32),
        depth=np.empty(size, np.int32),
        path=np.empty((depth, row), np.uint64),
    )


class IDAStarSearch(NamedTuple):
    """The tables of a search; `at`: see `control`; `state`, `row`: scratch for a state and a child of it."""

    opened: OpenStack
    seen: TranspositionTable
    at: Longs
    work: Workspace
    state: Words
    row: Words


class Node(NamedTuple):
    """How a state is reached: its cost, the operator that leads to it (-1: none), its depth."""

    cost: int
    operator: int
    depth: int


@njit(inner=True)
def take(search: IDAStarSearch) -> tuple[int, Node]:
    """Take the next node that is not known from the stack, and enter it in the table.

    Gives (MORE, the node), its state in `search.state`; or DONE, ROOM, TABLE.
    """
    opened, at, state = search.opened, search.at, search.state
    while at[TOP] > 0:
        top = at[TOP] - 1
        node = Node(long(opened.cost[top]), long(opened.operator[top]), long(opened.depth[top]))
        copy_row(state, opened.rows[top])
        if known(search.seen, state, node.cost, at[ROUND]):
            at[HITS] += 1
            at[TOP] = top
            continue
        if node.depth + 2 >= len(opened.path):
            return ROOM, node
        if not remember(search.seen, state, node.cost, at):
            return TABLE, node
        at[TOP] = top
        at[EXPANDED] += 1
        copy_row(opened.path[node.depth], state)
        return MORE, node
    return DONE, Node(0, 0, 0)


@njit(inner=True)
def put_back(search: IDAStarSearch, top: int, node: Node) -> None:
    """Undo `take`, so that the node is expanded anew: when there is more room, or below a lower limit."""
    opened, at = search.opened, search.at
    at[TOP] = top + 1
    at[EXPANDED] -= 1
    copy_row(opened.rows[top], search.state)
    opened.cost[top] = node.cost
    opened.operator[top] = node.operator
    opened.depth[top] = node.depth
    search.seen.cost[slot_of(search.seen, search.state)] = NEVER


@njit(inner=True)
def offer(task: BitsetTask, search: IDAStarSearch, row: Words, child: Node, value: int) -> int:
    """Put a child with its heuristic value on the stack, unless it is above the limit. Gives MORE, GOAL or ROOM."""
    opened, at = search.opened, search.at
    total = child.cost + value
    if total > at[LIMIT]:
        at[LEAST] = min(at[LEAST], total)
        return MORE
    if value == 0 and is_goal(task, row):
        copy_row(opened.path[child.depth], row)
        at[DEPTH], at[COST] = child.depth, child.cost
        return GOAL
    top = at[TOP]
    if top >= len(opened.cost):
        return ROOM
    copy_row(opened.rows[top], row)
    opened.cost[top] = child.cost
    opened.operator[top] = child.operator
    opened.depth[top] = child.depth
    at[TOP] = top + 1
    return MORE


@njit(cache=True)
def deepen_rows(task: BitsetTask, patterns: Patterns, needless: Flags, search: IDAStarSearch, quota: int) -> int:
    """Go on with a round of iterative deepening, for about `quota` children.

    `needless` (N, N), or empty: pairs of operators that no cheapest way contains. With compound moves, what has just
    moved does not move again at once: that would be one move.
    """
    at, work = search.at, search.work
    compound, pruning = len(task.displacement) > 0, len(needless) > 0
    end = at[NODES] + quota
    while at[NODES] < end:
        before = at[NODES], at[HITS]
        # 1. The next state.
        status, node = take(search)
        if status != MORE:
            return status
        top, last = at[TOP], node.operator
        barred = long(task.displacement[last, 1]) if compound and last >= 0 else -1
        # 2. Its children, if they are not known, have a way to the goal and are within the limit.
        for i in range(successors(task, search.state, work, barred)):
            op = long(work.operators[i])
            if pruning and last >= 0 and needless[last, op]:
                continue
            at[NODES] += 1
            row, cost = work.rows[i], node.cost + task.cost[op]
            if known(search.seen, row, cost, at[ROUND]):
                at[HITS] += 1
                continue
            value = patterns_value(patterns, row)
            if value < 0:
                continue
            status = offer(task, search, row, Node(cost, op, node.depth + 1), value)
            if status != MORE:
                break
        # 3. A goal, or no room for a child: the state is expanded again later. Without room this was not its turn.
        if status != MORE:
            put_back(search, top, node)
            if status == ROOM:
                at[NODES], at[HITS] = before
            return status
    return MORE
