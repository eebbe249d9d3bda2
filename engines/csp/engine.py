"""A bounded-horizon planning model for python-constraint, and the loop that raises its horizon.

For a horizon H there are finite-domain variables for the state in each layer 0..H (where each thing is, or what
is on each cell; see `csp_tables`) and one variable for the action of each step (van Beek and Chen, *CPlan: a
constraint programming approach to planning*, AAAI 1999). What h^m excludes is left out of the
domains. One constraint a step links two layers by the action between them.

python-constraint's backtracking solvers check a constraint when a variable of it is assigned, and take the variable
of most constraints first. So the actions are made to be in more constraints the earlier they come, and the solvers
go forward in time. When an action has been chosen, its step's constraint hides all values of the next layer but
those to which it leads, and of the next action all that cannot be taken there, or lead to a state from which the
goal is too far (by h^m, and by what one more step shows). It hides, too, what leads to a state that was met
before in an earlier layer, at this horizon or a refuted one; and a state that the search has come back from is not
tried again. Such nogoods hold only for solvers that go forward in time; the others (`parallel`, `min-conflicts`)
check the same constraints on what is assigned.

The horizon rises from the bound of h^m; each refuted one raises the bound. If a refuted horizon was large
enough to meet every state that can be reached, there is no plan at all.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import constraint

from ...analysis.hm.tables import hm_tables, quick_order
from ...analysis.transforms.unit_cost import with_unit_cost
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.task import Task
from ...models.text import suggest
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bound
from .model import Model, Name
from .tables import Stop, Tables

SOLVERS: dict[str, Callable[[random.Random], constraint.Solver]] = {
    "backtracking": lambda chance: constraint.BacktrackingSolver(),
    "optimized": lambda chance: constraint.OptimizedBacktrackingSolver(),
    "recursive": lambda chance: constraint.RecursiveBacktrackingSolver(),
    "parallel": lambda chance: constraint.ParallelSolver(),
    "min-conflicts": lambda chance: constraint.MinConflictsSolver(MIN_CONFLICTS_STEPS, chance),
}
"""`parallel` looks for all plans of a horizon, without forward checking: for tiny puzzles only. `min-conflicts` repairs
a random assignment: it can find a plan and refute nothing."""

MIN_CONFLICTS_STEPS = 100
"""How often `min-conflicts` goes through all variables before the next horizon has its turn."""


@dataclass(slots=True)
class Run:
    """What a run of the loop knows so far; `record` holds its bound, its counts and its time."""

    task: Task
    record: Recorder
    solver: str
    limit: int | None
    seed: int

    @property
    def bound(self) -> int:
        """No plan has fewer steps."""
        known = self.record.bounds.lower_bound
        return known[0] if known else 0

    @property
    def who(self) -> str:
        return f"python-constraint ({self.solver})"

    def why_stop(self, horizon: int) -> str | None:
        if self.limit is not None and horizon > self.limit:
            return "horizon limit"
        return self.record.budget.stopped()


def solve_by_csp(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    solver: str = "backtracking",
    horizon_limit: int | None = None,
    seed: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by python-constraint.

    `solver`: one of `SOLVERS`; `seed`: of `min-conflicts`, whose choices are random. With `horizon_limit`, give up when
    it is proven that no plan has so few steps. Raises `UsageError` for an unknown solver or operators of different
    costs.
    """
    if solver not in SOLVERS:
        raise UsageError(f"no solver `{solver}`; " + suggest(solver, SOLVERS))
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    stepwise = with_unit_cost(task)
    if stepwise is None:
        raise UsageError("the engine `csp` needs operators that all cost the same; use `bfs`")
    task = stepwise
    record.stats.update(models=0, nodes=0, states=0)
    run = Run(task, record, solver, horizon_limit, seed or 0)
    record.raise_bound(1, "the initial state is not a goal")
    tell_root_bound(task, record)
    hm = hm_tables(task, quick_order(task))
    if hm.lower_bound is None:
        return record.unsolvable(f"reachability analysis ({hm.name}): the goal is out of reach")
    excluded = task.counted(hm.lower_bound - 1)
    record.raise_bound(hm.lower_bound, f"reachability analysis ({hm.name}) rules out {excluded}")
    tables = Tables(task, hm, budget)
    record.encoded()
    loop = _min_conflicts if solver == "min-conflicts" else _rising
    return loop(run, tables)


def _rising(run: Run, tables: Tables) -> Outcome:
    """A model for each horizon, from the lower bound upward, until one has a solution."""
    record = run.record
    while True:
        horizon = run.bound
        why = run.why_stop(horizon)
        if why:
            return record.stopped(why)
        model = Model(tables, horizon)
        try:
            actions = next(_solutions(run, model), None)
            exhausted = actions is None and tables.closed()
        except Stop as stop:
            return record.stopped(str(stop))
        if actions is not None:
            plan = _plan(tables, actions)
            if record.parts > 1:
                return _second_component(run, tables, plan)
            return record.optimal(plan, (horizon,), record.bounds.lower_bound_by)
        if exhausted:
            met = f"every state that can be reached was met at horizon {horizon}, and none is a goal"
            return record.unsolvable(f"{run.who}: {met}")
        by = f"{run.who} proved that {run.task.not_enough(horizon)}"
        record.raise_bound(horizon + 1, by, horizon=horizon)


def _min_conflicts(run: Run, tables: Tables) -> Outcome:
    """Each horizon from the lower bound upward again and again: a solver that finds but refutes nothing."""
    record = run.record
    for last in count(run.bound):
        for horizon in range(run.bound, last + 1):
            why = run.why_stop(horizon)
            if why == "horizon limit":
                break
            if why:
                return record.stopped(why)
            try:
                actions = next(_solutions(run, Model(tables, horizon)), None)
            except Stop as stop:
                return record.stopped(str(stop))
            if actions is None:
                continue
            plan = _plan(tables, actions)
            if record.parts == 1:
                record.found(plan, (horizon,))
            return record.stopped(None, unpriced=plan)
    raise AssertionError("count() has no end")


def _second_component(run: Run, tables: Tables, plan: Plan) -> Outcome:
    """Among the plans that are best in the first component, the best in the second.

    Branch and bound: each plan that is found lowers the ceiling for the rest of the same search.
    """
    record, horizon = run.record, run.bound
    exact = Tables(tables.task, tables.hm, tables.budget, exact_walker=True)
    model = Model(exact, horizon)
    best: int | None = None
    try:
        for actions in _solutions(run, model):
            weight = exact.weight_of(actions)
            if weight is not None and (best is None or weight < best):
                plan, best = _plan(exact, actions), weight
                record.found(plan, (horizon, weight))
                model.search.ceiling = weight - 1
    except Stop as stop:
        return record.stopped(str(stop), unpriced=plan)
    assert best is not None
    by = f"{record.bounds.lower_bound_by}; {run.who}: at horizon {horizon}, {run.task.metric[1]} minimised"
    return record.optimal(plan, (horizon, best), by)


def _solutions(run: Run, model: Model) -> Iterator[list[int]]:
    """The actions of each solution. Raises `Stop` when the budget is used up."""
    stats = run.record.stats
    with run.record.encoding(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the parallel solver says that it is slow
        problem = model.problem(SOLVERS[run.solver](random.Random(run.seed)))
    try:
        if problem is None:
            return
        for solution in _found(run.solver, problem):
            yield model.actions(solution)
    except RecursionError:
        raise Stop("recursion limit") from None
    finally:
        run.record.count(models=1, nodes=model.search.nodes)
        stats["states"] = max(int(stats["states"]), len(model.tables))


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
