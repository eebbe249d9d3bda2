"""Sets of compiled functions that several engines run; each is compiled once for all of them."""

from __future__ import annotations

from ...models.task import Task
from ...runtime.budget import Budget
from ..engine import BOTH, Kernels


def _hm(task: Task, _budget: Budget) -> None:
    from ...analysis.hm.tables import hm_tables, lifted_values
    from ...analysis.hm.tuples import Numbering
    from ...analysis.transformed_tasks import with_unit_cost

    stepwise = with_unit_cost(task)
    if stepwise is not None:
        pairs = hm_tables(stepwise, 2)
        lifted_values(Numbering.of(pairs.numbering.fact_count, 3), pairs.backward_sets)


HM = Kernels("h^m", _hm, seconds=4.5)
"""Relaxed reachability over sets of facts: the code is the same for sets of any size."""


def _bounds(task: Task, budget: Budget) -> None:
    from ...analysis.plan_invariants import find_invariants
    from ...analysis.root_bounds import root_bounds
    from ...analysis.transformed_tasks import with_unit_cost

    for _ in root_bounds(task):
        pass
    stepwise = with_unit_cost(task)
    if stepwise is not None:
        find_invariants(stepwise, budget)


BOUNDS = Kernels("matching", _bounds, kinds=BOTH, seconds=0.3)
"""The kernels that engines run before they begin: the matching of objects to goals, and dead sets."""


def _estimates(task: Task, budget: Budget) -> None:
    from ...analysis.bitset_task import to_bitset_task
    from ...analysis.estimate import prepare_estimate

    prepare_estimate(task, to_bitset_task(task), budget)


ESTIMATES = Kernels("estimates", _estimates, kinds=BOTH, seconds=2.0)
"""The kernels of the tables that estimate the cost from a state to the goal."""
