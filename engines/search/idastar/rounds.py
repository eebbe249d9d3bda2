"""The rounds of IDA*, over a task whose operators are looked up, and over packed states with a table of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ....analysis.bitset_kernels import walk_region
from ....analysis.bitset_task import BitsetTask, Words, cost_key
from ....analysis.patterns.databases import Patterns
from ....analysis.patterns.kernels import patterns_value
from ....analysis.successor_table import SuccessorTable
from ....models.plan import Plan
from ....models.task import Task
from ....runtime.budget import Budget
from ..states.pace import Pace
from ..states.plans import plan_to
from ..states.store import StateStore
from .kernels import (
    COST,
    DEPTH,
    FIELDS,
    FIXED,
    LEAST,
    LIMIT,
    NEVER,
    NODES,
    ROUND,
    TABLE,
    TOP,
    USED,
    Deltas,
    Open,
    TranspositionTable,
    Way,
    deepen_compound_moves,
    deepen_lookup,
    deepen_rows,
    move_entries,
)

LOOKUP_QUOTA = 1_000_000
"""Nodes made between two looks at the clock, where nodes are looked up."""

FIRST_TABLE = 1 << 12
"""Entries of the table of states, before it grows."""


class Rounds(Protocol):
    """Rounds of iterative deepening: each can be stopped and gone on with.

    `at`: what the kernel counts. `value`: of the heuristic, at the root; `begin`: a round with a limit; `run`: a
    portion of it, gives the kernel's status; `grow`: more room, False where memory forbids; `use`: other patterns;
    `plan`: the plan to the goal that `run` has met.
    """

    at: Any

    def begin(self, limit: int) -> None: ...
    def run(self) -> int: ...
    def grow(self, budget: Budget, status: int) -> bool: ...
    def use(self, patterns: Patterns) -> None: ...
    def value(self) -> int: ...
    def plan(self) -> Plan: ...


class LookupRounds:
    """Rounds over a task whose operators are looked up."""

    def __init__(self, task: Task, packed: BitsetTask, space: SuccessorTable, patterns: Patterns) -> None:
        self.task, self.packed, self.space = task, packed, space
        self.at = np.zeros(FIELDS, np.int64)
        self.use(patterns)

    def use(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.deltas = deltas_of(self.task, self.packed, patterns)
        init = list(self.task.init)
        tables = _tables_of(patterns, len(self.task.facts))
        self.position = patterns.first.copy()
        for fact in init:
            if tables[fact] >= 0:
                self.position[tables[fact]] += patterns.step[fact]

    def value(self) -> int:
        return int(patterns_value(self.patterns, self.packed.init))

    def begin(self, limit: int) -> None:
        depth = limit // int(self.packed.cost.min()) + 2
        root = len(self.task.operators)
        self.way = Way(
            np.full(depth, root, np.int32),
            np.zeros(depth, np.int32),
            np.zeros(depth, np.int32),
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            self.space.start.copy(),
            self.position.copy(),
            self.patterns.values[self.position].astype(np.int64),
        )
        self.way.branch[0], self.way.end[0] = self.space.first[root], self.space.first[root + 1]
        self.way.total[0] = self.value()
        self.at[LIMIT], self.at[LEAST], self.at[DEPTH], self.at[COST] = limit, NEVER, 0, 0

    def run(self) -> int:
        return int(deepen_lookup(self.space, self.deltas, self.way, self.at, LOOKUP_QUOTA))

    def grow(self, budget: Budget, status: int) -> bool:
        raise AssertionError("the way has room for every depth within the limit")

    def plan(self) -> Plan:
        path = self.way.operator[1 : self.at[DEPTH] + 1]
        return Plan.of(self.task.operators[n] for n in path)


def _tables_of(patterns: Patterns, facts: int) -> list[int]:
    """For each fact the table to which it belongs, or -1."""
    tables = [-1] * facts
    for number, row in enumerate(patterns.masks.tolist()):
        for fact in range(facts):
            if row[fact >> 6] >> (fact & 63) & 1:
                tables[fact] = number
    return tables


def deltas_of(task: Task, packed: BitsetTask, patterns: Patterns) -> Deltas:
    """What each operator adds to the heuristic."""
    single, step = patterns.single.tolist(), patterns.step.tolist()
    tables = _tables_of(patterns, len(task.facts))
    change, table, steps = [], [], []
    for op, cost in zip(task.operators, packed.cost.tolist(), strict=True):
        dead = any(single[f] < 0 for f in op.add)
        difference = sum(single[f] for f in op.add) - sum(max(0, single[f]) for f in op.delete)
        change.append(NEVER if dead else cost + difference)
        table.append(max((tables[f] for f in op.add), default=-1))
        steps.append(sum(step[f] for f in op.add) - sum(step[f] for f in op.delete))
    return Deltas(
        packed.cost,
        np.array(change, np.int64),
        np.array(table, np.int32),
        np.array(steps, np.int32),
        patterns.values,
    )


class RowsRounds:
    """Rounds over packed states with a table of those expanded; `needless` as for `deepen_rows`."""

    def __init__(
        self, task: Task, packed: BitsetTask, patterns: Patterns, needless: NDArray[np.bool_], budget: Budget
    ) -> None:
        self.task, self.packed, self.patterns = task, packed, patterns
        self.at = np.zeros(FIELDS, np.int64)
        self.opened = _open(packed.row, 1 << 10, 1 << 8)
        self.seen = _seen(packed.row, FIRST_TABLE)
        self.root = np.zeros(packed.row, np.uint64)
        self.root[: packed.words] = packed.init
        self.needless = needless
        self.walks = _Walks(task, packed, budget, self.root) if task.walker else None
        self.pace = Pace()

    def value(self) -> int:
        return int(patterns_value(self.patterns, self.packed.init)) if self.walks is None else self.walks.value

    def use(self, patterns: Patterns) -> None:
        self.patterns = patterns
        self.seen.round[:] = 0
        self.at[USED] = 0

    def begin(self, limit: int) -> None:
        self.opened.rows[0] = self.root
        self.opened.cost[0], self.opened.operator[0], self.opened.depth[0] = 0, -1, 0
        self.at[LIMIT], self.at[LEAST], self.at[TOP] = limit, NEVER, 1
        self.at[ROUND] += 1

    def run(self) -> int:
        opened, seen, at = self.opened, self.seen, self.at
        nodes, quota = int(at[NODES]), self.pace.begin()
        if self.walks is not None:
            status = self.walks.run(opened, seen, at, quota)
        else:
            deepen = deepen_compound_moves if self.task.compound_moves else deepen_rows
            status = int(deepen(self.packed, self.patterns, self.needless, opened, seen, at, quota))
        self.pace.end(int(at[NODES]) - nodes)
        return status

    def grow(self, budget: Budget, status: int) -> bool:
        """More room for what is full. Where the table may not grow, it loses entries from now on."""
        row, states = 8 * self.packed.row, len(self.seen.round)
        table, stack = states * (row + 12), len(self.opened.cost) * (row + 16)
        if status == TABLE:
            if not budget.fits(3 * table + stack):
                self.at[FIXED] = 1
                return True
            larger = _seen(self.packed.row, 2 * states)
            self.at[USED] = move_entries(self.seen, larger)
            self.seen = larger
            return True
        if not budget.fits(table + 3 * stack):
            return False
        size, depth = len(self.opened.cost), len(self.opened.path_operator)
        long = self.opened.depth[self.at[TOP] - 1] + 2 >= depth
        larger_stack = _open(self.packed.row, size if long else 2 * size, 2 * depth if long else depth)
        for name, old in self.opened._asdict().items():
            getattr(larger_stack, name)[: len(old)] = old
        self.opened = larger_stack
        return True

    def plan(self) -> Plan:
        depth = int(self.at[DEPTH])
        store = StateStore(self.packed, depth + 1)
        store.states[: depth + 1] = self.opened.path[: depth + 1]
        store.parent[: depth + 1] = np.arange(-1, depth)
        store.via[: depth + 1] = self.opened.path_operator[: depth + 1]
        return plan_to(self.task, store, depth)


class _Walks:
    """What a search with a walker needs more: its cost, and the estimates of A* (`heuristics.estimate`)."""

    def __init__(self, task: Task, packed: BitsetTask, budget: Budget, root: Words) -> None:
        from ....analysis.estimate import bound_of, look, prepare_estimate, survey

        assert task.walker
        self.packed = packed
        self.step_cost = cost_key(task.walker.cost)
        self.estimate = prepare_estimate(task, packed, budget)
        self.look = look(self.estimate.things)
        reached, stack = np.empty(len(packed.free_bit), np.uint8), np.empty(len(packed.free_bit), np.int32)
        region = walk_region(packed, root, packed.start, reached, stack)
        root[packed.words] = packed.start if self.step_cost else region
        board = int(survey(packed, self.estimate, self.look, root, packed.start))
        self.value = -1 if board < 0 else int(bound_of(self.estimate, self.look, board, root))

    def run(self, opened: Open, seen: TranspositionTable, at: NDArray[np.int64], quota: int) -> int:
        from .walk_kernels import deepen_walks

        return int(deepen_walks(self.packed, self.estimate, self.look, self.step_cost, opened, seen, at, quota))


def _open(row: int, size: int, depth: int) -> Open:
    return Open(
        np.empty((size, row), np.uint64),
        np.empty(size, np.int64),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.empty((depth, row), np.uint64),
        np.empty(depth, np.int32),
    )


def _seen(row: int, size: int) -> TranspositionTable:
    return TranspositionTable(np.empty((size, row), np.uint64), np.empty(size, np.int64), np.zeros(size, np.int32))
