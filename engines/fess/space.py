"""The feature space: its cells, and in each a heap of the positions that are filed there.

A cell is a combination of feature values that some position has. Positions wait in the heap of their cell in the order
of (weight of the position and its best move, score of what that move leads to, age). The heap is a skew heap (Sleator
and Tarjan 1986): two heaps are merged along their upper sides, whose children change places on the way, and every other
operation is a merge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np

from ...analysis.boxes.board import Board, BoardScratch, broken_edges
from ...analysis.boxes.deadlock_search import DeadlockSearch
from ...analysis.boxes.freeze import GoalReach
from ...analysis.boxes.packing_plan import PackingPlan, packed_steps
from ...runtime.arrays import Ints, Longs, Shorts, zeros
from ...runtime.bitops import long
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
    # The feature that counts most stands in the highest bits, each cut off at its largest value.
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
    `rank`: the best rank of a position that has it; `chain`, `bucket`: how a cell is found by its key.
    """

    key: Longs
    top: Ints
    rank: Longs
    chain: Ints
    bucket: Ints


def space_for(cells: int) -> CellSpace:
    """A feature space with room for `cells` cells."""
    return zeros(CellSpace, cells, bucket=np.full(BUCKETS, -1, np.int32))


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
    looked at; `goals`, `deadlocks`: tests for deadlocks, with what they know; `meetings`: positions of the
    search from the other side; `numbers`: see `loop.NODES`.
    """

    board: Board
    plan: PackingPlan
    bases: Shorts
    strategy: Longs
    s: BoardScratch
    goals: GoalReach
    deadlocks: DeadlockSearch
    meetings: Meetings
    tree: Tree
    space: CellSpace
    numbers: Longs


# Strategies: in which order a search compares positions.
#
# A search that goes wrong early seldom recovers, and one that compares positions a little differently may need a
# thousandth of the time. So there are rounds: in each the first search goes on, and others with other strategies begin
# anew beside it (compare Gomes, Selman, Kautz, *Boosting combinatorial search through randomization*, AAAI 1998). The
# *rank* of a position is its score with the features in the order of the strategy; with a seed the distance, the last
# of them, is noise, and in each position one more move is named by chance. Searches to a middle (`halves`) come last in
# a round: they take long, and most levels do not need them.

ORDERS = 3
AS_SCORED, PLAN_FIRST, ROOMS_FIRST, REGIONS_FIRST = range(ORDERS + 1)
"""Orders of the features: that of the score; out of plan before all others; rooms before regions; regions before what
is packed. The first `ORDERS` are for searches with a packing plan.
"""

ORDER, NOISE_SEED, OPEN_START, MEETS = range(4)
"""Entries of a strategy in kernels: see `Strategy`; `MEETS`: whether only a position of the other side is the goal."""

NOISE = 48
"""Bits by which a hash is shifted right to give 16 bits of noise."""

HALF = 4
"""The effort of searches to a middle: those that find a plan mostly need thousands of positions."""

WORST = 1 << 62
"""A rank that is worse than any."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one search orders positions, and where it goes.

    `order` of the features; `seed` of the noise, 0 for none; `open_start`: whether each move of the start opens a cell
    of its own; `plan`: the seed of a packing plan of its own, 0 for the plan of the board. `middle`: the number of the
    backward search to whose middle it wants to get (`halves`), 0 for a search to the goals; it has a packing plan only
    if `plan` is not 0, to the middle. `effort`: its share of positions, as a multiple of that of others.
    `near`: whether boxes near the goals are preferred to boxes far from them.
    """

    order: int = AS_SCORED
    seed: int = 0
    open_start: bool = True
    plan: int = 0
    middle: int = 0
    effort: int = 1
    near: bool = False


BASE = Strategy()
"""The strategy that continues, with more positions, in each round."""


def rounds(first: int, shift: int = 0) -> Iterator[tuple[int, tuple[Strategy, ...]]]:
    """For each round the positions of each search, and the strategies tried anew beside the one that continues.

    A round has twice as many positions as the one before. `shift`: what is added to all seeds.
    """
    yield first, (Strategy(PLAN_FIRST), Strategy(ROOMS_FIRST))
    for turn in count():
        seed, step = shift + 1 + 3 * turn, shift + 2 * turn
        yield (
            first << turn,
            (
                *(
                    Strategy(order, (seed + k) * noise, turn % 2 == 0, (seed + k) * plan)
                    for k, order in enumerate((AS_SCORED, PLAN_FIRST, ROOMS_FIRST))
                    for noise, plan in ((1, 0), (0, 1))
                ),
                Strategy(REGIONS_FIRST, step, middle=step + 1, effort=HALF),
                Strategy(AS_SCORED, step, middle=step + 1, effort=HALF),
                Strategy(AS_SCORED, step, plan=step + 1, middle=step + 2, effort=HALF),
                Strategy(AS_SCORED, step + 1, plan=step + 1, middle=step + 2, effort=HALF),
            ),
        )


@njit(inner=True)
def rank_of(strategy: Longs, score: int, hash_: np.uint64) -> int:
    """The rank of a position with a score: less is better."""
    order, seed = strategy[ORDER], strategy[NOISE_SEED]
    # A score has its features in bytes: FIRST from bit 48, REGIONS 40, THIRD 32, FOURTH 24, FIFTH 16, and a tie breaker
    # in bits 0 to 15. An order moves the features that matter more to higher bytes, so that ranks compare as tuples
    # would.
    rank = score
    if order == PLAN_FIRST:
        rank = feature(score, FOURTH) << 56 | feature(score, FIRST) << FIRST | feature(score, REGIONS) << REGIONS
        rank |= feature(score, THIRD) << THIRD | feature(score, FIFTH) << FIFTH | (score & 0xFFFF)
    elif order == REGIONS_FIRST:
        rank = feature(score, REGIONS) << 56 | feature(score, FIRST) << FIRST | feature(score, THIRD) << REGIONS
        rank |= score & 0xFFFFFFFF
    elif order == ROOMS_FIRST:
        rank = feature(score, FIRST) << FIRST | feature(score, THIRD) << REGIONS | feature(score, REGIONS) << THIRD
        rank |= score & 0xFFFFFFFF
    if seed:
        # Noise takes the place of the tie breaker: the upper 16 bits of the hash, mixed with the seed.
        mixed = (np.uint64(hash_) ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        rank = rank - (rank & 0xFFFF) + long(mixed >> np.uint64(NOISE))
    return rank
