"""Breadth-first search over actions as programs."""

from __future__ import annotations

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder


def breadth_first(task: ProgramTask, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task whose actions are programs: in layers, or the cheapest states first where actions differ in cost."""
    from ..common.programs.best_first import best_first
    from ..common.programs.in_order import in_order

    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    return (
        in_order(task, record)
        if task.uniform
        else best_first(task, record, "uniform-cost search", frozenset({"projections"}))
    )
