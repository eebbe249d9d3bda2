"""The packing search: backward from the solved board, to learn in which order the goals are filled.

Boxes are pulled off their goals. A box that gets to a *base* (a cell where a box starts) in the part of the board that
can hold all of them, the *sink*, vanishes with that base: from there it can be pushed to where it was pulled from.
The search ends when no box is left; the pulls on the best way, reversed, are the plan. (Shoham and Schaeffer, *The FESS
Algorithm*, IEEE CoG 2020; bases as in the program Festival, version 3.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...analysis.boxes.board import Board, board_arrays
from ...analysis.boxes.packing_plan import PackingEntry, PackingPlan, entries, no_plan, packing_plan
from ...models.boxes import BoxBoard
from ...runtime.budget import Budget
from .search import FeatureSearch
from .strategy import BASE, Strategy

# Part of the time that the packing search may take.
PACKING_SHARE = 0.25


def find_packing_plan(
    forward: Board,
    backward: Board,
    boxes: Sequence[int],
    goals: Sequence[int],
    budget: Budget,
    strategy: Strategy,
    most: int,
) -> tuple[PackingPlan, int]:
    """The packing plan that a strategy finds for a board, and the number of positions searched, at most `most`.

    `backward` is the board for pulling. If boxes are fewer than goals there is no plan, as nobody knows which goals
    stay empty; without a plan, the boxes on goals count as packed.
    """
    listed: list[PackingEntry] = []
    expanded = 0
    if len(boxes) == len(goals):
        search = FeatureSearch(
            backward,
            no_plan(backward),
            boxes,
            strategy,
            budget.part(PACKING_SHARE * budget.remaining),
            pull=True,
        )
        for player in sorted(set(regions(backward, goals).values())):
            search.plant(goals, player)
        search.run(search.budget.stopped, most)
        expanded = search.expanded
        tree, made = search.tree, search.positions
        remaining = (tree.box[:made] >= 0).sum(axis=1)
        best = int(np.lexsort((tree.node["score"][:made], remaining))[0])
        if remaining[best] < len(boxes):
            left = [int(cell) for cell in tree.box[best] if cell >= 0]
            listed = entries([(step.start, step.end, step.gone) for step in search.way(best)], left)
    return packing_plan(listed, forward.neighbour, forward.live), expanded


def board_and_plan(view: BoxBoard, budget: Budget, most: int) -> tuple[Board, PackingPlan] | None:
    """A board and its packing plan, searched for in at most `most` positions; None if time is up before.

    It is a `packing_plan.PlanSearch`, for other engines.
    """
    number = {cell: i for i, cell in enumerate(view.cells)}
    boxes, goals = [number[cell] for cell in view.boxes], [number[cell] for cell in view.goals]
    forward, backward = board_arrays(view, lambda: budget.stopped() is not None)
    if budget.stopped():  # then the tables are not complete
        return None
    return forward, find_packing_plan(forward, backward, boxes, goals, budget, BASE, most)[0]


def regions(board: Board, boxes: Sequence[int]) -> dict[int, int]:
    """The smallest cell of its region for each cell that the boxes leave free."""
    neighbour, wall, occupied = board.neighbour.tolist(), len(board.goal) - 1, set(boxes)
    root: dict[int, int] = {}
    for first in range(wall):
        if first in occupied or first in root:
            continue
        root[first] = first
        queue = [first]
        for cell in queue:
            for other in neighbour[cell]:
                if other != wall and other not in occupied and other not in root:
                    root[other] = first
                    queue.append(other)
    return root
