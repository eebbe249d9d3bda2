"""Compiled kernel of iterative deepening for tasks with a walker: an edge walks to a push and pushes once.

Where walking costs nothing, a state has the first cell of the walker's region, otherwise the cell itself; the walk to
each push is a shortest one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....analysis.bitset_kernels import ONE, applies, apply, walk_distances, walk_region
from ....analysis.estimate import survey, value_after
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit
from .kernels import HITS, MORE, NODES, ROOM, ROUND, TOP, known, offer, put_back, take


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
                    source, target = estimate.things.moves[op, 0], estimate.things.moves[op, 1]
                    if source >= 0 and not estimate.boards.useful[op]:
                        continue
                    apply(task, op, state, row)
                    there = np.int64(task.walk[op, 1])
                    row[words] = there if step_cost else walk_region(task, row, there, region, stack)
                    total = cost + task.cost[op] + steps * step_cost
                    at[NODES] += 1
                    if known(seen, row, total, at[ROUND]):
                        at[HITS] += 1
                        continue
                    value = value_after(task, estimate, look, board, source, target, row, there)
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
