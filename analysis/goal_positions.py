"""Which facts of a group may be true in a goal state, derived from the groups and one goal clause at a time."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from ..models.task import Task
from .structure import structure_of


class GoalPositions(NamedTuple):
    """The goal's condition on a group: the facts that may be true in a goal state, and clauses that each need one of
    them.

    The clauses have no fact in common, so each needs a fact of its own.
    """

    allowed: frozenset[int]
    clauses: tuple[frozenset[int], ...]


def false_at_goal(task: Task) -> set[int]:
    """The facts that are false in every goal state: all facts of some clause exclude them."""
    structure = structure_of(task)
    false: set[int] = set()
    for clause in task.goal:
        false |= set(range(len(task.facts))).intersection(*(structure.excluded_by(fact) for fact in clause))
    return false


def goal_positions(task: Task, facts: Sequence[int], count: int, false: Set[int]) -> GoalPositions:
    """What the goal asks of the facts of a group with `count` true ones; `false` as in `false_at_goal`.

    Where the clauses are as many as the true facts, those stand in the clauses: nothing else is allowed.
    """
    members = set(facts)
    clauses: list[frozenset[int]] = []
    taken: set[int] = set()
    for clause in task.goal:
        if members.issuperset(clause) and taken.isdisjoint(clause):
            clauses.append(frozenset(clause))
            taken.update(clause)
    allowed = members - false
    return GoalPositions(frozenset(allowed & taken if len(clauses) >= count else allowed), tuple(clauses))
