"""The lower bounds of searches over programs: projections to single variables at first, pattern databases when the
search has taken longer than building them will take.
"""

from __future__ import annotations

from math import prod

from ....analysis.programs.tables import ProgramTables
from ....analysis.projections.build import Projections, no_projections, projections_of
from ....analysis.projections.databases import databases_of, patterns_of
from ....analysis.projections.tunables import DATABASE_SIZES, PROJECTIONS
from ....analysis.substitutions.build import BothWays, goal_states_of, substitutions_of
from ....models.program import ProgramTask
from ....runtime.outcome import Recorder

Ends = tuple[list[tuple[int, ...]], BothWays]


class GrowingBounds:
    """The bounds of a task. `left_out`: `projections` for none at all, `databases` for those to single variables."""

    def __init__(self, task: ProgramTask, tables: ProgramTables, record: Recorder, left_out: frozenset[str]) -> None:
        self.task, self.programs, self.record = task, tables, record
        wanted = "projections" not in left_out and len(task.metric) == 1
        self.single = projections_of(task, tables, record.budget) if wanted else no_projections()
        self.found: Projections = self.single
        self.sizes = list(DATABASE_SIZES) if wanted and "databases" not in left_out else []
        self._ends: Ends | None = None
        self._began, self._built = record.elapsed, 0.0
        record.stats.update(self.found.stats)

    def grow(self) -> bool:
        """Build the next pattern databases if the search has taken as long as that will; whether there are new ones."""
        began = self.record.elapsed
        searched = began - self._began - self._built
        if not self.sizes or searched < PROJECTIONS.databases_after:
            return False
        self._ends = self._ends or self._both_ends()
        grown = self._ends is not None and self._build(*self._ends, searched)
        self._built += self.record.elapsed - began
        return grown

    def _build(self, goals: list[tuple[int, ...]], both_ways: BothWays, searched: float) -> bool:
        states = sum(map(self._size, patterns_of(self.task, both_ways, self.sizes[0])))
        if searched < states * len(self.task.actions) * PROJECTIONS.seconds_a_step:
            return False
        made = databases_of(self.task, both_ways, goals, self.sizes.pop(0), self.record.budget) if states else None
        if made is None:
            self.sizes = []
            return False
        self.found = self.single.with_databases(made.tables)
        self.record.stats.update(databases=made.count, database_states=made.states)
        return True

    def _both_ends(self) -> Ends | None:
        """The goal states and the substitutions, if databases can be built from them."""
        if not self.task.uniform:
            self.sizes = []
            return None
        goals = goal_states_of(self.task, self.programs, PROJECTIONS.most_goals)
        both_ways = substitutions_of(self.task, self.programs)
        if goals is None or isinstance(both_ways, str):
            self.sizes = []
            return None
        return goals, both_ways

    def _size(self, pattern: tuple[int, ...]) -> int:
        return prod(self.task.variables[v].high - self.task.variables[v].low + 1 for v in pattern)
