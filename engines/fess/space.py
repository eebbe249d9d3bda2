"""The feature space: its cells, and in each a heap of the positions that are filed there.

A cell is a combination of feature values that some position has. Positions wait in the heap of their cell in the order
of (weight of the position and its best move, score of what that move leads to, age). The heap is a skew heap (Sleator
and Tarjan 1986): two heaps are merged along their upper sides, whose children change places on the way, and every other
operation is a merge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Ints, Longs
from ...runtime.kernel_cache import njit
from .tree import ADVISED, BUCKETS, Tree


class CellSpace(NamedTuple):
    """Arrays for C cells: `key`: their feature values in one number; `top`: the first position of their heap, or -1;
    `rank`: the best rank of a position that has it; `opener`: the first of them; `chain`, `bucket`: how a cell is
    found by its key.
    """

    key: Longs
    top: Ints
    rank: Longs
    opener: Ints
    chain: Ints
    bucket: Ints


def space_for(cells: int) -> CellSpace:
    """A feature space with room for `cells` cells."""
    return CellSpace(
        key=np.zeros(cells, np.int64),
        top=np.zeros(cells, np.int32),
        rank=np.zeros(cells, np.int64),
        opener=np.zeros(cells, np.int32),
        chain=np.zeros(cells, np.int32),
        bucket=np.full(BUCKETS, -1, np.int32),
    )


@njit(inner=True)
def slot_of(key: int) -> int:
    """The bucket of a key."""
    return int((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(46))


@njit(inner=True)
def move_weight(tree: Tree, move: int) -> int:
    """What a move adds to the weight of a way: 0 if an advisor named it, else 1."""
    return int(1 - (tree.move[move].flags & ADVISED))


@njit(inner=True)
def comes_first(tree: Tree, a: int, b: int) -> bool:
    """Whether position a waits before position b in a heap. Both have moves left."""
    move_a, move_b = tree.node[a].chosen, tree.node[b].chosen
    weight_a = tree.node[a].weight + move_weight(tree, move_a)
    weight_b = tree.node[b].weight + move_weight(tree, move_b)
    if weight_a != weight_b:
        return bool(weight_a < weight_b)
    if tree.move[move_a].rank != tree.move[move_b].rank:
        return bool(tree.move[move_a].rank < tree.move[move_b].rank)
    return a < b


@njit(inner=True)
def merged(tree: Tree, a: int, b: int) -> int:
    """The first position of two heaps made one; -1 is the empty heap."""
    if a < 0 or b < 0:
        return max(a, b)
    if comes_first(tree, b, a):
        a, b = b, a
    first = a
    while True:
        # Invariant: a comes before b; what is merged below a are its upper heap and b.
        upper = tree.node[a].upper
        tree.node[a].upper = tree.node[a].lower
        if upper < 0:
            tree.node[a].lower = b
            return first
        if comes_first(tree, b, upper):
            upper, b = b, upper
        tree.node[a].lower = upper
        a = upper


@njit(inner=True)
def choose(tree: Tree, node: int) -> bool:
    """Find the best move that a position has left, an advised one first, then by score; whether there is one."""
    first, best = tree.node[node].first, -1
    for move in range(first, first + tree.node[node].moves):
        if best < 0:
            best = move
            continue
        less = (tree.move[best].flags & ADVISED) - (tree.move[move].flags & ADVISED)
        if less < 0 or (less == 0 and tree.move[move].rank < tree.move[best].rank):
            best = move
    tree.node[node].chosen = best
    return best >= 0


@njit(inner=True)
def drop(tree: Tree, node: int) -> int:
    """Take the chosen move from a position's moves; where it stands now: behind them."""
    last = tree.node[node].first + tree.node[node].moves - 1
    move = tree.node[node].chosen
    swap_moves(tree, move, last)
    tree.node[node].moves -= 1
    return int(last)


@njit(inner=True)
def swap_moves(tree: Tree, a: int, b: int) -> None:
    """Let two moves change places."""
    tree.move[a].score, tree.move[b].score = tree.move[b].score, tree.move[a].score
    tree.move[a].rank, tree.move[b].rank = tree.move[b].rank, tree.move[a].rank
    tree.move[a].hash, tree.move[b].hash = tree.move[b].hash, tree.move[a].hash
    tree.move[a].root, tree.move[b].root = tree.move[b].root, tree.move[a].root
    tree.move[a].start, tree.move[b].start = tree.move[b].start, tree.move[a].start
    tree.move[a].end, tree.move[b].end = tree.move[b].end, tree.move[a].end
    tree.move[a].flags, tree.move[b].flags = tree.move[b].flags, tree.move[a].flags
