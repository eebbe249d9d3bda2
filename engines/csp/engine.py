"""A bounded-horizon planning model for python-constraint, and the loop that raises its horizon.

For a horizon H there are finite-domain variables for the state in each layer 0..H (where each thing is, or what
is on each cell; see `tables`) and one variable for the action of each step (van Beek and Chen, *CPlan: a
constraint programming approach to planning*, AAAI 1999). What h^m excludes is left out of the
domains. One constraint a step links two layers by the action between them.

python-constraint's backtracking solver checks a constraint when a variable of it is assigned, and takes the variable
of most constraints first. So the actions are made to be in more constraints the earlier they come, and the solver
goes forward in time. When an action has been chosen, its step's constraint hides all values of the next layer but
those to which it leads, and of the next action all that cannot be taken there, or lead to a state from which the
goal is too far (by h^m, and by what one more step shows). It hides, too, what leads to a state that was met
before in an earlier layer, at this horizon or a refuted one; and a state that the search has come back from is not
tried again.

The horizon rises from the bound of h^m; each refuted one raises the bound. If a refuted horizon was large
enough to meet every state that can be reached, there is no plan at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...analysis.hm.tables import hm_tables, quick_order
from ...analysis.transformed_tasks import CostLayers, with_cost_layers
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root_bounds
from .model import CspModel
from .tables import BudgetUsedUp, StateTables

WHO = "python-constraint"


@dataclass(slots=True)
class CspRun:
    """The state of a run of the loop; `record` holds its bound, its counts and its time."""

    layers: CostLayers
    record: Recorder
    limit: int | None

    @property
    def bound(self) -> int:
        """The proven lower bound: no plan has fewer layers of cost."""
        known = self.record.bounds.lower_bound
        return -(-known[0] // self.layers.unit) if known else 0

    def why_stop(self, horizon: int) -> str | None:
        if self.limit is not None and horizon * self.layers.unit > self.limit:
            return "horizon limit"
        return self.record.budget.stopped()


def solve_by_csp(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    horizon_limit: int | None = None,
) -> Outcome:
    """Find a plan and prove it shortest by python-constraint.

    With `horizon_limit`, give up when it is proven that no plan has at most that many steps. Raises `UsageError` for
    operators of different costs.
    """
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    layers = with_cost_layers(task)
    if layers is None or layers.free:
        raise UsageError("the engine `csp` needs operators that all cost something; use `cp-sat` or `bfs`")
    record.stats.update(models=0, nodes=0, states=0)
    run = CspRun(layers, record, horizon_limit)
    task, unit = layers.task, layers.unit
    record.raise_bound(unit, "the initial state is not a goal")
    tell_root_bounds(layers.source, record)
    hm = hm_tables(task, quick_order(task))
    if hm.lower_bound is None:
        return record.unsolvable(f"reachability analysis ({hm.name}): the goal is out of reach")
    excluded = task.counted(hm.lower_bound * unit - 1)
    record.raise_bound(hm.lower_bound * unit, f"reachability analysis ({hm.name}) rules out {excluded}")
    tables = StateTables(task, hm, budget)
    record.encoded()
    return _rising(run, tables)


def _rising(run: CspRun, tables: StateTables) -> Outcome:
    """A model for each horizon, from the lower bound upward, until one has a solution."""
    record = run.record
    while True:
        horizon = run.bound
        why = run.why_stop(horizon)
        if why:
            return record.stopped(why)
        model = CspModel(tables, horizon)
        try:
            actions = next(_solutions(run, model), None)
            exhausted = actions is None and tables.closed()
        except BudgetUsedUp as stop:
            return record.stopped(str(stop))
        if actions is not None:
            plan = _plan(tables, actions)
            if record.parts > 1:
                return _second_component(run, tables, plan)
            return record.optimal(plan, (horizon * run.layers.unit,), record.bounds.lower_bound_by)
        if exhausted:
            met = f"every state that can be reached was met at horizon {horizon}, and none is a goal"
            return record.unsolvable(f"{WHO}: {met}")
        paid = (horizon + 1) * run.layers.unit
        record.raise_bound(paid, f"{WHO} proved that {run.layers.task.not_enough(paid - 1)}", horizon=horizon)


def _second_component(run: CspRun, tables: StateTables, plan: Plan) -> Outcome:
    """Find the plan best in the second component among those that are best in the first.

    Branch and bound: each plan that is found lowers the ceiling for the rest of the same search.
    """
    record, horizon, unit = run.record, run.bound, run.layers.unit
    exact = StateTables(tables.task, tables.hm, tables.budget, exact_walker=True)
    model = CspModel(exact, horizon)
    best: int | None = None
    try:
        for actions in _solutions(run, model):
            plan, best = _plan(exact, actions), model.memory.spent[horizon]
            record.found(plan, (horizon * unit, best))
            model.memory.ceiling = best - 1
    except BudgetUsedUp as stop:
        return record.stopped(str(stop), unpriced=plan)
    assert best is not None
    by = f"{record.bounds.lower_bound_by}; {WHO}: at horizon {horizon}, {run.layers.task.metric[1]} minimised"
    return record.optimal(plan, (horizon * unit, best), by)


def _solutions(run: CspRun, model: CspModel) -> Iterator[list[int]]:
    """The actions of each solution. Raises `BudgetUsedUp` when the budget is used up."""
    stats = run.record.stats
    with run.record.encoding():
        problem = model.problem()
    try:
        for solution in problem.getSolutionIter() if problem else ():
            yield model.actions(solution)
    finally:
        run.record.count(models=1, nodes=model.memory.nodes)
        stats["states"] = max(int(stats["states"]), len(model.tables))


def _plan(tables: StateTables, actions: list[int]) -> Plan:
    steps = tables.steps(actions)
    return Plan.of_compound_moves(steps) if tables.task.compound_moves else Plan.of(op for step in steps for op in step)
