"""Compiled kernels: successor generation over packed states, with a hash table of the states seen.

Each kernel works on arrays that its caller grows; it returns when they are nearly full, when its quota is
used up (so that the caller can look at the clock), or when it is done. What each computes is defined by
`models.plan.apply` on sets of facts; `tests/test_search.py` holds the two against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....analysis.bitset_kernels import ONE, applies, apply, find, is_goal, walk_region
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit


@njit(cache=True)
def expand(
    task: Any, states: Any, parent: Any, via: Any, table: Any, count: int, cursor: int, end: int, quota: int
) -> tuple[int, int, int]:
    """Expand states[cursor:end] breadth-first, at most `quota` of them.

    New states go to states[count:]; `parent` and `via` hold where they came from. Returns (count, cursor,
    goal): the goal state met first, or -1.
    """
    words, cells = task.words, len(task.free_bit)
    row = np.empty(states.shape[1], np.uint64)
    reached = np.empty(cells, np.uint8)
    again = np.empty(cells, np.uint8)
    stack = np.empty(max(1, cells), np.int32)
    end = min(end, cursor + quota)
    while cursor < end:
        if count + task.most > len(states) or 2 * (count + task.most) > len(table):
            break
        state = states[cursor]
        if cells:
            walk_region(task, state, np.int64(state[words]), reached, stack)
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = task.watch_ops[i]
                    if not applies(task, op, state) or (cells and not reached[task.walk[op, 0]]):
                        continue
                    apply(task, op, state, row)
                    if cells:
                        row[words] = walk_region(task, row, task.walk[op, 1], again, stack)
                    slot = find(states, table, row)
                    if table[slot] >= 0:
                        continue
                    states[count] = row
                    parent[count] = cursor
                    via[count] = op
                    table[slot] = count
                    count += 1
                    if is_goal(task, row):
                        return count, cursor, count - 1
        cursor += 1
    return count, cursor, -1


@njit(cache=True)
def expand_compound_moves(
    task: Any, states: Any, parent: Any, via: Any, table: Any, count: int, cursor: int, end: int, quota: int
) -> tuple[int, int, int]:
    """Like `expand`, for a task that carries: a successor is any state that one thing's moving along leads to.

    `via` holds the last operator of the carry. From a state, the places that a thing can be carried to are found by
    a search of their own: nothing else moves meanwhile, so the thing's place says which state it is.
    """
    words, facts = task.words, 64 * task.words
    rows = np.empty((facts, states.shape[1]), np.uint64)
    place = np.empty(facts, np.int32)
    seen = np.full(facts, -1, np.int64)
    row = np.empty(states.shape[1], np.uint64)
    stamp = 0
    end = min(end, cursor + quota)
    while cursor < end:
        if count + task.most > len(states) or 2 * (count + task.most) > len(table):
            break
        for w in range(words):
            bits = states[cursor, w] & task.watched[w]
            while bits:
                start = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                stamp += 1
                rows[0] = states[cursor]
                place[0] = start
                seen[start] = stamp
                head, tail = 0, 1
                while head < tail:
                    here = place[head]
                    for i in range(task.watch_first[here], task.watch_first[here + 1]):
                        op = task.watch_ops[i]
                        there = task.displacement[op, 1]
                        if seen[there] == stamp:
                            continue
                        if not applies(task, op, rows[head]):
                            continue
                        apply(task, op, rows[head], row)
                        seen[there] = stamp
                        rows[tail] = row
                        place[tail] = there
                        tail += 1
                        slot = find(states, table, row)
                        if table[slot] >= 0:
                            continue
                        states[count] = row
                        parent[count] = cursor
                        via[count] = op
                        table[slot] = count
                        count += 1
                        if is_goal(task, row):
                            return count, cursor, count - 1
                    head += 1
        cursor += 1
    return count, cursor, -1
