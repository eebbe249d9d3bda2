"""The states that a search has seen: growing arrays and a hash table, within a memory limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....analysis.bitset_kernels import rehash, walk_region
from ....analysis.bitset_task import BitsetTask
from ....runtime.budget import Budget
from .pace import Pace


class StateStore:
    """States as rows of words, each with its parent and the operator that led to it.

    `count` rows are in use. With `heap`, each state has a cost, and there is room for a heap with as many
    entries as states. `grow` makes room for more, or refuses where the memory limit would be passed. With `roots`
    the search starts from these states, all different, in place of the initial one.
    """

    def __init__(
        self, task: BitsetTask, capacity: int = 1 << 14, *, heap: bool = False, roots: NDArray[np.uint64] | None = None
    ) -> None:
        capacity = max(capacity, 2 * task.most + 2, 0 if roots is None else len(roots) + task.most)
        self.count = 1
        self.words = task.words
        self.states: NDArray[np.uint64] = np.empty((capacity, task.row), np.uint64)
        self.parent: NDArray[np.int32] = np.full(capacity, -1, np.int32)
        self.via: NDArray[np.int32] = np.full(capacity, -1, np.int32)
        self.table: NDArray[np.int32] = np.empty(0, np.int32)
        room = capacity if heap else 0
        self.cost: NDArray[np.int64] = np.zeros(room, np.int64)
        self.heap_cost: NDArray[np.int64] = np.zeros(room, np.int64)
        self.heap: NDArray[np.int32] = np.zeros(room, np.int32)
        if roots is not None:
            self.count = len(roots)
            self.states[: len(roots)] = roots
            self._hash()
            return
        self.states[0, : task.words] = task.init
        if task.has_walker:
            scratch = np.empty(len(task.free_bit), np.uint8)
            stack = np.empty(len(task.free_bit), np.int32)
            self.states[0, task.words] = walk_region(task, self.states[0], task.start, scratch, stack)
        self._hash()

    def _hash(self) -> None:
        size = 1 << (2 * len(self.states) - 1).bit_length()
        self.table = np.full(size, -1, np.int32)
        rehash(self.states, self.table, self.count)

    @property
    def size(self) -> int:
        """Bytes held."""
        arrays = (self.states, self.parent, self.via, self.table, self.cost, self.heap_cost, self.heap)
        return sum(array.nbytes for array in arrays)

    def grow(self, budget: Budget, others: int = 0) -> bool:
        """Double the room. False if that would pass the memory limit, with `others` bytes held elsewhere, or the range
        of the indices.
        """
        capacity = 2 * len(self.states)
        per_state = 8 * self.states.shape[1] + 4 + 4 + 4 * 4 + (20 if len(self.heap) else 0)
        if capacity >= 1 << 31 or not budget.fits(others + capacity * per_state * 3 // 2):
            return False
        self.states = _longer(self.states, capacity)
        self.parent = _longer(self.parent, capacity)
        self.via = _longer(self.via, capacity)
        if len(self.heap):
            self.cost = _longer(self.cost, capacity)
            self.heap_cost = _longer(self.heap_cost, capacity)
            self.heap = _longer(self.heap, capacity)
        self._hash()
        return True

    def full(self, task: BitsetTask) -> bool:
        """Whether it has to grow before a state is expanded."""
        return self.count + task.most > len(self.states)

    def advance(self, expand: Any, task: BitsetTask, cursor: int, end: int, pace: Pace) -> tuple[int, int]:
        """Expand states[cursor:end] as far as `pace` allows; gives the new cursor, and a goal state that was met or -1.

        `expand` is the kernel of that name, or `expand_compound_moves`.
        """
        before, quota = cursor, pace.begin()
        self.count, cursor, goal = expand(
            task, self.states, self.parent, self.via, self.table, self.count, cursor, end, quota
        )
        pace.end(cursor - before)
        return cursor, goal

    def path_to(self, index: int) -> list[tuple[int, int]]:
        """The way from the initial state to state `index`: (state, operator that led to it), in order."""
        path: list[tuple[int, int]] = []
        while self.parent[index] >= 0:
            path.append((index, int(self.via[index])))
            index = int(self.parent[index])
        return path[::-1]

    def facts_of(self, index: int) -> frozenset[int]:
        """The true facts of a stored state."""
        return facts_of(self.states[index].tolist()[: self.words])


def facts_of(words: list[int]) -> frozenset[int]:
    """The numbers of the bits that are set."""
    return frozenset(64 * w + bit for w, word in enumerate(words) for bit in range(64) if word >> bit & 1)


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    longer = np.empty((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
