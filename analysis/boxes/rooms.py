"""Rooms of a board, and how well the boxes leave them connected.

A *room* is a set of cells made of overlapping 2x2 blocks of floor, at least two of them (so 2x3 is the smallest room);
all other cells are *corridors*. Two rooms are joined by an edge if a walk leads from one to the other through corridors
only, with no boxes on the board:

    ########     0 0 0 - 1 1 1      one edge; a box on the corridor breaks it
    #000#11#     0 0 0   1 1 1
    #000-11#
    #####11#

*Room connectivity* counts the edges that the boxes break: an edge between rooms i and k is intact if from every part of
i that the boxes leave, the player could walk to k, and the other way round. 0 is best. (Shoham and Schaeffer, *The FESS
Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE CoG 2020.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...models.cells import Cell
from ...runtime.arrays import Bytes, Ints, Words
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE

NO_ROOM = -1
"""The room number of cells that belong to no room: those of corridors."""

MOST_ROOMS = 64
"""Most rooms, one for each bit of a word. A board with more is treated as if it had no rooms."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """`room` (F+1): the room of each cell, or `NO_ROOM`; `edges` (R): the rooms joined to each, as bits of a word."""

    room: Ints
    edges: Words


def find_rooms(cells: tuple[Cell, ...], neighbour: Ints) -> Rooms:
    """The rooms of a floor, numbered in reading order, and their edges."""
    floor = set(cells)
    blocks = {(r, c) for r, c in cells if {(r, c + 1), (r + 1, c), (r + 1, c + 1)} <= floor}
    number = _components({block for block in blocks if not blocks.isdisjoint(_beside(block))})
    rooms = max(number.values(), default=-1) + 1
    if rooms > MOST_ROOMS:
        number, rooms = {}, 0
    room = np.full(len(cells) + 1, NO_ROOM, np.int32)
    for i, (r, c) in enumerate(cells):
        covering = {number[block] for block in ((r, c), (r, c - 1), (r - 1, c), (r - 1, c - 1)) if block in number}
        if len(covering) == 1:  # where two rooms touch at a corner, the cell belongs to neither
            room[i] = covering.pop()
    joined = [_joined(i, room.tolist(), neighbour.tolist()) for i in range(rooms)]
    return Rooms(room, np.array([sum(1 << k for k in others) for others in joined], np.uint64))


def _beside(cell: Cell) -> set[Cell]:
    r, c = cell
    return {(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)}


def _components(blocks: set[Cell]) -> dict[Cell, int]:
    """The number of the component of each block, where blocks one cell apart are joined."""
    number: dict[Cell, int] = {}
    components = 0
    for first in sorted(blocks):
        if first in number:
            continue
        number[first] = components
        queue = [first]
        for block in queue:
            for other in _beside(block) & blocks - number.keys():
                number[other] = components
                queue.append(other)
        components += 1
    return number


def _joined(first: int, room: list[int], neighbour: list[list[int]]) -> set[int]:
    """The rooms that a walk from a room meets first, on a board without boxes."""
    queue = [cell for cell, of in enumerate(room) if of == first]
    seen, met = set(queue), set()
    for cell in queue:
        for other in neighbour[cell]:
            if other == len(room) - 1 or other in seen:
                continue
            if room[other] not in (first, NO_ROOM):
                met.add(room[other])
            else:
                seen.add(other)
                queue.append(other)
    return met


@njit(inner=True)
def broken_edges(
    neighbour: Ints, room: Ints, edges: Words, occupied: Bytes, mark: Ints, stack: Ints, intact: Words
) -> int:
    """How many edges between rooms the boxes break.

    `mark` (F+1) and `stack` (F+1) are scratch arrays; `intact` (R) holds for each room the rooms that are seen from
    every part of it, as bits.
    """
    rooms, cells = len(edges), len(room) - 1
    if rooms < 2:
        return 0
    for c in range(cells):
        mark[c] = -1
    for i in range(rooms):
        intact[i] = edges[i]
    # 1. A flood for each part of a room: through its free cells and free corridors; other rooms are seen at their edge.
    # Bit k of edges[i]: rooms i and k are joined on the empty board; bit k of intact[i]: each part of room i flooded so
    # far has met room k. `mark` holds the first cell of the last flood that came by, so it is cleared once, not for
    # each.
    used = np.uint64(0)
    for first in range(cells):
        own = room[first]
        if own < 0 or occupied[first] or mark[first] >= 0:
            continue
        seen = np.uint64(0)
        used |= ONE << np.uint64(own)
        mark[first] = first
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            c = stack[top]
            for d in range(4):
                other = neighbour[c, d]
                if occupied[other] or mark[other] == first:
                    continue
                if room[other] >= 0 and room[other] != own:
                    seen |= ONE << np.uint64(room[other])
                else:
                    mark[other] = first
                    stack[top] = other
                    top += 1
        intact[own] &= seen
    # 2. An edge must be intact from both ends. A room full of boxes has no part that sees anything.
    broken = 0
    for i in range(rooms):
        if not (used >> np.uint64(i)) & ONE:
            intact[i] = np.uint64(0)
    for i in range(rooms):
        for k in range(i + 1, rooms):
            if (edges[i] >> np.uint64(k)) & ONE:
                broken += not ((intact[i] >> np.uint64(k)) & (intact[k] >> np.uint64(i)) & ONE)
    return broken
