"""Whether CP-SAT's models can state a task whose actions are programs. (Loads no solver.)"""

from __future__ import annotations

from ...models.program import ProgramTask
from ...models.unordered import unordered


def refusal(task: ProgramTask) -> str | None:
    """Why a task of programs cannot be solved: actions that differ in cost, in an order that matters; else None."""
    if task.uniform or (len(task.metric) == 1 and task.computed(unordered)):
        return None
    return "the engine `cp-sat` needs actions that cost one each where they are programs; use `astar`"
