"""A part of a plan made as short as can be: A* from one of its positions to a later one.

    plan      p0 -> ... -> pi -> ... -> pj -> ... -> pn        the window is i ... j
    shorter   p0 -> ... -> pi -> q1 -> ... -> pj -> ... -> pn   with fewer pushes from pi to pj

A way through the window must end in the same position: boxes on the same cells, player in the same region. What is
left to be pushed is at least the sum over boxes off the cells of pj of their least distance to such a cell that is
empty, and the same the other way round. A* (Hart, Nilsson, Raphael 1968) keeps its open positions in a bucket for each
f = pushes made + pushes left, last in first out, and forgets all with f not below the length of the window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.boxes.board import FAR, Board, label_regions, position_key
from ...analysis.boxes.freeze import freezes
from ...analysis.boxes.scratch import BoardScratch, clear, clear_board
from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ...runtime.kernel_cache import njit
from .expansion import can_move

SLOTS = 1 << 20
"""Of the table of positions: a power of two."""

MOST_POSITIONS = 300_000
"""Positions of a search at most."""

WAITS, FAILED = -1, -2
"""Return values of a search that is to be continued, and of one that found no way."""

LONGEST = 256
"""Pushes of a window at most."""


SEARCH, MET, LEAST_F, LAST_REGION, BELOW, MOST, COUNTS = range(7)
"""Entries of `WindowSearch.number`: searches begun; positions met by the present one; the least f of an open position;
the player's region in the last position of the window; the pushes that a way must stay below; the most positions.
"""


class Window(NamedTuple):
    """A part of a plan: boxes (B) in its first and last position, and a cell that the player can get to in each.

    Wanted is a way of fewer than `below` pushes, found in at most `most` positions.
    """

    first: Shorts
    player: int
    last: Shorts
    stand: int
    below: int
    most: int


class WindowSearch(NamedTuple):
    """Arrays for P positions of B boxes.

    `s`: the position that is looked at; `wanted` (F+1): the cells of the last position of the window. `box` (P, B),
    `root`, `made` (P): boxes, player, pushes made; `parent`, `cell`, `way` (P): from which position, which box was
    pushed, and where to; `closed` (P): made as few when it was expanded, or -1. `hash` (P), `slot`, `stamp`: how one
    is found; `next` (P), `bucket` (`LONGEST`): the open ones. `number`: see `SEARCH`.
    """

    s: BoardScratch
    wanted: Bytes
    box: Shorts
    root: Ints
    made: Ints
    parent: Ints
    cell: Ints
    way: Ints
    closed: Ints
    hash: Words
    slot: Ints
    stamp: Longs
    next: Ints
    bucket: Ints
    number: Longs


def window_search_for(scratch: BoardScratch) -> WindowSearch:
    """Arrays for a search; `scratch` is for the board."""
    boxes, cells = len(scratch.box), len(scratch.occupied) - 1
    ints = [np.zeros(MOST_POSITIONS + 1, np.int32) for _ in range(7)]
    return WindowSearch(
        s=scratch,
        wanted=np.zeros(cells + 1, np.uint8),
        box=np.zeros((MOST_POSITIONS + 1, boxes), np.int16),
        root=ints[0],
        made=ints[1],
        parent=ints[2],
        cell=ints[3],
        way=ints[4],
        closed=ints[5],
        hash=np.zeros(MOST_POSITIONS + 1, np.uint64),
        slot=np.zeros(SLOTS, np.int32),
        stamp=np.zeros(SLOTS, np.int64),
        next=ints[6],
        bucket=np.zeros(LONGEST + 1, np.int32),
        number=np.zeros(COUNTS, np.int64),
    )


@njit(cache=True, _nrt=False, effort=1)
def shorter_way(board: Board, w: WindowSearch, window: Window, quota: int, begin: bool, pushes: Longs) -> int:
    """Find a shorter way through a window.

    Writes (cell, direction) of each push into `pushes`; returns how many they are, or `FAILED`, or after `quota`
    positions `WAITS`: then it is to be called again with the same arguments, without `begin`.
    """
    s, count = w.s, len(window.first)
    if begin:
        begin_window(board, w, window)
    # The position of the least f; of these the last that was met.
    for f in range(w.number[LEAST_F], window.below):
        w.number[LEAST_F] = f
        while w.bucket[f] >= 0:
            node = w.bucket[f]
            w.bucket[f] = w.next[node]
            if w.closed[node] >= 0 and w.closed[node] <= w.made[node]:
                continue
            w.closed[node] = w.made[node]
            clear_board(s.occupied)
            arrived = w.root[node] == w.number[LAST_REGION]
            for i in range(count):
                s.box[i] = w.box[node, i]
                s.occupied[s.box[i]] = 1
                arrived = arrived and w.wanted[s.box[i]] == 1
            if arrived:
                return write_way(w, node, pushes)
            if not expand_window(board, w, node):
                return FAILED
            quota -= 1
            if quota == 0:
                return WAITS
    return FAILED


@njit(inner=True)
def begin_window(board: Board, w: WindowSearch, window: Window) -> None:
    """Begin a search: the first position is the only one that is open."""
    s, count, last = w.s, len(window.first), window.last
    # 1. The last position: its boxes, and the player's region.
    clear(w.wanted)
    clear_board(s.occupied)
    for i in range(count):
        w.wanted[last[i]] = s.occupied[last[i]] = 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    w.number[LAST_REGION] = s.label[window.stand]
    # 2. The first position.
    clear_board(s.occupied)
    for i in range(count):
        s.box[i] = window.first[i]
        s.occupied[window.first[i]] = 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    w.number[SEARCH] += 1
    w.number[MET] = w.number[LEAST_F] = 0
    w.number[BELOW], w.number[MOST] = window.below, window.most
    for f in range(window.below + 1):
        w.bucket[f] = -1
    note(board, w, s.label[window.player], 0, -1, 0, 0)


@njit(inner=True)
def expand_window(board: Board, w: WindowSearch, node: int) -> bool:
    """Note the positions after each push from the one in `s`; False if there is no room for them."""
    s, root = w.s, w.root[node]
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    for i in range(len(s.box)):
        for d in range(4):
            s.link[i, 0] = s.link[i, 0] & ~(1 << d) | (can_move(board, s, s.box[i], d, root, False) << d)
    for i in range(len(s.box)):
        start = s.box[i]
        for d in range(4):
            if not s.link[i, 0] >> d & 1:
                continue
            end = board.neighbour[start, d]
            s.box[i] = end
            s.occupied[start], s.occupied[end] = 0, 1
            room = True
            if w.wanted[end] or not freezes(board, s, end):
                label_regions(board.neighbour, s.occupied, s.label, s.stack)
                room = note(board, w, s.label[start], w.made[node] + 1, node, start, d)
            s.occupied[start], s.occupied[end] = 1, 0
            s.box[i] = start
            if not room:
                return False
    return True


@njit(inner=True)
def left_to_push(board: Board, w: WindowSearch) -> int:
    """A lower bound on the pushes from the position in `s` to the last one of the window."""
    s, cells = w.s, len(w.wanted) - 1
    count, empty = len(s.box), 0
    for c in range(cells):
        if w.wanted[c] and not s.occupied[c]:
            s.stack[empty] = c
            empty += 1
    forth, back = 0, 0
    for i in range(count):
        if not w.wanted[s.box[i]]:
            least = FAR
            for k in range(empty):
                least = min(least, board.pushes[s.box[i], s.stack[k]])
            forth += least
    for k in range(empty):
        least = FAR
        for i in range(count):
            if not w.wanted[s.box[i]]:
                least = min(least, board.pushes[s.box[i], s.stack[k]])
        back += least
    return max(forth, back)


@njit(inner=True)
def note(board: Board, w: WindowSearch, root: int, made: int, parent: int, start: int, direction: int) -> bool:
    """Put the position in `s` among the open ones, unless it is known with as few pushes; False if there is no room."""
    s, count = w.s, len(w.s.box)
    f = max(made + left_to_push(board, w), w.number[LEAST_F])
    if f >= w.number[BELOW]:
        return True
    key = position_key(board, s.box, count, root)
    slot, node = int(key) & (SLOTS - 1), -1
    while w.stamp[slot] == w.number[SEARCH]:
        other = w.slot[slot]
        if w.hash[other] == key and w.root[other] == root:
            same = True
            for i in range(count):
                same = same and s.occupied[w.box[other, i]] == 1
            if same:
                node = other
                break
        slot = (slot + 1) & (SLOTS - 1)
    if node >= 0 and w.made[node] <= made:
        return True
    if node < 0 or w.closed[node] < 0:
        # A position that is open with more pushes is noted anew; its former entry is passed over when it is met.
        fresh = w.number[MET]
        if fresh >= w.number[MOST]:
            return False
        w.number[MET] = fresh + 1
        if node >= 0:
            w.closed[node] = 0
        node = fresh
        w.hash[node], w.root[node], w.closed[node] = key, root, -1
        w.slot[slot], w.stamp[slot] = node, w.number[SEARCH]
        for i in range(count):
            w.box[node, i] = s.box[i]
    else:
        w.closed[node] = -1
    w.made[node], w.parent[node], w.cell[node], w.way[node] = made, parent, start, direction
    w.next[node] = w.bucket[f]
    w.bucket[f] = node
    return True


@njit(inner=True)
def write_way(w: WindowSearch, node: int, pushes: Longs) -> int:
    """Write the pushes that led to a position; how many they are."""
    count = w.made[node]
    at = count
    while w.parent[node] >= 0:
        at -= 1
        pushes[at, 0], pushes[at, 1] = w.cell[node], w.way[node]
        node = w.parent[node]
    return int(count)
