"""Compiled kernel of iterative deepening for tasks with a walker: an edge walks to a push and pushes once.

Where walking costs nothing, a state has the first cell of the walker's region, otherwise the cell itself; the walk to
each push is a shortest one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel_cache import njit
from .bitops import trailing_zeros
from .heuristics.dead_sets import lost
from .heuristics.estimate import bound_after, survey
from .idastar_kernels import HITS, MORE, NODES, ROOM, ROUND, TOP, known, offer, put_back, take
from .kernels import ONE, applies, apply, walk_region


@njit(cache=True)
def walk_distances(task: Any, row: Any, start: int, distance: Any, queue: Any) -> None:
    """Write for each cell how far the walker has to walk to it in `row` from `start`; -1 for not at all."""
    distance[:] = -1
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        cell = queue[head]
        head += 1
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[i]
            bit = task.free_bit[other]
            if distance[other] < 0 and (row[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                distance[other] = distance[cell] + 1
                queue[tail] = other
                tail += 1


@njit(cache=True)
def value_after(task: Any, estimate: Any, look: Any, board: int, op: int, row: Any) -> Any:
    """The lower bound of the successor `row` of the state surveyed, by an operator; -1 for a dead end."""
    before, after = estimate.things.moves[op, 0], estimate.things.moves[op, 1]
    cell = np.int64(task.walk[op, 1])
    if before < 0:
        return bound_after(task, estimate, look, board, -1, row, cell)
    moved = 0
    while look.at[moved] != before:
        moved += 1
    look.at[moved] = after
    look.occupied[before], look.occupied[after] = 0, 1
    value = np.int64(-1)
    if not lost(estimate.dead, look.at, moved, cell if estimate.things.sides > 1 else 0, look.chosen):
        value = bound_after(task, estimate, look, board, moved, row, cell)
    look.at[moved] = before
    look.occupied[after], look.occupied[before] = 0, 1
    return value


@njit(cache=True)
def deepen_walks(
    task: Any, estimate: Any, look: Any, step_cost: int, opened: Any, seen: Any, at: Any, quota: int
) -> Any:
    """Go on with a round of iterative deepening, for about `quota` children. A step of the walker costs `step_cost`."""
    words, cells = task.words, len(task.free_bit)
    row = np.empty(words + 1, np.uint64)
    state = np.empty(words + 1, np.uint64)
    distance = np.empty(cells, np.int32)
    stack = np.empty(cells, np.int32)
    region = np.empty(cells, np.uint8)
    end = at[NODES] + quota
    while at[NODES] < end:
        before = at[NODES], at[HITS]
        status, cost, last, depth = take(opened, seen, at, state)
        if status != MORE:
            return status
        top, cell = at[TOP], np.int64(state[words])
        board = survey(task, estimate, look, state, cell)
        if board < 0:
            continue
        walk_distances(task, state, cell, distance, stack)
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits and status == MORE:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = np.int64(task.watch_ops[i])
                    steps = distance[task.walk[op, 0]]
                    if steps < 0 or not applies(task, op, state):
                        continue
                    if estimate.things.moves[op, 0] >= 0 and not estimate.boards.useful[op]:
                        continue
                    apply(task, op, state, row)
                    there = np.int64(task.walk[op, 1])
                    row[words] = there if step_cost else walk_region(task, row, there, region, stack)
                    total = cost + task.cost[op] + steps * step_cost
                    at[NODES] += 1
                    if known(seen, row, total, at[ROUND]):
                        at[HITS] += 1
                        continue
                    value = value_after(task, estimate, look, board, op, row)
                    if value < 0:
                        continue
                    status = offer(task, opened, at, row, total, value, op, depth + 1)
                    if status != MORE:
                        break
        if status != MORE:
            put_back(opened, seen, at, state, top, cost, last, depth)
            if status == ROOM:
                at[NODES], at[HITS] = before
            return status
    return MORE
