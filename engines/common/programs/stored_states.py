"""All states of a task whose actions are programs, met breadth-first and stored."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....analysis.program_machine import scratch_for, values_of, without_goal
from ....models.plan import Plan
from ....models.program import ProgramTask
from ....runtime.arrays import Flags, Ints, Longs
from ....runtime.budget import Budget
from ....runtime.by_address import laid_out
from ....runtime.events import Progress
from ..difficulty import Column, column_of
from ..stored_states import Span, StoredStates
from .graph_kernels import goals, leave, link, mark_leading
from .kernels import expand_in_order
from .store import ProgramStore


class ProgramStates(StoredStates):
    """The states of a task whose actions are programs, as the values of its variables."""

    def __init__(self, task: ProgramTask, budget: Budget, progress: Progress) -> None:
        super().__init__(budget, progress)
        self.task: ProgramTask = task
        self.store: ProgramStore = ProgramStore(task)
        self.tables, self.endless = laid_out(self.store.tables), laid_out(without_goal(self.store.tables))
        self.scratch = laid_out(scratch_for(task, self.store.tables))

    def advance(self, end: int) -> None:
        """Expand states from the cursor on, at most up to `end`, as far as the pace and the store allow."""
        before, end = self.cursor, min(end, self.cursor + self.pace.begin())
        store = self.store
        store.count, self.cursor, _ = expand_in_order(
            self.endless, self.scratch, store.laid_out, store.count, before, end
        )
        self.pace.end(self.cursor - before)

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return self.store.plan_to(number)

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        for v, variable in enumerate(self.task.variables):
            yield column_of(variable, self.values(v))

    def values(self, variable: int) -> Longs:
        """The value of a variable in each state."""
        return values_of(self.store.tables, self.store.states[: self.store.count], variable)

    def goals(self, start: int = 0) -> NDArray[np.bool_]:
        """For each state from `start` on, whether it is a goal."""
        at_goal = np.zeros(self.store.count - start, np.bool_)
        if not self.task.unsolvable_because:  # its goal may be empty
            goals(self.tables, self.scratch, self.store.laid_out, start, at_goal)
        return at_goal

    def link(self, span: Span, place: Longs, sources: Ints) -> None:
        """Count the edges from a span of states by their target, or enter their sources."""
        link(self.tables, self.scratch, self.store.laid_out, span, place, sources)

    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, or enter where they lead."""
        leave(self.tables, self.scratch, self.store.laid_out, span, first, targets, steps)

    def mark_leading(self, span: Span, layer: Span, leads: Flags) -> None:
        """Mark the states of a span with a successor in the next layer that is marked."""
        mark_leading(self.tables, self.scratch, self.store.laid_out, span, layer, leads)
