"""CP-SAT on tasks whose actions are programs: one model for each horizon, from a proven lower bound upward.

The bound at which it begins is that of the projections, which find the distances of single variables.
"""

from __future__ import annotations

from ...analysis.programs.tables import program_tables
from ...analysis.projections.build import no_projections, projections_of
from ...encoders.horizon_model import EncodingStopped
from ...encoders.programs.horizon import ProgramEncoder
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.switches import switched_off
from . import solver as cp_sat
from .rules import WITHOUT


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
    if not task.uniform:
        raise UsageError("the engine `cp-sat` needs actions that cost one each; use `astar`")
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    asked = "projections" not in switched_off(WITHOUT, without)
    found = projections_of(task, program_tables(task), budget) if asked else no_projections()
    record.stats.update(found.stats)
    bound = int(found.stats.get("root_bound", 0))
    if bound < 0:
        return record.unsolvable(f"{found.words}: no goal can be reached")
    if bound:
        record.raise_bound(bound, found.words)
    try:
        encoder = ProgramEncoder(task, found.tables, budget.stopped)
        horizon = max(1, bound)
        while horizon_limit is None or horizon <= horizon_limit:
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
