"""Deadlocks of a core: boxes that block each other, found by a search in which every box that is free is taken away.

A box is *free* if it can be pushed to another cell from which it could be pushed back, or to a goal, while the others
stay. Free boxes are taken away, again and again; what stays is the core of the position:

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

from ....runtime.arrays import Bytes, Ints, Longs, Shorts
from ....runtime.kernel_cache import njit
from .board import FAR, Board, is_solved, label_regions, position_key
from .deadlocks import freezes
from .macros import first_stop, next_stop
from .scratch import AT_CELL, Scratch, clear_board

POSITIONS = 60
"""Positions of a search at most: one that would need more counts as not dead."""

ANSWERS = 1 << 16
"""Answers that are kept; a later one takes the place of an earlier one. A power of two."""


class CoreSearch(NamedTuple):
    """What the search works on: the position `s`; `box` (P, B), `player` (P): the positions that were met, `number[0]`
    of them; `answer_box` (A, B), `answer_player`, `answer` (A): what is known of cores, `number[1]` what was asked for
    last.
    """

    s: Scratch
    box: Shorts
    player: Ints
    number: Longs
    answer_box: Shorts
    answer_player: Ints
    answer: Bytes


def core_search_for(scratch: Scratch) -> CoreSearch:
    """Arrays for the search; `scratch` is for the boxes of the board."""
    boxes = len(scratch.box)
    return CoreSearch(
        s=scratch,
        box=np.zeros((POSITIONS + 1, boxes), np.int16),
        player=np.zeros(POSITIONS + 1, np.int32),
        number=np.zeros(2, np.int64),
        answer_box=np.zeros((ANSWERS, boxes), np.int16),
        answer_player=np.full(ANSWERS, -1, np.int32),
        answer=np.zeros(ANSWERS, np.uint8),
    )


@njit(inner=True)
def has_dead_core(board: Board, s: Scratch, search: CoreSearch, player: int) -> bool:
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
    search.number[1] = kept
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
def reduce(board: Board, t: Scratch, player: int) -> int:
    """Take away free boxes as long as there are any; the player's region then. `label` is up to date."""
    label_regions(board.neighbour, t.occupied, t.label, t.stack)
    changed = True
    while changed:
        changed = False
        for i in range(len(t.box)):
            start = t.box[i]
            if start < 0 or not touched(board, t, start, t.label[player]):
                continue
            free = False
            first_stop(board.neighbour, t, start, player)
            while not free and next_stop(board.neighbour, board.live, t, False):
                end = t.at[AT_CELL]
                t.box[i] = end
                free = end != start and (board.goal[end] == 1 or board.pushes[end, start] < FAR)
                free = free and not freezes(board, t, end)
                if free:
                    t.occupied[end] = 0
            t.box[i] = -1 if free else start
            t.occupied[start] = 0 if free else 1
            changed = changed or free
            label_regions(board.neighbour, t.occupied, t.label, t.stack)
    return int(t.label[player])


@njit(inner=True)
def touched(board: Board, t: Scratch, c: int, root: int) -> bool:
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
    """
    t, count = search.s, len(search.s.box)
    search.number[0] = 0
    meet(search, root)
    node = 0
    while node < search.number[0]:
        for i in range(count):
            start = search.box[node, i]
            if start < 0:
                continue
            for d in range(4):
                # 1. The position once more, as what came after changed it, and one push.
                put_row(search, node)
                label_regions(board.neighbour, t.occupied, t.label, t.stack)
                end, behind = board.neighbour[start, d], board.neighbour[start, d ^ 1]
                if t.occupied[end] or not board.live[end] or t.label[behind] != t.label[search.player[node]]:
                    continue
                t.box[i] = end
                t.occupied[start], t.occupied[end] = 0, 1
                if freezes(board, t, end):
                    continue
                # 2. Its core: nothing off the goals, or one more position.
                after = reduce(board, t, start)
                if is_solved(board, t.box, False) or not meet(search, after):
                    return True
        node += 1
    return False


@njit(inner=True)
def put_row(search: CoreSearch, node: int) -> None:
    """Make a position that was met the one in `s`."""
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
    for node in range(search.number[0]):
        if search.player[node] == root:
            same = True
            for i in range(count):
                c = search.box[node, i]
                same = same and (c < 0 or t.occupied[c] == 1) and (t.box[i] >= 0) == (c >= 0)
            if same:
                return True
    node = search.number[0]
    if node == POSITIONS:
        return False
    for i in range(count):
        search.box[node, i] = t.box[i]
    search.player[node] = root
    search.number[0] = node + 1
    return True
