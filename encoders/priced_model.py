"""Steps with the cost as the objective: the plans of at most T steps, and the first T steps of all longer ones.

A model of T steps of any cost is minimised in

    what its steps cost  +  rest          rest = 0 if the goal holds in the last layer, else at least what is missing

where what is missing is bounded by h² over costs, from the facts and the pairs of facts of the last layer. The least
value is a lower bound on the cost of every plan: a plan of at most T steps is in the model, and of a longer one its
first T steps are, at no more than its cost. If the least value is met by steps that end in a goal, it is the optimum
(Robinson, Gretton, Pham and Sattar, *Partial weighted MaxSAT for optimal planning*, 2010; Leofante, Giunchiglia,
Ábrahám and Tacchella, *Optimal planning modulo theories*, IJCAI 2020); else T grows.

That ends where each step costs something. Where steps are free, plans may go on for ever at no cost; then a plan is
best when no longer one is of interest: when T different states in a row cannot be had for less (`loop_free`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..analysis.hm.tables import HmTables
from ..analysis.hm.tuples import NEVER
from ..analysis.move_pruning import find_move_pruning
from ..analysis.structure import structure_of
from ..models.task import OperatorTask
from .formula import FALSE, Formula, Weighted, is_true
from .horizon_model import HorizonEncoder, HorizonModel
from .step import all_different, changed_facts

T = TypeVar("T", np.int16, np.int32)

# Values of h^m stay below this: they have 16 bits, and a cost is added to them.
LARGEST = 29_000


class PricedEncoder:
    """Encodes a task without a walker, any costs, to any number of steps.

    `steps`: h² over steps; `lower_bound`: what h² over costs says of every plan.
    """

    def __init__(self, task: OperatorTask, tables: Callable[[OperatorTask], HmTables], *, pruned: bool = True) -> None:
        """`tables` makes those of h², and may raise `EncodingStopped`."""
        self.task = task
        in_steps = replace(task, operators=tuple(replace(op, cost=(1,)) for op in task.operators), metric=("steps",))
        # Layers are steps, whatever these cost: so the tables that say what a layer may have count steps, not costs.
        self.steps = tables(in_steps)
        pruning = find_move_pruning(task) if pruned else None
        self._encoder = HorizonEncoder(task, _ahead(self.steps), pruning)
        self._rest = [_Rest(task, part, self.steps, tables) for part in range(len(task.metric))]

    @property
    def solvable(self) -> bool:
        """False if h² shows that there is no plan."""
        return self.steps.lower_bound is not None

    @property
    def lower_bound(self) -> int:
        """A lower bound on the first component of the cost of every plan."""
        return self._rest[0].bound

    def encode(
        self, steps: int, paid: int | None = None, *, closed: bool = False, stop: Callable[[], object]
    ) -> HorizonModel:
        """The model of T = `steps` steps, with the first component as the objective; or with the second, of plans whose
        first one is at most `paid`. `closed`: only of those that end in a goal.

        The objective is twice the cost, and one more if no goal is met: of equal ones, those that end in a goal win.
        """
        model = self._encoder.encode(steps, open_end=True, least=self.steps.lower_bound or 0, stop=stop)
        part = 0 if paid is None else 1
        if paid is not None:
            model.formula.at_most_sum(self._cost(model, 0), paid)
        # Doubling leaves room for the tie-break: one unit is less than any difference of costs.
        model.formula.minimise = [(x, 2 * weight) for x, weight in self._cost(model, part)] + [(~model.end, 1)]
        if closed:
            model.formula.clause([model.end])
        return model

    def loop_free(self, steps: int, less: tuple[int, ...] | None, stop: Callable[[], object]) -> Formula:
        """The formula of `steps` steps from the start, all states different, that cost less than `less` (None: whatever
        they cost): less in its last component, and no more in one before it.
        """
        model = self._encoder.encode(steps, open_end=True, least=steps, stop=stop)
        all_different(model.formula, changed_facts(model.fact, self.task.operators))
        # Lexicographic: no component may grow, and the last must fall.
        for part, most in enumerate(less or ()):
            model.formula.at_most_sum(self._cost(model, part), most - (part + 1 == len(less or ())))
        return model.formula

    def cost(self, model: HorizonModel, values: NDArray[np.bool_]) -> tuple[int, ...]:
        """The cost of a solution that ends in a goal."""
        return tuple(sum(cost for x, cost in model.prices(p) if is_true(x, values)) for p, _ in enumerate(self._rest))

    def _cost(self, model: HorizonModel, part: int) -> Weighted:
        """A component of the cost as a weighted sum: what the steps cost, and what the last layer lacks to the goal."""
        return [(x, cost) for x, cost in model.prices(part) if x != FALSE] + self._rest[part].terms(model)


class _Rest:
    """What is missing from a state to the goal, at least, in one component of the cost: by h² over costs.

    Costs are divided, and rounded down, if the values would not fit: a value is at most the number of steps times the
    largest cost.
    """

    def __init__(
        self, task: OperatorTask, part: int, steps: HmTables, tables: Callable[[OperatorTask], HmTables]
    ) -> None:
        costs = [op.cost[part] for op in task.operators]
        # No value over costs exceeds the steps of a cheapest way times the dearest step: so this scale keeps it in 16
        # bits.
        depth = 1 + max(int(table[table < NEVER].max(initial=0)) for table in (steps.forward, steps.backward))
        self._scale = max(1, -(-max(costs) * (depth + 1) // LARGEST))
        self._least = min(costs)
        priced = replace(
            task,
            # Rounded down, each cost is at most its share, so the scaled value is still a lower bound.
            operators=tuple(replace(op, cost=(op.cost[part] // self._scale,)) for op in task.operators),
            metric=(task.metric[part],),
        )
        hm = tables(priced)
        self.bound = (hm.lower_bound or 0) * self._scale
        self._apart = structure_of(task).apart
        self._rest = hm.backward.astype(np.int64)

    def terms(self, model: HorizonModel) -> Weighted:
        """What is missing as a weighted sum: r_v is true if at least v is; values 2 and 5 give 2 r_2 + 3 r_5."""
        formula, last = model.formula, np.array(model.fact[-1], np.int32)
        alone = self._rest.diagonal()
        pairs = np.where(self._apart, self._rest, 0)
        # A pair says something only where it says more than either of its facts; `apart` has each pair once, and none
        # that a group excludes.
        pairs = np.where(pairs > np.maximum(alone[:, None], alone[None, :]), pairs, 0)
        there = last != FALSE
        single = {v for v in alone[there].tolist() if 0 < v < NEVER}
        double = {v for v in pairs[there][:, there].ravel().tolist() if 0 < v < NEVER}
        # Order encoding: r_v implies r of the next lower value, so the true ones add up to the largest value that
        # applies.
        values = sorted({v * self._scale for v in single | double} | ({self._least} if self._least else set()))
        literals = {v: formula.variable() for v in values}
        for lower, higher in pairwise(values):
            formula.implies(literals[higher], [literals[lower]])
        # If the goal is not met, at least one more step is to be paid for.
        if self._least:
            formula.clause([model.end, literals[self._least]])
        for f in np.flatnonzero(there & (alone > 0) & (alone < NEVER)).tolist():
            formula.implies(int(last[f]), [literals[int(alone[f]) * self._scale]])
        for f, g in np.argwhere(np.tril(pairs, -1) > 0).tolist():
            if there[f] and there[g] and pairs[f, g] < NEVER:
                formula.clause([~int(last[f]), ~int(last[g]), literals[int(pairs[f, g]) * self._scale]])
        return [(literals[v], v - before) for before, v in zip([0, *values], values, strict=False)]


def _ahead(tables: HmTables) -> HmTables:
    """Tables for a model whose end is open: the goal may come later, if it can come at all."""

    def ever(values: NDArray[T]) -> NDArray[T]:
        return np.where(values >= NEVER, values, 0).astype(values.dtype)

    return replace(
        tables,
        backward=ever(tables.backward),
        backward_sets=ever(tables.backward_sets),
        steps_to_goal=ever(tables.steps_to_goal),
    )
