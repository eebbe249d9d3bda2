"""Compiled kernels of breadth-first search over the short keys of `to_fdr_task`.

The table of the states seen holds the keys themselves (open addressing with linear probing), so that a look-up
touches one line of memory. The keys stand in the order in which they were found, which is the order of their parents:
so no parents are stored, only how many states there were at every `BLOCK`-th expansion (`marks`).

What an operator does to a state is written down before it is known whether it applies, and kept if it does: to
count on is quicker than to branch. `tests/test_bfs.py` holds the kernels against `models.plan.apply`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....runtime.bitops import leading_zeros, trailing_zeros
from ....runtime.kernel_cache import njit

ZERO = np.uint64(0)
ONE = np.uint64(1)
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
BLOCK = 16
"""States expanded between two marks."""

# Columns of `FdrTask.rows` and `room_rows`, unsigned: a signed index would be tested for being negative.
NEED, NEED_MORE, FLIP, FLIP_OTHER, DERIVED, DERIVED_MORE, BEFORE, AFTER = (np.uint64(i) for i in range(8))
LOOK, MUST, CHANGE = (np.uint64(i) for i in range(3))


@njit(cache=True, inline="always")
def hash_key(key: Any, other: Any) -> Any:
    """A hash of which the high bits are good (multiply and fold, with the golden-ratio constant)."""
    mixed = key ^ other * np.uint64(0xFF51AFD7ED558CCD)
    return (mixed ^ mixed >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def flood(near: Any, free: Any, reached: Any) -> Any:
    """The cells that can be reached over free cells from the cells `reached`, as bits."""
    todo = reached
    while todo:
        cell = trailing_zeros(todo)
        todo &= todo - ONE
        new = near[cell] & free & ~reached
        reached |= new
        todo |= new
    return reached


@njit(cache=True)
def holds(goal: Any, first: Any, key: Any, other: Any, derived: Any, more: Any) -> bool:
    """Whether a state is a goal: every clause has a literal that is true."""
    for c in range(len(first) - 1):
        met = False
        for i in range(first[c], first[c + 1]):
            word = goal[i, 0]
            value = key if word == 0 else other if word == 1 else derived if word == 2 else more
            if value & goal[i, 1] == goal[i, 2]:
                met = True
                break
        if not met:
            return False
    return True


@njit(cache=True)
def enter(words: int, keys: Any, table: Any, shift: int, count: int) -> None:
    """Enter the first `count` keys, all different, into an empty table of 1 << (64 - shift) slots."""
    wide = np.uint64(words)
    mask = np.uint64(len(table) // words - 1)
    for i in range(count):
        key = keys[i * words]
        other = keys[i * words + 1] if words == 2 else ZERO
        slot = hash_key(key, other) >> np.uint64(shift)
        while table[slot * wide] != EMPTY:
            slot = (slot + ONE) & mask
        table[slot * wide] = key
        if words == 2:
            table[slot * wide + ONE] = other


@njit(cache=True)
def expand_rooms(
    task: Any, keys: Any, table: Any, shift: int, marks: Any, ends: Any, at: Any, room: int, quota: int
) -> int:
    """Breadth-first search where at most two cells are free and index the operators. The keys have one word.

    `at` is (states, states expanded, depth, end of the layer of this depth) and is moved on; `ends[d]` becomes the
    number of states up to depth d. Stops when there are more than `room` states, `quota` of them have been expanded,
    `ends` is full, or nothing is left to expand. Returns the goal state that was met, or -1.
    """
    rows, first, ops, touches = task.room_rows, task.room_first, task.room_ops, task.touches
    room_mask, room_shift = task.room[0], task.room[1]
    top = np.uint64(63) - room_shift
    found = np.empty(len(task.rows) + 1, np.uint64)
    which = np.empty(len(task.rows) + 1, np.uint64)
    mask, down = np.uint64(len(table) - 1), np.uint64(shift)
    count, cursor, depth, end = np.uint64(at[0]), np.uint64(at[1]), at[2], np.uint64(at[3])
    if cursor == ZERO:
        enter(task.words, keys, table, shift, 1)
    last = cursor + np.uint64(quota)
    goal = np.int64(-1)
    while goal < 0 and cursor < last and count <= np.uint64(room):
        if cursor == end:
            if count == end or depth + 1 == len(ends):
                break
            depth += 1
            end = count
            ends[depth] = end
        if cursor % np.uint64(BLOCK) == ZERO:
            marks[cursor // np.uint64(BLOCK)] = count
        key = keys[cursor]
        free = key & room_mask
        pair = (trailing_zeros(free) - room_shift) << np.uint64(6) | (top - leading_zeros(free))
        n = ZERO
        for signed in range(first[pair], first[pair + ONE]):
            i = np.uint64(signed)
            found[n] = key ^ rows[i, CHANGE]
            which[n] = i
            n += np.uint64(key & rows[i, LOOK] == rows[i, MUST])
        for j in range(n):
            new = found[j]
            slot = hash_key(new, ZERO) >> down
            there = table[slot]
            while there != EMPTY and there != new:
                slot = (slot + ONE) & mask
                there = table[slot]
            if there == new:
                continue
            table[slot] = new
            keys[count] = new
            count += ONE
            if touches[ops[which[j]]] and holds(task.goal, task.goal_first, new, ZERO, ZERO, ZERO):
                goal = np.int64(count) - 1
                break
        cursor += ONE
    at[0], at[1], at[2], at[3] = count, cursor, depth, end
    return int(goal)


@njit(cache=True)
def expand_places(
    task: Any, keys: Any, table: Any, shift: int, marks: Any, ends: Any, at: Any, room: int, quota: int
) -> int:
    """Breadth-first search with the operators indexed by the places of things; as `expand_rooms` otherwise."""
    rows, first, cover, touches, near = task.rows, task.first, task.cover, task.touches, task.near
    field, field_mask, fields = task.field, task.field_mask, len(task.field_mask)
    bits, other_bits, base, base_more = task.bits[0], task.bits[1], task.base[0], task.base[1]
    two, wide = task.words == 2, np.uint64(task.words)
    deep, walks = task.derived_words == 2, len(near) > 0
    walker_word, walker_shift, walker_mask = (
        np.uint64(task.walker[0]),
        np.uint64(task.walker[1]),
        np.uint64(task.walker[2]),
    )
    found = np.empty((len(rows) + 1, 2), np.uint64)
    which = np.empty(len(rows) + 1, np.uint64)
    places = np.empty(128 + fields, np.uint64)
    mask, down = np.uint64(len(table) // task.words - 1), np.uint64(shift)
    count, cursor, depth, end = np.uint64(at[0]), np.uint64(at[1]), at[2], np.uint64(at[3])
    if cursor == ZERO:
        enter(task.words, keys, table, shift, 1)
    last = cursor + np.uint64(quota)
    other, second, more = ZERO, ZERO, ZERO
    goal = np.int64(-1)
    while goal < 0 and cursor < last and count <= np.uint64(room):
        if cursor == end:
            if count == end or depth + 1 == len(ends):
                break
            depth += 1
            end = count
            ends[depth] = end
        if cursor % np.uint64(BLOCK) == ZERO:
            marks[cursor // np.uint64(BLOCK)] = count
        key = keys[cursor * wide]
        if two:
            other = keys[cursor * wide + ONE]
        m = ZERO
        for f in range(np.uint64(fields)):
            word = other if two and field[f, ZERO] else key
            places[m] = (word >> np.uint64(field[f, ONE]) & field_mask[f]) + np.uint64(field[f, np.uint64(2)])
            m += ONE
        left = key & bits
        while left:
            places[m] = trailing_zeros(left)
            left &= left - ONE
            m += ONE
        if two:
            left = other & other_bits
            while left:
                places[m] = trailing_zeros(left) + np.uint64(64)
                left &= left - ONE
                m += ONE
        derived = base
        for x in range(m):
            derived ^= cover[places[x], ZERO]
        n = ZERO
        if deep:
            more = base_more
            for x in range(m):
                more ^= cover[places[x], ONE]
        for x in range(m):
            for signed in range(first[places[x]], first[places[x] + ONE]):
                i = np.uint64(signed)
                found[n, ZERO] = key ^ rows[i, FLIP]
                if two:
                    found[n, ONE] = other ^ rows[i, FLIP_OTHER]
                which[n] = i
                lacking = rows[i, NEED] & ~derived
                if deep:
                    lacking |= rows[i, NEED_MORE] & ~more
                n += np.uint64(lacking == ZERO)
        if walks and n:
            word = other if walker_word else key
            reached = flood(near, derived, ONE << (word >> walker_shift & walker_mask))
            made = ZERO
            for j in range(n):
                i = which[j]
                if rows[i, BEFORE] & reached:
                    region = flood(near, derived ^ rows[i, DERIVED], ONE << rows[i, AFTER])
                    corner = trailing_zeros(region) << walker_shift
                    found[made, ZERO], found[made, ONE], which[made] = found[j, ZERO], found[j, ONE], i
                    found[made, walker_word] = found[made, walker_word] & ~(walker_mask << walker_shift) | corner
                    made += ONE
            n = made
        for j in range(n):
            new = found[j, ZERO]
            if two:
                second = found[j, ONE]
            slot = hash_key(new, second) >> down
            there = table[slot * wide]
            while there != EMPTY and (there != new or (two and table[slot * wide + ONE] != second)):
                slot = (slot + ONE) & mask
                there = table[slot * wide]
            if there != EMPTY:
                continue
            table[slot * wide] = new
            keys[count * wide] = new
            if two:
                table[slot * wide + ONE] = second
                keys[count * wide + ONE] = second
            count += ONE
            i = which[j]
            if touches[i] and holds(
                task.goal, task.goal_first, new, second, derived ^ rows[i, DERIVED], more ^ rows[i, DERIVED_MORE]
            ):
                goal = np.int64(count) - 1
                break
        cursor += ONE
    at[0], at[1], at[2], at[3] = count, cursor, depth, end
    return int(goal)
