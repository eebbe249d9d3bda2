"""A bounded-horizon planning model for python-constraint, and the loop that raises its horizon.

For a horizon H there are finite-domain variables for the state in each layer 0..H (where each thing is, or what
is on each cell; see `StateTables`) and one variable for the action of each step (van Beek and Chen, *CPlan: a
constraint programming approach to planning*, AAAI 1999). What h^m excludes is left out of the
domains. One constraint a step links two layers by the action between them.

python-constraint's backtracking solver checks a constraint when a variable of it is assigned, and takes the variable
of most constraints first. So the actions are made to be in more constraints the earlier they come, and the solver
goes forward in time. When an action has been chosen, its step's constraint hides all values of the next layer but
those to which it leads, and of the next action all that cannot be taken there, or lead to a state from which the
goal is too far (by h^m, and by what one more step shows). It hides, too, what leads to a state that was met
before in an earlier layer, at this horizon or a refuted one; and a state that the search has come back from is not
tried again.

The horizon rises from the bound of h^m; each refuted one raises the bound. If a refuted horizon was large
enough to meet every state that can be reached, there is no plan at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any

import constraint
import numpy as np
from numpy.typing import NDArray

from ...analysis.hm.tables import HmTables, hm_tables, quick_order
from ...analysis.hm.tuples import NEVER
from ...analysis.structure import NONE_OF_THOSE, structure_of
from ...analysis.transformed_tasks import CompoundMoves, CostLayers, with_cost_layers
from ...analysis.transition_graphs import steps_to
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.task import Operator, OperatorTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..common.state_space import State, StateSpace

# Tables for the constraints of the python-constraint model: states as values of finite-domain variables.
#
# A state of the task is given by the values of a few variables (finite-domain representation: Helmert, *Concise
# finite-domain representations for PDDL planning tasks*, AIJ 2009):
#
#     one for each mutex group       its value is the fact that is true: where an object is, or what is on a cell
#     one for each other fact        two values: the fact, or `NONE_OF_THOSE`
#     one for a walker               the least cell of the region in which it stands, or its very cell (`exact_walker`)
#
# A fact that the others decide has no variable: a cell is free if nothing stands on it.
#
#     three cells, one object `A`:  facts  A at r1c1, A at r1c2, free r1c1, free r1c2, ...
#     variables                     (A,)   with the values  A at r1c1, A at r1c2, ...;  `free ...` is derived
#
# States are made when a search first meets them, and kept, with the states to which their actions lead.

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

    def __init__(self, task: OperatorTask, hm: HmTables, budget: Budget, *, exact_walker: bool = False) -> None:
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


def _jumps(task: OperatorTask) -> tuple[Operator, ...]:
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


# The variables and constraints of one horizon, in python-constraint's terms.
#
#     action[t]        t = 0..H-1   the action of step t
#     state[t, i]      t = 0..H     the value of finite-domain variable i in layer t
#     StepConstraint   over action[t] and the layers t and t + 1: the action leads from one to the other
#     Earlier          over action[0..t] for each t, and over all actions: always met
#
# python-constraint's backtracking solver assigns next the variable that is in most constraints (then the one with the
# smallest domain). A state variable is in the constraints of two steps; so the dummy constraints `Earlier` put all
# actions before all state variables, and action[t] before action[t + 1]: the search goes forward in time.
#
#     variable      action[0]      action[1]      ...   action[H-1]    a state variable
#     constraints   1 + H + 2      1 + H-1 + 2          1 + 1 + 2      2
#
# When action[t] is assigned, layer t has one value for each variable already, and the constraint of the step leaves
# one for each in layer t + 1. So the search is a depth-first search over actions, and `StepConstraint` its successor
# function and its pruning. Once all actions are chosen, so are the states.

Name = tuple[str, int, int]
"""The name of a variable: its kind ("action" or "state"), its step or layer, its number there."""


@dataclass(slots=True)
class SearchMemory:
    """The memory of the search in one model, beside python-constraint's own assignments.

    `ceiling`: the most that the second component of the cost may be (None: any); `spent[t]`: what it is before step t
    on the branch that is being followed; `met`: each state met, with the least that was spent when it was met in its
    earliest layer (a transposition table). `nodes` counts the actions that were tried.
    """

    spent: list[int]
    ceiling: int | None = None
    met: dict[MetState, int] = field(default_factory=dict)
    nodes: int = 0


@dataclass(frozen=True, slots=True)
class StepNames:
    """The variables of a step: layer before, action, layer after, and the next step's action, if there is one."""

    here: list[Name]
    action: Name
    there: list[Name]
    following: Name | None


class CspModel:
    """The model of all plans of a task with `horizon` steps."""

    def __init__(self, tables: StateTables, horizon: int) -> None:
        self.tables, self.horizon = tables, horizon
        self.memory = SearchMemory([0] * (horizon + 1))

    def problem(self) -> constraint.Problem | None:
        """The problem for python-constraint; None if a domain is empty, so that there is no plan."""
        tables, horizon = self.tables, self.horizon
        problem = constraint.Problem(constraint.OptimizedBacktrackingSolver())
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
            names_of_step = StepNames(here=layers[t], action=action, there=layers[t + 1], following=following)
            problem.addConstraint(StepConstraint(self, t, names_of_step), [action, *layers[t], *layers[t + 1]])
        # The dummies that order the search. Two more over all actions put the last one, too, before the states.
        for last in (*range(horizon), horizon - 1, horizon - 1):
            problem.addConstraint(Earlier(), actions[: last + 1])
        return problem

    def actions(self, solution: dict[Name, int]) -> list[int]:
        """The actions of a solution, in order."""
        return [solution["action", t, 0] for t in range(self.horizon)]


class Earlier(constraint.Constraint):  # type: ignore[misc]
    """A dummy constraint, always met: variables with more constraints are assigned earlier."""

    def preProcess(self, variables: Any, domains: Any, constraints: Any, vconstraints: Any) -> None:
        """Do nothing: the inherited method would remove the dummy over action[0] alone."""


class StepConstraint(constraint.Constraint):  # type: ignore[misc]
    """The action of step t leads from layer t to layer t + 1.

    The solver goes forward in time (see the head of this file). When it has chosen action[t], layer t is known, and the
    next layer and the next action are pruned. Then nothing is left to be checked when their variables are assigned.
    """

    def __init__(self, model: CspModel, t: int, names: StepNames) -> None:
        self.tables, self.memory = model.tables, model.memory
        self.t, self.names = t, names
        self.after = model.horizon - t - 1  # steps that follow

    def __call__(
        self,
        _variables: list[Name],
        domains: dict[Name, Any],
        assignments: dict[Name, int],
        _forwardcheck: Any = False,
    ) -> bool:
        self.tables.check_budget()
        if len(assignments) > self.t + 1:
            return True
        return self._propagate(domains, assignments[self.names.action])

    def _propagate(self, domains: dict[Name, Any], action: int) -> bool:
        """Leave one value of each variable in layer t + 1; False if the action cannot be on a plan of this horizon."""
        tables, memory, names, t = self.tables, self.memory, self.names, self.t
        memory.nodes += 1
        # 1. The state in layer t: one value is left of each variable, by the step before.
        state = tables[tuple([domains[name][0] for name in names.here])]
        target = tables.next_of(state).get(action)
        if target is None or target.left > self.after:
            return False
        # 2. What it costs in the second component, and what may follow.
        spent = memory.spent[t] + state.weight.get(action, 0)
        if memory.ceiling is not None and spent > memory.ceiling:
            return False
        memory.spent[t + 1] = spent
        if names.following is None:
            if not target.goal:
                return False
        elif not self._prepare(domains[names.following], target, spent):
            return False
        # 3. Layer t + 1 becomes the state that is reached. Hidden values come back when the solver backtracks.
        for name, keep in zip(names.there, target.values, strict=True):
            domain = domains[name]
            for value in domain[:]:
                if value != keep:
                    domain.hideValue(value)
        return True

    def _prepare(self, domain: Any, target: MetState, spent: int) -> bool:
        """Record the state that is reached, and hide the actions that lead nowhere from it.

        A state that was reached in an earlier layer, at this horizon or a refuted one, is not worth reaching later:
        that plan would be shorter than a refuted horizon.
        """
        met, layer = self.memory.met, self.t + 1
        if layer > target.earliest or (layer == target.earliest and met.get(target, inf) <= spent):
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


WHO = "python-constraint"


@dataclass(slots=True)
class CspRun:
    """The state of a run of the loop; `record` holds its bound, its counts and its time."""

    layers: CostLayers
    record: Recorder
    limit: int | None

    @property
    def bound(self) -> int:
        """The proven lower bound: no plan has fewer layers of cost."""
        known = self.record.bounds.lower_bound
        return -(-known[0] // self.layers.unit) if known else 0

    def why_stop(self, horizon: int) -> str | None:
        if self.limit is not None and horizon * self.layers.unit > self.limit:
            return "horizon limit"
        return self.record.budget.stopped()


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
    run = CspRun(layers, record, horizon_limit)
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
    return _rising(run, tables)


def _rising(run: CspRun, tables: StateTables) -> Outcome:
    """A model for each horizon, from the lower bound upward, until one has a solution."""
    record = run.record
    while True:
        horizon = run.bound
        why = run.why_stop(horizon)
        if why:
            return record.stopped(why)
        model = CspModel(tables, horizon)
        try:
            actions = next(_solutions(run, model), None)
            exhausted = actions is None and tables.closed()
        except BudgetUsedUp as stop:
            return record.stopped(str(stop))
        if actions is not None:
            plan = _plan(tables, actions)
            if record.parts > 1:
                return _second_component(run, tables, plan)
            return record.optimal(plan, (horizon * run.layers.unit,), record.bounds.lower_bound_by)
        if exhausted:
            met = f"every state that can be reached was met at horizon {horizon}, and none is a goal"
            return record.unsolvable(f"{WHO}: {met}")
        paid = (horizon + 1) * run.layers.unit
        record.raise_bound(paid, f"{WHO} proved that {run.layers.task.not_enough(paid - 1)}", horizon=horizon)


def _second_component(run: CspRun, tables: StateTables, plan: Plan) -> Outcome:
    """Find the plan best in the second component among those that are best in the first.

    Branch and bound: each plan that is found lowers the ceiling for the rest of the same search.
    """
    record, horizon, unit = run.record, run.bound, run.layers.unit
    exact = StateTables(tables.task, tables.hm, tables.budget, exact_walker=True)
    model = CspModel(exact, horizon)
    best: int | None = None
    try:
        for actions in _solutions(run, model):
            plan, best = _plan(exact, actions), model.memory.spent[horizon]
            record.found(plan, (horizon * unit, best))
            model.memory.ceiling = best - 1
    except BudgetUsedUp as stop:
        return record.stopped(str(stop), unpriced=plan)
    assert best is not None
    by = f"{record.bounds.lower_bound_by}; {WHO}: at horizon {horizon}, {run.layers.task.metric[1]} minimised"
    return record.optimal(plan, (horizon * unit, best), by)


def _solutions(run: CspRun, model: CspModel) -> Iterator[list[int]]:
    """The actions of each solution. Raises `BudgetUsedUp` when the budget is used up."""
    stats = run.record.stats
    with run.record.encoding():
        problem = model.problem()
    try:
        for solution in problem.getSolutionIter() if problem else ():
            yield model.actions(solution)
    finally:
        run.record.count(models=1, nodes=model.memory.nodes)
        stats["states"] = max(int(stats["states"]), len(model.tables))


def _plan(tables: StateTables, actions: list[int]) -> Plan:
    steps = tables.steps(actions)
    return Plan.of_compound_moves(steps) if tables.task.compound_moves else Plan.of(op for step in steps for op in step)
