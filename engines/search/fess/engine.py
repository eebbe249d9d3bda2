"""Feature Space Search (FESS): Sokoban solved by many kinds of progress at once; no promise that a plan is shortest.

Y. Shoham, J. Schaeffer: *The FESS Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE Conference on Games
2020; details as in Shoham's program Festival. A position is described by a few *features*, and a point of the space
that they span is a *cell*. The search visits the cells in a circle and expands one move in each, so its time is split
over kinds of progress and not over states. What it is made of:

- *macro moves*: a box from one cell to any other (`macros`);
- *features*: what is packed, regions, rooms, boxes out of plan, hotspots (`features`, `rooms`, `hotspots`);
- *advisors*, each of which recommends one move; others weigh 1, and light ways are searched first (`advisors`);
- the *packing plan*, by a search backward from the solved board (`packing`, `plan`);
- *deadlock tests*, quick ones on every move, searches on those that are chosen (`deadlocks`, `corrals`, `cores`);
- the loop over the cells (`loop`, `space`, `tree`).

Everything that is cut off is proven dead, so a search that comes to its end proves that there is no plan.
"""

from __future__ import annotations

import numpy as np

from ....models.boxes import BoxBoard
from ....models.plan import Plan
from ....runtime.budget import Budget
from ....runtime.events import Progress, silent
from ....runtime.outcome import Outcome, Recorder
from ..tunables import FESS
from .board import board_arrays
from .packing import find_packing_plan, regions
from .pushes import plan_of, unfold
from .search import FeatureSearch
from .strategy import strategies


def feature_space_search(view: BoxBoard, budget: Budget, progress: Progress = silent) -> Outcome:
    """Find a plan. Its cost is an upper bound; that there is none is proven by exhaustion."""
    record = Recorder(budget, progress, parts=len(view.push), by="feature space search proves no lower bound", states=0)
    if view.unsolvable_because:
        return record.unsolvable(view.unsolvable_because)
    if set(view.boxes) <= set(view.goals):
        return record.optimal(Plan(()), (0,) * len(view.push), "the initial state is a goal")
    number = {cell: i for i, cell in enumerate(view.cells)}
    boxes, goals = [number[cell] for cell in view.boxes], [number[cell] for cell in view.goals]
    forward, backward = board_arrays(view)
    plan, expanded = find_packing_plan(forward, backward, boxes, goals, budget)
    record.stats.update(packing_positions=expanded, plan_entries=len(plan.to))
    record.encoded()
    root = regions(forward, boxes)[number[view.player]]
    expanded = 0
    for strategy, most in strategies(FESS.first_positions):
        search = FeatureSearch(forward, plan, np.array(boxes, np.int16), strategy, budget, pull=False)
        search.plant(boxes, root)

        def stopped(search: FeatureSearch = search, most: int = most, before: int = expanded) -> str | None:
            record.stats["states"] = before + search.expanded
            record.working()
            return budget.stopped() or ("enough" if search.expanded >= most else None)

        reason = search.run(stopped)
        expanded += search.expanded
        if reason != "enough":
            break
    record.stats["states"] = expanded
    if search.goal < 0 and reason is None:
        text = f"feature space search: none of the {search.expanded:,} positions that are not dead is a goal"
        return record.unsolvable(text)
    if search.goal < 0:
        return record.stopped(reason)
    steps = search.way(search.goal)
    record.stats["macro_moves"] = len(steps)
    record.found(*plan_of(view, forward, unfold(forward, boxes, steps)))
    return record.stopped(None)


def compile_kernels(budget: Budget) -> None:
    """Compile what the engine runs, on a board of three cells."""
    cells = ((0, 0), (0, 1), (0, 2))
    feature_space_search(BoxBoard(cells, cells[1:2], cells[2:], cells[0], (1,), (0,)), budget)
