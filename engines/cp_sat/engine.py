"""The engine `cp-sat`: bounded-horizon models, from a proven lower bound upward, until a plan is found.

A model of horizon H is satisfiable if and only if there is a plan of H steps (of at most H, if idle steps are allowed
at its end). If none of the models up to H - 1 is, and that of H is, its plan is a shortest one (Kautz and Selman,
*Planning as satisfiability*, 1992).

The first horizon is the bound of relaxed reachability: h³ where that is quick, else h². Deeper h^m, up to h⁵ where that
is affordable, is computed on a second core; when it is ready and raises the bound, the model is built anew with it. How
the horizon rises is a strategy: see `strategies`.
"""

from __future__ import annotations

import math

from ...analysis.hm.background import BackgroundHm
from ...analysis.plan_invariants import find_invariants
from ...analysis.transforms.unit_cost import with_unit_cost
from ...encoders.formula import EncodingStopped
from ...models.errors import UsageError
from ...models.task import Task
from ...models.text import suggest
from ...runtime.budget import Budget
from ...runtime.environment import cores
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..common.switches import switched_off
from .lexicographic import second_component
from .rules import WITHOUT
from .run import HorizonRun
from .strategies import STRATEGIES, moves_in_parallel
from .tunables import TUNABLES


def solve_by_horizons(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    strategy: str = "auto",
    horizon_limit: int | None = None,
    workers: int | None = None,
    seed: int | None = None,
    *,
    without: str | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by CP-SAT.

    With `horizon_limit`, give up when it is proven that no plan has at most that many steps. `workers`: how many
    solvers may work at once (1 or 2), by default as many as there are cores. `seed`: see `solver`. `without`: names of
    heuristics and rules that are not used, with commas between them. Raises `UsageError` for an unknown strategy or
    operators of different costs.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy `{strategy}`; " + suggest(strategy, STRATEGIES))
    parts = len(task.metric)
    nothing = (0,) * parts
    record = Recorder(budget, progress, parts=parts, lower_bound=nothing, by="nothing is proven yet")
    if done := record.trivial(task):
        return done
    stepwise = with_unit_cost(task)
    if stepwise is None:
        raise UsageError("the engine `cp-sat` needs operators that all cost the same; use `astar` or `bfs`")
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    left_out = switched_off(WITHOUT, without)
    with _deeper_tables(stepwise, budget, strategy, left_out) as background:
        run = _begun(stepwise, record, background, left_out)
        if run is None:
            return record.stopped(budget.stopped() or "time limit")
        if run.refuted_by:
            return run.outcome("no plan")
        run.limit, run.workers, run.seed = horizon_limit, workers or min(2, cores()), seed
        record.encoded()
        try:
            why = STRATEGIES[strategy](run)
        except EncodingStopped:
            why = budget.stopped() or "time limit"
        finally:
            for companion in run.companions:
                companion.stop()
        return second_component(run, why) if parts > 1 else run.outcome(why)


def _deeper_tables(task: Task, budget: Budget, strategy: str, without: frozenset[str]) -> BackgroundHm:
    """The tables of h^m for larger and larger m. With parallel steps, those for sets of three and more are begun late:
    on 12x12 to 16x16 boards the conflicts were the same without them, and they kept a second core busy.
    """
    if "deeper-hm" in without:
        return BackgroundHm(task, 2, 0.0, budget.fits)
    if strategy == "auto" and "parallel-steps" not in without and moves_in_parallel(task):
        return BackgroundHm(task, TUNABLES.deepest, TUNABLES.deeper_after_parallel, budget.fits, at_once=2)
    return BackgroundHm(task, TUNABLES.deepest, TUNABLES.deeper_after, budget.fits)


def _begun(task: Task, record: Recorder, background: BackgroundHm, without: frozenset[str]) -> HorizonRun | None:
    """The run with what is known before the first model; None if the budget ends before h² is there."""
    tell_root_bounds(task, record, without)
    known = find_invariants(task, record.budget, record.raise_bound, without)
    background.wait(2, math.inf, record.budget.stopped)
    tables = background.take()
    if tables is None:
        return None
    run = HorizonRun(task, record, tables, known, background, without)
    if tables.lower_bound is None:
        run.refute(tables)
        return run
    run.reachable(tables.lower_bound, tables.name)
    run.raise_bound(known.lower_bound(task.init), known.bound_by)
    return run
