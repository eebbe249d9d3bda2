"""Kernels over one packed state: where the walker gets to, which operators apply, and the table of states.

How a state is packed: `BitsetTask`. Fact f is true in `row` if bit f & 63 of word f >> 6 is set.

The table is a hash table with open addressing (linear probing). It holds the numbers of states, -1 in an empty slot;
its length is a power of two, so that `hash & (length - 1)` is a slot. The states themselves stand in an array:

    table    -1   2  -1   0   1  -1  -1  -1        state 1 hashes to slot 3 as well, which was taken: it is in slot 4
"""

from __future__ import annotations

import numpy as np

from ..runtime.arrays import Bytes, Int, Ints, Longs, Words
from ..runtime.bitops import hash_row, same_row
from ..runtime.kernel_calls import njit
from .bitset_task import BitsetTask

ONE = np.uint64(1)


@njit(inner=True, forceinline=True)
def has_bit(row: Words, fact: Int) -> bool:
    """Whether a fact is true in a packed state."""
    return bool((row[fact >> 6] >> np.uint64(fact & 63)) & ONE)


@njit()
def walk_region(task: BitsetTask, row: Words, start: Int, reached: Bytes, stack: Ints) -> Int:
    """Mark in `reached` (K) the cells that the walker can reach in `row` from `start`; give the smallest.

    The smallest stands for the region: states that differ only in where in it the walker stands are one. `stack` (K):
    room for cells.
    """
    for cell in range(len(reached)):
        reached[cell] = 0
    reached[start] = 1
    stack[0] = start
    height = 1
    smallest = start
    # Depth-first; a cell is marked when it is pushed, so that `stack` never has it twice, and K is room enough.
    while height > 0:
        height -= 1
        cell = stack[height]
        smallest = min(smallest, cell)
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[i]
            bit = task.free_bit[other]
            if reached[other] == 0 and has_bit(row, bit):
                reached[other] = 1
                stack[height] = other
                height += 1
    return smallest


@njit(inner=True)
def walk_distances(task: BitsetTask, row: Words, start: Int, most: Int, distance: Ints, queue: Ints) -> None:
    """Write to `distance` (K) how many steps it is to each cell in `row` from `start`; -1 if the walker cannot get
    there, or not in `most` steps.

    Breadth-first: every cell enters `queue` (K) once, in the order of the distances.
    """
    for cell in range(len(distance)):
        distance[cell] = -1
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail and distance[queue[head]] < most:
        cell = queue[head]
        head += 1
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[i]
            bit = task.free_bit[other]
            if distance[other] < 0 and has_bit(row, bit):
                distance[other] = distance[cell] + 1
                queue[tail] = other
                tail += 1


@njit(inner=True)
def is_goal(task: BitsetTask, row: Words) -> bool:
    """Whether every goal clause shares a fact with the state."""
    for c in range(task.goal.shape[0]):
        met = False
        for w in range(task.words):
            # A clause is a disjunction: one common bit in any word meets it.
            if task.goal[c, w] & row[w]:
                met = True
                break
        if not met:
            return False
    return True


@njit(inner=True)
def applies(task: BitsetTask, op: Int, row: Words) -> bool:
    """Whether a state has all preconditions of an operator (the walker's cell is not checked)."""
    # The last words first: families list where pieces are before which cells are free, and that is what mostly fails.
    for w in range(task.words - 1, -1, -1):  # noqa: SIM110 (numba compiles no generators)
        if task.pre[op, w] & ~row[w]:
            return False
    return True


@njit(inner=True)
def apply(task: BitsetTask, op: Int, row: Words, successor: Words) -> None:
    """Write the state that an operator leads to into `successor` (the walker's cell is not set)."""
    for w in range(task.words):
        # What is deleted is true (`pre` has it) and what is added is false, so flipping does both.
        successor[w] = row[w] ^ task.flip[op, w]


@njit(inner=True)
def find(states: Words, table: Ints | Longs, row: Words) -> Int:
    """The slot of `table` where the number of the state `row` stands, or the empty slot where it belongs.

    `states` (states, row): the states that are in the table, by number. There must be an empty slot.
    """
    # Linear probing ends at an empty slot, as states are never taken out of a table.
    mask = np.uint64(len(table) - 1)
    slot = hash_row(row) & mask
    while True:
        index = table[slot]
        if index < 0:
            return np.int64(slot)
        if same_row(states, index, row):
            return np.int64(slot)
        slot = (slot + ONE) & mask


@njit()
def rehash(states: Words, table: Ints | Longs, count: Int) -> None:
    """Enter the first `count` states into an empty table."""
    for i in range(count):
        table[find(states, table, states[i])] = i
