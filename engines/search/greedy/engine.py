"""Greedy search: a plan soon, and then a better one; no promise that it is shortest.

Weighted A* (Pohl, *Heuristic search viewed as path finding in a graph*, 1970) with an estimate that is far from being a
bound: h^add of the goal, and for movable objects that all have goals of their own (boxes, tiles) the steps that each
would have to go alone. States from which the estimate shows no way are cut off, so that a search without a goal to the
end proves that there is no plan.

The plan is then improved by plan neighbourhood graph search (Nakhost and Müller, *Action elimination and plan
neighborhood graph search*, 2010): all states near the plan are collected, and the shortest way through them is taken.
"""

from __future__ import annotations

import time
from collections import deque

import numpy as np

from ....analysis.bitset_task import BitsetTask, to_bitset_task
from ....analysis.structure import MovableObject, structure_of
from ....models.task import Task
from ....runtime.arrays import Ints, Words, to_csr
from ....runtime.budget import Budget
from ....runtime.by_address import laid_out
from ....runtime.events import Progress, silent
from ....runtime.outcome import Outcome, Recorder
from ...root_bound import RootBound
from ..states.pace import Pace
from ..states.plans import plan_over
from ..states.store import StateStore
from ..tunables import GREEDY
from .kernels import FAR, Estimator, Scratch, Search, best_first, shortest_within


def greedy(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Find a plan. Its cost is an upper bound; the lower bound is what every plan of a task has at least."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    record.raise_bound(min(op.cost for op in task.operators), "the initial state is no goal")
    root = RootBound(task, record)
    search = _Search(task, record, root)
    record.encoded()
    rows, reason = search.run(GREEDY.first_weight, None)
    if rows is None and reason is None:
        text = f"greedy search: none of the {record.stats['states']:,} states that are not cut off is a goal"
        return record.unsolvable(text)
    if rows is None:
        return record.stopped(reason)
    record.stats["first_plan_steps"] = len(rows) - 1
    record.found(*plan_over(task, rows))
    other, _ = search.run(GREEDY.second_weight, time.monotonic() + GREEDY.improve_seconds)
    rows = rows if other is None or len(other) >= len(rows) else other
    rows = _shortened(search.packed, rows, budget)
    record.found(*plan_over(task, rows))
    record.stats["steps"] = len(rows) - 1
    return record.stopped(None)


class _Search:
    """What runs with different weights share."""

    def __init__(self, task: Task, record: Recorder, root: RootBound) -> None:
        self.record, self.budget, self.root = record, record.budget, root
        self.packed, self.known, self.scratch = to_bitset_task(task), estimator(task), scratch_for(len(task.facts))
        self.tables, self.expanded = laid_out(self.packed), 0

    def run(self, weight: int, until: float | None) -> tuple[Words | None, str | None]:
        """The states of a plan and None; or None and why it was given up, None if there is no plan."""
        store = StateStore(self.packed, heap=True)
        waiting, pace, search = 0, Pace(), None
        while True:
            quota = pace.begin()
            if search is None:
                search = laid_out(Search(store.nodes, store.work, self.known, self.scratch, weight))
            store.count, waiting, done, goal = best_first(self.tables, search, store.count, waiting, quota)
            pace.end(done)
            self.expanded += done
            if until is None:
                self.record.stats["states"] = store.count
            self.record.stats["expanded"] = self.expanded
            if goal >= 0:
                return store.states[_way(store.parent, goal)], None
            full = store.full(self.packed)
            search = None if full else search  # it holds the arrays that are to grow
            if waiting == 0 and not full:
                return None, None
            self.record.working()
            self.root.look()
            reason = self.budget.stopped()
            if until is not None and time.monotonic() > until:
                reason = "time limit"
            if not reason and full and not store.grow(self.budget):
                reason = "memory limit"
            if reason:
                return None, reason


def _way(parent: Ints, goal: int) -> list[int]:
    """The states from the initial one, 0, to a goal."""
    way = [goal]
    while way[-1]:
        way.append(int(parent[way[-1]]))
    return way[::-1]


def _shortened(task: BitsetTask, rows: Words, budget: Budget) -> Words:
    """A way from the first row to a goal, at most as long, through states near the given way."""
    began, near, tables = time.monotonic(), GREEDY.near, laid_out(task)
    while time.monotonic() < began + GREEDY.improve_seconds and not budget.stopped():
        store = _neighbourhood(task, rows, near, budget)
        if store is None:
            break
        parent, queue = np.full(store.count, -1, np.int32), np.zeros(store.count, np.int32)
        nodes, work = laid_out(store.nodes._replace(parent=parent, heap=queue)), laid_out(store.work)
        head, tail, goal, pace = 0, 1, -1, Pace()
        while goal < 0:
            if budget.stopped():
                return rows
            before, quota = head, pace.begin()
            goal, head, tail = shortest_within(tables, nodes, work, head, tail, quota)
            pace.end(head - before)
        better = store.states[_way(parent, goal)]
        if len(better) >= len(rows):
            if store.count < near:  # there are no more states
                break
            near *= GREEDY.near_growth
        rows = better
    return rows


def _neighbourhood(task: BitsetTask, rows: Words, size: int, budget: Budget) -> StateStore | None:
    """The rows and the states nearest to them, about `size`; None if there is no time or memory."""
    without_goal = laid_out(task.without_goal())
    store = StateStore(task, roots=rows)
    cursor, pace = 0, Pace()
    while cursor < store.count < size:
        if budget.stopped() or (store.full(task) and not store.grow(budget)):
            return None
        cursor, _ = store.advance(without_goal, cursor, store.count, pace)
    return store


def estimator(task: Task) -> Estimator:
    """What the estimate needs to know of a task."""
    uses: list[list[int]] = [[] for _ in task.facts]
    for number, op in enumerate(task.operators):
        for fact in op.pre:
            uses[fact].append(number)
    aims = _objects_with_goals(task)
    inside = {fact for movable, _ in aims for fact in movable.facts}
    away = np.array([row for _, rows in aims for row in rows], np.int32).reshape(-1, len(task.facts))
    pre_first, pre = to_csr([op.pre for op in task.operators])
    add_first, add = to_csr([op.add for op in task.operators])
    use_first, use = to_csr(uses)
    goal_first, goal = to_csr(task.goal)
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
        object_first=object_first,
        object=object_,
        away_first=np.cumsum([0, *(len(rows) for _, rows in aims)]).astype(np.int32),
        away=away,
        all_objects=int(all(not inside.isdisjoint(op.delete) for op in task.operators)),
    )


def scratch_for(facts: int) -> Scratch:
    """Scratch arrays of the estimate of a task with so many facts."""
    return Scratch(
        cost=np.zeros(facts, np.int64),
        queue=np.zeros(facts, np.int32),
        queued=np.zeros(facts, np.uint8),
        taken=np.zeros(facts, np.uint8),
    )


def _objects_with_goals(task: Task) -> list[tuple[MovableObject, list[list[int]]]]:
    """Objects of which the goal names all positions, each with the steps to every one of them from each fact.

    Only objects as whose moves operators count: what moves along, as the blank does with a tile, costs nothing more.
    """
    structure = structure_of(task)
    named = {clause[0] for clause in task.goal if len(clause) == 1}
    init = set(task.init)
    moves = structure.transitions_by_object()
    found: list[tuple[int, MovableObject, list[list[int]]]] = []
    for number in structure.owners:
        movable = structure.objects[number]
        goals = named.intersection(movable.facts)
        if len(goals) == movable.count:
            rows = [_steps_to(len(task.facts), moves[number], goal) for goal in sorted(goals)]
            start = sum(min(row[fact] for fact in init.intersection(movable.facts)) for row in rows)
            found.append((-start, movable, rows))
    return [(movable, rows) for _, movable, rows in sorted(found, key=lambda entry: (entry[0], entry[1].group))]


def _steps_to(facts: int, moves: list[tuple[int, int, int]], goal: int) -> list[int]:
    """(facts): the moves that it takes to bring an object from each position to the goal, if nothing is in the way."""
    before: dict[int, set[int]] = {}
    for _, old, new in moves:
        before.setdefault(new, set()).add(old)
    steps = [FAR] * facts
    steps[goal] = 0
    queue = deque([goal])
    while queue:
        fact = queue.popleft()
        for other in before.get(fact, ()):
            if steps[other] == FAR:
                steps[other] = steps[fact] + 1
                queue.append(other)
    return steps
