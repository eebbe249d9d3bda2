"""The bound that is known before a search has begun.

For a heuristic search it is the heuristic value of the initial state (`tell_root`). A search without a heuristic
computes one for this alone (`RootBound`): the cheapest matching of objects to goals on the empty board, which takes a
fraction of a second. On a large board that is more than breadth-first search proves in an hour; on a small one it takes
longer than all of the search. So

    a large task        it is told at once, before anything else is prepared
    any other           it is told when the search has gone on for a while
"""

from __future__ import annotations

import time

from ...models.task import Task
from ...runtime.outcome import Recorder
from .tunables import STATES

INITIAL = "the heuristic value of the initial state"
"""What proves the first bound of a heuristic search, in words."""


def tell_root(record: Recorder, key: int) -> None:
    """Tell the value of the initial state, a key of its cost.

    A dead end, -1, is not told: it is found again when the search begins.
    """
    from ...analysis.bitset_task import cost_of_key

    if key > 0:
        record.raise_bound(cost_of_key(key, record.parts), INITIAL)


class RootBound:
    """Tells a task's bound by matching, once: at once or at a later `look`, which a search calls in its loop; never if
    it is not `wanted`, as where kernels of the search are called to be compiled.
    """

    def __init__(self, task: Task, record: Recorder, *, wanted: bool = True) -> None:
        self._task, self._record = task, record
        due = time.monotonic() + (0.0 if len(task.operators) > STATES.large_task else STATES.bound_after)
        self._due = due if wanted else None
        self.look()

    def look(self) -> None:
        """Tell it if it is due and has not been told."""
        if self._due is not None and time.monotonic() >= self._due:
            self._due = None
            tell_root_bound(self._task, self._record)


def tell_root_bound(task: Task, record: Recorder) -> None:
    """Raise the bound to that of objects alone, then to that of their matching."""
    from ...analysis.plan_invariants import MATCHING, root_bounds

    for bound in root_bounds(task):
        if bound:
            record.raise_bound(bound, MATCHING)
