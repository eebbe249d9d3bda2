"""Depth-first search below a limit that rises by one: the first plan that is found is a shortest one (Korf 1985)."""

from __future__ import annotations

from itertools import count
from typing import Any

from budge.engines.common.state_space import state_space_of
from budge.models.errors import UsageError
from budge.models.task import Task
from budge.runtime.budget import Budget
from budge.runtime.events import Progress, silent
from budge.runtime.outcome import Outcome, Recorder


def solve(task: Task, budget: Budget, progress: Progress = silent, steps: str = "given") -> Outcome:
    """Solve a task: the initial state, the steps from a state and what is a goal are all that the engine asks of it."""
    record = Recorder(budget, progress, nodes=0)  # reports what is proven and found, and makes the outcome
    if done := record.trivial(task):  # the initial state is a goal, or there is no operator
        return done
    if not task.uniform:
        raise UsageError("this engine needs steps that all cost one")
    record.encoded()  # what comes now counts as solving
    space = state_space_of(task)

    def plan_within(limit: int, state: Any) -> list[Any] | None:
        """The steps of a plan of at most `limit` steps from a state; None if there is none."""
        record.count(nodes=1)
        if space.is_goal(state):
            return []
        # Ask often, but not at every state, whether to stop: for the time, the memory, or Ctrl-C.
        if record.stats["nodes"] % space.look_every == 0 and (reason := budget.stopped()):
            raise TimeoutError(reason)
        tried = list(space.steps(state)) if limit else []
        for step, _cost, after in tried if steps == "given" else reversed(tried):
            rest = plan_within(limit - 1, after)
            if rest is not None:
                return [step, *rest]
        return None

    for limit in count(1):
        by = f"iterative deepening: no plan of {limit - 1} {task.metric[0]}"
        record.raise_bound(limit, by)  # say only what is proven: no plan has fewer steps
        try:
            plan = plan_within(limit, space.start)
        except TimeoutError as reason:
            return record.stopped(str(reason))  # the bound stays
        if plan is not None:
            return record.optimal(space.plan(plan), (limit,), by)
    raise AssertionError("count() has no end")
