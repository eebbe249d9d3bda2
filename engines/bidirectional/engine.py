"""Breadth-first search from both ends (Pohl, *Bi-directional search*, 1971) over actions as programs, where each costs
one and can be undone (`analysis.inverse_programs`).

Forward from the initial state and backward from all goal states, always the smaller layer next. With all states
within f steps of the start and within b steps of the goal known and none in common, no plan has f + b steps or fewer:
the middle of such a plan would be in both. So the first state that both have seen proves its plan shortest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...analysis.bitset_kernels import find
from ...analysis.inverse_programs import BothWays, State, ends_of
from ...analysis.program_machine import packed, program_tables
from ...models.errors import UsageError
from ...models.program import ProgramTask
from ...runtime.arrays import Ints, Words
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.kernel_calls import njit
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.plans import plan_over
from ..common.store import StateStore, way_to
from ..common.successors import inverse_form


@njit()
def first_common(states: Words, start: int, end: int, others: Words, table: Ints) -> tuple[int, int]:
    """The first of states[start:end] that is one of `others`, which `table` holds: (its index, the other's) or -1."""
    for i in range(start, end):
        other = long(table[find(others, table, states[i])])
        if other >= 0:
            return i, other
    return -1, -1


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
    search = _Meeting(task, record, goals, both_ways)
    record.encoded()
    return search.run()


class _Meeting:
    """The two searches: `ahead` from the initial state, `back` from the goals."""

    def __init__(self, task: ProgramTask, record: Recorder, goals: Sequence[State], both_ways: BothWays) -> None:
        self.task, self.record, self.goals, task = task, record, len(goals), task.told_apart
        rows = np.array([packed(task.computed(program_tables), state) for state in goals])
        self.ahead = StateStore(task, to_goal=False)
        self.back = StateStore(task, roots=rows, form=inverse_form(task, both_ways), to_goal=False)

    def run(self) -> Outcome:
        """Store the next layer of the side with the smaller last layer, again and again."""
        record = self.record
        while True:
            side, other = sorted((self.ahead, self.back), key=lambda store: store.count - sum(store.layers[-2:-1]))
            depth, bound, by = len(side.layers), self._bound, self._by
            while len(side.layers) == depth:
                count = side.count
                side.search()
                new, there = first_common(side.states, count, side.count, other.states, other.table)
                self._count()
                if new >= 0:
                    way, rest = way_to(side.parent, new), way_to(other.parent, there)[-2::-1]
                    rows = np.concatenate([side.states[way], other.states[rest]])
                    plan = plan_over(self.task, rows if side is self.ahead else rows[::-1])[0]
                    assert len(plan.moves) == bound
                    return record.optimal(plan, (bound,), by)
                if side.expanded == side.count:
                    return self._unsolvable(side)
                record.working(states=self._states)
                if reason := side.why_stop(record.budget, others=other.size):
                    record.raise_bound(self._bound, self._by)
                    return record.stopped(reason)
            record.layer(self._bound - 1, self._states, self._bound, self._by)

    @property
    def _states(self) -> int:
        return self.ahead.count + self.back.count

    @property
    def _bound(self) -> int:
        """No plan has fewer steps."""
        return len(self.ahead.layers) + len(self.back.layers) - 1

    @property
    def _by(self) -> str:
        away, back = (len(store.layers) - 1 for store in (self.ahead, self.back))
        return (
            f"bidirectional search: no state within {away} of the start is within {self.task.counted(back)} of the goal"
        )

    def _count(self) -> None:
        ahead, back = self.ahead, self.back
        counts: dict[str, Count] = {
            "states": self._states,
            "states_forward": ahead.count,
            "states_backward": back.count,
            "layers_forward": len(ahead.layers) - 1,
            "layers_backward": len(back.layers) - 1,
            "goal_states": self.goals,
        }
        self.record.stats.update(counts)

    def _unsolvable(self, side: StateStore) -> Outcome:
        if side is self.ahead:
            return self.record.unsolvable(
                f"bidirectional search: none of the {side.count:,} reachable states is a goal"
            )
        return self.record.unsolvable(
            f"bidirectional search: the initial state is none of the {side.count:,} from which a goal can be reached"
        )


# Whether a task whose actions are programs can be searched from both ends, and what has to be compiled for that.


def refusal(task: ProgramTask) -> str | None:
    """Why a task cannot be searched from both ends; None if it can."""
    from ...analysis.inverse_programs import ends_of

    ends = task.computed(ends_of)
    return ends if isinstance(ends, str) else None
