"""The search tree: positions that were expanded, and the macro moves that each of them has left.

Positions are numbered as they are expanded. The moves of one stand together; those that were taken are put behind the
others. Positions are found again by their hash, in chains from a table of buckets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...analysis.boxes.board import BoardScratch
from ...runtime.arrays import Bytes, Ints, Shorts, Words, zeros
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit

Records = NDArray[Any]
"""Arrays of records."""

BUCKETS = 1 << 18
"""Chains of positions, and of cells of the feature space: a power of two."""


NODE = np.dtype(
    [
        ("hash", np.uint64),
        ("score", np.int64),
        ("rank", np.int64),
        ("first", np.int64),
        ("chosen", np.int64),
        ("moves", np.int32),
        ("player", np.int32),
        ("parent", np.int32),
        ("weight", np.int32),
        ("best", np.int32),
        ("cell", np.int32),
        ("lower", np.int32),
        ("upper", np.int32),
        ("chain", np.int32),
        ("start", np.int16),
        ("end", np.int16),
        ("gone", np.int16),
    ],
    align=True,
)
"""A position. `hash`; `score`: see `features`; `rank`: see `strategy`; its moves: `moves` of them from `first` on, the
best of them is `chosen`; `player`: the smallest cell of the player's region; `parent`; `weight`: moves on the way that
no advisor named; `best`: the best position on the way, itself included; `cell` of the feature space, where it is filed;
`lower`, `upper`: of the heap that it waits in; `chain`: the next position of its bucket; the macro move that led here,
from `start` to `end`, and whether its box has `gone`.
"""

MOVE = np.dtype(
    [
        ("score", np.int64),
        ("rank", np.int64),
        ("hash", np.uint64),
        ("root", np.int16),
        ("start", np.int16),
        ("end", np.int16),
        ("flags", np.int16),
    ],
    align=True,
)
"""A macro move. `score`, `rank`, `hash` and the player's region (`root`) of the position that it leads to; its box's
cells, `start` and `end`; `flags`: `ADVISED`, `OPENS`, `VANISHES`.
"""


class Tree(NamedTuple):
    """Arrays for N positions of B boxes and M moves; -1 stands for no entry.

    `box` (N, B): where the boxes are, or -1; `left` (N, B): the bases that are left, of the packing search; `node` (N):
    `NODE`; `move` (M): `MOVE`; `bucket`: the first position of each chain.
    """

    box: Shorts
    left: Bytes
    node: Records
    move: Records
    bucket: Ints


ADVISED, OPENS, VANISHES = 1, 2, 4

CELL_BYTES = 24
"""Bytes of a cell of the feature space; there are at most as many cells as positions."""


def tree_for(boxes: int, nodes: int, moves: int) -> Tree:
    """An empty tree with room for `nodes` positions and `moves` moves; memory is taken when it is written to."""
    return Tree(
        box=np.zeros((nodes, boxes), np.int16),
        left=np.zeros((nodes, boxes), np.uint8),
        node=np.zeros(nodes, NODE),
        move=np.zeros(moves, MOVE),
        bucket=np.full(BUCKETS, -1, np.int32),
    )


def bytes_per_position(boxes: int) -> int:
    """Bytes of a position in a tree and in its cell, without its moves."""
    return 3 * boxes + NODE.itemsize + CELL_BYTES


# The positions of a search backward from the goals, in a table in which a search forward looks up what it meets.
#
# Every macro move that the backward search lists leads to a position from which its pulls, reversed, are pushes to
# the goals. A forward search that lists a move to such a position is done:
#
#     start -> ... -> position  =  position <- ... <- solved board
#
# Boxes do not vanish in this backward search, as they do in that of the packing plan (`packing`): its pulls are real.
# (Festival, Shoham's program, calls the table the perimeter; for search from both ends see J. F. Dillenburg and P. C.
# Nelson, *Perimeter search*, Artificial Intelligence 65, 1994.)

NONE = -1

SLOT_BYTES = 18
"""Bytes of a slot: a hash, a number and a move."""

SHARE = 2
"""Slots of the table for each of its entries, at least."""


class Meetings(NamedTuple):
    """A table of S slots, a power of two; in a slot a position that the backward search lists.

    `key` (S): the hash of the position; `parent` (S): the number of the position that it was listed for, `NONE` in an
    empty slot; `move` (S, 3): the box's cells before and after the pull, and the player's region after it. `box` (N,
    B): where the boxes of the backward positions are.
    """

    key: Words
    parent: Ints
    move: Shorts
    box: Shorts


def no_meetings(boxes: int) -> Meetings:
    """The table without positions."""
    return zeros(Meetings, 1, parent=np.full(1, NONE, np.int32), move=(1, 3), box=(0, boxes))


def meetings_of(tree: Tree, positions: int, moves: int, most: int) -> Meetings:
    """The table of the moves that the first `positions` of a backward search have, `moves` of them, in `most` slots at
    most: later positions are left out where they find no room.
    """
    slots = 1
    while slots < SHARE * moves and 2 * slots <= most:
        slots *= 2
    made = zeros(Meetings, slots, parent=np.full(slots, NONE, np.int32), move=(slots, 3), box=tree.box)
    fill_meetings(tree, made, positions, moves)
    return made


@njit(_nrt=False, effort=1)
def fill_meetings(tree: Tree, table: Meetings, positions: int, moves: int) -> None:
    """Enter all moves of the positions, the first positions first, until half of the slots are taken."""
    mask, room = len(table.key) - 1, len(table.key) // SHARE
    for node in range(positions):
        first = tree.node[node].first
        last = tree.node[node + 1].first if node + 1 < positions else moves
        for move in range(first, last):
            hash_ = tree.move[move].hash
            slot = long(hash_) & mask
            while table.parent[slot] >= 0 and table.key[slot] != hash_:
                slot = (slot + 1) & mask
            if table.parent[slot] >= 0:
                continue  # known, with fewer macro moves
            if room == 0:
                return
            room -= 1
            table.key[slot], table.parent[slot] = hash_, node
            table.move[slot, 0], table.move[slot, 1] = tree.move[move].start, tree.move[move].end
            table.move[slot, 2] = tree.move[move].root


@njit(inner=True)
def find_meeting(table: Meetings, s: BoardScratch, hash_: np.uint64, root: int) -> int:
    """The slot of the position in `s`, with the player in region `root`; `NONE` if it is not in the table."""
    mask = len(table.key) - 1
    slot = long(hash_) & mask
    while table.parent[slot] >= 0 and table.key[slot] != hash_:
        slot = (slot + 1) & mask
    parent = table.parent[slot]
    if parent < 0 or table.move[slot, 2] != root:
        return NONE
    start, end = table.move[slot, 0], table.move[slot, 1]
    same = s.occupied[end] == 1
    for i in range(len(s.box)):
        c = table.box[parent, i]
        same = same and (c == start or s.occupied[c] == 1)
    return slot if same else NONE
