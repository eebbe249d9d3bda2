"""What A* does with a state that leaves the queue before it expands it.

Deadlock searches (`box_deadlocks`) and conflicts of larger sets (`larger_conflicts`) take longer than a successor's
first estimate. They are left to states that would be expanded. Functions of walks that are found late
(`later_functions`) are evaluated for such states too, by the kernel that expands them.
"""

from __future__ import annotations

from ...analysis.bitset_task import BitsetTask
from ...analysis.conflicts.conflicts import Conflicts
from ...analysis.conflicts.entry import entry_patience, entry_places, find_entry_conflicts
from ...analysis.conflicts.larger import choice_for
from ...analysis.estimate import Estimate
from ...models.boxes import BoxBoard
from ...models.task import Task
from ...runtime.arrays import Longs
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from .box_deadlocks import drop_dead, searches_for
from .larger_conflicts import raise_estimates
from .later_functions import LaterFunctions
from .store import EstimatedStore
from .tables import Search
from .tunables import ASTAR

LATER = (4, 5)
"""The sizes of sets whose conflicts are found late."""


class SecondLooks:
    """The looks for a task. `estimate` is the one to expand with, `tables` the same laid out for kernels."""

    def __init__(self, task: Task, packed: BitsetTask, estimate: Estimate, budget: Budget) -> None:
        self._packed, self._budget = packed, budget
        self.deadlocks = searches_for(task.view(BoxBoard), estimate, budget)
        self._searches = laid_out(self.deadlocks) if self.deadlocks else None
        self._due = self._later_sizes(estimate) if estimate.triples.size else []
        self._walks = LaterFunctions(packed, estimate, budget) if estimate.walks.unit else None
        self._raises = estimate.triples.size > 0
        self._since = (0, 0)  # expanded and raised when the last table was found
        self._use(estimate)

    @property
    def wanted(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self._searches) or self._raises

    @property
    def conflicts(self) -> tuple[Conflicts, ...]:
        """The tables of sizes 2 to 5; those that are not known are empty."""
        return self.estimate.conflicts, self.estimate.triples, self.estimate.fours, self.estimate.fives

    @property
    def size(self) -> int:
        """Bytes held."""
        larger = sum(table.extra.nbytes for table in self.conflicts)
        return larger + (self.deadlocks.size if self.deadlocks else 0)

    def look(self, search: Search) -> None:
        """Drop the state that is looked at, if it is dead or has to wait."""
        if self._searches:
            drop_dead(self.tables, search, self._searches)
        if self._raises:
            raise_estimates(self.tables, search, self._choice)

    def go_on(self, expanded: int, raised: int, store: EstimatedStore) -> None:
        """After so many expansions, and so many estimates that larger sets have raised: conflicts of four and five
        objects, and functions of walks, when they are worth while; no more looks for what hardly ever finds anything.
        """
        found = 0 if self.deadlocks is None else int(self.deadlocks.found.sum())
        if expanded >= max(ASTAR.looks_tried, ASTAR.looks_for_each * found):
            self._searches = None
        tried, worth = expanded - self._since[0], raised - self._since[1]
        if tried >= max(ASTAR.looks_tried, ASTAR.looks_for_each * worth):
            self._raises = False  # until there are larger sets
        if self._walks is not None:
            self._walks.go_on(expanded, store)
            sets = self._walks.sets(expanded)
            if sets is not None:
                self._use(self.estimate._replace(walk_sets=sets))
        if self._due and expanded >= self._due[0][0]:
            _, size, places = self._due.pop(0)
            objects, boards = self.estimate.objects, self.estimate.boards
            table = find_entry_conflicts(self._packed, objects, boards, size, places, self._budget)
            if table.size:
                self._raises, self._since = True, (expanded, raised)
                self._use(self.estimate._replace(fours=table) if size == 4 else self.estimate._replace(fives=table))

    def _later_sizes(self, estimate: Estimate) -> list[tuple[int, int, Longs]]:
        """After how many expansions the conflicts of sets of which size are found, at which places; in this order."""
        places = {size: entry_places(self._packed, estimate.objects, estimate.boards, size) for size in LATER}
        return sorted(
            (entry_patience(self._packed, among, size), size, among) for size, among in places.items() if len(among)
        )

    def _use(self, estimate: Estimate) -> None:
        self.estimate, self.tables = estimate, laid_out(estimate)
        self._choice = laid_out(choice_for(self.conflicts, estimate.objects.count))
