"""From where a box can be pushed to which goal, when some boxes can never move again.

Frozen boxes are walls for the others, and for the player, who has to walk round a box to push it another way:

    ########     The boxes on goals are frozen. For the player to push the other box up, he has to get below it; both
    #  #.#       ways there are closed by now. A box that moved by itself would not be stopped by them.
    # @$ #
    ##** #
     #####

So a lone box is followed over (its cell, the region of the player), backward from each goal. The positions of a search
have few sets of frozen boxes, so what is found is kept for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Words
from ...runtime.bitops import long, same_row
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE
from .board import Board, label_regions
from .scratch import clear_sides

# Sets of frozen boxes whose reach is kept; a later set replaces an earlier one. A power of two.
BOARDS = 256


class GoalReach(NamedTuple):
    """For K sets of frozen boxes on F cells with G goals.

    `bits` (K, words): a set, as bits; `known` (K): whether there is one; `reach` (K, G, F): whether a box on a cell can
    be pushed to a goal. `goals` (G). The rest is scratch: `row` (words); `sides` (F, 4): with a lone box on a cell, the
    region of each of its sides, -1 for a wall; `seen` (F+1, 4); `queue` (4F+4, 2: cell, region); `label`, `stack`
    (F+1).
    """

    bits: Words
    known: Bytes
    reach: Bytes
    goals: Ints
    row: Words
    sides: Ints
    seen: Bytes
    queue: Ints
    label: Ints
    stack: Ints


def goal_reach_for(board: Board) -> GoalReach:
    """Empty arrays of `GoalReach` for a board."""
    cells, goals = len(board.goal) - 1, np.nonzero(board.goal)[0].astype(np.int32)
    words = (cells + 63) // 64
    return GoalReach(
        bits=np.zeros((BOARDS, words), np.uint64),
        known=np.zeros(BOARDS, np.uint8),
        reach=np.zeros((BOARDS, len(goals), cells), np.uint8),
        goals=goals,
        row=np.zeros(words, np.uint64),
        sides=np.zeros((cells, 4), np.int32),
        seen=np.zeros((cells + 1, 4), np.uint8),
        queue=np.zeros((4 * cells + 4, 2), np.int32),
        label=np.zeros(cells + 1, np.int32),
        stack=np.zeros(cells + 1, np.int32),
    )


@njit(inner=True)
def reach_of(board: Board, goals: GoalReach, frozen: Bytes) -> int:
    """The number of a set of frozen boxes, `frozen` (F+1, the last is the wall), for which `reach` is filled."""
    row, cells, key = goals.row, len(frozen) - 1, np.uint64(0)
    for w in range(len(row)):
        row[w] = np.uint64(0)
    for c in range(cells):
        if frozen[c]:
            row[c >> 6] |= ONE << np.uint64(c & 63)
            key ^= board.box_key[c]
    k = long(key) & (BOARDS - 1)
    if goals.known[k] and same_row(goals.bits, k, row):
        return k
    for w in range(len(row)):
        goals.bits[k, w] = row[w]
    goals.known[k] = 1
    # The regions around a lone box on each cell.
    for c in range(cells):
        if frozen[c]:
            continue
        frozen[c] = 1
        label_regions(board.neighbour, frozen, goals.label, goals.stack)
        frozen[c] = 0
        for d in range(4):
            goals.sides[c, d] = goals.label[board.neighbour[c, d]]
    for g in range(len(goals.goals)):
        pull_back(board, goals, frozen, k, g)
    return k


@njit(inner=True)
def pull_back(board: Board, goals: GoalReach, frozen: Bytes, k: int, g: int) -> None:
    """Fill `reach[k, g]`: pulls of a lone box from goal g, the player anywhere to begin with."""
    reach, sides, seen, queue, target = goals.reach[k, g], goals.sides, goals.seen, goals.queue, goals.goals[g]
    for c in range(len(reach)):
        reach[c] = 0
    if frozen[target]:
        return
    clear_sides(seen)
    tail, head = 0, 0
    for d in range(4):
        if sides[target, d] >= 0:
            tail = found(goals, target, sides[target, d], tail)
    reach[target] = 1
    while head < tail:
        cell, region = queue[head, 0], queue[head, 1]
        head += 1
        for d in range(4):
            # The box came by a push in direction d: the player stands where it was, and stood behind that.
            before = board.neighbour[cell, d ^ 1]
            if sides[cell, d ^ 1] != region or frozen[before]:
                continue
            if sides[before, d ^ 1] >= 0:
                reach[before] = 1
                tail = found(goals, before, sides[before, d ^ 1], tail)


@njit(inner=True)
def found(goals: GoalReach, cell: int, region: int, tail: int) -> int:
    """Queue a box on a cell with the player in a region, once; the end of the queue then."""
    new = False
    for d in range(4):
        if goals.sides[cell, d] == region and not goals.seen[cell, d]:
            goals.seen[cell, d] = 1
            new = True
    if not new:
        return tail
    goals.queue[tail, 0], goals.queue[tail, 1] = cell, region
    return tail + 1
