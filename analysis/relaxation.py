"""The delete relaxation of a task: what could ever become true if nothing that is true ever became false.

    reached = init;  while an operator has all its preconditions in `reached`:  reached |= its added facts

What is true in some state of the puzzle is reached here (Bonet and Geffner, *Planning as heuristic search*, 2001). So
an operator that does not apply here never applies, and a goal that is not reached here is never reached. That it is
reached here proves nothing: a vehicle that has left its cell counts as standing there still, and the cell as free. The
time is linear in the number of all preconditions.

A walker gets wherever cells can be free: from its start, and from where any operator leaves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..models.task import Task


@dataclass(frozen=True, slots=True)
class Relaxation:
    """`facts` that can become true, and the indices of `operators` that can apply, when nothing becomes false."""

    facts: frozenset[int]
    operators: frozenset[int]


def relaxation(task: Task) -> Relaxation:
    """What is reached in the delete relaxation from the initial state."""
    # lacking[i]: how many preconditions of operator i are not reached yet, and one more for the cell from which a
    # walker makes it. At 0 the operator applies; each fact and each cell is counted off once (as unit propagation
    # counts literals).
    requiring: list[list[int]] = [[] for _ in task.facts]
    starting: dict[int, list[int]] = {}
    lacking = []
    for index, op in enumerate(task.operators):
        for fact in op.pre:
            requiring[fact].append(index)
        if op.walk:
            starting.setdefault(op.walk[0], []).append(index)
        lacking.append(len(op.pre) + (op.walk is not None))
    reached, applied, stood = set(task.init), [i for i, count in enumerate(lacking) if not count], set[int]()
    facts, cells = list(task.init), [task.walker.start] if task.walker else []
    free, neighbours = (task.walker.free, task.walker.neighbours) if task.walker else ((), ())
    free_cells: dict[int, list[int]] = {}
    for cell, fact in enumerate(free):
        free_cells.setdefault(fact, []).append(cell)
    operators: set[int] = set()

    def met(index: int) -> None:
        lacking[index] -= 1
        if not lacking[index]:
            applied.append(index)

    while facts or cells or applied:
        if facts:  # one more fact: what requires it, and cells that can be walked on now
            fact = facts.pop()
            for index in requiring[fact]:
                met(index)
            cells += [cell for cell in free_cells.get(fact, ()) if not stood.isdisjoint(neighbours[cell])]
        elif cells:  # one more cell: what is made from there, and its neighbours
            cell = cells.pop()
            if cell in stood:
                continue
            stood.add(cell)
            for index in starting.get(cell, ()):
                met(index)
            cells += [near for near in neighbours[cell] if free[near] in reached]
        else:
            op = task.operators[applied[-1]]
            operators.add(applied.pop())
            new = [fact for fact in op.add if fact not in reached]
            reached.update(new)
            facts += new
            if op.walk and op.walk[1] not in stood:
                cells.append(op.walk[1])
    return Relaxation(frozenset(reached), frozenset(operators))
