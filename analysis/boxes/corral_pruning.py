"""PI-corral pruning: while a closed region waits to be opened by pushes that can be made now, only its boxes move.

A set of boxes around regions that the player cannot reach is a *PI-corral* (B. Damgaard's term) if

- I, inward: each push of one of its boxes that does not first need another of them to move goes into a region;
- P, possible: the player can make each of these pushes now;
- a box of it is off the goals, or a goal inside is empty.

    ########      The box is the edge of a corral, the region on the right. Its only push goes to the right, and the
    #   #  #      player can make it. No other box needs to be pushed before that is done.
    # @ $ .#
    #   #  #
    ########

A plan pushes a box of the corral some time. Until then neither the player nor another box gets inside, so the first
such push can be made at once, and the pushes before it then lead to the same position: with the moves of all other
boxes left out, every position that can be solved still can. (B. Damgaard's rule, as the Sokoban Wiki has it in *Sokoban
solver "scribbles" by Brian Damgaard about the YASS solver*.) A union of regions may be a PI-corral where none of them
is one, so a region that does not qualify grows: by the region or the box that a push in question needs.
"""

from __future__ import annotations

from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .board import Board
from .scratch import BoardScratch, clear

NO_CORRAL = 0


@njit(inner=True)
def find_movable(board: Board, s: BoardScratch, root: int) -> None:
    """Fill `movable`: the boxes of the smallest PI-corral that is found; all boxes if there is none.

    `s` is a position with its regions in `label`, the player in region `root`. Uses `tried` and `holds`.
    """
    count = len(s.box)
    for i in range(count):
        s.movable[i] = 1
    least = count
    for first in range(len(s.label) - 1):
        if s.label[first] != first or first == root:
            continue
        size = grow_corral(board, s, first, root)
        if NO_CORRAL < size < least and has_work(board, s):
            least = size
            for i in range(count):
                s.movable[i] = s.box[i] >= 0 and s.tried[s.box[i]]


@njit(inner=True)
def grow_corral(board: Board, s: BoardScratch, first: int, root: int) -> int:
    """Mark in `tried` the regions (at their smallest cell) and the boxes of the PI-corral that a region grows to.

    How many boxes it has; `NO_CORRAL` if a push of one of them keeps outside, so that there is none.
    """
    tried, label, occupied, count = s.tried, s.label, s.occupied, len(s.box)
    clear(tried)
    tried[first] = 1
    size, changed = 0, True
    for i in range(count):
        s.holds[i] = 0  # 1: counted in `size`
    while changed:
        changed = False
        for i in range(count):
            c = s.box[i]
            if c < 0:
                continue
            # 1. A box belongs to it that stands at one of its regions, or in the way of a push of another one of its.
            for d in range(4):
                region = label[board.neighbour[c, d]]
                if region >= 0 and tried[region]:
                    tried[c] = 1
            if not tried[c]:
                continue
            if not s.holds[i]:
                s.holds[i] = 1
                size += 1
                changed = True
            # 2. Its pushes. The wall has no region and is no live cell.
            for d in range(4):
                # A push takes the box from c to `ahead` by a player who stands `behind`. In a PI-corral every push that
                # is possible at once leads inward, and the player can make all of them now. So what is in the way of
                # either joins the corral: a box or a region behind in which the player is not, a box ahead, a region
                # ahead. If nothing is left to join, because the cell ahead is in the player's own region, the push
                # leads out.
                ahead, behind = board.neighbour[c, d], board.neighbour[c, d ^ 1]
                if not board.live[ahead] or behind == len(label) - 1:
                    continue
                if tried[behind] if occupied[behind] else tried[label[behind]]:
                    continue  # the player gets there only after another push of the corral
                if occupied[ahead] and tried[ahead]:
                    continue  # so does the box
                if occupied[behind] or label[behind] != root:
                    tried[behind if occupied[behind] else label[behind]] = 1
                    changed = True
                elif occupied[ahead]:
                    tried[ahead] = 1
                    changed = True
                elif label[ahead] == root:
                    return NO_CORRAL
                elif not tried[label[ahead]]:
                    tried[label[ahead]] = 1
                    changed = True
    return long(size)


@njit(inner=True)
def has_work(board: Board, s: BoardScratch) -> bool:
    """Whether a box of the corral marked in `tried` is off the goals, or a goal inside is empty that needs a box."""
    boxes, goals, empty = 0, 0, False
    for i in range(len(s.box)):
        c = s.box[i]
        boxes += c >= 0
        if c >= 0 and s.tried[c] and not board.goal[c]:
            return True
    for c in range(len(s.label) - 1):
        goals += board.goal[c]
        empty = empty or (board.goal[c] == 1 and not s.occupied[c] and s.tried[s.label[c]] == 1)
    return empty and boxes == goals
