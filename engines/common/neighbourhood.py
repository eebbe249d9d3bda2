"""Plan neighbourhood graph search: a plan made shorter through the states near it.

All states near the plan are collected, breadth-first from all of its states at once, and the shortest way through them
is taken (Nakhost and Müller, *Action elimination and plan neighborhood graph search*, ICAPS 2010). If that is no
shorter, more states are collected. By definition the way found is a shortest path to a goal in the graph that the
collected states span; `tests/engines/test_greedy.py` has plans of puzzles of which all states are near.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ...analysis.bitset_kernels import find
from ...analysis.bitset_task import to_bitset_task
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Words
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from .plans import plan_over, rows_along
from .store import Nodes, StateStore, way_to
from .successors import Form, is_goal, successors
from .work_quota import WorkQuota

# States near the plan that are collected to make it shorter.
NEAR = 20_000

# This many times the states are collected next, if these made the plan no shorter.
GROWTH = 4

# Seconds after which no new round of improvement begins.
SECONDS = 0.5

# The same for each step of the plan, if that is less: a plan of four steps is soon proven.
STEP_SECONDS = 0.03


def shortened(
    task: Task,
    rows: Words,
    budget: Budget,
    wanted: Callable[[int], bool] = lambda _steps: True,
    seconds: float | None = None,
) -> Words:
    """A way from the first row to a goal, at most as long, through states near the given way; rows as in a store.
    `wanted`: whether a way shorter than this many steps is still of interest. No round begins after `seconds`, by
    default `SECONDS` and `STEP_SECONDS`.
    """

    def over() -> bool:
        return bool(budget.stopped()) or not wanted(len(rows) - 1)

    near = NEAR
    if seconds is None:
        seconds = min(SECONDS, STEP_SECONDS * (len(rows) - 1))
    until = time.monotonic() + seconds
    while time.monotonic() < until and not over():
        store = _neighbourhood(task, rows, near, budget, over)
        if store is None:
            break
        parent, queue = np.full(store.count, -1, np.int32), np.zeros(store.count, np.int32)
        nodes = laid_out(store.nodes._replace(parent=parent, heap=queue))
        head, tail, goal, pace = 0, 1, -1, WorkQuota()
        while goal < 0:
            if over():
                return rows
            before, quota = head, pace.begin()
            goal, head, tail = shortest_within(store.form, nodes, head, tail, quota)
            pace.end(head - before)
        better = store.states[way_to(parent, goal)]
        if len(better) >= len(rows):
            if store.count < near:  # there are no more states
                break
            near *= GROWTH
        rows = better
    return rows


def shortened_plan(
    task: OperatorTask,
    plan: Plan,
    budget: Budget,
    wanted: Callable[[int], bool] = lambda _steps: True,
    seconds: float | None = None,
) -> tuple[Plan, Cost]:
    """A plan at most as long, and its cost; see `shortened`."""
    packed = to_bitset_task(task)
    return plan_over(task, shortened(task, rows_along(task, packed, plan), budget, wanted, seconds))


def _neighbourhood(task: Task, rows: Words, size: int, budget: Budget, over: Callable[[], bool]) -> StateStore | None:
    """The rows and the states nearest to them, about `size`; None if it is over before, or there is no memory."""
    store = StateStore(task, roots=rows, to_goal=False)
    while store.expanded < store.count < size:
        if over() or (store.full and not store.grow(budget)):
            return None
        store.advance(store.count)
    return store


@njit()
def shortest_within(form: Form, nodes: Nodes, head: int, tail: int, quota: int) -> tuple[int, int, int]:
    """Breadth-first search through stored states only, for `quota` states. `parent` leads back from each state met.

    `parent` is -1 everywhere at first, and the queue, heap[head:tail], holds state 0. Returns the first goal or -1, and
    the new head and tail.
    """
    parent, queue = nodes.parent, nodes.heap
    last = head + quota
    while head < min(last, tail):
        index = long(queue[head])
        head += 1
        for i in range(successors(form, nodes.states[index])):
            other = long(nodes.table[find(nodes.states, nodes.table, form.work.rows[i])])
            if other <= 0 or parent[other] >= 0:
                continue
            parent[other] = index
            if is_goal(form, nodes.states[other]):
                return other, head, tail
            queue[tail] = other
            tail += 1
    return -1, head, tail
