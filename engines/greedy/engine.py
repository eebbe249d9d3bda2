"""Greedy search: a plan soon, and then better ones; no promise that one is shortest.

Weighted A* (Pohl, *Heuristic search viewed as path finding in a graph*, 1970). Of operators the estimate is far from
being a bound: the length of a relaxed plan, and for movable objects that all have goals of their own (boxes, tiles) the
steps that each would have to go alone. States from which it shows no way are cut off, so that a search without a goal
to the end proves that there is no plan. Where estimates are relaxed plans they are deferred, and what these plans
achieve is preferred (`common.relaxed_plans`). Of programs the estimate is the bound of projections.

Where the goal has several clauses, the search for the first plan reaches them one after the other: `GoalByGoal`. One
weight does not serve all, so after a moment two searches take turns; when one has its plan, the next takes its place.
Of programs, a large weight goes straight where bounds see the way: a cube is turned back in as many steps as its
pattern databases say. Where they do not (a robot stands beside its goal, and behind a wall), it tries all that can be
done there, and A*, with weight 1, comes round sooner.

The cheapest plan is then shortened by plan neighbourhood graph search (`common.neighbourhood`). In the portfolio,
searching and shortening go on in rounds, each twice as long as the one before.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from ...analysis.bitset_task import to_bitset_task
from ...analysis.structure import MovableObject, structure_of
from ...analysis.transition_graphs import steps_to
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Ints, Words, bit_rows, to_csr
from ...runtime.budget import MIB, Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common import root_bound
from ..common.best_first import BestFirst
from ..common.growing_bounds import GrowingBounds
from ..common.neighbourhood import shortened
from ..common.plans import plan_over, told_apart, without_loops
from ..common.relaxed_plans import DEAREST, FAR, EstimateScratch, Estimator, RelaxedTables, scratch_for
from ..common.successors import OperatorForm, operator_form
from ..common.work_quota import LOOK_EVERY, WorkQuota
from ..engine import switched_off
from . import (
    BY_BOUNDS,
    BY_ESTIMATES,
    FIRST_WEIGHT,
    GOAL_BY_GOAL,
    IMPROVE_SECONDS,
    LATER,
    MEAN_PRICE,
    SECOND_AFTER,
    UNTIL_BOUND,
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
            searches.running, searches.waiting = {}, waiting
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

# The clauses of the goal, reached one after the other.
#
# Each has a search of its own, from where the last one has ended, for a state in which the clauses so far hold
# together; in between, those that held may be broken (as in the goal agenda of Koehler and Hoffmann, *On reasonable and
# forced goal orderings*, JAIR 2000). That small searches are enough is the idea of serialized iterated width
# (Lipovetzky and Geffner, *Width and serialization of classical planning problems*, ECAI 2012). The estimate is that of
# these clauses; the others have to stay within reach.
#
# *Order.* What is reached last is what can be undone first. Backward from the goal, where all may be true that no
# clause excludes, each clause is undone after some layers of operators; those that take the most come first:
#
#     on a b, on b c     b can be lifted only when a is off it: on b c comes first
#     24-puzzle          the blank comes last to the farthest tiles: they come first, then those nearer to its own place
#
# A clause that every operator breaks (where the blank is) comes last of all.
#
# *Told apart.* States count as the same if they agree on the objects of the clauses so far and on what the operators
# require that move these: in a 24-puzzle the blank and three tiles, say, wherever the others are. If no goal is met so,
# what these facts depend on is told apart, too, and so on.

UNKNOWN = 1 << 30
"""Stands for the layers of a clause that is never undone, or that has several facts: such a clause comes first."""


class GoalByGoal:
    """A search, called as `BestFirst` is, that reaches one goal after the other. It may end without a plan though there
    is one.
    """

    def __init__(
        self, task: OperatorTask, record: Recorder, form: OperatorForm, guide: Estimator, scratch: EstimateScratch
    ) -> None:
        self.task, self.record, self.form, self.guide, self.scratch = task, record, form, guide, scratch
        self.order, self.structure = order_of_goals(task), structure_of(task)
        self.changed_by: list[list[int]] = [[] for _ in task.facts]
        for number, op in enumerate(task.operators):
            for fact in chain(op.add, op.delete):
                self.changed_by[fact].append(number)
        self.reached, self.rows, self.pace = 0, form.init.reshape(1, -1), WorkQuota()
        self.heads_for, self.alone = np.zeros(len(self.order), np.uint8), np.zeros_like(guide.alone)
        self.relevant: set[int] = set()
        self._head_for_next()

    def _head_for_next(self) -> None:
        """Begin to look for a state in which one clause more holds."""
        clause = self.order[self.reached]
        self.heads_for[clause] = 1
        facts = set(self.task.goal[clause])
        for number in {self.structure.object_of[fact] for fact in facts} - {-1}:
            places = list(self.structure.objects[number].facts)
            self.alone[places] = self.guide.alone[places]
            facts.update(places)
        self.relevant |= facts | self._required_by(facts)
        self._search(self.relevant)

    def _required_by(self, facts: set[int]) -> set[int]:
        """What operators require that change some of these facts."""
        operators = {number for fact in facts for number in self.changed_by[fact]}
        return {fact for number in operators for fact in self.task.operators[number].pre}

    def _search(self, told_apart: set[int]) -> None:
        packed, guide = self.form.task, self.guide
        self.told_apart = told_apart
        told_by = np.full(packed.row, ~np.uint64(0))
        told_by[: packed.words] = bit_rows([sorted(told_apart)], packed.words)[0]
        self.scratch.seen[:] = 0
        by_distances = guide.all_objects and len(guide.object_first) == 1
        estimator = guide._replace(
            heads_for=self.heads_for.copy(),
            alone=self.alone.copy() if by_distances else np.zeros_like(self.alone),
            all_objects=int(by_distances),
            object_first=np.zeros(1, np.int32),
            away_first=np.zeros(1, np.int32),
        )
        goal = packed.goal[self.order[: self.reached + 1]]
        tables = RelaxedTables(estimator, self.scratch, LATER, told_by)
        form = self.form._replace(task=packed._replace(goal=goal, cost=np.ones_like(packed.cost)), init=self.rows[-1])
        self.search = BestFirst(self.task, self.record, tables, weight=FIRST_WEIGHT, form=form, reopens=False)
        self.search.pace = self.pace

    @property
    def waiting(self) -> int:
        """How many states wait to be expanded: none when the search has ended without a plan."""
        return self.search.waiting

    @property
    def size(self) -> int:
        """The memory that it takes, in bytes."""
        return self.search.size

    def stopped(self, others: int = 0) -> str | None:
        """Why it cannot go on, as `BestFirst` says it."""
        return self.search.stopped(others)

    def advance(self) -> Words | None:
        """Expand states for a moment: the states on the way to a goal, if it has come there."""
        until = time.monotonic() + LOOK_EVERY
        while self.waiting and time.monotonic() < until:
            way = self.search.advance()
            if way is not None:
                self.rows = np.concatenate((self.rows, way[1:]))
                self.reached += 1
                if self.reached == len(self.order):
                    return without_loops(self.rows)
                self._head_for_next()
            elif not self.waiting:
                more = self.told_apart | self._required_by(self.told_apart)
                if more != self.told_apart:
                    self._search(more)
            elif self.stopped():
                break
        return None


def order_of_goals(task: OperatorTask) -> list[int]:
    """The clauses of the goal in the order in which they are to be reached."""
    known = {clause[0]: number for number, clause in enumerate(task.goal) if len(clause) == 1}
    structure, operators = structure_of(task), task.operators
    excluded = {fact: structure.excluded_by(fact) for fact in known}
    true = set(range(len(task.facts))) - set().union(*excluded.values())
    # Backward: an operator requires what is true behind it, and makes true what it deletes.
    waits = [op.after - true for op in operators]
    requiring: list[list[int]] = [[] for _ in task.facts]
    for number, facts in enumerate(waits):
        for fact in facts:
            requiring[fact].append(number)
    undone, depth = [UNKNOWN] * len(task.goal), 0
    layer = [number for number, facts in enumerate(waits) if not facts]
    while layer:
        depth += 1
        for fact in known.keys() & set(chain.from_iterable(operators[number].add for number in layer)):
            undone[known[fact]] = min(undone[known[fact]], depth)
        new = set(chain.from_iterable(operators[number].delete for number in layer)) - true
        true |= new
        layer = []
        for fact in new:
            for number in requiring[fact]:
                waits[number].discard(fact)
                if not waits[number]:
                    layer.append(number)
    last = {
        known[fact]
        for fact in known
        if all(fact in op.delete or not excluded[fact].isdisjoint(op.pre) for op in operators)
    }
    return sorted(range(len(task.goal)), key=lambda clause: (clause in last, -undone[clause]))


Waiting = tuple[int, ...]
"""The weights of searches that have not begun; `GOAL_BY_GOAL` stands for another search."""

Begin = Callable[[int], BestFirst | GoalByGoal]
"""A search from the initial state on, with a weight."""

Look = Callable[[bool], bool]
"""Prove a lower bound, if it is time, or make better estimates: then searches begin anew. Told whether there is a plan.
"""


@dataclass(slots=True)
class _Searches:
    """Searches with several weights, of which some take turns; `running`: the seconds of processor time that each of
    these has had, as the one with the fewest is next; `rows`: the states of the best plan so far, as they are stored.
    """

    task: Task
    record: Recorder
    wanted: Callable[[int | None], bool]
    left_out: frozenset[str]
    begin: Begin
    waiting: Waiting
    running: dict[BestFirst | GoalByGoal, float] = field(default_factory=dict)
    rows: Words | None = None
    began: float = field(default_factory=time.thread_time)

    def go_on(self) -> str | None:
        """Let the next search expand some states; why it ended, None if it has not."""
        if not self.of_interest:
            return self.record.budget.stopped() or "a bound was proven meanwhile"
        turns = 1 if self.rows is None and time.thread_time() - self.began < SECOND_AFTER else 2
        while self.waiting and len(self.running) < turns:
            self.running[self.begin(self.waiting[0])] = 0.0
            self.waiting = self.waiting[1:]
        if not self.running:
            return ALL_ENDED
        search, began = min(self.running, key=self.running.__getitem__), time.thread_time()
        spent, way = self.running.pop(search), search.advance()
        self.record.working()
        if way is not None:
            self.found(way)
            return A_PLAN
        if search.waiting == 0:
            return NO_PLAN if isinstance(search, BestFirst) else None
        held = sum(other.size for other in self.running)
        if self.rows is not None:  # the other half is for the states near the plan
            held += (self.record.budget.memory_mib or 0) * MIB // 2
        if reason := search.stopped(held):
            return reason
        self.running[search] = spent + time.thread_time() - began
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
    weights = BY_ESTIMATES if len(task.goal) == 1 or "goal-by-goal" in left_out else (GOAL_BY_GOAL, *BY_ESTIMATES)
    told = not bounds

    def begin(weight: int) -> BestFirst | GoalByGoal:
        if weight == GOAL_BY_GOAL:
            return GoalByGoal(task, record, whole, guide, scratch)
        tables = RelaxedTables(guide._replace(price=prices), scratch, LATER, np.zeros(0, np.uint64))
        form = whole._replace(task=packed._replace(cost=prices.astype(np.int64)))
        return BestFirst(task, record, tables, weight=weight, form=form, reopens=bool(prices.max() > 1))

    def look(has_plan: bool) -> bool:
        nonlocal told
        after = root_bound.BOUND_AFTER if len(task.operators) <= root_bound.LARGE_TASK else 0.0
        if not told and record.elapsed > (after if has_plan else UNTIL_BOUND):
            told = True
            root_bound.tell_root_bounds(task, record, left_out)
        return False

    return begin, weights, look


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

    def begin(weight: int) -> BestFirst:
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
        heads_for=np.ones(len(task.goal), np.uint8),
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
