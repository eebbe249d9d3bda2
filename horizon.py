"""The loop that raises the horizon: bounded models, from a proven lower bound upward, until a plan is found.

Strategies:
`linear`     a model for each horizon; the last refuted one proves that no shorter plan exists.
`one-model`  one model of all plans of at most H steps, idle steps at the end; CP-SAT's core-guided search
             raises the proven bound one horizon at a time and keeps what it learns. When it passes H, H grows.

Both start from the bound of the reachability layers (h³ where that is quick, else h²). Deeper layers are computed on a
second core (h³ at once, h⁴ when a solve takes long); when they are ready, the model is built anew with them.
Where a metric has a second component (pushes, then moves), the first is made least so, and then the second at that
horizon.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from .bounds.deepening import Deepening
from .bounds.layers import Layers, affordable, quick_order, reachability_layers
from .encoders import cp_sat
from .encoders.horizon_model import HorizonEncoder, HorizonModel
from .encoders.succession import successions
from .errors import UsageError
from .models.carrying import with_whole_carries
from .models.explicit import with_explicit_walker
from .models.plan import Plan
from .models.task import Cost, Task
from .outcome import Budget, Outcome, Progress, Status, silent

FIRST_FACTOR, NEXT_FACTOR, SLACK = 1.2, 1.25, 3
"""`one-model`: the first H is the lower bound times a factor plus a slack; so is each next one. (The bounds of h³ are
close: with 1.5 and 4, fourteen of the forty Rush Hour levels took 23 s together instead of 20 s.)"""

DEEPER_AFTER = 3.0
"""Sets of four facts are looked at if the puzzle has not been solved after so many seconds."""

WHOLE_CARRIES = 4
"""A carry is one operator where that makes at most so many times as many operators as there are single ones:
refuting 40 moves of Klotski took 6,473 conflicts so (354 operators for 188), and 66,667 with a path inside the
step. On roomy boards the paths are too many, and the path inside the step wins."""


@dataclass(slots=True)
class Run:
    """What a run of the loop knows so far."""

    task: Task
    budget: Budget
    progress: Progress
    encoder: HorizonEncoder
    deepening: Deepening
    limit: int | None = None
    best: Plan | None = None
    bound: int = 0
    bound_by: str = "a plan has at least no steps"
    encode_seconds: float = 0.0
    solve_seconds: float = 0.0
    stats: dict[str, int | float | str] = field(
        default_factory=lambda: {"models": 0, "conflicts": 0, "branches": 0, "variables": 0, "constraints": 0}
    )

    def why_stop(self) -> str | None:
        """Why to stop before the next model, if there is a reason."""
        if self.limit is not None and self.bound > self.limit:
            return "horizon limit"
        return self.budget.stopped()

    def deepen(self) -> Outcome | None:
        """Take the deeper layers that have become ready and encode with them; an outcome if they prove unsolvable."""
        layers = self.deepening.take()
        if layers is None:
            return None
        if layers.lower_bound is None:
            return self.unsolvable(layers)
        self.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
        self.encoder = HorizonEncoder(self.task, layers, self.encoder.succession, triples=layers.name == "h⁴")
        return None

    def unsolvable(self, layers: Layers) -> Outcome:
        return Outcome(
            Status.UNSOLVABLE,
            lower_bound_by=f"relaxed reachability ({layers.name}): the goal is out of reach",
            encode_seconds=self.encode_seconds,
            solve_seconds=self.solve_seconds,
            stats=self.stats,
        )

    def raise_bound(self, bound: int, by: str, **more: object) -> None:
        if bound > self.bound:
            self.bound, self.bound_by = bound, by
            self.progress({"type": "bound", "lower_bound": bound, "by": by, "seconds": self.budget.elapsed, **more})

    def add(self, **counts: int) -> None:
        for key, count in counts.items():
            self.stats[key] = int(self.stats[key]) + count

    def outcome(self, status: Status, plan: Plan | None, upper: int | None, reason: str | None = None) -> Outcome:
        return Outcome(
            status,
            plan,
            (self.bound,),
            self.bound_by,
            None if upper is None else (upper,),
            reason,
            self.encode_seconds,
            self.solve_seconds,
            self.stats,
        )

    def gave_up(self, reason: str) -> Outcome:
        """The outcome without a proof: the best plan, if one was found, and the bound."""
        if reason == "interrupted":
            status = Status.INTERRUPTED
        else:
            status = Status.UNKNOWN if self.best is None else Status.FEASIBLE
        return self.outcome(status, self.best, None if self.best is None else len(self.best.moves), reason)


Strategy = Callable[[Run], Outcome]


def solve_by_horizons(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    strategy: str = "one-model",
    horizon_limit: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by CP-SAT.

    With `horizon_limit`, give up when it is proven that no plan has so few steps. Raises `UsageError` for an
    unknown strategy or operators of different costs.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy `{strategy}`; known are {', '.join(STRATEGIES)}")
    zero: Cost = (0,) * len(task.metric)
    if task.unsolvable_because:
        return Outcome(Status.UNSOLVABLE, lower_bound_by=task.unsolvable_because)
    if task.holds(task.init):
        return Outcome(Status.OPTIMAL, Plan(()), zero, "the initial state is a goal", zero)
    if task.walker and task.walker.cost[0]:
        task = with_explicit_walker(task)
    if task.carries:
        task = with_whole_carries(task, WHOLE_CARRIES * len(task.operators)) or task
    if any(op.cost[0] != 1 for op in task.operators):
        raise UsageError("the engine `cp-sat` needs operators that all cost the same; use `bfs`")
    began = time.monotonic()
    layers = reachability_layers(task, quick_order(task))
    encoder = HorizonEncoder(task, layers, successions(task))
    deepening = Deepening(task, 4, DEEPER_AFTER) if affordable(task, 4) else Deepening(task, 3, 0.0)
    if deepening.order == 3 and layers.name == "h³":
        deepening.stop()
    run = Run(task, budget, progress, encoder, deepening, horizon_limit)
    if layers.lower_bound is None:
        return replace(run.unsolvable(layers), encode_seconds=time.monotonic() - began)
    run.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
    run.encode_seconds = time.monotonic() - began
    try:
        outcome = STRATEGIES[strategy](run)
    finally:
        deepening.stop()
    if len(task.metric) > 1:
        outcome = _second_component(run, outcome)
    return outcome


def _encode(run: Run, horizon: int, *, idle: bool) -> HorizonModel:
    began = time.monotonic()
    model = run.encoder.encode(horizon, idle=idle)
    run.encode_seconds += time.monotonic() - began
    run.stats.update(variables=model.formula.variables, constraints=model.formula.size)
    run.add(models=1)
    return model


def _solve(run: Run, model: HorizonModel, on_bound: Callable[[float], None] | None = None) -> cp_sat.Answer:
    began = time.monotonic()
    answer = cp_sat.solve(model.formula, run.budget, on_bound, run.deepening.poll)
    run.solve_seconds += time.monotonic() - began
    run.add(conflicts=answer.conflicts, branches=answer.branches)
    return answer


def linear(run: Run) -> Outcome:
    """One model for each horizon, from the lower bound upward."""
    while True:
        horizon = run.bound
        reason = run.why_stop()
        if reason:
            return run.gave_up(reason)
        model = _encode(run, horizon, idle=False)
        answer = _solve(run, model)
        if answer.values is not None:
            return run.outcome(Status.OPTIMAL, model.plan(run.task, answer.values), horizon)
        if answer.stopped_by == "broken off":
            unsolvable = run.deepen()
            if unsolvable:
                return unsolvable
            continue
        if answer.status != "infeasible":
            return run.gave_up(answer.stopped_by or "no answer")
        run.raise_bound(
            horizon + 1,
            f"CP-SAT: horizon {horizon} refuted (no plan of {horizon} {run.task.metric[0]})",
            horizon=horizon,
            conflicts=answer.conflicts,
        )


def one_model(run: Run) -> Outcome:
    """One model of all plans of at most H steps, as few as possible; H grows when the bound passes it."""
    unit = run.task.metric[0]
    horizon = math.ceil(run.bound * FIRST_FACTOR) + SLACK
    while True:
        reason = run.why_stop()
        if reason:
            return run.gave_up(reason)
        horizon = horizon if run.limit is None else min(horizon, run.limit)
        model = _encode(run, horizon, idle=True)

        def on_bound(bound: float, top: int = horizon) -> None:
            steps = min(math.ceil(bound - 1e-6), top)
            if steps > run.bound:
                by = f"CP-SAT: no plan of at most {steps - 1} {unit} (core-guided, one model of horizon {top})"
                run.raise_bound(steps, by, horizon=steps - 1)

        answer = _solve(run, model, on_bound)
        if answer.values is not None:
            run.best = model.plan(run.task, answer.values)
            if answer.bound is not None:
                on_bound(answer.bound)
            if answer.status == "optimal":
                return run.outcome(Status.OPTIMAL, run.best, len(run.best.moves))
            horizon = len(run.best.moves)
        if answer.stopped_by == "broken off":
            unsolvable = run.deepen()
            if unsolvable:
                return unsolvable
            horizon = max(horizon, run.bound)
            continue
        if answer.status != "infeasible":
            return run.gave_up(answer.stopped_by or "no answer")
        by = f"CP-SAT: horizon {horizon} refuted (no plan of at most {horizon} {unit})"
        run.raise_bound(horizon + 1, by, horizon=horizon)
        horizon = math.ceil(horizon * NEXT_FACTOR) + SLACK


STRATEGIES: dict[str, Strategy] = {"one-model": one_model, "linear": linear}


def _second_component(run: Run, first: Outcome) -> Outcome:
    """Among the plans that are best in the first component, the best in the second."""
    task = run.task
    if first.status is not Status.OPTIMAL or first.upper_bound is None:
        return replace(first, lower_bound=(run.bound, 0), upper_bound=None)
    horizon = first.upper_bound[0]
    model = _encode(run, horizon, idle=False)
    formula = model.formula
    for row in model.chosen:
        formula.minimise.extend((x, op.cost[1]) for op, x in zip(task.operators, row, strict=True) if op.cost[1])
    if task.walker and task.walker.cost[1]:
        formula.minimise.extend((arc, task.walker.cost[1]) for arc in model.arcs)
    answer = _solve(run, model)
    plan = first.plan if answer.values is None else model.plan(task, answer.values)
    status = Status.OPTIMAL if answer.status == "optimal" else Status.FEASIBLE
    if answer.stopped_by == "interrupted":
        status = Status.INTERRUPTED
    best = math.ceil((answer.bound or 0) - 1e-6)
    by = f"{run.bound_by}; CP-SAT: at horizon {horizon}, {task.metric[1]} minimised"
    return replace(run.outcome(status, plan, None, answer.stopped_by), lower_bound=(horizon, best), lower_bound_by=by)
