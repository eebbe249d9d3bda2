"""IDA* over actions as programs that are substitutions (`analysis.inverse_programs`): nothing is stored but the way.

Ways that lead in a circle are not seen, so that rounds never end where there is no plan. Therefore breadth-first search
looks, from time to time, whether the reachable states are few: each time as many more as there have been nodes.
Pairs of actions that lead where one action leads, or an earlier pair, are not followed. The bound is that of
projections to single variables at first; when the search gets long, that of pattern databases
(`common.growing_bounds`).
"""

from __future__ import annotations

import numpy as np

from ...analysis.abstractions import NEVER
from ...analysis.inverse_programs import both_ways_of, digits_of
from ...analysis.program_machine import packed, program_tables, run, unpack
from ...analysis.program_projections import ProjectionTables, from_lows, lower_bound
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.arrays import Longs
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import laid_out, njit
from ...runtime.outcome import Outcome, Recorder
from ..common.growing_bounds import GrowingBounds
from ..common.plans import plan_over
from ..common.store import StateStore
from ..common.walk import Trail, Walk, next_step, trail_of, walks_of
from ..common.work_quota import WorkQuota
from ..engine import switched_off
from . import CHECK, FEW_STATES, WITHOUT

# The compiled kernel of IDA* over actions as programs.

LEVEL, LIMIT, NEXT, NODES, FOUND = range(5)
"""Where in `control` stand: the number of steps of the way, -1 when the round is over; the limit; the least value that
was cut; the nodes so far; whether a goal was found."""


@njit()
def bound_at(bounds: ProjectionTables, digits: Longs) -> int:
    """The lower bound of a state given by the values of its variables, minus the lowest; -1 for a dead end."""
    return lower_bound(bounds, digits)


@njit()
def deepen(walk: Walk, bounds: ProjectionTables, trail: Trail, control: Longs, quota: int) -> None:
    """Go on with a round for about `quota` nodes: depth-first over all ways whose steps and bound are within the limit.

    `bounds`: for values minus the lowest. `trail`: the way; at its state `level`, `chosen[level]` is the action that is
    being looked at. It ends at a goal, which is then state LEVEL of the way.
    """
    rows, digits, chosen = trail.rows, trail.digits, trail.chosen
    level, limit, least = control[LEVEL], control[LIMIT], control[NEXT]
    nodes = 0
    while level >= 0 and nodes < quota:
        if not next_step(walk, trail, level):
            level -= 1
            continue
        # 1. The state after the step, and its bound: a dead end, or beyond the limit.
        nodes += 1
        digits_of(walk.tables, rows[level + 1], digits[level + 1])
        bound = lower_bound(bounds, digits[level + 1])
        if bound < 0:
            continue
        if level + 1 + bound > limit:
            least = min(least, level + 1 + bound)
            continue
        # 2. One step deeper. Only where the bound is 0 a goal has to be looked for.
        level += 1
        chosen[level] = -1
        if bound == 0:
            unpack(walk.tables, rows[level], walk.scratch)
            if run(walk.tables, walk.scratch, walk.tables.goal, walk.scratch.runs[0]) >= 0:
                control[FOUND] = 1
                break
    control[LEVEL], control[NEXT] = level, min(least, NEVER)
    control[NODES] += nodes


SOONER = 16
"""Breadth-first search first looks after this part of the nodes that a search over operators waits for, at this part of
the states.
"""

AGAIN = 8
"""How many times as many nodes, and states, until breadth-first search looks again whether there is a goal."""


def solve_programs(
    task: ProgramTask, budget: Budget, progress: Progress = silent, without: str | None = None
) -> Outcome:
    """Solve a task whose actions are programs. Raises `UsageError` where they are no substitutions."""
    record = Recorder(budget, progress, parts=len(task.metric), nodes=0)
    if done := record.trivial(task):
        return done
    both_ways = task.computed(both_ways_of)
    if isinstance(both_ways, str):
        raise UsageError(f"the engine `idastar` keeps nothing but the way: {both_ways}")
    tables = task.computed(program_tables)
    left_out = switched_off(WITHOUT, without)
    walk, _ = walks_of(task, tables, both_ways)
    if "move-pruning" in left_out:
        walk = walk._replace(useful=np.ones_like(walk.useful))
    bounds = GrowingBounds(task, record, left_out)
    record.encoded()
    return _Rounds(task, walk, bounds, record).search()


class _Rounds:
    """Rounds with rising limits. A finished round proves that no plan costs less than the least value that it cut."""

    def __init__(self, task: ProgramTask, walk: Walk, bounds: GrowingBounds, record: Recorder) -> None:
        self.task, self.walk, self.bounds, self.record = task, walk, bounds, record
        self.laid_out = laid_out(walk)
        self.control = np.zeros(5, np.int64)
        self.check, self.few_states = CHECK // SOONER, FEW_STATES // SOONER

    def search(self) -> Outcome:
        limit = self._root()
        if limit < 0:
            return self.record.unsolvable(f"{self.bounds.found.words}: no goal can be reached")
        if limit:
            self.record.raise_bound(limit, "the heuristic value of the initial state")
        while True:
            outcome = self._round(limit)
            if outcome is not None:
                return outcome
            limit = int(self.control[NEXT])
            if limit == NEVER:
                return self.record.unsolvable("IDA*: no way goes on, and none has come to a goal")
            self.record.raise_bound(limit, self._by(limit), nodes=int(self.control[NODES]))

    def _root(self) -> int:
        digits = np.array(self.task.init, np.int64) - self.walk.tables.low
        return int(bound_at(from_lows(self.bounds.found.tables), digits))

    def _round(self, limit: int) -> Outcome | None:
        """Follow all ways within a limit; None if none of them comes to a goal."""
        # A state at the limit is expanded too: that shows what the next limit is.
        trail, control, budget = trail_of(self.walk, limit + 1), self.control, self.record.budget
        trail.rows[0] = packed(self.walk.tables, self.task.init)
        trail.digits[0] = np.array(self.task.init, np.int64) - self.walk.tables.low
        control[[LEVEL, LIMIT, NEXT]] = 0, limit, NEVER
        given, bounds = laid_out(trail), laid_out(from_lows(self.bounds.found.tables))
        pace = WorkQuota(most=10_000_000, first=1000)
        while control[LEVEL] >= 0:
            before = control[NODES]
            deepen(self.laid_out, bounds, given, control, pace.begin())
            pace.end(int(control[NODES] - before))
            self.record.stats["nodes"] = int(control[NODES])
            if control[FOUND]:
                plan = plan_over(self.task, trail.rows[: control[LEVEL] + 1])[0]
                return self.record.optimal(plan, (limit,), self._by(limit))
            self.record.working()
            if reason := budget.stopped():
                return self.record.stopped(reason)
            if self.check <= control[NODES]:
                self.check, most, self.few_states = AGAIN * self.check, self.few_states, AGAIN * self.few_states
                if count := StateStore(self.task).exhausted(budget, most):
                    by = f"breadth-first search: none of the {count:,} reachable states{self.task.up_to} is a goal"
                    return self.record.unsolvable(by)
            if self.bounds.grow():
                bounds = laid_out(from_lows(self.bounds.found.tables))
        return None

    def _by(self, limit: int) -> str:
        words = self.bounds.found.words
        return f"IDA*{words and f' ({words})'}: every way of fewer than {self.task.counted(limit)} followed"


# Whether IDA* can solve a task whose actions are programs, and what has to be compiled for that.


def refusal(task: ProgramTask) -> str | None:
    """Why a task cannot be solved; None if it can."""
    from ...analysis.inverse_programs import both_ways_of

    both_ways = task.computed(both_ways_of)
    return both_ways if isinstance(both_ways, str) else None
