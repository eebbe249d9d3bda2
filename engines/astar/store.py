"""The states that A* has met, with their costs and estimates, and which of them are open, within a memory limit."""

from __future__ import annotations

import sys

import numpy as np

from ...analysis.bitset_kernels import walk_region
from ...analysis.bitset_task import BitsetTask
from ...analysis.estimate import survey_arrays
from ...analysis.movable_objects import MovableObjects
from ...analysis.symmetries import no_symmetries, symmetries_of
from ...models.plan import apply
from ...models.task import OperatorTask
from ...runtime.arrays import Longs, Words, bit_rows, zeros
from ...runtime.budget import MIB, Budget
from ..common.store import FIRST_STATES, facts_of
from ..common.successors import workspace
from .kernels import walks_back
from .packed_states import (
    BUCKETS,
    ESTIMATE,
    FIRST_BUCKETS,
    LOW,
    PackedStates,
    Packing,
    fill_table,
    longer,
    open_states,
    pack_row,
    packing_for,
    unpack_row,
)
from .tables import SEVERAL, AStarSearch, ExpansionScratch, PlanProgress, exchange_in_row, images_for

# Slots of the table for each state that there is room for: 1.5 leaves one of three empty.
SLOTS = 1.5

# The least growth of a full store, where memory does not allow twice its capacity.
LEAST_GROWTH = 1.1

SMALL_STEP = 1 << 10
"""The largest cost of a step, walk included, for which costs fit into 32 bits even on a path of a million steps."""


class EstimatedStore:
    """The states met, by number; 0 is the initial one. `count` of them are in use.

    `grow` makes room for more, or refuses where the memory limit would be passed. With `walks`, states keep the
    walker's very cell; otherwise the first one of its region. With `ranks`, open states are also ordered by rank.
    With `looks`, it is noted which states were looked at. `without`: rules that are switched off (`rules`).
    """

    def __init__(
        self,
        task: OperatorTask,
        packed: BitsetTask,
        *,
        walks: bool,
        ranks: bool = False,
        looks: bool = False,
        without: frozenset[str] = frozenset(),
    ) -> None:
        self.task, self.packed, self.most, self.count = task, packed, packed.most, 1
        self.packing = packing_for(task, packed, by_objects=walks and "dominance" not in without and walks_back(packed))
        turns = not walks and "symmetries" not in without
        self.images = images_for(symmetries_of(task) if turns else no_symmetries(task), self.packing)
        self.work = workspace(packed)
        capacity = max(FIRST_STATES, 2 * packed.most + 2)
        self.nodes = PackedStates(
            rows=np.zeros((capacity, self.packing.words), np.uint64),
            parent=np.full(capacity, -1, np.int32),
            turned=np.zeros(capacity if self.images else 0, np.uint8),
            values=np.zeros((capacity, 2 if _is_narrow(task, packed) else 4), np.int32),
            looked=np.zeros(capacity if looks else 0, np.uint8),
            older=np.full(capacity if self.packing.by_objects else 0, -1, np.int32),
            table=np.full(int(SLOTS * capacity), -1, np.int32),
        )
        buckets = max(FIRST_BUCKETS, 1 << (4 * packed.most).bit_length())
        self.opened = open_states(capacity, buckets)
        self.ranked = open_states(capacity, buckets) if ranks else open_states(0, 1)
        self.rank = np.zeros(capacity if ranks else 0, np.int32)
        first = np.zeros(packed.row, np.uint64)
        first[: packed.words] = packed.init
        if packed.has_walker:
            first[packed.words] = packed.start if walks else self._region(first, packed.start)
        pack_row(self.packing, first, self.nodes.rows[0])
        fill_table(self.packing, self.nodes, 1)

    def _region(self, row: Words, cell: int) -> int:
        """The first cell of the region in which the walker is on a cell."""
        return int(walk_region(self.packed, row, cell, self.work.region, self.work.stack))

    def row(self, index: int) -> Words:
        """The unpacked row of a state, as kernels read it."""
        row = np.zeros(self.packed.row, np.uint64)
        unpack_row(self.packing, self.nodes.rows[index], row)
        return row

    def search(
        self,
        scratch: ExpansionScratch,
        control: Longs,
        progress: PlanProgress,
        numbers: tuple[int, int, int],
        follows: bool = False,
    ) -> AStarSearch:
        """The tables of a search over these states. `numbers`: `looks`, `walk_cost` and `unit` of `AStarSearch`."""
        lists = (self.packing, self.images, self.nodes, self.opened, self.work, scratch, control)
        return AStarSearch(*lists, self.ranked, self.rank, progress, *numbers, int(follows))

    def set_estimate(self, value: int) -> None:
        """Set the estimate of the initial state."""
        halves = np.array([value & LOW, value >> 32], np.uint32).view(np.int32)
        self.nodes.values[0, ESTIMATE::2] = halves[: self.nodes.values.shape[1] // 2]

    def path_to(self, index: int) -> Words:
        """The rows of the states from the initial one to a state, in order; those that were turned are turned back.

        If c follows from b by a push and the symmetry g, and b from a by a push and f, then the inverse of f maps b to
        a successor of a, and the inverse of g, followed by that of f, maps c to a successor of that one.
        """
        path = [index]
        while self.nodes.parent[path[-1]] >= 0:
            path.append(int(self.nodes.parent[path[-1]]))
        rows = [self.row(path[-1])]
        back, cells = np.arange(self.images.fact.shape[1]), np.arange(self.images.cell.shape[1])
        for state in reversed(path[:-1]):
            for turned in self._turns_to(state):
                back = back[np.argsort(self.images.fact[turned])]
                cells = cells[np.argsort(self.images.cell[turned])]
            rows.append(self._turned(self.row(state), back, cells))
        return np.array(rows)

    def _turns_to(self, state: int) -> list[int]:
        """The symmetries that, one after the other, made a stored state canonical. Of several, the cheapest operator
        that leads there says which.
        """
        turned = int(self.nodes.turned[state]) if len(self.nodes.turned) else 0
        if turned != SEVERAL or not self.images.exchanges:
            return [turned - 1] if turned else []
        key, image = np.zeros((2, self.packing.words), np.uint64)
        before = facts_of(self.row(int(self.nodes.parent[state])).tolist())
        for op in sorted(self.task.operators, key=lambda op: op.cost):
            if before.issuperset(op.pre):
                row = bit_rows([sorted(apply(before, op))], self.packed.words)[0]
                exchange_in_row(self.packing, self.images, row, key, image)
                if (key == self.nodes.rows[state]).all():
                    applied: list[int] = self.images.applied[1 : 1 + int(self.images.applied[0])].tolist()
                    return applied
        raise AssertionError("no operator leads to the state")

    def _turned(self, row: Words, fact: Longs, cell: Longs) -> Words:
        """The image of a row under a symmetry of facts and cells, with the first cell of the walker's region."""
        if (fact[:-1] < fact[1:]).all() and (cell[:-1] < cell[1:]).all():
            return row
        words = self.packed.words
        image = np.zeros_like(row)
        image[:words] = bit_rows([fact[sorted(facts_of(row[:words].tolist()))].tolist()], words)[0]
        if self.packed.has_walker:
            image[words] = self._region(image, int(cell[int(row[words])]))
        return image

    @property
    def size(self) -> int:
        """The memory of all arrays, in bytes."""
        return sum(array.nbytes for array in (*self.nodes, *self.opened, *self.ranked, self.rank))

    @property
    def full(self) -> bool:
        """Whether the store has to grow before the next state is expanded."""
        lists = (self.opened, self.ranked) if len(self.rank) else (self.opened,)
        buckets = any(int(states.sizes[BUCKETS]) + self.most >= len(states.top) for states in lists)
        return buckets or self.count + self.most > len(self.nodes.rows)

    def grow(self, budget: Budget, others: int = 0) -> bool:
        """Room for twice the states, or for as many as fit; where only buckets are lacking, for those. False if that
        would pass the memory limit, with `others` bytes held elsewhere, or the range of the indices. Ranks are given up
        before that, and where there is no room for twice the states with them.
        """
        before = len(self.nodes.rows)
        lists = (self.opened, self.ranked) if len(self.rank) else (self.opened,)
        links = [array for states in lists for array in (states.below, states.above)]
        buckets = sum(array.nbytes for states in lists for array in states) - sum(array.nbytes for array in links)
        if self.count + self.most <= before:
            if not budget.fits(others + self.size + 2 * buckets):
                return self._give_up_ranks() and self.grow(budget, others)
            self._lengthen(before)
            return True
        each = sum(array[:1].nbytes for array in self.nodes[:-1]) + SLOTS * self.nodes.table.itemsize
        each += sum(array.itemsize for array in links) + (self.rank.itemsize if len(self.rank) else 0)
        if sys.platform != "linux":
            each += self.nodes.rows[:1].nbytes  # the longest array is copied; Linux moves its pages
        room = (1 << 31) - 1
        if budget.memory_mib is not None:
            room = min(room, int((budget.memory_mib * MIB - others - 3 * buckets) / each))
        capacity = min(2 * before, room)
        if capacity < 2 * before and self._give_up_ranks():
            return self.grow(budget, others)
        if capacity < LEAST_GROWTH * before or capacity < self.count + self.most:
            return False
        nodes = self.nodes._replace(table=np.empty(0, np.int32))
        self.nodes = nodes
        for array in nodes[:-1]:
            if len(array):
                array.resize((capacity, *array.shape[1:]), refcheck=False)
        self.nodes = nodes._replace(table=np.full(int(SLOTS * capacity), -1, np.int32))
        fill_table(self.packing, self.nodes, self.count)
        self._lengthen(capacity)
        return True

    def _give_up_ranks(self) -> bool:
        """Free the memory of the ranks, on which no proof depends; False if the store has no ranks."""
        had = len(self.rank) > 0
        self.rank, self.ranked = np.zeros(0, np.int32), open_states(0, 1)
        return had

    def _lengthen(self, states: int) -> None:
        """Make room for `states` states in the queues of open ones, and for more buckets if they are nearly full."""
        self.opened = longer(self.opened, states)
        if len(self.rank):
            self.ranked = longer(self.ranked, states)
            self.rank.resize(states, refcheck=False)


def _is_narrow(task: OperatorTask, packed: BitsetTask) -> bool:
    """Whether costs fit into 32 bits."""
    walk = task.walker.cost[0] if task.walker else 0
    step = int(packed.cost.max(initial=0)) + walk * len(packed.free_bit)
    return len(task.metric) == 1 and step <= SMALL_STEP


def scratch_for(task: BitsetTask, objects: MovableObjects, packing: Packing) -> ExpansionScratch:
    """Scratch arrays for the kernels of A*."""
    cells, places = max(1, len(task.free_bit)), len(objects.fact)
    words, look = packing.words, survey_arrays(objects)
    return zeros(
        ExpansionScratch, cells, state=task.row, row=task.row, key=words, image=words, chosen=places, look=look
    )
