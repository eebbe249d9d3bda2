"""All states of a task, met breadth-first and stored; steps between them are found anew where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ...analysis.bitset_kernels import find
from ...analysis.bitset_task import to_bitset_task
from ...analysis.program_machine import program_tables, values_of
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import OperatorTask, Task
from ...runtime.arrays import Flags, Ints, Longs
from ...runtime.budget import Budget
from ...runtime.events import Progress
from ...runtime.kernel_calls import njit
from .plans import plan_to
from .reachable import Column, Exploration, Graph, column_of
from .store import Nodes, StateStore, facts_of, way_to
from .successors import Form, is_goal, successors
from .work_quota import WorkQuota

# Compiled kernels over the graph of stored states: its edges, and distances to the goal.
#
# They need the table of a search that has stored every successor of the states that they look at. By definition there
# is an edge from each state to each of its successors; `tests/workflows/test_explore.py` holds distances and first
# steps against a search over sets of facts.


@njit()
def leave(form: Form, nodes: Nodes, span: tuple[int, int], first: Longs, targets: Ints, steps: Ints) -> None:
    """Count the edges that leave states[span[0]:span[1]], and enter where each leads and by which step.

    first[0] is the number of edges before the span; first[i + 1] becomes that number with the edges of its first i + 1
    states. From targets[first[i]] on stand those of state i of the span, unless `targets` is empty: then they are only
    counted. `steps` may be empty, too. Of a compound move the step is the last operator.
    """
    entering, at = len(targets) > 0, first[0]
    for source in range(span[0], span[1]):
        count = successors(form, nodes.states[source])
        for i in range(count if entering else 0):
            targets[at + i] = nodes.table[find(nodes.states, nodes.table, form.work.rows[i])]
            if len(steps):
                steps[at + i] = form.work.steps[i]
        at += count
        first[source + 1 - span[0]] = at


@njit()
def turn_round(first: Longs, targets: Ints, span: tuple[int, int], place: Longs, sources: Ints) -> None:
    """Count the edges that leave a span of states by their targets in `place`, or enter their sources.

    Those of state s lead to targets[first[s] : first[s + 1]]. With `sources` empty, place[t] is increased for each edge
    to t. Otherwise each edge's source is written to sources[place[t]], and place[t] increased. So two calls make an
    array of incoming edges, sorted by target:

        edges  0->1  0->2  1->2        place after counting  0 1 2,   then added up before each state  0 0 1
                                       sources               0 | 0 1                     (of 1 | of 2)
    """
    counting = len(sources) == 0
    for source in range(span[0], span[1]):
        for edge in range(first[source], first[source + 1]):
            target = targets[edge]
            if not counting:
                sources[place[target]] = source
            place[target] += 1


@njit()
def goals(form: Form, nodes: Nodes, start: int, found: Flags) -> None:
    """Write for each of the states from `start` on whether it is a goal state."""
    for i in range(len(found)):
        found[i] = is_goal(form, nodes.states[start + i])


@njit()
def distances(
    edges: tuple[Longs, Ints], distance: Ints, queue: Ints, head: int, tail: int, quota: int
) -> tuple[int, int]:
    """Go on for `quota` states to write the least number of edges to a goal for each, -1 where no way leads to one.

    `edges` is (first, sources): those to state t come from sources[first[t]:first[t + 1]]. `distance` is 0 for the
    goals at first, and queue[head:tail] are the states to go on from: the goals. Returns the new (head, tail).
    """
    first, sources = edges
    last = min(head + quota, len(queue))
    while head < min(last, tail):
        target = queue[head]
        head += 1
        for i in range(first[target], first[target + 1]):
            source = sources[i]
            if distance[source] < 0:
                distance[source] = distance[target] + 1
                queue[tail] = source
                tail += 1
    return head, tail


Span = tuple[int, int]
"""The states from one number on up to another."""

Edges = tuple[Longs, Ints, Ints]
"""(first, targets, steps): the edges that leave state s are first[s]:first[s + 1], each with where it leads and the
number of its step."""

# States whose edges are turned round between two looks at the budget.
TURNED = 1_000_000


# Edges that are looked at together on the way back from the goal.
MOST_EDGES = 1 << 20


class StoredStates(Exploration):
    """A breadth-first search over all states, by compiled kernels."""

    def __init__(self, task: Task, budget: Budget, progress: Progress) -> None:
        super().__init__(task.told_apart if isinstance(task, ProgramTask) else task, budget, progress)
        self.store = StateStore(self.task, to_goal=False)

    @property
    def count(self) -> int:
        """The states met so far."""
        return self.store.count

    def visit(self) -> str | None:
        """Store the states one step from the last layer. Gives the reason if a limit stops it."""
        while self.store.expanded < self.ends[-1]:
            if reason := self.store.why_stop(self.budget):
                return reason
            self.store.advance(self.ends[-1])
        return None

    def way_to(self, number: int) -> list[int]:
        """The states of a shortest way from the initial state to one, both included."""
        return way_to(self.store.parent, number)

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return plan_to(self.task, self.store, number)

    def is_goal(self, start: int) -> Flags:
        """For each state from `start` on whether the goal holds in it."""
        at_goal = np.zeros(self.count - start, np.bool_)
        goals(self.store.form, self.store.laid_out, start, at_goal)
        return at_goal

    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, and enter where they lead: see `leave`."""
        leave(self.store.form, self.store.laid_out, span, first, targets, steps)

    def lead(self, leads: Flags, depth: int) -> None:
        """Mark the states of a layer from which an edge goes to a state of the next layer that is marked."""
        pace, most = WorkQuota(), max(1, MOST_EDGES // self.store.most)
        targets, no_steps = np.empty(self.store.most * min(most, self.count), np.int32), np.empty(0, np.int32)
        start, last = self.ends[depth - 1], self.ends[depth]
        while start < last:
            self.stop(self.budget.stopped())
            end = min(start + min(pace.begin(), most), last)
            first = np.zeros(end - start + 1, np.int64)
            self.leave((start, end), first, targets, no_steps)
            sources, there = np.repeat(np.arange(start, end), np.diff(first)), targets[: first[-1]]
            leads[sources[leads[there] & (there >= last)]] = True
            pace.end(end - start)
            start = end

    def edges(self, *, with_steps: bool = True) -> Edges:
        """The edges between all states, which have all been visited; without their steps, that array is empty. Raises
        `StoppedError` at a limit.
        """
        count, none = self.store.count, np.empty(0, np.int32)
        first, targets, steps = np.zeros(count + 1, np.int64), none, none
        for entering in (False, True):
            if entering:
                edge_bytes = 16 if with_steps else 8
                fits = self.budget.fits(self.store.size + edge_bytes * int(first[-1]) + 40 * count)
                self.stop(None if fits else "memory limit")
                targets = np.empty(int(first[-1]), np.int32)
                steps = np.empty(len(targets), np.int32) if with_steps else none
            pace, start = WorkQuota(), 0
            while start < count:
                self.stop(self.budget.stopped())
                end = min(start + pace.begin(), count)
                self.leave((start, end), first[start : end + 1], targets, steps)
                pace.end(end - start)
                start = end
        return first, targets, steps

    def distances(self, at_goal: Flags) -> Ints:
        """The distance of each state to the goal, -1 where no way leads to one. Raises `StoppedError` at a limit."""
        distance, queue = np.where(at_goal, 0, -1).astype(np.int32), np.empty(self.count, np.int32)
        head, tail = 0, int(at_goal.sum())
        queue[:tail] = np.flatnonzero(at_goal)
        pace = WorkQuota(most=10_000_000)
        while head < tail:
            self.stop(self.budget.stopped())
            before, quota = head, pace.begin()
            head, tail = distances(self.graph, distance, queue, head, tail, quota)
            pace.end(head - before)
        return distance

    @cached_property
    def graph(self) -> Graph:
        """The edges between all states by their targets. Raises `StoppedError` at a limit."""
        count, (first, targets, _) = self.store.count, self.edges(with_steps=False)
        into, sources = np.zeros(count + 1, np.int64), np.empty(0, np.int32)
        place = into[1:]
        for entering in (False, True):
            if entering:
                np.cumsum(into, out=into)
                place, sources = into[:-1].copy(), np.empty(len(targets), np.int32)
            for start in range(0, count if len(targets) else 0, TURNED):
                self.stop(self.budget.stopped())
                turn_round(first, targets, (start, min(start + TURNED, count)), place, sources)
        return into, sources

    def facts_of(self, number: int) -> frozenset[int]:
        """The true facts of a state of a task with operators."""
        assert isinstance(self.task, OperatorTask)
        return facts_of(self.store.states[number].tolist()[: to_bitset_task(self.task).words])

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        for v, variable in enumerate(self.task.variables if isinstance(self.task, ProgramTask) else ()):
            yield column_of(variable, self.values(v))

    def values(self, variable: int) -> Longs:
        """The value of a variable of a task of programs in each state."""
        assert isinstance(self.task, ProgramTask)
        return values_of(self.task.computed(program_tables), self.store.states[: self.store.count], variable)
