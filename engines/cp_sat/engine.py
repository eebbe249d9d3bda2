"""The engine `cp-sat`: bounded-horizon models, from a proven lower bound upward, until a plan is found.

A model of horizon H is satisfiable if and only if there is a plan of H steps (of at most H, if idle steps are allowed
at its end). If none of the models up to H - 1 is, and that of H is, its plan is a shortest one (Kautz and Selman,
*Planning as satisfiability*, 1992). How the horizon rises is a strategy: see `strategies`. Where steps differ in cost,
a horizon counts layers of cost (`analysis.transformed_tasks`), or the cost is the objective (`solve_by_cost`). Where a
plan is a set of actions, there is one model without a horizon (`encoders.whole_plans`), and nothing compiled is needed.

*Operators*: the first horizon is the bound of relaxed reachability: h³ where that is quick, else h². Deeper h^m, up to
h⁵ where that is affordable, is computed on a second core; when it is ready and raises the bound, the model is built
anew with it.

*Actions as programs*: the bound at which it begins is that of the projections, which find the distances of single
variables, or of the sets of values that are reached after so many actions (`encoders.programs.horizon`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

from ...analysis.hm.tables import BackgroundHm, HmTables
from ...analysis.plan_invariants import find_invariants
from ...analysis.transformed_tasks import CostLayers, with_cost_layers, with_explicit_walker, with_unit_cost
from ...encoders.formula import EncodingStopped, Formula, is_true
from ...encoders.priced_model import PricedEncoder
from ...encoders.programs.horizon import ProgramEncoder, reached_values
from ...encoders.whole_plans import whole_model
from ...models.errors import UsageError
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...models.text import suggest
from ...models.unordered import unordered
from ...runtime.budget import Budget
from ...runtime.environment import cores
from ...runtime.events import Progress, silent
from ...runtime.kernels import ensure_kernels
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..engine import switched_off
from . import WITHOUT
from . import solver as cp_sat
from .horizon_run import HorizonRun
from .run import ProgramRun
from .strategies import STRATEGIES, linear, moves_in_parallel, second_component

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


def solve(
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
    heuristics and rules that are not used, with commas between them. Raises `UsageError` for an unknown strategy, and
    for costs and programs that cannot be stated.
    """
    if strategy not in STRATEGIES:
        raise UsageError(f"no strategy `{strategy}`; " + suggest(strategy, STRATEGIES))
    parts = len(task.metric)
    nothing = (0,) * parts
    record = Recorder(budget, progress, parts=parts, lower_bound=nothing, by="nothing is proven yet")
    if done := record.trivial(task):
        return done
    record.stats.update(models=0, conflicts=0, branches=0, variables=0, constraints=0)
    left_out = switched_off(WITHOUT, without)
    whole = strategy == "auto" and parts == 1 and horizon_limit is None and "whole-plans" not in left_out
    try:
        if whole and (outcome := _without_horizon(task, record, seed)):
            return outcome
        return by_form(
            task,
            lambda task: _solve_operators(task, record, strategy, horizon_limit, workers, seed, left_out),
            lambda task: _solve_programs(task, record, strategy, horizon_limit, seed, left_out),
        )
    except EncodingStopped:
        return record.stopped(budget.stopped() or "time limit")


def _without_horizon(task: Task, record: Recorder, seed: int | None) -> Outcome | None:
    """Solve a task by one model of whole plans, if it has one; None also if no order of its set of actions was found,
    whose cost is a lower bound then.
    """
    with record.encoding():
        model = whole_model(task, record.budget.stopped)
    if model is None:
        return None
    why = "no action can be repeated" if isinstance(task, OperatorTask) else "the order of actions does not matter"
    proof = f"CP-SAT on one model of whole plans, as {why}"

    def on_bound(bound: float) -> None:
        record.raise_bound(cp_sat.whole_bound(bound), proof)

    search = cp_sat.SearchSettings(long=True, seed=seed, presolve=True)
    answer = cp_sat.answered(model.formula, record, search, on_bound, "looking for all of the plan at once")
    if answer.status == "infeasible":
        return record.unsolvable(proof)
    if answer.values is None:
        return record.stopped(answer.stopped_by or "time limit")
    cost = model.formula.cost(answer.values)
    if answer.status == "optimal":
        on_bound(cost)
    plan = model.plan(answer.values, answer.numbers)
    if plan is None:
        return None
    record.found(plan, (cost,))
    return record.stopped(answer.stopped_by)


def _solve_operators(
    task: OperatorTask,
    record: Recorder,
    strategy: str,
    limit: int | None,
    workers: int | None,
    seed: int | None,
    without: frozenset[str],
) -> Outcome:
    """Solve a task of operators by a strategy. Raises `EncodingStopped`."""
    layers = _in_layers(task, strategy, without)
    if layers is None:
        return solve_by_cost(task, record, limit, seed, without)
    # With parallel steps, sets of three and more facts come late: on 12x12 to 16x16 boards the conflicts were the same
    # without them, and they kept a second core busy.
    order, pause, at_once = 2 if "deeper-hm" in without else DEEPEST, DEEPER_AFTER, 3
    if _in_parallel(layers, strategy, without):
        pause, at_once = DEEPER_AFTER_PARALLEL, 2
    with BackgroundHm(layers.task, order, pause, record.budget.fits, at_once) as background:
        run = _begun(layers, record, background, without)
        if run is None:
            return record.stopped(record.budget.stopped() or "time limit")
        if run.refuted_by:
            return run.outcome("no plan")
        run.limit = None if limit is None else limit // layers.unit
        run.workers, run.seed = workers or min(2, cores()), seed
        record.encoded()
        try:
            why = STRATEGIES[strategy](run)
        except EncodingStopped:
            why = record.budget.stopped() or "time limit"
        finally:
            for companion in run.companions:
                companion.stop()
        return second_component(run, why)


def _in_layers(task: OperatorTask, strategy: str, without: frozenset[str]) -> CostLayers | None:
    """The task in layers of cost; None where the cost is to be the objective: operators take many layers, or none."""
    layers = with_cost_layers(task)
    if layers is None or layers.free:
        return None
    if strategy != "auto" or layers.unit * DEAR > fmean(op.cost[0] for op in task.operators):
        return layers
    return layers if _in_parallel(layers, strategy, without) else None


def _in_parallel(layers: CostLayers, strategy: str, without: frozenset[str]) -> bool:
    """Whether parallel steps are tried first."""
    return strategy == "auto" and "parallel-steps" not in without and moves_in_parallel(layers.source) is not None


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
    run = HorizonRun(record, layers, tables, known, background, without)
    if tables.lower_bound is None:
        run.refute(tables)
        return run
    run.reachable(tables.lower_bound, tables.name)
    run.raise_bound(known.lower_bound(task.init), known.bound_by)
    return run


# Actions as programs.

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


# On actions as programs: horizons of a model beyond the least; what is learnt of one serves the next. Twelve shipped
# puzzles: 27.6 s of processor time, 41.5 s with 0, 32.5 s with 5; a 16x16 ricochet board of 12 slides: 37 s, 27 s, 46
# s.
PROGRAM_LEAD = 3

REACHED = "reachability of sets of values"


def _solve_programs(
    task: ProgramTask, record: Recorder, strategy: str, limit: int | None, seed: int | None, without: frozenset[str]
) -> Outcome:
    """Solve a task of programs by models of the horizons from the proven bound to a few more, until one has a plan.

    Raises `UsageError` if actions that cost nothing may follow each other without end, and `EncodingStopped`.
    """
    from ...analysis.linked_variables import linked_or_single
    from ...analysis.program_projections import no_projections

    budget = record.budget
    record.prepared(ensure_kernels(record.progress, budget))
    first = _first_component(task)
    found = no_projections()
    if "projections" not in without:
        found = linked_or_single(first, budget)
    record.stats.update(found.stats)
    bound = int(found.stats.get("root_bound", 0))
    if bound < 0:
        return record.unsolvable(f"{found.words}: no goal can be reached")
    if bound:
        record.raise_bound(bound, found.words)
    layers: Sequence[Sequence[frozenset[int]]] = ()
    if "value-sets" not in without:
        with record.encoding():
            reached = reached_values(task, budget.stopped)
        if reached.unsolvable:
            return record.unsolvable(f"{REACHED}: no goal can be reached")
        paid = reached.bound * min(action.cost[0] for action in task.actions)
        if paid:
            record.raise_bound(paid, f"{REACHED} rules out {task.counted(paid - 1)}")
        layers = reached.layers
    encoder = ProgramEncoder(task, found.tables, budget.stopped, layers)
    run = ProgramRun(record, encoder, limit=limit and limit // task.layer_cost, seed=seed, hard=True)
    if task.uniform:
        record.raise_bound(1, "the start is no goal")
        return run.outcome(linear(run, lead=0 if strategy == "linear" else PROGRAM_LEAD))
    if any(not action.cost[0] for action in task.actions) and not run.bounded_free():
        if stopped := budget.stopped():
            return record.stopped(stopped)
        raise UsageError("the engine `cp-sat` found no bound on the free actions in a row; use `astar`")
    return second_component(run, linear(run))


def _first_component(task: ProgramTask) -> ProgramTask:
    """The task in the first component of its metric."""
    if len(task.metric) == 1:
        return task
    actions = tuple(replace(action, cost=action.cost[:1]) for action in task.actions)
    return replace(task, actions=actions, metric=task.metric[:1], units=task.units[:1])


# Costs as the objective: models of more and more steps, until what costs least ends in a goal (`priced_model`).

# Steps by which a model grows at least where cost is the objective.
MORE_STEPS = 2

# The factor by which a model grows where cost is the objective, if that is more than `MORE_STEPS`.
MORE_STEPS_BY = 1.25


def solve_by_cost(
    task: OperatorTask, record: Recorder, limit: int | None, seed: int | None, without: frozenset[str] = frozenset()
) -> Outcome:
    """Find a cheapest plan; with `limit`, give up when more is proven to be paid in the first component.

    Raises `UsageError` for compound moves, whose operators are no steps, and `EncodingStopped` if the budget ends while
    a model is made.
    """
    task = with_explicit_walker(with_unit_cost(task) or task)
    if task.compound_moves:
        raise UsageError("the engine `cp-sat` cannot state moves along any path at these costs; use `astar`")
    run = PricedRun(task, record, seed, pruned="move-pruning" not in without)
    if not run.encoder.solvable:
        return record.unsolvable("reachability analysis (h²): the goal is out of reach")
    bound = run.encoder.lower_bound
    record.raise_bound(bound, f"reachability analysis (h²) rules out {task.counted(bound - 1)}")
    record.encoded()
    outcome = run.rising(None, limit)
    if outcome is None and record.parts > 1:
        run.first_by = record.bounds.lower_bound_by
        outcome = run.rising(run.least)
    return outcome or record.stopped(None)


class PricedRun:
    """The state of a run: the best plan and its cost, and what is proven, in `record`. `first_by`: what proved the
    first component of two.
    """

    def __init__(self, task: OperatorTask, record: Recorder, seed: int | None = None, *, pruned: bool = True) -> None:
        """Raises `EncodingStopped` if the budget ends on the way."""
        self.task, self.record, self.seed = task, record, seed
        self.best: tuple[Plan, Cost] | None = None
        self.first_by = ""
        self.encoder = PricedEncoder(self.task, self._tables, pruned=pruned)

    @property
    def least(self) -> int:
        """The proven bound on the first component."""
        known = self.record.bounds.lower_bound
        return known[0] if known else 0

    def rising(self, paid: int | None, limit: int | None = None) -> Outcome | None:
        """Minimise a component, the first (`paid` is None) or the second; None when its optimum is proven."""
        record, part = self.record, 0 if paid is None else 1
        dear = all(op.cost[0] for op in self.task.operators)
        steps, tested, closed = max(1, self.encoder.steps.lower_bound or 0), 0, ""
        while True:
            with record.encoding():
                model = self.encoder.encode(steps, paid, closed=bool(closed), stop=record.budget.stopped)
            answer = self._answer(model.formula, lambda bound: self._raise(part, bound))
            if answer.status == "infeasible":
                if self.best is None:
                    return record.unsolvable(closed or f"CP-SAT: no plan has, or begins with, {steps} steps")
                return None
            if answer.bound is not None:
                self._raise(part, answer.bound)
            if answer.values is not None and is_true(model.end, answer.values):
                self._found(model.plan(answer.values), self.encoder.cost(model, answer.values))
            if self._proven(part):
                return None
            if answer.status not in ("optimal", "infeasible"):
                return record.stopped(answer.stopped_by or "time limit", unpriced=self.best and self.best[0])
            if limit is not None and self.least > limit:
                return record.stopped("horizon limit")
            if steps >= 2 * tested or not dear:
                tested = steps
                closed = self._no_longer_plan(steps, part)
                if self._proven(part):
                    return None
                if closed:
                    continue
            steps = max(steps + MORE_STEPS, math.ceil(steps * MORE_STEPS_BY))

    def _raise(self, part: int, bound: float) -> None:
        """Raise the bound of a component to what CP-SAT has proven of the objective, which is twice the cost."""
        value = cp_sat.whole_bound(bound) // 2
        if part:
            by = f"{self.first_by}; CP-SAT: {self.task.metric[1]} minimised"
        else:
            by = f"CP-SAT proved that {self.task.not_enough(value - 1)}"
        self.record.raise_bound((self.least, value) if part else value, by)

    def _found(self, plan: Plan, cost: Cost) -> None:
        """Keep a plan if it is better than the one before."""
        if self.best is None or cost < self.best[1]:
            self.best = plan, cost
            self.record.found(plan, cost)

    def _proven(self, part: int) -> bool:
        """Whether the proven bound says that no plan is cheaper than the best one, up to a component."""
        low = self.record.bounds.lower_bound
        return self.best is not None and low is not None and low[: part + 1] >= self.best[1][: part + 1]

    def _no_longer_plan(self, steps: int, part: int) -> str:
        """What proves that no plan of more steps than a model's is better than the best one; "" if that is open."""
        less = None if self.best is None else self.best[1][: part + 1]
        answer = self._answer(self.encoder.loop_free(steps, less, self.record.budget.stopped))
        if answer.status != "infeasible":
            return ""
        return f"CP-SAT: no {steps} steps in a row meet different states" + (" at less cost" if less else "")

    def _answer(self, formula: Formula, on_bound: Callable[[float], None] | None = None) -> cp_sat.CpSatAnswer:
        doing = f"refuting {self.task.counted(self.least)}"
        return cp_sat.answered(formula, self.record, cp_sat.SearchSettings(long=True, seed=self.seed), on_bound, doing)

    def _tables(self, task: OperatorTask) -> HmTables:
        """The tables of h². Raises `EncodingStopped`."""
        budget = self.record.budget
        with BackgroundHm(task, 2, 0.0, budget.fits) as background:
            background.wait(2, math.inf, budget.stopped)
            tables = background.take()
        if tables is None:
            raise EncodingStopped
        return tables
