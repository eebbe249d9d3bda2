"""The search tree: positions that were expanded, and the macro moves that each of them has left.

Positions are numbered as they are expanded. The moves of one stand together; those that were taken are put behind the
others. Positions are found again by their hash, in chains from a table of buckets.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.arrays import Bytes, Ints, Shorts

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
        ("by", np.int16),
    ],
    align=True,
)
"""A position. `hash`; `score`: see `features`; `rank`: see `strategy`; its moves: `moves` of them from `first` on, the
best of them is `chosen`; `player`: the smallest cell of the player's region; `parent`; `weight`: moves on the way that
no advisor named; `best`: the best position on the way, itself included; `cell` of the feature space, where it is filed;
`lower`, `upper`: of the heap that it waits in; `chain`: the next position of its bucket; the macro move that led here,
from `start` to `end`, whether its box has `gone`, and `by` which advisor it was named, or -1.
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
cells, `start` and `end`; `flags`: `ADVISED`, `OPENS`, `VANISHES`, and from bit `BY` on the advisor that named it.
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

BY = 4

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
