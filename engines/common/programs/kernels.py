"""Searches over the states of a program task: breadth-first, and best-first with lower bounds from projections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....analysis.bitset_kernels import find
from ....analysis.program_machine import (
    ProgramScratch,
    ProgramTables,
    packed,
    program_tables,
    repack,
    run,
    scratch_for,
    undo,
    unpack,
    unpacked,
    values_of,
    without_goal,
)
from ....analysis.program_projections import ProjectionTables, lower_bound
from ....models.plan import Plan
from ....models.program import Machine, ProgramTask
from ....runtime.arrays import Flags, Ints, Longs, Words
from ....runtime.bitops import long
from ....runtime.budget import Budget
from ....runtime.events import Progress
from ....runtime.kernel_calls import laid_out, njit
from ..cost_kernels import pop, push
from ..difficulty import Column, column_of
from ..store import Nodes, RowStore, way_to
from ..stored_states import Span, StoredStates
from ..successors import copy_row


class StateOrder(NamedTuple):
    """The order of open states: by f = cost + `weight` * estimate, with `ties` bits for the estimate below it."""

    weight: int
    ties: int


@njit(inner=True)
def slot_after(tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, state: int, assigned: int) -> int:
    """Write the row of the state after an action; the slot of the hash table where it stands, or belongs."""
    copy_row(scratch.row, nodes.states[state])
    repack(tables, scratch, assigned, scratch.row)
    return int(find(nodes.states, nodes.table, scratch.row))


@njit()
def expand_in_order(
    tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, count: int, cursor: int, end: int
) -> tuple[int, int, int]:
    """Expand states[cursor:end], breadth-first; `count` states are met.

    Returns (count, cursor, goal): the goal state met first, or -1. It ends when there is no room for more.
    """
    states, parent, table = nodes.states, nodes.parent, nodes.table
    actions = len(tables.entry)
    while cursor < end:
        if count + actions > len(states) or 2 * (count + actions) > len(table):
            break
        # 1. The state's values go into registers, which each action changes and gives back (`undo`).
        unpack(tables, states[cursor], scratch)
        now = scratch.runs[0]
        for action in range(actions):
            assigned = run(tables, scratch, tables.entry[action], now)
            if assigned < 0:
                continue
            # 2. A new state is entered, and tested while its values stand in the registers.
            slot = slot_after(tables, scratch, nodes, cursor, assigned)
            if table[slot] < 0:
                copy_row(states[count], scratch.row)
                parent[count], table[slot] = cursor, count
                count += 1
                if run(tables, scratch, tables.goal, scratch.runs[0]) >= 0:
                    return count, cursor, count - 1
            undo(scratch, assigned)
        cursor += 1
    return count, cursor, -1


@njit()
def estimate_of(
    tables: ProgramTables, scratch: ProgramScratch, projections: ProjectionTables, nodes: Nodes, index: int
) -> int:
    """The lower bound of a stored state; -1 if no goal can be reached."""
    unpack(tables, nodes.states[index], scratch)
    return lower_bound(projections, scratch.registers)


@njit(inner=True)
def key_of(cost: int, estimate: int, order: StateOrder) -> int:
    """The key by which open states are ordered: f, and below it in `ties` bits the estimate, so that of states of equal
    f the one nearer to the goal comes first.
    """
    total, ties = long(cost) + order.weight * long(estimate), order.ties
    return (total << ties) | min(long(estimate), (1 << ties) - 1)


@njit()
def expand_best_first(
    tables: ProgramTables,
    scratch: ProgramScratch,
    projections: ProjectionTables,
    nodes: Nodes,
    count: int,
    waiting: int,
    quota: int,
    order: StateOrder,
) -> tuple[int, int, int, int, int]:
    """Expand at most `quota` states, the least f first; `count` states are met, `waiting` entries are in the heap.

    Returns (count, waiting, expanded, goal, bound): `goal` is a goal state or -1. With weight 1 it is a cheapest one,
    and no plan costs less than `bound`.
    """
    states, table, costs, parent = nodes.states, nodes.table, nodes.cost, nodes.parent
    keys, heap = nodes.heap_key, nodes.heap
    actions, expanded = len(tables.entry), 0
    registers = scratch.registers
    while waiting > 0:
        # 1. The entry of the least f. Estimates are not stored: the state's values say them again.
        key, index = long(keys[0]), long(heap[0])
        cost = costs[index]
        unpack(tables, states[index], scratch)
        estimate = lower_bound(projections, registers)
        if key > key_of(cost, estimate, order):  # it was met once more, at a lower cost, and has another entry
            pop(keys, heap, waiting)
            waiting -= 1
            continue
        # 2. It stays in the heap if this is all for now: quota, room, or the goal.
        if expanded >= quota or max(count, waiting) + actions > len(states) or 2 * (count + actions) > len(table):
            return count, waiting, expanded, -1, cost + estimate
        now = scratch.runs[0]
        if run(tables, scratch, tables.goal, now) >= 0:
            return count, waiting, expanded, index, cost
        pop(keys, heap, waiting)
        waiting -= 1
        expanded += 1
        for action in range(actions):
            assigned = run(tables, scratch, tables.entry[action], now)
            if assigned < 0:
                continue
            # 3. Its successors, if they are new or cheaper than before and no dead ends.
            slot = slot_after(tables, scratch, nodes, index, assigned)
            after, total = long(table[slot]), cost + tables.cost[action]
            if after < 0 or total < costs[after]:
                estimate = lower_bound(projections, registers)
                if estimate >= 0:
                    if after < 0:
                        after = count
                        copy_row(states[count], scratch.row)
                        table[slot] = count
                        count += 1
                    parent[after], costs[after] = index, total
                    push(keys, heap, waiting, key_of(total, estimate, order), after)
                    waiting += 1
            undo(scratch, assigned)
    return count, waiting, expanded, -1, 0


# The states that a search over programs has met.


class ProgramStore(RowStore):
    """States of a program task; `roots`: those that a search begins with, the initial state if none are given.
    `endless`: no state counts as a goal.
    """

    def __init__(
        self, task: ProgramTask, *, heap: bool = False, roots: Sequence[tuple[int, ...]] = (), endless: bool = False
    ) -> None:
        self.task, self.tables = task, task.computed(program_tables)
        run_on = without_goal(self.tables) if endless else self.tables
        self.given = laid_out(run_on), laid_out(scratch_for(task, self.tables))
        rows = np.array([packed(self.tables, state) for state in roots or (task.init,)])
        super().__init__(rows, len(task.actions), heap=heap)

    def expand(self, cursor: int, end: int) -> tuple[int, int, int]:
        """Expand states[cursor:end], breadth-first: (count, cursor, goal state or -1)."""
        reached: tuple[int, int, int] = expand_in_order(*self.given, self.laid_out, self.count, cursor, end)
        return reached

    def plan_to(self, index: int) -> Plan:
        """The plan that led to a stored state."""
        return plan_over(self.task, self.tables, self.states[way_to(self.parent, index)])


def plan_over(task: ProgramTask, tables: ProgramTables, rows: Iterable[Words]) -> Plan:
    """The plan that leads from each state to the next: of the actions that do, the cheapest."""
    machine = Machine(task)
    way = [unpacked(tables, row) for row in rows]
    return task.plan(
        min(
            (action for action in task.actions if machine.after(before, action) == after),
            key=lambda action: action.cost,
        )
        for before, after in pairwise(way)
    )


# All states of a task whose actions are programs, met breadth-first and stored.
#
# Kernels over the graph of stored states of a program task: its edges and its goals.
#
# As `engines/common/stored_states.py` for tasks with operators. A step that changes nothing is no edge.


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
    """Count the edges that leave states[span[0]:span[1]], and enter where each leads and by which action.

    `first`, `targets` and `actions` as in `engines/common/stored_states.py`.
    """
    at = first[0]
    for source in range(span[0], span[1]):
        unpack(tables, nodes.states[source], scratch)
        now = scratch.runs[0]
        for action in range(len(tables.entry)):
            assigned = run(tables, scratch, tables.entry[action], now)
            if assigned < 0:
                continue
            target = long(nodes.table[slot_after(tables, scratch, nodes, source, assigned)])
            undo(scratch, assigned)
            if target != source:
                if len(targets):
                    targets[at] = target
                if len(actions):
                    actions[at] = action
                at += 1
        first[source + 1 - span[0]] = at


@njit()
def goals(tables: ProgramTables, scratch: ProgramScratch, nodes: Nodes, start: int, found: Flags) -> None:
    """Write for each of the states from `start` on whether it is a goal state."""
    for i in range(len(found)):
        unpack(tables, nodes.states[start + i], scratch)
        found[i] = run(tables, scratch, tables.goal, scratch.runs[0]) >= 0


class ProgramStates(StoredStates):
    """The states of a task whose actions are programs, as the values of its variables."""

    def __init__(self, task: ProgramTask, budget: Budget, progress: Progress) -> None:
        super().__init__(budget, progress)
        self.task: ProgramTask = task
        self.store: ProgramStore = ProgramStore(task, endless=True)
        self.tables, self.scratch = laid_out(self.store.tables), self.store.given[1]

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

    def leave(self, span: Span, first: Longs, targets: Ints, steps: Ints) -> None:
        """Count the edges that leave a span of states, and enter where they lead."""
        leave(self.tables, self.scratch, self.store.laid_out, span, first, targets, steps)
