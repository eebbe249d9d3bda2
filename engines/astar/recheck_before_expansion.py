"""The rechecks of A*: tests of a state that has left the queue, before it is expanded.

Deadlock searches (`box_deadlocks`) and conflicts of three objects (`larger_conflicts`) take longer than a successor's
first estimate. They are left to states that would be expanded.
"""

from __future__ import annotations

from ...analysis.bitset_task import BitsetTask
from ...analysis.box_conflicts import Conflicts, conflict_scratch, find_conflicts, no_conflicts
from ...analysis.estimate import tables_of
from ...analysis.heuristic import Estimate
from ...models.boxes import BoxBoard
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from .box_deadlocks import drop_dead, searches_for
from .larger_conflicts import ConflictTables, raise_estimates
from .late_bounds import LateBounds, look_late
from .tables import AStarSearch

# Expansions after which deadlock searches, or conflicts of larger sets, are given up if they have found hardly
# anything. XSokoban 72, of which deadlock searches find 3 states dead: 7.2 s of processor time, 22.5 s with 50,000.
LOOKS_TRIED = 10_000

# They have found hardly anything if it is less than one state in this many. Microban 139 in moves: 5 found in 3
# million.
LOOKS_FOR_EACH = 500


class Rechecks:
    """The second looks for a task, except those named in `without`. `tables` is the estimate laid out for kernels.

    `late`: bounds that every state gets once, or None. `conflicts`: the tables of pairs and triples, empty where they
    are not known; `pairs_name`: the heuristic that has those of pairs.
    """

    def __init__(
        self,
        task: Task,
        packed: BitsetTask,
        estimate: Estimate,
        budget: Budget,
        without: frozenset[str] = frozenset(),
        late: LateBounds | None = None,
    ) -> None:
        self.late = late
        self.tables = laid_out(estimate)
        searches = "deadlock-searches" not in without
        self.deadlocks = searches_for(task.view(BoxBoard), estimate, budget) if searches else None
        self._searches = laid_out(self.deadlocks) if self.deadlocks else None
        self.pairs_name, pairs = tables_of(estimate, Conflicts) or ("", no_conflicts())
        triples = no_conflicts()
        if pairs.unit and "conflicts-3" not in without:
            triples = find_conflicts(packed, estimate.objects, estimate.boards, 3, budget, fewer=pairs)
        self.conflicts = ConflictTables(pairs, triples)
        self._laid_conflicts = laid_out(self.conflicts)
        self._choice = laid_out(conflict_scratch(self.conflicts, estimate.objects.count))
        self._raises = triples.size > 0

    @property
    def wanted(self) -> bool:
        """Whether any test is switched on that could find something."""
        return bool(self._searches) or self._raises or self.late is not None

    @property
    def size(self) -> int:
        """Bytes held."""
        larger = sum(table.extra.nbytes for table in self.conflicts)
        return larger + (self.deadlocks.size if self.deadlocks else 0)

    def look(self, search: AStarSearch) -> None:
        """Test the state that has left the queue; drop it if it is dead or has to wait again."""
        if self.late is not None:
            look_late(self.tables, self.late.tables, search)
        if self._searches:
            drop_dead(self.tables, search, self._searches)
        if self._raises:
            raise_estimates(self.tables, self._laid_conflicts, search, self._choice)

    def go_on(self, expanded: int, raised: int) -> None:
        """Called after `expanded` expansions, `raised` estimates having been raised by triples: end the tests that
        hardly ever find anything.
        """
        found = 0 if self.deadlocks is None else int(self.deadlocks.found.sum())
        if expanded >= max(LOOKS_TRIED, LOOKS_FOR_EACH * found):
            self._searches = None
        if expanded >= max(LOOKS_TRIED, LOOKS_FOR_EACH * raised):
            self._raises = False
