"""A bounded-horizon planning model for python-constraint, and the loop that raises its horizon.

For a horizon H there are finite-domain variables for the state in each layer 0..H (where each thing is, or what
is on each cell; see `csp_tables`) and one variable for the action of each step (van Beek and Chen, *CPlan: a
constraint programming approach to planning*, AAAI 1999). What the reachability layers exclude is left out of the
domains. One constraint a step links two layers by the action between them.

python-constraint's backtracking solvers check a constraint when a variable of it is assigned, and take the variable
of most constraints first. So the actions are made to be in more constraints the earlier they come, and the solvers
go forward in time. When an action has been chosen, its step's constraint hides all values of the next layer but
those to which it leads, and of the next action all that cannot be taken there, or lead to a state from which the
goal is too far (by the layers, and by what one more step shows). It hides, too, what leads to a state that was met
before in an earlier layer, at this horizon or a refuted one; and a state that the search has come back from is not
tried again. Such nogoods hold only for solvers that go forward in time; the others (`parallel`, `min-conflicts`)
check the same constraints on what is assigned.

The horizon rises from the bound of the layers; each refuted one raises the bound. If a refuted horizon was large
enough to meet every state that can be reached, there is no plan at all.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count

import constraint

from ...analysis.hm.layers import quick_order, reachability_layers
from ...analysis.transforms.unit_cost import with_unit_cost
from ...models.cost import Cost
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.outcome import Budget, Outcome, Progress, Status, silent, trivial_outcome
from .model import Model, Name
from .tables import Stop, Tables

SOLVERS: dict[str, Callable[[], constraint.Solver]] = {
    "backtracking": constraint.BacktrackingSolver,
    "optimized": constraint.OptimizedBacktrackingSolver,
    "recursive": constraint.RecursiveBacktrackingSolver,
    "parallel": constraint.ParallelSolver,
    "min-conflicts": lambda: constraint.MinConflictsSolver(MIN_CONFLICTS_STEPS, random.Random(0)),
}
"""`parallel` looks for all plans of a horizon, without forward checking: for tiny puzzles only. `min-conflicts` repairs
a random assignment: it can find a plan and refute nothing."""

MIN_CONFLICTS_STEPS = 100
"""How often `min-conflicts` goes through all variables before the next horizon has its turn."""


@dataclass(slots=True)
class Run:
    """What a run of the loop knows so far."""

    task: Task
    budget: Budget
    progress: Progress
    solver: str
    limit: int | None
    bound: int = 0
    bound_by: str = ""
    encode_seconds: float = 0.0
    solve_seconds: float = 0.0
    stats: dict[str, int | float | str] = field(default_factory=lambda: {"models": 0, "nodes": 0, "states": 0})

    def raise_bound(self, bound: int, by: str, **more: object) -> None:
        if bound > self.bound:
            self.bound, self.bound_by = bound, by
            self.progress({"type": "bound", "lower_bound": bound, "by": by, "seconds": self.budget.elapsed, **more})

    def outcome(self, status: Status, plan: Plan | None, bound: Cost, cost: Cost | None, why: str | None) -> Outcome:
        return Outcome(
            status, plan, bound, self.bound_by, cost, why, self.encode_seconds, self.solve_seconds, self.stats
        )

    def gave_up(self, why: str, plan: Plan | None = None) -> Outcome:
        """The outcome without a plan, or with one that may not be the best in the second component."""
        found = Status.UNKNOWN if plan is None else Status.FEASIBLE
        status = Status.INTERRUPTED if why == "interrupted" else found
        rest = (0,) * (len(self.task.metric) - 1)
        return self.outcome(status, plan, (self.bound, *rest), None, why)

    def why_stop(self, horizon: int) -> str | None:
        if self.limit is not None and horizon > self.limit:
            return "horizon limit"
        return self.budget.stopped()


def solve_by_csp(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    solver: str = "backtracking",
    horizon_limit: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by python-constraint.

    `solver`: one of `SOLVERS`. With `horizon_limit`, give up when it is proven that no plan has so few steps. Raises
    `UsageError` for an unknown solver or operators of different costs.
    """
    if solver not in SOLVERS:
        raise UsageError(f"no solver `{solver}`; known are {', '.join(SOLVERS)}")
    if done := trivial_outcome(task):
        return done
    stepwise = with_unit_cost(task)
    if stepwise is None:
        raise UsageError("the engine `csp` needs operators that all cost the same; use `bfs`")
    task = stepwise
    began = time.monotonic()
    run = Run(task, budget, progress, solver, horizon_limit)
    layers = reachability_layers(task, quick_order(task))
    if layers.lower_bound is None:
        by = f"relaxed reachability ({layers.name}): the goal is out of reach"
        return Outcome(Status.UNSOLVABLE, lower_bound_by=by, encode_seconds=time.monotonic() - began, stats=run.stats)
    run.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
    run.raise_bound(1, "the initial state is not a goal")
    tables = Tables(task, layers, budget)
    run.encode_seconds = time.monotonic() - began
    loop = _min_conflicts if solver == "min-conflicts" else _rising
    return loop(run, tables)


def _rising(run: Run, tables: Tables) -> Outcome:
    """A model for each horizon, from the lower bound upward, until one has a solution."""
    unit = run.task.metric[0]
    while True:
        horizon = run.bound
        why = run.why_stop(horizon)
        if why:
            return run.gave_up(why)
        model = Model(tables, horizon)
        try:
            actions = next(_solutions(run, model), None)
            exhausted = actions is None and tables.closed()
        except Stop as stop:
            return run.gave_up(str(stop))
        if actions is not None:
            plan = _plan(tables, actions)
            if len(run.task.metric) > 1:
                return _second_component(run, tables, plan)
            return run.outcome(Status.OPTIMAL, plan, (horizon,), (horizon,), None)
        who = f"python-constraint ({run.solver})"
        if exhausted:
            by = f"{who}: every state that can be reached was met at horizon {horizon}, and none is a goal"
            outcome = run.outcome(Status.UNSOLVABLE, None, (0,), None, None)
            return replace(outcome, lower_bound=None, lower_bound_by=by)
        run.raise_bound(horizon + 1, f"{who}: horizon {horizon} refuted (no plan of {horizon} {unit})", horizon=horizon)


def _min_conflicts(run: Run, tables: Tables) -> Outcome:
    """Each horizon from the lower bound upward again and again: a solver that finds but refutes nothing."""
    for last in count(run.bound):
        for horizon in range(run.bound, last + 1):
            why = run.why_stop(horizon)
            if why == "horizon limit":
                break
            if why:
                return run.gave_up(why)
            try:
                actions = next(_solutions(run, Model(tables, horizon)), None)
            except Stop as stop:
                return run.gave_up(str(stop))
            if actions is None:
                continue
            plan = _plan(tables, actions)
            proven = horizon == run.bound and len(run.task.metric) == 1
            rest = (0,) * (len(run.task.metric) - 1)
            status = Status.OPTIMAL if proven else Status.FEASIBLE
            return run.outcome(status, plan, (run.bound, *rest), None, None)
    raise AssertionError("count() has no end")


def _second_component(run: Run, tables: Tables, plan: Plan) -> Outcome:
    """Among the plans that are best in the first component, the best in the second.

    Branch and bound: each plan that is found lowers the ceiling for the rest of the same search.
    """
    horizon = run.bound
    exact = Tables(tables.task, tables.layers, tables.budget, exact_walker=True)
    model = Model(exact, horizon)
    best: int | None = None
    try:
        for actions in _solutions(run, model):
            weight = exact.weight_of(actions)
            if weight is not None and (best is None or weight < best):
                plan, best = _plan(exact, actions), weight
                model.search.ceiling = weight - 1
    except Stop as stop:
        return run.gave_up(str(stop), plan)
    assert best is not None
    run.bound_by += f"; python-constraint ({run.solver}): at horizon {horizon}, {run.task.metric[1]} minimised"
    return run.outcome(Status.OPTIMAL, plan, (horizon, best), (horizon, best), None)


def _solutions(run: Run, model: Model) -> Iterator[list[int]]:
    """The actions of each solution. Raises `Stop` when the budget is used up."""
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the parallel solver says that it is slow
        problem = model.problem(SOLVERS[run.solver]())
    run.encode_seconds += time.monotonic() - began
    began = time.monotonic()
    try:
        if problem is None:
            return
        for solution in _found(run.solver, problem):
            yield model.actions(solution)
    except RecursionError:
        raise Stop("recursion limit") from None
    finally:
        run.solve_seconds += time.monotonic() - began
        run.stats["models"] = int(run.stats["models"]) + 1
        run.stats["nodes"] = int(run.stats["nodes"]) + model.search.nodes
        run.stats["states"] = max(int(run.stats["states"]), len(model.tables))


def _found(solver: str, problem: constraint.Problem) -> Iterable[dict[Name, int]]:
    if solver == "parallel":
        solutions: list[dict[Name, int]] = problem.getSolutions()
        return solutions
    if solver == "min-conflicts":
        solution = problem.getSolution()
        return [] if solution is None else [solution]
    one_by_one: Iterator[dict[Name, int]] = problem.getSolutionIter()
    return one_by_one


def _plan(tables: Tables, actions: list[int]) -> Plan:
    steps = tables.steps(actions)
    return Plan.of_compound_moves(steps) if tables.task.compound_moves else Plan.of(op for step in steps for op in step)
