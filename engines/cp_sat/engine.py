"""The engine `cp-sat`: bounded-horizon models, from a proven lower bound upward, until a plan is found.

A model of horizon H is satisfiable if and only if there is a plan of H steps (of at most H, if idle steps are allowed
at its end). If none of the models up to H - 1 is, and that of H is, its plan is a shortest one (Kautz and Selman,
*Planning as satisfiability*, 1992).

The first horizon is the bound of relaxed reachability: h³ where that is quick, else h². Deeper h^m, up to h⁵ where that
is affordable, is computed on a second core; when it is ready and raises the bound, the model is built anew with it. How
the horizon rises is a strategy: see `strategies`. Where steps differ in cost, a horizon counts layers of cost
(`analysis.transformed_tasks`), or the cost is the objective (`priced`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import fmean

from ...analysis.hm.tables import BackgroundHm, HmTables
from ...analysis.once import Once, once
from ...analysis.plan_invariants import find_invariants
from ...analysis.transformed_tasks import CostLayers, with_cost_layers, with_explicit_walker, with_unit_cost
from ...encoders.formula import EncodingStopped, Formula, is_true
from ...encoders.once_model import once_model
from ...encoders.priced_model import PricedEncoder
from ...encoders.step import chain
from ...models.errors import UsageError
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.task import Task
from ...models.text import suggest
from ...runtime.budget import Budget
from ...runtime.environment import cores
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from ..engine import switched_off
from . import WITHOUT
from . import solver as cp_sat
from .run import HorizonRun
from .solver import longest_chain, whole_bound
from .strategies import STRATEGIES, linear, moves_in_parallel

# One model of whole plans, where no operator can be applied twice (`analysis.once`): no horizon has to rise.

PROOF = "CP-SAT on one model of all plans, as no action can be repeated"


def solve_whole(task: Task, known: Once, record: Recorder, seed: int | None) -> Outcome:
    """Find a cheapest plan of a task whose metric has one component, and prove that it is."""
    model = once_model(task, known)

    def on_bound(bound: float) -> None:
        record.raise_bound(cp_sat.whole_bound(bound), PROOF)

    search = cp_sat.SearchSettings(long=True, seed=seed, presolve=True)
    answer = cp_sat.answered(model.formula, record, search, on_bound, "looking for all of the plan at once")
    if answer.status == "infeasible":
        return record.unsolvable(PROOF)
    if answer.values is None:
        return record.stopped(answer.stopped_by or "time limit")
    operators = model.operators(task, known, answer.values, answer.numbers)
    cost = sum(op.cost[0] for op in operators)
    if answer.status == "optimal":
        return record.optimal(Plan.of(operators), (cost,), PROOF)
    record.found(Plan.of(operators), (cost,))
    return record.stopped(answer.stopped_by)


# Costs as the objective: models of more and more steps, until what costs least ends in a goal (`priced_model`).

# Steps by which a model grows at least where cost is the objective.
MORE_STEPS = 2

# The factor by which a model grows where cost is the objective, if that is more than `MORE_STEPS`.
MORE_STEPS_BY = 1.25

PRICED = "priced"
"""The name of the strategy."""


def solve_by_cost(
    task: Task, record: Recorder, limit: int | None, seed: int | None, without: frozenset[str] = frozenset()
) -> Outcome:
    """Find a cheapest plan; with `limit`, give up when more is proven to be paid in the first component.

    Raises `UsageError` for compound moves, whose operators are no steps.
    """
    task = with_explicit_walker(with_unit_cost(task) or task)
    if task.compound_moves:
        raise UsageError(f"the strategy `{PRICED}` knows no moves along any path; choose another")
    try:
        return PricedRun(task, record, seed, pruned="move-pruning" not in without).solve(limit)
    except EncodingStopped:
        return record.stopped(record.budget.stopped() or "time limit")


class PricedRun:
    """The state of a run: the best plan and its cost, and what is proven, in `record`. `first_by`: what proved the
    first component of two.
    """

    def __init__(self, task: Task, record: Recorder, seed: int | None = None, *, pruned: bool = True) -> None:
        """Raises `EncodingStopped` if the budget ends on the way."""
        self.task, self.record, self.seed = task, record, seed
        self.best: tuple[Plan, Cost] | None = None
        self.first_by = ""
        self.encoder = PricedEncoder(self.task, self._tables, pruned=pruned)

    def solve(self, limit: int | None = None) -> Outcome:
        """Solve the task; `limit` as for `solve_by_cost`. Raises `EncodingStopped`."""
        record = self.record
        if not self.encoder.solvable:
            return record.unsolvable("reachability analysis (h²): the goal is out of reach")
        bound = self.encoder.lower_bound
        record.raise_bound(bound, f"reachability analysis (h²) rules out {self.task.counted(bound - 1)}")
        record.encoded()
        outcome = self._rising(None, limit)
        if outcome is None and record.parts > 1:
            self.first_by = record.bounds.lower_bound_by
            outcome = self._rising(self._least)
        return outcome or record.stopped(None)

    @property
    def _least(self) -> int:
        """The proven bound on the first component."""
        known = self.record.bounds.lower_bound
        return known[0] if known else 0

    def _rising(self, paid: int | None, limit: int | None = None) -> Outcome | None:
        """Minimise a component, the first (`paid` is None) or the second; None when its optimum is proven."""
        record, part = self.record, 0 if paid is None else 1
        steps, tested, closed = max(1, self.encoder.steps.lower_bound or 0), 0, ""
        while True:
            with record.encoding():
                model = self.encoder.encode(steps, paid, closed=bool(closed), stop=self._stop)
            answer = self._answer(model.formula, lambda bound: self._raise(part, bound))
            if answer.status == "infeasible":
                if self.best is None:
                    return record.unsolvable(closed or f"CP-SAT: no plan has, or begins with, {steps} steps")
                return None
            if answer.bound is not None:
                self._raise(part, answer.bound)
            if answer.values is not None and is_true(model.end, answer.values):
                self._found(model.plan(self.task, answer.values), self.encoder.cost(model, answer.values))
            if self._proven(part):
                return None
            if answer.status not in ("optimal", "infeasible"):
                return record.stopped(answer.stopped_by or "time limit", unpriced=self.best and self.best[0])
            if limit is not None and self._least > limit:
                return record.stopped("horizon limit")
            if steps >= 2 * tested or not self._dear:
                tested = steps
                closed = self._no_longer_plan(steps, part)
                if self._proven(part):
                    return None
                if closed:
                    continue
            steps = max(steps + MORE_STEPS, math.ceil(steps * MORE_STEPS_BY))

    @property
    def _dear(self) -> bool:
        """Whether every operator costs something."""
        return all(op.cost[0] for op in self.task.operators)

    def _raise(self, part: int, bound: float) -> None:
        """Raise the bound of a component to what CP-SAT has proven of the objective, which is twice the cost."""
        value = whole_bound(bound) // 2
        if part:
            by = f"{self.first_by}; CP-SAT: {self.task.metric[1]} minimised"
        else:
            by = f"CP-SAT proved that {self.task.not_enough(value - 1)}"
        self.record.raise_bound((self._least, value) if part else value, by)

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
        answer = self._answer(self.encoder.loop_free(steps, less, self._stop))
        if answer.status != "infeasible":
            return ""
        return f"CP-SAT: no {steps} steps in a row meet different states" + (" at less cost" if less else "")

    def _answer(self, formula: Formula, on_bound: Callable[[float], None] | None = None) -> cp_sat.CpSatAnswer:
        doing = f"refuting {self.task.counted(self._least)}"
        return cp_sat.answered(formula, self.record, cp_sat.SearchSettings(long=True, seed=self.seed), on_bound, doing)

    def _tables(self, task: Task) -> HmTables:
        """The tables of h². Raises `EncodingStopped`."""
        budget = self.record.budget
        with BackgroundHm(task, 2, 0.0, budget.fits) as background:
            background.wait(2, math.inf, budget.stopped)
            tables = background.take()
        if tables is None:
            raise EncodingStopped
        return tables

    def _stop(self) -> bool:
        return bool(self.record.budget.stopped())


# Metrics of two components (pushes, then moves): the first made least, and then the second at that horizon.
#
# A model counts steps, the first component. When the least horizon H is proven, one more model of exactly H steps
# minimises the second component: by definition of the lexicographic order, its optimum is the optimum.


def second_component(run: HorizonRun, why: str) -> Outcome:
    """Find the plan best in the second component among those best in the first. `why`: the reason that ended
    the run.
    """
    task, record = run.task, run.record
    if run.refuted_by or not run.solved or run.known is None:
        return run.outcome(why)
    horizon = run.known
    try:
        model = run.encode(horizon, idle=False, walks=True)
    except EncodingStopped:
        return run.outcome(record.budget.stopped() or "time limit")
    formula = model.formula
    for row in model.chosen:
        formula.minimise.extend((x, op.cost[1]) for op, x in zip(task.operators, row, strict=True) if op.cost[1])
    if task.walker and task.walker.cost[1]:
        formula.minimise.extend((arc, task.walker.cost[1]) for arc in model.arcs)
    answer = run.solve(model, whole=True)
    plan = run.best if answer.values is None else model.plan(task, answer.values)
    cost = (horizon * run.layers.unit, whole_bound(answer.bound or 0))
    by = f"{run.bound_by}; CP-SAT: at horizon {horizon}, {task.metric[1]} minimised"
    nothing_to_pay = answer.status == "solution" and not formula.minimise
    if answer.status == "optimal" or nothing_to_pay:
        return record.optimal(plan, cost, by)
    record.raise_bound(cost, by)
    return record.stopped(answer.stopped_by, unpriced=plan)


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
