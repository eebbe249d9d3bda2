"""Deadlocks that a small search finds, of a few boxes of a position: corrals, rooms and cores that nothing can resolve.

Take away all boxes but a few. If then no pushes bring these boxes to goals, nor to where they no longer matter to each
other, the position is dead: a plan of the whole board pushes them in some order, and the same pushes, without those of
the others, can be made with fewer boxes on the board. The few boxes are

- those at the edge of a *corral*, a region that the player cannot reach. They no longer matter once the player gets in;
- those of a *room*. They no longer matter once one of them gets out;
- those of the *core*: what stays when *free* boxes are taken away, again and again, at first and after each push. A box
  is free if it can be pushed to a goal while the others stay, or to another cell and back.

    ######      The box at the left can only be pushed right,       ########     The box at the right is free. Without
    #    #      where it freezes; the player never gets in.         # $$   #     it, the two others have only pushes
    #$$#@#                                                          #.  $ @#     that cannot be undone: the core.
    ##  ##                                                          ########
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..deadlocks.freeze import LearnedSets, holds_learned, learn, learned_sets
from .board import (
    AT_CELL,
    AT_ROOT,
    FAR,
    Board,
    BoardScratch,
    clear,
    clear_board,
    is_solved,
    label_regions,
    position_key,
)
from .freeze import freezes
from .macro_moves import first_stop, next_stop

# The most positions of a search for a way out of a corral or a room, and of one that resolves a core: boxes for which
# it would need more count as not dead.
POSITIONS, CORE_POSITIONS = 400, 60

# Answers that are kept; a later one replaces an earlier one. A power of two.
ANSWERS = 1 << 18

# The most boxes of a corral's search.
MOST_BOXES = 16

# In place of a corral's smallest cell, or of -1 less the number of a room: the core, which may be pushed anywhere.
CORE = -1_000

# The room of a search in which boxes may be pushed anywhere, not only within one room.
ANYWHERE = -2

# Answers: not found dead; dead.
OPEN, DEAD = 1, 2

# Entries of `DeadlockSearch.number`: how many searches have begun; the positions that the present one has met; the
# answer that was asked for last.
SEARCH, MET, LAST = range(3)

# Slots of the positions of a search, by their hash. A power of two.
SLOTS = 4 * 1024


class DeadlockSearch(NamedTuple):
    """What the search works on, for F cells and B boxes. `number`: see `SEARCH`.

    `s`: the position. `inside` (F+1): whether a cell is in the corral. `box` (P, B), `player`, `hash` (P): the
    positions that were met; `weight` (P): how many boxes they have, -1 once they were looked at; `slot`: these by their
    hash, valid where `stamp` is the number of the search, `number[SEARCH]`. `answer_box` (A, B), `answer_place` (A, 2:
    cells of the corral and of the player), `answer` (A): what is known of corrals, rooms and cores.

    `learned`: dead sets of boxes on places; `place` (F): the place of each cell; `fact`: the bit of each place; `row`:
    the boxes as such bits; `at` (B): the places of a set that is learned.
    """

    s: BoardScratch
    inside: Bytes
    box: Shorts
    player: Ints
    hash: Words
    weight: Ints
    slot: Ints
    stamp: Longs
    number: Longs
    answer_box: Shorts
    answer_place: Ints
    answer: Bytes
    learned: LearnedSets
    row: Words
    place: Ints
    fact: Ints
    at: Ints


def deadlock_search_for(
    scratch: BoardScratch, learned: LearnedSets | None = None, place: Ints | None = None, fact: Ints | None = None
) -> DeadlockSearch:
    """Arrays for the search; `scratch` is for the boxes of the board. Dead sets are `learned` by these places and
    facts, or else each cell is a place.
    """
    boxes, cells = len(scratch.box), len(scratch.label) - 1
    learned = learned or learned_sets((cells + 63) // 64, cells, cells)
    return DeadlockSearch(
        s=scratch,
        inside=np.zeros(cells + 1, np.uint8),
        box=np.zeros((POSITIONS + 1, boxes), np.int16),
        player=np.zeros(POSITIONS + 1, np.int32),
        hash=np.zeros(POSITIONS + 1, np.uint64),
        weight=np.zeros(POSITIONS + 1, np.int32),
        slot=np.zeros(SLOTS, np.int32),
        stamp=np.zeros(SLOTS, np.int64),
        number=np.zeros(LAST + 1, np.int64),
        answer_box=np.zeros((ANSWERS, boxes), np.int16),
        answer_place=np.zeros((ANSWERS, 2), np.int32),
        answer=np.zeros(ANSWERS, np.uint8),
        learned=learned,
        row=np.zeros(learned.facts.shape[1], np.uint64),
        place=np.arange(cells, dtype=np.int32) if place is None else place,
        fact=np.arange(cells, dtype=np.int32) if fact is None else fact,
        at=np.zeros(boxes, np.int32),
    )


@njit(inner=True)
def has_dead_corral(board: Board, s: BoardScratch, search: DeadlockSearch, root: int) -> bool:
    """Whether some corral of the position in `s`, with its regions in `label`, can never be opened."""
    for first in range(len(s.label) - 1):
        # A region is looked at once, at its smallest cell.
        if s.label[first] == first and first != root and is_dead_corral(board, s, search, first, root):
            return True
    return False


@njit(inner=True)
def is_dead_corral(board: Board, s: BoardScratch, search: DeadlockSearch, corral: int, root: int) -> bool:
    """Whether the corral whose smallest cell is given can never be opened by the player in region `root`."""
    t = search.s
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
    for c in range(len(s.label) - 1):
        search.inside[c] = t.label[c] == t.label[corral]
    return is_stuck(board, search, long(t.label[corral]), long(t.label[root]), long(ANYWHERE))


@njit(inner=True)
def put_alone(board: Board, t: BoardScratch, count: int) -> None:
    """Put the first `count` boxes of `box` on the board, and no others; `label` is up to date then."""
    clear_board(t.occupied)
    for i in range(count):
        t.occupied[t.box[i]] = 1
    for i in range(count, len(t.box)):
        t.box[i] = -1
    label_regions(board.neighbour, t.occupied, t.label, t.stack)


@njit(inner=True)
def is_stuck(board: Board, search: DeadlockSearch, place: int, root: int, room: int) -> bool:
    """Whether the boxes in `search.s`, the player in region `root`, are dead: what is known of them, or what a search
    finds. `LAST` is where the answer is then.

    `place`: the smallest cell of the corral, or the number of another search less than 0. `room`: see `can_resolve`.
    """
    t = search.s
    key = position_key(board, t.box, len(t.box), root)
    key ^= board.base_key[place] if place >= 0 else np.uint64(-place)
    kept = int(key) & (ANSWERS - 1)
    search.number[LAST] = kept
    at = search.answer_place[kept]
    if search.answer[kept] and at[0] == place and at[1] == root and same_boxes(t, search.answer_box[kept]):
        return bool(search.answer[kept] == DEAD)
    for i in range(len(t.box)):
        search.answer_box[kept, i] = t.box[i]
    at[0], at[1] = place, root
    dead = not can_resolve(board, search, root, place == CORE, room)
    search.answer[kept] = DEAD if dead else OPEN
    return dead


@njit(inner=True)
def same_boxes(t: BoardScratch, box: Shorts) -> bool:
    """Whether these boxes, -1 for one that was taken away, are those of the position in `t`."""
    for i in range(len(box)):
        if (box[i] >= 0) != (t.box[i] >= 0) or (box[i] >= 0 and t.occupied[box[i]] == 0):
            return False
    return True


@njit(inner=True)
def can_resolve(board: Board, search: DeadlockSearch, root: int, core: bool, room: int) -> bool:
    """Whether pushes of the boxes in `search.s` bring all of them onto goals, or the player into the corral, or a box
    out of the room; or the search comes to its limit first.

    `core`: free boxes are taken away after each push. `room`: `ANYWHERE` if boxes may leave all rooms. Positions with
    the fewest boxes are looked at first, of these the one that was met first: a core that can be resolved mostly is at
    once.
    """
    t, count = search.s, len(search.s.box)
    most = CORE_POSITIONS if core else POSITIONS
    search.number[SEARCH] += 1
    search.number[MET] = 0
    meet(board, search, root, most)
    while True:
        # 1. The open position with the fewest boxes, and what can be pushed there: found before pushes change labels.
        node = -1
        for other in range(search.number[MET]):
            if search.weight[other] >= 0 and (node < 0 or search.weight[other] < search.weight[node]):
                node = other
        if node < 0:
            return False
        search.weight[node] = -1
        put_boxes(t, search.box[node])
        label_regions(board.neighbour, t.occupied, t.label, t.stack)
        here = t.label[search.player[node]]
        for i in range(count):
            for d in range(4 if t.box[i] >= 0 else 0):
                ahead, behind = board.neighbour[t.box[i], d], board.neighbour[t.box[i], d ^ 1]
                t.reached[i, d] = not t.occupied[ahead] and board.live[ahead] and t.label[behind] == here
        for i in range(count):
            start = search.box[node, i]
            for d in range(4 if start >= 0 else 0):
                if not t.reached[i, d]:
                    continue
                # 2. One push that makes no known deadlock.
                put_boxes(t, search.box[node])
                end = board.neighbour[start, d]
                t.box[i] = end
                t.occupied[start], t.occupied[end] = 0, 1
                if freezes(board, t, end) or (core and holds_dead_set(search, t, end, start)):
                    continue
                # 3. It is over if they no longer matter to each other, or are on goals; else this is one more position.
                if core:
                    after = reduce(board, t, start)
                else:
                    label_regions(board.neighbour, t.occupied, t.label, t.stack)
                    after = long(t.label[start])
                    if (room != ANYWHERE and board.room[end] != room) or enters(search, after):
                        return True
                if is_solved(board, t.box, False) or not meet(board, search, after, most):
                    return True


@njit(inner=True)
def enters(search: DeadlockSearch, root: int) -> bool:
    """Whether the region of the player, `root`, reaches into the corral."""
    label = search.s.label
    for c in range(len(label) - 1):  # noqa: SIM110 (numba compiles no generators)
        if search.inside[c] and label[c] == root:
            return True
    return False


@njit(inner=True)
def meet(board: Board, search: DeadlockSearch, root: int, most: int) -> bool:
    """Note the position in `search.s`, if it is new; False if there are `most` positions already."""
    t = search.s
    key = position_key(board, t.box, len(t.box), root)
    slot = int(key) & (SLOTS - 1)
    while search.stamp[slot] == search.number[SEARCH]:
        other = search.slot[slot]
        if search.hash[other] == key and search.player[other] == root and same_boxes(t, search.box[other]):
            return True
        slot = (slot + 1) & (SLOTS - 1)
    node, weight = search.number[MET], 0
    if node == most:
        return False
    search.stamp[slot], search.slot[slot] = search.number[SEARCH], node
    for i in range(len(t.box)):
        search.box[node, i] = t.box[i]
        weight += t.box[i] >= 0
    search.player[node], search.hash[node], search.weight[node] = root, key, weight
    search.number[MET] = node + 1
    return True


# Cores: what stays when free boxes are taken away.


@njit(inner=True)
def has_dead_core(board: Board, s: BoardScratch, search: DeadlockSearch, player: int) -> bool:
    """Whether the core of the position in `s`, with the player on a cell, can never be resolved."""
    t = search.s
    for c in range(len(t.occupied)):
        t.occupied[c] = s.occupied[c]
    for i in range(len(s.box)):
        t.box[i] = s.box[i]
    root = reduce(board, t, player)
    return not is_solved(board, t.box, False) and is_stuck(board, search, long(CORE), root, long(ANYWHERE))


@njit(inner=True)
def reduce(board: Board, t: BoardScratch, player: int) -> int:
    """Take away free boxes as long as there are any; the player's region then. `label` is up to date."""
    label_regions(board.neighbour, t.occupied, t.label, t.stack)
    changed = True
    while changed:
        changed = False
        for i in range(len(t.box)):
            start = t.box[i]
            if start < 0 or not touched(board, t, start, t.label[player]):
                continue
            free = is_free(board, t, i, player, True)
            t.box[i] = -1 if free else start
            t.occupied[start] = 0 if free else 1
            changed = changed or free
            label_regions(board.neighbour, t.occupied, t.label, t.stack)
    return int(t.label[player])


@njit(inner=True)
def is_free(board: Board, t: BoardScratch, i: int, player: int, strict: bool) -> bool:
    """Whether box i can be pushed to a goal, or away and back, while others stay; unless `strict` it is enough that it
    could be pushed back if it were alone.

    The box is off the board then, or where it went.
    """
    start, home = t.box[i], 0
    first_stop(t, start, player)
    while next_stop(board.neighbour, board.live, t, False):
        end, root = t.at[AT_CELL], t.at[AT_ROOT]
        if end == start:
            if home == 0:  # the first stop: the sides of the box on which the player is
                for d in range(4):
                    home |= (t.label[board.neighbour[start, d]] == root) << d
            continue
        t.box[i] = end
        if (board.goal[end] == 1 or (not strict and board.pushes[end, start] < FAR)) and not freezes(board, t, end):
            t.occupied[end] = 0
            return True
        if not strict:
            continue
        for d in range(4):
            back = board.neighbour[end, d] == start and t.label[board.neighbour[end, d ^ 1]] == root
            if back and (home >> (d ^ 1)) & 1:
                t.occupied[end] = 0
                return True
    return False


@njit(inner=True)
def touched(board: Board, t: BoardScratch, c: int, root: int) -> bool:
    """Whether the player can push the box on c at all."""
    for d in range(4):
        ahead = board.neighbour[c, d]
        if not t.occupied[ahead] and board.live[ahead] and t.label[board.neighbour[c, d ^ 1]] == root:
            return True
    return False


@njit(inner=True)
def holds_dead_set(search: DeadlockSearch, s: BoardScratch, cell: int, player: int) -> bool:
    """Whether the position in `s` holds a learned dead set with the box on a cell, the player being on another."""
    place = search.place[cell]
    if search.learned.newest[place] < 0:
        return False
    fill_row(search, s.box)
    return bool(holds_learned(search.learned, search.row, place, player))


@njit(inner=True)
def fill_row(search: DeadlockSearch, box: Ints) -> None:
    """Write boxes to `row`, each as the bit of its place."""
    row = search.row
    for w in range(len(row)):
        row[w] = np.uint64(0)
    for c in box:
        if c >= 0:
            bit = search.fact[search.place[c]]
            row[bit >> 6] |= ONE << np.uint64(bit & 63)


@njit(inner=True)
def put_boxes(s: BoardScratch, boxes: Shorts) -> None:
    """Put these boxes on the board in `s`, and no others; -1 is no box."""
    clear_board(s.occupied)
    for i in range(len(s.box)):
        s.box[i] = boxes[i] if i < len(boxes) else -1
        if s.box[i] >= 0:
            s.occupied[s.box[i]] = 1


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
# A box that can be pushed to and fro counts as free where a core is looked for, so a core may miss it. (The
# program Festival, Shoham's, has this test with at most 5 boxes.)

# The most boxes of a room for which the search for a deadlock is made.
MOST_IN_ROOM = 5


@njit(inner=True)
def has_dead_room(board: Board, s: BoardScratch, search: DeadlockSearch, root: int) -> bool:
    """Whether the boxes of some room of the position in `s` are dead, the player being in region `root`."""
    dead = False
    for room in range(len(board.edges)):
        dead = dead or is_dead_room(board, s, search, room, root)
    return dead


@njit(inner=True)
def is_dead_room(board: Board, s: BoardScratch, search: DeadlockSearch, room: int, root: int) -> bool:
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
    clear(search.inside)
    return is_stuck(board, search, long(-1 - room), long(t.label[root]), long(room))


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
def is_dead(board: Board, s: BoardScratch, search: DeadlockSearch, root: int) -> bool:
    """Whether the position in `s`, the player in region `root`, holds a dead set or is found dead.

    In the second case a set is learned. Where it is dead, `s` is not what it was.
    """
    # 1. A set that is known.
    fill_row(search, s.box)
    for c in s.box:
        if c >= 0 and holds_learned(search.learned, search.row, search.place[c], root):
            return True
    # 2. A dead corral, room or core: its boxes are put on the board alone.
    if not is_found_dead(board, s, search, root):
        return False
    put_boxes(s, search.answer_box[search.number[LAST]])
    # 3. Without boxes that do not matter.
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0:
            continue
        s.box[i], s.occupied[c] = -1, 0
        if not is_found_dead(board, s, search, root):
            s.box[i], s.occupied[c] = c, 1
    count = 0
    for i in range(len(s.box)):
        if s.box[i] >= 0:
            search.at[count] = search.place[s.box[i]]
            count += 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    learn(search.learned, search.fact, search.at, count, s.label, s.label[root])
    return True


@njit(inner=True)
def is_found_dead(board: Board, s: BoardScratch, search: DeadlockSearch, player: int) -> bool:
    """Whether a corral, a room or the core of the position in `s` is dead, the player being on a cell."""
    regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
    root = long(s.label[player])
    if (regions > 1 and has_dead_corral(board, s, search, root)) or has_dead_room(board, s, search, root):
        return True
    return has_dead_core(board, s, search, root)
