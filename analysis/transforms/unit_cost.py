"""The form of a task in which a plan's horizon is its cost: every step costs one."""

from __future__ import annotations

from ...models.task import Task
from .compound_moves import with_macro_operators
from .strips import with_explicit_walker

MACRO_OPERATORS = 4
"""Each compound move becomes one operator if that gives at most this many times the number of single operators;
else the task keeps its compound moves, and a step is a path. (Refuting 40 moves of Klotski took CP-SAT 6,473 conflicts
with macro-operators, 354 for 188 single ones, and 66,667 with a path inside the step. On roomy boards the paths are too
many, and the path inside the step wins.)"""


def with_unit_cost(task: Task) -> Task | None:
    """The same task with steps that cost one each in the first component, or None if operators cost otherwise.

    Walking that is paid for there becomes operators.
    """
    if task.walker and task.walker.cost[0]:
        task = with_explicit_walker(task)
    if task.compound_moves:
        task = with_macro_operators(task, MACRO_OPERATORS * len(task.operators)) or task
    return task if all(op.cost[0] == 1 for op in task.operators) else None
