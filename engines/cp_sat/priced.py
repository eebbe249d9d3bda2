"""Costs as the objective: models of more and more steps, until what costs least ends in a goal (`priced_model`)."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...analysis.hm.tables import BackgroundHm, HmTables
from ...analysis.transformed_tasks import with_explicit_walker, with_unit_cost
from ...encoders.formula import EncodingStopped, Formula, is_true
from ...encoders.priced_model import PricedEncoder
from ...models.errors import UsageError
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.outcome import Outcome, Recorder
from . import solver as cp_sat
from .solver import whole_bound

# Steps by which a model grows at least where cost is the objective.
MORE_STEPS = 2

# The factor by which a model grows where cost is the objective, if that is more than `MORE_STEPS`.
MORE_STEPS_BY = 1.25

PRICED = "priced"
"""The name of the strategy."""


def solve_by_cost(
    task: Task, record: Recorder, limit: int | None, seed: int | None, without: frozenset[str] = frozenset()
) -> Outcome:
    """Find a cheapest plan; with `limit`, give up when more is proven to be paid in the first component.

    Raises `UsageError` for compound moves, whose operators are no steps.
    """
    task = with_explicit_walker(with_unit_cost(task) or task)
    if task.compound_moves:
        raise UsageError(f"the strategy `{PRICED}` knows no moves along any path; choose another")
    try:
        return PricedRun(task, record, seed, pruned="move-pruning" not in without).solve(limit)
    except EncodingStopped:
        return record.stopped(record.budget.stopped() or "time limit")


class PricedRun:
    """The state of a run: the best plan and its cost, and what is proven, in `record`. `first_by`: what proved the
    first component of two.
    """

    def __init__(self, task: Task, record: Recorder, seed: int | None = None, *, pruned: bool = True) -> None:
        """Raises `EncodingStopped` if the budget ends on the way."""
        self.task, self.record, self.seed = task, record, seed
        self.best: tuple[Plan, Cost] | None = None
        self.first_by = ""
        self.encoder = PricedEncoder(self.task, self._tables, pruned=pruned)

    def solve(self, limit: int | None = None) -> Outcome:
        """Solve the task; `limit` as for `solve_by_cost`. Raises `EncodingStopped`."""
        record = self.record
        if not self.encoder.solvable:
            return record.unsolvable("reachability analysis (h²): the goal is out of reach")
        bound = self.encoder.lower_bound
        record.raise_bound(bound, f"reachability analysis (h²) rules out {self.task.counted(bound - 1)}")
        record.encoded()
        outcome = self._rising(None, limit)
        if outcome is None and record.parts > 1:
            self.first_by = record.bounds.lower_bound_by
            outcome = self._rising(self._least)
        return outcome or record.stopped(None)

    @property
    def _least(self) -> int:
        """The proven bound on the first component."""
        known = self.record.bounds.lower_bound
        return known[0] if known else 0

    def _rising(self, paid: int | None, limit: int | None = None) -> Outcome | None:
        """Minimise a component, the first (`paid` is None) or the second; None when its optimum is proven."""
        record, part = self.record, 0 if paid is None else 1
        steps, tested, closed = max(1, self.encoder.steps.lower_bound or 0), 0, ""
        while True:
            with record.encoding():
                model = self.encoder.encode(steps, paid, closed=bool(closed), stop=self._stop)
            answer = self._answer(model.formula, lambda bound: self._raise(part, bound))
            if answer.status == "infeasible":
                if self.best is None:
                    return record.unsolvable(closed or f"CP-SAT: no plan has, or begins with, {steps} steps")
                return None
            if answer.bound is not None:
                self._raise(part, answer.bound)
            if answer.values is not None and is_true(model.end, answer.values):
                self._found(model.plan(answer.values), self.encoder.cost(model, answer.values))
            if self._proven(part):
                return None
            if answer.status not in ("optimal", "infeasible"):
                return record.stopped(answer.stopped_by or "time limit", unpriced=self.best and self.best[0])
            if limit is not None and self._least > limit:
                return record.stopped("horizon limit")
            if steps >= 2 * tested or not self._dear:
                tested = steps
                closed = self._no_longer_plan(steps, part)
                if self._proven(part):
                    return None
                if closed:
                    continue
            steps = max(steps + MORE_STEPS, math.ceil(steps * MORE_STEPS_BY))

    @property
    def _dear(self) -> bool:
        """Whether every operator costs something."""
        return all(op.cost[0] for op in self.task.operators)

    def _raise(self, part: int, bound: float) -> None:
        """Raise the bound of a component to what CP-SAT has proven of the objective, which is twice the cost."""
        value = whole_bound(bound) // 2
        if part:
            by = f"{self.first_by}; CP-SAT: {self.task.metric[1]} minimised"
        else:
            by = f"CP-SAT proved that {self.task.not_enough(value - 1)}"
        self.record.raise_bound((self._least, value) if part else value, by)

    def _found(self, plan: Plan, cost: Cost) -> None:
        """Keep a plan if it is better than the one before."""
        if self.best is None or cost < self.best[1]:
            self.best = plan, cost
            self.record.found(plan, cost)

    def _proven(self, part: int) -> bool:
        """Whether the proven bound says that no plan is cheaper than the best one, up to a component."""
        low = self.record.bounds.lower_bound
        return self.best is not None and low is not None and low[: part + 1] >= self.best[1][: part + 1]

    def _no_longer_plan(self, steps: int, part: int) -> str:
        """What proves that no plan of more steps than a model's is better than the best one; "" if that is open."""
        less = None if self.best is None else self.best[1][: part + 1]
        answer = self._answer(self.encoder.loop_free(steps, less, self._stop))
        if answer.status != "infeasible":
            return ""
        return f"CP-SAT: no {steps} steps in a row meet different states" + (" at less cost" if less else "")

    def _answer(self, formula: Formula, on_bound: Callable[[float], None] | None = None) -> cp_sat.CpSatAnswer:
        doing = f"refuting {self.task.counted(self._least)}"
        return cp_sat.answered(formula, self.record, cp_sat.SearchSettings(long=True, seed=self.seed), on_bound, doing)

    def _tables(self, task: Task) -> HmTables:
        """The tables of h². Raises `EncodingStopped`."""
        budget = self.record.budget
        with BackgroundHm(task, 2, 0.0, budget.fits) as background:
            background.wait(2, math.inf, budget.stopped)
            tables = background.take()
        if tables is None:
            raise EncodingStopped
        return tables

    def _stop(self) -> bool:
        return bool(self.record.budget.stopped())
