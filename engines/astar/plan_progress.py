"""How far a state has got with a packing plan: the kind of state by which A* takes every other open state.

Where the bound is the optimum, all states of the least f look alike, and h says only how many pushes are left. A
packing plan (`fess.packing`) tells more: in which order the goals are filled so that those left can still be reached.
So boxes on a board get a plan, and a state a *rank*, of which less is better. The first entry in which two differ
decides:

    bits  16 ...       12        8             0
          not packed | regions | out of plan | box changes

The first three are features of `fess` (`fess.features`). *Box changes* are those on the way to the state: pushes of
another box than the push before. An optimal plan of 441 pushes (XSokoban 73) moves some twenty boxes from their place
to a goal, so a way of few changes is more like it than one that pushes boxes in turn.

The rank says nothing about cost: it only orders states of the same f. What is proven does not depend on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.boxes.board import Board, bare_board, label_regions
from ...analysis.boxes.packing_plan import PackingPlan, PlanSearch, no_plan, packed_steps
from ...analysis.boxes.scratch import BoardScratch, scratch_for
from ...analysis.movable_objects import MovableObjects
from ...models.boxes import BoxBoard
from ...runtime.arrays import Words
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from .positions import put_state

# The most positions that the search for a packing plan expands.
PACKING_POSITIONS = 2_000

MISSING, REGIONS, OUT_OF_PLAN = 16, 12, 8
"""The lowest bit of each entry of a rank."""

MOST, MOST_CHANGES = 15, 255
"""The largest values of the second and third entry, and of box changes; more counts as that. Where the goals are every
other cell of a room (XSokoban 48), each free cell between boxes is a region, and more of them is no worse.
"""

SMALL_BOARD = BoxBoard(((0, 0), (0, 1), (0, 2)), ((0, 1),), ((0, 2),), (0, 0), (1,), (0,))


class PlanProgress(NamedTuple):
    """Tables for the rank of a state: `s` is scratch for a position on the board, `before` for the parent's row."""

    board: Board
    plan: PackingPlan
    s: BoardScratch
    before: Words


def progress_for(view: object, objects: MovableObjects, budget: Budget, search: PlanSearch) -> PlanProgress | None:
    """The tables for a task whose view is a board with these objects as boxes; None for another, or if time is up."""
    if not isinstance(view, BoxBoard) or objects.count != len(view.boxes) or len(objects.covers) != len(objects.fact):
        return None
    found = search(view, budget, PACKING_POSITIONS)
    return None if found is None else _progress(*found, len(view.boxes), objects)


def no_progress(objects: MovableObjects) -> PlanProgress:
    """Tables of the same types, for searches without a packing plan."""
    board = bare_board(SMALL_BOARD)
    return _progress(board, no_plan(board), 1, objects)


def _progress(board: Board, plan: PackingPlan, boxes: int, objects: MovableObjects) -> PlanProgress:
    return PlanProgress(
        board=board,
        plan=plan,
        s=scratch_for(len(board.goal) - 1, boxes, 0),
        before=np.zeros(len(objects.mask) + 1, np.uint64),
    )


@njit(inner=True)
def rank_after(progress: PlanProgress, objects: MovableObjects, row: Words, changes: int) -> int:
    """The rank of a state; `changes`: box changes on the way to it."""
    board, plan, s = progress.board, progress.plan, progress.s
    count = put_state(objects, s, row)
    packed = packed_steps(plan, board, s)
    missing, out = long(max(len(plan.to), count) - packed), long(0)
    regions = long(label_regions(board.neighbour, s.occupied, s.label, s.stack))
    if len(plan.to):  # else `packed` counts boxes on goals, and nothing is out of plan
        for i in range(count):
            out += plan.zone[packed, s.box[i]]
    rank = missing << MISSING | min(regions, MOST) << REGIONS | min(out, MOST) << OUT_OF_PLAN
    return rank | min(changes, MOST_CHANGES)
