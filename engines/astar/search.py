"""One search of A*: its states, its order, and what it has proven so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import gcd

import numpy as np

from ...analysis.bitset_task import BitsetTask, cost_key, cost_of_key, to_bitset_task
from ...analysis.boxes.box_board import BoxBoard, find_box_board
from ...analysis.deadlocks.freeze import add_board
from ...analysis.estimate import prepare_estimate, prepare_late, root_value, words_of
from ...analysis.heuristic import Estimate
from ...analysis.symmetries import symmetries_of
from ...models.moves import Cost, show_cost
from ...models.plan import Plan
from ...models.task import OperatorTask
from ...runtime.arrays import Longs, Words
from ...runtime.kernel_calls import laid_out
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.forced_steps import with_forced_steps
from ..common.plans import plan_over
from ..common.root_bound import MATCHED, tell_root
from ..common.work_quota import WorkQuota
from . import tables as entries
from .packed_states import begin
from .recheck_before_expansion import LateBounds, Rechecks, advance, late_value, look_late, that_pay
from .store import EstimatedStore, scratch_for
from .tables import progress_for

# States of the first search by which it is decided whether a late bound joins.
LATE_SAMPLES = 100


@dataclass(slots=True)
class BestPlan:
    """The cheapest plan that is known to the searches of one engine, and the key of its cost."""

    plan: Plan | None = None
    key: int = entries.NONE


@dataclass(frozen=True, slots=True)
class Given:
    """What searches of a task have in common. `without`: heuristics and rules that are switched off."""

    task: OperatorTask
    packed: BitsetTask
    estimate: Estimate
    record: Recorder
    without: frozenset[str]
    best: BestPlan


class Search:
    """A search from the initial state on, with bounds that are found `late`, or None. `seconds`: how long it has
    worked; `bound`: the key of the cost that it has proven to be needed.
    """

    def __init__(self, given: Given, late: LateBounds | None = None) -> None:
        task, packed, estimate, without = given.task, given.packed, given.estimate, given.without
        self.given, self.seconds, self.bound = given, 0.0, 0
        # A survey of objects is that of the state expanded, from which a successor is one move of one object away.
        single = not estimate.objects.count and task.walker is None and not task.compound_moves
        exchanges = "symmetries" not in without and symmetries_of(task).exchanges
        self._follows = single and not exchanges and "forced-steps" not in without
        walk_cost = cost_key(task.walker.cost) if task.walker else 0
        unit = gcd(walk_cost, *packed.cost.tolist()) if len(task.metric) == 1 else 0
        board, budget, objects = find_box_board(task), given.record.budget, estimate.objects
        ranks = bool(unit) and not walk_cost and isinstance(board, BoxBoard) and "ranks" not in without
        prunes = not walk_cost and "corrals" not in without
        self._progress = progress_for(board, objects, budget, ranks=ranks, prunes=prunes)
        self.store = EstimatedStore(
            task, packed, walks=walk_cost > 0, ranks=ranks, looks=late is not None, without=without
        )
        self._scratch = scratch_for(packed, estimate.objects, self.store.packing)
        self.control = np.zeros(entries.CONTROLS, np.int64)
        self.control[entries.COUNT], self.control[entries.GOAL], self.control[entries.BEST] = 1, -1, entries.NONE
        self.control[entries.AGAIN] = self.control[entries.LOOKED_AT] = -1
        self.looks = Rechecks(task, packed, estimate, budget, without, late)
        self._numbers, self._tables, self._pace = (walk_cost, unit), laid_out(packed), WorkQuota()
        self._arrays: entries.AStarSearch | None = None
        self.name = self._words()

    def _words(self) -> str:
        """The name of the search in words: A*, then the heuristics and pruning rules that it uses."""
        words = words_of(self.given.estimate)
        looks = self.looks
        sizes = [table.size for table in looks.conflicts if table.size]
        if sizes and sizes[-1] > 2:
            words[looks.pairs_name] = f"conflicts of up to {sizes[-1]}"
        if looks.late is not None:
            words |= looks.late.words
        if self._progress.prunes:
            words["corrals"] = "corrals"
        if looks.deadlocks:
            words["deadlock-searches"] = "deadlock searches"
        if self.store.images:
            words["symmetries"] = "interchangeable objects" if self.store.images.exchanges else "symmetries"
        return f"A* ({', '.join(words.values()) or 'no bound'})"

    def stats(self) -> dict[str, Count]:
        """What the search has counted."""
        control, looks = self.control, self.looks
        names = ("states", "open", "expanded", "generated", "reopened", "dead_ends", "corrals", "dominated")
        stats: dict[str, Count] = {name: int(value) for name, value in zip(names, control, strict=False)}
        stats["expanded"] = int(control[entries.EXPANDED] - control[entries.DROPPED])
        stats["boards"] = int(self.given.estimate.boards.known[0])
        if looks.deadlocks:
            stats["deadlocks"] = int(control[entries.FOUND_DEAD])
            stats["learned_sets"] = int(self.given.estimate.learned.known[0])
        if self._follows:
            stats["forced_steps"] = int(control[entries.FORCED])
        if looks.late is not None:
            stats["late_bounds"] = int(control[entries.LATE])
        return stats

    def begin(self) -> Outcome | None:
        """Open the initial state at its lower bound. The outcome if it is a dead end."""
        given, store, unit = self.given, self.store, self._numbers[1]
        first = root_value(given.packed, given.estimate)
        if first < 0:
            return given.record.unsolvable(f"{self.name}: the initial state is a dead end")
        store.set_estimate(first)
        self.control[entries.BOUND] = self.bound = given.record.h_start = first
        begin(store.opened, first, first if unit else 0)
        if len(store.rank):
            begin(store.ranked, first, 0)
        self.control[entries.WAITING] = 1
        return None

    def late_values(self, late: LateBounds) -> Longs:
        """The late bounds of some of the states met, from the first to the last."""
        number = min(self.store.count, LATE_SAMPLES)
        picks = np.linspace(0, self.store.count - 1, number).astype(np.int64)
        search = self._search()
        return np.array([late_value(self.looks.tables, late.tables, search, int(index)) for index in picks])

    def _search(self) -> entries.AStarSearch:
        """The tables for kernels, laid out in memory."""
        if self._arrays is None:
            numbers = (int(self.looks.wanted), *self._numbers)
            given = (self._scratch, self.control, self._progress, numbers)
            made = self.store.search(*given, self._follows)
            self._arrays = laid_out(made)
        return self._arrays

    def go_on(self, others: int = 0) -> Outcome | None:
        """Expand some states; the outcome, if that ends the search. `others`: bytes that are held elsewhere."""
        began = time.monotonic()
        given, control, looks, store = self.given, self.control, self.looks, self.store
        record, best, parts = given.record, given.best, len(given.task.metric)
        # 1. A plan that another search or engine has found prunes here as one of our own does.
        incumbent = record.budget.incumbent
        if incumbent is not None and cost_key(incumbent) < best.key:
            best.plan, best.key = None, cost_key(incumbent)
        if best.key < control[entries.BEST]:
            control[entries.GOAL], control[entries.BEST] = -1, best.key
        known, expanded = int(control[entries.BEST]), int(control[entries.EXPANDED])
        # 2. The kernel returns after a quota of states, or when it needs what only Python can do.
        ended = self._expand(expanded)
        if ended == entries.BOARD:
            add_board(given.packed, given.estimate.objects, given.estimate.boards)
        store.count = int(control[entries.COUNT])
        record.stats = self.stats()
        if control[entries.BEST] < known:
            best.plan, _ = plan_over(given.task, self._way_to(int(control[entries.GOAL])))
            best.key = int(control[entries.BEST])
            record.found(best.plan, cost_of_key(best.key, parts))
        # 3. What is proven. No open state has a total below the best plan: that plan is optimal, whoever found it.
        if ended == entries.PROVEN:
            cost = cost_of_key(best.key, parts)
            by = self._expanded_below(cost)
            if best.plan is not None:
                return record.optimal(best.plan, cost, by)
            record.raise_bound(cost, by, states=store.count)
            return record.stopped(MATCHED)
        if ended == entries.EXHAUSTED:
            return record.unsolvable(f"{self.name}: none of the {store.count:,} states met leads to the goal")
        self.bound = int(control[entries.BOUND])
        cost = cost_of_key(self.bound, parts)
        record.raise_bound(cost, self._expanded_below(cost), states=store.count)
        record.working()
        # 4. Between two calls: more closely looking may begin, arrays may grow.
        held = looks.wanted
        looks.go_on(*(int(control[entry]) for entry in (entries.EXPANDED, entries.RAISED, entries.FOUND_DEAD)))
        self.name = self._words()
        reason = record.budget.stopped()
        full = store.full
        if full or looks.wanted != held:
            self._arrays = None  # it holds the arrays that are to grow
        if not reason and full and not store.grow(record.budget, looks.size + others):
            reason = "memory limit"
        self.seconds += time.monotonic() - began
        return record.stopped(reason) if reason else None

    def _way_to(self, index: int) -> Words:
        """The states from the initial one to a state."""
        rows = self.store.path_to(index)
        return with_forced_steps(self.given.task, self.given.packed, rows) if self._follows else rows

    def _expand(self, expanded: int) -> int:
        """Expand a quota of states; what the kernel has returned (`tables.MORE` and so on)."""
        control, search, quota, looks = self.control, self._search(), self._pace.begin(), self.looks
        step = advance.bind(self._tables, looks.tables, search, looks.tests, quota)
        ended = int(step())
        # Late bounds of one state are to be found before it is expanded.
        look = look_late.bind(looks.tables, looks.late.tables, search) if looks.late is not None else None
        while ended == entries.LOOK and look is not None:
            look()
            enough = control[entries.EXPANDED] - expanded >= quota
            ended = entries.MORE if enough else int(step())
        self._pace.end(int(control[entries.EXPANDED]) - expanded)
        return ended

    def _expanded_below(self, cost: Cost) -> str:
        return f"{self.name}: every state with a lower bound under {show_cost(cost)} expanded"


# Two searches of A* in turns: one with the estimate alone, and one with late bounds as well.
#
# Late bounds expand fewer states, in more time for each. Which of the two searches is ahead shows in what they have
# proven: the one with the larger bound gets most of the time. The other keeps a share, as a small space of states may
# be searched through at any moment. Puzzles that are solved in an instant never see the second search.
#
#     seconds of the first     0.5 |     | 0.6 |             |            its share while it is behind: one in `BEHIND`
#     seconds of the second        | 0.5 |     | 0.6 ... 2.4 |

# Seconds of search with the estimate alone before one with late bounds begins beside it.
LATE_AFTER = 4.0

# Of two searches in turns the one with the smaller bound gets one part in so many of the time of the other.
BEHIND = 4


# Expansions of the search that comes before all others where walks are paid for. It leaves out what takes longer to
# prepare than it takes to search a small board: of Boxoban's hard levels the median is 0.02 s in place of 0.16.
LEAN_EXPANSIONS = 4_000

LEFT_OUT_AT_FIRST = frozenset({"walks", "conflicts-3", "deadlock-searches"})


def search_for(task: OperatorTask, record: Recorder, without: frozenset[str] = frozenset()) -> Outcome:
    """Solve a task that is not trivial, by one search or by two in turns; before them, where walks are paid for, by a
    short one with fewer tables.
    """
    packed, best = to_bitset_task(task), BestPlan()
    lean = task.walker is not None and bool(task.walker.cost[0]) and "walks" not in without

    def begun(left_out: frozenset[str]) -> tuple[Search, Outcome | None]:
        with record.encoding():
            estimate = prepare_estimate(task, packed, record.budget, partial(tell_root, record), left_out)
            search = Search(Given(task, packed, estimate, record, left_out, best))
            return search, search.begin()

    first, done = begun(without | LEFT_OUT_AT_FIRST if lean else without)
    if done:
        return done
    record.encoded()
    if lean:
        done = _alone(first, lambda: first.control[entries.EXPANDED] < LEAN_EXPANSIONS)
        if not done:
            first, done = begun(without)
    if done := done or _alone(first, lambda: task.walker is not None or first.seconds < LATE_AFTER):
        return done
    return _in_turns(first, first.given)


def _alone(search: Search, goes_on: Callable[[], bool]) -> Outcome | None:
    """Let the search go on until it ends, or as long as `goes_on`."""
    while goes_on():
        if (outcome := search.go_on()) is not None:
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
    prepared = prepare_late(given.task, given.packed, given.estimate, given.record.budget, given.without)
    late = that_pay([LateBounds(laid_out(tables), words) for tables, words in prepared], first.late_values)
    return Search(given, late=late) if late else None
