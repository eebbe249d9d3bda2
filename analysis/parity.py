"""What moves must alternate between: the parity of all plans, and facts that are true after every second step only.

A chessboard colouring of positions, as in the proof that the 14-15 puzzle has no solution (Johnson and Story, *Notes on
the "15" puzzle*, American Journal of Mathematics 1879). If every operator takes one object from a position of one
colour to one of the other, each step changes the number of objects on odd positions by one. So where the goal says of
all objects where they end, every plan has an odd number of steps, or every plan an even one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..models.task import Task
from .structure import structure_of


def plan_parity(task: Task) -> int | None:
    """The parity that the numbers of steps of all plans share (0 or 1); None if it is not known.

    Known if each operator makes one move, of the objects as whose moves operators count, these moves can be coloured,
    and the goal names a position for each member of those objects. (Others, such as the blank, may move along.)
    """
    structure = structure_of(task)
    by_object = structure.transitions_by_object()
    moves = sorted(move for number in structure.owners for move in by_object[number])
    if [operator for operator, _, _ in moves] != list(range(len(task.operators))):
        return None
    colour = two_colours(len(task.facts), [(before, after) for _, before, after in moves])
    if colour is None:
        return None
    moved = [structure.objects[number] for number in structure.owners]
    positions = {fact for movable in moved for fact in movable.facts}
    ends = [clause[0] for clause in task.goal if len(clause) == 1 and clause[0] in positions]
    if any(len(set(movable.facts).intersection(ends)) != movable.count for movable in moved):
        return None
    return sum(colour[f] for f in (*positions.intersection(task.init), *ends)) % 2


def turns(task: Task) -> dict[int, int] | None:
    """For facts that are true after every second step only: the parity of those steps. None if there are no such facts.

    They are the facts of variables that every operator changes between two colours, such as the blank of an n-puzzle:
    it is on a black cell after every second step.
    """
    after: dict[int, int] = {}
    for g in structure_of(task).always_changed:
        facts = set(task.groups[g].facts)
        pairs = [
            (before, new)
            for op in task.operators
            for before in facts.intersection(op.delete)
            for new in facts.intersection(op.add)
        ]
        colour = two_colours(len(task.facts), pairs)
        if colour is not None:
            first = next(colour[f] for f in task.init if f in facts)
            after.update({fact: (colour[fact] - first) % 2 for fact in task.groups[g].facts})
    return after or None


def two_colours(nodes: int, edges: Iterable[tuple[int, int]]) -> list[int] | None:
    """Colours 0 and 1 of nodes such that every edge joins different ones, or None."""
    near: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    colour = [-1] * nodes
    for start in range(nodes):
        if colour[start] >= 0:
            continue
        colour[start] = 0
        queue = [start]
        for node in queue:
            for other in near[node]:
                if colour[other] < 0:
                    colour[other] = 1 - colour[node]
                    queue.append(other)
                elif colour[other] == colour[node]:
                    return None
    return colour
