"""Whose steps are whose: every step of a puzzle has one owner, so that what owners need adds up.

vehicle, piece, tile          the object that moves                     A, tile 5
interchangeable pieces        all pieces of one kind together           1x1 (4)
boxes                         each box, by where it stands at first     the box on r3c4
custom puzzles, PDDL          the first object that changes             goat
                              the action, where four or more change     press(r1c1)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...engines.common.state_graph import Followed, StateGraph
from ...models.families.custom.puzzle import Act
from ...models.task import Operator, Task

MANY = 4
"""Objects that one step changes at once, from which on it is the action's own: a lamp switch that turns five lamps."""


@dataclass(frozen=True)
class Owner:
    """An owner of steps: its name, and the `Followed` that counts its steps. `facts`: of a box, where boxes can be; of
    others none, as all steps of a kind are theirs (they are `whole`).
    """

    name: str
    followed: Followed
    facts: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.facts


def owners_of(graph: StateGraph) -> list[Owner]:
    """Every owner of some step that a state of the graph makes possible."""
    kinds = {name: (facts, count) for name, facts, count in graph.objects}
    found = []
    for name, steps in steps_of_owners(graph).items():
        facts, count = kinds.get(name, ((), 1))
        boxes = facts and isinstance(graph.task, Task) and graph.task.walker
        if boxes and count > 1:
            found += list(_single(graph, steps, facts))
            continue
        left = np.full(len(graph.steps), -1, np.int32)
        left[steps] = 0
        label = f"{name} ({count})" if count > 1 else name.removeprefix("at ")
        if boxes and f"not {name}" not in (graph.facts[fact] for fact in facts):
            label = next(_name(graph, fact) for fact in facts if graph.holds(fact)[0])
        found.append(Owner(label, Followed(left, left)))
    return found


def steps_of_owners(graph: StateGraph) -> dict[str, list[int]]:
    """The steps of each object, and of each action without one, that some state makes possible."""
    used = np.zeros(len(graph.steps), np.bool_)
    used[graph.edges[2]] = True  # quicker than to sort all edges
    found: dict[str, list[int]] = {}
    for number in np.flatnonzero(used).tolist():
        found.setdefault(_owner(graph, number), []).append(number)
    return found


def _owner(graph: StateGraph, number: int) -> str:
    step = graph.steps[number]
    if not isinstance(step, Operator):
        written = sorted(step.writes)
        own = [graph.objects[v][0] for v in written]
        return own[0] if len(own) == 1 else step.name
    touched = {*step.delete} | {*step.add}
    moved = [name for name, facts, _ in graph.objects if not touched.isdisjoint(facts)]
    if isinstance(step.move, Act) and (len(moved) >= MANY or not moved):
        return str(step.move)
    return moved[0] if moved else step.name


def _single(graph: StateGraph, steps: Sequence[int], facts: tuple[int, ...]) -> Iterator[Owner]:
    """Interchangeable objects, each told from the others by its way from where it stands at first."""
    assert isinstance(graph.task, Task)
    place = {fact: number for number, fact in enumerate(facts)}
    left, came = (np.full(len(graph.steps), -1, np.int32) for _ in range(2))
    for number in steps:
        op = graph.steps[number]
        assert isinstance(op, Operator)
        left[number] = next(place[fact] for fact in op.delete if fact in place)
        came[number] = next(place[fact] for fact in op.add if fact in place)
    for fact in sorted(place.keys() & set(graph.task.init)):
        yield Owner(_name(graph, fact), Followed(left, came, len(facts), place[fact]), facts)


def _name(graph: StateGraph, fact: int) -> str:
    """A box by where it stands at first: `the box on r3c4`."""
    thing, _, place = graph.facts[fact].rpartition(" ")
    return f"the {thing.removesuffix(' at')} on {place}"
