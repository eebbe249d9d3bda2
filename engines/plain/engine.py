"""Uniform-cost search in plain Python: for small puzzles, and as the reference for testing the compiled searches.

States are expanded in the order of their cost from the initial state (Dijkstra, *A note on two problems in connexion
with graphs*, 1959); where every step costs one, that is breadth-first search. A goal that costs no more than the
cheapest state not yet expanded plus the cheapest step is a cheapest one. When no state is left, there is no plan.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

from ...models.moves import Cost, show_cost
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.state_space import STATE_BYTES, state_space_of


class CheapestWay(NamedTuple):
    """The cheapest known way to a state: its cost, the state before the last step, and that step."""

    cost: Cost
    before: Any
    step: Any


def plain(
    task: Task | ProgramTask, budget: Budget, progress: Progress = silent, max_states: int | None = None
) -> Outcome:
    """Solve a task, of operators or programs. Gives up when more than `max_states` states are known."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1, expanded=0)
    return record.trivial(task) or PlainSearch(task, record, max_states).run()


class PlainSearch:
    """The state of a search.

    `ways` has every state that is known. `waiting` has the states that are to be expanded, by their cost; a state is in
    it again for each cheaper way that was found. `costs` is a heap of its keys. `goal`: the cheapest that is known.
    """

    def __init__(self, task: Task | ProgramTask, record: Recorder, max_states: int | None) -> None:
        self.task, self.record, self.max_states = task, record, max_states
        self.space = state_space_of(task)
        zero: Cost = (0,) * len(task.metric)
        start: Any = self.space.start
        self.ways: dict[Any, CheapestWay] = {start: CheapestWay(zero, start, ())}
        self.waiting: dict[Cost, list[Any]] = {zero: [start]}
        self.costs = [zero]
        self.goal: Any = start if self.space.is_goal(start) else None
        self.expanded = 0

    def run(self) -> Outcome:
        """Expand all states of one cost, then those of the next."""
        record = self.record
        record.encoded()
        while self.costs:
            cost = self.costs[0]
            if self.goal is not None and self.ways[self.goal].cost <= cost:
                return self._optimal(self.goal)
            self._tell(cost)
            for state in self.waiting[cost]:  # steps that cost nothing make it longer
                if self.ways[state].cost < cost:
                    continue
                if self.expanded % self.space.look_every == 0 and (reason := self._stopped()):
                    return record.stopped(reason)
                self._expand(state, cost)
                if self.goal is not None and self.ways[self.goal].cost <= added(cost, self.space.cheapest_step):
                    return self._optimal(self.goal)
            del self.waiting[heapq.heappop(self.costs)]
        self._count()
        if self.goal is not None:
            return self._optimal(self.goal)
        return record.unsolvable(f"plain search: none of the {len(self.ways):,} reachable states is a goal")

    def _expand(self, state: Any, cost: Cost) -> None:
        """Note the states that are one step away, where this is the cheapest way to them so far."""
        self.expanded += 1
        for operators, price, after in self.space.steps(state):
            total = added(cost, price)
            known = self.ways.get(after)
            if known is not None and known.cost <= total:
                continue
            self.ways[after] = CheapestWay(total, state, operators)
            if total not in self.waiting:
                self.waiting[total] = []
                heapq.heappush(self.costs, total)
            self.waiting[total].append(after)
            if (self.goal is None or total < self.ways[self.goal].cost) and self.space.is_goal(after):
                self.goal = after
                if not self.task.uniform:  # else it is the optimum, which is reported at once
                    self.record.found(self.space.plan(self.steps_to(after)), total)

    def _tell(self, cost: Cost) -> None:
        """Report a bound: all cheaper states have been expanded, and no state of this cost is a goal."""
        if not any(cost):
            return
        if not self.task.uniform:
            self.record.raise_bound(cost, self._by(cost), states=len(self.ways))
        else:
            bound = cost[0] + 1
            self.record.layer(cost[0], len(self.ways), bound, self._by((bound,)))

    def _by(self, cost: Cost) -> str:
        """The proof of the bound in words."""
        if self.task.uniform:
            return self.task.no_goal_within(cost[0] - 1, "plain search")
        return f"plain search: no goal costs less than {show_cost(cost)}"

    def _stopped(self) -> str | None:
        self._count()
        if self.max_states is not None and len(self.ways) > self.max_states:
            return f"limit of {self.max_states:,} states"
        return self.record.budget.stopped() or (
            None if self.record.budget.fits(STATE_BYTES * len(self.ways)) else "memory limit"
        )

    def _count(self) -> None:
        self.record.stats.update(states=len(self.ways), expanded=self.expanded)

    def _optimal(self, goal: Any) -> Outcome:
        self._count()
        cost = self.ways[goal].cost
        return self.record.optimal(self.space.plan(self.steps_to(goal)), cost, self._by(cost))

    def steps_to(self, state: Any) -> list[Any]:
        """The steps of the cheapest way to a state that is known."""
        steps = []
        while state != self.space.start:
            _, state, operators = self.ways[state]
            steps.append(operators)
        return steps[::-1]


def added(one: Cost, other: Cost) -> Cost:
    """The sum of two costs, component by component."""
    if len(one) == 1:
        return (one[0] + other[0],)
    return tuple(a + b for a, b in zip(one, other, strict=True))
