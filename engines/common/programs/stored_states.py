"""All states of a task whose actions are programs, met breadth-first and stored."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ....analysis.program_machine import (
    ProgramScratch,
    ProgramTables,
    run,
    scratch_for,
    undo,
    unpack,
    values_of,
    without_goal,
)
from ....models.plan import Plan
from ....models.program import ProgramTask
from ....runtime.arrays import Flags, Ints, Longs
from ....runtime.bitops import long
from ....runtime.budget import Budget
from ....runtime.events import Progress
from ....runtime.kernel_calls import laid_out, njit
from ..difficulty import Column, column_of
from ..store import Nodes
from ..stored_states import Span, StoredStates
from .kernels import ProgramStore, expand_in_order, slot_after

# Kernels over the graph of stored states of a program task: its edges, its goals, the steps that lose nothing.
#
# As `engines/common/stored_states.py` for tasks with operators. A step that changes nothing is no edge.


@njit(inner=True)
def state_after(
    tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, source: int, action: int, now: int
) -> int:
    """The number of the stored state to which an action leads from the one that stands in the registers; -1 if it does
    not apply. `now`: the number of the last run when that state was unpacked.
    """
    assigned = run(tables, scratch, tables.entry[action], now)
    if assigned < 0:
        return -1
    target = long(nodes.table[slot_after(tables, scratch, nodes, source, assigned)])
    undo(scratch, assigned)
    return target


@njit()
def link(
    tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, span: tuple[int, int], place: Longs, sources: Ints
) -> None:
    """Count the edges from states[span[0]:span[1]] by their target in `place`, or enter their sources.

    With `sources` empty, place[t] is increased for each edge to t. Otherwise each edge's source is written to
    sources[place[t]], and place[t] increased.
    """
    counting = len(sources) == 0
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if target >= 0 and target != source:
                if not counting:
                    sources[place[target]] = source
                place[target] += 1


@njit()
def leave(
    tables: ProgramTables,
    scratch: ProgramScratch,
    nodes: Nodes,
    span: tuple[int, int],
    first: Longs,
    targets: Ints,
    actions: Ints,
) -> None:
    """Count the edges that leave states[span[0]:span[1]], or enter where each leads and by which action.

    With `targets` empty, first[s] becomes the number of edges from s. Otherwise those of state s are written from
    first[s] on.
    """
    counting = len(targets) == 0
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        count = 0
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if target >= 0 and target != source:
                if not counting:
                    targets[first[source] + count] = target
                    actions[first[source] + count] = action
                count += 1
        if counting:
            first[source] = count


@njit()
def goals(tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, start: int, found: Flags) -> None:
    """Write for each of the states from `start` on whether it is a goal state."""
    for i in range(len(found)):
        unpack(tables, nodes.states[start + i], scratch)
        found[i] = run(tables, scratch, tables.goal, scratch.runs[0]) >= 0


@njit()
def mark_leading(
    tables: ProgramTables,
    scratch: ProgramScratch,
    nodes: Nodes,
    span: tuple[int, int],
    layer: tuple[int, int],
    leads: Flags,
) -> None:
    """Mark the states of a span with a successor in the next layer, states[layer[0]:layer[1]], that is marked."""
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        for action in range(len(tables.entry)):
            target = state_after(tables, scratch, nodes, source, action, now)
            if layer[0] <= target < layer[1] and leads[target]:
                leads[source] = True
                break


class ProgramStates(StoredStates):
    """The states of a task whose actions are programs, as the values of its variables."""

    def __init__(self, task: ProgramTask, budget: Budget, progress: Progress) -> None:
        super().__init__(budget, progress)
        self.task: ProgramTask = task
        self.store: ProgramStore = ProgramStore(task)
        self.tables, self.endless = laid_out(self.store.tables), laid_out(without_goal(self.store.tables))
        self.scratch = laid_out(scratch_for(task, self.store.tables))

    def advance(self, end: int) -> None:
        """Expand states from the cursor on, at most up to `end`, as far as the pace and the store allow."""
        before, end = self.cursor, min(end, self.cursor + self.pace.begin())
        store = self.store
        store.count, self.cursor, _ = expand_in_order(
            self.endless, self.scratch, store.laid_out, store.count, before, end
        )
        self.pace.end(self.cursor - before)

    def plan_to(self, number: int) -> Plan:
        """A shortest plan that leads to a state."""
        return self.store.plan_to(number)

    def columns(self) -> Iterator[Column]:
        """The column of each variable of a task of programs: its value in each state."""
        for v, variable in enumerate(self.task.variables):
            yield column_of(variable, self.values(v))

    def values(self, variable: int) -> Longs:
        """The value of a variable in each state."""
        return values_of(self.store.tables, self.store.states[: self.store.count], variable)

    def goals(self, start: int = 0) -> NDArray[np.bool_]:
        """For each state from `start` on, whether it is a goal."""
        at_goal = np.zeros(self.store.count - start, np.bool_)
        if not self.task.unsolvable_because:  # its goal may be empty
            goals(self.tables, self.scratch, self.store.laid_out, start, at_goal)
        return at_goal

    def link(self, span: Span, place: Longs, sources: Ints) -> None:
        """Count the edges from a span of states by their target, or enter their sources."""
        link(self.tables, self.scratch, self.store.laid_out, span, place, sources)

    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, or enter where they lead."""
        leave(self.tables, self.scratch, self.store.laid_out, span, first, targets, steps)

    def mark_leading(self, span: Span, layer: Span, leads: Flags) -> None:
        """Mark the states of a span with a successor in the next layer that is marked."""
        mark_leading(self.tables, self.scratch, self.store.laid_out, span, layer, leads)
