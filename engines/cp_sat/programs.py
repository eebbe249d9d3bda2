"""CP-SAT on tasks whose actions are programs: models of a few horizons each, from a proven lower bound upward.

The bound at which it begins is that of the projections, which find the distances of single variables, or of the sets of
values that are reached after so many actions (`encoders.programs.horizon`). Where the order
of actions does not matter there is one model, and nothing compiled is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from ...encoders.formula import EncodingStopped, Formula
from ...encoders.programs.horizon import CostEncoder, ProgramModel, set_model
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...models.unordered import Unordered, in_order, unordered
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernels import ensure_kernels
from ...runtime.outcome import Outcome, Recorder
from ..engine import switched_off
from . import WITHOUT
from . import solver as cp_sat
from .solver import longest_chain

# Whether CP-SAT's models can state a task whose actions are programs, and which of them. (Loads no solver.)

MOST_LAYERS = 60
"""The most layers of cost that an action may take: each is a literal in every layer."""


def refusal(task: ProgramTask) -> str | None:
    """Why a task of programs cannot be solved: actions that cost too much, in an order that matters; else None."""
    most = max((action.cost[0] for action in task.actions), default=0)
    if most <= MOST_LAYERS * task.layer_cost or (len(task.metric) == 1 and task.computed(unordered)):
        return None
    return (
        f"an action costs {most}, in layers of {task.layer_cost}: `cp-sat` states at most {MOST_LAYERS} layers for "
        "an action that is a program; use `astar`"
    )


def sets_of_actions(task: ProgramTask, strategy: str) -> Unordered | None:
    """The actions, if a model of all sets of them is to be solved first."""
    return task.computed(unordered) if len(task.metric) == 1 and strategy == "auto" else None


# On actions as programs: horizons of a model beyond the least; what is learnt of one serves the next. Twelve shipped
# puzzles: 27.6 s of processor time, 41.5 s with 0, 32.5 s with 5; a 16x16 ricochet board of 12 slides: 37 s, 27 s, 46
# s.
PROGRAM_LEAD = 3

REACHED = "reachability of sets of values"


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
    """Find a plan and prove it shortest. Options as of `engine.solve`; `workers` changes nothing.

    Raises `UsageError` for the strategies of operators, and for programs that cannot be stated.
    """
    del workers
    if strategy not in ("auto", "one-model", "linear"):
        raise UsageError(f"the strategy `{strategy}` needs operators; on programs there are `one-model` and `linear`")
    parts = len(task.metric)
    record = Recorder(budget, progress, parts=parts, lower_bound=(0,) * parts, by="nothing is proven yet")
    if done := record.trivial(task):
        return done
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    try:
        if actions := sets_of_actions(task, strategy):
            outcome = _by_sets(task, actions, record, seed)
            if outcome is not None:
                return outcome
        record.prepared(ensure_kernels(progress, budget))
        lead = 0 if strategy == "linear" else PROGRAM_LEAD
        return _by_horizons(task, record, lead, horizon_limit, seed, switched_off(WITHOUT, without))
    except EncodingStopped:
        return record.stopped(budget.stopped() or "time limit")


def _by_horizons(
    task: ProgramTask, record: Recorder, lead: int, limit: int | None, seed: int | None, left_out: frozenset[str]
) -> Outcome:
    """Solve a task by models of the horizons from the proven bound to `lead` more, up to the limit, until one has a
    plan.
    """
    from ...analysis.program_machine import program_tables
    from ...analysis.program_projections import no_projections, projections_of
    from ...encoders.programs.horizon import CostEncoder, ProgramEncoder, reached_values

    budget, single = record.budget, "projections" not in left_out
    first = _first_component(task)
    found = projections_of(first, first.computed(program_tables), budget) if single else no_projections()
    record.stats.update(found.stats)
    bound = int(found.stats.get("root_bound", 0))
    if bound < 0:
        return record.unsolvable(f"{found.words}: no goal can be reached")
    if bound:
        record.raise_bound(bound, found.words)
    layers: Sequence[Sequence[frozenset[int]]] = ()
    if "value-sets" not in left_out:
        with record.encoding():
            reached = reached_values(task, budget.stopped)
        if reached.unsolvable:
            return record.unsolvable(f"{REACHED}: no goal can be reached")
        paid = reached.bound * min(action.cost[0] for action in task.actions)
        if paid:
            record.raise_bound(paid, f"{REACHED} rules out {task.counted(paid - 1)}")
        layers = reached.layers
    settings = cp_sat.SearchSettings(long=True, seed=seed)
    if not task.uniform:
        costly = CostEncoder(task, found.tables, budget.stopped, layers)
        return rising_costs(task, record, costly, limit, partial(cp_sat.answered, record=record, search=settings))
    encoder = ProgramEncoder(task, found.tables, budget.stopped, layers)
    known = record.bounds.lower_bound  # also of the sets of actions, if those were tried
    least = max(1, known[0] if known else 0)

    def raise_to(bound: float, most: int) -> None:
        steps = cp_sat.whole_bound(min(bound, most))
        record.raise_bound(steps, f"CP-SAT proved that {task.not_enough(steps - 1)}")

    while limit is None or least <= limit:
        horizon = least + lead if limit is None else min(limit, least + lead)
        with record.encoding():
            model = encoder.encode(least, horizon)
        record.working(f"refuting {task.counted(least)}")

        answer = cp_sat.answered(model.formula, record, settings, partial(raise_to, most=horizon + 1))
        if answer.values is not None:
            actions = model.actions(answer.values)
            record.found(task.plan(actions), (len(actions),))
            if answer.status == "optimal" or least == horizon:
                raise_to(len(actions), horizon)
        if answer.status != "infeasible":
            return record.stopped(answer.stopped_by)
        least = horizon + 1
        raise_to(least, least)
    return record.stopped("horizon limit")


def _first_component(task: ProgramTask) -> ProgramTask:
    """The task in the first component of its metric."""
    if len(task.metric) == 1:
        return task
    actions = tuple(replace(action, cost=action.cost[:1]) for action in task.actions)
    return replace(task, actions=actions, metric=task.metric[:1], units=task.units[:1])


def _by_sets(task: ProgramTask, actions: Unordered, record: Recorder, seed: int | None) -> Outcome | None:
    """Solve a task by the cheapest set of actions whose end is a goal state; None if no order of it was found."""
    proof = "CP-SAT on one model of all sets of actions, as their order does not matter"
    model = set_model(task, actions, record.budget.stopped)

    def on_bound(bound: float) -> None:
        record.raise_bound(cp_sat.whole_bound(bound), proof)

    answer = cp_sat.answered(
        model.formula, record, cp_sat.SearchSettings(long=True, seed=seed, presolve=True), on_bound
    )
    if answer.status == "infeasible":
        return record.unsolvable(proof)
    if answer.values is None:
        return record.stopped(answer.stopped_by or "time limit")
    chosen = model.actions(answer.values)
    cost = sum(action.cost[0] for action in chosen)
    if answer.status == "optimal":
        record.raise_bound(cost, proof)
    ordered = in_order(task, chosen)
    if ordered is None:
        return None
    record.found(task.plan(ordered), (cost,))
    return record.stopped(answer.stopped_by)


# Programs whose actions differ in cost: horizons in layers of cost, from a proven bound upward.

Answered = Callable[[Formula], cp_sat.CpSatAnswer]
"""Solves a formula, with a budget and counts."""


def rising_costs(
    task: ProgramTask, record: Recorder, encoder: CostEncoder, limit: int | None, answered: Answered
) -> Outcome:
    """Raise the horizon until a model has a plan; then make the second component of the metric least, if there is one.

    Raises `UsageError` if actions that cost nothing may follow each other without end, and `EncodingStopped`.
    """
    unit = encoder.unit
    free = longest_chain(encoder.chain, answered) if any(not action.cost[0] for action in task.actions) else 0
    if free is None:
        if stopped := record.budget.stopped():
            return record.stopped(stopped)
        raise UsageError("the engine `cp-sat` found no bound on the free actions in a row; use `astar`")
    record.stats["free_steps"] = free
    known = record.bounds.lower_bound
    layers = -(-known[0] // unit) if known else 0
    while limit is None or layers * unit <= limit:
        with record.encoding():
            model = encoder.encode_layers(layers, free)
        record.working(f"refuting {task.counted(layers * unit)}")
        answer = answered(model.formula)
        if answer.values is not None:
            return _with_second(task, record, (layers * unit, model, answer), answered)
        if answer.status != "infeasible":
            return record.stopped(answer.stopped_by or "time limit")
        if not any(action.cost[0] for action in task.actions):
            return record.unsolvable(f"CP-SAT: no goal is {free} actions away, and as all are free none needs more")
        layers += 1
        record.raise_bound(layers * unit, f"CP-SAT proved that {task.not_enough(layers * unit - 1)}")
    return record.stopped("horizon limit")


def _with_second(
    task: ProgramTask, record: Recorder, found: tuple[int, ProgramModel, cp_sat.CpSatAnswer], answered: Answered
) -> Outcome:
    """The plan that is found, of least cost; in a metric of two components, the one with the second least."""
    cost, model, answer = found
    assert answer.values is not None
    actions, by = model.actions(answer.values), record.bounds.lower_bound_by
    if record.parts == 1:
        return record.optimal(task.plan(actions), (cost,), by)
    record.found(task.plan(actions), (cost, sum(action.cost[1] for action in actions)))
    model.formula.minimise.extend(
        (literal, action.cost[1]) for step in model.applied for literal, action in step if action.cost[1]
    )
    answer = answered(model.formula)
    if answer.values is not None:
        actions = model.actions(answer.values)
        record.found(task.plan(actions), (cost, sum(action.cost[1] for action in actions)))
    second = cp_sat.whole_bound(answer.bound or 0)
    record.raise_bound((cost, second), f"{by}; CP-SAT: {task.metric[1]} minimised")
    return record.stopped(answer.stopped_by)
