"""The textbook encoding of a task and a horizon: to be read first, before `encoders/horizon_model.py` and its rooms.

Planning as satisfiability (Kautz and Selman, *Pushing the envelope*, AAAI 1996), linear encoding with explanatory frame
axioms (Haas, *The case for domain-specific frame axioms*, 1987). With f[t] for "fact f is true in layer t" and o[t] for
"operator o is applied in step t", which leads from layer t to layer t + 1:

    initial state    f[0] for the facts that are true at first, not f[0] for all others
    precondition     o[t] -> f[t]                            for f in pre(o)
    effects          o[t] -> f[t+1];  o[t] -> not f[t+1]     for f in add(o); for f in delete(o)
    frame axioms     f[t+1] and not f[t] -> some o[t]        with f in add(o)
                     f[t] and not f[t+1] -> some o[t]        with f in delete(o)
    a step           at most one o[t]
    goal             some f[H] for each clause of the goal

A step without an operator changes nothing, by the frame axioms. So the formula is satisfiable if and only if there is a
plan of at most H steps. `horizon_model` has the same plans: what it adds (relaxed reachability, mutex groups, move
pruning, potentials) follows from these clauses, and spares the solver the search for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from budge.analysis.transformed_tasks import to_strips
from budge.encoders.formula import FALSE, Formula
from budge.models.plan import Plan
from budge.models.task import Operator, OperatorTask
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PlainModel:
    """A formula, and what its variables mean: `applied[t][n]` is the literal "operator n is applied in step t"."""

    task: OperatorTask
    formula: Formula
    operators: Sequence[Operator]
    applied: list[list[int]]

    def plan(self, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution; `values` holds the truth value of each variable."""
        operators = [
            operator
            for step in self.applied
            for operator, literal in zip(self.operators, step, strict=True)
            if literal != FALSE and values[literal]
        ]
        if not self.task.compound_moves:
            return Plan.of(operators)
        # An operator that costs something picks up an object; what follows, up to the next one, carries it on.
        begins = [i for i, operator in enumerate(operators) if operator.cost[0]]
        chains = [operators[i:j] for i, j in zip(begins, [*begins[1:], len(operators)], strict=True)]
        return Plan.of_compound_moves([[op for op in chain if op.move] for chain in chains])


def encode(task: OperatorTask, horizon: int) -> PlainModel:
    """The model of all plans of at most `horizon` steps, of a task whose steps cost one each (`with_unit_cost`)."""
    strips = to_strips(task)
    formula = Formula()
    steps = _steps(task, strips, horizon)
    fact = [[formula.variable() for _ in strips.facts] for _ in range(len(steps) + 1)]
    applied = [
        [formula.variable() if operator.cost[0] == cost else FALSE for operator in strips.operators] for cost in steps
    ]
    # Initial state: a unit clause for each fact, so nothing is left open in layer 0.
    for f, literal in enumerate(fact[0]):
        formula.clause([literal if f in strips.init else ~literal])
    for t, chosen in enumerate(applied):
        here, there = fact[t], fact[t + 1]
        adders: list[list[int]] = [[] for _ in strips.facts]
        deleters: list[list[int]] = [[] for _ in strips.facts]
        # Preconditions and effects, and by the way who may add or delete each fact: the frame axioms need that.
        for operator, literal in zip(strips.operators, chosen, strict=True):
            formula.implies(literal, [here[f] for f in operator.pre])
            formula.implies(literal, [there[f] for f in operator.add])
            formula.implies(literal, [~there[f] for f in operator.delete])
            for f in operator.add:
                adders[f].append(literal)
            for f in operator.delete:
                deleters[f].append(literal)
        # Frame axioms, in their explanatory form: a change has a cause. One for each fact, not for each operator and
        # fact.
        for f in range(len(strips.facts)):
            formula.clause([~there[f], here[f], *adders[f]])
            formula.clause([~here[f], there[f], *deleters[f]])
        # One at most, not exactly one: a plan may be shorter than the horizon.
        formula.at_most_one(chosen)
    for clause in strips.goal:
        formula.clause(fact[-1][f] for f in clause)
    return PlainModel(task, formula, strips.operators, applied)


def _steps(task: OperatorTask, strips: OperatorTask, horizon: int) -> list[int]:
    """What the operator of each step costs: 1, or 0 where a walker walks or an object is carried on, before and after
    each step that counts.

    A chain of operators that cost nothing visits each fact that `to_strips` has added at most once.
    """
    longest = len(strips.facts) - len(task.facts) if any(not op.cost[0] for op in strips.operators) else 0
    free = [0] * longest
    return [*free, *horizon * [1, *free]]
