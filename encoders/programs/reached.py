"""Relaxed reachability over sets of values: which values a variable may have after t actions from the start.

After t actions each variable has one of its values in layer t. So an action can assign in layer t + 1 only what its
program assigns on some choice of these (h^1 of Haslum and Geffner, 2000, for variables of many values). Programs are
run for that on choices between the values that were reached: `symbols` leaves out what is impossible there.

    snake of four links     layer 0: head on r2c2      layer 1: head on r2c2 or r3c2      ...
    the goal asks for r6c6: not before layer 8, so no plan has fewer than 8 moves

If a layer has no values that the one before has not, no later one has: a goal that is impossible there is never
reached. What is asked behind `APPLY` is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...models.program import ProgramTask
from ..formula import FALSE
from .kinds import Whole
from .symbols import Demand, SymbolicMachine
from .values import LayerValues

MOST_RUN = 100_000
"""Instructions that are run for all layers, after which no further layer is begun: about a second."""


@dataclass(frozen=True, slots=True)
class ReachedValues:
    """Of each layer the values of each variable, up to the first in which the goal may hold. `bound`: the number of
    that layer, or of one before it where all would take too long. `unsolvable`: there is no such layer.
    """

    layers: Sequence[Sequence[frozenset[int]]]
    bound: int
    unsolvable: bool


def reached_values(task: ProgramTask, stop: Callable[[], object] = lambda: None) -> ReachedValues:
    """The layers of a task. Raises `UsageError` for programs that cannot be stated, and `EncodingStopped` if `stop`
    says so.
    """
    layers = [tuple(frozenset((value,)) for value in task.init)]
    count = 0
    while True:
        values = LayerValues()
        machine = SymbolicMachine(task, values, stop, [values.choice(reached) for reached in layers[-1]])
        goal = machine.run(task.goal)
        if _may_hold(goal.before):
            return ReachedValues(layers, len(layers) - 1, unsolvable=False)
        following = _assigned(task, machine, values, layers[-1])
        if following == layers[-1]:
            return ReachedValues(layers, len(layers), unsolvable=True)
        layers.append(following)
        count += machine.count
        if count > MOST_RUN:
            return ReachedValues(layers, len(layers) - 1, unsolvable=False)


def _assigned(
    task: ProgramTask, machine: SymbolicMachine, values: LayerValues, before: Sequence[frozenset[int]]
) -> tuple[frozenset[int], ...]:
    """The values of each variable in the next layer: those known, and what actions may assign."""
    after = [set(each) for each in before]
    for action in task.actions:
        run = machine.run(action.entry)
        if not _may_hold(run.before):
            continue
        for assigned in run.assigned:
            if assigned.condition == FALSE:
                continue
            value, domain = values.number(assigned.value), task.variables[assigned.variable].values
            if isinstance(value, Whole):
                after[assigned.variable].update(number for number in domain if value.low <= number <= value.high)
            else:
                possible = {number for number, literal in values.literals(value).items() if literal != FALSE}
                after[assigned.variable].update(possible.intersection(domain))
    return tuple(map(frozenset, after))


def _may_hold(demands: Sequence[Demand]) -> bool:
    """Whether each demand, taken alone, can be met: the goal may hold then; else it cannot."""
    return all(demand.special or any(literal != FALSE for literal in demand.literals) for demand in demands)
