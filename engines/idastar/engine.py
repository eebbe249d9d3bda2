"""IDA*: depth-first search below a limit on cost plus heuristic, raised to the least value that was cut.

R. E. Korf, *Depth-first iterative-deepening: an optimal admissible tree search*, *Artificial Intelligence* 27, 1985.
A finished round proves that no plan costs less than the least value that it cut. The heuristic is a sum over single
objects at first; when the search gets long, larger pattern databases are built (`analysis.pattern_databases`).

An n-puzzle's successors are looked up (`analysis.successor_table`), and nothing but the way is kept. All other tasks
keep a table of the states expanded with the least cost that led to them (Reinefeld and Marsland, *Enhanced
iterative-deepening search*, 1994), so that a round expands few states twice. Losing entries costs time only. Their
rounds grow slowly, so the limit is raised further, until one expands twice as much as the one before (after Sarkar and
others, *Reducing reexpansions in iterative-deepening search by controlling cutoff bounds*, 1991; Helmert and others,
*Iterative budgeted exponential search*, 2019), and the last round is branch and bound.

When a round cuts nothing but states that are known, the reachable states are exhausted: there is no plan. Without the
table IDA* cannot see this; where it takes long, a breadth-first search looks whether the states are few.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.bitset_task import COST_SHIFT, BitsetTask, cost_key, cost_of_key, to_bitset_task
from ...analysis.move_pruning import redundant_pairs_if_few
from ...analysis.pattern_databases import Patterns, additive_patterns, no_patterns, patterns_value
from ...analysis.successor_table import SuccessorTable, successor_table
from ...analysis.transition_graphs import root_value
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.task import OperatorTask
from ...models.text import counted
from ...runtime.arrays import Flags
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import laid_out
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.plans import plan_over
from ..common.root_bound import INITIAL, MATCHED, tell_root
from ..common.store import StateStore
from ..common.successors import operator_form, workspace
from ..common.work_quota import WorkQuota
from ..engine import switched_off
from . import CHECK, FEW_STATES, WITHOUT
from . import kernels as ida
from .kernels import Deltas, IDAStarSearch, OpenStack, PatternGuide, WalkGuide, Way, open_nodes, transposition_table

if TYPE_CHECKING:
    from ...analysis.heuristic import Estimate


# The rounds of IDA*, over a task whose operators are looked up, and over packed states with a table of them.

# Nodes between two looks at the clock, where operators are looked up: some 10 ms.
LOOKUP_QUOTA = 1_000_000

# Slots of the transposition table at first, a power of two.
FIRST_TABLE = 1 << 12

# Open nodes that there is room for at first.
FIRST_OPEN = 1 << 10

# States of a path that there is room for at first.
FIRST_DEPTH = 1 << 8


# Two kinds of rounds, each of which can be stopped and gone on with. `at`: what the kernel counts; `value`: of the
# heuristic, at the root; `begin`: a round with a limit; `run`: a portion of it, gives the kernel's status; `grow`: more
# room, False where memory forbids; `use`: other patterns; `plan`: the plan to the goal that `run` has met.


class LookupRounds:
    """Rounds over a task whose operators are looked up."""

    def __init__(self, task: OperatorTask, packed: BitsetTask, space: SuccessorTable, patterns: Patterns) -> None:
        self.task, self.packed, self.space = task, packed, space
        self.at = np.zeros(ida.FIELDS, np.int64)
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
        self.at[ida.LIMIT], self.at[ida.LEAST], self.at[ida.DEPTH], self.at[ida.COST] = limit, ida.NEVER, 0, 0

    def run(self) -> int:
        return int(ida.deepen_lookup(self.space, self.deltas, self.way, self.at, LOOKUP_QUOTA))

    def grow(self, _budget: Budget, _status: int) -> bool:
        raise AssertionError("the way has room for every depth within the limit")

    def plan(self) -> Plan:
        path = self.way.operator[1 : self.at[ida.DEPTH] + 1]
        return Plan.of(self.task.operators[n] for n in path)


def _tables_of(patterns: Patterns, facts: int) -> list[int]:
    """For each fact the table to which it belongs, or -1."""
    tables = [-1] * facts
    for number, row in enumerate(patterns.masks.tolist()):
        for fact in range(facts):
            if row[fact >> 6] >> (fact & 63) & 1:
                tables[fact] = number
    return tables


def deltas_of(task: OperatorTask, packed: BitsetTask, patterns: Patterns) -> Deltas:
    """What each operator adds to the heuristic."""
    single, step = patterns.single.tolist(), patterns.step.tolist()
    tables = _tables_of(patterns, len(task.facts))
    change, table, steps = [], [], []
    for op, cost in zip(task.operators, packed.cost.tolist(), strict=True):
        dead = any(single[f] < 0 for f in op.add)
        difference = sum(single[f] for f in op.add) - sum(max(0, single[f]) for f in op.delete)
        change.append(ida.NEVER if dead else cost + difference)
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
    """Rounds over packed states with a table of those expanded; `needless` as for `PatternGuide`, an `estimate` only
    for tasks with a walker.
    """

    def __init__(
        self, task: OperatorTask, packed: BitsetTask, patterns: Patterns, needless: Flags, estimate: Estimate | None
    ) -> None:
        self.task, self.packed, self.patterns = task, packed, patterns
        self.tables, self.estimate = laid_out(packed), estimate
        self.at = np.zeros(ida.FIELDS, np.int64)
        self.opened = open_nodes(packed.row, FIRST_OPEN, FIRST_DEPTH)
        self.seen = transposition_table(packed.row, FIRST_TABLE)
        self.work = workspace(packed)
        self.state, self.root = np.zeros(packed.row, np.uint64), operator_form(packed).init
        self.needless = needless
        self.guide: PatternGuide | WalkGuide = laid_out(PatternGuide(patterns, needless))
        if estimate is not None:
            self.walks = _walk_guide(task, packed, estimate)
            self.guide = laid_out(self.walks)
            if self.walks.step_cost:
                self.root[packed.words] = packed.start
        self.pace = WorkQuota()

    def value(self) -> int:
        if self.estimate is None:
            return int(patterns_value(self.patterns, self.packed.init))
        from ...analysis.deadlocks.freeze import WANTED
        from ...analysis.estimate import bound_of

        self.state[:] = self.root
        board = WANTED
        while board == WANTED:
            ida.deepen(self.tables, self.guide, self._search(), ida.ROOT)
            board = int(self.walks.board[0])
            if board == WANTED:
                self._add_board()
        return -1 if board < 0 else bound_of(self.estimate, self.walks.look, board, self.state)

    def _add_board(self) -> None:
        """Fill the tables that the kernel has asked for."""
        from ...analysis.deadlocks.freeze import add_board

        assert self.estimate
        add_board(self.packed, self.estimate.objects, self.estimate.boards)

    def use(self, patterns: Patterns) -> None:
        self.patterns, self.guide = patterns, laid_out(PatternGuide(patterns, self.needless))
        self.seen.round[:] = 0
        self.at[ida.USED] = 0

    def begin(self, limit: int) -> None:
        self.opened.rows[0] = self.root
        self.opened.cost[0], self.opened.operator[0], self.opened.depth[0] = 0, -1, 0
        self.at[ida.LIMIT], self.at[ida.LEAST], self.at[ida.TOP] = limit, ida.NEVER, 1
        self.at[ida.ROUND] += 1

    def compile_kernels(self, budget: Budget) -> None:
        """Compile the kernels of rounds with a walker."""
        ida.deepen.compile(self.tables, self.guide, self._search(), 0)
        self.grow(budget, ida.TABLE)

    def _search(self) -> IDAStarSearch:
        return IDAStarSearch(self.opened, self.seen, self.at, self.work, self.state)

    def run(self) -> int:
        nodes, quota = int(self.at[ida.NODES]), self.pace.begin()
        status = ida.deepen(self.tables, self.guide, self._search(), quota)
        if status == ida.BOARD:
            self._add_board()
        self.pace.end(int(self.at[ida.NODES]) - nodes)
        return int(status)

    def grow(self, budget: Budget, status: int) -> bool:
        """Enlarge the array that is full. Where the table may not grow, it loses entries from now on.

        Memory: an entry of the table has a row, a cost (8 bytes) and a round (4); a node of the stack has a row, a cost
        (8), an operator and a depth (4 each). While one of them is doubled, it is there three times: old and new.
        """
        row, slots = 8 * self.packed.row, len(self.seen.round)
        table, stack = slots * (row + 12), len(self.opened.cost) * (row + 16)
        if status == ida.TABLE:
            if not budget.fits(3 * table + stack):
                self.at[ida.FIXED] = 1
                return True
            larger = transposition_table(self.packed.row, 2 * slots)
            self.at[ida.USED] = ida.move_entries(self.seen, larger)
            self.seen = larger
            return True
        if not budget.fits(table + 3 * stack):
            return False
        size, depth = len(self.opened.cost), len(self.opened.path)
        long = self.opened.depth[self.at[ida.TOP] - 1] + 2 >= depth
        self.opened = _copied(self.opened, size if long else 2 * size, 2 * depth if long else depth)
        return True

    def plan(self) -> Plan:
        """The plan along the present path."""
        return plan_over(self.task, self.opened.path[: self.at[ida.DEPTH] + 1])[0]


def _walk_guide(task: OperatorTask, packed: BitsetTask, estimate: Estimate) -> WalkGuide:
    from ...analysis.estimate import survey_arrays

    assert task.walker
    return WalkGuide(
        estimate=estimate,
        look=survey_arrays(estimate.objects),
        distance=np.zeros(len(packed.free_bit), np.int32),
        cost=np.zeros(packed.most + 1, np.int64),
        board=np.zeros(1, np.int64),
        step_cost=cost_key(task.walker.cost),
    )


def _copied(opened: OpenStack, size: int, depth: int) -> OpenStack:
    """A copy of the open nodes and the path, with room for `size` nodes and `depth` of the path."""
    larger = open_nodes(opened.rows.shape[1], size, depth)
    arrays: Iterable[tuple[NDArray[Any], NDArray[Any]]] = zip(larger, opened, strict=True)
    for new, old in arrays:
        new[: len(old)] = old
    return larger


# A round that expands less than this many times what the one before did was not worth its while: the limit is raised
# further (Sarkar and others 1991).
GROWTH = 2

# Pattern databases where operators are looked up: after so many nodes, larger ones of so many entries are built.
LOOKUP_LADDER = (4_000_000, 1 << 20), (200_000_000, 1 << 24)

# The same for a search with a transposition table.
STATE_LADDER = ((20_000_000, 1 << 20),)

# If a step costs more than this many times what another one does, no successors are looked up.
ALIKE = 100


def solve(
    task: OperatorTask,
    budget: Budget,
    progress: Progress = silent,
    patterns: Patterns | None = None,
    without: str | None = None,
) -> Outcome:
    """Solve a task. With `patterns`, those are used from the beginning, and none are built (with a walker, none are
    used: the estimates of A* are).

    The outcome's lower bound is the limit of the current round.
    """
    record = Recorder(budget, progress, parts=len(task.metric), nodes=0)
    if done := record.trivial(task):
        return done
    return _Run(task, record, patterns, switched_off(WITHOUT, without)).solve()


def compile_kernels(task: OperatorTask, budget: Budget) -> None:
    """Compile all kernels of a search on a small task, also those that only a long one needs.

    Those of tasks with a walker are large, and compiled without the tables that they read.
    """
    record = Recorder(budget, parts=len(task.metric), nodes=0)
    if task.walker:
        from ...analysis.estimate import no_estimate

        packed = to_bitset_task(task)
        rounds = RowsRounds(task, packed, no_patterns(task), redundant_pairs_if_few(task), no_estimate(task, packed))
        rounds.compile_kernels(budget)
    elif not record.trivial(task):
        run = _Run(task, record, None)
        run.solve()
        run._exhausted()
        run.ladder = [(0, 1 << 12)]
        run._climb()
        if not run.looked_up:
            run.search.grow(budget, ida.TABLE)


def _estimate(task: OperatorTask, packed: BitsetTask, record: Recorder, without: frozenset[str]) -> Estimate | None:
    """The estimate of a search with a walker: its heuristic tables."""
    if task.walker is None:
        return None
    from ...analysis.estimate import prepare_estimate

    return prepare_estimate(task, packed, record.budget, partial(tell_root, record), without)


class _Run:
    """One call of the engine: its rounds, and the rungs of the heuristic's ladder.

    `bound` is proven, by what `by` says. The limit of a round may be above it, by `slack`. Then a plan that is found
    need not be the cheapest, and the round goes on below its cost: `best` is the cheapest so far, with its cost.
    """

    def __init__(
        self, task: OperatorTask, record: Recorder, patterns: Patterns | None, without: frozenset[str] = frozenset()
    ) -> None:
        if "patterns" in without:
            patterns = no_patterns(task)
        self.task, self.record, self.budget = task, record, record.budget
        self.packed = to_bitset_task(task)
        self.patterns = additive_patterns(task) if patterns is None else patterns
        if task.walker is None and "patterns" not in without:
            tell_root(record, root_value(task))
        needless = redundant_pairs_if_few(task)
        if "move-pruning" in without:
            needless = np.zeros_like(needless)
        # Nothing but the way is kept: it has to be short, so no step may cost a small part of what another one does.
        costs = [op.cost[0] for op in task.operators]
        space = successor_table(task, needless) if 0 < max(costs) <= ALIKE * min(costs) else None
        self.check = CHECK if space else 0
        self.search: LookupRounds | RowsRounds
        if space:
            self.search = LookupRounds(task, self.packed, space, self.patterns)
        else:
            estimate = _estimate(task, self.packed, record, without)
            self.search = RowsRounds(task, self.packed, self.patterns, needless, estimate)
        ladder = LOOKUP_LADDER if space else STATE_LADDER
        self.ladder = [] if patterns is not None or task.walker else list(ladder)
        self.looked_up = space is not None
        self.slack = self.made = self.expanded = 0
        self.bound, self.by = 0, ""
        self.best: tuple[int, Plan] | None = None
        self.rounds = 0
        self.building = 0.0
        record.encoded()

    def solve(self) -> Outcome:
        if not self._look_ahead():
            return self._unsolvable("projection: from the initial state the goal cannot be reached")
        while True:
            self.rounds += 1
            self.search.begin(min(self._limit(), self._known() - 1))
            ended = self._round()
            if ended is not None:
                return ended
            self.record.raise_bound(self._cost(self.bound), self.by, nodes=int(self.search.at[ida.NODES]))

    def _known(self) -> int:
        """The cost of the cheapest plan that anyone knows: only cheaper ones are looked for."""
        others = self.budget.incumbent
        known = ida.NEVER if others is None else cost_key(others)
        return min(known, self.best[0]) if self.best else known

    def _round(self) -> Outcome | None:
        """Search below the limit. None if there is to be another round."""
        search = self.search
        while True:
            search.at[ida.LIMIT] = min(int(search.at[ida.LIMIT]), self._known() - 1)
            status = search.run()
            nodes = int(search.at[ida.NODES])
            if status == ida.GOAL:
                self.best = int(search.at[ida.COST]), search.plan()
                if self.best[0] == self.bound:
                    return self._optimal(*self.best)
                self.record.found(self.best[1], self._cost(self.best[0]))
            known = self._known()
            if status == ida.DONE:
                if search.at[ida.LIMIT] >= known - 1:
                    return self._proven(known)
                if search.at[ida.LEAST] >= ida.NEVER:
                    return self._unsolvable(f"iterative deepening: round {self.rounds} left no state to expand")
                self.bound = int(search.at[ida.LEAST])
                self.by = self._after()
                self._measure()
                return None
            self.record.working(nodes=nodes)
            reason = self.budget.stopped()
            if not reason and status in (ida.ROOM, ida.TABLE) and not search.grow(self.budget, status):
                reason = "memory limit"
            if reason:
                return self._stopped(reason)
            if 0 < self.check <= nodes:
                self.check = 0
                if count := self._exhausted():
                    return self._unsolvable(f"breadth-first search: none of the {count:,} reachable states is a goal")
            if self.ladder and nodes >= self.ladder[0][0] and self._climb():
                possible = self._look_ahead()
                return None if possible else self._unsolvable("projection: the goal cannot be reached")

    def _limit(self) -> int:
        """The limit of the next round, at least the bound; it allows any second component of a cost."""
        if len(self.task.metric) == 1:
            return self.bound + self.slack
        return ((self.bound >> COST_SHIFT) + self.slack + 1 << COST_SHIFT) - 1

    def _after(self) -> str:
        return f"iterative deepening: {counted(self.rounds, 'round')} excluded all cheaper plans"

    def _measure(self) -> None:
        """After a round: the limit rises faster where rounds do not grow, slower where they do."""
        expanded = int(self.search.at[ida.EXPANDED])
        made = expanded - self.expanded
        if not self.looked_up:
            self.slack = max(1, 2 * self.slack) if made < GROWTH * self.made else self.slack // 2
        self.made, self.expanded = made, expanded

    def _look_ahead(self) -> bool:
        """Raise the bound to the initial state's heuristic value. False if that is infinite."""
        value = self.search.value()
        if value > self.bound or not self.by:
            self.bound, self.by = value, INITIAL
            tell_root(self.record, value)
        return value >= 0

    def _climb(self) -> bool:
        """Build the next larger tables. True if the heuristic has changed, and the round has to begin anew."""
        _, entries = self.ladder.pop(0)
        began = time.monotonic()
        patterns = additive_patterns(self.task, entries, self.budget)
        self.building += time.monotonic() - began
        if len(patterns.values) <= len(self.patterns.values):
            return False
        self.patterns = patterns
        self.search.use(patterns)
        self.slack = self.made = 0
        return True

    def _exhausted(self) -> int:
        """The number of reachable states if they are few and none is a goal, else 0."""
        return StateStore(self.task).exhausted(self.budget, FEW_STATES)

    def _cost(self, key: int) -> Cost:
        return cost_of_key(key, len(self.task.metric))

    def _optimal(self, key: int, plan: Plan) -> Outcome:
        self.record.stats = self._stats()
        return self.record.optimal(plan, self._cost(key), self._after())

    def _proven(self, known: int) -> Outcome:
        """The outcome when it is proven that no plan is cheaper than the known one."""
        if self.best and self.best[0] == known:
            return self._optimal(*self.best)
        self.bound, self.by = known, self._after()
        return self._stopped(MATCHED)

    def _unsolvable(self, by: str) -> Outcome:
        self.record.stats = self._stats()
        return self.record.unsolvable(by)

    def _stopped(self, reason: str) -> Outcome:
        self.record.stats = self._stats()
        self.record.raise_bound(self._cost(self.bound), self.by, nodes=int(self.search.at[ida.NODES]))
        return self.record.stopped(reason)

    def _stats(self) -> dict[str, Count]:
        at = self.search.at
        stats: dict[str, Count] = {
            "nodes": int(at[ida.NODES]),
            "expanded": int(at[ida.EXPANDED]),
            "iterations": self.rounds,
        }
        if isinstance(self.search, RowsRounds):
            stats.update(table_hits=int(at[ida.HITS]), table_states=int(at[ida.USED]), table_lost=int(at[ida.LOST]))
        stats.update(pattern_entries=len(self.patterns.values), pattern_seconds=round(self.building, 3))
        return stats
