"""The states that a breadth-first search over short keys has seen, within a memory limit, and the way to each."""

from __future__ import annotations

import numpy as np

from ...models.plan import apply
from ...models.task import Operator, Task, walks
from ...runtime.arrays import Longs, Words
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from .fdr_kernels import BLOCK, COUNT, DEPTH, EMPTY, END, EXPANDED, KeyStore, enter, expand_places, expand_rooms
from .fdr_key import PLACES, FdrTask, Layout

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

    def __init__(self, task: Task, arrays: FdrTask, layout: Layout) -> None:
        self.task, self.arrays, self.layout = task, arrays, layout
        self._task = laid_out(arrays)
        self._store: KeyStore | None = None
        self.layers = [1]
        self.most = len(arrays.rows) + 1
        self.expand = expand_rooms if arrays.room[0] else expand_places
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
        goal = self.expand(self._task, self._store, quota)
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
        mask, shift = self.arrays.room.tolist()
        for row, number in zip(self.arrays.rows.tolist(), self.arrays.number.tolist(), strict=True):
            inside = row[4] << shift if mask else 0
            key = (row[2] ^ inside, row[3])[: self.arrays.words]
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
