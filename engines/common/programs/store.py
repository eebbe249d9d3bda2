"""The states that a search over programs has met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from ....analysis.program_machine import ProgramTables, packed, program_tables, unpacked
from ....models.plan import Plan
from ....models.program import Machine, ProgramTask
from ....runtime.arrays import Words
from ..store import RowStore, way_to


class ProgramStore(RowStore):
    """States of a program task; `roots`: those that a search begins with, the initial state if none are given."""

    def __init__(self, task: ProgramTask, *, heap: bool = False, roots: Sequence[tuple[int, ...]] = ()) -> None:
        self.task, self.tables = task, task.computed(program_tables)
        rows = np.array([packed(self.tables, state) for state in roots or (task.init,)])
        super().__init__(rows, len(task.actions), heap=heap)

    def plan_to(self, index: int) -> Plan:
        """The plan that led to a stored state."""
        return plan_over(self.task, self.tables, self.states[way_to(self.parent, index)])


def plan_over(task: ProgramTask, tables: ProgramTables, rows: Iterable[Words]) -> Plan:
    """The plan that leads from each state to the next: of the actions that do, the cheapest."""
    machine = Machine(task)
    way = [unpacked(tables, row) for row in rows]
    return task.plan(
        min(
            (action for action in task.actions if machine.after(before, action) == after),
            key=lambda action: action.cost,
        )
        for before, after in pairwise(way)
    )
