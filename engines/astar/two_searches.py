"""Two searches of A* in turns: one with the estimate alone, and one with late bounds as well.

Late bounds expand fewer states, in more time for each. Which of the two searches is ahead shows in what they have
proven: the one with the larger bound gets most of the time. The other keeps a share, as a small space of states may be
searched through at any moment. Puzzles that are solved in an instant never see the second search.

    seconds of the first     0.5 |     | 0.6 |             |            its share while it is behind: one in `BEHIND`
    seconds of the second        | 0.5 |     | 0.6 ... 2.4 |
"""

from __future__ import annotations

from functools import partial

from ...analysis.bitset_task import to_bitset_task
from ...analysis.boxes.packing_plan import PlanSearch
from ...analysis.estimate import prepare_estimate, prepare_late
from ...models.task import Task
from ...runtime.by_address import laid_out
from ...runtime.outcome import Outcome, Recorder
from ..common.root_bound import tell_root
from .late_bounds import LateBounds, that_pay
from .search import BestPlan, Given, Search

# Seconds of search with the estimate alone before one with late bounds begins beside it.
LATE_AFTER = 4.0

# Of two searches in turns the one with the smaller bound gets one part in so many of the time of the other.
BEHIND = 4


def search_for(
    task: Task, record: Recorder, without: frozenset[str] = frozenset(), plan_search: PlanSearch | None = None
) -> Outcome:
    """Solve a task that is not trivial, by one search or by two in turns."""
    packed = to_bitset_task(task)
    estimate = prepare_estimate(task, packed, record.budget, partial(tell_root, record), without)
    given = Given(task, packed, estimate, record, without, BestPlan())
    first = Search(given, plan_search)
    if done := first.begin():
        return done
    record.encoded()
    return _alone(first) or _in_turns(first, given)


def _alone(first: Search) -> Outcome | None:
    """Let the search go on until it ends, or is worth a second one."""
    while first.given.task.walker is not None or first.seconds < LATE_AFTER:
        if (outcome := first.go_on()) is not None:
            return outcome
    return None


def _in_turns(first: Search, given: Given) -> Outcome:
    """Begin the search with late bounds, if any knows something of the task, and let both go on in turns."""
    second = _with_late_bounds(first, given)
    if second is not None and (done := second.begin()):
        return done
    searches = [first] if second is None else [first, second]
    while True:
        most = max(search.bound for search in searches)
        # Who is behind counts its seconds `behind` times.
        search = min(searches, key=lambda one: one.seconds * (1 if one.bound == most else BEHIND))
        held = sum(one.store.size for one in searches if one is not search)
        outcome = search.go_on(held)
        if outcome is None:
            continue
        if outcome.stopped_by == "memory limit" and len(searches) > 1:
            searches = [one for one in searches if one.bound == most][-1:]
            continue
        return outcome


def _with_late_bounds(first: Search, given: Given) -> Search | None:
    record, task = given.record, given.task
    if task.walker is not None or task.compound_moves:
        return None
    prepared = prepare_late(task, given.packed, given.estimate, record.budget, given.without)
    late = that_pay([LateBounds(laid_out(tables), words) for tables, words in prepared], first.late_values)
    return Search(given, late=late) if late else None
