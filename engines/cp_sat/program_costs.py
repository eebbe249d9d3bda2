"""Programs whose actions differ in cost: horizons in layers of cost, from a proven bound upward."""

from __future__ import annotations

from collections.abc import Callable

from ...encoders.formula import Formula
from ...encoders.programs.horizon import CostEncoder, ProgramModel
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.outcome import Outcome, Recorder
from . import solver as cp_sat
from .free_steps import longest_chain

Answered = Callable[[Formula], cp_sat.CpSatAnswer]
"""Solves a formula, with a budget and counts."""


def rising_costs(
    task: ProgramTask, record: Recorder, encoder: CostEncoder, limit: int | None, answered: Answered
) -> Outcome:
    """Raise the horizon until a model has a plan; then make the second component of the metric least, if there is one.

    Raises `UsageError` if actions that cost nothing may follow each other without end, and `EncodingStopped`.
    """
    unit = encoder.unit
    free = longest_chain(encoder.chain, answered) if any(not action.cost[0] for action in task.actions) else 0
    if free is None:
        if stopped := record.budget.stopped():
            return record.stopped(stopped)
        raise UsageError("the engine `cp-sat` found no bound on the free actions in a row; use `astar`")
    record.stats["free_steps"] = free
    known = record.bounds.lower_bound
    layers = -(-known[0] // unit) if known else 0
    while limit is None or layers * unit <= limit:
        with record.encoding():
            model = encoder.encode_layers(layers, free)
        record.working(f"refuting {task.counted(layers * unit)}")
        answer = answered(model.formula)
        if answer.values is not None:
            return _with_second(task, record, (layers * unit, model, answer), answered)
        if answer.status != "infeasible":
            return record.stopped(answer.stopped_by or "time limit")
        if not any(action.cost[0] for action in task.actions):
            return record.unsolvable(f"CP-SAT: no goal is {free} actions away, and as all are free none needs more")
        layers += 1
        record.raise_bound(layers * unit, f"CP-SAT proved that {task.not_enough(layers * unit - 1)}")
    return record.stopped("horizon limit")


def _with_second(
    task: ProgramTask, record: Recorder, found: tuple[int, ProgramModel, cp_sat.CpSatAnswer], answered: Answered
) -> Outcome:
    """The plan that is found, of least cost; in a metric of two components, the one with the second least."""
    cost, model, answer = found
    assert answer.values is not None
    actions, by = model.actions(answer.values), record.bounds.lower_bound_by
    if record.parts == 1:
        return record.optimal(task.plan(actions), (cost,), by)
    record.found(task.plan(actions), (cost, sum(action.cost[1] for action in actions)))
    model.formula.minimise.extend(
        (literal, action.cost[1]) for step in model.applied for literal, action in step if action.cost[1]
    )
    answer = answered(model.formula)
    if answer.values is not None:
        actions = model.actions(answer.values)
        record.found(task.plan(actions), (cost, sum(action.cost[1] for action in actions)))
    second = cp_sat.whole_bound(answer.bound or 0)
    record.raise_bound((cost, second), f"{by}; CP-SAT: {task.metric[1]} minimised")
    return record.stopped(answer.stopped_by)
