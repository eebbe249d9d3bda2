"""Domain transition graphs: a task as one movable object sees it that is alone on the board.

The nodes are the object's positions; an arc says that an operator leads from one to another (Helmert, *The Fast
Downward planning system*, JAIR 2006, section 5.2). Distances in the graph never exceed the true cost, and the graphs
of several objects make pattern databases (`analysis.pattern_databases`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..models.task import Task
from .structure import structure_of

# Which facts of a group may be true in a goal state, derived from the groups and one goal clause at a time.


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
        # Some fact of the clause is true, we do not know which: false is only what all of them exclude.
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
        # A clause that shares a fact with one taken before might be met by the same object.
        if members.issuperset(clause) and taken.isdisjoint(clause):
            clauses.append(frozenset(clause))
            taken.update(clause)
    allowed = members - false
    return GoalPositions(frozenset(allowed & taken if len(clauses) >= count else allowed), tuple(clauses))


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc of a transition graph: `operator` moves the object from position `before` to position `after`."""

    operator: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class TransitionGraph:
    """The transition graph of a movable object, or of `count` interchangeable ones; `group` is their group's number.

    `facts` are the positions. `operators` are those that count as moves of this object (each operator does for one
    object at most); `arcs` are all ways in which an operator moves it. `ends`: the positions that it may have in a goal
    state; all of them, if the goal asks nothing of it.
    """

    group: int
    facts: tuple[int, ...]
    count: int
    operators: frozenset[int]
    arcs: tuple[Arc, ...]
    ends: frozenset[int]

    @property
    def has_goal(self) -> bool:
        return len(self.ends) < len(self.facts)

    def steps_to_goal(self) -> dict[int, int]:
        """For each position from which arcs lead to one of `ends`, the least number of arcs."""
        return steps_to(self.ends, ((arc.before, arc.after) for arc in self.arcs))


def steps_to(ends: Iterable[int], arcs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For each node from which arcs (before, after) lead to one of `ends`, the least number of arcs."""
    leading: dict[int, list[int]] = {}
    for before, after in arcs:
        leading.setdefault(after, []).append(before)
    steps = dict.fromkeys(ends, 0)
    # Breadth-first, backward along the arcs: the first time that a node is met is the nearest.
    queue = deque(steps)
    while queue:
        node = queue.popleft()
        for other in leading.get(node, ()):
            if other not in steps:
                steps[other] = steps[node] + 1
                queue.append(other)
    return steps


@dataclass(frozen=True, slots=True)
class TransitionGraphs:
    """The graphs of a task's objects. `apart`: whether every operator moves exactly one of them, so that each move can
    be counted for one object while the rest of the state is left out.
    """

    graphs: tuple[TransitionGraph, ...]
    apart: bool


def transition_graphs(task: Task) -> TransitionGraphs:
    """The graphs of the objects as whose moves operators count, without those that neither move nor have a goal.

    Operators that can never apply are left out.
    """
    return task.computed(_transition_graphs)


def _transition_graphs(task: Task) -> TransitionGraphs:
    structure = structure_of(task)
    possible = possible_operators(task)
    owner, moves = structure.owner.tolist(), structure.transitions_by_object()
    false = false_at_goal(task)
    moved = np.zeros(len(task.operators), np.int64)
    graphs = []
    for number in structure.owners:
        movable = structure.objects[number]
        arcs = tuple(Arc(*move) for move in moves[number] if move[0] in possible)
        np.add.at(moved, [arc.operator for arc in arcs], 1)
        graph = TransitionGraph(
            group=movable.group,
            facts=movable.facts,
            count=movable.count,
            operators=frozenset(arc.operator for arc in arcs if owner[arc.operator] == number),
            arcs=arcs,
            ends=goal_positions(task, movable.facts, movable.count, false).allowed,
        )
        if graph.arcs or graph.has_goal:
            graphs.append(graph)
    return TransitionGraphs(tuple(graphs), bool((moved[sorted(possible)] == 1).all()))


def nearest_ends(task: Task) -> int:
    """For a task all of whose steps cost one: the distances of all objects to the nearest position that each may have
    in a goal state, added up, in their transition graphs. No plan has fewer steps; 0 unless every operator moves
    exactly one object.

    It needs no compiled code, and says nothing of two objects that want the same position.
    """
    transitions = transition_graphs(task)
    if not transitions.apart:
        return 0
    init, total = set(task.init), 0
    for graph in transitions.graphs:
        steps = graph.steps_to_goal()
        # A position from which no end is reached adds nothing here: that there is no plan, others say.
        total += sum(steps.get(fact, 0) for fact in graph.facts if fact in init)
    return total


def possible_operators(task: Task) -> frozenset[int]:
    """The operators that may become applicable: all that do in the delete relaxation, walkers getting anywhere."""
    missing = [len(op.pre) for op in task.operators]
    requiring: list[list[int]] = [[] for _ in task.facts]
    for n, op in enumerate(task.operators):
        for fact in op.pre:
            requiring[fact].append(n)
    reached = set(task.init).union(*(op.add for op in task.operators if not op.pre))
    queue = list(reached)
    for fact in queue:  # grows while it is read
        for n in requiring[fact]:
            missing[n] -= 1
            if not missing[n]:
                fresh = [f for f in task.operators[n].add if f not in reached]
                reached.update(fresh)
                queue += fresh
    return frozenset(n for n, count in enumerate(missing) if not count)
