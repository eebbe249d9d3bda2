"""Small random tasks of variables and operators with costs, for what needs no rules of a puzzle."""

from __future__ import annotations

import random

from budge.models.task import ExactlyInvariant, GroupKind, Operator, OperatorTask, operator


def random_task(seed: int, most_cost: int = 3, components: int = 1) -> OperatorTask:
    """A task of three to five variables with two to four values each; a goal with some clauses of two facts."""
    pick = random.Random(seed)
    facts: list[str] = []
    groups: list[ExactlyInvariant] = []
    for number in range(pick.randint(3, 5)):
        values = tuple(range(len(facts), len(facts) + pick.randint(2, 4)))
        facts += [f"v{number} = {n}" for n in range(len(values))]
        groups.append(ExactlyInvariant(f"v{number}", GroupKind.OBJECT, values))
    operators: list[Operator] = []
    for number in range(pick.randint(6, 16)):
        changed = pick.sample(groups, pick.randint(1, 2))
        pairs = [pick.sample(group.facts, 2) for group in changed]
        asked = [pick.choice(group.facts) for group in groups if group not in changed and pick.random() < 0.3]
        before, after = [one for one, _ in pairs], [other for _, other in pairs]
        cost = tuple(pick.randint(0, most_cost) for _ in range(components))
        operators.append(operator(f"o{number}", [*before, *asked], after, before, None, cost))
    goal = set()
    for group in pick.sample(groups, pick.randint(1, 3)):
        goal.add(tuple(sorted(pick.sample(group.facts, pick.choice([1, 1, 2]) if len(group.facts) > 2 else 1))))
    task = OperatorTask(
        name=f"random {seed}",
        facts=tuple(facts),
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(pick.choice(group.facts) for group in groups)),
        goal=tuple(sorted(goal)),
        metric=("cost", "more")[:components],
    )
    task.validate()
    return task
