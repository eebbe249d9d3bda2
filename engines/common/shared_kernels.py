"""Compiled functions that several engines run, called on a sample so that they are compiled (`Engine.kernels`)."""

from __future__ import annotations

from contextlib import suppress

from ...models.errors import UsageError
from ...models.task import Task
from ...runtime.budget import Budget


def call_shared(task: Task, budget: Budget) -> None:
    """Call what fills tables of relaxed reachability, matches objects to goals, finds invariants and dead sets, and
    estimates the cost from a state to the goal; of these, what can do this task.
    """
    for call in (_relaxed, _bounds, _estimates):
        with suppress(UsageError):
            call(task, budget)


def _relaxed(task: Task, budget: Budget) -> None:
    from ...analysis.hm.tables import hm_tables, lifted_values
    from ...analysis.hm.tuples import Numbering
    from ...analysis.plan_invariants import find_invariants
    from ...analysis.transformed_tasks import with_unit_cost

    stepwise = with_unit_cost(task)
    if stepwise is not None:
        find_invariants(stepwise, budget)
        pairs = hm_tables(stepwise, 2)  # those of order 5 run the same code
        lifted_values(Numbering.of(pairs.numbering.fact_count, 3), pairs.backward_sets)


def _bounds(task: Task, _budget: Budget) -> None:
    from ...analysis.plan_invariants import root_bounds

    for _ in root_bounds(task):
        pass


def _estimates(task: Task, budget: Budget) -> None:
    from ...analysis.bitset_task import to_bitset_task
    from ...analysis.estimate import prepare_estimate

    prepare_estimate(task, to_bitset_task(task), budget)
