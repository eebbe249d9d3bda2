"""The engine `cp-sat`: bounded-horizon models, from a proven lower bound upward, until a plan is found.

A model of horizon H is satisfiable if and only if there is a plan of H steps (of at most H, if idle steps are allowed
at its end). If none of the models up to H - 1 is, and that of H is, its plan is a shortest one (Kautz and Selman,
*Planning as satisfiability*, 1992).

The first horizon is the bound of relaxed reachability: h³ where that is quick, else h². Deeper h^m, up to h⁵ where that
is affordable, is computed on a second core; when it is ready and raises the bound, the model is built anew with it. How
the horizon rises is a strategy: see `strategies`. Where steps differ in cost, a horizon counts layers of cost
(`analysis.transforms.cost_layers`), or the cost is the objective (`priced`).
"""

from __future__ import annotations

import math
from functools import partial
from statistics import fmean

from ...analysis.hm.tables import BackgroundHm
from ...analysis.once import once
from ...analysis.plan_invariants import find_invariants
from ...analysis.transformed_tasks import CostLayers, with_cost_layers
from ...encoders.formula import EncodingStopped
from ...encoders.step import chain
from ...models.errors import UsageError
from ...models.task import Task
from ...models.text import suggest
from ...runtime.budget import Budget
from ...runtime.environment import cores
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..common.switches import switched_off
from . import solver as cp_sat
from .free_steps import longest_chain
from .lexicographic import second_component
from .priced import PRICED, solve_by_cost
from .rules import WITHOUT
from .run import HorizonRun
from .strategies import STRATEGIES, linear, moves_in_parallel
from .whole_plans import solve_whole

# h^m is computed up to this m, where sets are few enough. Klotski, 81 moves: h⁴ 61 (1 s), h⁵ 81 (25 s).
DEEPEST = 5

# Seconds after which h⁴ is begun, if the puzzle is not solved by then: most puzzles are.
DEEPER_AFTER = 1.0

# Seconds after which h³ is begun beside parallel steps, for what they do not solve: it may prove that there is no
# plan. 12x12 and 14x14 boards: 62 s of processor time with h³ at once, 40 without, the same conflicts.
DEEPER_AFTER_PARALLEL = 30.0

# Layers that operators take in the mean, from which on steps are counted and the cost is the objective. Bridge and
# torch, costs 10 to 80: 0.1 s, in layers 11.9 s; 3 to 31: 0.2 and 1.7 s; 1 to 12: 4.2 and 2.8 s.
DEAR = 12.0


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
    heuristics and rules that are not used, with commas between them. Raises `UsageError` for an unknown strategy.
    """
    if strategy not in (*STRATEGIES, PRICED):
        raise UsageError(f"no strategy `{strategy}`; " + suggest(strategy, (*STRATEGIES, PRICED)))
    parts = len(task.metric)
    nothing = (0,) * parts
    record = Recorder(budget, progress, parts=parts, lower_bound=nothing, by="nothing is proven yet")
    if done := record.trivial(task):
        return done
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    left_out = switched_off(WITHOUT, without)
    whole = strategy == "auto" and parts == 1 and horizon_limit is None and "whole-plans" not in left_out
    if whole and (known := task.computed(once)):
        return solve_whole(task, known, record, seed)
    layers = _in_layers(task, strategy, left_out)
    if layers is None:
        return solve_by_cost(task, record, horizon_limit, seed, left_out)
    with _deeper_tables(layers, budget, strategy, left_out) as background:
        run = _begun(layers, record, background, left_out)
        if run is None:
            return record.stopped(budget.stopped() or "time limit")
        if run.refuted_by:
            return run.outcome("no plan")
        run.limit = None if horizon_limit is None else horizon_limit // layers.unit
        run.workers, run.seed = workers or min(2, cores()), seed
        record.encoded()
        if layers.free and not _bounded(run):
            return solve_by_cost(task, record, horizon_limit, seed, left_out)
        try:
            why = linear(run) if layers.free else STRATEGIES[strategy](run)
        except EncodingStopped:
            why = budget.stopped() or "time limit"
        finally:
            for companion in run.companions:
                companion.stop()
        return second_component(run, why) if parts > 1 else run.outcome(why)


def _bounded(run: HorizonRun) -> bool:
    """Find out how many free steps a plan makes in a row at most: a model needs room for that many between two paid
    ones. False if that cannot be proven soon.
    """
    answered = partial(cp_sat.answered, record=run.record, search=cp_sat.SearchSettings(seed=run.seed))
    free = longest_chain(partial(chain, run.task, run.tables), answered)
    if free is not None:
        run.record.stats["free_steps"] = run.free = free
    return free is not None


def _in_layers(task: Task, strategy: str, without: frozenset[str]) -> CostLayers | None:
    """The task in layers of cost; None where the cost is to be the objective: each operator would take many layers."""
    layers = None if strategy == PRICED else with_cost_layers(task)
    if layers is None or strategy != "auto" or layers.unit * DEAR > fmean(op.cost[0] for op in task.operators):
        return layers
    return layers if "parallel-steps" not in without and moves_in_parallel(layers.source) else None


def _deeper_tables(layers: CostLayers, budget: Budget, strategy: str, without: frozenset[str]) -> BackgroundHm:
    """The tables of h^m for larger and larger m. With parallel steps, those for sets of three and more are begun late:
    on 12x12 to 16x16 boards the conflicts were the same without them, and they kept a second core busy.
    """
    task = layers.task
    if "deeper-hm" in without:
        return BackgroundHm(task, 2, 0.0, budget.fits)
    if strategy == "auto" and "parallel-steps" not in without and moves_in_parallel(layers.source):
        return BackgroundHm(task, DEEPEST, DEEPER_AFTER_PARALLEL, budget.fits, at_once=2)
    return BackgroundHm(task, DEEPEST, DEEPER_AFTER, budget.fits)


def _begun(
    layers: CostLayers, record: Recorder, background: BackgroundHm, without: frozenset[str]
) -> HorizonRun | None:
    """The run with what is known before the first model; None if the budget ends before h² is there."""
    task = layers.task
    tell_root_bounds(layers.source, record, without)
    known = find_invariants(task, record.budget, lambda bound, by: record.raise_bound(bound * layers.unit, by), without)
    background.wait(2, math.inf, record.budget.stopped)
    tables = background.take()
    if tables is None:
        return None
    run = HorizonRun(layers, record, tables, known, background, without)
    if tables.lower_bound is None:
        run.refute(tables)
        return run
    run.reachable(tables.lower_bound, tables.name)
    run.raise_bound(known.lower_bound(task.init), known.bound_by)
    return run
