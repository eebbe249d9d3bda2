"""The states that A* has met, with their costs and estimates, and which of them are open, within a memory limit."""

from __future__ import annotations

import numpy as np

from ....analysis.bitset_task import BitsetTask
from ....analysis.estimate import look
from ....analysis.movable_objects import MovableObjects
from ....runtime.budget import Budget
from ..states.store import StateStore
from .kernels import Scratch
from .open_states import BUCKETS, FIRST_BUCKETS, longer, open_states


class EstimatedStore(StateStore):
    """A `StateStore` whose states have an estimate too; with `walks`, states keep the walker's very cell."""

    def __init__(self, task: BitsetTask, *, walks: bool) -> None:
        super().__init__(task)
        self.most = task.most
        self.cost = np.zeros(len(self.states), np.int64)
        self.estimate = np.zeros(len(self.states), np.int64)
        self.opened = open_states(len(self.states), max(FIRST_BUCKETS, 1 << (4 * task.most).bit_length()))
        if walks:
            self.states[0, task.words] = task.start
            self._hash()

    def grow(self, budget: Budget, others: int = 0) -> bool:
        """Room for twice the states, or where only buckets are lacking, for those."""
        size, opened = len(self.states), sum(array.nbytes for array in self.opened)
        if self.count + self.most <= size:
            if not budget.fits(others + self.size + 3 * opened):
                return False
            self.opened = longer(self.opened, size)
            return True
        # Twice as much of each, and the old ones while they are copied.
        held = self.cost.nbytes + self.estimate.nbytes + opened
        if not super().grow(budget, others + 3 * held):
            return False
        more = np.zeros(len(self.states) - size, np.int64)
        self.cost, self.estimate = np.concatenate((self.cost, more)), np.concatenate((self.estimate, more))
        self.opened = longer(self.opened, len(self.states))
        return True

    def full(self, task: BitsetTask) -> bool:
        return super().full(task) or int(self.opened.sizes[BUCKETS]) + task.most >= len(self.opened.key)


def scratch_for(task: BitsetTask, objects: MovableObjects) -> Scratch:
    """Scratch arrays for the kernels of A*."""
    cells, places = max(1, len(task.free_bit)), len(objects.fact)
    return Scratch(
        row=np.zeros(task.row, np.uint64),
        reached=np.zeros(cells, np.uint8),
        again=np.zeros(cells, np.uint8),
        stack=np.zeros(cells, np.int32),
        distance=np.zeros(cells, np.int32),
        label=np.zeros(cells, np.int32),
        corral=np.zeros(places, np.uint8),
        chosen=np.zeros(places, np.uint8),
        look=look(objects),
    )
