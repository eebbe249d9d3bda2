"""The feature space: its cells, and in each a heap of the positions that are filed there.

A cell is a combination of feature values that some position has. Positions wait in the heap of their cell in the order
of (weight of the position and its best move, score of what that move leads to, age). The heap is a skew heap (Sleator
and Tarjan 1986): two heaps are merged along their upper sides, whose children change places on the way, and every other
operation is a merge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.boxes.board import Board, BoardScratch, broken_edges
from ...analysis.boxes.core_deadlocks import CoreSearch
from ...analysis.boxes.corral_deadlocks import CorralSearch
from ...analysis.boxes.freeze import GoalReach
from ...analysis.boxes.packing_plan import PackingPlan, packed_steps
from ...runtime.arrays import Ints, Longs, Shorts
from ...runtime.kernel_calls import njit
from .tree import ADVISED, BUCKETS, Meetings, Tree

# The features of a position, and the score in which they are compared.
#
# A score is one number: the first feature in which two positions differ decides, and less is better.
#
#     forward    55 ... 48    40        32            24           16        0
#                not packed | regions | broken edges | out of plan | hotspots | 65535 - distance
#     backward   boxes left | regions | on goals     | broken edges |         | 65535 - distance
#
# *Regions* is the connectivity: the number of parts into which boxes and walls divide the free cells. *Distance* is the
# sum of what the boxes have to go (`Board.away`): boxes that are not needed yet should rather keep away. The cell of
# the feature space is made of some of them: forward packed, regions, out of plan; backward all but the distance.
# (Shoham and Schaeffer 2020 have packed, connectivity, rooms and out of plan.)

FIRST, REGIONS, THIRD, FOURTH, FIFTH = 48, 40, 32, 24, 16
"""The lowest bit of each feature in a score. `FIRST`: boxes not packed, or boxes left."""

MOST = 255
"""The largest value that a feature of a score has; more counts as that."""

FARTHEST = 65_535


@njit(inner=True)
def feature(score: int, place: int) -> int:
    """Read one feature from a score."""
    return score >> FIRST if place == FIRST else (score >> place) & MOST


@njit(inner=True)
def cell_key(score: int, pull: bool) -> int:
    """The cell of the feature space, as one number."""
    if pull:
        return score >> FIFTH
    return (score >> REGIONS) << 8 | feature(score, FOURTH)


@njit(inner=True)
def hotspots(board: Board, s: BoardScratch) -> int:
    """How many boxes block another one."""
    count, hot = len(s.box), 0
    for i in range(count):
        if s.box[i] < 0:
            continue
        row = board.blocks[s.box[i]]
        for k in range(count):
            if s.box[k] >= 0 and row[s.box[k]]:
                hot += 1
                break
    return hot


@njit(inner=True)
def score_of(board: Board, plan: PackingPlan, s: BoardScratch, regions: int, pull: bool) -> int:
    """The score of the position in `s`, whose free cells form `regions` regions."""
    count, boxes, on_goal, away = len(s.box), 0, 0, 0
    for i in range(count):
        c = s.box[i]
        if c >= 0:
            boxes += 1
            on_goal += board.goal[c]
            away += board.away[c]
    broken = broken_edges(board.neighbour, board.room, board.edges, s.occupied, s.mark, s.stack, s.intact)
    near = FARTHEST - min(away, FARTHEST)
    regions, broken = min(regions, MOST), min(broken, MOST)
    if pull:
        return boxes << FIRST | regions << REGIONS | min(on_goal, MOST) << THIRD | broken << FOURTH | near
    packed = packed_steps(plan, board, s)
    zone, out = plan.zone[min(packed, len(plan.to))], 0  # without a plan one row, whatever is packed
    for i in range(count):
        out += s.box[i] >= 0 and zone[s.box[i]]
    missing = max(len(plan.to), count) - packed
    return (
        missing << FIRST
        | regions << REGIONS
        | broken << THIRD
        | min(out, MOST) << FOURTH
        | min(hotspots(board, s), MOST) << FIFTH
        | near
    )


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


# The tables of one search in feature space.


class SpaceSearch(NamedTuple):
    """Tables of a search by pushes, or by pulls, of B boxes.

    `bases` (B): where boxes start, for the packing search; `strategy`: see `strategy.ORDER`; `s`: the position that is
    looked at; `goals`, `corrals`, `cores`: tests for deadlocks, with what they know; `meetings`: positions of the
    search from the other side; `numbers`: see `loop.NODES`.
    """

    board: Board
    plan: PackingPlan
    bases: Shorts
    strategy: Longs
    s: BoardScratch
    goals: GoalReach
    corrals: CorralSearch
    cores: CoreSearch
    meetings: Meetings
    tree: Tree
    space: CellSpace
    numbers: Longs
