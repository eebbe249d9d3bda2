"""Breadth-first search: the states in layers of equal cost; uniform-cost search where costs differ.

Breadth-first search proves by exhaustion: when layer d has been expanded and no goal met, no plan of d + 1 or
fewer operators exists; when no new state is left, no plan exists at all. Where operators cost differently
(walking is paid for, or a metric has two components), states are expanded in the order of their cost
(Dijkstra, *A note on two problems in connexion with graphs*, 1959).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...analysis.transformed_tasks import with_explicit_walker
from ...models.plan import Plan
from ...models.program import by_form
from ...models.task import OperatorTask, Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import RootBound

if TYPE_CHECKING:
    from ..common.store import StateStore
    from .fdr_store import FdrStore


def solve(task: Task, budget: Budget, progress: Progress = silent, *, without: str | None = None) -> Outcome:  # noqa: ARG001 (what it names is done to the task before)
    """Solve a task. The outcome's bounds are proven by exhausting layers, or by expanding the cheapest states first
    where steps differ in cost; memory is within the budget.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    return record.trivial(task) or by_form(
        task,
        lambda operators: search(operators, record, RootBound(operators, record).look),
        lambda programs: _in_order_of_cost(programs, record),
    )


def compile_kernels(task: OperatorTask, budget: Budget) -> None:
    """Call all kernels on a small task, also those for states of any length."""
    record = Recorder(budget, parts=len(task.metric), states=1)
    if record.trivial(task):
        return
    search(task, record, lambda: None)
    task = task if task.uniform else with_explicit_walker(task)
    if task.uniform:
        _long_layers(task, Recorder(budget))


def search(task: OperatorTask, record: Recorder, look: Callable[[], None]) -> Outcome:
    """Solve a task that is not trivial."""
    from .fdr_key import to_fdr_task
    from .fdr_store import FdrStore

    if not task.uniform:
        task = with_explicit_walker(task)
    short = to_fdr_task(task) if task.uniform else None
    if short is None:
        return _in_order_of_cost(task, record, look)
    store = FdrStore(task, short)
    return _layers(task, record, look, store, lambda goal: Plan.of(store.plan_to(goal)))


def _layers(
    task: Task,
    record: Recorder,
    look: Callable[[], None],
    store: FdrStore | StateStore,
    plan_to: Callable[[int], Plan],
) -> Outcome:
    """Breadth-first search where every step costs one; `look` is called between two portions of work.

    When layer d is expanded and no goal met, no plan has d + 1 steps or fewer.
    """
    record.encoded()
    depth = 0
    while True:
        goal = store.search()
        for layer in range(depth + 1, len(store.layers)):
            record.layer(layer, store.layers[layer], layer + 1, task.no_goal_within(layer))
        depth = len(store.layers) - 1
        record.stats.update(states=store.count, expanded=store.expanded, layers=depth)
        if goal >= 0:
            return record.optimal(plan_to(goal), (depth + 1,), task.no_goal_within(depth))
        if store.expanded == store.count:
            reachable = f"none of the {store.count:,} reachable states{task.up_to}"
            return record.unsolvable(f"breadth-first search: {reachable} is a goal")
        record.working()
        look()
        if reason := store.why_stop(record.budget):
            record.raise_bound(depth + 1, task.no_goal_within(depth))  # news only if no layer is done
            return record.stopped(reason)


def _long_layers(task: Task, record: Recorder, look: Callable[[], None] = lambda: None) -> Outcome:
    """`_layers` over states of any length, of programs, and for tasks with compound moves."""
    from ..common.plans import plan_to
    from ..common.store import StateStore

    store = StateStore(task)
    return _layers(task, record, look, store, lambda goal: plan_to(task, store, goal))


def _in_order_of_cost(task: Task, record: Recorder, look: Callable[[], None] = lambda: None) -> Outcome:
    if task.uniform:
        return _long_layers(task, record, look)
    from ..common.best_first import uniform_cost

    return uniform_cost(task, record, look)
