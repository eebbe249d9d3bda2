"""The states that a breadth-first search over short keys has seen, within a memory limit, and the way to each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE
from ...models.plan import apply
from ...models.task import Operator, OperatorTask, walks
from ...runtime.arrays import Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from .fdr_key import PLACES, FdrTask, Layout

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


@njit()
def expand(task: FdrTask, store: KeyStore, quota: int) -> int:
    """Breadth-first search with the operators indexed by the places of objects.

    `store.at` and `store.ends` are moved on. Stops when there is no room, `quota` states have been expanded, `ends` is
    full, or nothing is left to expand. Returns the goal state that was met, or -1.
    """
    rows, first, cover, touches = task.rows, task.first, task.cover, task.touches
    keys, table, marks, at, ends = store.keys, store.table, store.marks, store.at, store.ends
    found, seconds, which, places = store.found, store.second, store.which, store.places
    goals, goal_first = task.goal, task.goal_first
    base, base_more = task.base[0], task.base[1]
    two, wide, deep, walks = task.words == 2, np.uint64(task.words), task.derived_words == 2, len(task.near) > 0
    mask, down, room = np.uint64(len(table) // task.words - 1), np.uint64(store.shift), np.uint64(store.room)
    count, cursor, depth, end = np.uint64(at[COUNT]), np.uint64(at[EXPANDED]), at[DEPTH], np.uint64(at[END])
    last = cursor + np.uint64(quota)
    other, second, more = ZERO, ZERO, ZERO
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
        key = keys[cursor * wide]
        if two:
            other = keys[cursor * wide + ONE]
        # 1. The places, and the derived facts that are true: those of the empty board, flipped by each place.
        m = places_of(task, key, other, places)
        derived = base
        for x in range(m):
            derived ^= cover[places[x], ZERO]
        if deep:
            more = base_more
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
        if walks and n:
            n = walked(task, derived, other if task.walker[0] else key, store, n)
        # 3. The keys that are new.
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

    def __init__(self, task: OperatorTask, arrays: FdrTask, layout: Layout) -> None:
        self.task, self.arrays, self.layout = task, arrays, layout
        self._task = laid_out(arrays)
        self._store: KeyStore | None = None
        self.layers = [1]
        self.most = len(arrays.rows) + 1
        self.at: Longs = np.zeros(4, np.int64)
        self.at[COUNT], self.at[END] = 1, 1
        self.keys: Words = arrays.init[: arrays.words].copy()
        self.marks: Longs = np.zeros(1, np.int64)
        self.table: Words = np.empty(0, np.uint64)
        self.room = 0
        self._ends: Longs = np.zeros(1 << 10, np.int64)
        self._scratch: list[Words] = [np.empty(self.most, np.uint64) for _ in range(3)]
        self._places: Words = np.empty(PLACES + len(arrays.field_mask), np.uint64)
        self._shift = 64
        # Room for the successors of two states at least.
        least = 1 << int(2 * self.most / FULL).bit_length()
        self._set(max(FIRST_SLOTS, least), FULL)

    @property
    def count(self) -> int:
        """States found."""
        return int(self.at[COUNT])

    @property
    def expanded(self) -> int:
        return int(self.at[EXPANDED])

    @property
    def exhausted(self) -> bool:
        """Whether every state has been expanded."""
        return bool(self.at[COUNT] == self.at[EXPANDED])

    def search(self, quota: int) -> int:
        """Expand about `quota` states. Returns the goal state that was met, or -1. `layers` grows."""
        self.at[DEPTH] = 0
        if self._store is None:
            self._store = laid_out(
                KeyStore(
                    keys=self.keys,
                    table=self.table,
                    marks=self.marks,
                    ends=self._ends,
                    at=self.at,
                    found=self._scratch[0],
                    second=self._scratch[1],
                    which=self._scratch[2],
                    places=self._places,
                    shift=self._shift,
                    room=self.room,
                )
            )
        goal = expand(self._task, self._store, quota)
        self.layers += self._ends[1 : int(self.at[DEPTH]) + 1].tolist()
        return int(goal)

    def grow(self, budget: Budget) -> bool:
        """Make room for more states if the store is full. False if that would pass the memory limit."""
        if self.count <= self.room:
            return True
        slots, full, crowded = len(self.table) // self.arrays.words, FULL, CROWDED
        for times in (8, 2) if slots < QUICK_SLOTS else (2,):
            if budget.fits(self._bytes(times * slots, full)):
                self._set(times * slots, full)
                return True
        # No larger table: this one is filled more, as far as there is memory for the keys.
        for share in (crowded, (crowded + full) / 2):
            if int(share * slots) > self.room + 2 * self.most and budget.fits(self._bytes(slots, share)):
                self._set(slots, share)
                return True
        return False

    def _bytes(self, slots: int, share: float) -> int:
        capacity = int(share * slots)
        return 8 * (self.arrays.words * (slots + capacity) + capacity // BLOCK + 1)

    def _set(self, slots: int, share: float) -> None:
        """Resize the arrays: a table of `slots` slots, and room for `share` of them as states."""
        self._store = None  # it holds the arrays as they are
        words, capacity = self.arrays.words, int(share * slots)
        self.keys.resize(capacity * words, refcheck=False)
        self.marks.resize(capacity // BLOCK + 1, refcheck=False)
        self.room = capacity - self.most
        if slots * words != len(self.table):
            self.table = np.empty(0, np.uint64)  # the old one goes before the new one comes
            self.table = np.full(slots * words, EMPTY)
            self._shift = 65 - slots.bit_length()
            enter(words, self.keys, self.table, self._shift, self.count)

    def plan_to(self, index: int) -> list[Operator]:
        """The operators that lead to a stored state."""
        flips = self._flips()
        operators = []
        while index:
            index, op = self._parent(index, flips)
            operators.append(op)
        return operators[::-1]

    def key(self, index: int) -> tuple[int, ...]:
        words = self.arrays.words
        return tuple(self.keys[index * words : (index + 1) * words].tolist())

    def _flips(self) -> dict[tuple[int, ...], list[Operator]]:
        """The operators by the bits of the key that they flip."""
        flips: dict[tuple[int, ...], list[Operator]] = {}
        for row, number in zip(self.arrays.rows.tolist(), self.arrays.number.tolist(), strict=True):
            key = (row[2], row[3])[: self.arrays.words]
            flips.setdefault(key, []).append(self.task.operators[number])
        return flips

    def _parent(self, index: int, flips: dict[tuple[int, ...], list[Operator]]) -> tuple[int, Operator]:
        """The parent of a state and the operator between them, found again among the `BLOCK` states expanded at that
        time.
        """
        blocks = (self.expanded - 1) // BLOCK + 1
        block = int(np.searchsorted(self.marks[:blocks], index, "right")) - 1
        word, shift, mask = self.layout.walker
        child = self.key(index)
        for parent in range(BLOCK * block, BLOCK * (block + 1)):
            key = self.key(parent)
            change = [a ^ b for a, b in zip(key, child, strict=True)]
            change[word] &= ~(mask << shift)
            for op in flips.get(tuple(change), ()):
                if self._leads(op, key, child):
                    return parent, op
        raise AssertionError("a state has no parent")

    def _leads(self, op: Operator, key: tuple[int, ...], child: tuple[int, ...]) -> bool:
        """Whether an operator that flips the right bits applies, and leaves the walker in the right region."""
        if not all(self.layout.true(fact, key) for fact in op.pre):
            return False
        walker = self.task.walker
        if walker is None:
            return True
        assert op.walk is not None
        before, after = op.walk
        word, shift, mask = self.layout.walker
        true = self.layout.facts(key)
        if before not in walks(walker, key[word] >> shift & mask, true):
            return False
        return min(walks(walker, after, apply(frozenset(true), op))) == child[word] >> shift & mask
