"""Depth-first search below a limit that rises by one: the first plan that is found is a shortest one (Korf 1985)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ...models.errors import UsageError
from ...models.plan import Plan, apply
from ...models.task import Operator, Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder

# States between two looks at the budget: 100 take 1 ms.
LOOK_EVERY = 100


def solve(task: Task, budget: Budget, progress: Progress = silent, operators: str = "given") -> Outcome:
    """Solve a task: its facts, its operators, an initial state and a goal are all that the engine knows of a puzzle."""
    record = Recorder(budget, progress, nodes=0)  # reports what is proven and found, and makes the outcome
    if done := record.trivial(task):  # the initial state is a goal, or there is no operator
        return done
    if not task.uniform or task.compound_moves or task.walker:
        raise UsageError("this engine needs operators that all cost one, and neither a walker nor compound moves")
    record.encoded()  # what comes now counts as solving
    tried = task.operators if operators == "given" else task.operators[::-1]
    for limit in count(1):
        by = f"iterative deepening: no plan of {limit - 1} {task.metric[0]}"
        record.raise_bound(limit, by)  # say only what is proven: no plan has fewer steps
        try:
            steps = _plan_within(frozenset(task.init), limit, task, tried, record)
        except TimeoutError as reason:
            return record.stopped(str(reason))  # the bound stays
        if steps is not None:
            return record.optimal(Plan.of(steps), (limit,), by)
    raise AssertionError("count() has no end")


def _plan_within(
    state: frozenset[int], limit: int, task: Task, operators: Sequence[Operator], record: Recorder
) -> list[Operator] | None:
    """A plan of at most `limit` steps from a state; None if there is none. Raises `TimeoutError` beyond the budget."""
    record.count(nodes=1)
    if task.holds(state):
        return []
    # Ask often, but not at every state, whether to stop: for the time, the memory, or Ctrl-C.
    if record.stats["nodes"] % LOOK_EVERY == 0 and (reason := record.budget.stopped()):
        raise TimeoutError(reason)
    for op in operators:
        if limit and state.issuperset(op.pre):
            rest = _plan_within(apply(state, op), limit - 1, task, operators, record)
            if rest is not None:
                return [op, *rest]
    return None
