"""The rounds of IDA*, over a task whose operators are looked up, and over packed states with a table of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_kernels import walk_region
from ...analysis.bitset_task import BitsetTask, cost_key
from ...analysis.pattern_databases import Patterns, patterns_value
from ...analysis.successor_table import SuccessorTable
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.arrays import Flags, Longs, Words
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ..common.plans import plan_over
from ..common.successors import workspace
from ..common.work_quota import WorkQuota
from .kernels import (
    BOARD,
    COST,
    DEPTH,
    FIELDS,
    FIXED,
    LEAST,
    LIMIT,
    NEVER,
    NODES,
    ROOT,
    ROUND,
    TABLE,
    TOP,
    USED,
    Deltas,
    IDAStarSearch,
    OpenStack,
    Way,
    deepen_lookup,
    deepen_rows,
    move_entries,
    open_nodes,
    transposition_table,
)

if TYPE_CHECKING:
    from ...analysis.heuristic import Estimate

# Nodes between two looks at the clock, where operators are looked up: some 10 ms.
LOOKUP_QUOTA = 1_000_000

# Slots of the transposition table at first, a power of two.
FIRST_TABLE = 1 << 12

# Open nodes that there is room for at first.
FIRST_OPEN = 1 << 10

# States of a path that there is room for at first.
FIRST_DEPTH = 1 << 8


class Rounds(Protocol):
    """Rounds of iterative deepening: each can be stopped and gone on with.

    `at`: what the kernel counts. `value`: of the heuristic, at the root; `begin`: a round with a limit; `run`: a
    portion of it, gives the kernel's status; `grow`: more room, False where memory forbids; `use`: other patterns;
    `plan`: the plan to the goal that `run` has met.
    """

    at: Longs

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
            operator=np.full(depth, root, np.int32),
            branch=np.zeros(depth, np.int32),
            end=np.zeros(depth, np.int32),
            total=np.zeros(depth, np.int64),
            held=np.zeros(depth, np.int64),
            value=self.space.start.copy(),
            position=self.position.copy(),
            entry=self.patterns.values[self.position].astype(np.int64),
        )
        self.way.branch[0], self.way.end[0] = self.space.first[root], self.space.first[root + 1]
        self.way.total[0] = self.value()
        self.at[LIMIT], self.at[LEAST], self.at[DEPTH], self.at[COST] = limit, NEVER, 0, 0

    def run(self) -> int:
        return int(deepen_lookup(self.space, self.deltas, self.way, self.at, LOOKUP_QUOTA))

    def grow(self, _budget: Budget, _status: int) -> bool:
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
        cost=packed.cost,
        change=np.array(change, np.int64),
        table=np.array(table, np.int32),
        step=np.array(steps, np.int32),
        values=patterns.values,
    )


class RowsRounds:
    """Rounds over packed states with a table of those expanded; `needless` as for `deepen_rows`, an `estimate` only for
    tasks with a walker.
    """

    def __init__(
        self, task: Task, packed: BitsetTask, patterns: Patterns, needless: Flags, estimate: Estimate | None
    ) -> None:
        self.task, self.packed, self.patterns = task, packed, patterns
        self.tables, self.laid_patterns = laid_out(packed), laid_out(patterns)
        self.at = np.zeros(FIELDS, np.int64)
        self.opened = open_nodes(packed.row, FIRST_OPEN, FIRST_DEPTH)
        self.seen = transposition_table(packed.row, FIRST_TABLE)
        self.work = workspace(packed)
        self.state, self.row = np.zeros(packed.row, np.uint64), np.zeros(packed.row, np.uint64)
        self.root = np.zeros(packed.row, np.uint64)
        self.root[: packed.words] = packed.init
        self.needless = needless
        self.walks = None if estimate is None else _Walks(task, packed, estimate, self.root)
        self.pace = WorkQuota()

    def value(self) -> int:
        if self.walks is not None:
            self.state[:] = self.root
            return self.walks.value(self._search())
        return int(patterns_value(self.patterns, self.packed.init))

    def use(self, patterns: Patterns) -> None:
        self.patterns, self.laid_patterns = patterns, laid_out(patterns)
        self.seen.round[:] = 0
        self.at[USED] = 0

    def begin(self, limit: int) -> None:
        self.opened.rows[0] = self.root
        self.opened.cost[0], self.opened.operator[0], self.opened.depth[0] = 0, -1, 0
        self.at[LIMIT], self.at[LEAST], self.at[TOP] = limit, NEVER, 1
        self.at[ROUND] += 1

    def compile_kernels(self, budget: Budget) -> None:
        """Compile the kernels of rounds with a walker."""
        from .kernels import deepen_walks

        assert self.walks
        deepen_walks.compile(*self.walks.arguments(self._search(), 0))
        self.grow(budget, TABLE)

    def _search(self) -> IDAStarSearch:
        return IDAStarSearch(self.opened, self.seen, self.at, self.work, self.state, self.row)

    def run(self) -> int:
        nodes, quota = int(self.at[NODES]), self.pace.begin()
        search = self._search()
        if self.walks is not None:
            status = self.walks.run(search, quota)
            if status == BOARD:
                self.walks.add_board()
        else:
            status = deepen_rows(self.tables, self.laid_patterns, self.needless, search, quota)
        self.pace.end(int(self.at[NODES]) - nodes)
        return int(status)

    def grow(self, budget: Budget, status: int) -> bool:
        """Enlarge the array that is full. Where the table may not grow, it loses entries from now on.

        Memory: an entry of the table has a row, a cost (8 bytes) and a round (4); a node of the stack has a row, a cost
        (8), an operator and a depth (4 each). While one of them is doubled, it is there three times: old and new.
        """
        row, slots = 8 * self.packed.row, len(self.seen.round)
        table, stack = slots * (row + 12), len(self.opened.cost) * (row + 16)
        if status == TABLE:
            if not budget.fits(3 * table + stack):
                self.at[FIXED] = 1
                return True
            larger = transposition_table(self.packed.row, 2 * slots)
            self.at[USED] = move_entries(self.seen, larger)
            self.seen = larger
            return True
        if not budget.fits(table + 3 * stack):
            return False
        size, depth = len(self.opened.cost), len(self.opened.path)
        long = self.opened.depth[self.at[TOP] - 1] + 2 >= depth
        self.opened = _copied(self.opened, size if long else 2 * size, 2 * depth if long else depth)
        return True

    def plan(self) -> Plan:
        """The plan along the present path."""
        return plan_over(self.task, self.opened.path[: self.at[DEPTH] + 1])[0]


class _Walks:
    """The additional state of rounds with a walker: the cost of its steps, and the estimates of A*
    (`analysis.estimate`).
    """

    def __init__(self, task: Task, packed: BitsetTask, estimate: Estimate, root: Words) -> None:
        from ...analysis.estimate import survey_arrays

        assert task.walker
        self.packed, self.tables = packed, laid_out(packed)
        self.step_cost = cost_key(task.walker.cost)
        self.estimate = estimate
        self.look = survey_arrays(self.estimate.objects)
        self.laid_estimate, self.laid_look = laid_out(self.estimate), laid_out(self.look)
        reached, stack = np.empty(len(packed.free_bit), np.uint8), np.empty(len(packed.free_bit), np.int32)
        self.distance = np.zeros(len(packed.free_bit), np.int32)
        region = walk_region(packed, root, packed.start, reached, stack)
        root[packed.words] = packed.start if self.step_cost else region

    def value(self, search: IDAStarSearch) -> int:
        """The heuristic value of the initial state, in `search.state`."""
        from ...analysis.deadlocks.freeze import WANTED
        from ...analysis.estimate import bound_of

        board = self.run(search, ROOT)
        if board == WANTED:
            self.add_board()
            board = self.run(search, ROOT)
        return -1 if board < 0 else bound_of(self.estimate, self.look, board, search.state)

    def add_board(self) -> None:
        """Fill the tables that the kernel has asked for."""
        from ...analysis.deadlocks.freeze import add_board

        add_board(self.packed, self.estimate.objects, self.estimate.boards)

    def arguments(self, search: IDAStarSearch, quota: int) -> tuple[object, ...]:
        """The arguments of `deepen_walks`."""
        return self.tables, self.laid_estimate, self.laid_look, search, self.distance, self.step_cost, quota

    def run(self, search: IDAStarSearch, quota: int) -> int:
        from .kernels import deepen_walks

        ended: int = deepen_walks(*self.arguments(search, quota))
        return ended


def _copied(opened: OpenStack, size: int, depth: int) -> OpenStack:
    """A copy of the open nodes and the path, with room for `size` nodes and `depth` of the path."""
    larger = open_nodes(opened.rows.shape[1], size, depth)
    arrays: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(larger, opened, strict=True)
    for new, old in arrays:
        new[: len(old)] = old
    return larger
