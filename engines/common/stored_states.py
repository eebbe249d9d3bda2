"""All states of a task, met breadth-first and stored; steps between them are found anew where they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_task import to_bitset_task
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.arrays import Flags, Ints, Longs
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ...runtime.events import LayerDone, Progress
from .difficulty import Column
from .graph_kernels import goals, leave, link, mark_leading
from .plans import plan_to
from .store import RowStore, StateStore, way_to
from .work_quota import WorkQuota

Span = tuple[int, int]
"""The states from one number on up to another."""


class StoredStates(ABC):
    """A breadth-first search over all states, layer by layer; `ends[d]` is the number of states up to depth d."""

    task: Task | ProgramTask
    store: RowStore

    def __init__(self, budget: Budget, progress: Progress) -> None:
        self.budget, self.progress = budget, progress
        self.cursor = 0
        self.ends = [1]
        self.pace = WorkQuota()

    def next_layer(self) -> str | None:
        """Store the states one step from the last layer; if there are no new ones, no layer is added.

        Gives the reason if a limit stops it.
        """
        store, end = self.store, self.ends[-1]
        while self.cursor < end:
            reason = self.budget.stopped()
            if not reason and store.full and not store.grow(self.budget):
                reason = "memory limit"
            if reason:
                return reason
            self.advance(end)
        if store.count > end:
            self.ends.append(store.count)
            depth = len(self.ends) - 1
            self.progress(LayerDone(seconds=self.budget.elapsed, depth=depth, states=store.count))
        return None

    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""
        return way_to(self.store.parent, number)

    @abstractmethod
    def advance(self, end: int) -> None:
        """Expand states from the cursor on, at most up to `end`, as far as the pace and the room in the store allow."""

    @abstractmethod
    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""

    @abstractmethod
    def goals(self, start: int = 0) -> Flags:
        """For each state from `start` on whether it is a goal."""

    @abstractmethod
    def link(self, span: Span, place: Longs, sources: Ints) -> None:
        """Count the edges from a span of states by their target, or enter their sources: see `graph_kernels.link`."""

    @abstractmethod
    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, or enter where they lead: see `graph_kernels.leave`."""

    @abstractmethod
    def mark_leading(self, span: Span, layer: Span, leads: Flags) -> None:
        """Mark the states of a span with a successor in the next layer that is marked."""

    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""
        raise NotImplementedError

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        raise NotImplementedError


class OperatorStates(StoredStates):
    """The states of a task with operators, as sets of facts."""

    def __init__(self, task: Task, budget: Budget, progress: Progress) -> None:
        super().__init__(budget, progress)
        self.task: Task = task
        self.packed = to_bitset_task(task)
        self.without_goal = laid_out(self.packed.without_goal())
        self.store: StateStore = StateStore(self.packed)

    def advance(self, end: int) -> None:
        """Expand states from the cursor on, at most up to `end`, as far as the pace and the store allow."""
        self.cursor, _ = self.store.advance(self.without_goal, self.cursor, end, self.pace)

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return plan_to(self.task, self.store, number)

    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state."""
        return self.store.facts_of(number)

    def goals(self, start: int = 0) -> NDArray[np.bool_]:
        """For each state from `start` on, whether it is a goal."""
        at_goal = np.zeros(self.store.count - start, np.bool_)
        if not self.task.unsolvable_because:  # its goal may be empty
            goals(self.packed, self.store.states[start:], at_goal)
        return at_goal

    def link(self, span: Span, place: Longs, sources: Ints) -> None:
        """Count the edges from a span of states by their target, or enter their sources."""
        link(self.packed, self.store.nodes, self.store.work, span, place, sources)

    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, or enter where they lead."""
        leave(self.packed, self.store.nodes, self.store.work, span, first, targets, steps)

    def mark_leading(self, span: Span, layer: Span, leads: Flags) -> None:
        """Mark the states of a span with a successor in the next layer that is marked."""
        mark_leading(self.packed, self.store.nodes, self.store.work, span, layer, leads)
