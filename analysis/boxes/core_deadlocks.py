"""Deadlocks of a core: boxes that block each other, found by a search in which every box that is free is taken away.

A box is *free* if it can be pushed to a goal while the others stay, or to another cell from which it could be pushed
back: with the others where they are (`strict`), or alone on the board. Free boxes are taken away, again and again; what
stays is the core of the position:

    ########     The box at the right is free. Without it, the two others have only pushes that
    # $$   #     cannot be undone; they are the core.
    #.  $ @#
    ########

Boxes that are free by the strict rule are so by the other one; so by the strict rule a core has more boxes, more is
found dead, and searches take longer. `fess` has it, and learns what is found (`learning`), so that it is found once.

If pushes of the core, each followed by taking away what is free then, never lead to a position without boxes off the
goals, the position is dead: with fewer boxes on the board every plan of the whole board would still be one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE
from ..deadlocks.learned import LearnedSets, holds_learned, learned_sets
from .board import FAR, Board, is_solved, label_regions, position_key
from .freeze import freezes
from .macro_moves import first_stop, next_stop
from .scratch import AT_CELL, AT_ROOT, BoardScratch, clear_board

# The most positions of a core's search: a core that would need more counts as not dead.
POSITIONS = 60

# Answers that are kept; a later one replaces an earlier one. A power of two.
ANSWERS = 1 << 16

MET, LAST_CORE, STRICT = range(3)
"""Entries of `CoreSearch.number`: positions met; the slot of the last answer; whether the rule is strict."""


class CoreSearch(NamedTuple):
    """What the search works on: the position `s`; `box` (P, B), `player` (P): the positions that were met; `weight`
    (P): how many boxes they have, -1 once they were looked at; `ways` (B): the directions in which boxes can be pushed,
    as bits. `number`: see `MET`. `learned`: dead sets, see `learning`; `row`: the boxes as bits; `cells` (F): each cell
    itself, `at` (B): the boxes of a set that is learned. `answer_box` (A, B), `answer_player`, `answer` (A): what is
    known of cores.
    """

    s: BoardScratch
    box: Shorts
    player: Ints
    weight: Ints
    ways: Ints
    number: Longs
    learned: LearnedSets
    row: Words
    cells: Ints
    at: Ints
    answer_box: Shorts
    answer_player: Ints
    answer: Bytes


def core_search_for(scratch: BoardScratch, *, strict: bool = False) -> CoreSearch:
    """Arrays for the search; `scratch` is for the boxes of the board. `strict`: see the module; then there is room for
    dead sets, too.
    """
    boxes, cells = len(scratch.box), len(scratch.label) - 1
    words = (cells + 63) // 64
    return CoreSearch(
        s=scratch,
        box=np.zeros((POSITIONS + 1, boxes), np.int16),
        player=np.zeros(POSITIONS + 1, np.int32),
        weight=np.zeros(POSITIONS + 1, np.int32),
        ways=np.zeros(boxes, np.int32),
        number=np.array([0, 0, strict], np.int64),
        learned=learned_sets(words, cells, cells if strict else 0),
        row=np.zeros(words, np.uint64),
        cells=np.arange(cells, dtype=np.int32),
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
    root = reduce(board, t, player, search.number[STRICT])
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
def reduce(board: Board, t: BoardScratch, player: int, strict: int) -> int:
    """Take away free boxes as long as there are any; the player's region then. `label` is up to date."""
    label_regions(board.neighbour, t.occupied, t.label, t.stack)
    changed = True
    while changed:
        changed = False
        for i in range(len(t.box)):
            start = t.box[i]
            if start < 0 or not touched(board, t, start, t.label[player]):
                continue
            free = is_free(board, t, i, player, strict)
            t.box[i] = -1 if free else start
            t.occupied[start] = 0 if free else 1
            changed = changed or free
            label_regions(board.neighbour, t.occupied, t.label, t.stack)
    return int(t.label[player])


@njit(inner=True)
def is_free(board: Board, t: BoardScratch, i: int, player: int, strict: int) -> bool:
    """Whether box i can be pushed to a goal, or away and (alone; `strict`: among the others) back, while others stay.

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
    t, count, strict = search.s, len(search.s.box), search.number[STRICT]
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
        put_row(search, node)
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
                put_row(search, node)
                end = board.neighbour[start, d]
                t.box[i] = end
                t.occupied[start], t.occupied[end] = 0, 1
                if freezes(board, t, end) or holds_dead_set(search, end, start):
                    continue
                after = reduce(board, t, start, strict)
                if is_solved(board, t.box, False) or not meet(search, after):
                    return True


@njit(inner=True)
def holds_dead_set(search: CoreSearch, cell: int, player: int) -> bool:
    """Whether the position in `s` holds a learned dead set with the box on a cell, the player being on another."""
    t = search.s
    if search.learned.newest[cell] < 0:
        return False
    fill_row(search.row, t.box)
    return bool(holds_learned(search.learned, search.row, cell, player))


@njit(inner=True)
def fill_row(row: Words, box: Ints) -> None:
    """Write the cells of boxes as bits."""
    for w in range(len(row)):
        row[w] = np.uint64(0)
    for i in range(len(box)):
        if box[i] >= 0:
            row[box[i] >> 6] |= ONE << np.uint64(box[i] & 63)


@njit(inner=True)
def put_row(search: CoreSearch, node: int) -> None:
    """Copy a position that was met into `s`."""
    t = search.s
    clear_board(t.occupied)
    for i in range(len(t.box)):
        t.box[i] = search.box[node, i]
        if t.box[i] >= 0:
            t.occupied[t.box[i]] = 1


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
