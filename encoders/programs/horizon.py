"""A program task and a horizon H -> the formula of all plans of at most H steps, the number of which is minimised.

With x[t][v] for the value of variable v in layer t, a choice of literals, a[t] for "action a is applied in step t", and
idle[t] for "none is":

    start      x[0][v] is the initial value
    step       exactly one a[t], or idle[t]; idle[t] -> idle[t+1]
    needed     a[t] -> each demand of a's program on layer t, and on layer t + 1 for what is asked behind `APPLY`
    effect     a[t] and p -> x[t+1][v] is the value assigned          for v := value under the condition p
    frame      x[t][v] = k and x[t+1][v] != k -> some a[t] that assigns v, under its condition; and the other way round
    goal       each demand of the goal's program on layer H
    reached    x[t][v] = k only for values k in layer t of `reached` (see `reached_values`)
    distance   x[t][v] = k only if a goal is at most H - t steps from k in the projection to v; and for projections that
               may be added up, the sum of these distances is at most H - t, less the idle steps from t on

Where actions differ in cost, or cost nothing, H counts layers of cost, as for operators
(`analysis.transformed_tasks`): an action of cost c is waited for c - 1 steps, in which nothing
happens, and is applied in its last layer. Before the first paid step and behind each there is room for K actions that
cost nothing, idle last.

    waited     one of w[t][0], w[t][1], ...: how many layers were waited for the next action
    paid step  idle[t] and w[t][k] -> w[t+1][k+1];   a[t] -> w[t][c-1] and w[t+1][0]      for a of cost c > 0, no other
    free step  idle[t] and w[t][k] -> w[t+1][k];     a[t] -> w[t][0] and w[t+1][0]        for a of cost 0, no other
    distance   x[t][v] = k only if the projection to v asks for no more than is left to be paid, and was waited

Demands behind `APPLY` that all actions have which assign what they read hold in all layers (they hold in the initial
state: see `ProgramTask`). So they are stated once for each layer, and "all different" as one constraint.

All layers have the same variables and constraints, and so have all steps. They are written once; `Copies` writes them
again for each layer, with the numbers of the variables shifted. A variable of the layer after a step has a number from
`NEXT` on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, product

import numpy as np
from numpy.typing import NDArray

from ...analysis.abstractions import NEVER
from ...analysis.program_projections import ProjectionTables
from ...analysis.symbolic_machine import Assigned, Demand, ProgramRun, SymbolicMachine
from ...analysis.value_graph import TooManyStepsError, ValueGraph, run_of
from ...models.plan import Plan
from ...models.program import ProgramAction, ProgramTask
from ...models.watching import collector_paused
from ...runtime.arrays import from_csr
from ..formula import FALSE, TRUE, EncodingStopped, Formula, Linear, Weighted
from ..step import all_different
from .values import InstructionCount, LayerValues, Value, Whole

# A formula of plans of actions that are programs, and how a plan is read off a solution.


@dataclass(frozen=True, slots=True)
class ProgramModel:
    """A formula, and the literal of each action that is possible in each step."""

    task: ProgramTask
    formula: Formula
    horizon: int
    applied: list[list[tuple[int, ProgramAction]]]

    def actions(self, values: NDArray[np.bool_]) -> list[ProgramAction]:
        """The actions of a solution; `values` holds the value of each variable."""
        return [action for step in self.applied for literal, action in step if values[literal]]

    def plan(self, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution."""
        return self.task.plan(self.actions(values))

    def layers(self, values: NDArray[np.bool_]) -> int:
        """The layers of cost that a solution takes."""
        return sum(action.cost[0] for action in self.actions(values)) // self.task.layer_cost

    def prices(self, part: int) -> Weighted:
        """What the steps of a solution cost in a component of the metric, as a weighted sum of literals."""
        return [(literal, action.cost[part]) for step in self.applied for literal, action in step if action.cost[part]]


# What came of a program on the literals of a layer.
Run = ProgramRun[Value, int]


def literals_of(layer: LayerValues, demand: Demand[Value, int]) -> tuple[int, ...]:
    """Literals of which one has to be true for a demand."""
    special = demand.special
    return demand.conditions if special is None else (*demand.conditions, layer.equals(special, 1))


def state_demand(layer: LayerValues, demand: Demand[Value, int], part: Formula) -> None:
    """State a demand in a part, of every layer that has this part."""
    if demand.special is not None and not demand.conditions:
        layer.require(demand.special, part)
    else:
        part.clause(literals_of(layer, demand))


def asked_everywhere(runs: Sequence[tuple[ProgramAction, Run]]) -> dict[Demand[Value, int], None]:
    """The demands behind `APPLY` that no action can leave unmet: all that assign what they read ask them."""
    asking: dict[Demand[Value, int], set[int]] = {}
    reads: dict[Demand[Value, int], set[int]] = {}
    for number, (_, run) in enumerate(runs):
        for demand in run.after:
            asking.setdefault(demand, set()).add(number)
            reads.setdefault(demand, set()).update(run.reads)
    writing = {
        demand: {n for n, (action, _) in enumerate(runs) if not action.writes.isdisjoint(read)}
        for demand, read in reads.items()
    }
    return {demand: None for demand, asked in asking.items() if writing[demand] <= asked}


def paid_before(horizon: int, free: int) -> list[int]:
    """(T + 1): how many steps are paid for before each layer: `free` free steps, and `horizon` times a paid one and
    `free` free ones.
    """
    return [0, *(paid for paid in range(horizon + 1) for _ in range(free + (paid > 0)))]


# Added to the number of a variable that belongs to the layer after a step.
NEXT = 1 << 28


class ProgramEncoder:
    """Encodes a task for one horizon after the other. `projections`: distances to the goal; `reached`: the values of
    the first layers. Raises `UsageError` for programs that it cannot state, and `EncodingStopped` if `stop`, which is
    asked now and then, says so.
    """

    def __init__(
        self,
        task: ProgramTask,
        projections: ProjectionTables,
        stop: Callable[[], object] = lambda: None,
        reached: Sequence[Sequence[frozenset[int]]] = (),
    ) -> None:
        self.task, self.projections, self.stop, self.reached = task, projections, stop, reached
        self.waited = [TRUE]
        self.layer = layer = LayerValues(task.tables)
        self.state = [layer.choice(variable.values) for variable in task.variables]
        machine = SymbolicMachine(task, layer, self.state, InstructionCount(stop))
        layer_part = layer.part
        runs = [(action, machine.run(action.entry)) for action in task.actions]
        step_parts = self._step([(action, run) for action, run in runs if not run.impossible])
        self.size = layer.variables
        layer.part = goal_part = Formula()
        goal = machine.run(task.goal)
        for demand in goal.before:
            state_demand(layer, demand, goal_part)
        goal_part.contradiction |= goal.impossible
        self.known, self.layers = Formula(), 0
        parts = layer_part, *step_parts, goal_part
        self.each, self.later, self.step, self.goal = (Copies(part, self.size) for part in parts)

    # One layer and one step

    def _step(self, runs: list[tuple[ProgramAction, Run]]) -> tuple[Formula, Formula]:
        """What holds of each layer behind the first, and of each step."""
        layer = self.layer
        later_part = Formula()
        self.step_part = step_part = Formula()
        if not self.task.uniform:
            most = max(action.cost[0] for action in self.task.actions) // self.task.layer_cost
            self.waited = [layer.literal() for _ in range(max(1, most))]
        everywhere = asked_everywhere(runs)
        for demand in everywhere:
            state_demand(layer, demand, later_part)
        self.applied = [(layer.literal(), action) for action, _ in runs]
        self.idle = layer.literal()
        step_part.exactly_one([*(literal for literal, _ in self.applied), self.idle])
        if self.task.uniform:  # a plan has one solution, not one for each place to pause; else: see `_paid`
            step_part.clause([~self.idle, following(self.idle)])
        changes: list[list[tuple[int, Assigned[Value, int]]]] = [[] for _ in self.task.variables]
        for (literal, _), (_, run) in zip(self.applied, runs, strict=True):
            for demand in run.before:
                step_part.clause([~literal, *literals_of(layer, demand)])
            for demand in run.after:
                if demand not in everywhere:
                    step_part.clause([~literal, *map(following, literals_of(layer, demand))])
            for assigned in run.assigned:
                self._effect(literal, assigned)
                changes[assigned.variable].append((literal, assigned))
        layer.part = step_part  # what is defined from here on reads which action is applied
        for variable, writers in enumerate(changes):
            self._frame(variable, writers)
        return later_part, step_part

    def _effect(self, literal: int, assigned: Assigned[Value, int]) -> None:
        """a[t] and p -> x[t+1][v] is the value assigned; the value is in the domain of v."""
        part, after = self.step_part, self.layer.literals(self.state[assigned.variable])
        given = self.layer.literals(self.layer.image(assigned.value))  # told apart by literals, as variables are
        start = [~literal] if assigned.condition == TRUE else [~literal, ~assigned.condition]
        for number, held in given.items():
            if number not in after:
                part.clause([*start, ~held])
        for number, result in after.items():
            held = given.get(number, FALSE)
            part.clause([*start, ~held, following(result)])
            part.clause([*start, held, following(~result)])

    def _frame(self, variable: int, writers: list[tuple[int, Assigned[Value, int]]]) -> None:
        """A variable changes only by an action that assigns it, and to a value that this action may assign."""
        part, here = self.step_part, self.layer.literals(self.state[variable])
        changing: dict[int, list[int]] = {}
        possible: dict[int, set[int]] = {}
        for literal, assigned in writers:
            changing.setdefault(literal, []).append(assigned.condition)
            value = self.layer.number(assigned.value)
            values = range(value.low, value.high + 1) if isinstance(value, Whole) else value.values
            possible.setdefault(literal, set()).update(values)
        changes = {a: self.layer.all_of((a, self.layer.any_of(conditions))) for a, conditions in changing.items()}
        for number, held in here.items():
            part.clause([~held, following(held), *changes.values()])
            part.clause([held, following(~held), *(c for a, c in changes.items() if number in possible[a])])

    # All layers and steps

    @collector_paused()
    def encode(self, horizon: int, least: int, free: int = 0) -> ProgramModel:
        """The model of the plans of `least` to `horizon` steps, with their number as its objective if that is open.
        Where actions differ in cost, of those that cost exactly `horizon` layers, with at most `free` free actions in a
        row.
        """
        paid = paid_before(horizon, free)
        steps = len(paid) - 1
        model = self._begun(steps, horizon)
        formula = model.formula
        self.goal.add(formula, steps)
        self._starts(formula)
        idle = [self._at(self.idle, t) for t in range(steps)]
        if self.task.uniform:
            for literal in idle[:least]:
                formula.clause([~literal])
            if least < horizon:
                formula.minimise = [(~literal, 1) for literal in idle]
        else:
            self._waiting(formula, paid)
        unit = self.task.layer_cost
        for t, before in enumerate(paid):
            waited = [(self._at(literal, t), k * unit) for k, literal in enumerate(self.waited)]
            self._far(formula, t, (horizon - before) * unit, waited, idle[t:] if self.task.uniform else ())
        return model

    @collector_paused()
    def chain(self, steps: int) -> Formula:
        """The formula of all chains of free actions, from any state at all, whose states are all different."""
        formula = self._begun(steps, 0).formula
        for t in range(steps):
            self._paid(formula, t, 0)
            formula.clause([~self._at(self.idle, t)])
        literals = [x for image in self.state for x in self.layer.literals(image).values()]
        all_different(formula, [[self._at(literal, t) for literal in literals] for t in range(steps + 1)])
        return formula

    def _waiting(self, formula: Formula, paid: Sequence[int]) -> None:
        """What is paid for in each step, and that nothing is waited for at the start and at the end."""
        for t in range(len(paid) - 1):
            self._paid(formula, t, paid[t + 1] - paid[t])
            if t and paid[t - 1] == paid[t + 1]:
                formula.implies(self._at(self.idle, t - 1), [self._at(self.idle, t)])
        formula.clause([self.waited[0]])
        formula.clause([self._at(self.waited[0], len(paid) - 1)])

    def _paid(self, formula: Formula, t: int, layers: int) -> None:
        """What may happen in step t, which takes one layer or none."""
        here, there = ([self._at(w, s) for w in self.waited] for s in (t, t + 1))
        formula.exactly_one(here)
        idle = self._at(self.idle, t)
        for k, waited in enumerate(here):
            then = k + layers
            formula.clause([~idle, ~waited, *there[then : then + 1]])
        for literal, action in self.applied:
            applied, cost = self._at(literal, t), action.cost[0] // self.task.layer_cost
            if min(cost, 1) == layers:
                formula.implies(applied, [here[max(0, cost - 1)], there[0]])
            else:
                formula.clause([~applied])

    def _at(self, literal: int, t: int) -> int:
        return shifted(literal, t * self.size)

    def _begun(self, steps: int, horizon: int) -> ProgramModel:
        """The model of all sequences of actions, from any state to any."""
        if self.layers > steps + 1:  # a longer one was asked for before
            self.known, self.layers = Formula(), 0
        self._copy_up_to(steps)
        formula = self.known.copy()
        formula.variables = steps * self.size + self.layer.variables
        applied = [[(literal + t * self.size, action) for literal, action in self.applied] for t in range(steps)]
        return ProgramModel(self.task, formula, horizon, applied)

    def _starts(self, formula: Formula) -> None:
        """The initial state in the first layer, and in the next ones only values that are reached so soon."""
        for variable, image in enumerate(self.state):
            formula.clause([self.layer.literals(image)[self.task.init[variable]]])
        last = (formula.variables - self.layer.variables) // self.size
        for t, values in enumerate(self.reached[: last + 1]):
            for image, reached in zip(self.state, values, strict=True):
                for value, literal in self.layer.literals(image).items():
                    if value not in reached:
                        formula.clause([~shifted(literal, t * self.size)])

    def _copy_up_to(self, horizon: int) -> None:
        """Copy the constraints of layers and steps up to a horizon, beyond those that are copied already."""
        for t in range(self.layers, horizon + 1):
            if self.stop():
                raise EncodingStopped
            for part, block in ((self.later, t), (self.step, t - 1)) if t else ():
                part.add(self.known, block)
            self.each.add(self.known, t)
            self.layers = t + 1

    def _far(self, formula: Formula, t: int, remaining: int, waited: Weighted, idle: Iterable[int] = ()) -> None:
        """In layer t, values from which a goal is farther than the `left` layers, and sums of such distances.

        `waited`: literals of layer t, one of which is true, with the layers that are paid for already where it is.
        `idle`: literals of steps behind t, each of which leaves one layer less for a sum.
        """
        sums: dict[int, Weighted] = {}
        for literals, distance, number in self.projected:
            there = [shifted(literal, t * self.size) for literal in literals]
            for waits, paid in waited:
                if distance > remaining + paid:
                    formula.clause([*(~literal for literal in there), ~waits])
            if distance < NEVER and len(there) == 1:
                sums.setdefault(number, []).append((there[0], distance))
        more = [*((waits, -paid) for waits, paid in waited), *((literal, 1) for literal in idle)]
        for terms in sums.values():
            formula.at_most_sum([*terms, *more], remaining)

    @cached_property
    def projected(self) -> list[tuple[tuple[int, ...], int, int]]:
        """Of each choice of values of a pattern: its literals, their distance, and the number of its sum."""
        choices, sums = [], self.projections.sums
        for number, (begin, end) in enumerate(pairwise(sums.sum_first.tolist())):
            for pattern, offset in zip(sums.system[begin:end].tolist(), sums.offset[begin:end].tolist(), strict=True):
                of = range(*sums.first[pattern : pattern + 2].tolist())
                literals = [self.layer.literals(self.state[int(sums.variables[n])]).items() for n in of]
                for chosen in product(*literals):
                    at = sum(int(sums.strides[n]) * value for n, (value, _) in zip(of, chosen, strict=True))
                    distance = int(sums.distances[offset + int(sums.base[pattern]) + at])
                    if distance:
                        choices.append((tuple(literal for _, literal in chosen), distance, number))
        return choices


def following(literal: int) -> int:
    """What a literal of a layer is in the layer after it."""
    return shifted(literal, NEXT)


def shifted(literal: int, by: int) -> int:
    """A literal with the number of its variable raised: `shifted(5, 10)` is 15, and `shifted(~5, 10)` is ~15."""
    if literal in (TRUE, FALSE):
        return literal
    return literal + by if literal >= 0 else literal - by


class Copies:
    """Writes the constraints of a part into a formula, once for each layer or step."""

    def __init__(self, part: Formula, size: int) -> None:
        self.part, self.size = part, size
        self.clauses = _flat(
            [*part.clauses, *([~cause, effect] for cause, all_ in part.implications.items() for effect in all_)]
        )
        self.exactly, self.at_most = _flat(part.exactly_ones), _flat(part.at_most_ones)

    def add(self, formula: Formula, t: int) -> None:
        """Add the copy of layer or step t."""
        part, by = self.part, t * self.size
        formula.contradiction |= part.contradiction
        formula.clauses += self._shifted(self.clauses, t)
        formula.exactly_ones += self._shifted(self.exactly, t)
        formula.at_most_ones += self._shifted(self.at_most, t)
        formula.integers.update({variable + by: ends for variable, ends in part.integers.items()})
        formula.all_different += [[variable + by for variable in different] for different in part.all_different]
        for arcs in part.circuits:
            formula.circuits.append([(tail, head, shifted(literal, by)) for tail, head, literal in arcs])
        for variables, factors, domain, when in part.linears:
            moved = [v + by for v in variables]
            formula.linears.append(Linear(moved, factors, domain, [shifted(x, by) for x in when]))

    def _shifted(self, lists: tuple[NDArray[np.int64], NDArray[np.int64]], t: int) -> list[list[int]]:
        literals, lengths = lists
        variables = np.where(literals >= 0, literals, ~literals)
        later = variables >= NEXT
        variables = variables - NEXT * later + self.size * (t + later)
        return from_csr(np.where(literals >= 0, variables, ~variables), lengths)


def _flat(lists: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lists one after the other, and their lengths."""
    lengths = np.array([len(each) for each in lists], np.int64)
    return np.fromiter(chain.from_iterable(lists), np.int64, int(lengths.sum())), lengths


# Relaxed reachability over sets of values: which values a variable may have after t actions from the start.
#
# After t actions each variable has one of its values in layer t. So an action can assign in layer t + 1 only what its
# program may assign on some choice of these (h^1 of Haslum and Geffner, 2000, for variables of many values): what its
# nodes on the graph of values may be within a box (`analysis.value_graph`).
#
#     snake of four links     layer 0: head on r2c2      layer 1: head on r2c2 or r3c2      ...
#     the goal asks for r6c6: not before layer 8, so no plan has fewer than 8 moves
#
# If a layer has no values that the one before has not, no later one has: a goal that is impossible there is never
# reached. What is asked behind `APPLY` is left out.

# Steps on the graph for all layers: about a second.
MOST_REACHED = 200_000


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
    graph = ValueGraph(task, MOST_REACHED)
    place = [{value: number for number, value in enumerate(variable.values)} for variable in task.variables]
    try:
        goal = run_of(graph, task.goal).demands
        runs = [run_of(graph, action.entry) for action in task.actions]
        while True:
            if stop():
                raise EncodingStopped
            box = {v: frozenset(map(place[v].__getitem__, values)) for v, values in enumerate(layers[-1])}
            if graph.may_meet(goal, box):
                return ReachedValues(layers, len(layers) - 1, unsolvable=False)
            after = [set(values) for values in layers[-1]]
            for run in runs:
                if graph.may_meet(run.demands, box):
                    for v, node in run.become.items():
                        values = graph.possible(node, box)
                        after[v].update(place[v] if values is None else place[v].keys() & {*values})
            following = tuple(map(frozenset, after))
            if following == layers[-1]:
                return ReachedValues(layers, len(layers), unsolvable=True)
            layers.append(following)
    except TooManyStepsError:
        return ReachedValues(layers, len(layers) - 1, unsolvable=False)
