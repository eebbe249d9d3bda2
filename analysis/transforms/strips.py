"""Tasks as plain STRIPS: what a walker or a compound move means, written out as facts and operators.

Engines and bounds that know neither use this. Nothing is lost: the plain task has the same plans at the same
cost, with the walking, picking up and putting down as operators of their own.
"""

from __future__ import annotations

from dataclasses import replace

from ...models.cells import direction, rc
from ...models.moves import Slide
from ...models.task import ExactlyInvariant, GroupKind, Operator, Task, operator


def to_strips(task: Task) -> Task:
    """The task without a walker and without compound moves.

    The facts of the task keep their numbers, and its operators come first, in their order.
    """
    return with_explicit_compound_moves(with_explicit_walker(task))


def with_explicit_compound_moves(task: Task) -> Task:
    """The task with single steps for compound moves: picking up costs one, moving on and putting down nothing."""
    if not task.compound_moves:
        return task
    places = sorted({place for op in task.operators for place in op.displacement or ()})
    base = len(task.facts)
    carried = {place: base + i for i, place in enumerate(places)}
    nothing = base + len(places)
    free = (0,) * len(task.metric)
    moving: list[Operator] = []
    for op in task.operators:
        assert op.displacement is not None
        before, after = (carried[place] for place in op.displacement)
        moving.append(operator(op.name, (*op.pre, before), (*op.add, after), (*op.delete, before), op.move, free))
    pick = [
        operator(f"pick up {task.facts[p]}", (p, nothing), (carried[p],), (nothing,), None, (1, *free[1:]))
        for p in places
    ]
    put = [
        operator(f"put down {task.facts[p]}", (p, carried[p]), (nothing,), (carried[p],), None, free) for p in places
    ]
    hand = tuple(range(base, nothing + 1))
    return replace(
        task,
        facts=(*task.facts, *(f"carrying {task.facts[p]}" for p in places), "carrying nothing"),
        groups=(*task.groups, ExactlyInvariant("carried", GroupKind.OBJECT, hand)),
        operators=(*moving, *pick, *put),
        init=(*task.init, nothing),
    )


def with_explicit_walker(task: Task) -> Task:
    """The same task without a walker: where the walker stands becomes facts, each cell walked an operator."""
    walker = task.walker
    if walker is None:
        return task
    base = len(task.facts)
    stands = tuple(f"walker at {rc(cell)}" for cell in walker.cells)
    operators: list[Operator] = []
    for op in task.operators:
        assert op.walk is not None
        before, after = (base + i for i in op.walk)
        operators.append(operator(op.name, (*op.pre, before), (*op.add, after), (*op.delete, before), op.move, op.cost))
    for i, targets in enumerate(walker.neighbours):
        cell = walker.cells[i]
        for j in targets:
            letter = direction(cell, walker.cells[j])
            operators.append(
                operator(
                    f"walk {letter} from {rc(cell)}",
                    (walker.free[j], base + i),
                    (base + j,),
                    (base + i,),
                    None if walker.silent else Slide(cell, letter),
                    walker.cost,
                )
            )
    return replace(
        task,
        facts=task.facts + stands,
        groups=(*task.groups, ExactlyInvariant("walker", GroupKind.OBJECT, tuple(range(base, base + len(stands))))),
        operators=tuple(operators),
        init=tuple(sorted((*task.init, base + walker.start))),
        walker=None,
    )
