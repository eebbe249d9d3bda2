"""The engine `cp-sat`: bounded models, from a proven lower bound upward, until a plan is found.

It starts from the bound of the reachability layers (h³ where that is quick, else h²). Deeper layers, up to h⁵ where
that is affordable, are computed on a second core; when they are ready and raise the bound, the model is built anew
with them. How the horizon rises is a strategy: see `strategies`.
"""

from __future__ import annotations

import time
from dataclasses import replace

from ..bounds.deepening import Deepening
from ..bounds.layers import quick_order, reachability_layers
from ..bounds.succession import successions
from ..encoders.horizon_model import EncodingStopped, HorizonEncoder
from ..encoders.unit_steps import unit_steps
from ..errors import UsageError
from ..models.documents.fields import suggest
from ..models.task import Task
from ..outcome import Budget, Outcome, Progress, settled, silent
from .invariants import find_invariants
from .lexicographic import second_component
from .run import Run
from .strategies import STRATEGIES

DEEPER_AFTER = 1.0
"""Sets of four facts are looked at if the puzzle has not been solved after so many seconds."""

DEEPEST = 5
"""Sets of so many facts are looked at in the end, where they are few enough."""


def solve_by_horizons(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    strategy: str = "auto",
    horizon_limit: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by CP-SAT.

    With `horizon_limit`, give up when it is proven that no plan has so few steps. Raises `UsageError` for an
    unknown strategy or operators of different costs.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy `{strategy}`; " + suggest(strategy, STRATEGIES))
    if done := settled(task):
        return done
    stepwise = unit_steps(task)
    if stepwise is None:
        raise UsageError("the engine `cp-sat` needs operators that all cost the same; use `astar` or `bfs`")
    task = stepwise
    began = time.monotonic()
    layers = reachability_layers(task, quick_order(task))
    known = find_invariants(task, budget)
    encoder = HorizonEncoder(task, layers, successions(task), known.telling(task.init, layers.lower_bound or 0))
    deepening = Deepening(task, layers.order, DEEPEST, DEEPER_AFTER if layers.order > 2 else 0.0)
    run = Run(task, budget, progress, encoder, deepening, horizon_limit)
    if layers.lower_bound is None:
        return replace(run.unsolvable(layers), encode_seconds=time.monotonic() - began)
    run.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
    run.raise_bound(known.lower_bound(task.init), "matching of things to goal places, each at its distance alone")
    run.encode_seconds = time.monotonic() - began
    try:
        outcome = STRATEGIES[strategy](run)
    except EncodingStopped:
        outcome = run.gave_up(budget.stopped() or "time limit")
    finally:
        deepening.stop()
    if len(task.metric) > 1:
        outcome = second_component(run, outcome)
    return outcome
