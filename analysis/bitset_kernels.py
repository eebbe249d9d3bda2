"""Compiled kernels over one packed state: where the walker gets to, which operators apply, and the table of states."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.bitops import hash_row
from ..runtime.kernel_cache import njit

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
