"""Whether CP-SAT's models can state a task whose actions are programs, and which of them. (Loads no solver.)"""

from __future__ import annotations

from ...models.program import ProgramTask
from ...models.unordered import Unordered, unordered

MOST_LAYERS = 60
"""The most layers of cost that an action may take: each is a literal in every layer."""


def refusal(task: ProgramTask) -> str | None:
    """Why a task of programs cannot be solved: actions that cost too much, in an order that matters; else None."""
    most = max((action.cost[0] for action in task.actions), default=0)
    if most <= MOST_LAYERS * task.layer_cost or (len(task.metric) == 1 and task.computed(unordered)):
        return None
    return (
        f"an action costs {most}, in layers of {task.layer_cost}: `cp-sat` states at most {MOST_LAYERS} layers for "
        "an action that is a program; use `astar`"
    )


def sets_of_actions(task: ProgramTask, strategy: str) -> Unordered | None:
    """The actions, if a model of all sets of them is to be solved first."""
    return task.computed(unordered) if len(task.metric) == 1 and strategy == "auto" else None
