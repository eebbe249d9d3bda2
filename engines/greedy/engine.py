"""Greedy search: a plan soon, and then a better one; no promise that it is shortest.

Weighted A* (Pohl, *Heuristic search viewed as path finding in a graph*, 1970) with an estimate that is far from being a
bound: the length of a relaxed plan, and for movable objects that all have goals of their own (boxes, tiles) the steps
that each would have to go alone. States from which the estimate shows no way are cut off, so that a search without a
goal to the end proves that there is no plan. Where estimates are relaxed plans they are deferred, and what these plans
achieve is preferred (`common.relaxed_plans`).

The plan is then improved by plan neighbourhood graph search (`states.neighbourhood`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from ...analysis.bitset_task import to_bitset_task
from ...analysis.structure import MovableObject, structure_of
from ...analysis.transition_graphs import steps_to
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Words, to_csr
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.best_first import BestFirst
from ..common.growing_bounds import GrowingBounds
from ..common.neighbourhood import shortened
from ..common.plans import plan_over, rows_to
from ..common.relaxed_plans import FAR, Estimator, RelaxedTables, scratch_for
from ..common.root_bound import RootBound
from ..common.successors import operator_form
from ..engine import switched_off
from . import FIRST_WEIGHT, IMPROVE_SECONDS, LATER, SECOND_WEIGHT, WITHOUT


def solve(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    wanted: Callable[[int | None], bool] = lambda _steps: True,
    *,
    without: str | None = None,
) -> Outcome:
    """Find a plan. Its cost is an upper bound; the lower bound is the trivial one that every task has.

    `wanted(steps)` is called again and again, of operators: whether a plan is still of interest, or one shorter than
    `steps` if a plan is known. `without`: names of heuristics and rules that are not used, with commas between them.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    record.raise_bound(min(step.cost for step in task.choices), "the initial state is no goal")
    left_out = switched_off(WITHOUT, without)
    return by_form(
        task,
        lambda operators: _solve_operators(operators, record, wanted, left_out),
        lambda programs: _solve_programs(programs, record, left_out),
    )


compile_kernels = solve  # on any task, it calls all kernels that it has


def _solve_operators(
    task: OperatorTask, record: Recorder, wanted: Callable[[int | None], bool], left_out: frozenset[str]
) -> Outcome:
    root = RootBound(task, record, without=left_out)
    packed, guide, stats = to_bitset_task(task), estimator(task, left_out), record.stats
    # Estimates count steps, so all steps cost one.
    form = operator_form(packed._replace(cost=np.ones_like(packed.cost)))
    tables = RelaxedTables(guide, scratch_for(guide, packed.words), LATER)

    def search(weight: int, until: float) -> tuple[Words | None, str | None]:
        """(states of a plan, None), or (None, the reason to give up), or (None, None) if there is no plan."""
        states = BestFirst(task, record, tables, weight=weight, form=form, reopens=False)
        before = int(stats.get("expanded", 0))
        while True:
            goal, _ = states.expand()
            stats["expanded"] = before + states.expanded
            if not before:
                stats["states"] = states.store.count
            if goal >= 0:
                return rows_to(task, states.store, goal), None
            if states.waiting == 0:
                return None, None
            record.working()
            root.look()
            reason = states.stopped() or (None if wanted(None) else "a bound was proven meanwhile")
            if reason := "time limit" if time.monotonic() > until else reason:
                return None, reason

    record.encoded()
    rows, reason = search(FIRST_WEIGHT, math.inf)
    if rows is None and reason is None:
        text = f"greedy search: none of the {stats['states']:,} states that are not cut off is a goal"
        return record.unsolvable(text)
    if rows is None:
        return record.stopped(reason)
    stats["first_plan_steps"] = len(rows) - 1
    record.found(*plan_over(task, rows))
    if "second-search" not in left_out and wanted(len(rows) - 1):
        other, _ = search(SECOND_WEIGHT, time.monotonic() + IMPROVE_SECONDS)
        rows = rows if other is None or len(other) >= len(rows) else other
    if "shortening" not in left_out:
        rows = shortened(task, rows, record.budget, wanted)
    record.found(*plan_over(task, rows))
    stats["steps"] = len(rows) - 1
    return record.stopped(None)


def estimator(task: OperatorTask, without: frozenset[str] = frozenset()) -> Estimator:
    """The tables of a task from which the way to the goal is estimated; `without`: names of `rules.RULES`."""
    uses: list[list[int]] = [[] for _ in task.facts]
    for number, op in enumerate(task.operators):
        for fact in op.pre:
            uses[fact].append(number)
    aims = [] if "distances" in without else _objects_with_goals(task)
    inside = {fact for movable, _ in aims for fact in movable.facts}
    away = np.array([row for _, rows in aims for row in rows], np.int32).reshape(-1, len(task.facts))
    pre_first, pre = to_csr([op.pre for op in task.operators])
    add_first, add = to_csr([op.add for op in task.operators])
    use_first, use = to_csr(uses)
    goal_first, goal = to_csr(task.goal)
    in_goal = np.zeros(len(task.facts), np.uint8)
    in_goal[goal] = 1
    object_first, object_ = to_csr([movable.facts for movable, _ in aims])
    return Estimator(
        pre_first=pre_first,
        pre=pre,
        add_first=add_first,
        add=add,
        use_first=use_first,
        use=use,
        goal_first=goal_first,
        goal=goal,
        in_goal=in_goal,
        object_first=object_first,
        object=object_,
        away_first=np.cumsum([0, *(len(rows) for _, rows in aims)]).astype(np.int32),
        away=away,
        all_objects=int("relaxed-plans" in without or all(not inside.isdisjoint(op.delete) for op in task.operators)),
        prefers=int("preferred" not in without),
    )


def _objects_with_goals(task: OperatorTask) -> list[tuple[MovableObject, list[list[int]]]]:
    """Objects of which the goal names all positions, each with the steps to every one of them from each fact.

    Only objects as whose moves operators count: what moves along, as the blank does with a tile, costs nothing more.
    """
    structure = structure_of(task)
    named = {clause[0] for clause in task.goal if len(clause) == 1}
    init = set(task.init)
    moves = structure.transitions_by_object()
    with_goals: list[tuple[int, MovableObject, list[list[int]]]] = []
    for number in structure.owners:
        movable = structure.objects[number]
        goals = named.intersection(movable.facts)
        if len(goals) == movable.count:
            arcs = [(before, after) for _, before, after in moves[number]]
            steps = [steps_to([goal], arcs) for goal in sorted(goals)]
            rows = [[away.get(fact, FAR) for fact in range(len(task.facts))] for away in steps]
            start = sum(min(row[fact] for fact in init.intersection(movable.facts)) for row in rows)
            with_goals.append((-start, movable, rows))
    return [(movable, rows) for _, movable, rows in sorted(with_goals, key=lambda entry: (entry[0], entry[1].group))]


# Greedy search over actions as programs: weighted A* with the bounds of projections, with several weights in turn.
#
# One weight does not serve all. Where the bounds see the way, a large one goes straight there: a cube is turned back
# in as many steps as its pattern databases say. Where they do not (a robot stands beside its goal, and behind a
# wall), it tries all that can be done there, and A*, with weight 1, comes round sooner.

A_PLAN, NO_PLAN = "a plan was found", "there is no plan"
"""What a round of searches may end with, beside a limit."""


def _solve_programs(task: ProgramTask, record: Recorder, left_out: frozenset[str]) -> Outcome:
    bounds = GrowingBounds(task, record, left_out)
    record.encoded()
    searches, ended = list[BestFirst](), None
    while ended is None:
        if not searches or bounds.grow():
            weights = FIRST_WEIGHT, SECOND_WEIGHT, 1
            found = bounds.found
            searches = [BestFirst(task, record, found.tables, words=found.words, weight=weight) for weight in weights]
            if done := searches[0].at_once():
                return done
        ended = _round(record, searches)
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


def _round(record: Recorder, searches: list[BestFirst]) -> str | None:
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
            plan = search.plan_to(goal)
            if record.found(plan, cost_of_key(int(search.store.cost[goal]), search.parts)):
                record.stats["steps"] = len(plan.moves)
            searches.remove(search)
            return A_PLAN
        if search.waiting == 0:
            return NO_PLAN
        if reason := search.stopped(sum(other.store.size for other in searches if other is not search)):
            return reason
    return None
