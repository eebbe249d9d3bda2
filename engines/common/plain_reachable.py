"""The reachable states of a small task, visited in plain Python: what can be known before kernels are there."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.arrays import Flags, Ints
from ...runtime.budget import Budget
from ...runtime.events import Event, Progress, silent
from ...runtime.outcome import StoppedError
from .reachable import Column, Exploration, Graph, Hint, Space, column_of
from .state_space import STATE_BYTES, facts_in, state_space_of

Found = TypeVar("Found", Space, Hint)


class PlainStates(Exploration):
    """A breadth-first search over all states, in plain Python.

    `before[n]` has each state of which one step leads to state n, with that step as the state space gives it; the first
    of them is on a shortest way.
    """

    def __init__(self, task: Task, budget: Budget, progress: Progress) -> None:
        super().__init__(task, budget, progress)
        self.space = state_space_of(task)
        self.states: list[Any] = [self.space.start]
        self.before: list[list[tuple[int, Any]]] = [[]]
        self._number = {self.space.start: 0}

    @property
    def count(self) -> int:
        """The states met so far."""
        return len(self.states)

    def visit(self) -> str | None:
        """Visit the states one step from the last layer. Gives the reason if a limit stops it."""
        for here in range(self.ends[-2] if len(self.ends) > 1 else 0, self.ends[-1]):
            if here % self.space.look_every == 0 and (reason := self.budget.stopped(2 * STATE_BYTES * self.count)):
                return reason
            for step, _, after in self.space.steps(self.states[here]):
                number = self._number.setdefault(after, len(self.states))
                if number == len(self.states):
                    self.states.append(after)
                    self.before.append([])
                self.before[number].append((here, step))
        return None

    def is_goal(self, start: int) -> Flags:
        """For each state from `start` on whether the goal holds in it."""
        return np.array([self.space.is_goal(state) for state in self.states[start:]], np.bool_)

    @cached_property
    def graph(self) -> Graph:
        """The edges between all states, by their targets."""
        first = np.cumsum([0, *map(len, self.before)])
        return first, np.array([here for before in self.before for here, _ in before], np.int32)

    def distances(self, at_goal: Flags) -> Ints:
        """The distance of each state to the goal, -1 where no way leads to one."""
        away = [0 if goal else -1 for goal in at_goal]
        queue = deque(number for number, goal in enumerate(at_goal) if goal)
        while queue:
            here = queue.popleft()
            for before, _ in self.before[here]:
                if away[before] < 0:
                    away[before] = away[here] + 1
                    queue.append(before)
        return np.array(away, np.int32)

    def lead(self, leads: Flags, depth: int) -> None:
        """Mark the states of a layer from which an edge goes to a state of the next layer that is marked."""
        start, last = self.ends[depth - 1], self.ends[depth]
        for state in np.flatnonzero(leads[last : self.ends[depth + 1]]).tolist():
            for here, _ in self.before[last + state]:
                leads[here] |= start <= here < last

    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""
        way = [number]
        while way[-1]:
            way.append(self.before[way[-1]][0][0])
        return way[::-1]

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return self.space.plan(self.before[state][0][1] for state in self.way_to(number)[1:])

    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""
        return facts_in(self.states[number].facts)

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        for v, variable in enumerate(self.task.variables if isinstance(self.task, ProgramTask) else ()):
            yield column_of(variable, [state[v] for state in self.states])


def search_plainly(
    search: Callable[[Exploration], Found], task: Task, budget: Budget, progress: Progress
) -> Found | None:
    """What `explore` or `hint` finds in plain Python; None if the budget does not suffice. Layers are reported in the
    end: then it is certain that no other search reports them.
    """
    told: list[Event] = []
    found = search(PlainStates(task, budget, told.append))
    if found.stopped_by:
        return None
    for event in told:
        progress(event)
    return found


@dataclass(frozen=True, slots=True)
class DeadEnds:
    """Of `states` reachable ones, `goals` are goals and `dead` have no way to one; `nearest` leads to one of these that
    is fewest steps away.

    Of a program task, `applied`: the names of the actions that change a state; `changed`: the numbers of the variables
    that have several values.
    """

    states: int
    goals: int
    dead: int
    nearest: Plan | None
    applied: frozenset[str] = frozenset()
    changed: frozenset[int] = frozenset()


def dead_ends(task: Task, budget: Budget) -> DeadEnds | None:
    """The dead ends among all reachable states; None where these are too many for the budget."""
    found = PlainStates(task, budget, silent)
    try:
        found.visit_all()
    except StoppedError:
        return None
    at_goal = found.goals()
    away = found.distances(at_goal).tolist()
    dead, goals = away.count(-1), int(at_goal.sum())
    plan = found.plan_to(away.index(-1)) if dead and goals else None
    if not isinstance(task, ProgramTask):
        return DeadEnds(len(away), goals, dead, plan)
    applied = frozenset(step.name for before in found.before for _, step in before)
    changed = frozenset(v for v, value in enumerate(task.init) if any(state[v] != value for state in found.states))
    return DeadEnds(len(away), goals, dead, plan, applied, changed)
