"""IDA*: depth-first search below a limit on cost plus heuristic, raised to the least value that was cut.

R. E. Korf, *Depth-first iterative-deepening: an optimal admissible tree search*, *Artificial Intelligence* 27, 1985.
A finished round proves that no plan costs less than the least value that it cut. The heuristic is a sum over single
objects at first; when the search gets long, larger pattern databases are built (`analysis.pattern_databases`). Over
actions as programs it is that of projections to single variables, then of pattern databases (`common.growing_bounds`).

An n-puzzle's successors are looked up (`analysis.successor_table`), and nothing but the way is kept. All other tasks
keep a table of the states expanded with the least cost that led to them (Reinefeld and Marsland, *Enhanced
iterative-deepening search*, 1994), so that a round expands few states twice. Losing entries costs time only. With a
table rounds grow slowly, so the limit is raised further, until one expands twice as much as the one before (after
Sarkar and others, *Reducing reexpansions in iterative-deepening search by controlling cutoff bounds*, 1991; Helmert and
others, *Iterative budgeted exponential search*, 2019), and the last round is branch and bound.

When a round cuts nothing but states that are known, the reachable states are exhausted: there is no plan. Without the
table IDA* cannot see this; where it takes long, a breadth-first search looks whether the states are few.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
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
from ...models.program import ProgramTask, by_form
from ...models.task import OperatorTask, Task
from ...models.text import counted
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import laid_out
from ...runtime.outcome import INITIAL, Count, Outcome, Recorder
from ..common.growing_bounds import GrowingBounds
from ..common.plans import plan_over, told_apart
from ..common.root_bound import MATCHED, tell_root
from ..common.store import LONG, StateStore
from ..common.successors import form_of, quicker_form
from ..common.work_quota import WorkQuota
from ..engine import switched_off
from . import CHECK, FEW_STATES, WITHOUT
from . import kernels as ida
from .kernels import (
    Deltas,
    Guide,
    IDAStarSearch,
    OpenStack,
    PatternGuide,
    ProgramGuide,
    WalkGuide,
    Way,
    open_nodes,
    transposition_table,
)

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
# room, False where memory forbids; `use`: another heuristic; `plan`: the plan to the goal that `run` has met.


class LookupRounds:
    """Rounds over a task whose operators are looked up."""

    slack_grows = False
    """Nothing but the way is kept: a limit raised further would have whole subtrees searched for nothing."""

    def __init__(self, task: OperatorTask, space: SuccessorTable, patterns: Patterns) -> None:
        self.task, self.packed, self.space = task, to_bitset_task(task), space
        self.at = np.zeros(ida.FIELDS, np.int64)
        self.use(patterns)

    def use(self, patterns: Any) -> None:
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
    """Rounds over packed states, of operators and of programs, with a table of those expanded. `guide_of`: what guides
    the kernel, from the `heuristic`.
    """

    slack_grows = True

    def __init__(self, task: Task, heuristic: Any, guide_of: Callable[[Any], Guide]) -> None:
        self.task, self.guide_of, self.quick = task, guide_of, False
        form = form_of(task)
        self.form, self.root = laid_out(form), form.init.copy()
        self.at = np.zeros(ida.FIELDS, np.int64)
        self.opened = open_nodes(len(self.root), FIRST_OPEN, FIRST_DEPTH)
        self.seen = transposition_table(len(self.root), FIRST_TABLE)
        self.state = np.zeros_like(self.root)
        self.guide: Guide = laid_out(guide_of(heuristic))
        self.pace = WorkQuota()

    def value(self) -> int:
        return int(ida.root_value(self.form, self.guide, self.root))

    def use(self, heuristic: Any) -> None:
        self.guide = laid_out(self.guide_of(heuristic))
        self.seen.round[:] = 0
        self.at[ida.USED] = 0

    def begin(self, limit: int) -> None:
        self.opened.rows[0] = self.root
        self.opened.cost[0], self.opened.operator[0], self.opened.depth[0] = 0, -1, 0
        self.at[ida.LIMIT], self.at[ida.LEAST], self.at[ida.TOP] = limit, ida.NEVER, 1
        self.at[ida.ROUND] += 1

    def compile_kernels(self, budget: Budget) -> None:
        """Compile the kernel of rounds, and let the table grow."""
        ida.deepen.compile(self.form, self.guide, self._search(), 0)
        self.grow(budget, ida.TABLE)

    def _search(self) -> IDAStarSearch:
        return IDAStarSearch(self.opened, self.seen, self.at, self.state)

    def run(self) -> int:
        if not self.quick and self.at[ida.EXPANDED] > LONG:
            self.form, self.quick = laid_out(quicker_form(self.task)), True
        nodes, quota = int(self.at[ida.NODES]), self.pace.begin()
        status = ida.deepen(self.form, self.guide, self._search(), quota)
        self.pace.end(int(self.at[ida.NODES]) - nodes)
        return int(status)

    def grow(self, budget: Budget, status: int) -> bool:
        """Enlarge the array that is full. Where the table may not grow, it loses entries from now on.

        Memory: an entry of the table has a row, a cost (8 bytes) and a round (4); a node of the stack has a row, a cost
        (8), an operator and a depth (4 each). While one of them is doubled, it is there three times: old and new.
        """
        row, slots = 8 * len(self.root), len(self.seen.round)
        table, stack = slots * (row + 12), len(self.opened.cost) * (row + 16)
        if status == ida.TABLE:
            if not budget.fits(3 * table + stack):
                self.at[ida.FIXED] = 1
                return True
            larger = transposition_table(len(self.root), 2 * slots)
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
        rows = self.opened.path[: self.at[ida.DEPTH] + 1]
        return plan_over(self.task, told_apart(self.task, rows))[0]


class WalkRounds(RowsRounds):
    """Rounds over a task with a walker, guided by the estimates of A*, whose tables of boards are filled when asked
    for.
    """

    def __init__(self, task: OperatorTask, estimate: Estimate) -> None:
        self.packed, self.estimate, self.walks = to_bitset_task(task), estimate, _walk_guide(task, estimate)
        super().__init__(task, self.walks, lambda guide: guide)
        if self.walks.step_cost:
            self.root[self.packed.words] = self.packed.start

    def value(self) -> int:
        from ...analysis.estimate import root_value

        return root_value(self.packed, self.estimate)

    def run(self) -> int:
        from ...analysis.deadlocks.freeze import add_board

        status = super().run()
        if status == ida.BOARD:  # the tables that the kernel has asked for
            add_board(self.packed, self.estimate.objects, self.estimate.boards)
        return status


def _walk_guide(task: OperatorTask, estimate: Estimate) -> WalkGuide:
    from ...analysis.estimate import survey_arrays

    assert task.walker
    packed = to_bitset_task(task)
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


class PatternLadder:
    """Pattern databases: `patterns` at first, and after so many nodes (`rungs`) larger ones of so many entries."""

    def __init__(
        self, task: OperatorTask, record: Recorder, patterns: Patterns, rungs: Iterable[tuple[int, int]]
    ) -> None:
        self.task, self.record, self.found, self.rungs = task, record, patterns, list(rungs)
        self.building = 0.0
        self._count()

    def grow(self, nodes: int) -> bool:
        """Build the next larger tables, if it is time; whether there are new ones."""
        if not self.rungs or nodes < self.rungs[0][0]:
            return False
        began = time.monotonic()
        patterns = additive_patterns(self.task, self.rungs.pop(0)[1], self.record.budget)
        self.building += time.monotonic() - began
        larger = len(patterns.values) > len(self.found.values)
        self.found = patterns if larger else self.found
        self._count()
        return larger

    def _count(self) -> None:
        self.record.stats.update(pattern_entries=len(self.found.values), pattern_seconds=round(self.building, 3))


def solve(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    patterns: Patterns | None = None,
    without: str | None = None,
) -> Outcome:
    """Solve a task. With `patterns`, those are used from the beginning, and none are built (with a walker, and where
    actions are programs, none are used).

    The outcome's lower bound is the limit of the current round.
    """
    record = Recorder(budget, progress, parts=len(task.metric), nodes=0)
    if done := record.trivial(task):
        return done
    left_out = switched_off(WITHOUT, without)
    return by_form(
        task,
        lambda operators: _run_of(operators, record, patterns, left_out),
        lambda programs: _run_over(programs, record, left_out),
    ).solve()


def _run_over(task: ProgramTask, record: Recorder, without: frozenset[str]) -> _Run:
    """The run over actions as programs."""
    bounds = GrowingBounds(task, record, without)
    return _Run(task, record, RowsRounds(task, bounds.found, lambda found: ProgramGuide(found.tables)), bounds)


def compile_kernels(task: OperatorTask, budget: Budget) -> None:
    """Compile all kernels of a search on a small task, also those that only a long one needs.

    Those of tasks with a walker are large, and compiled without the tables that they read.
    """
    record = Recorder(budget, parts=len(task.metric), nodes=0)
    if task.walker:
        from ...analysis.estimate import no_estimate

        WalkRounds(task, no_estimate(task, to_bitset_task(task))).compile_kernels(budget)
    elif not record.trivial(task):
        run = _run_of(task, record)
        run.solve()
        run.exhausted()
        PatternLadder(task, record, no_patterns(task), [(0, 1 << 12)]).grow(0)
        if isinstance(run.search, RowsRounds):
            run.search.grow(budget, ida.TABLE)


def _run_of(
    task: OperatorTask, record: Recorder, patterns: Patterns | None = None, without: frozenset[str] = frozenset()
) -> _Run:
    """The run that suits a task of operators: its rounds, and its heuristic."""
    given = patterns is not None or task.walker is not None
    if "patterns" in without:
        patterns, given = no_patterns(task), True
    elif patterns is None:
        patterns = additive_patterns(task)
    if task.walker is not None:
        from ...analysis.estimate import prepare_estimate

        packed = to_bitset_task(task)
        estimate = prepare_estimate(task, packed, record.budget, partial(tell_root, record), without)
        return _Run(task, record, WalkRounds(task, estimate), PatternLadder(task, record, patterns, ()))
    if "patterns" not in without:
        tell_root(record, root_value(task))
    needless = redundant_pairs_if_few(task)
    if "move-pruning" in without:
        needless = np.zeros_like(needless)
    # Nothing but the way is kept: it has to be short, so no step may cost a small part of what another one does.
    costs = [op.cost[0] for op in task.operators]
    space = successor_table(task, needless) if 0 < max(costs) <= ALIKE * min(costs) else None
    ladder = PatternLadder(task, record, patterns, () if given else LOOKUP_LADDER if space else STATE_LADDER)
    if space:
        return _Run(task, record, LookupRounds(task, space, patterns), ladder, CHECK)
    return _Run(task, record, RowsRounds(task, patterns, lambda found: PatternGuide(found, needless)), ladder)


class _Run:
    """One call of the engine: its rounds, and the heuristic that grows. `check`: after so many nodes it is looked
    whether the reachable states are few, 0 where rounds see that.

    `bound` is proven, by what `by` says. The limit of a round may be above it, by `slack`. Then a plan that is found
    need not be the cheapest, and the round goes on below its cost: `best` is the cheapest so far, with its cost.
    """

    def __init__(
        self,
        task: Task,
        record: Recorder,
        search: LookupRounds | RowsRounds,
        heuristic: PatternLadder | GrowingBounds,
        check: int = 0,
    ) -> None:
        self.task, self.record, self.budget = task, record, record.budget
        self.search, self.heuristic, self.check = search, heuristic, check
        self.slack = self.made = self.expanded = 0
        self.bound, self.by = 0, ""
        self.best: tuple[int, Plan] | None = None
        self.rounds = 0
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
                if count := self.exhausted():
                    return self._unsolvable(f"breadth-first search: none of the {count:,} reachable states is a goal")
            if self.heuristic.grow(nodes):
                search.use(self.heuristic.found)
                self.slack = self.made = 0
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
        if self.search.slack_grows:
            self.slack = max(1, 2 * self.slack) if made < GROWTH * self.made else self.slack // 2
        self.made, self.expanded = made, expanded

    def _look_ahead(self) -> bool:
        """Raise the bound to the initial state's heuristic value. False if that is infinite."""
        value = self.search.value()
        if value > self.bound or not self.by:
            self.bound, self.by = value, INITIAL
            tell_root(self.record, value)
        return value >= 0

    def exhausted(self) -> int:
        """The number of reachable states if they are few and none is a goal, else 0."""
        return StateStore(self.task).count_all(self.budget, FEW_STATES)

    def _cost(self, key: int) -> Cost:
        return cost_of_key(key, len(self.task.metric))

    def _optimal(self, key: int, plan: Plan) -> Outcome:
        self.record.stats.update(self._stats())
        return self.record.optimal(plan, self._cost(key), self._after())

    def _proven(self, known: int) -> Outcome:
        """The outcome when it is proven that no plan is cheaper than the known one."""
        if self.best and self.best[0] == known:
            return self._optimal(*self.best)
        self.bound, self.by = known, self._after()
        return self._stopped(MATCHED)

    def _unsolvable(self, by: str) -> Outcome:
        self.record.stats.update(self._stats())
        return self.record.unsolvable(by)

    def _stopped(self, reason: str) -> Outcome:
        self.record.stats.update(self._stats())
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
        return stats
