"""The variables and constraints of one horizon, in python-constraint's terms.

    action[t]        t = 0..H-1   the action of step t
    state[t, i]      t = 0..H     the value of finite-domain variable i in layer t
    Step(t)          over action[t] and the layers t and t + 1: the action leads from one to the other
    Goal             over layer H
    Ceiling          over all actions: the second component of the cost
    Earlier          over action[0..t] for each t, and over all actions: always met

python-constraint's backtracking solvers assign next the variable that is in most constraints (then the one with the
smallest domain). A state variable is in two steps' constraints, and maybe in the goal; so the dummy constraints
`Earlier` put all actions before all state variables, and action[t] before action[t + 1]: the search goes forward in
time. When action[t] is assigned, layer t has one value a variable already, and `Step` leaves one value a variable in
layer t + 1. So the search is a depth-first search over actions, and `Step` its successor function and its pruning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import constraint

from ...analysis.hm.operator_arrays import NEVER
from .tables import State, Tables

Name = tuple[str, int, int]
"""A variable: what it is ("action" or "state"), its step or layer, its number there."""

MORE_THAN_STATES = 3
"""So often the dummy constraint over all actions is added: the last action, too, is in more constraints than a state
variable, which is in at most three (two steps and the goal)."""

UNMET = 1 << 30
"""More than any plan spends in the second component: the state has not been met."""


@dataclass(slots=True)
class Search:
    """What the search of one model knows, beside python-constraint's own assignments.

    `ceiling`: the most that the second component of the cost may be (None: any); `spent[t]`: what it is before step t
    on the branch that is being followed; `met`: each state met, with the least that was spent when it was met in its
    earliest layer (a transposition table). `nodes` counts the actions that were tried.
    """

    spent: list[int]
    ceiling: int | None = None
    met: dict[State, int] = field(default_factory=dict)
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class StepNames:
    """The variables of a step: layer before, action, layer after, and the next step's action, if there is one."""

    here: list[Name]
    action: Name
    there: list[Name]
    following: Name | None


class Model:
    """The model of all plans of a task with `horizon` steps."""

    def __init__(self, tables: Tables, horizon: int) -> None:
        self.tables, self.horizon = tables, horizon
        self.search = Search([0] * (horizon + 1))

    def problem(self, solver: constraint.Solver) -> constraint.Problem | None:
        """The problem for a solver; None if a domain is empty, so that there is no plan."""
        tables, horizon = self.tables, self.horizon
        problem = constraint.Problem(solver)
        actions: list[Name] = [("action", t, 0) for t in range(horizon)]
        layers: list[list[Name]] = [[("state", t, i) for i in range(tables.width)] for t in range(horizon + 1)]
        domains = {name: tables.action_domain(t, horizon) for t, name in enumerate(actions)}
        first = tables.next_of(tables.start)
        domains[actions[0]] = [action for action in domains[actions[0]] if action in first]
        for t, names in enumerate(layers):
            domains.update(zip(names, tables.domains(t, horizon), strict=True))
        if not all(domains.values()):
            return None
        for name, domain in domains.items():
            problem.addVariable(name, domain)
        for t, action in enumerate(actions):
            following = actions[t + 1] if t + 1 < horizon else None
            step = Step(self, t, StepNames(here=layers[t], action=action, there=layers[t + 1], following=following))
            problem.addConstraint(step, [action, *layers[t], *layers[t + 1]])
        problem.addConstraint(Goal(tables), layers[horizon])
        if len(tables.task.metric) > 1:
            problem.addConstraint(Ceiling(tables, self.search), actions)
        # The dummies that order the search: action[t] is in horizon - t of these, and in MORE_THAN_STATES more.
        for t in range(horizon):
            problem.addConstraint(Earlier(), actions[: t + 1])
        for _ in range(MORE_THAN_STATES):
            problem.addConstraint(Earlier(), actions)
        return problem

    def actions(self, solution: dict[Name, int]) -> list[int]:
        """The actions of a solution, in order."""
        return [solution["action", t, 0] for t in range(self.horizon)]


class Earlier(constraint.Constraint):  # type: ignore[misc]
    """A dummy, always met: variables in more of these are assigned earlier."""

    def preProcess(self, variables: Any, domains: Any, constraints: Any, vconstraints: Any) -> None:
        """Do nothing: the inherited method would remove the dummy over action[0] alone."""


class Goal(constraint.Constraint):  # type: ignore[misc]
    """The last layer is a state in which the goal holds."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def __call__(
        self,
        variables: list[Name],
        domains: dict[Name, list[int]],
        assignments: dict[Name, int],
        forwardcheck: Any = False,
    ) -> bool:
        if any(name not in assignments for name in variables):
            return True
        state = self.tables.find(tuple(assignments[name] for name in variables))
        return state is not None and state.goal


class Ceiling(constraint.Constraint):  # type: ignore[misc]
    """The actions together cost no more than the ceiling in the second component."""

    def __init__(self, tables: Tables, search: Search) -> None:
        self.tables, self.search = tables, search

    def __call__(
        self,
        variables: list[Name],
        domains: dict[Name, list[int]],
        assignments: dict[Name, int],
        forwardcheck: Any = False,
    ) -> bool:
        ceiling = self.search.ceiling
        if ceiling is None or any(name not in assignments for name in variables):
            return True
        weight = self.tables.weight_of([assignments[name] for name in variables])
        return weight is not None and weight <= ceiling


class Step(constraint.Constraint):  # type: ignore[misc]
    """The action of step t leads from layer t to layer t + 1.

    A solver with forward checking goes forward in time (see the head of this file): when it has chosen action[t], layer
    t is known, and the next layer and the next action are pruned (`_propagate`). For other solvers what is assigned is
    checked (`_check`).
    """

    def __init__(self, model: Model, t: int, names: StepNames) -> None:
        self.tables, self.search = model.tables, model.search
        self.t, self.names = t, names
        self.after = model.horizon - t - 1  # steps that follow

    def __call__(
        self,
        variables: list[Name],
        domains: dict[Name, Any],
        assignments: dict[Name, int],
        forwardcheck: Any = False,
    ) -> bool:
        self.tables.check_budget()
        names = self.names
        action = assignments.get(names.action)
        if action is None:
            return True
        if forwardcheck and len(assignments) == self.t + 1:  # the actions up to this one, and nothing else
            return self._propagate(domains, action)
        return self._check(assignments, action)

    def _propagate(self, domains: dict[Name, Any], action: int) -> bool:
        """Leave the one value of each variable in layer t + 1; False if the action cannot be on a plan of this horizon.

        Layer t has one value a variable: the domains that the step before has left.
        """
        tables, search, names, t = self.tables, self.search, self.names, self.t
        search.nodes += 1
        state = tables[tuple([domains[name][0] for name in names.here])]
        target = tables.next_of(state).get(action)
        if target is None or target.left > self.after:
            return False
        spent = search.spent[t] + state.weight.get(action, 0)
        if search.ceiling is not None and spent > search.ceiling:
            return False
        search.spent[t + 1] = spent
        if names.following is None:
            if not target.goal:
                return False
        elif not self._prepare(domains[names.following], target, spent):
            return False
        for name, keep in zip(names.there, target.values, strict=True):
            domain = domains[name]
            for value in domain[:]:  # hidden values come back when the solver backtracks
                if value != keep:
                    domain.hideValue(value)
        return True

    def _prepare(self, domain: Any, target: State, spent: int) -> bool:
        """Record the state that is reached, and hide the actions that lead nowhere from it.

        A state that was reached in an earlier layer, at this horizon or a refuted one, is not worth reaching later:
        that plan would be shorter than a refuted horizon.
        """
        met, layer = self.search.met, self.t + 1
        if layer > target.earliest or (layer == target.earliest and met.get(target, UNMET) <= spent):
            return False
        # One step of lookahead: the bound of a state is at least one more than the least of its successors'.
        ways = self.tables.next_of(target)
        nearest = min([after.left for after in ways.values()], default=NEVER)
        target.left = max(target.left, nearest + 1)
        if target.left > self.after:
            return False
        target.earliest, met[target] = layer, spent
        for action in domain[:]:
            after = ways.get(action)
            if after is None or after.left >= self.after or layer >= after.earliest:
                domain.hideValue(action)
        return bool(domain)

    def _check(self, assignments: dict[Name, int], action: int) -> bool:
        """Whether the action leads from layer t, if all of it is assigned, to what is assigned of layer t + 1."""
        names = self.names
        here = [assignments.get(name) for name in names.here]
        if None in here:
            return True
        state = self.tables.find(tuple(here))  # type: ignore[arg-type]
        target = None if state is None else self.tables.next_of(state).get(action)
        if target is None:
            return False
        return all(
            assignments.get(name, value) == value for name, value in zip(names.there, target.values, strict=True)
        )
