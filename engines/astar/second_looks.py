"""Second looks: the tests that A* makes of a state that has left the queue, before it expands it.

Deadlock searches (`box_deadlocks`) and conflicts of larger sets (`larger_conflicts`) take longer than a successor's
first estimate. They are left to states that would be expanded.
"""

from __future__ import annotations

from ...analysis.bitset_task import BitsetTask
from ...analysis.conflicts.conflicts import Conflicts, find_conflicts, no_conflicts
from ...analysis.conflicts.entry import entry_patience, entry_places, find_entry_conflicts
from ...analysis.conflicts.larger import conflict_scratch
from ...analysis.estimate import tables_of
from ...analysis.heuristic import Estimate
from ...models.boxes import BoxBoard
from ...models.task import Task
from ...runtime.arrays import Longs
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from .box_deadlocks import drop_dead, searches_for
from .larger_conflicts import ConflictTables, raise_estimates
from .late_bounds import LateBounds, look_late
from .tables import AStarSearch
from .tunables import ASTAR

LATER = (4, 5)
"""The sizes of the sets whose conflicts are found only after some expansions."""


class SecondLooks:
    """The second looks for a task, except those named in `without`. `tables` is the estimate laid out for kernels.

    `late`: bounds that every state gets once, or None. `conflicts`: the tables of sizes 2 to 5, those that are not
    known are empty; `pairs_name`: the heuristic that has those of pairs.
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
        self._packed, self._budget, self._estimate, self._without = packed, budget, estimate, without
        self.tables = laid_out(estimate)
        searches = "deadlock-searches" not in without
        self.deadlocks = searches_for(task.view(BoxBoard), estimate, budget) if searches else None
        self._searches = laid_out(self.deadlocks) if self.deadlocks else None
        self.pairs_name, pairs = tables_of(estimate, Conflicts) or ("", no_conflicts())
        self._use(ConflictTables(pairs, self._triples(pairs), no_conflicts(), no_conflicts()))
        self._raises = self.conflicts.triples.size > 0
        self._due = self._later_sizes() if self._raises or (pairs.unit and "conflicts-3" in without) else []
        self._since = (0, 0)  # expanded and raised when the last table was found

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
        """Called after `expanded` expansions, `raised` estimates having been raised by larger sets: find conflicts of
        four and five objects once they pay off, and end the tests that hardly ever find anything.
        """
        found = 0 if self.deadlocks is None else int(self.deadlocks.found.sum())
        if expanded >= max(ASTAR.looks_tried, ASTAR.looks_for_each * found):
            self._searches = None
        tried, worth = expanded - self._since[0], raised - self._since[1]
        if tried >= max(ASTAR.looks_tried, ASTAR.looks_for_each * worth):
            self._raises = False  # until there are larger sets
        if self._due and expanded >= self._due[0][0]:
            _, size, places = self._due.pop(0)
            objects, boards = self._estimate.objects, self._estimate.boards
            table = find_entry_conflicts(self._packed, objects, boards, size, places, self._budget)
            if table.size:
                self._raises, self._since = True, (expanded, raised)
                self._use(self.conflicts._replace(fours=table) if size == 4 else self.conflicts._replace(fives=table))

    def _triples(self, pairs: Conflicts) -> Conflicts:
        """The table of the conflicts of three objects; empty if those of pairs are not known."""
        if not pairs.unit or "conflicts-3" in self._without:
            return no_conflicts()
        objects, boards = self._estimate.objects, self._estimate.boards
        return find_conflicts(self._packed, objects, boards, 3, self._budget, fewer=pairs)

    def _later_sizes(self) -> list[tuple[int, int, Longs]]:
        """(expansions, size, places), in ascending order: when the conflicts of sets of a size are found, at which
        places.
        """
        objects, boards = self._estimate.objects, self._estimate.boards
        sizes = [size for size in LATER if f"conflicts-{size}" not in self._without]
        places = {size: entry_places(self._packed, objects, boards, size) for size in sizes}
        return sorted(
            (entry_patience(self._packed, among, size), size, among) for size, among in places.items() if len(among)
        )

    def _use(self, conflicts: ConflictTables) -> None:
        self.conflicts, self._laid_conflicts = conflicts, laid_out(conflicts)
        self._choice = laid_out(conflict_scratch(conflicts, self._estimate.objects.count))
