"""One model of whole plans, without layers and without a horizon: where a plan is a set of actions.

*Operators that are applied once at most* (`analysis.once`). A literal says of each whether the plan has it. A fact
comes and goes once at most:

    fact f        at most one operator gives it, at most one takes it away, and that only if one gave it
    time          an operator has the time of the fact that only it and its rivals take away (links of the same two
                  nodes); what needs f comes after what gives it, and before or as what takes it away
    chain         the operators that move it on are as many as the place of the fact that is true in the end

The last follows from the others, and helps CP-SAT's linear relaxation (a node has no links, or two).

*Actions whose order does not matter* (`models.unordered`). A literal says of each action whether it is in the set;
variables of the state at the end follow from these:

    apart         v = k' if the action is in the set, else the value at first
    switching     v has the other value  <->  an odd number of the actions that switch v are in the set

The goal is stated once, on that state, as is what is asked behind every action that assigns what it reads. Lights Out
on 12x12 lamps is 144 literals and 144 constraints of CP-SAT's `bool_xor`.

In both the cost is the objective.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..analysis.once import Once, once
from ..analysis.symbolic_machine import SymbolicMachine
from ..models.plan import Plan
from ..models.program import ProgramAction, ProgramTask, by_form
from ..models.task import OperatorTask, Task
from ..models.unordered import in_order, unordered
from .formula import FALSE, TRUE, Formula
from .programs.horizon import asked_everywhere, state_demand
from .programs.values import Image, InstructionCount, LayerValues

Values = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OnceModel:
    """A formula, the literal of each operator, and the variable that is its time."""

    task: OperatorTask
    formula: Formula
    literals: Sequence[int]
    times: Sequence[int]

    def plan(self, values: Values, numbers: Mapping[int, int]) -> Plan:
        """The plan of a solution. `numbers`: the values of whole numbers."""
        chosen = [n for n, literal in enumerate(self.literals) if values[literal]]
        # Operators at the same time are rivals, and of those at most one is chosen; so the times order the whole plan.
        chosen.sort(key=lambda n: numbers[self.times[n]])
        return Plan.of(self.task.operators[n] for n in chosen)


@dataclass(frozen=True, slots=True)
class SetModel:
    """A formula, and the literal of each action that can be in the set."""

    task: ProgramTask
    formula: Formula
    applied: Sequence[tuple[int, ProgramAction]]

    def plan(self, values: Values, _numbers: Mapping[int, int]) -> Plan | None:
        """The plan of a solution; None if what is asked behind actions allows no order that was tried."""
        ordered = in_order(self.task, [action for literal, action in self.applied if values[literal]])
        return None if ordered is None else self.task.plan(ordered)


def whole_model(task: Task, stop: Callable[[], object] = lambda: None) -> OnceModel | SetModel | None:
    """The model of whole plans of a task whose metric has one component; None where plans are no sets.

    Raises `UsageError` for a goal that cannot be stated, and `EncodingStopped` if `stop` says so.
    """
    return by_form(task, _once_model, partial(_set_model, stop=stop))


def _once_model(task: OperatorTask) -> OnceModel | None:
    known = task.computed(once)
    return _OnceEncoder(task, known).model() if known else None


def _set_model(task: ProgramTask, stop: Callable[[], object]) -> SetModel | None:
    """The model of the state at the end of a set of actions, if any order of them will do."""
    actions = task.computed(unordered)
    if actions is None:
        return None
    model = LayerValues(task.tables)
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
    machine = SymbolicMachine(task, model, state, InstructionCount(stop))
    goal = machine.run(task.goal)
    asked = () if actions.free else asked_everywhere([(action, machine.run(action.entry)) for _, action in applied])
    for demand in (*goal.before, *asked):
        state_demand(model, demand, formula)
    formula.variables = model.variables
    formula.contradiction |= goal.impossible
    formula.minimise = [(literal, action.cost[0]) for literal, action in applied]
    return SetModel(task, formula, applied)


class _OnceEncoder:
    def __init__(self, task: OperatorTask, once: Once) -> None:
        self.task, self.once = task, once
        self.formula = Formula()
        self.literals = [self.formula.variable() for _ in task.operators]
        self.init = set(task.init)
        self.adding, self.taking, self.asking = (self._by_fact(part) for part in ("add", "delete", "pre"))
        # The operators that move each chain on.
        self.touching = [sorted(n for fact in chain for n in self.taking.get(fact, ())) for chain in once.chains]
        self.rivals = self._rivals()
        by_rival: dict[int, list[int]] = defaultdict(list)
        for number, rival in enumerate(self.rivals):
            by_rival[rival].append(number)
        self.by_rival = by_rival
        # One time for all rivals: at most one of them is in a plan, so that many numbers are enough to tell
        # them apart.
        self.time = {rival: self._number(1, len(by_rival)) for rival in by_rival}
        self.one_of: dict[frozenset[int], int] = {}
        self.ends: dict[int, int] = {}

    def _by_fact(self, part: str) -> Mapping[int, list[int]]:
        by_fact: dict[int, list[int]] = defaultdict(list)
        for number, op in enumerate(self.task.operators):
            for fact in getattr(op, part):
                if fact not in self.once.opposite:
                    by_fact[fact].append(number)
        return by_fact

    def _rivals(self) -> list[int]:
        """For each operator a fact that only one of several operators can take away: the name of their time. That of
        which the operators have most chains in common.
        """
        chains = [set[int]() for _ in self.literals]
        for n, numbers in enumerate(self.touching):
            for number in numbers:
                chains[number].add(n)
        common = {
            name: (len(set.intersection(*(chains[n] for n in numbers))), len(numbers), name)
            for name, numbers in self.taking.items()
        }
        best: list[tuple[int, int, int] | None] = [None] * len(self.literals)
        for name, numbers in self.taking.items():
            for number in numbers:
                best[number] = max(best[number] or common[name], common[name])
        return [choice[2] for choice in best if choice]

    def _number(self, least: int, most: int) -> int:
        number = self.formula.variable()
        self.formula.integers[number] = least, most
        return number

    def _any(self, numbers: Iterable[int]) -> int:
        """A literal that says that one of some operators, of which at most one is in a plan, is in it."""
        key = frozenset(numbers)
        if key not in self.one_of:
            literals = [self.literals[number] for number in sorted(key)]
            if len(literals) == 1:
                self.one_of[key] = literals[0]
            else:
                # A sum, not `any_of`: at most one is true, and the equation is what the linear relaxation works with.
                literal = self.formula.variable()
                self.formula.linear([*((x, 1) for x in literals), (literal, -1)], [0, 0])
                self.one_of[key] = literal
        return self.one_of[key]

    def _grouped(self, numbers: Iterable[int]) -> dict[int, list[int]]:
        """The operators by the name of the time that they share with their rivals."""
        grouped: dict[int, list[int]] = defaultdict(list)
        for number in numbers:
            grouped[self.rivals[number]].append(number)
        return grouped

    def model(self) -> OnceModel:
        formula = self.formula
        # 1. At most one of the rivals, as the 0-1 literal of their sum says.
        for numbers in self.by_rival.values():
            self._any(numbers)
        # 2. The life of each fact, and the places of the chains: these make the literals that say what is true in the
        # end.
        for fact in sorted({*self.adding, *self.taking, *self.asking}):
            self._fact(fact)
        for n in range(len(self.once.chains)):
            self._chain(n)
        # 3. The goal, of those; and the cost.
        for clause in self.task.goal:
            formula.clause([self._end(fact) for fact in clause])
        formula.minimise = [(x, op.cost[0]) for x, op in zip(self.literals, self.task.operators, strict=True)]
        return OnceModel(self.task, formula, self.literals, [self.time[rival] for rival in self.rivals])

    def _fact(self, fact: int) -> None:
        """A fact that is true from the start, or from an operator that gives it, to the one that takes it away."""
        formula, first = self.formula, fact in self.init
        adding, taking = self.adding.get(fact, []), self.taking.get(fact, [])
        # What asks for the fact and takes it away has its own end of the fact's life as its time; the others lie
        # between.
        kept = set(self.asking.get(fact, ())).difference(taking)
        if first or len(taking) > 1:
            formula.at_most_one(self.literals[number] for number in taking)
        if not first:
            formula.at_most_one(self.literals[number] for number in adding)
            # The sum of those that take it is at most the sum of those that give it.
            terms = [(self.literals[n], 1) for n in adding] + [(self.literals[n], -1) for n in taking]
            formula.linear(terms, [0, 1])
            for number in kept:
                formula.clause([~self.literals[number], *(self.literals[n] for n in adding)])
            # One whole number for when the fact begins, and one for when it ends: as many constraints as moves, not as
            # pairs.
            if (taking or kept) and adding:
                begins = self._number(1, len(self.time))
                self._bound_time_difference(adding, begins, [0, 0])
                self._bound_time_difference({*taking, *kept}, begins, [1, len(self.time)])
        if kept and taking:
            # If nothing takes it away in the plan, the end is free, and may be after all of them.
            ends = self._number(1, len(self.time) + 1)
            self._bound_time_difference(taking, ends, [0, 0])
            self._bound_time_difference(kept, ends, [-len(self.time), -1])

    def _bound_time_difference(self, numbers: Iterable[int], event: int, domain: list[int]) -> None:
        """For each of these operators that is in the plan, time(operator) - time(event) must lie in `domain`."""
        for rival, several in self._grouped(numbers).items():
            self.formula.linear([(self.time[rival], 1), (event, -1)], domain, [self._any(several)])

    def _chain(self, n: int) -> None:
        """The operators that move a chain on are as many as the place of its fact in the end."""
        formula, chain = self.formula, self.once.chains[n]
        ends = [formula.variable() for _ in chain]
        # Exactly one fact of a chain is true in the end, unless its last one can be taken away as well.
        if chain[-1] in self.taking:
            ends.append(formula.variable())  # none of them
        formula.exactly_one(ends)
        self.ends.update(zip(chain, ends, strict=False))
        # Each fact alone: what is true at first or given is taken away or there in the end.
        for fact, end in zip(chain, ends, strict=False):
            terms = [(self.literals[number], -1) for number in self.adding.get(fact, ())]
            terms += [(self.literals[number], 1) for number in self.taking.get(fact, ())]
            first = int(fact in self.init)
            formula.linear([*terms, (end, 1)], [first, first])
        # The place of the end is the number of operators: once for each end, and as one equation, which the relaxation
        # can use.
        sums = [(self._any(several), 1) for several in self._grouped(self.touching[n]).values()]
        for place, end in enumerate(ends):
            formula.linear(sums, [place, place], [end])
        formula.linear([*sums, *((end, -place) for place, end in enumerate(ends) if place)], [0, 0])

    def _end(self, fact: int) -> int:
        """A literal that says that a fact is true in the end."""
        # A fact that comes back is said by its opposite, which comes once.
        if fact in self.once.opposite:
            return ~self._end(self.once.opposite[fact])
        if fact not in self.ends:
            adding, taking = ([self.literals[n] for n in part.get(fact, ())] for part in (self.adding, self.taking))
            if fact in self.init:
                self.ends[fact] = ~self.formula.any_of(taking) if taking else TRUE
            elif not adding:
                self.ends[fact] = FALSE
            else:
                end = self.ends[fact] = self.formula.variable()
                self.formula.linear([*((x, 1) for x in adding), *((x, -1) for x in taking), (end, -1)], [0, 0])
        return self.ends[fact]
