"""How the horizon rises. Every strategy proves the same optimum and shows the bound as it rises.

`one-model`   one model of all plans of at most H steps, idle steps at the end; CP-SAT's core-guided search raises the
              proven bound one horizon at a time and keeps what it learns. When it passes H, H grows.
`linear`      a model for each horizon; the last refuted one proves that no shorter plan exists.
`jump`        models of all plans of at most H steps; H leaps ahead in growing steps until a plan is found, then goes
              back by halves between the bound and the plan.
`from-above`  a plan from a quick search, then one model of all shorter plans: CP-SAT shortens it until that is refuted.
`auto`        the strategy that measured best: see `auto`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..models.plan import Plan
from ..outcome import Budget, Outcome, silent
from .run import Run

FIRST_FACTOR, NEXT_FACTOR, SLACK = 1.2, 1.25, 3
"""`one-model`: the first H is the lower bound times a factor plus a slack; so is each next one. (The bounds of h³ are
close: with 1.5 and 4, fourteen of the forty Rush Hour levels took 23 s together instead of 20 s.)"""

QUICK_SEARCH = 10.0
"""`from-above`: at most so many seconds (and a tenth of the budget) for the first plan."""

Strategy = Callable[[Run], Outcome]


def linear(run: Run) -> Outcome:
    """One model for each horizon, from the lower bound upward."""
    while True:
        horizon = run.bound
        reason = run.why_stop()
        model = None if reason else run.encode(horizon, idle=False)
        if model is None:
            return run.gave_up(reason or run.budget.stopped() or "time limit")
        answer = run.solve(model)
        if answer.values is not None:
            run.found(model.plan(run.task, answer.values))
            return run.optimal()
        if answer.status == "infeasible":
            run.refuted(horizon, at_most=False)
            continue
        ended = _go_on(run, answer.stopped_by)
        if ended:
            return ended


def jump(run: Run) -> Outcome:
    """Leap ahead until a plan is found, then halve what lies between the bound and the plan."""
    leap = 1
    while run.known is None or run.bound < run.known:
        reason = run.why_stop()
        horizon = run.bound + leap - 1 if run.known is None else (run.bound + run.known - 1) // 2
        horizon = run.within(horizon)
        model = None if reason else run.encode(horizon, idle=True)
        if model is None:
            return run.gave_up(reason or run.budget.stopped() or "time limit")
        answer = run.solve(model)
        if answer.values is not None:
            run.found(model.plan(run.task, answer.values))
        elif answer.status == "infeasible":
            run.refuted(horizon)
            leap = min(2 * leap, max(1, run.bound // 4))
        else:
            ended = _go_on(run, answer.stopped_by)
            if ended:
                return ended
    return run.optimal()


def one_model(run: Run) -> Outcome:
    """One model of all plans of at most H steps, as few as possible; H grows when the bound passes it."""
    horizon = math.ceil(run.bound * FIRST_FACTOR) + SLACK
    while True:
        reason = run.why_stop()
        horizon = run.within(horizon)
        model = None if reason else run.encode(horizon, idle=True, shortest=True)
        if model is None:
            return run.gave_up(reason or run.budget.stopped() or "time limit")

        def on_bound(bound: float, top: int = horizon) -> None:
            steps = min(math.ceil(bound - 1e-6), top)
            by = f"CP-SAT: no plan of at most {steps - 1} {run.unit} (core-guided, one model of horizon {top})"
            run.raise_bound(steps, by, horizon=steps - 1)

        answer = run.solve(model, on_bound)
        if answer.values is not None:
            run.found(model.plan(run.task, answer.values))
            if answer.bound is not None:
                on_bound(answer.bound)
            if answer.status == "optimal":
                return run.optimal()
            horizon = run.known or horizon
        if answer.status == "infeasible":
            run.refuted(horizon)
            horizon = math.ceil(horizon * NEXT_FACTOR) + SLACK
            continue
        ended = _go_on(run, answer.stopped_by)
        if ended:
            return ended
        horizon = max(horizon, run.bound)


def from_above(run: Run) -> Outcome:
    """Shorten a plan of the greedy search until that is refuted; without a plan to begin with, `one_model`."""
    first = _quick_plan(run)
    if first is None:
        return one_model(run)
    run.found(first)
    run.stats["first_plan"] = len(first.moves)
    while run.known is not None and run.bound < run.known:
        reason = run.why_stop()
        horizon = run.within(run.known - 1)
        model = None if reason else run.encode(horizon, idle=True, shortest=True)
        if model is None:
            return run.gave_up(reason or run.budget.stopped() or "time limit")
        answer = run.solve(model, by_cores=False)
        if answer.values is not None:
            run.found(model.plan(run.task, answer.values))
            if answer.status == "optimal":
                run.refuted((run.known or 0) - 1)
        elif answer.status == "infeasible":
            run.refuted(horizon)
        if answer.stopped_by:
            ended = _go_on(run, answer.stopped_by)
            if ended:
                return ended
    return run.optimal()


def auto(run: Run) -> Outcome:
    """`one-model`: no strategy was faster on any group of boards that was measured (see docs/engines.md)."""
    return one_model(run)


STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "one-model": one_model,
    "linear": linear,
    "jump": jump,
    "from-above": from_above,
}


def _go_on(run: Run, stopped_by: str | None) -> Outcome | None:
    """After a model without an answer: None to go on with the next, or the outcome to end with."""
    if stopped_by != "broken off":
        return run.gave_up(stopped_by or "no answer")
    return run.deepen()


def _quick_plan(run: Run) -> Plan | None:
    from ..search.greedy import greedy

    seconds = min(QUICK_SEARCH, run.budget.remaining / 10)
    budget = Budget(seconds, run.budget.memory_mib)
    budget.interrupted = run.budget.interrupted
    return greedy(run.task, budget, silent).plan
