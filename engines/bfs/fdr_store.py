"""The states that a breadth-first search over short keys has seen, within a memory limit, and the way to each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE
from ...models.task import Operator, OperatorTask
from ...runtime.arrays import Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from ..common.work_quota import WorkQuota
from .fdr_key import PLACES, FdrTask

# Compiled kernels of breadth-first search over the short keys of `to_fdr_task`.
#
# The table of the states seen holds the keys themselves (open addressing with linear probing), so that a look-up
# touches one line of memory. The keys stand in the order in which they were found, which is the order of their
# parents: so no parents are stored, only how many states there were at every `BLOCK`-th expansion (`marks`):
#
#     expanded   0 ........ 15 | 16 ....... 31 | 32 ...        BLOCK = 16
#     marks      1               40              75            the parent of state 50 is one of 16 to 31
#
# What an operator does to a state is written down before it is known whether it applies, and kept if it does: to
# count on is quicker than to branch. By definition the states are those of `models.plan.apply`;
# `tests/engines/test_bfs.py` holds the two against each other.

# States expanded between two marks: parents are found again among these, and a mark takes 8 bytes.
BLOCK = 16

ZERO = np.uint64(0)
EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)
# Columns of `FdrTask.rows`, unsigned: a signed index would be tested for being negative.
NEED, NEED_MORE, FLIP, FLIP_OTHER, DERIVED, DERIVED_MORE, BEFORE, AFTER = (np.uint64(i) for i in range(8))
WORD, SHIFT, PLACE = (np.uint64(i) for i in range(3))

COUNT, EXPANDED, DEPTH, END = range(4)
"""Entries of `KeyStore.at`."""


class KeyStore(NamedTuple):
    """The states found. A key has w words, 1 or 2; arrays are longer than what is used of them; their owner grows them.

    `keys` (w times the states): in the order in which they were found; `table` (w times the slots), with
    1 << (64 - shift) slots; `marks`: see above; `ends[d]`: the number of states up to depth d, for depths that this
    call has come to. `at`: states found, states expanded, depth, end of the layer of this depth. `room`: with more
    states it is time to grow. Scratch: `found`, `second`, `which` (N + 1): the words of new keys and their operators'
    rows; `places`: of the key that is expanded.
    """

    keys: Words
    table: Words
    marks: Longs
    ends: Longs
    at: Longs
    found: Words
    second: Words
    which: Words
    places: Words
    shift: int
    room: int


@njit(inner=True)
def hash_key(key: np.uint64, other: np.uint64) -> np.uint64:
    """A hash of which the high bits are good (multiply and fold, with the golden-ratio constant)."""
    # The slot is hash >> shift, so the high bits have to depend on all bits of the key.
    mixed = key ^ other * np.uint64(0xFF51AFD7ED558CCD)
    return (mixed ^ mixed >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15)


@njit(inner=True)
def flood(near: Words, free: np.uint64, reached: np.uint64) -> np.uint64:
    """The cells that can be reached over free cells from the cells `reached`, as bits."""
    todo = reached
    while todo:
        cell = trailing_zeros(todo)
        todo &= todo - ONE
        new = near[cell] & free & ~reached
        reached |= new
        todo |= new
    return reached


@njit(inner=True)
def holds(goal: Words, first: Longs, key: np.uint64, other: np.uint64, derived: np.uint64, more: np.uint64) -> bool:
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


@njit()
def enter(words: int, keys: Words, table: Words, shift: int, count: int) -> None:
    """Enter the first `count` keys, all different, into an empty table of 1 << (64 - shift) slots."""
    wide = np.uint64(words)
    mask = np.uint64(len(table) // words - 1)
    for i in range(count):
        key = keys[i * words]
        other = keys[i * words + 1] if words == 2 else ZERO
        slot = hash_key(key, other) >> np.uint64(shift)
        # The keys are all different: nothing is compared, the first empty slot is taken.
        while table[slot * wide] != EMPTY:
            slot = (slot + ONE) & mask
        table[slot * wide] = key
        if words == 2:
            table[slot * wide + ONE] = other


@njit(inner=True)
def places_of(task: FdrTask, key: np.uint64, other: np.uint64, places: Words) -> np.uint64:
    """Write the places of a key (see `FdrTask`), those of fields and those of single bits; gives their number."""
    field, field_mask, bits, two, m = task.field, task.field_mask, task.bits, task.words == 2, ZERO
    for f in range(np.uint64(len(field_mask))):
        # A field holds the number of an object's place among its own; PLACE is the number of the first of these.
        word = other if two and field[f, WORD] else key
        places[m] = (word >> np.uint64(field[f, SHIFT]) & field_mask[f]) + np.uint64(field[f, PLACE])
        m += ONE
    # Places that are a bit each are numbered as the bits of the key are, from 0 to 127.
    left = key & bits[0]
    while left:
        places[m] = trailing_zeros(left)
        left &= left - ONE
        m += ONE
    if two:
        left = other & bits[1]
        while left:
            places[m] = trailing_zeros(left) + np.uint64(64)
            left &= left - ONE
            m += ONE
    return m


@njit(inner=True)
def walked(task: FdrTask, derived: np.uint64, word: np.uint64, store: KeyStore, n: np.uint64) -> np.uint64:
    """Of `n` operators those that the walker, in the cell that `word` of the key names, can get to; gives their number.

    Writes its cell afterwards, the first one of its region, to their keys.
    """
    near, rows, column = task.near, task.rows, np.uint64(task.walker[0])
    found, second, which = store.found, store.second, store.which
    shift, mask = np.uint64(task.walker[1]), np.uint64(task.walker[2])
    # Derived fact i is: cell i is free. So the derived word is the board that the walker walks on, and after the
    # operator it is derived ^ rows[i, DERIVED].
    reached = flood(near, derived, ONE << (word >> shift & mask))
    made = ZERO
    for j in range(n):
        i = which[j]
        if rows[i, BEFORE] & reached:
            region = flood(near, derived ^ rows[i, DERIVED], ONE << rows[i, AFTER])
            # The region's first cell, its lowest bit, is what the key has for all of it.
            corner = trailing_zeros(region) << shift
            found[made], second[made], which[made] = found[j], second[j], i
            if column:
                second[made] = second[made] & ~(mask << shift) | corner
            else:
                found[made] = found[made] & ~(mask << shift) | corner
            made += ONE
    return made


@njit(inner=True)
def children(task: FdrTask, store: KeyStore, index: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Write the keys of a state's children to `found` and `second`, and their operators' rows to `which`; gives their
    number, and the derived facts of the state itself.
    """
    keys, found, seconds, which, places = store.keys, store.found, store.second, store.which, store.places
    rows, first, cover = task.rows, task.first, task.cover
    two, deep, other, more = task.words == 2, task.derived_words == 2, ZERO, ZERO
    key = keys[index * np.uint64(task.words)]
    if two:
        other = keys[index * np.uint64(task.words) + ONE]
    # 1. The places, and the derived facts that are true: those of the empty board, flipped by each place.
    m = places_of(task, key, other, places)
    derived = task.base[0]
    for x in range(m):
        derived ^= cover[places[x], ZERO]
    if deep:
        more = task.base[1]
        for x in range(m):
            more ^= cover[places[x], ONE]
    # 2. The operators that move an object from one of the places: of those that apply the keys, and which they are.
    # No branch: each key is written at place n, and n goes on by 1 only if the operator applies, that is, if no
    # derived fact is lacking; otherwise the next key is written over it. The object's own place need not be tested:
    # it is how the operator was found.
    n = ZERO
    for x in range(m):
        for signed in range(first[places[x]], first[places[x] + ONE]):
            i = np.uint64(signed)
            found[n] = key ^ rows[i, FLIP]
            if two:
                seconds[n] = other ^ rows[i, FLIP_OTHER]
            which[n] = i
            lacking = rows[i, NEED] & ~derived
            if deep:
                lacking |= rows[i, NEED_MORE] & ~more
            n += np.uint64(lacking == ZERO)
    if len(task.near) and n:
        n = walked(task, derived, other if task.walker[0] else key, store, n)
    return n, derived, more


@njit()
def parent_of(task: FdrTask, store: KeyStore, index: int, start: int) -> tuple[int, int]:
    """The first of the `BLOCK` states from `start` on of which a state is a child, and the operator's row."""
    wide = np.uint64(task.words)
    at = np.uint64(index) * wide
    for parent in range(start, start + BLOCK):
        n, _, _ = children(task, store, np.uint64(parent))
        for j in range(n):
            if store.found[j] == store.keys[at] and (wide == ONE or store.second[j] == store.keys[at + ONE]):
                return parent, long(store.which[j])
    return -1, -1


@njit()
def expand(task: FdrTask, store: KeyStore, quota: int) -> int:
    """Breadth-first search with the operators indexed by the places of objects.

    `store.at` and `store.ends` are moved on. Stops when there is no room, `quota` states have been expanded, `ends` is
    full, or nothing is left to expand. Returns the goal state that was met, or -1.
    """
    rows, touches, goals, goal_first = task.rows, task.touches, task.goal, task.goal_first
    keys, table, marks, at, ends = store.keys, store.table, store.marks, store.at, store.ends
    found, seconds, which = store.found, store.second, store.which
    two, wide = task.words == 2, np.uint64(task.words)
    mask, down, room = np.uint64(len(table) // task.words - 1), np.uint64(store.shift), np.uint64(store.room)
    count, cursor, depth, end = np.uint64(at[COUNT]), np.uint64(at[EXPANDED]), at[DEPTH], np.uint64(at[END])
    last, second = cursor + np.uint64(quota), ZERO
    goal = -1
    while goal < 0 and cursor < last and count <= room:
        if cursor == end:
            if count == end or depth + 1 == len(ends):
                break
            depth += 1
            end = count
            ends[depth] = end
        if cursor % np.uint64(BLOCK) == ZERO:
            marks[cursor // np.uint64(BLOCK)] = count
        n, derived, more = children(task, store, cursor)
        # The keys that are new.
        for j in range(n):
            new = found[j]
            if two:
                second = seconds[j]
            # Linear probing over slots of one or two words. EMPTY, all ones, is never the first word of a key.
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
                goals, goal_first, new, second, derived ^ rows[i, DERIVED], more ^ rows[i, DERIVED_MORE]
            ):
                goal = long(count) - 1
                break
        cursor += ONE
    at[COUNT], at[EXPANDED], at[DEPTH], at[END] = count, cursor, depth, end
    return goal


# Slots of the table at first, a power of two.
FIRST_SLOTS = 1 << 14

# Below this many slots the table grows to eight times its size at once, then to twice.
QUICK_SLOTS = 1 << 18

# How full the table may get before it grows: longer probes, less memory.
FULL = 0.5

# How full the table may get where the memory limit keeps it from growing.
CROWDED = 0.875


class FdrStore:
    """States as keys in the order in which they were found; `layers[d]` is their number up to depth d.

    `search` goes on breadth-first; `grow` makes room, as far as the memory limit allows.
    """

    def __init__(self, task: OperatorTask, arrays: FdrTask) -> None:
        self.task, self.arrays, self.layers, self.most = task, arrays, [1], len(arrays.rows) + 1
        self._task, self.pace = laid_out(arrays), WorkQuota()
        self._laid_out: KeyStore | None = None
        found, second, which = (np.empty(self.most, np.uint64) for _ in range(3))
        self.states = KeyStore(
            keys=arrays.init[: arrays.words].copy(),
            table=np.empty(0, np.uint64),
            marks=np.zeros(1, np.int64),
            ends=np.zeros(1 << 10, np.int64),
            at=np.array([1, 0, 0, 1], np.int64),
            found=found,
            second=second,
            which=which,
            places=np.empty(PLACES + len(arrays.field_mask), np.uint64),
            shift=64,
            room=0,
        )
        # Room for the successors of two states at least.
        least = 1 << int(2 * self.most / FULL).bit_length()
        self._set(max(FIRST_SLOTS, least), FULL)

    @property
    def count(self) -> int:
        """States found."""
        return int(self.states.at[COUNT])

    @property
    def expanded(self) -> int:
        return int(self.states.at[EXPANDED])

    @property
    def laid_out(self) -> KeyStore:
        """`states`, laid out for kernels, until the store grows."""
        if self._laid_out is None:
            self._laid_out = laid_out(self.states)
        return self._laid_out

    def search(self) -> int:
        """Expand some states. Returns the goal state that was met, or -1. `layers` grows."""
        at, before = self.states.at, self.expanded
        at[DEPTH] = 0
        goal = int(expand(self._task, self.laid_out, self.pace.begin()))
        self.pace.end(self.expanded - before)
        self.layers += self.states.ends[1 : int(at[DEPTH]) + 1].tolist()
        return goal

    def why_stop(self, budget: Budget) -> str | None:
        """Why a search cannot go on: a limit, Ctrl-C, or no memory for a store that is full; None if it can."""
        return budget.stopped() or (None if self.grow(budget) else "memory limit")

    def grow(self, budget: Budget) -> bool:
        """Make room for more states if the store is full. False if that would pass the memory limit."""
        if self.count <= self.states.room:
            return True
        slots = len(self.states.table) // self.arrays.words
        for times in (8, 2) if slots < QUICK_SLOTS else (2,):
            if budget.fits(self._bytes(times * slots, FULL)):
                self._set(times * slots, FULL)
                return True
        # No larger table: this one is filled more, as far as there is memory for the keys.
        for share in (CROWDED, (CROWDED + FULL) / 2):
            if int(share * slots) > self.states.room + 2 * self.most and budget.fits(self._bytes(slots, share)):
                self._set(slots, share)
                return True
        return False

    def _bytes(self, slots: int, share: float) -> int:
        capacity = int(share * slots)
        return 8 * (self.arrays.words * (slots + capacity) + capacity // BLOCK + 1)

    def _set(self, slots: int, share: float) -> None:
        """Resize the arrays: a table of `slots` slots, and room for `share` of them as states."""
        self._laid_out = None  # it holds the arrays as they are
        words, capacity = self.arrays.words, int(share * slots)
        self.states.keys.resize(capacity * words, refcheck=False)
        self.states.marks.resize(capacity // BLOCK + 1, refcheck=False)
        if slots * words != len(self.states.table):
            self.states = self.states._replace(
                table=np.empty(0, np.uint64)
            )  # the old one goes before the new one comes
            self.states = self.states._replace(table=np.full(slots * words, EMPTY), shift=65 - slots.bit_length())
            enter(words, self.states.keys, self.states.table, self.states.shift, self.count)
        self.states = self.states._replace(room=capacity - self.most)

    def plan_to(self, index: int) -> list[Operator]:
        """The operators that lead to a stored state. Each parent is found again among the `BLOCK` states that were
        expanded at that time.
        """
        operators, marks = [], self.states.marks[: (self.expanded - 1) // BLOCK + 1]
        while index:
            block = int(np.searchsorted(marks, index, "right")) - 1
            index, row = parent_of(self._task, self.laid_out, index, BLOCK * block)
            operators.append(self.task.operators[self.arrays.number[row]])
        return operators[::-1]
