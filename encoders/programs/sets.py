"""Actions whose order does not matter -> one model of the state at the end of a plan.

A plan is a set of actions (`models.unordered`). A literal says of each action whether it is in the set; variables of
the state follow from these:

    apart        v = k' if the action is in the set, else the value at first
    switching    v has the other value  <->  an odd number of the actions that switch v are in the set

The goal is stated once, on that state, as is what is asked behind every action that assigns what it reads. The cost is
a sum that CP-SAT minimises: there are no layers, and no horizon that rises. Lights Out on 12x12 lamps is 144 literals
and 144 constraints of CP-SAT's `bool_xor`.
"""

from __future__ import annotations

from collections.abc import Callable

from ...models.program import ProgramAction, ProgramTask
from ...models.unordered import Unordered
from .kinds import Image
from .model import ProgramModel
from .symbols import SymbolicMachine, asked_everywhere
from .values import LayerValues


def set_model(task: ProgramTask, actions: Unordered, stop: Callable[[], object] = lambda: None) -> ProgramModel:
    """The model of the plans of a task whose actions need no order, with their cost as its objective.

    Raises `UsageError` for a goal that cannot be stated, and `EncodingStopped` if `stop` says so.
    """
    model = LayerValues()
    applied: list[tuple[int, ProgramAction]] = []
    state: list[Image] = [model.constant(value) for value in task.init]
    for action, after in actions.apart:
        literal = model.literal()
        applied.append((literal, action))
        for variable, value in after.items():
            if value != task.init[variable]:
                state[variable] = model.chosen_by({task.init[variable]: ~literal, value: literal})
    switches: dict[int, list[int]] = {}
    for action in actions.switching:
        literal = model.literal()
        applied.append((literal, action))
        for variable in action.writes:
            switches.setdefault(variable, []).append(literal)
    for variable, literals in switches.items():
        other, first = model.literal(), task.init[variable]
        (value,) = set(task.variables[variable].values) - {first}
        model.part.xors.append([~other, *literals])
        state[variable] = model.chosen_by({first: ~other, value: other})
    formula = model.part
    machine = SymbolicMachine(task, model, stop, state)
    goal = machine.run(task.goal)
    asked = () if actions.free else asked_everywhere([(action, machine.run(action.entry)) for _, action in applied])
    for demand in (*goal.before, *asked):
        demand.state(model, formula)
    formula.variables = model.variables
    formula.contradiction |= goal.impossible
    formula.minimise = [(literal, action.cost[0]) for literal, action in applied]
    return ProgramModel(formula, [[step] for step in applied])
