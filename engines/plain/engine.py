"""Uniform-cost search in plain Python: for small puzzles, and as the reference for testing the compiled searches.

States are expanded in the order of their cost from the initial state (Dijkstra, *A note on two problems in connexion
with graphs*, 1959); where every step costs one, that is breadth-first search. A goal that costs no more than the
cheapest state not yet expanded plus the cheapest step is a cheapest one. When no state is left, there is no plan.
"""

from __future__ import annotations

from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.plain_search import PlainSearch


def solve(task: Task, budget: Budget, progress: Progress = silent, max_states: int | None = None) -> Outcome:
    """Solve a task, of operators or programs. Gives up when more than `max_states` states are known."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1, expanded=0)
    return record.trivial(task) or PlainSearch(task, record, max_states).run()
