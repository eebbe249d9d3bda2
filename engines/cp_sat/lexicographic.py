"""Metrics of two components (pushes, then moves): the first made least, and then the second at that horizon."""

from __future__ import annotations

import math
from dataclasses import replace

from ...encoders.horizon_model import EncodingStopped
from ...runtime.outcome import Outcome, Status
from .run import Run


def second_component(run: Run, first: Outcome) -> Outcome:
    """Among the plans that are best in the first component, the best in the second."""
    task = run.task
    if first.status is not Status.OPTIMAL or first.upper_bound is None:
        return replace(first, lower_bound=(run.bound, 0), upper_bound=None)
    horizon = first.upper_bound[0]
    try:
        model = run.encode(horizon, idle=False, walks=True)
    except EncodingStopped:
        reason = run.budget.stopped() or "time limit"
        status = Status.INTERRUPTED if reason == "interrupted" else Status.FEASIBLE
        return replace(first, status=status, lower_bound=(run.bound, 0), upper_bound=None, stopped_by=reason)
    formula = model.formula
    for row in model.chosen:
        formula.minimise.extend((x, op.cost[1]) for op, x in zip(task.operators, row, strict=True) if op.cost[1])
    if task.walker and task.walker.cost[1]:
        formula.minimise.extend((arc, task.walker.cost[1]) for arc in model.arcs)
    answer = run.solve(model, whole=True)
    plan = first.plan if answer.values is None else model.plan(task, answer.values)
    status = Status.OPTIMAL if answer.status == "optimal" else Status.FEASIBLE
    if answer.stopped_by == "interrupted":
        status = Status.INTERRUPTED
    best = math.ceil((answer.bound or 0) - 1e-6)
    by = f"{run.bound_by}; CP-SAT: at horizon {horizon}, {task.metric[1]} minimised"
    return Outcome(
        status,
        plan,
        (horizon, best),
        by,
        None,
        answer.stopped_by,
        run.encode_seconds,
        run.solve_seconds,
        run.stats,
    )
