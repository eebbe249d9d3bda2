"""How many free steps in a row a plan needs: a chain of them, from any state at all, that meets no state twice.

A plan of least cost and, of these, of fewest steps meets no state twice. So if no chain of K + 1 operators that cost
nothing exists, all states on it different, its paid steps have at most K free ones between them. The chain may begin in
any state that the mutex groups and h² allow, reachable or not: what is proven is true of all.

    pocket cube: a turn leaves at most two twists to be made; a chain of three is refuted with 4 conflicts
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np

from ..analysis.hm.operator_arrays import NEVER
from ..analysis.hm.tables import HmTables
from ..analysis.structure import structure_of
from ..models.task import Operator, Task
from .formula import FALSE, Formula
from .step import StepEncoder


def paid_before(horizon: int, free: int) -> list[int]:
    """(T + 1): how many steps are paid for before each layer: `free` free steps, and `horizon` times a paid one and
    `free` free ones.
    """
    return [0, *(paid for paid in range(horizon + 1) for _ in range(free + (paid > 0)))]


def chain(task: Task, tables: HmTables, steps: int) -> Formula:
    """The formula of all chains of `steps` free operators whose states are all different."""
    formula, encoder = Formula(), StepEncoder(task, None)
    possible = (np.diagonal(tables.forward) < NEVER) & (np.diagonal(tables.backward) < NEVER)
    layers = [[formula.variable() if p else FALSE for p in possible.tolist()] for _ in range(steps + 1)]
    excluded = ((tables.forward >= NEVER) | (tables.backward >= NEVER)) & structure_of(task).apart
    for layer in layers:
        for group in task.groups:
            formula.exactly((layer[f] for f in group.facts), group.count)
        literals = np.array(layer, np.int32)
        pairs = excluded & (literals != FALSE)[:, None] & (literals != FALSE)[None, :]
        formula.all_imply(literals, ~literals[np.nonzero(pairs)[1]], pairs.sum(axis=1))
    previous = encoder.start()
    for here, there in pairwise(layers):
        chosen = [FALSE if op.cost[0] else formula.variable() for op in task.operators]
        formula.exactly_one(chosen)
        previous = encoder.add(formula, here, there, chosen, previous)
    all_different(formula, changed_facts(layers, [op for op in task.operators if not op.cost[0]]))
    return formula


def changed_facts(layers: list[list[int]], operators: Iterable[Operator]) -> list[list[int]]:
    """Of each layer the literals of the facts that some of these operators change."""
    changed = sorted({f for op in operators for f in (*op.add, *op.delete)})
    return [[layer[f] for f in changed] for layer in layers]


def all_different(formula: Formula, states: list[list[int]]) -> None:
    """Each two states differ in some literal; the literals of all states stand in the same order."""
    for state, other in combinations(states, 2):
        formula.clause(_differs(formula, *pair) for pair in zip(state, other, strict=True))


def _differs(formula: Formula, first: int, second: int) -> int:
    """A literal that is true only if one of two literals is true and the other is not."""
    if first == second:
        return FALSE
    differs = formula.variable()
    formula.clause([~differs, first, second])
    formula.clause([~differs, ~first, ~second])
    return differs
