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

import numpy as np

from ...analysis.bitset_kernels import find
from ...analysis.inverse_programs import BothWays, State, digits_of, ends_of
from ...analysis.program_machine import packed, program_tables
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.arrays import Ints, Words
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import laid_out, njit
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.plans import plan_over
from ..common.store import Nodes, StateStore, way_to
from ..common.successors import copy_row
from ..common.walk import Trail, Walk, next_step, step, trail_of, walks_of
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


@njit()
def expand_side(walk: Walk, nodes: Nodes, count: int, cursor: int, end: int) -> tuple[int, int]:
    """Expand states[cursor:end] breadth-first, or as many as there is room for; `count` states are met.

    Returns (count, cursor).
    """
    states, parent, table, digits = nodes.states, nodes.parent, nodes.table, walk.digits
    actions, after = len(walk.tables.entry), walk.scratch.row
    while cursor < end:
        if count + actions > len(states) or 2 * (count + actions) > len(table):
            break
        digits_of(walk.tables, states[cursor], digits)
        for action in range(actions):
            if step(walk, states[cursor], digits, action, after):
                slot = find(states, table, after)
                if table[slot] < 0:
                    copy_row(states[count], after)
                    parent[count], table[slot] = cursor, count
                    count += 1
        cursor += 1
    return count, cursor


@njit()
def look_ahead(
    walk: Walk, nodes: Nodes, others: Nodes, limit: int, cursor: int, end: int, trail: Trail
) -> tuple[int, int]:
    """Depth-first: from each of states[cursor:end] all ways of n steps, up to one that leads to one of the other side's
    first `limit` states. Nothing is stored.

    Returns the state where that way begins and the other side's, or `end` and -1. The way is in `trail`.
    """
    states, rows, digits, chosen = nodes.states, trail.rows, trail.digits, trail.chosen
    depth = len(rows) - 1
    while cursor < end:
        # The way so far is rows[0], ..., rows[level]; `chosen` has the step that is tried at each of them.
        copy_row(rows[0], states[cursor])
        digits_of(walk.tables, rows[0], digits[0])
        level = 0
        chosen[0] = -1
        while level >= 0:
            if not next_step(walk, trail, level):
                level -= 1
            elif level + 1 == depth:
                # A way of n steps: do the two sides meet in its last state?
                other = long(others.table[find(others.states, others.table, rows[depth])])
                if 0 <= other < limit:
                    return cursor, other
            else:
                level += 1
                digits_of(walk.tables, rows[level], digits[level])
                chosen[level] = -1
        cursor += 1
    return end, -1


def solve(task: ProgramTask, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task whose actions are programs. Raises `UsageError` where a search backward is not possible."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    ends = task.computed(ends_of)
    if isinstance(ends, str):
        raise UsageError(f"the engine `solve` searches from the goal as well: {ends}")
    goals, both_ways = ends
    if not goals:
        return record.unsolvable("no state that has values of the variables' domains is a goal")
    search = _ProgramMeeting(task, record, goals, both_ways)
    record.encoded()
    return search.run()


class _Side:
    """One of the two searches: layers up to `depth` are complete, the last one is states[start:end]."""

    def __init__(self, store: StateStore, walk: Walk) -> None:
        self.store, self.walk, self.laid_out = store, walk, laid_out(walk)
        self.depth, self.start, self.end = 0, 0, store.count
        self.cursor, self.before = 0, 1
        """The next state to be expanded, and how many the layer before the last has."""

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
        tables = task.computed(program_tables)
        rows = np.array([packed(tables, state) for state in goals])
        stores, walks = (StateStore(task), StateStore(task, roots=rows)), walks_of(task, tables, both_ways)
        self.ahead, self.back = (_Side(store, walk) for store, walk in zip(stores, walks, strict=True))

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
        (side, other), pace = self._smaller, WorkQuota()
        store, held = side.store, other.store.size
        if not store.may_grow_to(side.expected, self.budget, held):
            return "memory limit"
        while side.cursor < side.end:
            count_before, before = store.count, side.cursor
            most = min(side.end, before + pace.begin())
            store.count, side.cursor = expand_side(side.laid_out, store.laid_out, count_before, before, most)
            pace.end(side.cursor - before)
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
            trail = trail_of(side.walk, steps)
            nodes, others, pace, cursor = side.store.laid_out, other.store.laid_out, WorkQuota(), side.start
            while cursor < side.end:
                most = min(side.end, cursor + pace.begin())
                here, there = look_ahead(side.laid_out, nodes, others, other.end, cursor, most, trail)
                pace.end(here - cursor)
                cursor = here
                if there >= 0:
                    way, rest = [*side.way_to(here), *trail.rows[1:]], other.way_to(there)[-2::-1]
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
