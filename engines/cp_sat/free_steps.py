"""Operators that cost nothing: at most K of them between two that are paid for, where that can be proven."""

from __future__ import annotations

from ...encoders.free_steps import chain
from . import solver as cp_sat
from .run import HorizonRun
from .tunables import TUNABLES


def bounded(run: HorizonRun) -> bool:
    """Whether a bound on the free steps in a row is proven soon; models then have room for so many."""
    free = _longest_chain(run)
    if free is not None:
        run.free = free
        run.record.stats["free_steps"] = free
    return free is not None


def _longest_chain(run: HorizonRun) -> int | None:
    """The most free steps in a row of a plan that meets no state twice; None if no bound is proven soon."""
    for steps in range(1, TUNABLES.most_free_steps + 2):
        answer = cp_sat.solve(chain(run.task, run.tables, steps), run.budget)
        run.record.count(models=1, conflicts=answer.conflicts)
        if answer.status == "infeasible":
            return steps - 1
        if answer.status == "unknown":
            return None
    return None
