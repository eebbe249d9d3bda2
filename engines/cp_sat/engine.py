"""The engine `cp-sat`: bounded models, from a proven lower bound upward, until a plan is found.

It starts from the bound of the reachability layers (h³ where that is quick, else h²). Deeper layers, up to h⁵ where
that is affordable, are computed on a second core; when they are ready and raise the bound, the model is built anew
with them. How the horizon rises is a strategy: see `strategies`.
"""

from __future__ import annotations

import time
from dataclasses import replace

from ...analysis.hm.background import BackgroundHm
from ...analysis.hm.fixpoint import relax
from ...analysis.move_pruning import find_move_pruning
from ...analysis.plan_invariants import find_invariants
from ...analysis.transforms.unit_cost import with_unit_cost
from ...encoders.horizon_model import EncodingStopped, HorizonEncoder
from ...models.errors import UsageError
from ...models.task import Task
from ...models.text import suggest
from ...runtime.outcome import Budget, Outcome, Progress, silent, stopped_outcome, trivial_outcome
from ...runtime.warmup import announce
from .companion import cores
from .lexicographic import second_component
from .run import Run
from .strategies import STRATEGIES

DEEPER_AFTER = 1.0
"""Sets of four facts are looked at if the puzzle has not been solved after so many seconds."""

SHORT_OF = 2
"""No deeper layers are looked at where the bound of matching is more than so many times that of the layers: many things
have far to go, and no few of them tell how far. (The second core is then free for companions.)"""

PATIENCE = 1.0
"""Seconds to wait for layers over sets of three facts, before the first model."""

DEEPEST = 5
"""Sets of so many facts are looked at in the end, where they are few enough."""


def solve_by_horizons(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    strategy: str = "auto",
    horizon_limit: int | None = None,
    workers: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by CP-SAT.

    With `horizon_limit`, give up when it is proven that no plan has so few steps. `workers`: how many solvers may work
    at once (1 or 2), by default as many as there are cores. Raises `UsageError` for an unknown strategy or operators of
    different costs.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy `{strategy}`; " + suggest(strategy, STRATEGIES))
    if done := trivial_outcome(task):
        return done
    stepwise = with_unit_cost(task)
    if stepwise is None:
        raise UsageError("the engine `cp-sat` needs operators that all cost the same; use `astar` or `bfs`")
    announce(progress, relax)
    began = time.monotonic()
    with BackgroundHm(stepwise, DEEPEST, DEEPER_AFTER, budget.fits) as deepening:
        run = _begun(stepwise, budget, progress, deepening)
        if isinstance(run, Outcome):
            return replace(run, encode_seconds=time.monotonic() - began)
        run.encode_seconds = time.monotonic() - began
        run.limit, run.workers = horizon_limit, workers or min(2, cores())
        try:
            outcome = STRATEGIES[strategy](run)
        except EncodingStopped:
            outcome = run.gave_up(budget.stopped() or "time limit")
        finally:
            for companion in run.companions:
                companion.stop()
        return second_component(run, outcome) if len(stepwise.metric) > 1 else outcome


def _begun(task: Task, budget: Budget, progress: Progress, deepening: BackgroundHm) -> Run | Outcome:
    """What is known of a task before the first model; the outcome, if that is all."""
    known = find_invariants(task, budget)
    succession = find_move_pruning(task)
    layers = deepening.first(PATIENCE, budget.stopped)
    if layers is None:
        reason = budget.stopped() or "time limit"
        return stopped_outcome(reason, (0,) * len(task.metric), "a plan has at least no steps", {})
    encoder = HorizonEncoder(task, layers, succession, known.if_informative(task.init, layers.lower_bound or 0))
    run = Run(task, budget, progress, encoder, deepening)
    if layers.lower_bound is None:
        return run.unsolvable(layers)
    run.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
    run.raise_bound(known.lower_bound(task.init), "matching of things to goal places, each at its distance alone")
    if SHORT_OF * layers.lower_bound < run.bound:
        deepening.stop()
    return run
