"""Whether CP-SAT's models can state a task whose actions are programs. (Loads no solver.)"""

from __future__ import annotations

from ...models.program import ProgramTask
from ...models.unordered import unordered

MOST_LAYERS = 60
"""The most layers of cost that an action may take: each is a literal in every layer."""


def refusal(task: ProgramTask) -> str | None:
    """Why a task of programs cannot be solved: actions that cost too much, in an order that matters; else None."""
    most = max(action.cost[0] for action in task.actions)
    if most <= MOST_LAYERS * task.layer_cost or (len(task.metric) == 1 and task.computed(unordered)):
        return None
    return (
        f"an action costs {most}, in layers of {task.layer_cost}: `cp-sat` states at most {MOST_LAYERS} layers for "
        "an action that is a program; use `astar`"
    )
