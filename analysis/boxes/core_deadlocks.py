"""Deadlocks of a core: boxes that block each other, found by a search in which every box that is free is taken away.

A box is *free* if it can be pushed to a goal while the others stay, or to another cell and back. Free boxes are taken
away, again and again; what stays is the core of the position:

    ########     The box at the right is free. Without it, the two others have only pushes that
    # $$   #     cannot be undone; they are the core.
    #.  $ @#
    ########

If pushes of the core, each followed by taking away what is free then, never lead to a position without boxes off the
goals, the position is dead: with fewer boxes on the board every plan of the whole board would still be one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..deadlocks.freeze import LearnedSets, holds_learned, learned_sets
from .board import (
    AT_CELL,
    AT_HEAD,
    AT_REGIONS,
    AT_ROOT,
    AT_TAIL,
    FAR,
    Board,
    BoardScratch,
    clear_board,
    clear_sides,
    is_solved,
    label_regions,
    position_key,
)
from .freeze import freezes

# Macro moves: one box, pushed or pulled from a cell to any other that it can get to while the other boxes stay.
#
# Breadth first over (cell of the box, region of the player): the same cell with the player in two different regions
# is two macro moves. Sides of the box that the player can walk between are one.
#
#     first_stop(...)                     the box is off the board
#     while next_stop(...):               the box stands on `AT_CELL`, the player is in the region `AT_ROOT`,
#         ...                             `label` holds all regions
#     # the box is off the board again


@njit(inner=True)
def first_stop(s: BoardScratch, box: int, player: int) -> None:
    """Begin the search for the macro moves of a box, the player being in a region; the box's own cell is the first
    stop.
    """
    clear_sides(s.seen)
    s.occupied[box] = 0
    s.queue[0, 0], s.queue[0, 1], s.queue[0, 2] = box, player, -1
    s.at[AT_HEAD], s.at[AT_TAIL] = 0, 1
    s.at[AT_CELL] = -1


@njit(inner=True)
def next_stop(neighbour: Ints, live: Bytes, s: BoardScratch, pull: bool) -> bool:
    """Push or pull on from the present stop, then take the next stop from the queue; False if the queue is empty."""
    tail = s.at[AT_TAIL]
    cell = s.at[AT_CELL]
    # 1. Where the box can go from here, by one push or pull.
    if cell >= 0:
        root = s.at[AT_ROOT]
        for d in range(4):
            # A push: the player stands behind the box and ends where it was. A pull: the player stands where the box
            # goes to, with a free cell to step back to, and ends there.
            ahead = neighbour[cell, d]
            if s.occupied[ahead] or not live[ahead]:
                continue
            if pull:
                player, side = neighbour[ahead, d], d
                free = s.label[ahead] == root and not s.occupied[player]
            else:
                player, side = cell, d ^ 1
                free = s.label[neighbour[cell, d ^ 1]] == root
            if free and not s.seen[ahead, side]:
                s.queue[tail, 0], s.queue[tail, 1], s.queue[tail, 2] = ahead, player, s.at[AT_HEAD] - 1
                tail += 1
        s.occupied[cell] = 0
    # 2. The next stop that has not been made.
    s.at[AT_TAIL] = tail
    head = s.at[AT_HEAD]
    while head < tail:
        cell, player = s.queue[head, 0], s.queue[head, 1]
        head += 1
        side = 0
        while side < 4 and neighbour[cell, side] != player:
            side += 1
        if side < 4 and s.seen[cell, side]:
            continue
        s.occupied[cell] = 1
        s.at[AT_REGIONS] = label_regions(neighbour, s.occupied, s.label, s.stack)
        root = s.label[player]
        for d in range(4):
            if s.label[neighbour[cell, d]] == root:
                s.seen[cell, d] = 1
        s.at[AT_HEAD], s.at[AT_CELL], s.at[AT_ROOT] = head, cell, root
        return True
    s.at[AT_HEAD], s.at[AT_CELL] = head, -1
    return False


@njit(inner=True)
def make(
    neighbour: Ints, live: Bytes, s: BoardScratch, start: int, end: int, player: int, stand: int, way: Ints
) -> int:
    """Make a macro move on the board in `s`, after which the player can get to the cell `stand` (-1: or anywhere).

    Writes the cells that the box is pushed along, both ends included, into `way`; returns how many they are, 0 if there
    is no such move. Of all ways it is one of the shortest. `player`: a cell of the player's region.
    """
    first_stop(s, start, player)
    while next_stop(neighbour, live, s, False):
        if s.at[AT_CELL] == end and s.at[AT_HEAD] > 1 and (stand < 0 or s.label[stand] == s.at[AT_ROOT]):
            count, entry = 0, s.at[AT_HEAD] - 1
            while entry >= 0:  # from the end back to the start
                way[count] = s.queue[entry, 0]
                count += 1
                entry = s.queue[entry, 2]
            for i in range(count // 2):
                way[i], way[count - 1 - i] = way[count - 1 - i], way[i]
            return count
    s.occupied[start] = 1
    return 0


@njit(_nrt=False, effort=1)
def replay(
    neighbour: Ints, live: Bytes, goal: Bytes, s: BoardScratch, moves: Ints, player: int, way: Ints, all_: Ints
) -> int:
    """Make macro moves (K, 3: start, end, where the player must be able to stand then, or -1), one after the other.

    Writes the cells of all ways one after the other into `all_`, each move with the number of its cells before them;
    returns how many pushes they are, -1 if a move cannot be made or a box is off the goals in the end.
    """
    total, at = 0, 0
    for k in range(len(moves)):
        start, end = moves[k, 0], moves[k, 1]
        if not s.occupied[start]:
            return -1
        count = make(neighbour, live, s, start, end, player, moves[k, 2], way)
        if count == 0 or at + count >= len(all_):
            return -1
        all_[at] = count
        for i in range(count):
            all_[at + 1 + i] = way[i]
        at += count + 1
        total += count - 1
        player = way[count - 2]
    for c in range(len(goal) - 1):
        if s.occupied[c] and not goal[c]:
            return -1
    return total


# The most positions of a core's search: a core that would need more counts as not dead.
POSITIONS = 60

# Answers that are kept; a later one replaces an earlier one. A power of two.
ANSWERS = 1 << 16

# Entries of `CoreSearch.number`: positions met; the slot of the last answer.
MET, LAST_CORE = range(2)


class CoreSearch(NamedTuple):
    """What the search works on: the position `s`; `box` (P, B), `player` (P): the positions that were met; `weight`
    (P): how many boxes they have, -1 once they were looked at; `ways` (B): the directions in which boxes can be pushed,
    as bits. `number`: see `MET`. `learned`: dead sets of boxes on places; `place` (F): the place of each cell; `fact`:
    the bit of each place; `row`: the boxes as such bits; `at` (B): the places of a set that is learned. `answer_box`
    (A, B), `answer_player`, `answer` (A): what is known of cores.
    """

    s: BoardScratch
    box: Shorts
    player: Ints
    weight: Ints
    ways: Ints
    number: Longs
    learned: LearnedSets
    row: Words
    place: Ints
    fact: Ints
    at: Ints
    answer_box: Shorts
    answer_player: Ints
    answer: Bytes


def core_search_for(
    scratch: BoardScratch, learned: LearnedSets | None = None, place: Ints | None = None, fact: Ints | None = None
) -> CoreSearch:
    """Arrays for the search; `scratch` is for the boxes of the board. Dead sets are `learned` by these places and
    facts, or else each cell is a place.
    """
    boxes, cells = len(scratch.box), len(scratch.label) - 1
    learned = learned or learned_sets((cells + 63) // 64, cells, cells)
    return CoreSearch(
        s=scratch,
        box=np.zeros((POSITIONS + 1, boxes), np.int16),
        player=np.zeros(POSITIONS + 1, np.int32),
        weight=np.zeros(POSITIONS + 1, np.int32),
        ways=np.zeros(boxes, np.int32),
        number=np.zeros(LAST_CORE + 1, np.int64),
        learned=learned,
        row=np.zeros(learned.facts.shape[1], np.uint64),
        place=np.arange(cells, dtype=np.int32) if place is None else place,
        fact=np.arange(cells, dtype=np.int32) if fact is None else fact,
        at=np.zeros(boxes, np.int32),
        answer_box=np.zeros((ANSWERS, boxes), np.int16),
        answer_player=np.full(ANSWERS, -1, np.int32),
        answer=np.zeros(ANSWERS, np.uint8),
    )


@njit(inner=True)
def has_dead_core(board: Board, s: BoardScratch, search: CoreSearch, player: int) -> bool:
    """Whether the core of the position in `s`, with the player on a cell, can never be resolved."""
    t, count = search.s, len(s.box)
    for c in range(len(t.occupied)):
        t.occupied[c] = s.occupied[c]
    for i in range(count):
        t.box[i] = s.box[i]
    root = reduce(board, t, player)
    if is_solved(board, t.box, False):
        return False
    # 1. What is known of this core.
    kept = int(position_key(board, t.box, count, root)) & (ANSWERS - 1)
    search.number[LAST_CORE] = kept
    if search.answer_player[kept] == root:
        same = True
        for i in range(count):
            c = search.answer_box[kept, i]
            same = same and (c < 0 or t.occupied[c] == 1)
            same = same and (t.box[i] >= 0) == (c >= 0)
        if same:
            return bool(search.answer[kept])
    for i in range(count):
        search.answer_box[kept, i] = t.box[i]
    search.answer_player[kept] = root
    dead = not can_resolve(board, search, root)
    search.answer[kept] = dead
    return dead


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
def can_resolve(board: Board, search: CoreSearch, root: int) -> bool:
    """Whether pushes lead from the core in `s` to a position without boxes off the goals, or the search comes to its
    limit first.

    Positions with the fewest boxes are looked at first: what can be resolved mostly is at once.
    """
    t, count = search.s, len(search.s.box)
    search.number[MET] = 0
    meet(search, root)
    while True:
        # 1. The open position with the fewest boxes, and what can be pushed there: bit d of `ways` is a direction.
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
            search.ways[i] = 0
            start = t.box[i]
            if start >= 0:
                for d in range(4):
                    end = board.neighbour[start, d]
                    free = not t.occupied[end] and board.live[end]
                    search.ways[i] |= (free and t.label[board.neighbour[start, d ^ 1]] == here) << d
        for i in range(count):
            start = search.box[node, i]
            for d in range(4):
                if not (search.ways[i] >> d) & 1:
                    continue
                # 2. One push from there, and the core after it: nothing off the goals, or one more position.
                put_boxes(t, search.box[node])
                end = board.neighbour[start, d]
                t.box[i] = end
                t.occupied[start], t.occupied[end] = 0, 1
                if freezes(board, t, end) or holds_dead_set(search, end, start):
                    continue
                after = reduce(board, t, start)
                if is_solved(board, t.box, False) or not meet(search, after):
                    return True


@njit(inner=True)
def holds_dead_set(search: CoreSearch, cell: int, player: int) -> bool:
    """Whether the position in `s` holds a learned dead set with the box on a cell, the player being on another."""
    place = search.place[cell]
    if search.learned.newest[place] < 0:
        return False
    fill_row(search, search.s.box)
    return bool(holds_learned(search.learned, search.row, place, player))


@njit(inner=True)
def fill_row(search: CoreSearch, box: Ints) -> None:
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


@njit(inner=True)
def meet(search: CoreSearch, root: int) -> bool:
    """Note the position in `s`, if it is new; False if there is no room for it."""
    t, count = search.s, len(search.s.box)
    for node in range(search.number[MET]):
        if search.player[node] == root:
            same = True
            for i in range(count):
                c = search.box[node, i]
                same = same and (c < 0 or t.occupied[c] == 1) and (t.box[i] >= 0) == (c >= 0)
            if same:
                return True
    node = search.number[MET]
    if node == POSITIONS:
        return False
    weight = 0
    for i in range(count):
        search.box[node, i] = t.box[i]
        weight += t.box[i] >= 0
    search.player[node], search.weight[node] = root, weight
    search.number[MET] = node + 1
    return True
