"""Random tasks for bounds by shares of costs."""

from __future__ import annotations

import random

from budge.engines.astar import search as two_searches
from budge.engines.astar.search import Given, Search
from budge.models.task import OperatorTask, operator
from budge.runtime.outcome import Outcome

from .random_tasks import random_task


def lone_facts(seed: int) -> OperatorTask:
    """A random task with facts of no group, which operators make true whether they are or not."""
    pick = random.Random(seed)
    task = random_task(seed, most_cost=1 + seed % 5)
    lone = range(len(task.facts), len(task.facts) + 3)
    operators = []
    for op in task.operators:
        add = [f for f in lone if pick.random() < 0.3]
        asked = [f for f in lone if f not in add and pick.random() < 0.2]
        delete = [f for f in asked if pick.random() < 0.5]
        operators.append(operator(op.name, [*op.pre, *asked], [*op.add, *add], [*op.delete, *delete], None, op.cost))
    facts = (*task.facts, *(f"lone {n}" for n in range(3)))
    made = OperatorTask(
        task.name, facts, task.groups, tuple(operators), task.init, (*task.goal, (lone[0],)), task.metric
    )
    made.validate()
    return made


def tasks(seed: int) -> OperatorTask:
    return lone_facts(seed) if seed % 2 else random_task(seed, most_cost=1 + seed % 5)


def late_bounds_alone(first: Search, given: Given) -> Outcome:
    search = two_searches._with_late_bounds(first, given)
    outcome = search.begin() if search else None
    search = search or first
    while outcome is None:
        outcome = search.go_on()
    return outcome
