"""What carrying means for a task: places, what they occupy, and whole carries as operators of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..task import Move, Operator, Task


@dataclass(frozen=True, slots=True)
class CompoundMoves:
    """The places of a task that carries.

    `places`: the facts that say where a thing is; `occupied`: for each place the facts (cells that are free) that
    cannot be true while a thing is there; `arcs`: for each operator (place before, place after, for each other fact
    that it requires: the fact and the places of the same thing that make it false, sorted).
    """

    places: tuple[int, ...]
    occupied: dict[int, frozenset[int]]
    arcs: tuple[tuple[int, int, tuple[tuple[int, tuple[int, ...]], ...]], ...]

    @staticmethod
    def of(task: Task) -> CompoundMoves:
        """Raises `ValueError` if a fact that operators change is neither a place nor decided by places."""
        places = {place for op in task.operators for place in op.displacement or ()}
        decided = {f for op in task.operators for f in (*op.add, *op.delete)} - places
        occupied: dict[int, set[int]] = {place: set() for place in places}
        rivals: dict[int, set[int]] = {}
        for group in task.groups:
            others = decided.intersection(group.facts)
            if group.count == 1 and len(others) == 1:
                fact = others.pop()
                rivals.setdefault(fact, set()).update(places.intersection(group.facts))
                for place in rivals[fact]:
                    occupied[place].add(fact)
        for fact in decided - rivals.keys():
            raise ValueError(f"fact {task.facts[fact]} is not decided by the places of things")
        thing = _things(task)
        arcs = []
        for op in task.operators:
            assert op.displacement is not None
            before, after = op.displacement
            needs = tuple(
                (fact, tuple(sorted(p for p in rivals.get(fact, ()) if thing[p] == thing[before])))
                for fact in op.pre
                if fact != before
            )
            arcs.append((before, after, needs))
        return CompoundMoves(tuple(sorted(places)), {p: frozenset(f) for p, f in occupied.items()}, tuple(arcs))


def _things(task: Task) -> dict[int, int]:
    """A number for each place: places between which operators lead have the same."""
    parent: dict[int, int] = {}

    def root(place: int) -> int:
        while parent.setdefault(place, place) != place:
            place = parent[place]
        return place

    for op in task.operators:
        assert op.displacement is not None
        parent[root(op.displacement[0])] = root(op.displacement[1])
    return {place: root(place) for place in parent}


def with_whole_carries(task: Task, most: int) -> Task | None:
    """The same task with each carry as one operator, or None if that takes more than `most` operators.

    What a path asks of the rest is only that the cells that it crosses are free. So for each two places there is
    one operator for each inclusion-minimal set of facts that some path between them requires, and that the task's
    groups allow (no more free cells than there are).
    """
    carrying = CompoundMoves.of(task)
    operators: list[Operator] = []
    for start in carrying.places:
        for operator in _compound_moves_from(task, carrying, start):
            operators.append(operator)
            if len(operators) > most:
                return None
    return replace(task, operators=tuple(operators))


def _compound_moves_from(task: Task, carrying: CompoundMoves, start: int) -> Iterator[Operator]:
    """The carries from a place, in the order of how many facts they require."""
    rooms = [(frozenset(g.facts), g.count) for g in task.groups if not carrying.occupied.keys() & set(g.facts)]
    leaving: dict[int, list[tuple[int, int, frozenset[int]]]] = {}
    for number, (before, after, needs) in enumerate(carrying.arcs):
        required = frozenset(fact for fact, places in needs if start not in places)
        leaving.setdefault(before, []).append((number, after, required))
    minimal: dict[int, list[frozenset[int]]] = {}
    waiting: list[list[tuple[int, frozenset[int], tuple[int, ...]]]] = [[(start, frozenset(), ())]]
    for size in range(len(task.facts)):
        if size >= len(waiting):
            return
        for place, required, path in waiting[size]:  # grows while it is read
            if any(other <= required for other in minimal.get(place, ())):
                continue
            minimal.setdefault(place, []).append(required)
            if path:
                yield _whole(task, carrying, start, place, required, path)
            for number, after, more in leaving.get(place, ()):
                union = required | more
                if any(len(union & facts) > count for facts, count in rooms):
                    continue
                while len(waiting) <= len(union):
                    waiting.append([])
                waiting[len(union)].append((after, union, (*path, number)))


def _whole(
    task: Task, carrying: CompoundMoves, start: int, end: int, required: frozenset[int], path: tuple[int, ...]
) -> Operator:
    old, new = carrying.occupied[start], carrying.occupied[end]
    first = task.operators[path[0]]
    return Operator(
        name=f"{task.facts[start]} to {task.facts[end]}",
        pre=tuple(sorted({start, *required})),
        add=tuple(sorted({end, *(old - new)})),
        delete=tuple(sorted({start, *(new - old)})),
        move=Move(first.move.cell, "".join(task.operators[n].move.path for n in path)),
        cost=first.cost,
    )
