"""Strategies: how the horizon rises. What `--strategy` chooses.

All prove the same optimum L and report the bound as it rises. They differ in which models they solve:

    linear       exactly h steps, for h = bound, bound + 1, ..., L. L is proven by the refutation of L - 1.
    one-model    at most H steps, as few as possible, for an H a little above the bound. CP-SAT's core-guided search
                 raises the bound within this one solve. When the bound passes H, H grows.
    auto         sets of independent moves in place of single steps where many objects move (`parallel`); else a greedy
                 search for a plan of n steps; if n is near the proven bound, a quick try of all plans of at most
                 n - 1 steps in one model, which improves or proves it; then `one-model` with H < n: what measured best.

Core-guided search (Fu and Malik 2006; Morgado and others 2013) proves from below. It assumes that every cost is zero,
here: that all idle steps from the bound on are idle. A refutation gives a core, a set of assumptions that cannot all
hold; the core is relaxed, which raises the lower bound by one, and the search goes on with all clauses that it has
learnt. A loop of separate solves, as `linear` is, would learn them again at each horizon.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ...analysis.boxes.box_board import BoxBoard, find_box_board
from ...analysis.move_pruning import ParallelMoves
from ...analysis.structure import structure_of
from ...encoders.formula import EncodingStopped
from ...encoders.parallel_model import ParallelEncoder, ParallelModel
from ...models.task import OperatorTask
from ...runtime.outcome import Outcome
from .horizon_run import HorizonRun
from .run import Run
from .solver import whole_bound

# Parallel steps: independent moves in one step; what rises is a bound on their number.
#
# A model (`encoders.parallel_model`) of depth D holds the plans of at most D parallel steps and says how many moves
# they need at least; a deeper plan has at least D + 1. As a rule it takes two kinds of models:
#
#     shallow   D grows until there is a plan. The least number of moves L at that depth is nearly always the optimum.
#     deep      the plans of at most L - 1 moves that are deeper than D, so of D + 1 to L - 1 parallel steps. As none of
#               their steps is idle, few moves are to spare. As a rule there are no such plans, and L is proven.
#
# CP-SAT bounds the number of moves by lower bound tree search, which took half the time of cores on nearly all
# boards. It comes back to the root of its tree all the time, and inprocessing would have a round there each time:
# sixteen boards of 12x12 to 16x16 take 79,000 conflicts and 54 s of processor time without it, 177,000 and 93 s with
# it, and none of them is quicker with it.

# Parallel steps of the first model, if the bound is not more.
FIRST_DEPTH = 8

# The factor by which the depth grows while there is no plan.
DEEPER_BY = 1.5


def parallel(run: HorizonRun, moves: ParallelMoves) -> str:
    """Solve parallel models until the run is at its end, and say why it is."""
    encoder: ParallelEncoder | None = None
    done = 0  # no plan of at most `done` parallel steps costs less than the best one that is known
    least = min(moves.costs)
    depth = max(run.bound // max(moves.costs), FIRST_DEPTH)
    _plan_by_search(run, MOMENT_FOR_PLAN)
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

        answer = run.solve(model.formula, on_bound, bounds="tree", long=True)
        if answer.values is not None:
            run.found(model.plan(answer.values), model.cost(answer.values))
        if answer.status in ("optimal", "infeasible"):
            done, known = depth, run.shortest
            run.refuted((deeper if known is None else min(deeper, known)) - 1)
            if known is None or answer.status == "infeasible":
                depth = math.ceil(depth * DEEPER_BY)
                _plan_by_search(run, FIRST_PLAN_SECONDS)  # if there is none yet
            else:
                depth = (known - 1) // least
    return why


def _encode(run: HorizonRun, encoder: ParallelEncoder, depth: int, done: int) -> ParallelModel:
    """The model of the plans of more than `done` and at most `depth` parallel steps that are better than the best."""
    most = None if run.shortest is None else run.shortest - 1
    return run.encoded(lambda stop: encoder.encode(run.tables, depth, most=most, deeper_than=done, stop=stop))


# `one-model`, by m: the first horizon is the bound of h^m times this, plus `SLACK`. The deeper, the closer the
# bound, and a horizon that is too large costs much: Klotski's 116 steps after h⁵: 12 s at horizon 117, 54 s at 121.
FACTORS = {2: 1.2, 3: 1.2, 4: 1.1, 5: 1.03}

# Steps that a first horizon has more; each time it is refuted, its lead is doubled.
SLACK = 3

# Seconds (at most a tenth of what is left) for a first plan by greedy search.
FIRST_PLAN_SECONDS = 1.0

# Seconds for a first plan by greedy search before parallel steps, which have one soon themselves. Fifteen boards of
# 12x12 to 16x16: plans on twelve of them, after 0.4 to 1.2 s where the models have one after 0.6 to 2.6 s; 34.1 s in
# all, 36.8 s without.
MOMENT_FOR_PLAN = 0.1

# Seconds for a first plan by greedy search, once, where the puzzle has proven hard.
HARD_PLAN_SECONDS = 10.0

# A plan of at most this many times the proven bound is improved, or proven, by one quick solve, before `one-model`.
# Nine Rush Hour levels: 4.7 s so, 6.4 s without; sixteen other puzzles, nine of them hard: 236 s and 232 s.
NEAR_BOUND = 2.5

# Where boxes are pushed and the puzzle has proven hard: seconds after which no new round of making its plan shorter
# begins. Microban 112: a plan of 94 pushes, the optimum, in place of 96.
HARD_SHORTENING = 2.0

# Where walks are paid for: the share of the time in which all plans shorter than the best are refuted at once; the
# rest raises the bound step by step. Microban 121, 127, 129, 135, 151, 99 to 135 moves: proven in 11 to 17 s of
# processor time; step by step not in 20 s.
WALKS_FROM_ABOVE = 0.7

# Movable objects from which on parallel steps are tried first where moves differ in cost. Rush Hour, a lorry three, a
# car two, nine levels: 64 s of processor time; by single steps 102 s, three open.
MANY_PRICED = 4

# Movable objects from which on parallel steps are tried first: there a plan is much longer than deep. 12x12 board
# with 40 vehicles, 17 slides: 3 s; not in 90 s by single steps. Seventeen 8x8 and 9x9 boards with 21 to 24: 5 s, by
# single steps 21 s. 8x8 board with 17, 29 slides: more than 10 s, by single steps 8 s. Forty 6x6 boards: 59 s, by
# single steps with h³ and deeper 24 s.
MANY_OBJECTS = 20

Strategy = Callable[[HorizonRun], str]
"""A function that solves models until the run has to end, and gives the reason why."""


def linear(run: Run, lead: int = 0) -> str:
    """One model for each horizon, from the lower bound upward; with a `lead`, one for so many more, as few steps as
    possible.
    """
    while not (why := run.over()):
        least, horizon = run.bound, run.within(run.bound + lead)
        run.attempt(run.encode(horizon, idle=horizon > least, shortest=horizon > least))
    return why


def one_model(run: HorizonRun, when_hard: Callable[[HorizonRun], None] = lambda _run: None) -> str:
    """One model of all plans of at most H steps, as few as possible; H grows when the bound passes it.

    `when_hard` is called once, if the puzzle proves hard.
    """
    encoder, base, horizon = None, 0, 0
    hard = False
    while not (why := run.over()):
        if run.overtaken:
            return run.left_to_companions()
        if run.hard and not hard:
            hard = True
            when_hard(run)
        if run.hard and run.left_alone():
            continue
        if run.encoder is not encoder:  # with deeper h^m tables H begins anew
            encoder, base = run.encoder, run.bound
            horizon = first_horizon(base, encoder.tables.order)
        horizon = run.within(max(horizon, run.bound))
        answer = run.attempt(run.encode(horizon, idle=True, shortest=True), accompanied=True)
        if answer.status == "infeasible":
            horizon = next_horizon(horizon, base)
    return why


def first_horizon(bound: int, order: int) -> int:
    """The horizon to try first above a bound of h^m, m = `order`."""
    return math.ceil(bound * FACTORS[order]) + SLACK


def next_horizon(horizon: int, bound: int) -> int:
    """The horizon to try after one that is refuted, if h^m had proven `bound`: its lead over that is doubled."""
    return horizon + max(SLACK, horizon - bound)


def _improve(run: HorizonRun, known: int, until: float = 0.0) -> None:
    """Solve the model of the plans shorter than `known`: gives a shorter plan, or proves that `known` is shortest.
    Broken off when only `until` seconds of the budget remain.
    """
    model = run.encode(run.within(known), idle=True, shortest=True)
    answer = run.solve(model.formula, bounds="none", until=until)
    run.learn(model, answer)
    if answer.status == "optimal":
        run.refuted((run.known or known) - 1)


def moves_in_parallel(task: OperatorTask) -> ParallelMoves | None:
    """The parallel moves of a task, if it has any and enough objects for `auto` to try parallel steps first: few are
    enough where their moves differ in cost, as single steps then take several layers each.
    """
    enough = MANY_OBJECTS if task.uniform else MANY_PRICED
    return ParallelMoves.of(task) if len(structure_of(task).owners) >= enough else None


def auto(run: HorizonRun) -> str:
    """Parallel models where many objects move; else a plan of the greedy search, if it has one soon, is shortened or
    proven by one model of all shorter ones, and where that is not done quickly `one_model` looks for them. Where the
    puzzle proves hard, the search has more time. Where walks are paid for, plans have a hundred steps and more, each
    horizon costs seconds, and most of the time goes to the refutation of all shorter plans.

    A refutation of all shorter plans at once takes half the conflicts of one that raises the bound step by step (nine
    Rush Hour levels: 32,000 and 50,000), but leaves no bound where it does not end.
    """
    if "parallel-steps" not in run.without and (moves := moves_in_parallel(run.layers.source)):
        return parallel(run, moves)
    _plan_by_search(run, FIRST_PLAN_SECONDS)
    walking = _walks_are_paid(run.task)
    if not run.over() and run.shortest is not None and (walking or run.shortest <= NEAR_BOUND * run.bound):
        _improve(run, run.shortest)
    if not walking:
        return one_model(run, _when_hard)
    if not run.over():
        _when_hard(run)
    left = run.budget.remaining
    left_for_bound = (1 - WALKS_FROM_ABOVE) * left if math.isfinite(left) else 0.0
    while not run.over() and run.shortest is not None and run.budget.remaining > left_for_bound:
        _improve(run, run.shortest, left_for_bound)
    return one_model(run)


def _when_hard(run: HorizonRun) -> None:
    """Give more time to the search for a plan; on boards with boxes, to shortening it: there it is often too long."""
    if run.best is None:
        _plan_by_search(run, HARD_PLAN_SECONDS)
    elif _pushed_boxes(run.task) or _walks_are_paid(run.task):
        from ..common.neighbourhood import shortened_plan

        budget = run.budget.part(run.budget.remaining / 10)
        plan, _ = shortened_plan(run.task, run.best, budget, run.wanted, HARD_SHORTENING)
        run.found(plan, len(plan.moves))


def _pushed_boxes(task: OperatorTask) -> bool:
    """Whether the task is a board with boxes and counts pushes."""
    return task.walker is not None and not task.walker.cost[0] and isinstance(find_box_board(task), BoxBoard)


def _walks_are_paid(task: OperatorTask) -> bool:
    """Whether the task is of boxes, and steps of the player without a push count as much as pushes."""
    return task.walker is not None and task.walker.cost[0] > 0 and isinstance(find_box_board(task), BoxBoard)


STRATEGIES: dict[str, Strategy] = {
    "auto": auto,
    "one-model": one_model,
    "linear": linear,
}


def _plan_by_search(run: HorizonRun, seconds: float) -> None:
    """If no plan is known yet, keep one that the greedy search finds within `seconds` seconds.

    Where boxes are pushed and the puzzle has proven hard, it is feature space search that is asked: it solves levels
    with many boxes, for which the greedy search has no plan.
    """
    if run.shortest is not None or "first-plan" in run.without:
        return
    budget = run.budget.part(min(seconds, run.budget.remaining / 10))
    if run.hard and _pushed_boxes(run.task):
        from ..fess.engine import solve as feature_space_search

        by, outcome = "feature space search", feature_space_search(run.task, budget)
    else:
        from ..greedy.engine import solve as greedy

        by, outcome = "greedy search", greedy(run.layers.source, budget, wanted=run.wanted)
    if outcome.plan is not None and outcome.upper_bound is not None:
        cost = outcome.upper_bound[0]
        run.found(outcome.plan, cost // run.layers.unit)
        with run.record.lock:
            run.record.stats.update(first_plan=cost, first_plan_by=by)


# Metrics of two components (pushes, then moves): the first made least, and then the second at that horizon.
#
# A model counts steps, the first component. When the least horizon H is proven, one more model of exactly H steps
# minimises the second component: by definition of the lexicographic order, its optimum is the optimum.


def second_component(run: Run, why: str) -> Outcome:
    """Find the plan best in the second component, if there is one, among those best in the first. `why`: the reason
    that ended the run.
    """
    task, record = run.task, run.record
    if record.parts == 1 or run.refuted_by or not run.solved or run.known is None:
        return run.outcome(why)
    horizon = run.known
    try:
        model = run.encode(horizon, idle=False, walks=True)
    except EncodingStopped:
        return run.outcome(record.budget.stopped() or "time limit")
    formula = model.formula
    formula.minimise.extend(model.prices(1))
    answer = run.solve(formula, whole=True)
    plan = run.best if answer.values is None else model.plan(answer.values)
    cost = (horizon * run.unit, whole_bound(answer.bound or 0))
    by = f"{run.bound_by}; CP-SAT: at horizon {horizon}, {task.metric[1]} minimised"
    nothing_to_pay = answer.status == "solution" and not formula.minimise
    if answer.status == "optimal" or nothing_to_pay:
        return record.optimal(plan, cost, by)
    record.raise_bound(cost, by)
    return record.stopped(answer.stopped_by, unpriced=plan)
