"""IDA*: depth-first search below a limit on cost plus heuristic, raised to the least value that was cut.

R. E. Korf, *Depth-first iterative-deepening: an optimal admissible tree search*, *Artificial Intelligence* 27, 1985.
A finished round proves that no plan costs less than the least value that it cut. The heuristic is a sum over single
objects at first; when the search gets long, larger pattern databases are built (`analysis.patterns`).

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
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...analysis.bitset_task import COST_SHIFT, BitsetTask, cost_key, cost_of_key, to_bitset_task
from ...analysis.move_pruning import redundant_pairs_if_few
from ...analysis.pattern_databases import Patterns, additive_patterns, no_patterns, root_value
from ...analysis.successor_table import successor_table
from ...models.moves import Cost
from ...models.plan import Plan
from ...models.task import Task
from ...models.text import counted
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ...runtime.events import Progress, silent
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.root_bound import INITIAL, MATCHED, tell_root
from ..common.store import StateStore
from ..common.switches import switched_off
from ..common.work_quota import WorkQuota
from . import CHECK, FEW_STATES, WITHOUT
from .kernels import COST, DONE, EXPANDED, GOAL, HITS, LEAST, LIMIT, LOST, NEVER, NODES, ROOM, TABLE, USED
from .rounds import LookupRounds, Rounds, RowsRounds

if TYPE_CHECKING:
    from ...analysis.heuristic import Estimate

# A round that expands less than this many times what the one before did was not worth its while: the limit is raised
# further (Sarkar and others 1991).
GROWTH = 2

# Pattern databases where operators are looked up: after so many nodes, larger ones of so many entries are built.
LOOKUP_LADDER = (4_000_000, 1 << 20), (200_000_000, 1 << 24)

# The same for a search with a transposition table.
STATE_LADDER = ((20_000_000, 1 << 20),)

# If a step costs more than this many times what another one does, no successors are looked up.
ALIKE = 100


def iterative_deepening(
    task: Task,
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


def compile_kernels(task: Task, budget: Budget) -> None:
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
            run.search.grow(budget, TABLE)


def _estimate(task: Task, packed: BitsetTask, record: Recorder, without: frozenset[str]) -> Estimate | None:
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
        self, task: Task, record: Recorder, patterns: Patterns | None, without: frozenset[str] = frozenset()
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
        self.search: Rounds
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
            self.record.raise_bound(self._cost(self.bound), self.by, nodes=int(self.search.at[NODES]))

    def _known(self) -> int:
        """The cost of the cheapest plan that anyone knows: only cheaper ones are looked for."""
        others = self.budget.incumbent
        known = NEVER if others is None else cost_key(others)
        return min(known, self.best[0]) if self.best else known

    def _round(self) -> Outcome | None:
        """Search below the limit. None if there is to be another round."""
        search = self.search
        while True:
            search.at[LIMIT] = min(int(search.at[LIMIT]), self._known() - 1)
            status = search.run()
            nodes = int(search.at[NODES])
            if status == GOAL:
                self.best = int(search.at[COST]), search.plan()
                if self.best[0] == self.bound:
                    return self._optimal(*self.best)
                self.record.found(self.best[1], self._cost(self.best[0]))
            known = self._known()
            if status == DONE:
                if search.at[LIMIT] >= known - 1:
                    return self._proven(known)
                if search.at[LEAST] >= NEVER:
                    return self._unsolvable(f"iterative deepening: round {self.rounds} left no state to expand")
                self.bound = int(search.at[LEAST])
                self.by = self._after()
                self._measure()
                return None
            self.record.working(nodes=nodes)
            reason = self.budget.stopped()
            if not reason and status in (ROOM, TABLE) and not search.grow(self.budget, status):
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
        expanded = int(self.search.at[EXPANDED])
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
        store, tables, cursor, pace = StateStore(self.packed), laid_out(self.packed), 0, WorkQuota()
        while store.count <= FEW_STATES:
            cursor, goal = store.advance(tables, cursor, store.count, pace)
            if goal >= 0 or self.budget.stopped():
                return 0
            if cursor == store.count:
                return int(store.count)
            if store.full and not store.grow(self.budget):
                return 0
        return 0

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
        self.record.raise_bound(self._cost(self.bound), self.by, nodes=int(self.search.at[NODES]))
        return self.record.stopped(reason)

    def _stats(self) -> dict[str, Count]:
        at = self.search.at
        stats: dict[str, Count] = {"nodes": int(at[NODES]), "expanded": int(at[EXPANDED]), "iterations": self.rounds}
        if isinstance(self.search, RowsRounds):
            stats.update(table_hits=int(at[HITS]), table_states=int(at[USED]), table_lost=int(at[LOST]))
        stats.update(pattern_entries=len(self.patterns.values), pattern_seconds=round(self.building, 3))
        return stats
