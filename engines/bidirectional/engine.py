"""Breadth-first search from both ends (Pohl, *Bi-directional search*, 1971) over actions as programs, where each costs
one and can be undone (`analysis.inverse_programs`).

Forward from the initial state and backward from all goal states, always the smaller layer next. With all states
within f steps of the start and within b steps of the goal known and none in common, no plan has f + b steps or fewer:
the middle of such a plan would be in both. So the first state that both have seen proves its plan shortest.

Where the next layers do not fit into memory any more, ways of one
step, then of two, and so on are followed from the last layer of the smaller side, and looked up among the states of the
other; nothing more is stored.

    start |---- 7 steps, stored ----|-- 1, 2, ... steps, looked up -->|---- 8 steps, stored ----| goal
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import find
from ...analysis.inverse_programs import BothWays, State, ends_of, useful_pairs
from ...analysis.program_machine import packed, program_tables
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.arrays import Flags, Ints, Words, zeros
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import njit
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.plans import plan_over
from ..common.store import Nodes, StateStore, way_to
from ..common.successors import Form, copy_row, inverse_form, successors
from ..common.work_quota import WorkQuota

# Compiled kernels of the search from both ends: where the sides meet, and its layers over actions as programs.


@njit()
def first_common(states: Words, start: int, end: int, others: Words, table: Ints) -> tuple[int, int]:
    """The first of states[start:end] that is one of `others`, which `table` holds: (its index, the other's) or -1."""
    for i in range(start, end):
        other = long(table[find(others, table, states[i])])
        if other >= 0:
            return i, other
    return -1, -1


class Ways(NamedTuple):
    """The ways that are followed depth-first. A stack: `rows` (S, row words), `action` (S), the last one of the way to
    each, or -1, and `level` (S), its steps; `path` (n + 1, row words): the states of the way to the one on top.
    """

    rows: Words
    action: Ints
    level: Ints
    path: Words


def ways_of(store: StateStore, steps: int) -> Ways:
    """Room for ways of `steps` steps."""
    size, words = 1 + steps * store.most, store.states.shape[1]
    return zeros(Ways, size, rows=(size, words), path=(steps + 1, words))


@njit()
def look_ahead(
    form: Form, useful: Flags, nodes: Nodes, others: Nodes, limit: int, cursor: int, end: int, ways: Ways
) -> tuple[int, int]:
    """Depth-first: from each of states[cursor:end] all ways of n steps, up to one that leads to one of the other side's
    first `limit` states. Nothing is stored. `useful[a, b]`: whether b is to be tried after a.

    Returns the state where that way begins and the other side's, or `end` and -1. The way is in `ways.path`.
    """
    rows, path, steps = ways.rows, ways.path, len(ways.path) - 1
    while cursor < end:
        copy_row(rows[0], nodes.states[cursor])
        ways.action[0], ways.level[0], top = -1, 0, 1
        while top > 0:
            # 1. The way on top, and the actions that go on from its last state.
            top -= 1
            before, level = long(ways.action[top]), long(ways.level[top])
            copy_row(path[level], rows[top])
            for i in range(successors(form, path[level])):
                action, row = long(form.work.steps[i]), form.work.rows[i]
                if before >= 0 and not useful[before, action]:
                    continue
                if level + 1 < steps:
                    copy_row(rows[top], row)
                    ways.action[top], ways.level[top] = action, level + 1
                    top += 1
                    continue
                # 2. A way of n steps: do the two sides meet in its last state?
                other = long(others.table[find(others.states, others.table, row)])
                if 0 <= other < limit:
                    copy_row(path[steps], row)
                    return cursor, other
        cursor += 1
    return end, -1


def solve(task: ProgramTask, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task whose actions are programs. Raises `UsageError` where a search backward is not possible."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    ends = task.computed(ends_of)
    if isinstance(ends, str):
        raise UsageError(f"the engine `bidirectional` searches from the goal as well: {ends}")
    goals, both_ways = ends
    if not goals:
        return record.unsolvable("no state that has values of the variables' domains is a goal")
    search = _ProgramMeeting(task, record, goals, both_ways)
    record.encoded()
    return search.run()


class _Side:
    """One of the two searches: layers up to `depth` are complete, the last one is states[start:end]."""

    def __init__(self, store: StateStore, useful: Flags) -> None:
        self.store, self.useful = store, useful
        self.depth, self.start, self.end = 0, 0, store.count
        self.before = 1
        """How many states the layer before the last has."""

    @property
    def layer(self) -> int:
        """States in the last complete layer."""
        return self.end - self.start

    @property
    def expected(self) -> int:
        """The number of states after the next layer, if layers go on growing as the last one did."""
        return self.end + self.layer * self.layer // self.before

    def finish_layer(self) -> None:
        self.before, self.depth = self.layer, self.depth + 1
        self.start, self.end = self.end, self.store.count

    def way_to(self, index: int) -> list[Words]:
        """The rows from a root to a state, both included."""
        return list(self.store.states[way_to(self.store.parent, index)])


class _ProgramMeeting:
    def __init__(self, task: ProgramTask, record: Recorder, goals: Sequence[State], both_ways: BothWays) -> None:
        self.task, self.record, self.budget = task, record, record.budget
        self.goals, self.looked = len(goals), 0
        task = task.told_apart
        tables, total = task.computed(program_tables), both_ways.total
        rows = np.array([packed(tables, state) for state in goals])
        self.ahead = _Side(StateStore(task, to_goal=False), useful_pairs(both_ways.ahead, total))
        back = StateStore(task, roots=rows, form=inverse_form(task, both_ways), to_goal=False)
        self.back = _Side(back, useful_pairs(both_ways.back, total))

    def run(self) -> Outcome:
        while (outcome := self._layer()) is None:
            pass
        return outcome if isinstance(outcome, Outcome) else self._look()

    @property
    def _smaller(self) -> tuple[_Side, _Side]:
        """The side with the smaller last layer, and the other."""
        return (self.ahead, self.back) if self.ahead.layer <= self.back.layer else (self.back, self.ahead)

    def _layer(self) -> Outcome | str | None:
        """Store the next layer of the smaller side: the outcome, if that ends the search, or why it is not stored."""
        side, other = self._smaller
        store, held = side.store, other.store.size
        if not store.may_grow_to(side.expected, self.budget, held):
            return "memory limit"
        while store.expanded < side.end:
            count_before = store.count
            store.advance(side.end)
            new, there = first_common(store.states, count_before, store.count, other.store.states, other.store.table)
            if new >= 0:
                way, rest = side.way_to(new), other.way_to(there)[-2::-1]
                return self._optimal(way + rest if side is self.ahead else (way + rest)[::-1])
            if reason := self._stop():
                return self._stopped(reason)
            if store.full and not store.grow(self.budget, held):
                return "memory limit"
        if store.count == side.end:
            return self._unsolvable(side)
        side.finish_layer()
        self.record.layer(self.ahead.depth + self.back.depth, self._states, self._bound, self._by)
        return None

    def _look(self) -> Outcome:
        """Follow ways of one step, of two, and so on from the smaller side, and store nothing."""
        side, other = self._smaller
        while True:
            steps = self.looked + 1
            ways = ways_of(side.store, steps)
            nodes, others, pace, cursor = side.store.laid_out, other.store.laid_out, WorkQuota(), side.start
            while cursor < side.end:
                most = min(side.end, cursor + pace.begin())
                here, there = look_ahead(side.store.form, side.useful, nodes, others, other.end, cursor, most, ways)
                pace.end(here - cursor)
                cursor = here
                if there >= 0:
                    way, rest = [*side.way_to(here), *ways.path[1:]], other.way_to(there)[-2::-1]
                    return self._optimal(way + rest if side is self.ahead else (way + rest)[::-1])
                if reason := self._stop():
                    return self._stopped(reason)
            self.looked = steps
            self.record.raise_bound(self._bound, self._by, states=self._states)

    def _stop(self) -> str | None:
        self.record.working(states=self._states)
        return self.budget.stopped()

    @property
    def _states(self) -> int:
        return self.ahead.store.count + self.back.store.count

    @property
    def _bound(self) -> int:
        """No plan has fewer steps."""
        return self.ahead.depth + self.back.depth + self.looked + 1

    @property
    def _by(self) -> str:
        ahead = self.ahead.depth + (self.looked if self._smaller[0] is self.ahead else 0)
        return (
            f"bidirectional search: no state within {ahead} of the start is within "
            f"{self.task.counted(self._bound - 1 - ahead)} of the goal"
        )

    def _count(self) -> None:
        ahead, back = self.ahead, self.back
        counts: dict[str, Count] = {
            "states": self._states,
            "states_forward": ahead.store.count,
            "states_backward": back.store.count,
            "layers_forward": ahead.depth,
            "layers_backward": back.depth,
            "layers_looked_up": self.looked,
            "goal_states": self.goals,
        }
        self.record.stats.update(counts)

    def _optimal(self, way: list[Words]) -> Outcome:
        plan = plan_over(self.task, np.array(way))[0]
        assert len(plan.moves) == self._bound
        self._count()
        return self.record.optimal(plan, (self._bound,), self._by)

    def _stopped(self, reason: str) -> Outcome:
        self._count()
        self.record.raise_bound(self._bound, self._by)
        return self.record.stopped(reason)

    def _unsolvable(self, side: _Side) -> Outcome:
        self._count()
        if side is self.ahead:
            return self.record.unsolvable(
                f"bidirectional search: none of the {side.store.count:,} reachable states is a goal"
            )
        return self.record.unsolvable(
            f"bidirectional search: the initial state is none of the {side.store.count:,} from which a goal can be "
            "reached"
        )


# Whether a task whose actions are programs can be searched from both ends, and what has to be compiled for that.


def refusal(task: ProgramTask) -> str | None:
    """Why a task cannot be searched from both ends; None if it can."""
    from ...analysis.inverse_programs import ends_of

    ends = task.computed(ends_of)
    return ends if isinstance(ends, str) else None
