"""Positions from which no plan leads to the goal: frozen boxes off the goals, and boxes without a goal of their own.

All tests here are sound: they never call a position dead that can be solved. `corrals` has the expensive ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Words
from ...runtime.bitops import long, same_row
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
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
    `stack` (F+1).
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

    Uses `frozen` as `find_frozen` leaves it.
    """
    count, slots = len(s.box), 0
    known = reach_of(board, goals, s.frozen)
    for g in range(len(goals.goals)):
        if not s.frozen[goals.goals[g]]:
            for i in range(count):
                c = s.box[i]
                s.link[slots, i] = c >= 0 and goals.reach[known, g, c] and not s.frozen[c]
            slots += 1
    begin_matching(s, slots)
    enough = True
    for i in range(count):
        enough = enough and (s.box[i] < 0 or s.frozen[s.box[i]] == 1 or takes_slot(s, slots, i))
    return not enough


@njit(inner=True)
def begin_matching(s: BoardScratch, slots: int) -> None:
    """Begin a bipartite matching without pairs. `link[k, i]` says whether box i may have slot k."""
    for k in range(slots):
        s.owner[k] = -1
    for i in range(len(s.holds)):
        s.holds[i] = -1


@njit(inner=True)
def takes_slot(s: BoardScratch, slots: int, box: int) -> bool:
    """Give one more box a slot by an augmenting path; whether there is one.

    Breadth first over boxes: from a box to the slots that it may have, from an owned slot to its owner, who would have
    to take another. `came[k]` is the box from which the path got to slot k.
    """
    for k in range(slots):
        s.came[k] = -1
    s.stack[0] = box
    head, tail = 0, 1
    while head < tail:
        i = s.stack[head]
        head += 1
        for k in range(slots):
            if s.came[k] >= 0 or not s.link[k, i]:
                continue
            s.came[k] = i
            if s.owner[k] >= 0:
                s.stack[tail] = s.owner[k]
                tail += 1
                continue
            here = k
            while here >= 0:  # back along the path: every box takes the slot that it looked at
                taker = s.came[here]
                before = s.holds[taker]
                s.owner[here] = taker
                s.holds[taker] = here
                here = before
            return True
    return False
