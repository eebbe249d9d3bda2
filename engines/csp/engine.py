"""A bounded-horizon planning model for python-constraint, and the loop that raises its horizon.

For a horizon H there is one finite-domain variable for the action of each step (after van Beek and Chen, *CPlan: a
constraint programming approach to planning*, AAAI 1999): the states follow from the actions. Actions that h^m excludes
from a step are left out of its domain. One constraint for each step, over the actions up to it, says that they lead to
a state from which the goal can still be reached in time.

    action[t]        t = 0..H-1   an operator, or where a compound move begins and ends
    StepConstraint   over action[0..t]: they can be taken one after the other, and the goal is near enough after them

python-constraint's backtracking solver checks a constraint when a variable of it is assigned, and takes the variable
of most constraints first: action[0] is in H of them, action[1] in H - 1, ... So the solver goes forward in time, and
the search is a depth-first search over actions. When an action has been chosen, its step's constraint hides of the next
action all that cannot be taken there, or lead to a state from which the goal is too far (by h^m, and by what one more
step shows). It hides, too, what leads to a state that was met before in an earlier layer, at this horizon or a refuted
one; and a state that the search has come back from is not tried again.

The horizon rises from the bound of h^m; each refuted one raises the bound. If a refuted horizon was large
enough to meet every state that can be reached, there is no plan at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, permutations
from math import inf
from typing import Any

import constraint
import numpy as np

from ...analysis.hm.tables import HmTables, hm_tables, quick_order
from ...analysis.hm.tuples import NEVER
from ...analysis.structure import structure_of
from ...analysis.transformed_tasks import with_cost_layers
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.task import Operator, OperatorTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..common.state_space import State, StateSpace, facts_in

STATE_BYTES = 1_000
"""Bytes of a state with its table of applicable actions (measured: 540 to 960)."""


class BudgetUsedUp(Exception):
    """The budget is used up: the only way out of python-constraint's solvers, which never look at the clock."""


@dataclass(eq=False, slots=True)
class MetState:
    """A state of the task that a search has met, or to which an action leads from one that it has met.

    `goal`: whether the goal holds; `left`: a lower bound on the steps from here to the goal; `earliest`: the earliest
    layer in which a search has met the state. `next`: the state to which each possible action leads, once asked for;
    `weight`: what each action adds to the second component of the cost.
    """

    state: State
    goal: bool
    left: int
    earliest: int = NEVER
    next: dict[int, MetState] | None = None
    weight: dict[int, int] = field(default_factory=dict)


class StateTables:
    """The actions and states of one task. States are made when a search first meets them, and kept, with the states to
    which their actions lead.

    An action is what one step can be: an operator or, in a task with compound moves, an object taken from one place
    to another, along whatever path is free. `exact_walker`: tell apart the walker's cells and not only its regions
    (needed to count what is walked).
    """

    def __init__(self, task: OperatorTask, hm: HmTables, budget: Budget, *, exact_walker: bool = False) -> None:
        self.task, self.hm, self.budget, self.exact = task, hm, budget, exact_walker
        # The actions by their numbers, and for each the earliest step in which it can be taken, and how many steps must
        # follow at least.
        if task.compound_moves:
            component = structure_of(task).component
            places = sorted({place for op in task.operators for place in op.displacement or ()})
            ends = [(a, b) for a, b in permutations(places, 2) if component[a] == component[b]]
            self._number: dict[tuple[int, ...], int] = {pair: number for number, pair in enumerate(ends)}
            before, after = zip(*ends, strict=True)
            self.earliest_layer = hm.forward.diagonal()[[*before]].astype(np.int32)
            self.steps_to_goal = hm.backward.diagonal()[[*after]].astype(np.int32)
        else:
            self._number = {(id(op),): number for number, op in enumerate(task.operators)}
            self.earliest_layer, self.steps_to_goal = hm.earliest_layer, hm.steps_to_goal
        self._space = StateSpace(task, regions=not exact_walker)
        self._states: dict[State, MetState] = {}
        self.start = self._state(self._space.start)
        self.start.earliest = 0

    def __len__(self) -> int:
        return len(self._states)

    def action_domain(self, t: int, horizon: int) -> list[int]:
        """The actions that a plan of `horizon` steps may take in step `t`.

        Those nearest to the goal come last: python-constraint's solvers take values from the end of a domain.
        """
        possible = (self.earliest_layer <= t) & (self.steps_to_goal <= horizon - t - 1)
        numbers = np.flatnonzero(possible)
        domain: list[int] = numbers[np.argsort(-self.steps_to_goal[numbers], kind="stable")].tolist()
        return domain if t else [action for action in domain if action in self.next_of(self.start)]

    def next_of(self, state: MetState) -> dict[int, MetState]:
        """The states to which the actions lead that can be taken in a state."""
        if state.next is None:
            self.check_budget()
            state.next = dict(self._actions(state))
        return state.next

    def check_budget(self) -> None:
        """Raises `BudgetUsedUp` if the budget is used up."""
        if why := self.budget.stopped(len(self._states) * STATE_BYTES):
            raise BudgetUsedUp(why)

    def plan(self, actions: list[int]) -> Plan:
        """The plan of some actions."""
        steps, state = [], self.start
        for number in actions:
            possible = (step.operators for step in self._space.steps(state.state))
            steps.append(next(operators for operators in possible if self._action_of(operators) == number))
            state = self.next_of(state)[number]
        return self._space.plan(steps)

    def closed(self) -> bool:
        """Whether the states that searches have met are closed under all actions, but for hopeless states.

        Hopeless: `left` is infinite. If this holds and no search has found a plan, there is none.
        """
        met = [state for state in self._states.values() if state.earliest < NEVER]
        return all(
            after.earliest < NEVER or after.left >= NEVER for state in met for after in self.next_of(state).values()
        )

    def _state(self, state: State) -> MetState:
        """What is known of a state."""
        if state not in self._states:
            left = self.hm.steps_from(facts_in(state.facts))
            self._states[state] = MetState(state=state, goal=self._space.is_goal(state), left=left)
        return self._states[state]

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


class CspModel:
    """The model of all plans of a task with `horizon` steps, and the memory of the search in it.

    `path[t]`: the state before step t on the branch that is being followed, `spent[t]`: the second component of the
    cost up to there; `ceiling`: the most that this may be (None: any). `met`: each state met, with the least that was
    spent when it was met in its earliest layer (a transposition table). `nodes` counts the actions that were tried.
    """

    def __init__(self, tables: StateTables, horizon: int) -> None:
        self.tables, self.horizon = tables, horizon
        self.path, self.spent = [tables.start] * (horizon + 1), [0] * (horizon + 1)
        self.ceiling: int | None = None
        self.met: dict[MetState, int] = {}
        self.nodes = 0

    def problem(self) -> constraint.Problem | None:
        """The problem for python-constraint; None if a domain is empty, so that there is no plan."""
        domains = [self.tables.action_domain(t, self.horizon) for t in range(self.horizon)]
        if not all(domains):
            return None
        problem = constraint.Problem(constraint.OptimizedBacktrackingSolver())
        for t, domain in enumerate(domains):
            problem.addVariable(t, domain)
        for t in range(self.horizon):
            problem.addConstraint(StepConstraint(self, t), list(range(t + 1)))
        return problem

    def actions(self, solution: dict[int, int]) -> list[int]:
        """The actions of a solution, in order."""
        return [solution[t] for t in range(self.horizon)]


class StepConstraint(constraint.Constraint):  # type: ignore[misc]
    """The actions up to step t lead to a state from which the goal can be reached in the steps that follow.

    The solver goes forward in time (see the head of this file): when it has chosen action[t], the state before it is
    known, and the next action is pruned.
    """

    def __init__(self, model: CspModel, t: int) -> None:
        self.model, self.t = model, t
        self.after = model.horizon - t - 1  # steps that follow

    def preProcess(self, variables: Any, domains: Any, constraints: Any, vconstraints: Any) -> None:
        """Do nothing: the inherited method would remove the constraint over action[0] alone."""

    def __call__(
        self,
        _variables: list[int],
        domains: dict[int, Any],
        assignments: dict[int, int],
        _forwardcheck: Any = False,
    ) -> bool:
        self.model.tables.check_budget()
        if len(assignments) != self.t + 1:
            return True
        return self._propagate(domains, assignments[self.t])

    def _propagate(self, domains: dict[int, Any], action: int) -> bool:
        """Prune the next action; False if this action cannot be on a plan of this horizon."""
        model, t = self.model, self.t
        model.nodes += 1
        # 1. Where the action leads.
        state = model.path[t]
        target = model.tables.next_of(state).get(action)
        if target is None or target.left > self.after:
            return False
        # 2. What it costs in the second component, and what may follow.
        spent = model.spent[t] + state.weight.get(action, 0)
        if model.ceiling is not None and spent > model.ceiling:
            return False
        model.path[t + 1], model.spent[t + 1] = target, spent
        return self._prepare(domains[t + 1], target, spent) if self.after else target.goal

    def _prepare(self, domain: Any, target: MetState, spent: int) -> bool:
        """Record the state that is reached, and hide the actions that lead nowhere from it. Hidden values come back
        when the solver backtracks.

        A state that was reached in an earlier layer, at this horizon or a refuted one, is not worth reaching later:
        that plan would be shorter than a refuted horizon.
        """
        met, layer = self.model.met, self.t + 1
        if layer > target.earliest or (layer == target.earliest and met.get(target, inf) <= spent):
            return False
        # One step of lookahead: the bound of a state is at least one more than the least of its successors'.
        ways = self.model.tables.next_of(target)
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


WHO = "python-constraint"


def solve(
    task: OperatorTask,
    budget: Budget,
    progress: Progress = silent,
    horizon_limit: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by python-constraint.

    With `horizon_limit`, give up when it is proven that no plan has at most that many steps. Raises `UsageError` for
    operators of different costs.
    """
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    layers = with_cost_layers(task)
    if layers is None or layers.free:
        raise UsageError("the engine `csp` needs operators that all cost something; use `cp-sat` or `bfs`")
    record.stats.update(models=0, nodes=0, states=0)
    task, unit = layers.task, layers.unit
    record.raise_bound(unit, "the initial state is not a goal")
    tell_root_bounds(layers.source, record)
    hm = hm_tables(task, quick_order(task))
    if hm.lower_bound is None:
        return record.unsolvable(f"reachability analysis ({hm.name}): the goal is out of reach")
    excluded = task.counted(hm.lower_bound * unit - 1)
    record.raise_bound(hm.lower_bound * unit, f"reachability analysis ({hm.name}) rules out {excluded}")
    tables = StateTables(task, hm, budget)
    record.encoded()
    assert record.bounds.lower_bound is not None
    first = -(-record.bounds.lower_bound[0] // unit)  # in layers of cost
    return _rising(record, tables, first, unit, horizon_limit)


def _rising(record: Recorder, tables: StateTables, first: int, unit: int, limit: int | None) -> Outcome:
    """A model for each horizon, from the `first`, which is the proven bound, until one has a solution. `unit`: what a
    layer costs.
    """
    for horizon in count(first):
        if limit is not None and horizon * unit > limit:
            return record.stopped("horizon limit")
        if why := record.budget.stopped():
            return record.stopped(why)
        model = CspModel(tables, horizon)
        try:
            actions = next(_solutions(record, model), None)
            exhausted = actions is None and tables.closed()
        except BudgetUsedUp as stop:
            return record.stopped(str(stop))
        if actions is not None:
            plan = tables.plan(actions)
            if record.parts > 1:
                return _second_component(record, tables, horizon, unit, plan)
            return record.optimal(plan, (horizon * unit,), record.bounds.lower_bound_by)
        if exhausted:
            met = f"every state that can be reached was met at horizon {horizon}, and none is a goal"
            return record.unsolvable(f"{WHO}: {met}")
        paid = (horizon + 1) * unit
        record.raise_bound(paid, f"{WHO} proved that {tables.task.not_enough(paid - 1)}", horizon=horizon)
    raise AssertionError("horizons do not end")


def _second_component(record: Recorder, tables: StateTables, horizon: int, unit: int, plan: Plan) -> Outcome:
    """Find the plan best in the second component among those that are best in the first.

    Branch and bound: each plan that is found lowers the ceiling for the rest of the same search.
    """
    exact = StateTables(tables.task, tables.hm, tables.budget, exact_walker=True)
    model = CspModel(exact, horizon)
    best: int | None = None
    try:
        for actions in _solutions(record, model):
            plan, best = exact.plan(actions), model.spent[horizon]
            record.found(plan, (horizon * unit, best))
            model.ceiling = best - 1
    except BudgetUsedUp as stop:
        return record.stopped(str(stop), unpriced=plan)
    assert best is not None
    by = f"{record.bounds.lower_bound_by}; {WHO}: at horizon {horizon}, {tables.task.metric[1]} minimised"
    return record.optimal(plan, (horizon * unit, best), by)


def _solutions(record: Recorder, model: CspModel) -> Iterator[list[int]]:
    """The actions of each solution. Raises `BudgetUsedUp` when the budget is used up."""
    with record.encoding():
        problem = model.problem()
    try:
        for solution in problem.getSolutionIter() if problem else ():
            yield model.actions(solution)
    finally:
        record.count(models=1, nodes=model.nodes)
        record.stats["states"] = max(int(record.stats["states"]), len(model.tables))
