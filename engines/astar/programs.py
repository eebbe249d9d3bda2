"""A* over actions as programs, with projections as its lower bound."""

from __future__ import annotations

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.switches import switched_off
from .rules import WITHOUT


def a_star(task: ProgramTask, budget: Budget, progress: Progress = silent, *, without: str | None = None) -> Outcome:
    """Solve a task whose actions are programs, optimally. `without`: `databases` of several variables, or all
    `projections`, for uniform-cost search.
    """
    from ..common.programs.best_first import best_first

    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    return best_first(task, record, "A*", switched_off(WITHOUT, without))
