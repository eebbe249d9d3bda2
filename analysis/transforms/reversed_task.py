"""The task backward: its plans are those of the task, from the end to the start.

A bound on the steps from a state to the goal of the backward task is one on the steps from the initial state to that
state: so what is known of the way ahead (matchings, conflicts, dead sets) can be asked of the way behind.
"""

from __future__ import annotations

from dataclasses import replace

from ...models.task import GroupKind, Operator, Task, Walker, operator


def backward(task: Task) -> Task | None:
    """The task backward, its facts, groups and cells numbered alike. None if the goal leaves open what is true in the
    end, or it has compound moves.

    An operator requires what is true after it, and brings back what was true before; a walker stands where he ends, and
    ends where he stood: a push becomes a pull. The goal is that movable objects are where they are at first. It says
    nothing of where the walker is then, and the initial state puts him on any free cell: where he ends is not known.
    """
    end = None if task.compound_moves else _end(task)
    free = [cell for cell, fact in enumerate(task.walker.free) if end and fact in end] if task.walker else []
    if end is None or (task.walker and not free):
        return None
    first = {f for group in task.groups if group.kind is GroupKind.OBJECT for f in group.facts} & {*task.init}
    walker = task.walker and replace(task.walker, start=free[0])
    return replace(
        task,
        operators=tuple(_undoing(op, task.walker) for op in task.operators),
        init=tuple(sorted(end)),
        goal=tuple((fact,) for fact in sorted(first)),
        walker=walker,
        unsolvable_because=None,
        views=(),
    )


def _undoing(op: Operator, walker: Walker | None) -> Operator:
    pre, walk = {*op.after}, None
    if walker and op.walk:
        before, after = op.walk
        if walker.free[before] not in op.delete:
            pre.add(walker.free[before])  # he stood there, and nothing has come there
        walk = after, before
    return operator(op.name, tuple(pre), op.delete, op.add, None, op.cost, walk=walk)


def _end(task: Task) -> set[int] | None:
    """The facts that are true in every goal state, if these are all the facts that can be."""
    true = {clause[0] for clause in task.goal if len(clause) == 1}
    changed = {f for op in task.operators for f in (*op.add, *op.delete)}
    true |= {f for f in task.init if f not in changed}
    open_facts = changed - true
    while open_facts:
        size = len(open_facts)
        for group in task.groups:
            unknown = open_facts.intersection(group.facts)
            missing = group.count - len(true.intersection(group.facts))
            if missing in (0, len(unknown)):
                true |= unknown if missing else set()
                open_facts -= unknown
        if len(open_facts) == size:
            return None
    return true
