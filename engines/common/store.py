"""The states that a search has met: growing arrays and a hash table, within a memory limit."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_kernels import find, rehash
from ...models.task import Task
from ...runtime.arrays import Ints, Longs, Words
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from .successors import Form, copy_row, form_of, is_goal, quicker_form, successors
from .work_quota import WorkQuota

# The nodes of a search as arrays: the states that it has met, as kernels take them.


class Nodes(NamedTuple):
    """The states met and the heap of the open ones. Arrays are longer than what is used of them; their owner grows
    them.

    `states` (S, row words); `parent` (S): the state from which each was reached, -1 for a root; `table`:
    open addressing, the index of the state in each slot, or -1. Where states have costs, `cost` (S), `estimate` (S), a
    lower bound on the cost of the rest, and `heap_key`, `heap`: a binary heap of states, the least key first. Otherwise
    these are empty.
    """

    states: Words
    parent: Ints
    table: Ints
    cost: Longs
    estimate: Ints
    heap_key: Longs
    heap: Ints


# Compiled kernel of breadth-first search over packed states, with a hash table of the states met.
#
# It works on arrays that its caller grows; it returns when they are nearly full, when it has come to the end that the
# caller gave (so that the caller can look at the clock), or when a goal is met. `tests/engines/test_bfs.py` holds it
# against the definition, `engines/common/state_space.py`.


@njit()
def expand(form: Form, nodes: Nodes, count: int, cursor: int, end: int, to_goal: bool) -> tuple[int, int, int]:
    """Expand states[cursor:end] of `nodes`, in which `count` states are met, breadth-first.

    New states go to states[count:]; `parent` holds where they came from.
    Returns (count, cursor, goal): the goal state met first, or -1; not `to_goal`: no state counts as a goal.
    """
    states, parent, table, rows = nodes.states, nodes.parent, nodes.table, form.work.rows
    most = len(rows)
    while cursor < end:
        if count + most > len(states) or 2 * (count + most) > len(table):
            break
        for i in range(successors(form, states[cursor])):
            row = rows[i]
            slot = find(states, table, row)
            if table[slot] >= 0:
                continue
            copy_row(states[count], row)
            parent[count] = cursor
            table[slot] = count
            count += 1
            if to_goal and is_goal(form, row):
                return count, cursor, count - 1
        cursor += 1
    return count, cursor, -1


# States that a store has room for at first; then it doubles.
FIRST_STATES = 1 << 14

# States of a search from which on a quicker form of the task is worth the time to make it.
LONG = 3_000

Scalar = TypeVar("Scalar", bound=np.generic)

SLOTS_FOR_EACH = 2
"""Slots of the table for each state that there is room for: at least this many, at most twice as many."""


class StateStore:
    """The states of a search as rows of words, each with its parent.

    `count` rows are in use. Breadth-first, `expanded` of them have been expanded, and `layers[d]` is their number up to
    depth d. `most` rows must be free before a state is expanded; no step costs more than `dearest`.
    With `heap`, each state has a cost, and there is room for a heap with as many entries as states. `grow` makes room
    for more, or refuses where the memory limit would be passed. `roots`: the rows that the search begins with, all
    different, by default the initial state; `form`: that of the task, if it is not to be made. Not `to_goal`: no state
    counts as a goal.
    """

    def __init__(
        self,
        task: Task,
        capacity: int = FIRST_STATES,
        *,
        heap: bool = False,
        roots: Words | None = None,
        form: Form | None = None,
        to_goal: bool = True,
    ) -> None:
        self.quick = form is not None
        form = form or form_of(task)
        first = form.init.reshape(1, -1) if roots is None else roots
        self.task, self.to_goal = task, to_goal
        self.form = laid_out(form)
        """The task as kernels take it; a quicker form when the search is long (`look`)."""
        self.count, self.most = len(first), len(form.work.rows)
        self.dearest = int(form.task.cost.max(initial=0))
        capacity = max(capacity, len(first) + 2 * self.most + 1)
        self.states: Words = np.empty((capacity, first.shape[1]), np.uint64)
        self.states[: len(first)] = first
        self.parent: Ints = np.full(capacity, -1, np.int32)
        self.table: Ints = np.empty(0, np.int32)
        room = capacity if heap else 0
        self.cost: Longs = np.zeros(room, np.int64)
        self.estimate: Ints = np.zeros(room, np.int32)
        self.heap_key: Longs = np.zeros(room, np.int64)
        self.heap: Ints = np.zeros(room, np.int32)
        self._laid_out: Nodes | None = None
        self.expanded, self.layers, self.pace = 0, [len(first)], WorkQuota()
        self._hash()

    def _hash(self) -> None:
        size = 1 << (SLOTS_FOR_EACH * len(self.states) - 1).bit_length()
        self.table = np.full(size, -1, np.int32)
        rehash(self.states, self.table, self.count)

    @property
    def nodes(self) -> Nodes:
        """The arrays as they are now, for a kernel."""
        return Nodes(
            states=self.states,
            parent=self.parent,
            table=self.table,
            cost=self.cost,
            estimate=self.estimate,
            heap_key=self.heap_key,
            heap=self.heap,
        )

    @property
    def laid_out(self) -> Nodes:
        """`nodes`, laid out for kernels, until the store grows."""
        if self._laid_out is None:
            self._laid_out = laid_out(self.nodes)
        return self._laid_out

    @property
    def size(self) -> int:
        """The memory of all arrays, in bytes."""
        return sum(array.nbytes for array in self.nodes)

    def grow(self, budget: Budget, others: int = 0) -> bool:
        """Double the room. False if that would pass the memory limit, with `others` bytes held elsewhere, or the range
        of the indices.
        """
        capacity = 2 * len(self.states)
        # While an array is copied, the old one (half as long) is there too: half as much again, for all of them
        # together.
        table = 2 * SLOTS_FOR_EACH * self.table.itemsize
        row = 8 * self.states.shape[1] + self.parent.itemsize + table
        for array in (self.cost, self.estimate, self.heap_key, self.heap):
            row += array.itemsize if len(array) else 0
        if capacity >= 1 << 31 or not budget.fits(others + capacity * row * 3 // 2):
            return False
        self._laid_out = None  # it holds the old arrays
        self.states = _longer(self.states, capacity)
        self.parent = _longer(self.parent, capacity)
        if len(self.heap):
            self.cost = _longer(self.cost, capacity)
            self.estimate = _longer(self.estimate, capacity)
            self.heap_key = _longer(self.heap_key, capacity)
            self.heap = _longer(self.heap, capacity)
        self._hash()
        return True

    @property
    def full(self) -> bool:
        """Whether the store has to grow before the next state is expanded."""
        return self.count + self.most > len(self.states)

    def why_stop(self, budget: Budget, waiting: int = 0, others: int = 0) -> str | None:
        """Why a search cannot go on: a limit, Ctrl-C, or no memory for a store that is full. None if it can; then there
        is room for the successors of one more state. `waiting`: entries of the heap; `others`: bytes held elsewhere.
        """
        if reason := budget.stopped():
            return reason
        full = max(self.count, waiting) + self.most > len(self.states)
        return "memory limit" if full and not self.grow(budget, others) else None

    def quicken(self) -> None:
        """Take a quicker form of the task, once, when the search has got long."""
        if not self.quick and self.count > LONG:
            self.form, self.quick = laid_out(quicker_form(self.task)), True

    def advance(self, end: int) -> int:
        """Expand states[expanded:end], breadth-first, as far as `pace` and the room allow; gives the goal state met or
        -1.
        """
        self.quicken()
        before, last = self.expanded, min(end, self.expanded + self.pace.begin())
        search = self.form, self.laid_out, self.count, before, last, self.to_goal
        self.count, self.expanded, goal = map(int, expand(*search))
        self.pace.end(self.expanded - before)
        return goal

    def search(self) -> int:
        """Expand states of the last layer; gives the goal state met or -1."""
        goal = self.advance(self.layers[-1])
        if goal < 0 and self.expanded == self.layers[-1] < self.count:
            self.layers.append(self.count)
        return goal

    def count_all(self, budget: Budget, most: int) -> int:
        """The number of reachable states, if there are not many more than `most` and none is a goal; else 0."""
        while self.count <= most:
            goal = self.advance(self.count)
            if goal < 0 and self.expanded == self.count:
                return self.count
            if goal >= 0 or self.why_stop(budget):
                return 0
        return 0


def way_to(parent: Ints, index: int) -> list[int]:
    """The states from a root to state `index`, both included."""
    way = [index]
    while parent[way[-1]] >= 0:
        way.append(int(parent[way[-1]]))
    return way[::-1]


def facts_of(words: list[int]) -> frozenset[int]:
    """The true facts of a packed state: the numbers of the bits that are set."""
    return frozenset(64 * w + bit for w, word in enumerate(words) for bit in range(64) if word >> bit & 1)


def _longer(array: NDArray[Scalar], length: int) -> NDArray[Scalar]:
    longer = np.empty((length, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
