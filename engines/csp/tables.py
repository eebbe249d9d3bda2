"""Tables for the constraints of the python-constraint model: states as values of finite-domain variables.

A state of the task is given by the values of a few variables (finite-domain representation: Helmert, *Concise
finite-domain representations for PDDL planning tasks*, AIJ 2009):

    one for each mutex group       its value is the fact that is true: where an object is, or what is on a cell
    one for each other fact        two values: the fact, or `NONE_OF_THOSE`
    one for a walker               the least cell of the region in which it stands, or its very cell (`exact_walker`)

A fact that the others decide has no variable: a cell is free if nothing stands on it.

    three cells, one object `A`:  facts  A at r1c1, A at r1c2, free r1c1, free r1c2, ...
    variables                     (A,)   with the values  A at r1c1, A at r1c2, ...;  `free ...` is derived

States are made when a search first meets them, and kept, with the states to which their actions lead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...analysis.hm.tables import HmTables
from ...analysis.hm.tuples import NEVER
from ...analysis.structure import NONE_OF_THOSE, structure_of
from ...analysis.transformed_tasks import CompoundMoves
from ...analysis.transition_graphs import steps_to
from ...models.task import Operator, Task
from ...runtime.budget import Budget
from ..common.state_space import State, StateSpace

STATE_BYTES = 1_000
"""Bytes of a state with its table of applicable actions (measured: 540 to 960)."""

Values = tuple[int, ...]


class BudgetUsedUp(Exception):
    """The budget is used up: the only way out of python-constraint's solvers, which never look at the clock."""


@dataclass(eq=False, slots=True)
class MetState:
    """A state of the task, and its variables' values.

    `goal`: whether the goal holds; `left`: a lower bound on the steps from here to the goal; `earliest`: the earliest
    layer in which a search has met the state. `next`: the state to which each possible action leads, once asked for;
    `weight`: what each action adds to the second component of the cost.
    """

    values: Values
    state: State
    goal: bool
    left: int
    earliest: int = NEVER
    next: dict[int, MetState] | None = None
    weight: dict[int, int] = field(default_factory=dict)


class StateTables:
    """The variables, actions and states of one task.

    An action is what one step can be: an operator or, in a task with compound moves, an object taken from one place
    to another, along whatever path is free. `exact_walker`: tell apart the walker's cells and not only its regions
    (needed to count what is walked).
    """

    def __init__(self, task: Task, hm: HmTables, budget: Budget, *, exact_walker: bool = False) -> None:
        self.task, self.hm, self.budget, self.exact = task, hm, budget, exact_walker
        self.variables = structure_of(task).cover.variables
        self.actions = _jumps(task) if task.compound_moves else task.operators
        self.earliest_layer, self.steps_to_goal = self._limits()
        # For each fact the (variable, value) pairs that it sets; a fact can be in two mutex groups.
        self._values_of: list[list[tuple[int, int]]] = [[] for _ in task.facts]
        for number, group in enumerate(self.variables):
            for fact in group:
                self._values_of[fact].append((number, fact))
        ends = [op.pre + op.add if task.compound_moves else (id(op),) for op in self.actions]
        self._number = {key: number for number, key in enumerate(ends)}
        self._space = StateSpace(task, regions=not exact_walker)
        self._states: dict[Values, MetState] = {}
        self.start = self._state(self._space.start)
        self.start.earliest = 0

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, values: Values) -> MetState:
        """The state, met before, in which the variables have these values."""
        return self._states[values]

    @property
    def width(self) -> int:
        """The number of variables of a state."""
        return len(self.start.values)

    def domains(self, t: int, horizon: int) -> list[list[int]]:
        """The values of each variable that a plan of `horizon` steps may have in layer `t`.

        By the h^m values of single facts: at most t steps from the start, at most `horizon` - t steps to the goal.
        """
        if t == 0:
            return [[value] for value in self.start.values]
        ahead, back = np.diagonal(self.hm.forward), np.diagonal(self.hm.backward)
        possible = (ahead <= t) & (back <= horizon - t)
        domains = [[f for f in group if f == NONE_OF_THOSE or possible[f]] for group in self.variables]
        if self.task.walker:
            domains.append(list(range(len(self.task.walker.cells))))
        return domains

    def action_domain(self, t: int, horizon: int) -> list[int]:
        """The actions that a plan of `horizon` steps may take in step `t`.

        Those nearest to the goal come last: python-constraint's solvers take values from the end of a domain.
        """
        possible = (self.earliest_layer <= t) & (self.steps_to_goal <= horizon - t - 1)
        numbers = np.flatnonzero(possible)
        domain: list[int] = numbers[np.argsort(-self.steps_to_goal[numbers], kind="stable")].tolist()
        return domain

    def next_of(self, state: MetState) -> dict[int, MetState]:
        """The states to which the actions lead that can be taken in a state."""
        if state.next is None:
            self.check_budget()
            state.next = dict(self._actions(state))
        return state.next

    def check_budget(self) -> None:
        """Raises `BudgetUsedUp` if the budget is used up."""
        why = self.budget.stopped()
        if why is None and not self.budget.fits(len(self._states) * STATE_BYTES):
            why = "memory limit"
        if why:
            raise BudgetUsedUp(why)

    def steps(self, actions: list[int]) -> list[list[Operator]]:
        """The operators of each step of a plan."""
        steps, state = [], self.start
        for number in actions:
            possible = (step.operators for step in self._space.steps(state.state))
            steps.append(list(next(operators for operators in possible if self._action_of(operators) == number)))
            state = self.next_of(state)[number]
        return steps

    def closed(self) -> bool:
        """Whether the states that searches have met are closed under all actions, but for hopeless states.

        Hopeless: `left` is infinite. If this holds and no search has found a plan, there is none.
        """
        met = [state for state in self._states.values() if state.earliest < NEVER]
        return all(
            after.earliest < NEVER or after.left >= NEVER for state in met for after in self.next_of(state).values()
        )

    # What follows from the task alone

    def _limits(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For each action, the earliest step in which it can be taken and how many steps must follow at least."""
        hm = self.hm
        if not self.task.compound_moves:
            return hm.earliest_layer, hm.steps_to_goal
        ahead, back = np.diagonal(hm.forward), np.diagonal(hm.backward)
        before, after = [op.pre[0] for op in self.actions], [op.add[0] for op in self.actions]
        return ahead[before].astype(np.int32), back[after].astype(np.int32)

    # States

    def _state(self, state: State) -> MetState:
        """What is known of a state."""
        values = [NONE_OF_THOSE] * len(self.variables)
        true = [fact for fact in range(state.facts.bit_length()) if state.facts >> fact & 1]
        for fact in true:
            for number, value in self._values_of[fact]:
                values[number] = value
        if self.task.walker:
            values.append(state.cell)
        key = tuple(values)
        if key not in self._states:
            goal, left = self._space.is_goal(state), self.hm.steps_from(true)
            self._states[key] = MetState(values=key, state=state, goal=goal, left=left)
        return self._states[key]

    def _actions(self, state: MetState) -> Iterator[tuple[int, MetState]]:
        """The actions that can be taken in a state, and where they lead; sets their weights."""
        for operators, cost, after in self._space.steps(state.state):
            number = self._action_of(operators)
            if len(cost) > 1 and (self.exact or not self.task.walker):
                state.weight[number] = cost[1]
            yield number, self._state(after)

    def _action_of(self, operators: tuple[Operator, ...]) -> int:
        """The number of the action that one step is: an operator, or where a compound move begins and ends."""
        first, last = operators[0].displacement, operators[-1].displacement
        return self._number[(first[0], last[1]) if first and last else (id(operators[0]),)]


def _jumps(task: Task) -> tuple[Operator, ...]:
    """For each two places of one object, the operator that takes it from one to the other, if some path is free.

    Of these operators `pre` and `delete` are the place given up and `add` the place taken, and nothing else: which path
    is free, and what else changes, is looked up in the state.
    """
    backward = [op.displacement[::-1] for op in task.operators if op.displacement]
    jumps = []
    for start in CompoundMoves.of(task).places:
        for end in sorted(steps_to([start], backward).keys() - {start}):
            name = f"{task.facts[start]} to {task.facts[end]}"
            jumps.append(Operator(name=name, pre=(start,), add=(end,), delete=(start,), move=None))
    return tuple(jumps)
