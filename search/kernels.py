"""Compiled kernels: successor generation over packed states, with a hash table of the states seen.

Each kernel works on arrays that its caller grows; it returns when they are nearly full, when its quota is
used up (so that the caller can look at the clock), or when it is done. What each computes is defined by
`models.plan.apply` on sets of facts; `tests/test_search.py` holds the two against each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..bitops import hash_row, trailing_zeros
from ..kernel_cache import njit

ONE = np.uint64(1)


@njit(cache=True)
def walk_region(task: Any, row: Any, start: int, reached: Any, stack: Any) -> int:
    """Mark in `reached` the cells that the walker can reach in `row` from `start`; give the smallest."""
    reached[:] = 0
    reached[start] = 1
    stack[0] = start
    height = 1
    smallest = start
    while height > 0:
        height -= 1
        cell = stack[height]
        smallest = min(smallest, cell)
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[i]
            bit = task.free_bit[other]
            if reached[other] == 0 and (row[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                reached[other] = 1
                stack[height] = other
                height += 1
    return smallest


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
def is_goal(task: Any, row: Any) -> bool:
    """Whether every goal clause shares a fact with the state."""
    for c in range(task.goal.shape[0]):
        met = False
        for w in range(task.words):
            if task.goal[c, w] & row[w]:
                met = True
                break
        if not met:
            return False
    return True


@njit(cache=True)
def applies(task: Any, op: int, row: Any) -> bool:
    """Whether a state has all that an operator requires (the walker apart)."""
    for w in range(task.words):  # noqa: SIM110 (numba compiles no generators)
        if task.pre[op, w] & ~row[w]:
            return False
    return True


@njit(cache=True)
def apply(task: Any, op: int, row: Any, successor: Any) -> None:
    """Write the state that an operator leads to into `successor` (the walker apart)."""
    for w in range(task.words):
        successor[w] = row[w] ^ task.flip[op, w]


@njit(cache=True)
def find(states: Any, table: Any, row: Any) -> Any:
    """The slot of `table` where `row` stands, or the empty slot where it belongs."""
    mask = np.uint64(len(table) - 1)
    slot = hash_row(row) & mask
    while True:
        index = table[slot]
        if index < 0:
            return np.int64(slot)
        same = True
        for w in range(len(row)):
            if states[index, w] != row[w]:
                same = False
                break
        if same:
            return np.int64(slot)
        slot = (slot + ONE) & mask


@njit(cache=True)
def rehash(states: Any, table: Any, count: int) -> None:
    """Enter the first `count` states into an empty table."""
    for i in range(count):
        table[find(states, table, states[i])] = i


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
def expand_carries(
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
                        there = task.carry[op, 1]
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
