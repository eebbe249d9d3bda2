"""Room deadlocks: boxes of one room that can neither leave it nor all get to goals in it.

Take away all boxes but those in a room (`rooms`). If then no pushes bring one of them out, and none bring them all to
goals, the position is dead: a plan of the whole board either brings one of them out some time or ends with all of them
on goals in the room, and its pushes of these boxes can be made without the others.

    ########      Level 77 of XSokoban has such a room, with doors below its second column and above its fourth. Boxes
    #### ###      leave it downward, from the second row. The box on the left got up from there with the player behind
    # $   ##      it. It can only be pushed right, to the fourth column, and down from there once the other box is gone;
    # @ $ ##      but that one can only be pushed left when the first is not there.
    ## #####

A box that can be pushed to and fro counts as free where a core is looked for (`cores`), so a core may miss it. (The
program Festival, Shoham's, has this test with at most 5 boxes.)
"""

from __future__ import annotations

from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .board import Board
from .corral_deadlocks import DEAD, LAST_CORRAL, OPEN, CorralSearch, answer_of, can_open, put_alone
from .scratch import BoardScratch, clear

# The most boxes of a room for which the search for a deadlock is made.
MOST_IN_ROOM = 5


@njit(inner=True)
def has_dead_room(board: Board, s: BoardScratch, search: CorralSearch, root: int) -> bool:
    """Whether the boxes of some room of the position in `s` are dead, the player being in region `root`.

    `LAST_CORRAL` is where their answer is, as for a corral.
    """
    dead = False
    for room in range(len(board.edges)):
        dead = dead or is_dead_room(board, s, search, room, root)
    return dead


@njit(inner=True)
def is_dead_room(board: Board, s: BoardScratch, search: CorralSearch, room: int, root: int) -> bool:
    """Whether the boxes of one room are dead: they can neither leave it nor all get to goals in it."""
    t, count, at_rest = search.s, 0, True
    for i in range(len(s.box)):
        c = s.box[i]
        if c >= 0 and board.room[c] == room:
            if count == MOST_IN_ROOM:
                return False
            t.box[count] = c
            count += 1
            at_rest = at_rest and board.goal[c] == 1
    if at_rest:
        return False
    put_alone(board, t, count)
    player = long(t.label[root])
    known = answer_of(board, search, count, -1 - room, player)
    if known:
        return bool(known == DEAD)
    clear(search.inside)
    dead = not can_open(board, search, player, count, long(room))
    search.answer[search.number[LAST_CORRAL]] = DEAD if dead else OPEN
    return dead
