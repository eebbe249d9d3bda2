"""One model of whole plans, where no operator can be applied twice (`analysis.once`): no horizon has to rise."""

from __future__ import annotations

from ...analysis.once import Once
from ...encoders.once_model import once_model
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.outcome import Outcome, Recorder
from . import solver as cp_sat

PROOF = "CP-SAT on one model of all plans, as no action can be repeated"


def solve_whole(task: Task, known: Once, record: Recorder, seed: int | None) -> Outcome:
    """Find a cheapest plan of a task whose metric has one component, and prove that it is."""
    model = once_model(task, known)

    def on_bound(bound: float) -> None:
        record.raise_bound(cp_sat.whole_bound(bound), PROOF)

    search = cp_sat.SearchSettings(long=True, seed=seed, presolve=True)
    answer = cp_sat.answered(model.formula, record, search, on_bound, "looking for all of the plan at once")
    if answer.status == "infeasible":
        return record.unsolvable(PROOF)
    if answer.values is None:
        return record.stopped(answer.stopped_by or "time limit")
    operators = model.operators(task, known, answer.values, answer.numbers)
    cost = sum(op.cost[0] for op in operators)
    if answer.status == "optimal":
        return record.optimal(Plan.of(operators), (cost,), PROOF)
    record.found(Plan.of(operators), (cost,))
    return record.stopped(answer.stopped_by)
