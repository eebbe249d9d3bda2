"""Functions of walks that are found while A* runs, each the best for states that are open then.

The first function is the best for the initial state, and may say little of others. So when the search has taken about
as long as a larger linear program would, one is solved for a sample of the open states; when it has taken twice as
long, for another; and so on (`analysis.walks.potentials`). How long is counted in expansions, so that runs are
reproducible.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_task import BitsetTask
from ...analysis.heuristic import Estimate
from ...analysis.tunables import TUNABLES
from ...analysis.walks.potentials import WalkPotentials, add_function, program_of
from ...analysis.walks.program import WalkProgram
from ...runtime.budget import Budget
from .open_states import OUT
from .store import EstimatedStore


class LaterFunctions:
    """Finds functions for a task whose estimate has room for them."""

    def __init__(self, packed: BitsetTask, estimate: Estimate, potentials: WalkPotentials, budget: Budget) -> None:
        self._packed, self._estimate, self._potentials, self._budget = packed, estimate, potentials, budget
        self._program: WalkProgram | None = None
        self._chance = np.random.default_rng(0)
        self._due: int | None = TUNABLES.walk_later

    def go_on(self, expanded: int, store: EstimatedStore) -> None:
        """Called after `expanded` expansions: make the linear program, later one function more each time that it is
        due.
        """
        if self._due is None or expanded < self._due:
            return
        estimate = self._estimate
        if self._program is None:
            self._program = program_of(self._packed, estimate.objects, estimate.boards, TUNABLES.walk_rows)
            self._due = None
            if self._program is not None:
                self._due = max(expanded, self._program.rows**2 // TUNABLES.walk_patience)
            return
        states = self._sample(store)
        found = self._program.maximise(states, self._budget.remaining / 10) if states else None
        more = add_function(self._potentials, self._program.room, found)
        self._due = 2 * expanded if more else None

    def _sample(self, store: EstimatedStore) -> list[tuple[list[int], int]]:
        """A random sample of the open states: for each the places of its objects and the walker's cell."""
        (waiting,) = np.nonzero(store.opened.below[: store.count] != OUT)
        chosen = self._chance.permutation(waiting)[: TUNABLES.walk_samples]
        return [self._state(store.row(index)) for index in chosen.tolist()]

    def _state(self, row: NDArray[np.uint64]) -> tuple[list[int], int]:
        objects, words = self._estimate.objects, len(self._estimate.objects.mask)
        held = np.unpackbits(row[:words].view(np.uint8), bitorder="little")[: len(objects.place)]
        places = objects.place[held.astype(np.bool_)]
        return places[places >= 0].tolist(), int(row[words])
