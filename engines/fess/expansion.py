"""Expanding a position: all its macro moves, each with the score of what it leads to."""

from __future__ import annotations

import numpy as np

from ...analysis.boxes.board import FAR, NO_ROOM, Board, label_regions, pulls_from
from ...analysis.boxes.core_deadlocks import CoreSearch, fill_row, first_stop, next_stop
from ...analysis.boxes.freeze import begin_matching, freezes, takes_slot
from ...analysis.boxes.scratch import (
    AT_CELL,
    AT_MEETING,
    AT_REGIONS,
    AT_ROOT,
    BoardScratch,
    clear,
    clear_board,
    clear_sides,
)
from ...analysis.deadlocks.freeze import holds_learned
from ...runtime.arrays import Bytes, Shorts
from ...runtime.kernel_cache import njit
from .space import SpaceSearch, score_of
from .tree import BUCKETS, OPENS, VANISHES, Tree, find_meeting

APART = 6
"""The least distance, in one room, between the cell a box comes from and the base at which it vanishes."""


@njit(inner=True)
def put(tree: Tree, s: BoardScratch, node: int) -> None:
    """Write a position of the tree to `s`."""
    clear_board(s.occupied)
    for i in range(len(s.box)):
        s.box[i] = tree.box[node, i]
        if s.box[i] >= 0:
            s.occupied[s.box[i]] = 1


@njit(inner=True)
def find_position(tree: Tree, s: BoardScratch, hash_: np.uint64, root: int, left: Bytes) -> int:
    """The expanded position that equals the one in `s`, with the player in the region `root`; -1 if there is none."""
    node = tree.bucket[int(hash_) & (BUCKETS - 1)]
    while node >= 0:
        if tree.node[node].hash == hash_ and tree.node[node].player == root:
            same = True
            boxes = 0
            for i in range(len(s.box)):
                boxes += (s.box[i] >= 0) - (tree.box[node, i] >= 0)
                same = same and (tree.box[node, i] < 0 or s.occupied[tree.box[node, i]] == 1)
                same = same and tree.left[node, i] == left[i]
            if same and boxes == 0:
                return int(node)
        node = tree.node[node].chain
    return -1


@njit(inner=True)
def note_reached(board: Board, s: BoardScratch, root: int, pull: bool) -> None:
    """Fill `reached`: which sides of which boxes the player can push, or pull, from."""
    clear_sides(s.reached)
    for i in range(len(s.box)):
        c = s.box[i]
        if c >= 0:
            for d in range(4):
                s.reached[c, d] = can_move(board, s, c, d, root, pull)


@njit(inner=True)
def can_move(board: Board, s: BoardScratch, c: int, d: int, root: int, pull: bool) -> bool:
    """Whether the player in region `root` can push or pull the box on c one cell in direction d."""
    ahead = board.neighbour[c, d]
    if s.occupied[ahead] or not board.live[ahead]:
        return False
    if pull:
        return bool(s.label[ahead] == root and not s.occupied[board.neighbour[ahead, d]])
    return bool(s.label[board.neighbour[c, d ^ 1]] == root)


@njit(inner=True)
def opens(board: Board, s: BoardScratch, moved: int, root: int, pull: bool) -> bool:
    """Whether a box other than number `moved` can be moved in a way that was not possible in the parent."""
    for i in range(len(s.box)):
        c = s.box[i]
        if c >= 0 and i != moved:
            for d in range(4):
                if not s.reached[c, d] and can_move(board, s, c, d, root, pull):
                    return True
    return False


@njit(inner=True)
def generate(search: SpaceSearch, node: int, at: int, i: int, pull: bool) -> int:
    """List the moves of box i of a position, the one in `s`, from entry `at` of the tree on; how many there are.

    Not listed: moves to dead squares, to freeze deadlocks, to dead sets that were learned, and to positions that are in
    the tree. A move to a base in `elimination` may be listed twice: with the box there, and with the box gone.
    `reached` is as `note_reached` leaves it. A move to a position of the other side (`meetings`) is the last one that
    is listed; `AT_MEETING` is its slot then.
    """
    board, plan, s, tree = search.board, search.plan, search.s, search.tree
    player, listed, start = tree.node[node].player, 0, s.box[i]
    if start < 0:
        return 0
    without = tree.node[node].hash ^ board.box_key[start] ^ board.player_key[player]
    first_stop(s, start, player)
    while next_stop(board.neighbour, board.live, s, pull):
        end, root, regions = s.at[AT_CELL], s.at[AT_ROOT], s.at[AT_REGIONS]
        s.box[i] = end
        if (end != start or root != player) and (pull or not seems_dead(board, s, search.cores, end, root)):
            hash_ = without ^ board.box_key[end] ^ board.player_key[root]
            if find_position(tree, s, hash_, root, tree.left[node]) < 0:
                met = find_meeting(search.meetings, s, hash_, root)
                if met >= 0:
                    s.at[AT_MEETING] = met
                    s.box[i] = start
                    return listed + add_move(tree, at + listed, start, end, root, hash_, 0, 0)
                flags = OPENS if opens(board, s, i, root, pull) else 0
                score = score_of(board, plan, s, regions, pull)
                listed += add_move(tree, at + listed, start, end, root, hash_, score, flags)
        if pull and end != start and s.elimination[end] and may_vanish(search, node, i, start, end):
            s.box[i] = -1
            s.occupied[end] = 0
            regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
            smallest = s.label[root]
            hash_ = without ^ board.player_key[smallest] ^ board.base_key[end]
            score = score_of(board, plan, s, regions, pull)
            listed += add_move(tree, at + listed, start, end, smallest, hash_, score, VANISHES)
            # The search for stops goes on with the box on its stop.
            s.occupied[end] = 1
            label_regions(board.neighbour, s.occupied, s.label, s.stack)
        s.box[i] = start
    s.occupied[start] = 1
    return listed


@njit(inner=True)
def seems_dead(board: Board, s: BoardScratch, cores: CoreSearch, cell: int, root: int) -> bool:
    """Whether the box that has just been moved to a cell freezes, or belongs to a dead set that was learned."""
    if freezes(board, s, cell):
        return True
    if cores.learned.newest[cell] < 0:
        return False
    fill_row(cores.row, s.box)
    return bool(holds_learned(cores.learned, cores.row, cell, root))


@njit(inner=True)
def add_move(tree: Tree, at: int, start: int, end: int, root: int, hash_: np.uint64, score: int, flags: int) -> int:
    """Write a move to the tree; gives 1, the number of moves added."""
    tree.move[at].start, tree.move[at].end, tree.move[at].root = start, end, root
    tree.move[at].hash, tree.move[at].score, tree.move[at].flags = hash_, score, flags
    return 1


@njit(inner=True)
def may_vanish(search: SpaceSearch, node: int, moved: int, start: int, end: int) -> bool:
    """Whether a box that is pulled to a base may vanish with it: it comes from elsewhere, and the others still match.

    Every other box must have a base of its own from which it could be pushed to where it stands.
    """
    board, bases, s, tree = search.board, search.bases, search.s, search.tree
    here, there = board.room[start], board.room[end]
    if board.walks[start, end] < APART and not (here != there and min(here, there) > NO_ROOM):
        return False
    count, slots = len(s.box), 0
    for k in range(count):
        base = bases[k]
        if tree.left[node, k] and base != end:
            for i in range(count):
                s.link[slots, i] = s.box[i] >= 0 and i != moved and board.pushes[base, s.box[i]] < FAR
            slots += 1
    begin_matching(s, slots)
    enough = True
    for i in range(count):
        enough = enough and (s.box[i] < 0 or i == moved or takes_slot(s, slots, i))
    return enough


@njit(inner=True)
def find_elimination(board: Board, bases: Shorts, s: BoardScratch, tree: Tree, node: int) -> None:
    """Fill `elimination`: the largest class of bases that are left and can be pushed to each other past the boxes."""
    count = len(s.box)
    clear(s.elimination)
    most, chosen = 0, -1
    for k in range(count):
        for j in range(count):
            s.link[k, j] = 0
    # link[k, j]: a box could be pushed from base j to base k.
    for k in range(count):
        if tree.left[node, k]:
            pulls_from(board.neighbour, s.occupied, bases[k], s.tried, s.stack)
            for j in range(count):
                s.link[k, j] = tree.left[node, j] and s.tried[bases[j]]
    for k in range(count):
        size = 0
        for j in range(count):
            size += s.link[k, j] and s.link[j, k]
        if size > most:
            most, chosen = size, k
    if chosen >= 0:
        for j in range(count):
            if s.link[chosen, j] and s.link[j, chosen]:
                s.elimination[bases[j]] = 1
