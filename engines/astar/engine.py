"""A*: states in the order of their cost plus a lower bound on what the rest costs.

Hart, Nilsson and Raphael, *A formal basis for the heuristic determination of minimum cost paths*, 1968. The bounds and
the dead ends are found from the task (`analysis/estimate.py`). When the cheapest open state has cost plus bound f,
every plan costs f or more: f is the lower bound that is reported. When nothing is open, no plan exists.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...models.boxes import BoxBoard
from ...models.cost import Cost, show_cost
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.by_address import laid_out
from ...runtime.events import Progress, silent
from ...runtime.outcome import Count, Outcome, Recorder
from ..common.pace import Pace
from ..common.root_bound import tell_root
from ..common.switches import switched_off
from .rules import WITHOUT

if TYPE_CHECKING:
    from ...analysis.bitset_task import BitsetTask
    from ...analysis.boxes.packing_plan import PlanSearch
    from ...analysis.heuristic import Estimate
    from .box_deadlocks import BoxSearches
    from .second_looks import SecondLooks
    from .store import EstimatedStore
    from .tables import AStarSearch

MATCHED = "a plan of another engine meets the bound"
"""The reason to end a search for plans cheaper than a known one, when it has proven that there are none."""


def a_star(
    task: Task,
    budget: Budget,
    progress: Progress = silent,
    *,
    without: str | None = None,
    plan_search: PlanSearch | None = None,
) -> Outcome:
    """Solve a task, optimally; memory is within the budget. Bounds are proven by expanding all cheaper states.

    `without`: names of heuristics and pruning rules that are not used, with commas between them. `plan_search` finds
    the packing plan of a board with boxes, by which open states are then ordered.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    return _search(task, record, switched_off(WITHOUT, without), plan_search)


def compile_kernels(task: Task, _: object) -> None:
    """Compile the kernel that expands states of tasks with a walker, or of those without, like this task."""
    from ...analysis.bitset_task import to_bitset_task
    from ...analysis.estimate import no_estimate
    from . import kernels
    from .open_states import begin
    from .store import EstimatedStore

    packed = to_bitset_task(task)
    estimate, store = no_estimate(task, packed), EstimatedStore(task, packed, walks=task.walker is not None)
    search = _search_on(store, packed, estimate, looks=0)
    step = kernels.expand_pushes if task.walker else kernels.expand_best
    step.compile(packed, estimate, search, 0)
    begin(store.opened, 0)


def _search_on(store: EstimatedStore, packed: BitsetTask, estimate: Estimate, looks: int) -> AStarSearch:
    """The arrays of a search that serves for compiling its kernels and is not run."""
    from ...analysis.walks.potentials import no_walk_potentials
    from . import tables as entries
    from .plan_progress import no_progress
    from .store import scratch_for

    scratch, control = scratch_for(packed, estimate.objects, store.packing), np.zeros(entries.CONTROLS, np.int64)
    return store.search(scratch, control, no_progress(estimate.objects), (looks, 0, 0), no_walk_potentials())


def compile_deadlock_searches(task: Task, _: object) -> None:
    """Compile the deadlock searches that test a state before it is expanded, if the task has a board of boxes."""
    from ...analysis.bitset_task import to_bitset_task
    from ...analysis.conflicts.conflicts import no_conflicts
    from ...analysis.conflicts.larger import conflict_scratch
    from ...analysis.estimate import no_estimate
    from .box_deadlocks import box_searches, drop_dead
    from .larger_conflicts import ConflictTables, raise_estimates
    from .store import EstimatedStore

    view = task.view(BoxBoard)
    if not isinstance(view, BoxBoard):
        return
    packed = to_bitset_task(task)
    estimate, store = no_estimate(task, packed), EstimatedStore(task, packed, walks=True)
    search = _search_on(store, packed, estimate, looks=1)
    none = no_conflicts()
    raise_estimates.compile(estimate, ConflictTables(none, none, none, none), search, conflict_scratch((), 0))
    drop_dead.compile(estimate, search, box_searches(view, estimate))


def _name(estimate: Estimate, looks: SecondLooks, symmetric: bool) -> str:
    """The name of the search in words: A*, then the heuristics and pruning rules that it uses."""
    from ...analysis.estimate import words_of

    words = words_of(estimate)
    sizes = [table.size for table in looks.conflicts if table.size]
    if sizes and sizes[-1] > 2:
        words[looks.pairs_name] = f"conflicts of up to {sizes[-1]}"
    if looks.deadlocks:
        words["deadlock-searches"] = "deadlock searches"
    if symmetric:
        words["symmetries"] = "symmetries"
    return f"A* ({', '.join(words.values()) or 'no bound'})"


def _stats(control: NDArray[np.int64], estimate: Estimate, deadlocks: BoxSearches | None) -> dict[str, Count]:
    from . import tables as entries

    names = ("states", "open", "expanded", "generated", "reopened", "dead_ends", "corrals", "dominated")
    stats: dict[str, Count] = {name: int(value) for name, value in zip(names, control, strict=False)}
    stats["expanded"] = int(control[entries.EXPANDED] - control[entries.DROPPED])
    stats["boards"] = int(estimate.boards.known[0])
    if deadlocks is not None:
        stats["deadlocks"], stats["learned_sets"] = int(deadlocks.found.sum()), int(deadlocks.learned.known[0])
    return stats


def _search(task: Task, record: Recorder, without: frozenset[str], plan_search: PlanSearch | None) -> Outcome:
    from ...analysis.bitset_task import cost_key, cost_of_key, to_bitset_task
    from ...analysis.deadlocks.freeze import WANTED, add_board
    from ...analysis.estimate import bound_of, prepare_estimate
    from ..common.plans import plan_over
    from . import kernels
    from . import tables as entries
    from .open_states import begin
    from .plan_progress import no_progress, progress_for
    from .second_looks import SecondLooks
    from .store import EstimatedStore, scratch_for
    from .turns import RANK

    # 1. The tables: the task in bits, heuristics, the store of states, and the numbers that kernels leave in `control`.
    budget = record.budget
    packed, parts = to_bitset_task(task), len(task.metric)
    estimate = prepare_estimate(task, packed, budget, partial(tell_root, record), without)
    walk_cost = cost_key(task.walker.cost) if task.walker else 0
    shift = 32 if parts == 1 else 0
    progress = None
    if plan_search and shift and not walk_cost and "ranks" not in without:
        progress = progress_for(task.view(BoxBoard), estimate.objects, budget, plan_search)
    store = EstimatedStore(task, packed, walks=walk_cost > 0, ranks=progress is not None, without=without)
    progress = progress or no_progress(estimate.objects)
    scratch = scratch_for(packed, estimate.objects, store.packing)
    control = np.zeros(entries.CONTROLS, np.int64)
    control[entries.COUNT], control[entries.GOAL], control[entries.BEST] = 1, -1, entries.NONE
    control[entries.AGAIN] = control[entries.LOOKED_AT] = -1
    step = kernels.expand_pushes if task.walker else kernels.expand_best
    looks = SecondLooks(task, packed, estimate, budget, without)

    def search_on(store: EstimatedStore) -> entries.AStarSearch:
        return laid_out(store.search(scratch, control, progress, (int(looks.wanted), walk_cost, shift), looks.walks))

    symmetric = bool(store.images)
    tables, name = laid_out(packed), _name(estimate, looks, symmetric)
    search: entries.AStarSearch | None = search_on(store)
    # 2. The initial state: its board, which may need tables first, and its lower bound.
    board = step(tables, looks.tables, search, kernels.ROOT)
    if board == WANTED:
        add_board(packed, estimate.objects, estimate.boards)
        board = step(tables, looks.tables, search, kernels.ROOT)
    first = bound_of(estimate, scratch.look, board, store.row(0)) if board >= 0 else -1
    if first < 0:
        return record.unsolvable(f"{name}: the initial state is a dead end")
    store.set_estimate(first)
    control[entries.BOUND] = first
    # The key of an open state is its total, with one number as cost also its estimate below: (f << 32) | h.
    begin(store.opened, (first << shift) | (first if shift else 0))
    if len(store.rank):
        begin(store.ranked, first << RANK)
    control[entries.WAITING] = 1
    record.encoded()
    plan, pace = None, Pace()
    # 3. Expand until it is proven. The kernel returns after a quota of states, or when it needs what only Python can
    # do.
    while True:
        # A plan that another engine has found prunes here as one of our own does.
        others = None if budget.incumbent is None else cost_key(budget.incumbent)
        if others is not None and others < control[entries.BEST]:
            control[entries.GOAL], control[entries.BEST], plan = -1, others, None
        known, expanded = int(control[entries.BEST]), int(control[entries.EXPANDED])
        quota = pace.begin()
        search = search or search_on(store)
        ended = step(tables, looks.tables, search, quota)
        # One state is to be looked at more closely (dead? a larger bound?) before it is expanded.
        while ended == entries.LOOK:
            looks.look(search)
            enough = control[entries.EXPANDED] - expanded >= quota
            ended = entries.MORE if enough else step(tables, looks.tables, search, quota)
        pace.end(int(control[entries.EXPANDED]) - expanded)
        if ended == entries.BOARD:
            add_board(packed, estimate.objects, estimate.boards)
        store.count = int(control[entries.COUNT])
        record.stats = _stats(control, estimate, looks.deadlocks)
        bound = cost_of_key(int(control[entries.BOUND]), parts)
        best = cost_of_key(int(control[entries.BEST]), parts)
        if control[entries.BEST] < known:
            plan, _ = plan_over(task, store.path_to(int(control[entries.GOAL])))
            record.found(plan, best)
        # No open state has a total below the best plan: that plan is optimal, ours or the other engine's.
        if ended == entries.PROVEN:
            by = _expanded_below(name, best)
            if plan is not None:
                return record.optimal(plan, best, by)
            record.raise_bound(best, by, states=store.count)
            return record.stopped(MATCHED)
        if ended == entries.EXHAUSTED:
            return record.unsolvable(f"{name}: none of the {store.count:,} states met leads to the goal")
        record.raise_bound(bound, _expanded_below(name, bound), states=store.count)
        record.working()
        # Between two calls: more closely looking may begin, arrays may grow.
        held = looks.wanted
        looks.go_on(int(control[entries.EXPANDED]), int(control[entries.RAISED]), store)
        name = _name(estimate, looks, symmetric)
        reason = budget.stopped()
        full = store.full
        search = None if full or looks.wanted != held else search  # it holds the arrays that are to grow
        if not reason and full and not store.grow(budget, looks.size):
            reason = "memory limit"
        if reason:
            return record.stopped(reason)


def _expanded_below(name: str, bound: Cost) -> str:
    return f"{name}: every state with a lower bound under {show_cost(bound)} expanded"
