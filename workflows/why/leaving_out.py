"""Leaving out one piece: what the optimum is without it, a bound that shows which pieces matter.

Sound where a piece is nothing but an obstacle: vehicles and blocks that the goal does not name. A plan of the
whole puzzle, without the piece's moves, is one of the puzzle without it; so the optimum without it is never larger.
"""

from __future__ import annotations

from dataclasses import replace

from ...engines.common.reachable import hint
from ...models.task import GroupKind, Task
from ...runtime.budget import Budget

FAMILIES = ("rush-hour", "sliding-block")
"""Families whose pieces only stand in each other's way."""


def without_one(family: str, task: object, budget: Budget) -> dict[str, int]:
    """For each single piece that may be left out, the optimum without it; nothing where that would not be sound, and
    not those for which there was no time.
    """
    if family not in FAMILIES or not isinstance(task, Task):
        return {}
    wanted = {fact for clause in task.goal for fact in clause}
    found = {}
    for group in task.groups:
        if group.kind is GroupKind.OBJECT and group.count == 1 and wanted.isdisjoint(group.facts):
            if budget.stopped():
                break
            answer = hint(_without(task, frozenset(group.facts)), budget)
            if answer.distance is not None:
                found[group.name] = answer.distance
    return found


def _without(task: Task, piece: frozenset[int]) -> Task:
    """The task without the piece that has these places: what it covers at first is free."""
    objects = {fact for group in task.groups if group.kind is GroupKind.OBJECT for fact in group.facts}
    here = piece.intersection(task.init)
    freed = {
        fact
        for group in task.groups
        if group.kind is GroupKind.CELL and not here.isdisjoint(group.facts)
        for fact in group.facts
        if fact not in objects
    }
    return replace(
        task,
        groups=tuple(
            replace(group, facts=tuple(fact for fact in group.facts if fact not in piece))
            for group in task.groups
            if group.kind is not GroupKind.RESOURCE and not piece.issuperset(group.facts)
        ),
        operators=tuple(op for op in task.operators if piece.isdisjoint((*op.pre, *op.add))),
        init=tuple(sorted({*task.init, *freed} - piece)),
    )
