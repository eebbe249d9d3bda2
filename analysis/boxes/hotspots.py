"""Hotspots: boxes that stand in the way of others.

Cell q *blocks* cell p if a box on p could be pushed to fewer goals if q were a wall. A box is a *hotspot* if it blocks
another box; their number is a feature, to be made small. Pairs where p or q is a goal or a dead square do not count.
Pushes are judged without the player's walk: from a cell to the next, if the cell on the other side is floor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...runtime.arrays import Bytes, Ints
from ...runtime.kernel_cache import njit
from .scratch import clear

# Cells between two checks of the time limit while tables are filled.
CELLS_A_LOOK = 16


def blocked_targets(neighbour: Ints, goal: Bytes, live: Bytes, stopped: Callable[[], bool]) -> Bytes:
    """(F, F): `blocks[q, p]`, whether a box on p loses a goal to a wall on q.

    Where time is up before the table is done, cells that were not looked at block nothing.
    """
    cells = len(goal) - 1
    blocks, marks = np.zeros((cells, cells), np.uint8), np.zeros((2, cells + 1), np.uint8)
    marks[0, cells] = 1
    work = np.zeros((3, cells + 1), np.int32)
    for step in range(0, cells + 1, CELLS_A_LOOK):
        if stopped():
            break
        _fill_blocks(neighbour, goal, live, blocks, marks, work, step)
    return blocks


@njit(cache=True, _nrt=False, effort=1)
def _fill_blocks(
    neighbour: Ints, goal: Bytes, live: Bytes, blocks: Bytes, marks: Bytes, work: Ints, first: int
) -> None:
    """Fill rows of `blocks`, in `CELLS_A_LOOK` steps from step `first` on.

    Step 0 is the board as it is: row 1 of `work` counts the goals for each cell. Step k has a wall on cell q = F - k.
    Rows of `marks` (2, F+1): the wall alone, and scratch; rows 0 and 2 of `work` (3, F+1) are scratch.
    """
    cells, wall, found = len(goal) - 1, marks[0], marks[1]
    for step in range(first, min(first + CELLS_A_LOOK, cells + 1)):
        q = cells - step
        if q < cells and (goal[q] or not live[q]):
            continue
        wall[q] = 1
        for p in range(cells):
            work[2, p] = 0
        for target in range(cells):
            if goal[target]:
                pulls_from(neighbour, wall, target, found, work[0])
                for p in range(cells):
                    work[2, p] += found[p]
        for p in range(cells):
            if q == cells:
                work[1, p] = work[2, p]
            elif p != q and work[2, p] < work[1, p] and live[p] and not goal[p]:
                blocks[q, p] = 1
        if q < cells:
            wall[q] = 0


@njit(inner=True)
def pulls_from(neighbour: Ints, wall: Bytes, target: int, found: Bytes, stack: Ints) -> None:
    """Mark in `found` every cell from which a lone box could be pushed to the target, walks left aside."""
    clear(found)
    found[target] = 1
    stack[0] = target
    top = 1
    while top > 0:
        top -= 1
        c = stack[top]
        for d in range(4):
            other = neighbour[c, d]
            if not wall[other] and not found[other] and not wall[neighbour[other, d]]:
                found[other] = 1
                stack[top] = other
                top += 1
