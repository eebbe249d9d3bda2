"""From a stored state back to the plan that led to it."""

from __future__ import annotations

from collections import deque

from ..models.plan import Plan, apply
from ..models.task import Operator, Task
from .store import StateStore


def plan_to(task: Task, store: StateStore, index: int) -> Plan:
    """The plan that led to a stored state."""
    path = store.path_to(index)
    if not task.carries:
        return Plan.of(task.operators[n] for _, n in path)
    states = [0, *(state for state, _ in path)]
    held = [store.facts_of(state) for state in states]
    return Plan.of_carries(_carry(task, held[i], held[i + 1]) for i in range(len(path)))


def _carry(task: Task, before: frozenset[int], after: frozenset[int]) -> list[Operator]:
    """The shortest sequence of operators that carries one thing from one state to another."""
    leaving: dict[int, list[Operator]] = {}
    for op in task.operators:
        assert op.carry is not None
        leaving.setdefault(op.carry[0], []).append(op)
    for start in sorted(before - after):
        came: dict[int, list[Operator]] = {start: []}
        queue = deque([(start, before)])
        while queue:
            place, state = queue.popleft()
            for op in leaving.get(place, ()):
                assert op.carry is not None
                if op.carry[1] not in came and state.issuperset(op.pre):
                    came[op.carry[1]] = [*came[place], op]
                    reached = apply(task, state, op)
                    if reached == after:
                        return came[op.carry[1]]
                    queue.append((op.carry[1], reached))
    raise AssertionError("no single carry leads from the one state to the other")
