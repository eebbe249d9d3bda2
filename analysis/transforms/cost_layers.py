"""The form of a task in which layers are counted in cost: every operator takes one layer, or none.

An operator of cost c has to be waited for: c - 1 steps in which nothing happens but waiting, one layer each, and then
the operator, in its last layer. Example, costs 3 and 1:

    layer   0        1        2              3              4
    step        wait     wait     A (cost 3)     B (cost 1)

So the number of layers is the cost, and bounded models, h^m and bounds on horizons serve costs as they serve steps.
Costs are divided by their common divisor first. (Naming an operator by its first layer would be wrong: what it changes
would be there before it is paid for, and a bound on what can be reached by then too low.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...models.moves import Cost
from ...models.task import ExactlyInvariant, GroupKind, Operator, Task
from .strips import with_explicit_walker
from .unit_cost import with_unit_cost

MOST_WAITING = 400
"""The most layers that an operator may take: each is a fact, and h² looks at all pairs of facts."""


@dataclass(frozen=True, slots=True)
class CostLayers:
    """A `task` with the same plans whose operators cost 0 or 1 in the first component, and what a layer costs there in
    the original: `unit`. Operators that wait are no moves; `source` is the task without them, for searches.
    """

    task: Task
    source: Task
    unit: int = 1

    @property
    def free(self) -> bool:
        """Whether some operator takes no layer."""
        return any(not op.cost[0] for op in self.task.operators)


def with_cost_layers(task: Task) -> CostLayers | None:
    """The task in layers of cost; None if an operator takes more than `MOST_WAITING` of them, or no operator any."""
    steps = with_unit_cost(task)
    if steps is not None:
        return CostLayers(steps, steps)
    source, task = task, with_explicit_walker(task)
    unit = task.layer_cost
    most = max(op.cost[0] for op in task.operators) // unit
    if task.compound_moves or not 0 < most <= MOST_WAITING:
        return None
    return CostLayers(_with_waiting(task, unit, most), source, unit)


def _with_waiting(task: Task, unit: int, most: int) -> Task:
    """The task with facts `waited 0` to `waited most - 1`, and operators that wait for one layer more."""
    if most <= 1:
        return replace(task, operators=tuple(replace(op, cost=_last_layer(op, unit)) for op in task.operators))
    base = len(task.facts)
    waited = range(base, base + most)
    needed = {max(op.cost[0] // unit - 1, 0) for op in task.operators}
    operators = []
    for op in task.operators:
        before = waited[max(op.cost[0] // unit - 1, 0)]
        changes = before != base
        operators.append(
            replace(
                op,
                pre=(*op.pre, before),
                add=(*op.add, base) if changes else op.add,
                delete=(*op.delete, before) if changes else op.delete,
                cost=_last_layer(op, unit),
            )
        )
    nothing = (0,) * (len(task.metric) - 1)
    for k in range(max(needed)):
        operators.append(Operator(f"wait {k + 1}", (waited[k],), (waited[k + 1],), (waited[k],), None, (1, *nothing)))
    return replace(
        task,
        facts=(*task.facts, *(f"waited {k}" for k in range(most))),
        groups=(*task.groups, ExactlyInvariant("waited", GroupKind.RESOURCE, tuple(waited))),
        operators=tuple(operators),
        init=(*task.init, base),
        goal=(*task.goal, (base,)),
        views=(),
    )


def _last_layer(op: Operator, unit: int) -> Cost:
    """The cost of an operator in the layer in which it is applied: one, or nothing if it is free."""
    return (min(op.cost[0] // unit, 1), *op.cost[1:])
