"""Positions from which no plan leads to the goal: frozen boxes off the goals, and boxes without a goal of their own.

All tests here are sound: they never call a position dead that can be solved. `corrals` has the expensive ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Words
from ...runtime.bitops import long, same_row
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..matching import Assignment, assignment, rematch
from ..movable_objects import INFINITE
from .board import Board, BoardScratch, clear_board, count_pushes, mark_sides

# From where a box can be pushed to which goal, when some boxes can never move again.
#
# Frozen boxes are walls for the others, and for the player, who has to walk round a box to push it another way:
#
#     ########     The boxes on goals are frozen. For the player to push the other box up, he has to get below it; both
#     #  #.#       ways there are closed by now. A box that moved by itself would not be stopped by them.
#     # @$ #
#     ##** #
#      #####
#
# So a lone box is followed over (its cell, the region of the player), backward from each goal. The positions of a
# search have few sets of frozen boxes, so what is found is kept for each.

# Sets of frozen boxes whose reach is kept; a later set replaces an earlier one. A power of two.
BOARDS = 256


class GoalReach(NamedTuple):
    """For K sets of frozen boxes on F cells with G goals.

    `bits` (K, words): a set, as bits; `known` (K): whether there is one; `reach` (K, G, F): whether a box on a cell can
    be pushed to a goal. `goals` (G). The rest is scratch: `row` (words); `sides` (F+1, 4): with a lone box on a cell,
    the region of each of its sides, -1 for what is occupied; `steps`, `queue` (4F+4): see `count_pushes`; `label`,
    `stack` (F+1); `cost` (G, G), 0 or `INFINITE`, and `assigned`: of matchings, see `lacks_goals`.
    """

    bits: Words
    known: Bytes
    reach: Bytes
    goals: Ints
    row: Words
    sides: Ints
    steps: Ints
    queue: Ints
    label: Ints
    stack: Ints
    cost: Longs
    assigned: Assignment


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
        sides=np.full((cells + 1, 4), -1, np.int32),
        steps=np.zeros(4 * cells + 4, np.int32),
        queue=np.zeros(4 * cells + 4, np.int32),
        label=np.zeros(cells + 1, np.int32),
        stack=np.zeros(cells + 1, np.int32),
        cost=np.zeros((len(goals), len(goals)), np.int64),
        assigned=assignment(len(goals)),
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
    # The regions around a lone box on each cell, and from which cells it can be pushed to each goal.
    for c in range(cells):
        if frozen[c]:
            for d in range(4):
                goals.sides[c, d] = -1
        else:
            mark_sides(board.neighbour, frozen, goals.label, goals.stack, goals.sides, c)
    for g in range(len(goals.goals)):
        count_pushes(board.neighbour, goals.sides, goals.goals[g], goals.steps, goals.queue)
        for c in range(cells):
            goals.reach[k, g, c] = 0
            for d in range(4):
                goals.reach[k, g, c] |= goals.steps[4 * c + d] >= 0
    return k


@njit(inner=True)
def is_blocked(neighbour: Ints, live: Bytes, still: Bytes, cell: int) -> bool:
    """Whether a box cannot be pushed along either axis while the cells that are `still` stay as they are.

    An axis is blocked if something still stands on either side, or if both sides are dead squares.
    """
    up, down, left, right = neighbour[cell, 0], neighbour[cell, 1], neighbour[cell, 2], neighbour[cell, 3]
    if not (still[up] or still[down]) and (live[up] or live[down]):
        return False
    return bool(still[left] or still[right] or not (live[left] or live[right]))


@njit(inner=True)
def find_frozen(board: Board, s: BoardScratch) -> bool:
    """Fill `frozen` with the boxes that can never move, and the wall; whether all of them stand on goals.

    The largest set of boxes of which none could be the first to be pushed: all boxes to begin with, and as long as one
    is not blocked by walls and boxes of the set, it leaves.
    """
    frozen, count = s.frozen, len(s.box)
    clear_board(frozen)
    for i in range(count):
        if s.box[i] >= 0:
            frozen[s.box[i]] = 1
    changed = True
    while changed:
        changed = False
        for i in range(count):
            c = s.box[i]
            if c >= 0 and frozen[c] and not is_blocked(board.neighbour, board.live, frozen, c):
                frozen[c] = 0
                changed = True
    for i in range(count):
        c = s.box[i]
        if c >= 0 and frozen[c] and not board.goal[c]:
            return False
    return True


@njit(inner=True)
def freezes(board: Board, s: BoardScratch, cell: int) -> bool:
    """Whether the box that has just been moved to a cell freezes, with boxes off the goals frozen then."""
    return is_blocked(board.neighbour, board.live, s.occupied, cell) and not find_frozen(board, s)


@njit(inner=True)
def lacks_goals(board: Board, s: BoardScratch, goals: GoalReach) -> bool:
    """Whether the boxes cannot each get to a goal of its own, frozen boxes being walls: no perfect matching.

    Uses `frozen` as `find_frozen` leaves it. Frozen boxes, and rows without a box, may have what is left.
    """
    known = reach_of(board, goals, s.frozen)
    for i in range(len(goals.goals)):
        c = s.box[i] if i < len(s.box) else -1
        for g in range(len(goals.goals)):
            goal = goals.goals[g]
            wanted = c >= 0 and not s.frozen[c]
            goals.cost[i, g] = INFINITE if wanted and (s.frozen[goal] or not goals.reach[known, g, c]) else 0
    return lacks_partners(goals)


@njit(inner=True)
def lacks_partners(goals: GoalReach) -> bool:
    """Whether the rows of `cost` cannot each have a column of their own in which they have 0."""
    for i in range(len(goals.cost)):
        goals.assigned.where[i] = i
    return bool(rematch(goals.cost, goals.assigned, goals.assigned, False) < 0)
