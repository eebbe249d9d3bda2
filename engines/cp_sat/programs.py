"""CP-SAT on tasks whose actions are programs: one model for each horizon, from a proven lower bound upward.

The bound at which it begins is that of the projections, which find the distances of single variables.
"""

from __future__ import annotations

import math

from ...analysis.programs.tables import program_tables
from ...analysis.projections.build import no_projections, projections_of
from ...encoders.horizon_model import EncodingStopped
from ...encoders.programs.horizon import ProgramEncoder, ProgramModel
from ...encoders.programs.sets import set_model
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...models.unordered import in_order, unordered
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.switches import switched_off
from . import solver as cp_sat
from .rules import WITHOUT

TOLERANCE = 1e-6
"""By how much a bound of CP-SAT, which is a number with a fraction, may be above the whole number that it means."""


def solve_programs(
    task: ProgramTask,
    budget: Budget,
    progress: Progress = silent,
    strategy: str = "auto",
    horizon_limit: int | None = None,
    workers: int | None = None,
    seed: int | None = None,
    *,
    without: str | None = None,
) -> Outcome:
    """Find a plan and prove it shortest. Options as of `solve_by_horizons`; `workers` changes nothing.

    Raises `UsageError` for a strategy other than `auto` and `linear`, for actions that do not cost one each, and for
    programs that cannot be stated.
    """
    del workers
    if strategy not in ("auto", "linear"):
        raise UsageError(f"the strategy `{strategy}` needs operators; on actions as programs there is `linear`")
    record = Recorder(budget, progress, lower_bound=(0,), by="nothing is proven yet")
    if done := record.trivial(task):
        return done
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    if len(task.metric) == 1 and strategy == "auto" and (actions := unordered(task)):
        outcome = _solve_set(task, set_model(task, actions, budget.stopped), record, seed)
        if outcome is not None:
            return outcome
    if not task.uniform:
        raise UsageError("the engine `cp-sat` needs actions that cost one each; use `astar`")
    asked = "projections" not in switched_off(WITHOUT, without)
    found = projections_of(task, task.computed(program_tables), budget) if asked else no_projections()
    record.stats.update(found.stats)
    bound = int(found.stats.get("root_bound", 0))
    if bound < 0:
        return record.unsolvable(f"{found.words}: no goal can be reached")
    if bound:
        record.raise_bound(bound, found.words)
    try:
        encoder = ProgramEncoder(task, found.tables, budget.stopped)
        known = record.bounds.lower_bound  # of the sets of actions, if those were tried
        horizon = max(1, bound, known[0] if known else 0)
        while horizon_limit is None or horizon <= horizon_limit:
            with record.encoding():
                model = encoder.encode(horizon)
            record.count(models=1)
            record.stats.update(variables=model.formula.variables, constraints=model.formula.size)
            record.encoded()
            record.working(f"refuting {task.counted(horizon)}")
            answer = cp_sat.solve(model.formula, budget, cp_sat.SearchSettings(long=True, seed=seed))
            record.count(conflicts=answer.conflicts, branches=answer.branches)
            if answer.values is not None:
                plan = task.plan(model.actions(answer.values))
                return record.optimal(plan, (horizon,), record.bounds.lower_bound_by)
            if answer.status != "infeasible":
                return record.stopped(answer.stopped_by or "time limit")
            record.raise_bound(horizon + 1, f"CP-SAT proved that {task.not_enough(horizon)}")
            horizon += 1
    except EncodingStopped:
        return record.stopped(budget.stopped() or "time limit")
    return record.stopped("horizon limit")


def _solve_set(task: ProgramTask, model: ProgramModel, record: Recorder, seed: int | None) -> Outcome | None:
    """Solve a task by the cheapest set of actions whose end is a goal state; None if no order of it was found."""
    record.count(models=1)
    record.stats.update(variables=model.formula.variables, constraints=model.formula.size)
    record.encoded()
    proof = "CP-SAT on one model of all sets of actions, as their order does not matter"

    def on_bound(bound: float) -> None:
        record.raise_bound(math.ceil(bound - TOLERANCE), proof)

    search = cp_sat.SearchSettings(long=True, seed=seed, presolve=True)
    answer = cp_sat.solve(model.formula, record.budget, search, on_bound)
    record.count(conflicts=answer.conflicts, branches=answer.branches)
    if answer.status == "infeasible":
        return record.unsolvable(proof)
    if answer.values is None:
        return record.stopped(answer.stopped_by or "time limit")
    actions = in_order(task, model.actions(answer.values))
    cost = sum(action.cost[0] for action in model.actions(answer.values))
    if answer.status == "optimal":
        record.raise_bound(cost, proof)
    if actions is None:
        return None
    record.found(task.plan(actions), (cost,))
    return record.stopped(answer.stopped_by)
