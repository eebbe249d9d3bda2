"""Moves that can be made at the same time: what the parallel model of a task needs to know, and how deep a plan is.

Two operators are *independent* if neither deletes or adds what the other requires, deletes or adds. Independent
operators can be applied in either order, so also in one *parallel step*. A plan of L operators is a partial order, and
has one normal form as a sequence of parallel steps: every operator as early as the ones that it depends on allow
(Cartier and Foata, *Problèmes combinatoires de commutation et réarrangements*, 1969; for plans: Heljanko, *Bounded
reachability checking with process semantics*, CONCUR 2001). In it every operator of step t + 1 depends on one of step
t. The number of its steps is the plan's *depth*; it is at most L, and far less on a large board: a blocker at the left
and one at the right get out of the way at the same time.

A task has parallel moves here if its operators move one object each, at a cost that depends on the object alone (a
lorry three, a car two), and say by where they put it from where what they change: every other fact that an operator
changes (a cell becomes free) is in a mutex group whose other facts are positions of objects, so it follows from where
the objects are. Rush Hour and sliding blocks of which no two are interchangeable are such tasks; a Sokoban player, who
walks between pushes, makes pushes depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..models.task import Operator, Task
from .structure import MovableObject, structure_of


class Choice(NamedTuple):
    """One operator of an object: from the position `before` to `after`; it requires and `keeps` some facts, requires
    and deletes `takes`, and adds `leaves` (of a vehicle: the cells that it passes over, covers, and uncovers).
    """

    operator: int
    before: int
    after: int
    keeps: tuple[int, ...]
    takes: tuple[int, ...]
    leaves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ParallelMoves:
    """The M objects of a task and what each can do, by (before, after). `costs` (M): what a move of each costs, in the
    first component, divided by their common divisor.

    `never_twice[i]`: object i does not move twice in a row in a shortest plan, because what two such moves do one
    move does, or none.
    """

    objects: tuple[MovableObject, ...]
    choices: tuple[dict[tuple[int, int], Choice], ...]
    never_twice: tuple[bool, ...]
    costs: tuple[int, ...]

    @classmethod
    def of(cls, task: Task) -> ParallelMoves | None:
        """The parallel moves of a task; None if it does not have the form that this module needs."""
        return task.computed(_parallel_moves)


def _parallel_moves(task: Task) -> ParallelMoves | None:
    if task.walker or task.compound_moves:
        return None
    structure = structure_of(task)
    objects = structure.objects
    moved = structure.transitions.operator.tolist()
    # Each operator must move exactly one object, and each object be told from all others.
    if len(moved) != len(task.operators) or len(set(moved)) != len(moved) or any(x.count != 1 for x in objects):
        return None
    positions = {fact for x in objects for fact in x.facts}
    follows = _following(task, positions)
    choices: list[dict[tuple[int, int], Choice]] = [{} for _ in objects]
    for number, owner, before, after in zip(*(c.tolist() for c in structure.transitions), strict=True):
        choice = _choice(task.operators[number], number, before, after)
        derived = all(before in follows.get(f, ()) for f in choice.leaves) and all(
            after in follows.get(f, ()) for f in choice.takes
        )
        # What a move takes and leaves must follow from where objects are, so that layers say it without the operators;
        # and two positions must name one operator.
        if not derived or (before, after) in choices[owner]:
            return None
        choices[owner][before, after] = choice
    unit = task.layer_cost
    costs = [{task.operators[c.operator].cost[0] // unit for c in own.values()} for own in choices]
    # The objective counts moves by object: all moves of one must cost the same, and something.
    if any(len(different) > 1 or 0 in different for different in costs):
        return None
    each = tuple(max(different, default=1) for different in costs)
    return ParallelMoves(objects, tuple(choices), tuple(map(_never_twice, choices)), each)


def _following(task: Task, positions: set[int]) -> dict[int, set[int]]:
    """For each fact that is no position: the positions that exclude it, in a mutex group that has no other facts."""
    changing = structure_of(task).changing
    follows: dict[int, set[int]] = {}
    for group in task.groups:
        others = [f for f in group.facts if f in changing and f not in positions]
        if group.count == 1 and len(others) == 1:
            follows.setdefault(others[0], set(group.facts) - {others[0]})
    return follows


def _choice(op: Operator, number: int, before: int, after: int) -> Choice:
    return Choice(
        number,
        before,
        after,
        keeps=tuple(f for f in op.pre if f not in op.delete),
        takes=tuple(f for f in op.delete if f != before),
        leaves=tuple(f for f in op.add if f != after),
    )


def _never_twice(choices: dict[tuple[int, int], Choice]) -> bool:
    """Whether any two consecutive moves of an object do what one move does that requires no more, or nothing."""
    needs = {key: frozenset((*choice.keeps, *choice.takes)) for key, choice in choices.items()}
    leaving: dict[int, list[int]] = {}
    for before, after in choices:
        leaving.setdefault(before, []).append(after)
    for (before, after), first in choices.items():
        for end in leaving.get(after, ()):
            # There and back is no move at all; nothing has to be in its place.
            if end == before:
                continue
            if (before, end) not in needs:
                return False
            more = needs[before, end] - needs[before, after]  # what the first move does not ask for, the second does
            if more and not (more <= needs[after, end] and more.isdisjoint(first.leaves)):
                return False
    return True
