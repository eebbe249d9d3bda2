"""The position that is being looked at, and what is computed of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Words
from ...runtime.kernel_cache import njit


class BoardScratch(NamedTuple):
    """A position and scratch arrays, for F cells and B boxes.

    `occupied` (F+1): a wall or a box; `box` (B): where the boxes are, -1 for one that is no longer on the board;
    `label` (F+1): the region of each free cell. `seen` (F+1, 4), `queue` (16F, 3: cell, player, the entry that it came
    from): of the macro moves of one box. `reached` (F+1, 4): the sides of boxes that the player could push from in the
    parent. `mark` (F+1), `intact` (R): see `rooms`. `frozen` (F+1): see `deadlocks`. `elimination` (F+1): bases where a
    box vanishes, of the packing search. `owner`, `came` (F+1), `holds` (B), `link` (F+1, B): of matchings, see
    `deadlocks`; `tried` (F+1): cells that were met. `movable` (B): the boxes whose moves are listed, see
    `corral_pruning`. `at`: numbers, see `AT_...`.
    """

    occupied: Bytes
    box: Ints
    label: Ints
    stack: Ints
    seen: Bytes
    queue: Ints
    reached: Bytes
    mark: Ints
    intact: Words
    frozen: Bytes
    elimination: Bytes
    owner: Ints
    holds: Ints
    came: Ints
    tried: Bytes
    movable: Bytes
    link: Bytes
    at: Longs


# Entries of `at`: of the queue; the cell of the box, the player's region and the number of regions at this stop; the
# slot of a position that was met from the other side.
AT_HEAD, AT_TAIL, AT_CELL, AT_ROOT, AT_REGIONS, AT_MEETING, AT_COUNT = range(7)


def scratch_for(cells: int, boxes: int, rooms: int) -> BoardScratch:
    """Empty scratch arrays for a board of n cells, boxes and rooms."""
    occupied = np.zeros(cells + 1, np.uint8)
    occupied[cells] = 1
    return BoardScratch(
        occupied=occupied,
        box=np.full(boxes, -1, np.int32),
        label=np.zeros(cells + 1, np.int32),
        stack=np.zeros(cells + 1, np.int32),
        seen=np.zeros((cells + 1, 4), np.uint8),
        queue=np.zeros((16 * cells + 8, 3), np.int32),
        reached=np.zeros((cells + 1, 4), np.uint8),
        mark=np.zeros(cells + 1, np.int32),
        intact=np.zeros(rooms, np.uint64),
        frozen=np.zeros(cells + 1, np.uint8),
        elimination=np.zeros(cells + 1, np.uint8),
        owner=np.zeros(cells + 1, np.int32),
        holds=np.zeros(boxes, np.int32),
        came=np.zeros(cells + 1, np.int32),
        tried=np.zeros(cells + 1, np.uint8),
        movable=np.ones(boxes, np.uint8),
        link=np.zeros((cells + 1, boxes), np.uint8),
        at=np.zeros(AT_COUNT, np.int64),
    )


@njit(inner=True)
def clear(array: Bytes) -> None:
    """Make all entries 0. (A loop: numba compiles `array[:] = 0` in a tenth of a second for each type.)"""
    for i in range(len(array)):
        array[i] = 0


@njit(inner=True)
def clear_board(occupied: Bytes) -> None:
    """Clear the position: no boxes, only the wall is occupied."""
    clear(occupied)
    occupied[len(occupied) - 1] = 1


@njit(inner=True)
def clear_sides(sides: Bytes) -> None:
    """Make all entries 0, for each cell and side."""
    for c in range(len(sides)):
        for d in range(4):
            sides[c, d] = 0
