"""The states that A* has met, with their costs and estimates, within a memory limit."""

from __future__ import annotations

import numpy as np

from ....analysis.bitset_task import BitsetTask
from ....analysis.estimate import look
from ....analysis.movable_objects import MovableObjects
from ....runtime.budget import Budget
from ..states.store import StateStore
from .kernels import Scratch


class EstimatedStore(StateStore):
    """A `StateStore` whose states have an estimate too; with `walks`, states keep the walker's very cell."""

    def __init__(self, task: BitsetTask, *, walks: bool) -> None:
        super().__init__(task, heap=True)
        self.estimate = np.zeros(len(self.states), np.int64)
        if walks:
            self.states[0, task.words] = task.start
            self._hash()

    def grow(self, budget: Budget, others: int = 0) -> bool:
        # Twice as many estimates, and the old ones while these are copied.
        if not super().grow(budget, others + 3 * self.estimate.nbytes):
            return False
        self.estimate = np.concatenate((self.estimate, np.zeros(len(self.states) - len(self.estimate), np.int64)))
        return True


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
