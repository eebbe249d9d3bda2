"""Corral deadlocks: closed regions that nothing can open, found by a small search before a position is expanded.

A *corral* is a region that the player cannot reach. Take away all boxes but those at its edge. If then no pushes let
the player in, and none bring these boxes to goals, the position is dead: a plan of the whole board pushes boxes of the
edge in some order, and the same pushes, without those of the others, can be made with fewer boxes on the board.

    ######      The box at the left can only be pushed right, where it freezes; the player never gets in.
    #    #
    #$$#@#      The search ends as soon as the player is in. What it found is kept, under the boxes and the corral.
    ##  ##
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..deadlocks.freeze import holds_learned, learn
from .board import Board, BoardScratch, clear, clear_board, label_regions, position_key
from .core_deadlocks import LAST_CORE, CoreSearch, fill_row, has_dead_core, put_boxes
from .freeze import freezes

# The most positions of a corral's search: a corral that would need more counts as not dead.
POSITIONS = 400

# Answers that are kept; a later one replaces an earlier one. A power of two.
ANSWERS = 1 << 18

# The most boxes of a corral's search.
MOST_BOXES = 16

# The room of a search in which boxes may be pushed anywhere, not only within one room.
ANYWHERE = -2

# Answers: not found dead; dead.
OPEN, DEAD = 1, 2

# Entries of `CorralSearch.number`: how many searches have begun; the positions that the present one has met; the answer
# that was asked for last.
SEARCH, MET, LAST_CORRAL = range(3)


class CorralSearch(NamedTuple):
    """What the search works on, for F cells. `number`: see `SEARCH`.

    `s`: the position, of `MOST_BOXES` boxes. `inside` (F+1): whether a cell is in the corral. `box` (P, `MOST_BOXES`),
    `player`, `hash` (P): the positions that were met; `slot`: these by their hash, valid where `stamp` is the number of
    the search, `number[SEARCH]`. `answer_box` (A, `MOST_BOXES`), `answer_place` (A, 2: cells of the corral and of the
    player), `answer` (A): what is known of corrals.
    """

    s: BoardScratch
    inside: Bytes
    box: Shorts
    player: Ints
    hash: Words
    slot: Ints
    stamp: Longs
    number: Longs
    answer_box: Shorts
    answer_place: Ints
    answer: Bytes


SLOTS = 4 * 1024


def corral_search_for(scratch: BoardScratch, cells: int) -> CorralSearch:
    """Arrays for the search; `scratch` is for `MOST_BOXES` boxes."""
    return CorralSearch(
        s=scratch,
        inside=np.zeros(cells + 1, np.uint8),
        box=np.zeros((POSITIONS + 1, MOST_BOXES), np.int16),
        player=np.zeros(POSITIONS + 1, np.int32),
        hash=np.zeros(POSITIONS + 1, np.uint64),
        slot=np.zeros(SLOTS, np.int32),
        stamp=np.zeros(SLOTS, np.int64),
        number=np.zeros(LAST_CORRAL + 1, np.int64),
        answer_box=np.zeros((ANSWERS, MOST_BOXES), np.int16),
        answer_place=np.zeros((ANSWERS, 2), np.int32),
        answer=np.zeros(ANSWERS, np.uint8),
    )


@njit(inner=True)
def has_dead_corral(board: Board, s: BoardScratch, search: CorralSearch, root: int) -> bool:
    """Whether some corral of the position in `s`, with its regions in `label`, can never be opened."""
    for first in range(len(s.label) - 1):
        # A region is looked at once, at its smallest cell.
        if s.label[first] == first and first != root and is_dead_corral(board, s, search, first, root):
            return True
    return False


@njit(inner=True)
def is_dead_corral(board: Board, s: BoardScratch, search: CorralSearch, corral: int, root: int) -> bool:
    """Whether the corral whose smallest cell is given can never be opened by the player in region `root`."""
    t, cells = search.s, len(s.label) - 1
    # 1. The boxes at the edge. If all are on goals, they need not be moved.
    count, at_rest = 0, True
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0:
            continue
        for d in range(4):
            if s.label[board.neighbour[c, d]] == corral:
                if count == MOST_BOXES:
                    return False
                t.box[count] = c
                count += 1
                at_rest = at_rest and board.goal[c] == 1
                break
    if at_rest:
        return False
    # 2. What is known of them.
    put_alone(board, t, count)
    if t.label[root] == t.label[corral]:
        return False
    known = answer_of(board, search, count, t.label[corral], t.label[root])
    if known:
        return bool(known == DEAD)
    for c in range(cells):
        search.inside[c] = t.label[c] == t.label[corral]
    dead = not can_open(board, search, t.label[root], count, long(ANYWHERE))
    search.answer[search.number[LAST_CORRAL]] = DEAD if dead else OPEN
    return dead


@njit(inner=True)
def put_alone(board: Board, t: BoardScratch, count: int) -> None:
    """Put the first `count` boxes of `box` on the board, and no others; `label` is up to date then."""
    clear_board(t.occupied)
    for i in range(count):
        t.occupied[t.box[i]] = 1
    for i in range(count, MOST_BOXES):
        t.box[i] = -1
    label_regions(board.neighbour, t.occupied, t.label, t.stack)


@njit(inner=True)
def answer_of(board: Board, search: CorralSearch, count: int, place: int, root: int) -> int:
    """What is known of the boxes in `search.s`: `OPEN`, `DEAD`, or 0 if nothing is; then there is room for the answer.

    `place`: the smallest cell of the corral, or the number of another search less than 0; `root`: the player's region.
    `LAST_CORRAL` is where the answer is, or will be.
    """
    t, key = search.s, board.base_key[root]
    for i in range(count):
        key ^= board.box_key[t.box[i]]
    key ^= board.player_key[place] if place >= 0 else np.uint64(-place)
    kept = int(key) & (ANSWERS - 1)
    search.number[LAST_CORRAL] = kept
    at = search.answer_place[kept]
    if search.answer[kept] and at[0] == place and at[1] == root:
        same = True
        for i in range(MOST_BOXES):
            c = search.answer_box[kept, i]
            same = same and (c >= 0) == (i < count) and (c < 0 or t.occupied[c] == 1)
        if same:
            return int(search.answer[kept])
    for i in range(MOST_BOXES):
        search.answer_box[kept, i] = t.box[i]
    at[0], at[1] = place, root
    search.answer[kept] = 0
    return 0


@njit(inner=True)
def can_open(board: Board, search: CorralSearch, root: int, count: int, room: int) -> bool:
    """Whether the player gets into the corral, or a box out of the room, or all boxes onto goals, or the search comes
    to its limit first. `room`: `ANYWHERE` if boxes may leave all rooms.
    """
    t = search.s
    search.number[SEARCH] += 1
    search.number[MET] = 0
    meet(board, search, root, count)
    node = 0
    while node < search.number[MET]:
        # 1. The position and its regions.
        clear_board(t.occupied)
        for i in range(count):
            t.box[i] = search.box[node, i]
            t.occupied[t.box[i]] = 1
        here = search.player[node]
        label_regions(board.neighbour, t.occupied, t.label, t.stack)
        # Which boxes can be pushed where: found before any push changes the labels.
        for i in range(count):
            for d in range(4):
                ahead = board.neighbour[t.box[i], d]
                behind = board.neighbour[t.box[i], d ^ 1]
                t.reached[i, d] = not t.occupied[ahead] and board.live[ahead] and t.label[behind] == here
        for i in range(count):
            start = t.box[i]
            for d in range(4):
                if not t.reached[i, d]:
                    continue
                # 2. A push that freezes nothing: the player is in, or all boxes are on goals, or it goes on.
                end = board.neighbour[start, d]
                t.box[i] = end
                t.occupied[start], t.occupied[end] = 0, 1
                if not freezes(board, t, end) and meet_after(board, search, start, count, end, room):
                    return True
                t.occupied[start], t.occupied[end] = 1, 0
                t.box[i] = start
        node += 1
    return False


@njit(inner=True)
def meet_after(board: Board, search: CorralSearch, player: int, count: int, end: int, room: int) -> bool:
    """Look at the position after a push to `end`, the player where the box was; whether the search is over, and the
    boxes are not dead.
    """
    t = search.s
    if room != ANYWHERE and board.room[end] != room:
        return True
    label_regions(board.neighbour, t.occupied, t.label, t.stack)
    root = t.label[player]
    for c in range(len(t.label) - 1):
        if search.inside[c] and t.label[c] == root:
            return True
    on_goals = True
    for i in range(count):
        on_goals = on_goals and board.goal[t.box[i]] == 1
    return on_goals or not meet(board, search, root, count)


@njit(inner=True)
def meet(board: Board, search: CorralSearch, root: int, count: int) -> bool:
    """Note the position in `search.s`, if it is new; False if there is no room for it."""
    t = search.s
    key = position_key(board, t.box, count, root)
    slot = int(key) & (SLOTS - 1)
    while search.stamp[slot] == search.number[SEARCH]:
        other = search.slot[slot]
        if search.hash[other] == key and search.player[other] == root:
            same = True
            for i in range(count):
                same = same and t.occupied[search.box[other, i]] == 1
            if same:
                return True
        slot = (slot + 1) & (SLOTS - 1)
    node = search.number[MET]
    if node == POSITIONS:
        return False
    search.stamp[slot], search.slot[slot] = search.number[SEARCH], node
    for i in range(count):
        search.box[node, i] = t.box[i]
    search.player[node], search.hash[node] = root, key
    search.number[MET] = node + 1
    return True


# Room deadlocks: boxes of one room that can neither leave it nor all get to goals in it.
#
# Take away all boxes but those in a room (`rooms`). If then no pushes bring one of them out, and none bring them all
# to goals, the position is dead: a plan of the whole board either brings one of them out some time or ends with all
# of them on goals in the room, and its pushes of these boxes can be made without the others.
#
#   ########      Level 77 of XSokoban has such a room, with doors below its second column and above its fourth. Boxes
#   #### ###      leave it downward, from the second row. The box on the left got up from there with the player behind
#   # $   ##      it. It can only be pushed right, to the fourth column, and down from there once the other box is gone;
#   # @ $ ##      but that one can only be pushed left when the first is not there.
#   ## #####
#
# A box that can be pushed to and fro counts as free where a core is looked for (`cores`), so a core may miss it. (The
# program Festival, Shoham's, has this test with at most 5 boxes.)

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


# Positions that a search proves dead, shrunk to the boxes that matter, so that others are known by them.
#
# A core, a corral or a room that is dead has boxes of which some do not matter. They are left out, one by one, as
# long as what is left is still found dead; the rest is a dead set (`analysis.deadlocks.freeze`), dead for a player
# in the region in which he is then:
#
#     ########      The box on the right can be left out: the other two are dead without it. A later position with boxes
#     # $$ $ #      on these two cells and the player in their region is dead, wherever its other boxes are.
#     #  ## @#
#     ########
#
# Dead sets are looked up for every move that is listed, and for every push of a later search of a core, which so
# reaches farther with as many positions. (Compare the pattern search of Junghanns and Schaeffer, 2001; the program
# Festival learns such sets from subtrees that are stuck.)


@njit(inner=True)
def is_dead(board: Board, s: BoardScratch, corrals: CorralSearch, cores: CoreSearch, root: int) -> bool:
    """Whether the position in `s`, the player in region `root`, holds a dead set or is found dead.

    In the second case a set is learned. Where it is dead, `s` is not what it was.
    """
    # 1. A set that is known.
    fill_row(cores, s.box)
    for c in s.box:
        if c >= 0 and holds_learned(cores.learned, cores.row, cores.place[c], root):
            return True
    # 2. A dead corral, room or core: its boxes are put on the board alone.
    if (
        label_regions(board.neighbour, s.occupied, s.label, s.stack) > 1 and has_dead_corral(board, s, corrals, root)
    ) or has_dead_room(board, s, corrals, root):
        put_boxes(s, corrals.answer_box[corrals.number[LAST_CORRAL]])
    elif has_dead_core(board, s, cores, root):
        put_boxes(s, cores.answer_box[cores.number[LAST_CORE]])
    else:
        return False
    # 3. Without boxes that do not matter.
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0:
            continue
        s.box[i], s.occupied[c] = -1, 0
        regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
        inside = long(s.label[root])
        dead = regions > 1 and has_dead_corral(board, s, corrals, inside)
        dead = dead or has_dead_room(board, s, corrals, inside)
        if not dead and not has_dead_core(board, s, cores, inside):
            s.box[i], s.occupied[c] = c, 1
    count = 0
    for i in range(len(s.box)):
        if s.box[i] >= 0:
            cores.at[count] = cores.place[s.box[i]]
            count += 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    learn(cores.learned, cores.fact, cores.at, count, s.label, s.label[root])
    return True
