"""Positions from which no plan leads to the goal: frozen boxes off the goals, and boxes without a goal of their own.

All tests here are sound: they never call a position dead that can be solved. `corrals` has the expensive ones.
"""

from __future__ import annotations

from ...runtime.arrays import Bytes, Ints
from ...runtime.kernel_cache import njit
from .board import Board
from .goal_reach import GoalReach, reach_of
from .scratch import BoardScratch, clear_board


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
