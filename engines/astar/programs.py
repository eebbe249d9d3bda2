"""A* over actions as programs, with projections as its lower bound."""

from __future__ import annotations

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder


def a_star(task: ProgramTask, budget: Budget, progress: Progress = silent, *, without: str | None = None) -> Outcome:
    """Solve a task whose actions are programs, optimally. `without`: `projections`, for a search without a bound."""
    from ..common.programs.best_first import best_first

    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if task.unsolvable_because:
        return record.unsolvable(task.unsolvable_because)
    return best_first(task, record, "A*", projections="projections" not in (without or "").split(","))
