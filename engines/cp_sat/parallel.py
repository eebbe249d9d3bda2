"""Parallel steps: independent moves in one step; what rises is a bound on their number.

A model (`encoders.parallel_model`) of depth D holds the plans of at most D parallel steps and says how many moves they
need at least; a deeper plan has at least D + 1. As a rule it takes two kinds of models:

    shallow   D grows until there is a plan. The least number of moves L at that depth is nearly always the optimum.
    deep      the plans of at most L - 1 moves that are deeper than D, so of D + 1 to L - 1 parallel steps. As none of
              their steps is idle, few moves are to spare. As a rule there are no such plans, and L is proven.

CP-SAT bounds the number of moves by lower bound tree search, which took half the time of cores on nearly all boards. It
comes back to the root of its tree all the time, and inprocessing would have a round there each time: sixteen boards of
12x12 to 16x16 take 79,000 conflicts and 54 s of processor time without it, 177,000 and 93 s with it, and none of them
is quicker with it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from ...analysis.parallel_moves import ParallelMoves
from ...encoders.parallel_model import ParallelEncoder, ParallelModel
from .run import HorizonRun
from .solver import whole_bound

# Parallel steps of the first model, if the bound is not more.
FIRST_DEPTH = 8

# Seconds after which, on two cores, a greedy search looks for a first plan beside a parallel model: most models have
# a plan themselves by then.
PLAN_AFTER = 3.0

# The factor by which the depth grows while there is no plan.
DEEPER_BY = 1.5


def parallel(run: HorizonRun, moves: ParallelMoves, plan_by_search: Callable[[threading.Event], None]) -> str:
    """Solve parallel models until the run is at its end, and say why it is.

    `plan_by_search` looks for a first plan until its event is set; it is called beside a model that takes long.
    """
    encoder: ParallelEncoder | None = None
    done = 0  # no plan of at most `done` parallel steps costs less than the best one that is known
    least = min(moves.costs)
    depth = max(run.bound // max(moves.costs), FIRST_DEPTH)
    while not (why := run.over()):
        encoder = encoder or ParallelEncoder(run.layers.source, moves)
        known = run.shortest
        if known is not None:
            depth = min(depth, (known - 1) // least)
        model = _encode(run, encoder, depth, done)
        deeper = (depth + 1) * least  # what a plan that the model does not have costs, at least
        ceiling = deeper if known is None else min(deeper, known)

        def on_bound(bound: float, ceiling: int = ceiling) -> None:
            run.refuted(min(whole_bound(bound), ceiling) - 1)

        ended = threading.Event()
        with ThreadPoolExecutor(1) as beside:
            search = beside.submit(_after_a_while, ended, plan_by_search if run.workers > 1 else None)
            try:
                answer = run.solve(model, on_bound, bounds="tree", long=True)
            finally:
                ended.set()
            search.result()  # raises what ended it, if it failed
        if answer.values is not None:
            run.found(model.plan(run.layers.source, answer.values), model.cost(answer.values))
        if answer.status in ("optimal", "infeasible"):
            done, known = depth, run.shortest
            run.refuted((deeper if known is None else min(deeper, known)) - 1)
            if known is None or answer.status == "infeasible":
                depth = math.ceil(depth * DEEPER_BY)
            else:
                depth = (known - 1) // least
    return why


def _after_a_while(ended: threading.Event, call: Callable[[threading.Event], None] | None) -> None:
    if call and not ended.wait(PLAN_AFTER):
        call(ended)


def _encode(run: HorizonRun, encoder: ParallelEncoder, depth: int, done: int) -> ParallelModel:
    """The model of the plans of more than `done` and at most `depth` parallel steps that are better than the best."""
    most = None if run.shortest is None else run.shortest - 1
    return run.encoded(lambda stop: encoder.encode(run.tables, depth, most=most, deeper_than=done, stop=stop))
