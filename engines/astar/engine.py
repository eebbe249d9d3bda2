"""A*: states in the order of their cost plus a lower bound on what the rest costs.

Hart, Nilsson and Raphael, *A formal basis for the heuristic determination of minimum cost paths*, 1968. The bounds and
the dead ends are found from the task (`analysis/estimate.py`). When the cheapest open state has cost plus bound f,
every plan costs f or more: f is the lower bound that is reported. When nothing is open, no plan exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...models.program import ProgramTask
from ...models.task import OperatorTask, Task
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..engine import switched_off
from . import WITHOUT

if TYPE_CHECKING:
    from .tables import AStarSearch


def solve(task: Task, budget: Budget, progress: Progress = silent, *, without: str | None = None) -> Outcome:
    """Solve a task, optimally; memory is within the budget. Bounds are proven by expanding all cheaper states.

    `without`: names of heuristics and pruning rules that are not used, with commas between them; of actions as programs
    `databases` of several variables, or all `projections`, for uniform-cost search.
    """
    record = Recorder(budget, progress, parts=len(task.metric), states=1)
    if done := record.trivial(task):
        return done
    left_out = switched_off(WITHOUT, without)
    if isinstance(task, ProgramTask):
        from ..common.best_first import a_star

        return a_star(task, record, left_out)
    from .search import search_for

    assert isinstance(task, OperatorTask)
    return search_for(task, record, left_out)


def compile_kernels(task: OperatorTask, _: object) -> None:
    """Compile the kernel that expands states, with the tables of no heuristic, and those of the rechecks: of tasks
    without a walker the late bounds, of boxes on a board the deadlock searches and larger conflicts.
    """
    from ...analysis.bitset_task import to_bitset_task
    from ...analysis.box_conflicts import conflicts_in
    from ...analysis.boxes.box_board import find_box_board
    from ...analysis.estimate import no_estimate, prepare_late, root_value
    from . import recheck_before_expansion as recheck
    from . import tables as entries
    from .packed_states import begin
    from .store import EstimatedStore, scratch_for

    packed, walks = to_bitset_task(task), task.walker is not None
    estimate = no_estimate(task, packed)
    root_value(packed, estimate)

    progress = entries.progress_for(find_box_board(task), estimate.objects, Budget())

    def search_on(store: EstimatedStore, looks: int) -> AStarSearch:
        """The arrays of a search that serves for compiling its kernels and is not run."""
        scratch, control = scratch_for(packed, estimate.objects, store.packing), np.zeros(entries.CONTROLS, np.int64)
        return store.search(scratch, control, progress, (looks, 0, 0))

    store = EstimatedStore(task, packed, walks=walks)
    recheck.advance.compile(packed, estimate, search_on(store, 0), recheck.no_tests(estimate), 0)
    begin(store.opened, 0, 0)
    key, image = np.zeros((2, store.packing.words), np.uint64)
    entries.exchange_in_row(store.packing, store.images, store.row(0), key, image)
    if not walks:
        search = search_on(EstimatedStore(task, packed, walks=False, looks=True), 1)
        for tables, _words in prepare_late(task, packed, estimate, Budget())[:1]:
            recheck.look_late.compile(estimate, tables, search)
            recheck.late_value.compile(estimate, tables, search, 0)
    else:
        no_sets = np.zeros((1, 1), np.uint8)
        conflicts_in(1, no_sets, np.zeros((2, 2), np.int64), 1, no_sets)
