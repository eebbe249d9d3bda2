"""The root bound: the lower bound of the initial state, known before a search has begun.

For a heuristic search it is the heuristic value of the initial state (`tell_root`). A search without a heuristic asks
the heuristics for this alone (`RootBound`): the slowest to find, the cheapest matching of objects to goals on the empty
board, takes a fraction of a second. On a large board that is more than breadth-first search proves in an hour; on a
small one it takes longer than all of the search. So

    a large task        it is reported at once, before anything else is prepared
    any other           it is reported when the search has gone on for a while
"""

from __future__ import annotations

import time

from ...models.task import OperatorTask
from ...runtime.outcome import INITIAL, Recorder

# Operators from which on a bound from the initial state is proven before anything is prepared.
LARGE_TASK = 2_000

# Seconds of search after which that bound is proven for fewer operators.
BOUND_AFTER = 0.5

MATCHED = "a plan of another engine meets the bound"
"""The reason to end a search for plans cheaper than a known one, when it has proven that there are none."""


def tell_root(record: Recorder, key: int) -> None:
    """Report the heuristic value of the initial state (a key of a cost) as a lower bound.

    A dead end, -1, is not reported: it is found again when the search begins.
    """
    from ...analysis.bitset_task import cost_of_key

    if key > 0:
        record.raise_bound(cost_of_key(key, record.parts), INITIAL)


class RootBound:
    """Tells what the heuristics know before a search, once: at once or at a later `look`, which a search calls in its
    loop.
    """

    def __init__(self, task: OperatorTask, record: Recorder) -> None:
        self._task, self._record = task, record
        self._due: float | None = time.monotonic() + (0.0 if len(task.operators) > LARGE_TASK else BOUND_AFTER)
        self.look()

    def look(self) -> None:
        """Report the bound if it is due and has not been reported."""
        if self._due is not None and time.monotonic() >= self._due:
            self._due = None
            tell_root_bounds(self._task, self._record)


def tell_root_bounds(task: OperatorTask, record: Recorder, without: frozenset[str] = frozenset()) -> None:
    """Raise the bound to what each heuristic knows of the initial state, the cheapest first."""
    from ...analysis.plan_invariants import root_bounds

    for bound, by in root_bounds(task, without):
        if bound:
            record.raise_bound(bound, by)
