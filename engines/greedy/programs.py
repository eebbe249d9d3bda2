"""Greedy search over actions as programs: weighted A* with the bounds of projections, with several weights in turn.

One weight does not serve all. Where the bounds see the way, a large one goes straight there: a cube is turned back in
as many steps as its pattern databases say. Where they do not (a robot stands beside its goal, and behind a wall), it
tries all that can be done there, and A*, with weight 1, comes round sooner.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.programs.best_first import ProgramSearch
from ..common.switches import switched_off
from .rules import WITHOUT

if TYPE_CHECKING:
    from ..common.programs.bounds import GrowingBounds
from .rules import FIRST_WEIGHT, IMPROVE_SECONDS, SECOND_WEIGHT

A_PLAN, NO_PLAN = "a plan was found", "there is no plan"
"""What a round of searches may end with, beside a limit."""


def greedy(task: ProgramTask, budget: Budget, progress: Progress = silent, *, without: str | None = None) -> Outcome:
    """Find a plan of a task whose actions are programs. Options as of `engine.greedy`."""
    from ..common.programs.bounds import GrowingBounds

    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    record.raise_bound(min(action.cost for action in task.actions), "the initial state is no goal")
    left_out = switched_off(WITHOUT, without)
    bounds = GrowingBounds(task, record, left_out)
    searches = _begun(task, record, bounds)
    record.encoded()
    if done := searches[0].at_once():
        return done
    while (ended := _round(record, searches)) is None:
        if bounds.grow():
            searches = _begun(task, record, bounds)
            if done := searches[0].at_once():
                return done
    if ended == NO_PLAN:
        return record.unsolvable(f"greedy search: none of the {record.stats['states']:,} states met is a goal")
    if ended != A_PLAN:
        return record.stopped(ended)
    record.stats["first_plan_steps"] = record.stats["steps"]
    until = time.monotonic() + IMPROVE_SECONDS
    while "second-search" not in left_out and searches and time.monotonic() < until:
        if _round(record, searches) not in (None, A_PLAN):
            break
    return record.stopped(None)


def _begun(task: ProgramTask, record: Recorder, bounds: GrowingBounds) -> list[ProgramSearch]:
    weights = FIRST_WEIGHT, SECOND_WEIGHT, 1
    return [ProgramSearch(task, record, bounds.found, weight) for weight in weights]


def _round(record: Recorder, searches: list[ProgramSearch]) -> str | None:
    """Let one search after the other expand some states, until one ends, and why it did; None if none has ended. One
    that has found a plan is taken out of the list.
    """
    from ...analysis.bitset_task import cost_of_key

    for search in searches:
        goal, _ = search.expand()
        record.stats.update(
            states=sum(other.store.count for other in searches), expanded=sum(other.expanded for other in searches)
        )
        record.working()
        if goal >= 0:
            plan = search.store.plan_to(goal)
            if record.found(plan, cost_of_key(int(search.store.cost[goal]), search.parts)):
                record.stats["steps"] = len(plan.moves)
            searches.remove(search)
            return A_PLAN
        if search.waiting == 0:
            return NO_PLAN
        if reason := search.stopped(sum(other.store.size for other in searches if other is not search)):
            return reason
    return None
