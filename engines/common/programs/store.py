"""The states that a search over programs has met."""

from __future__ import annotations

from itertools import pairwise

from ....analysis.programs.tables import packed, program_tables, unpacked
from ....models.plan import Plan
from ....models.program import Machine, ProgramTask
from ..store import RowStore, way_to


class ProgramStore(RowStore):
    """States of a program task."""

    def __init__(self, task: ProgramTask, *, heap: bool = False) -> None:
        self.task, self.tables = task, program_tables(task)
        super().__init__(packed(self.tables, task.init)[None, :], len(task.actions), heap=heap)

    def plan_to(self, index: int) -> Plan:
        """The plan that led to a stored state: of the actions that lead from one state to the next, the cheapest."""
        machine = Machine(self.task)
        way = [unpacked(self.tables, self.states[state]) for state in way_to(self.parent, index)]
        return self.task.plan(
            min(
                (action for action in self.task.actions if machine.after(before, action) == after),
                key=lambda action: action.cost,
            )
            for before, after in pairwise(way)
        )
