"""How the horizon rises. Every strategy proves the same optimum and shows the bound as it rises.

`one-model`   one model of all plans of at most H steps, idle steps at the end; CP-SAT's core-guided search raises the
              proven bound one horizon at a time and keeps what it learns. When it passes H, H grows.
`linear`      a model for each horizon; the last refuted one proves that no shorter plan exists.
`jump`        models of all plans of at most H steps; H leaps ahead in growing steps until a plan is found, then goes
              back by halves between the bound and the plan.
`from-above`  a plan from a quick search, then one model of all shorter plans: CP-SAT shortens it until that is refuted.
`auto`        a plan from a quick search, then `one-model` below it: what measured best.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...runtime.outcome import Budget, Outcome, silent
from .run import Run

FACTORS = {2: 1.2, 3: 1.2, 4: 1.1, 5: 1.03}
SLACK = 3
"""`one-model`: the first H is the bound of the layers, over sets of so many facts, times a factor plus a slack; each
time H is refuted, what it has above that bound is doubled. The deeper the layers, the closer the bound; and a horizon
that is too large costs much: after h⁵, Klotski's 116 steps took 12 s with H = 117 and 54 s with H = 121."""

QUICK_SEARCH, LONG_SEARCH = 1.0, 10.0
"""Seconds (and at most a tenth of the budget) for a plan by search: at first, and where that is needed."""

Strategy = Callable[[Run], Outcome]


def linear(run: Run) -> Outcome:
    """One model for each horizon, from the lower bound upward."""
    while not (ended := run.ended()):
        model = run.encode(run.bound, idle=False)
        run.learn(model, run.solve(model), at_most=False)
    return ended


def jump(run: Run) -> Outcome:
    """Leap ahead until a plan is found, then halve what lies between the bound and the plan."""
    leap = 1
    while not (ended := run.ended()):
        horizon = run.bound + leap - 1 if run.known is None else (run.bound + run.known - 1) // 2
        model = run.encode(run.within(horizon), idle=True)
        answer = run.solve(model)
        run.learn(model, answer)
        if answer.status == "infeasible":
            leap = min(2 * leap, max(1, run.bound // 4))
    return ended


def one_model(run: Run, when_hard: Callable[[Run], None] = lambda run: None) -> Outcome:
    """One model of all plans of at most H steps, as few as possible; H grows when the bound passes it.

    `when_hard` is called once, if the puzzle proves hard.
    """
    encoder, base, horizon = None, 0, 0
    hard = False
    while not (ended := run.ended()):
        if run.overtaken:
            return run.left_to_companions()
        if run.hard and not hard:
            hard = True
            when_hard(run)
        if run.encoder is not encoder:  # with deeper layers H begins anew
            encoder, base = run.encoder, run.bound
            horizon = first_horizon(base, encoder.layers.order)
        horizon = run.within(max(horizon, run.bound))
        model = run.encode(horizon, idle=True, shortest=True)

        def on_bound(bound: float, top: int = horizon) -> None:
            steps = min(math.ceil(bound - 1e-6), top)
            by = f"CP-SAT: no plan of at most {steps - 1} {run.unit} (core-guided, one model of horizon {top})"
            if steps > run.bound:
                run.overtaking = 0
            run.raise_bound(steps, by, horizon=steps - 1)

        answer = run.solve(model, on_bound, accompanied=True)
        run.learn(model, answer)
        if answer.values is not None and answer.bound is not None:
            on_bound(answer.bound)
        elif answer.status == "infeasible":
            horizon = next_horizon(horizon, base)
    return ended


def first_horizon(bound: int, order: int) -> int:
    """The horizon to try first above a bound of layers over sets of `order` facts."""
    return math.ceil(bound * FACTORS[order]) + SLACK


def next_horizon(horizon: int, bound: int) -> int:
    """The horizon to try after one that is refuted, if the layers had proven `bound`."""
    return horizon + max(SLACK, horizon - bound)


def from_above(run: Run) -> Outcome:
    """Shorten a plan of the greedy search until that is refuted; without a plan to begin with, `one_model`."""
    _plan_by_search(run, LONG_SEARCH)
    if run.known is None:
        return one_model(run)
    while not (ended := run.ended()):
        model = run.encode(run.within(run.known or 0), idle=True, shortest=True)
        answer = run.solve(model, by_cores=False)
        run.learn(model, answer)
        if answer.status == "optimal":
            run.refuted((run.known or 0) - 1)
    return ended


def auto(run: Run) -> Outcome:
    """`one_model` of the plans shorter than one of the greedy search, if that has a plan soon; where the puzzle proves
    hard, the search has more time.

    It measured best: nearly as quick as `from_above` (processor seconds on 14 boards: 25, against 19 and, for
    `one_model` alone, 47), and the bound rises on the way, so that a limit leaves a good one.
    """
    _plan_by_search(run, QUICK_SEARCH)
    return one_model(run, lambda run: _plan_by_search(run, LONG_SEARCH))


STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "one-model": one_model,
    "linear": linear,
    "jump": jump,
    "from-above": from_above,
}


def _plan_by_search(run: Run, seconds: float) -> None:
    """Keep a plan of the greedy search, if none is known and it has one in so many seconds."""
    from ..search.greedy.engine import greedy

    if run.known is not None:
        return
    seconds = min(seconds, run.budget.remaining / 10)
    budget = Budget(seconds, run.budget.memory_mib)
    budget.interrupted = run.budget.interrupted
    plan = greedy(run.task, budget, silent).plan
    if plan is not None:
        run.found(plan)
        run.stats.update(first_plan=len(plan.moves), first_plan_by="greedy search")
