"""The lower bounds of searches over programs: projections to single variables at first, pattern databases when the
search has taken longer than building them will take.
"""

from __future__ import annotations

from math import prod

from ...analysis.inverse_programs import BothWays, State, ends_of
from ...analysis.linked_variables import linked_or_single
from ...analysis.program_projections import Projections, databases_of, no_projections, patterns_of
from ...models.program import ProgramTask
from ...runtime.outcome import Recorder

# The most abstract states of a pattern, of databases that are built one after the other.
DATABASE_SIZES = [500_000, 10_000_000, 200_000_000]

# Seconds of search before the first databases are built.
DATABASES_AFTER = 0.5

# Seconds that an action takes on an abstract state of a database. Twelve turns of a cube: 3 s for 32 million states,
# of which 21 million are reached, 70 s for 764 million.
SECONDS_A_STEP = 1e-8


class GrowingBounds:
    """The bounds of a task. `left_out`: `projections` for none at all, `databases` for those to single variables."""

    def __init__(self, task: ProgramTask, record: Recorder, left_out: frozenset[str]) -> None:
        self.task, self.record = task, record
        wanted = "projections" not in left_out and len(task.metric) == 1
        self.single = linked_or_single(task, record.budget) if wanted else no_projections()
        self.found: Projections = self.single
        self.sizes = list(DATABASE_SIZES) if wanted and "databases" not in left_out else []
        self._began, self._built = record.elapsed, 0.0
        record.stats.update(self.found.stats)

    def grow(self, _nodes: int = 0) -> bool:
        """Build the next pattern databases if the search has taken as long as that will; whether there are new ones."""
        began = self.record.elapsed
        searched = began - self._began - self._built
        if not self.sizes or searched < DATABASES_AFTER:
            return False
        ends = self.task.computed(ends_of)
        grown = not isinstance(ends, str) and self._build(*ends, searched)
        if isinstance(ends, str):
            self.sizes = []  # databases begin at the goals
        self._built += self.record.elapsed - began
        return grown

    def _build(self, goals: list[State], both_ways: BothWays, searched: float) -> bool:
        states = sum(map(self._size, patterns_of(self.task, both_ways, self.sizes[0])))
        if searched < states * len(self.task.actions) * SECONDS_A_STEP:
            return False
        made = databases_of(self.task, both_ways, goals, self.sizes.pop(0), self.record.budget) if states else None
        if made is None:
            self.sizes = []
            return False
        self.found = self.single.with_databases(made)
        self.record.stats.update(databases=len(made.states), database_states=len(made.distances))
        return True

    def _size(self, pattern: tuple[int, ...]) -> int:
        return prod(self.task.variables[v].high - self.task.variables[v].low + 1 for v in pattern)
