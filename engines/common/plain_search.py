"""Best-first search in plain Python, and iterative deepening below it: with a heuristic that anyone writes.

States are expanded in the order of f = g + weight * h: the cost so far, and an estimate of what the rest costs.

    h = 0                uniform-cost search (Dijkstra, *A note on two problems in connexion with graphs*, 1959)
    weight = 1           A* (Hart, Nilsson and Raphael, 1968); optimal if h never exceeds the true cost
    weight > 1           weighted A*: a plan sooner, which may be dearer

A state that is reached at less cost than before is opened again, so estimates need not be consistent. When no state is
left, there is no plan.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...models.moves import Cost, show_cost
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from .own_heuristic import OwnHeuristic
from .state_space import STATE_BYTES, state_space_of


class CheapestWay(NamedTuple):
    """The cheapest known way to a state: its cost, the state before the last step, and that step."""

    cost: Cost
    before: Any
    step: Any


class PlainSearch:
    """The state of a search.

    `ways` has every state that is known. `waiting` has the states that are to be expanded, each with its cost, by their
    f; a state is in it again for each cheaper way that was found. `totals` is a heap of its keys. `goal`: the cheapest
    that is known.
    """

    def __init__(
        self,
        task: Task,
        record: Recorder,
        max_states: int | None = None,
        heuristic: OwnHeuristic | None = None,
        weight: int = 1,
    ) -> None:
        self.task, self.record, self.max_states = task, record, max_states
        self.heuristic, self.weight = heuristic, weight
        self.space = state_space_of(task)
        zero: Cost = (0,) * len(task.metric)
        start: Any = self.space.start
        self.ways: dict[Any, CheapestWay] = {start: CheapestWay(zero, start, ())}
        self.waiting: dict[Cost, list[tuple[Any, Cost]]] = {}
        self.totals: list[Cost] = []
        self.goal: Any = start if self.space.is_goal(start) else None
        self.expanded = 0
        # A goal not yet seen is a step away from a state that waits. With estimates its f says no more than that.
        self.step_more = zero if heuristic else self.space.cheapest_step
        self._open(start, zero, zero)

    def _open(self, state: Any, cost: Cost, least: Cost) -> None:
        """Let a state wait, at f or at `least`, the f of the state before it (pathmax); drop it if it is a dead end."""
        total = cost
        if self.heuristic:
            value = self.heuristic(state)
            if value is None:
                return
            total = max(least, (cost[0] + self.weight * value, *cost[1:]))
        if total not in self.waiting:
            self.waiting[total] = []
            heapq.heappush(self.totals, total)
        self.waiting[total].append((state, cost))

    def run(self) -> Outcome:
        """Expand all states of one f, then those of the next."""
        record = self.record
        record.encoded()
        while self.totals:
            total = self.totals[0]
            if self._ends(total):
                return self._found()
            self._tell(total)
            for state, cost in self.waiting[total]:  # steps that cost nothing make it longer
                if self.ways[state].cost < cost:
                    continue
                if self.expanded % self.space.look_every == 0 and (reason := self._stopped()):
                    return record.stopped(reason)
                self._expand(state, cost, total)
                if self._ends(added(total, self.step_more)):
                    return self._found()
            del self.waiting[heapq.heappop(self.totals)]
        self._count()
        if self.goal is not None:
            return self._found()
        if self.heuristic and (reason := self.heuristic.doubt):
            return record.stopped(reason)
        return record.unsolvable(f"{self.name}: none of the {len(self.ways):,} reachable states is a goal")

    def _ends(self, least: Cost) -> bool:
        """Whether a goal is known, and no other one costs less than `least`; with weights the first goal is enough."""
        return self.goal is not None and (self.weight > 1 or self.ways[self.goal].cost <= least)

    def _expand(self, state: Any, cost: Cost, least: Cost) -> None:
        """Note the states that are one step away, where this is the cheapest way to them so far."""
        self.expanded += 1
        for operators, price, after in self.space.steps(state):
            total = added(cost, price)
            known = self.ways.get(after)
            if known is not None and known.cost <= total:
                continue
            self.ways[after] = CheapestWay(total, state, operators)
            self._open(after, total, least)
            if (self.goal is None or total < self.ways[self.goal].cost) and self.space.is_goal(after):
                self.goal = after
                if not self.task.uniform or self.heuristic:  # else it is the optimum, which is reported at once
                    self.record.found(self.space.plan(self.steps_to(after)), total)

    @property
    def name(self) -> str:
        """The search in words: `plain search`, `plain A* (misplaced.py)`."""
        if self.heuristic is None:
            return "plain search"
        return f"plain {'weighted ' * (self.weight > 1)}A* ({self.heuristic.name})"

    def _tell(self, total: Cost) -> None:
        """Report a bound: all states of less f have been expanded, and no state of this cost is a goal."""
        if not any(total):
            return
        if self.heuristic:
            if self.heuristic.admissible and self.weight == 1:
                self.record.raise_bound(total, self._by(total), states=len(self.ways))
            self.record.working()
        elif not self.task.uniform:
            self.record.raise_bound(total, self._by(total), states=len(self.ways))
        else:
            bound = total[0] + 1
            self.record.layer(total[0], len(self.ways), bound, self._by((bound,)))

    def _by(self, cost: Cost) -> str:
        """The proof of the bound in words."""
        if self.heuristic:
            return f"{self.name}, which says that it never overestimates: every state with less than {show_cost(cost)}"
        if self.task.uniform:
            return self.task.no_goal_within(cost[0] - 1, self.name)
        return f"{self.name}: no goal costs less than {show_cost(cost)}"

    def _stopped(self) -> str | None:
        self._count()
        if self.max_states is not None and len(self.ways) > self.max_states:
            return f"limit of {self.max_states:,} states"
        return self.record.budget.stopped() or (
            None if self.record.budget.fits(STATE_BYTES * len(self.ways)) else "memory limit"
        )

    def _count(self) -> None:
        self.record.stats.update(states=len(self.ways), expanded=self.expanded)

    def _found(self) -> Outcome:
        """The outcome with the cheapest goal that is known: optimal, unless estimates may have been too large."""
        self._count()
        cost, steps = self.ways[self.goal].cost, self.steps_to(self.goal)
        if self.heuristic is None:
            return self.record.optimal(self.space.plan(steps), cost, self._by(cost))
        if self.weight == 1 and self.heuristic.trusted(self._path()):
            return self.record.optimal(self.space.plan(steps), cost, self._by(cost))
        self.record.found(self.space.plan(steps), cost)
        return self.record.stopped(None)

    def _path(self) -> Iterator[tuple[Any, Cost]]:
        """The states of the cheapest way to the goal, the last one first, each with its cost."""
        state = self.goal
        yield state, self.ways[state].cost
        while state != self.space.start:
            state = self.ways[state].before
            yield state, self.ways[state].cost

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


def solve_with(
    task: Task, budget: Budget, progress: Progress = silent, *, path: str, weight: int, **_others: object
) -> Outcome:
    """Solve a task, of operators or programs, with the heuristic in a file: by A* for a `weight` of 1, weighted A* for
    a larger one, and IDA* for 0. Raises `UsageError` for what is wrong with the file.
    """
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    heuristic = OwnHeuristic(path, task, state_space_of(task).start)
    if weight:
        return PlainSearch(task, record, heuristic=heuristic, weight=weight).run()
    return Deepening(task, record, heuristic).run()


class PathNode(NamedTuple):
    """A state of the path, its cost, the step that led to it, and the steps from it that were not yet tried."""

    state: Any
    cost: Cost
    step: Any
    left: Iterator[Any]


class Deepening:
    """IDA*: depth-first search below a limit on f = g + h, which rises to the least f that was above it (Korf,
    *Depth-first iterative-deepening*, 1985). Only the states of one path are held.
    """

    def __init__(self, task: Task, record: Recorder, heuristic: OwnHeuristic) -> None:
        self.task, self.record, self.heuristic = task, record, heuristic
        self.space = state_space_of(task)
        self.name = f"plain IDA* ({heuristic.name})"
        self.nodes = 0

    def run(self) -> Outcome:
        """Search below one limit after the other."""
        record, heuristic = self.record, self.heuristic
        record.encoded()
        zero: Cost = (0,) * len(self.task.metric)
        limit = self._total(self.space.start, zero)
        while limit is not None:
            by = f"{self.name}, which says that it never overestimates: no plan costs less than {show_cost(limit)}"
            if heuristic.admissible and any(limit):
                record.raise_bound(limit, by)
            try:
                path, above = self._below(limit)
            except TimeoutError as stopped:
                return record.stopped(str(stopped))
            if path:
                cost, plan = path[-1].cost, self.space.plan([node.step for node in path[1:]])
                if heuristic.trusted((node.state, node.cost) for node in reversed(path)):
                    return record.optimal(plan, cost, by)
                record.found(plan, cost)
                return record.stopped(None)
            limit = above
        if reason := heuristic.doubt:
            return record.stopped(reason)
        return record.unsolvable(f"{self.name}: no path without circles leads to a goal")

    def _total(self, state: Any, cost: Cost) -> Cost | None:
        """f of a state that costs so much; None for a dead end."""
        value = self.heuristic(state)
        return None if value is None else (cost[0] + value, *cost[1:])

    def _below(self, limit: Cost) -> tuple[list[PathNode], Cost | None]:
        """The path to a goal of which no state has an f above the limit; without one, the least f above it, if any.

        Raises `TimeoutError` when the budget is over.
        """
        start, above = self.space.start, None
        path = [PathNode(start, (0,) * len(limit), (), iter(self.space.steps(start)))]
        on_path = {start}
        while path:
            node = path[-1]
            step = next(node.left, None)
            if step is None:
                on_path.discard(path.pop().state)
                continue
            operators, price, state = step
            cost = added(node.cost, price)
            if state in on_path or (total := self._total(state, cost)) is None:
                continue
            if total > limit:
                above = total if above is None else min(above, total)
                continue
            self.nodes += 1
            if self.nodes % self.space.look_every == 0 and (stopped := self.record.budget.stopped()):
                raise TimeoutError(stopped)
            self.record.stats["nodes"] = self.nodes
            path.append(PathNode(state, cost, operators, iter(self.space.steps(state))))
            on_path.add(state)
            if self.space.is_goal(state):
                return path, limit
        return [], above
