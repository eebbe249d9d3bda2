"""Actions whose order does not matter, so that a plan is a set of them.

Edges are drawn, lamps are switched: what an action does depends on nothing that others change, and it need not be
applied twice. It is of one of two kinds:

    apart       it reads and assigns only variables that no other action assigns; applied again, it fails, changes
                nothing, or undoes what it did
    switching   it asks nothing, and gives each variable v that it assigns the other one of two values, whatever the
                others are; so at the end v has the other value if an odd number of these actions were applied

What is asked behind actions (`always`) may still allow some orders only. Then sets of actions are more than there are
plans: the cheapest set is a lower bound, and the optimum if one of its orders is allowed.

The programs are read for this, not the definition: what stands in the registers of variables is what they depend on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from . import program as op
from .program import Instruction, Machine, ProgramAction, ProgramTask, operands


@dataclass(frozen=True, slots=True)
class Unordered:
    """The actions that can apply, by kind; of those apart the values of their variables after them. `free`: nothing is
    asked behind any of them, so every order is allowed.
    """

    apart: tuple[tuple[ProgramAction, dict[int, int]], ...]
    switching: tuple[ProgramAction, ...]
    free: bool


def unordered(task: ProgramTask) -> Unordered | None:
    """The actions of a task whose order does not matter, but for what is asked behind them; None if it may matter."""
    behind = {at + 1 for at, (code, *_) in enumerate(task.code) if code == op.APPLY}
    free = all(task.code[at][0] == op.DONE for at in behind)
    unasked = tuple((op.DONE, 0, 0, 0, 0) if at in behind else code for at, code in enumerate(task.code))
    machine = Machine(replace(task, code=unasked))
    writers = Counter(variable for action in task.actions for variable in action.writes)
    apart: list[tuple[ProgramAction, dict[int, int]]] = []
    switching: list[ProgramAction] = []
    for action in task.actions:
        code = _code(task, action)
        if code is None:
            return None
        if all(writers[variable] == 1 for variable in action.writes) and _reads(task, code) <= action.writes:
            after = machine.after(task.init, action)
            if after is None:
                continue  # what it asks is in its own hands: it never applies
            if machine.after(after, action) not in (None, after, task.init):
                return None
            apart.append((action, {variable: after[variable] for variable in action.writes}))
        elif _switches(task, machine, action, code):
            switching.append(action)
        else:
            return None
    return Unordered(tuple(apart), tuple(switching), free)


def _code(task: ProgramTask, action: ProgramAction) -> tuple[Instruction, ...] | None:
    """The instructions of an action up to `APPLY`; None if a routine is called."""
    for at in range(action.entry, len(task.code)):
        code = task.code[at][0]
        if code == op.APPLY:
            return task.code[action.entry : at]
        if code == op.CALL:
            return None
    return None


def _reads(task: ProgramTask, code: tuple[Instruction, ...]) -> set[int]:
    """The variables that instructions read."""
    variables: set[int] = set()
    for instruction in code:
        variables.update(register for register in operands(instruction, task.tables) if register < len(task.variables))
    return variables


def _blocks(task: ProgramTask, action: ProgramAction, code: tuple[Instruction, ...]) -> Iterator[tuple[int, set[int]]]:
    """Of each block that serves to assign one variable, the variable and what is read; -1 for anything else."""
    at = 0
    while at < len(code):
        kind, end, variable, count, _ = code[at]
        if kind != op.PART or count != 1:
            yield -1, set()
            return
        yield variable, _reads(task, code[at + 1 : end - action.entry])
        at = end - action.entry


def _switches(task: ProgramTask, machine: Machine, action: ProgramAction, code: tuple[Instruction, ...]) -> bool:
    """Whether an action always applies, and each variable that it assigns gets the other one of its two values."""
    seen: set[int] = set()
    for variable, reads in _blocks(task, action, code):
        if variable < 0 or variable in seen or reads - {variable} or len(task.variables[variable].values) != 2:
            return False
        seen.add(variable)
    for variable in seen:
        first, other = task.variables[variable].values
        for before, after in ((first, other), (other, first)):
            state = (*task.init[:variable], before, *task.init[variable + 1 :])
            successor = machine.after(state, action)
            if successor is None or successor[variable] != after:
                return False
    return True


def in_order(task: ProgramTask, actions: Iterable[ProgramAction]) -> list[ProgramAction] | None:
    """The actions in an order that is allowed, found by applying one after the other that can be; None if that ends
    before the last.
    """
    machine, state, rest = Machine(task), task.init, list(actions)
    ordered: list[ProgramAction] = []
    while rest:
        for action in rest:
            after = machine.after(state, action)
            if after is not None:
                break
        else:
            return None
        state = after
        rest.remove(action)
        ordered.append(action)
    return ordered
