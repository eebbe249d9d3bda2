"""Breadth-first search from both ends (Pohl, *Bi-directional search*, 1971), where every step costs one.

Forward from the initial state and backward from all goal states, always the smaller layer next. With all states
within f steps of the start and within b steps of the goal known and none in common, no plan has f + b steps or fewer:
the middle of such a plan would be in both. So the first state that both have seen proves its plan shortest.

Where the goal states are too many to enumerate, an operator cannot be undone, or costs differ, the search goes forward
only, and says so.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...analysis.bitset_task import BitsetTask, to_bitset_task
from ...models.task import Task
from ...runtime.arrays import Words
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ...runtime.events import Progress, silent
from ...runtime.outcome import Count, Outcome, Recorder
from ..bfs import engine as bfs
from ..common.pace import Pace
from ..common.plans import plan_over
from ..common.root_bound import RootBound
from ..common.store import StateStore, way_to
from .goal_states import goal_states, inverse
from .kernels import first_common
from .tunables import BIDIRECTIONAL


def bidirectional(task: Task, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task. The outcome's bounds are proven by exhausting layers; memory is within the budget."""
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    return record.trivial(task) or _search(task, record, RootBound(task, record))


def compile_kernels(task: Task, budget: Budget) -> None:
    """Call all kernels on a small task."""
    record = Recorder(budget, parts=len(task.metric), states=1)
    if not record.trivial(task):
        _search(task, record, RootBound(task, record, wanted=False))


def _search(task: Task, record: Recorder, root: RootBound) -> Outcome:
    if not task.uniform:
        return _forward(task, record, root, "costs differ")
    undone = inverse(task)
    if undone is None:
        return _forward(task, record, root, "not every operator can be undone")
    packed = to_bitset_task(task)
    goals = goal_states(task, packed, BIDIRECTIONAL.most_goals)
    if goals is None:
        return _forward(task, record, root, "too many goal states")
    if not len(goals):
        record.stats["goal_states"] = 0
        return record.unsolvable("no state that the groups allow is a goal")
    sides = (_SearchSide(packed), _SearchSide(from_any_state(to_bitset_task(undone)), goals))
    record.encoded()
    return _Meeting(task, record, *sides).search(root)


def _forward(task: Task, record: Recorder, root: RootBound, why: str) -> Outcome:
    outcome = bfs.search(task, record, root)
    by = outcome.lower_bound_by and f"{outcome.lower_bound_by} (forward only: {why})"
    return replace(outcome, lower_bound_by=by).with_stats(backward=why)


def from_any_state(packed: BitsetTask) -> BitsetTask:
    """The task with room for the successors of states that cannot be reached from its initial one.

    `most` counts the positions that the objects can reach from where they are. Goal states have as many objects, but
    may have them elsewhere: two of a kind in a large room, where at first one stood there and one in a closet.
    """
    if not len(packed.displacement):
        return packed
    positions = np.unique(packed.displacement)
    objects = sum(int(packed.init[f >> 6]) >> (f & 63) & 1 for f in positions.tolist())
    return packed._replace(most=objects * (len(positions) - 1))


class _SearchSide:
    """One of the two searches: layers up to `depth` are complete, the last one is states[start:end]."""

    def __init__(self, packed: BitsetTask, roots: Words | None = None) -> None:
        self.packed = packed.without_goal()
        self.tables = laid_out(self.packed)
        self.store = StateStore(packed) if roots is None else StateStore(packed, 2 * len(roots), roots=roots)
        self.depth, self.cursor, self.end = 0, 0, self.store.count
        self.pace = Pace()

    def advance(self) -> None:
        self.cursor, _ = self.store.advance(self.tables, self.cursor, self.end, self.pace)

    @property
    def layer(self) -> int:
        """States in the last complete layer."""
        return self.end - self.cursor


class _Meeting:
    def __init__(self, task: Task, record: Recorder, ahead: _SearchSide, back: _SearchSide) -> None:
        self.task, self.record, self.budget = task, record, record.budget
        self.ahead, self.back = ahead, back
        self.goals = back.store.count

    def search(self, root: RootBound) -> Outcome:
        ahead, back = self.ahead, self.back
        while True:
            side, other = (ahead, back) if ahead.layer <= back.layer else (back, ahead)
            while side.cursor < side.end:
                known = side.store.count
                side.advance()
                new, there = first_common(
                    side.store.states, known, side.store.count, other.store.states, other.store.table
                )
                if new >= 0:
                    return self._optimal(*((new, there) if side is ahead else (there, new)))
                self.record.working(states=ahead.store.count + back.store.count)
                root.look()
                reason = self.budget.stopped()
                if not reason and side.store.full and not side.store.grow(self.budget, other.store.size):
                    reason = "memory limit"
                if reason:
                    return self._stopped(reason)
            if side.store.count == side.end:
                return self._unsolvable(side)
            side.depth, side.end = side.depth + 1, side.store.count
            states = ahead.store.count + back.store.count
            self.record.layer(ahead.depth + back.depth, states, self._bound, self._by)

    @property
    def _bound(self) -> int:
        return self.ahead.depth + self.back.depth + 1

    @property
    def _by(self) -> str:
        return (
            f"bidirectional search: no state within {self.ahead.depth} of the start is within "
            f"{self.task.counted(self.back.depth)} of the goal"
        )

    @property
    def _stats(self) -> dict[str, Count]:
        ahead, back = self.ahead, self.back
        return {
            "states": ahead.store.count + back.store.count,
            "states_forward": ahead.store.count,
            "states_backward": back.store.count,
            "expanded": ahead.cursor + back.cursor,
            "layers_forward": ahead.depth,
            "layers_backward": back.depth,
            "goal_states": self.goals,
        }

    def _optimal(self, here: int, there: int) -> Outcome:
        ahead, back = self.ahead.store, self.back.store
        on = way_to(back.parent, there)[-2::-1]
        plan, _ = plan_over(self.task, np.vstack((ahead.states[way_to(ahead.parent, here)], back.states[on])))
        assert len(plan.moves) == self._bound
        self.record.stats = self._stats
        return self.record.optimal(plan, (self._bound,), self._by)

    def _stopped(self, reason: str) -> Outcome:
        self.record.stats = self._stats
        self.record.raise_bound(self._bound, self._by)
        return self.record.stopped(reason)

    def _unsolvable(self, side: _SearchSide) -> Outcome:
        if side is self.ahead:
            by = f"bidirectional search: none of the {side.store.count:,} reachable states is a goal"
        else:
            by = (
                f"bidirectional search: the initial state is none of the {side.store.count:,} from which a goal can be "
                "reached"
            )
        self.record.stats = self._stats
        return self.record.unsolvable(by)
