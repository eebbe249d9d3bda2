"""Compound moves spelled out: positions, what they occupy, and macro-operators, one for each compound move.

In a task with compound moves a step takes one object along a path of operators. All that such a path asks of the rest
of the board is that the cells which it crosses are free; those that the object itself covers at first do not count. A
macro-operator does all operators of a path at once (Korf, *Macro-operators: a weak method for learning*, Artificial
Intelligence 1985).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...models.moves import compound
from ...models.task import Operator, Task
from ..structure import structure_of


@dataclass(frozen=True, slots=True)
class CompoundMoves:
    """The places of a task with compound moves.

    `places`: the facts that say where an object is; `occupied`: for each place the facts (cells that are free) that
    cannot be true while an object is there; `arcs`: for each operator (place before, place after, for each other fact
    that it requires: the fact and the places of the same object that make it false, sorted).

    Example: a piece A that covers r1c1 and r1c2 moves right if r1c3 is free. Its arc leads from `A at r1c1` to
    `A at r1c2` and needs `free r1c3`, which is false while A itself is at r1c2 or r1c3: a path that starts at one of
    these crosses r1c3 all the same.
    """

    places: tuple[int, ...]
    occupied: dict[int, frozenset[int]]
    arcs: tuple[tuple[int, int, tuple[tuple[int, tuple[int, ...]], ...]], ...]

    @staticmethod
    def of(task: Task) -> CompoundMoves:
        """Raises `ValueError` if a fact that operators change is neither a place nor decided by places."""
        structure = structure_of(task)
        places = {place for op in task.operators for place in op.displacement or ()}
        decided = structure.changing - places
        occupied: dict[int, set[int]] = {place: set() for place in places}
        rivals: dict[int, set[int]] = {}
        for group in task.groups:
            others = decided.intersection(group.facts)
            if group.count == 1 and len(others) == 1:
                (fact,) = others
                rivals.setdefault(fact, set()).update(places.intersection(group.facts))
                for place in rivals[fact]:
                    occupied[place].add(fact)
        for fact in decided - rivals.keys():
            raise ValueError(f"fact {task.facts[fact]} is not decided by the places of objects")
        component = structure.component.tolist()
        arcs = []
        for op in task.operators:
            assert op.displacement is not None
            before, after = op.displacement
            needs = tuple(
                (fact, tuple(sorted(p for p in rivals.get(fact, ()) if component[p] == component[before])))
                for fact in op.pre
                if fact != before
            )
            arcs.append((before, after, needs))
        return CompoundMoves(tuple(sorted(places)), {p: frozenset(f) for p, f in occupied.items()}, tuple(arcs))


def with_macro_operators(task: Task, most: int) -> Task | None:
    """The same task with each compound move as one operator, or None if that takes more than `most` operators.

    For each two places there is one operator for each inclusion-minimal set of facts that some path between them
    requires, and that the task's groups allow (no more free cells than there are).
    """
    moves = CompoundMoves.of(task)
    operators: list[Operator] = []
    for start in moves.places:
        for operator in _macros_from(task, moves, start):
            operators.append(operator)
            if len(operators) > most:
                return None
    return replace(task, operators=tuple(operators))


def _macros_from(task: Task, moves: CompoundMoves, start: int) -> Iterator[Operator]:
    """The macro-operators from a place, in the order of how many facts they require."""
    rooms = [(frozenset(g.facts), g.count) for g in task.groups if not moves.occupied.keys() & set(g.facts)]
    leaving: dict[int, list[tuple[int, int, frozenset[int]]]] = {}
    for number, (before, after, needs) in enumerate(moves.arcs):
        required = frozenset(fact for fact, places in needs if start not in places)
        leaving.setdefault(before, []).append((number, after, required))
    # Paths (place, facts required, operators), those with fewer facts first: then a set that is met at a place is
    # minimal unless it contains one that was met there before.
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
                yield _macro(task, moves, required, path)
            for number, after, more in leaving.get(place, ()):
                union = required | more
                if any(len(union & facts) > count for facts, count in rooms):
                    continue
                while len(waiting) <= len(union):
                    waiting.append([])
                waiting[len(union)].append((after, union, (*path, number)))


def _macro(task: Task, moves: CompoundMoves, required: frozenset[int], path: tuple[int, ...]) -> Operator:
    """One macro-operator with the effect of the operators of a path, one after the other."""
    start, end = moves.arcs[path[0]][0], moves.arcs[path[-1]][1]
    old, new = moves.occupied[start], moves.occupied[end]
    first = task.operators[path[0]]
    return Operator(
        name=f"{task.facts[start]} to {task.facts[end]}",
        pre=tuple(sorted({start, *required})),
        add=tuple(sorted({end, *(old - new)})),
        delete=tuple(sorted({start, *(new - old)})),
        move=compound(task.operators[n].move for n in path),
        cost=first.cost,
    )
