"""Metrics of two components (pushes, then moves): the first made least, and then the second at that horizon.

A model counts steps, the first component. When the least horizon H is proven, one more model of exactly H steps
minimises the second component: by definition of the lexicographic order, its optimum is the optimum.
"""

from __future__ import annotations

from ...encoders.formula import EncodingStopped
from ...runtime.outcome import Outcome
from .run import HorizonRun
from .solver import whole_bound


def second_component(run: HorizonRun, why: str) -> Outcome:
    """Find the plan best in the second component among those best in the first. `why`: the reason that ended
    the run.
    """
    task, record = run.task, run.record
    if run.refuted_by or not run.solved or run.known is None:
        return run.outcome(why)
    horizon = run.known
    try:
        model = run.encode(horizon, idle=False, walks=True)
    except EncodingStopped:
        return run.outcome(record.budget.stopped() or "time limit")
    formula = model.formula
    for row in model.chosen:
        formula.minimise.extend((x, op.cost[1]) for op, x in zip(task.operators, row, strict=True) if op.cost[1])
    if task.walker and task.walker.cost[1]:
        formula.minimise.extend((arc, task.walker.cost[1]) for arc in model.arcs)
    answer = run.solve(model, whole=True)
    plan = run.best if answer.values is None else model.plan(task, answer.values)
    cost = (horizon * run.layers.unit, whole_bound(answer.bound or 0))
    by = f"{run.bound_by}; CP-SAT: at horizon {horizon}, {task.metric[1]} minimised"
    nothing_to_pay = answer.status == "solution" and not formula.minimise
    if answer.status == "optimal" or nothing_to_pay:
        return record.optimal(plan, cost, by)
    record.raise_bound(cost, by)
    return record.stopped(answer.stopped_by, unpriced=plan)
