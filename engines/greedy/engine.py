"""Greedy search: a plan soon, and then better ones; no promise that one is shortest.

Weighted A* (Pohl, *Heuristic search viewed as path finding in a graph*, 1970). Of operators the estimate is far from
being a bound: the length of a relaxed plan, and for movable objects that all have goals of their own (boxes, tiles) the
steps that each would have to go alone. States from which it shows no way are cut off, so that a search without a goal
to the end proves that there is no plan. Where estimates are relaxed plans they are deferred, and what these plans
achieve is preferred (`common.relaxed_plans`). Of programs the estimate is the bound of projections.

One weight does not serve all, so two searches take turns; when one has its plan, the next weight takes its place. Of
operators, the first weight is so large that steps made do not count, and new states come first. Of programs, a large
weight goes straight where bounds see the way: a cube is turned back in as many steps as its pattern databases say.
Where they do not (a robot stands beside its goal, and behind a wall), it tries all that can be done there, and A*, with
weight 1, comes round sooner.

The cheapest plan is then shortened by plan neighbourhood graph search (`common.neighbourhood`). In the portfolio,
searching and shortening go on in rounds, each twice as long as the one before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...analysis.bitset_task import to_bitset_task
from ...analysis.structure import MovableObject, structure_of
from ...analysis.transition_graphs import steps_to
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Ints, Words, to_csr
from ...runtime.budget import MIB, Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common import root_bound
from ..common.best_first import BestFirst
from ..common.growing_bounds import GrowingBounds
from ..common.neighbourhood import shortened
from ..common.plans import plan_over, told_apart
from ..common.relaxed_plans import DEAREST, FAR, Estimator, RelaxedTables, scratch_for
from ..common.store import way_to
from ..common.successors import operator_form
from ..engine import switched_off
from . import (
    BY_BOUNDS,
    BY_DISTANCES,
    BY_RELAXED_PLANS,
    IMPROVE_SECONDS,
    LATER,
    MEAN_PRICE,
    MOST_FOR_PAIRS,
    THIRD_AFTER,
    UNTIL_BOUND,
    WITH_PRICES,
    WITHOUT,
)

A_PLAN, NO_PLAN, ALL_ENDED = "a plan was found", "there is no plan", "all searches have ended"
"""What a portion of work may end with, beside a limit."""


def solve(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    wanted: Callable[[int | None], bool] = lambda _steps: True,
    *,
    without: str | None = None,
    to_the_limit: bool = False,
) -> Outcome:
    """Find a plan. Its cost is an upper bound; the lower bound is that of the heuristics for the initial state.

    `wanted(steps)` is called again and again: whether a plan is still of interest, or one shorter than `steps` if a
    plan is known. `without`: names of heuristics and rules that are not used, with commas between them.
    `to_the_limit`: the plan is improved until the budget ends, and lower bounds are left to others.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1, expanded=0)
    if done := record.trivial(task):
        return done
    record.raise_bound(min(step.cost for step in task.choices), "the initial state is no goal")
    left_out = switched_off(WITHOUT, without)
    begin, waiting, look = by_form(
        task,
        lambda operators: _of_operators(operators, record, left_out, bounds=not to_the_limit),
        lambda programs: _of_programs(programs, record, left_out),
    )
    searches = _Searches(task, record, wanted, left_out, begin, waiting)
    record.encoded()
    while (reason := searches.go_on()) is None:
        if look(False):
            searches.running, searches.waiting = [], waiting
    if reason == NO_PLAN:
        states = record.stats["states"]
        return record.unsolvable(f"greedy search: none of the {states:,} states that are not cut off is a goal")
    if searches.rows is None:
        return record.stopped(reason)
    record.stats["first_plan_steps"] = len(searches.rows) - 1
    seconds = IMPROVE_SECONDS
    while searches.improve(seconds, to_the_limit) and to_the_limit:
        seconds *= 2
    look(True)
    record.stats["steps"] = len(searches.rows) - 1
    return record.stopped(None)


compile_kernels = solve  # on any task, it calls all kernels that it has

Waiting = tuple[tuple[int, bool], ...]
"""The weights of searches that have not begun, and whether new states come first."""

Begin = Callable[[int, bool], BestFirst]
"""A search from the initial state on, with a weight."""

Look = Callable[[bool], bool]
"""Prove a lower bound, if it is time, or make better estimates: then searches begin anew. Told whether there is a plan.
"""


@dataclass(slots=True)
class _Searches:
    """Searches with several weights, of which some take turns, the next one first in `running`; `rows`: the states of
    the best plan so far, as they are stored.
    """

    task: Task
    record: Recorder
    wanted: Callable[[int | None], bool]
    left_out: frozenset[str]
    begin: Begin
    waiting: Waiting
    running: list[BestFirst] = field(default_factory=list)
    rows: Words | None = None

    def go_on(self) -> str | None:
        """Let the next search expand some states; why it ended, None if it has not."""
        turns = 2 if self.rows is not None or self.record.elapsed < THIRD_AFTER else 3
        while self.waiting and len(self.running) < turns:
            self.running.append(self.begin(*self.waiting[0]))
            self.waiting = self.waiting[1:]
        if not self.running:
            return ALL_ENDED
        search = self.running.pop(0)
        states, expanded = search.store.count, search.expanded
        goal, _ = search.expand()
        self.record.count(states=search.store.count - states, expanded=search.expanded - expanded)
        self.record.working()
        if goal >= 0:
            self.found(search.store.states[way_to(search.store.parent, goal)])
            return A_PLAN
        if search.waiting == 0:
            return NO_PLAN
        held = sum(other.store.size for other in self.running)
        if self.rows is not None:  # the other half is for the states near the plan
            held += (self.record.budget.memory_mib or 0) * MIB // 2
        if reason := search.stopped(held):
            return reason
        if not self.of_interest:
            return self.record.budget.stopped() or "a bound was proven meanwhile"
        self.running.append(search)
        return None

    @property
    def of_interest(self) -> bool:
        """Whether anyone wants a plan, or a better one."""
        if self.record.bounds.closed or self.record.budget.stopped():
            return False
        return self.wanted(None if self.rows is None else len(self.rows) - 1)

    def found(self, rows: Words) -> None:
        """Note a plan, if it is cheaper than the best."""
        if self.record.found(*plan_over(self.task, told_apart(self.task, rows))):
            self.rows = rows

    def improve(self, seconds: float, shorten_as_long: bool) -> bool:
        """Let the other searches find plans for some seconds, and shorten the best one; whether that may go on."""
        before, until = self.rows, time.monotonic() + seconds
        more = "second-search" not in self.left_out
        while more and self.of_interest and time.monotonic() < until:
            more = self.go_on() in (None, A_PLAN)
        if "shortening" not in self.left_out and self.of_interest and self.rows is not None:
            limit = seconds if shorten_as_long else None
            self.found(shortened(self.task, self.rows, self.record.budget, self.wanted, limit))
        return self.of_interest and not (self.rows is before and time.monotonic() < until)


def _of_operators(
    task: OperatorTask, record: Recorder, left_out: frozenset[str], bounds: bool
) -> tuple[Begin, Waiting, Look]:
    """Searches that count steps for the first plan, whatever these cost, and prices for others. `bounds`: whether to
    prove any; they take seconds on a large board, so a plan comes first, if one comes soon.
    """
    packed, guide, prices = to_bitset_task(task), estimator(task, left_out), _prices(task)
    whole, scratch = operator_form(packed), scratch_for(guide, packed.words)
    novelty = 0 if "novelty" in left_out else 1 if len(task.init) > MOST_FOR_PAIRS else 2
    told = not bounds

    def begin(weight: int, newest_first: bool) -> BestFirst:
        price = prices if weight <= WITH_PRICES else np.ones_like(prices)
        tables = RelaxedTables(guide._replace(price=price), scratch, LATER, novelty if newest_first else 0)
        form = whole._replace(task=packed._replace(cost=price.astype(np.int64)))
        return BestFirst(task, record, tables, weight=weight, form=form, reopens=bool(price.max() > 1))

    def look(has_plan: bool) -> bool:
        nonlocal told
        after = root_bound.BOUND_AFTER if len(task.operators) <= root_bound.LARGE_TASK else 0.0
        if not told and record.elapsed > (after if has_plan else UNTIL_BOUND):
            told = True
            root_bound.tell_root_bounds(task, record, left_out)
        return False

    return begin, BY_DISTANCES if guide.all_objects else BY_RELAXED_PLANS, look


def _prices(task: OperatorTask) -> Ints:
    """What operators count: 1 where all cost the same, else their costs, so scaled that the mean is `MEAN_PRICE`."""
    costs = np.array([op.cost[0] for op in task.operators], np.float64)
    if costs.min() == costs.max():
        return np.ones(len(costs), np.int32)
    prices: Ints = np.clip(np.rint(costs * MEAN_PRICE / costs.mean()), 1, DEAREST).astype(np.int32)
    return prices


def _of_programs(task: ProgramTask, record: Recorder, left_out: frozenset[str]) -> tuple[Begin, Waiting, Look]:
    """Searches by the bounds of projections, which begin anew when there are better ones."""
    bounds = GrowingBounds(task, record, left_out)

    def begin(weight: int, _newest_first: bool) -> BestFirst:
        known = bounds.found
        search = BestFirst(task, record, known.tables, words=known.words, weight=weight)
        search.at_once()
        return search

    return begin, BY_BOUNDS, lambda has_plan: not has_plan and bounds.grow()


def estimator(task: OperatorTask, without: frozenset[str] = frozenset()) -> Estimator:
    """The tables of a task from which the way to the goal is estimated; `without`: names of `rules.RULES`."""
    uses: list[list[int]] = [[] for _ in task.facts]
    for number, op in enumerate(task.operators):
        for fact in op.pre:
            uses[fact].append(number)
    with_goals = [] if "distances" in without else _objects_with_goals(task)
    inside = {fact for movable, _ in with_goals for fact in movable.facts}
    alone = np.zeros(len(task.facts), np.int32)
    for movable, rows in with_goals:
        if len(rows) == 1:
            alone[list(movable.facts)] = [rows[0][fact] for fact in movable.facts]
    aims = [(movable, rows) for movable, rows in with_goals if len(rows) > 1]
    away = np.array([row for _, rows in aims for row in rows], np.int32).reshape(-1, len(task.facts))
    pre_first, pre = to_csr([op.pre for op in task.operators])
    add_first, add = to_csr([op.add for op in task.operators])
    use_first, use = to_csr(uses)
    goal_first, goal = to_csr(task.goal)
    in_goal = np.zeros(len(task.facts), np.uint8)
    in_goal[goal] = 1
    object_first, object_ = to_csr([movable.facts for movable, _ in aims])
    return Estimator(
        price=np.ones(len(task.operators), np.int32),
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
        alone=alone,
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
