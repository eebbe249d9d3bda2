"""The reachable states of a task: how many, how deep, how far from the goal; and the best steps from here.

`explore` visits every state that can be reached, breadth-first, then looks at the edges between them, and measures the
distance of each state to the goal backward along the edges. Edges need not be reversible: from some states no way
may lead to the goal any more (Sokoban).

`hint` goes only as deep as the nearest goal, and backward through the layers to all first steps of shortest plans.

Both need tasks in which every step costs one. Where walking is free, the states that differ only in where
the walker stands within its region are one. Who visits the states is an `Exploration`: compiled kernels
(`stored_states.StoredStates`), or plain Python where there are few (`plain_reachable.PlainStates`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np

from ...models.plan import Plan
from ...models.task import Task
from ...runtime.arrays import Flags, Ints
from ...runtime.budget import Budget
from ...runtime.events import LayerDone, Progress
from ...runtime.outcome import StoppedError
from .difficulty import Column, Graph, Hint, Space, space_of

VISITING = "visiting all states"


class Exploration(ABC):
    """The reachable states of a task by number, met layer by layer: 0 is the initial one, and `ends[d]` are at most d
    steps away.
    """

    def __init__(self, task: Task, budget: Budget, progress: Progress) -> None:
        self.task, self.budget, self.progress = task, budget, progress
        self.ends = [1]

    @property
    @abstractmethod
    def count(self) -> int:
        """The states met so far."""

    @abstractmethod
    def visit(self) -> str | None:
        """Visit the states one step from the last layer. Gives the reason if a limit stops it."""

    def next_layer(self) -> str | None:
        """Visit the states one step from the last layer; if there are no new ones, no layer is added.

        Gives the reason if a limit stops it.
        """
        reason = self.visit()
        if not reason and self.count > self.ends[-1]:
            self.ends.append(self.count)
            self.progress(LayerDone(seconds=self.budget.elapsed, depth=len(self.ends) - 1, states=self.count))
        return reason

    def visit_all(self) -> None:
        """Visit all states. Raises `StoppedError` at a limit."""
        depth = 0
        while len(self.ends) > depth:
            depth = len(self.ends)
            self.stop(self.next_layer())

    def stop(self, reason: str | None, known: str = "") -> None:
        """Raise `StoppedError` if there is a reason. `known`: what is known of the task by then, in words."""
        if reason:
            raise StoppedError(reason, f"{VISITING}, {self.count:,} so far{known}")

    @abstractmethod
    def is_goal(self, start: int) -> Flags:
        """For each state from `start` on whether the goal holds in it."""

    def goals(self, start: int = 0) -> Flags:
        """For each state from `start` on whether it is a goal."""
        if self.task.unsolvable_because:  # its goal may be empty
            return np.zeros(self.count - start, np.bool_)
        return self.is_goal(start)

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The edges between all states, by their targets. Raises `StoppedError` at a limit."""

    @abstractmethod
    def distances(self, at_goal: Flags) -> Ints:
        """The distance of each state to the goal, -1 where no way leads to one. Raises `StoppedError` at a limit."""

    @abstractmethod
    def lead(self, leads: Flags, depth: int) -> None:
        """Mark the states of a layer from which an edge goes to a state of the next layer that is marked. Raises
        `StoppedError` at a limit.
        """

    @abstractmethod
    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""

    @abstractmethod
    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""

    @abstractmethod
    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""

    @abstractmethod
    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""


def explore(states: Exploration) -> Space:
    """Visit every reachable state of a task in which every step costs one."""
    try:
        states.visit_all()
        at_goal = states.goals()
        return space_of(states, at_goal, states.graph, states.distances(at_goal))
    except StoppedError as stop:
        unfinished = [states.count] if states.count > states.ends[-1] else []
        layers = tuple(np.diff([0, *states.ends, *unfinished]).tolist())
        return Space(states.count, layers, int(states.goals().sum()), stop.reason)


def hint(states: Exploration) -> Hint:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    if states.task.holds(states.task.init):
        return Hint(0, 0, (), 1)
    ends, leads = states.ends, np.zeros(0, np.bool_)
    while not leads.any():
        depth = len(ends)
        reason = states.next_layer()
        if reason or len(ends) == depth:
            return Hint(None, depth, (), states.count, reason)
        leads = np.zeros(states.count, np.bool_)
        leads[ends[-2] :] = states.goals(ends[-2])
    # Backward through the layers: a state leads on if an edge goes from it to one of the next layer that does.
    try:
        for d in range(depth - 1, 0, -1):
            states.lead(leads, d)
    except StoppedError as stop:
        return Hint(None, depth, (), states.count, stop.reason)
    steps = tuple(states.plan_to(int(i) + 1) for i in np.flatnonzero(leads[1 : ends[1]]))
    return Hint(depth, depth, steps, states.count)
