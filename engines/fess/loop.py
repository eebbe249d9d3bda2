"""The main loop of Feature Space Search, forward by pushes or backward by pulls.

Each turn serves one cell of the feature space: every other turn the cells in a circle, a new one next; in between the
cell of the best rank that has moves left. Of all positions that are filed there the one that waits first gives its
best move (see `space`); the position that it leads to is expanded and filed under the cell of the best position on its
way, itself included. So a move that makes things worse opens no cell, and time is split over kinds of progress.
"""

from __future__ import annotations

import numpy as np

from ...analysis.boxes.board import (
    AT_CELL,
    AT_MEETING,
    AT_REGIONS,
    AT_ROOT,
    FAR,
    NO_ROOM,
    Board,
    BoardScratch,
    clear,
    clear_board,
    clear_sides,
    is_solved,
    label_regions,
    pulls_from,
)
from ...analysis.boxes.deadlock_search import DeadlockSearch, holds_dead_set, is_dead
from ...analysis.boxes.freeze import find_frozen, freezes, lacks_goals, lacks_partners
from ...analysis.boxes.macro_moves import first_stop, next_stop
from ...analysis.boxes.pi_corrals import find_corral
from ...analysis.movable_objects import INFINITE
from ...runtime.arrays import Bytes, Longs, Shorts
from ...runtime.kernel_calls import njit
from .advisors import advise, name_move
from .space import (
    MEETS,
    OPEN_START,
    WORST,
    CellSpace,
    SpaceSearch,
    cell_key,
    choose,
    drop,
    merged,
    move_weight,
    rank_of,
    score_of,
    slot_of,
)
from .tree import BUCKETS, NONE, OPENS, VANISHES, Tree, find_meeting

# Expanding a position: all its macro moves, each with the score of what it leads to.

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
    # The hash of a position is the exclusive or of the keys of its boxes and of the player's region.
    without = tree.node[node].hash ^ board.box_key[start] ^ board.player_key[player]
    first_stop(s, start, player)
    while next_stop(board.neighbour, board.live, s, pull):
        end, root, regions = s.at[AT_CELL], s.at[AT_ROOT], s.at[AT_REGIONS]
        # 1. With the box on that stop: not listed if it seems dead, or is in the tree already.
        s.box[i] = end
        if (end != start or root != player) and (pull or not seems_dead(board, s, search.deadlocks, end, root)):
            hash_ = without ^ board.box_key[end] ^ board.player_key[root]
            if find_position(tree, s, hash_, root, tree.left[node]) < 0:
                met = find_meeting(search.meetings, s, hash_, root)
                if met >= 0:
                    # The other side was here: the two ways make a plan.
                    s.at[AT_MEETING] = met
                    s.box[i] = start
                    return listed + add_move(tree, at + listed, start, end, root, hash_, 0, 0)
                flags = OPENS if opens(board, s, i, root, pull) else 0
                score = score_of(board, plan, s, regions, pull)
                listed += add_move(tree, at + listed, start, end, root, hash_, score, flags)
        # 2. Backward a box may vanish on a base.
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
def seems_dead(board: Board, s: BoardScratch, deadlocks: DeadlockSearch, cell: int, root: int) -> bool:
    """Whether the box that has just been moved to a cell freezes, or belongs to a dead set that was learned."""
    return freezes(board, s, cell) or holds_dead_set(deadlocks, s, cell, root)


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
    for i in range(len(bases)):
        wanted = s.box[i] >= 0 and i != moved
        for k in range(len(bases)):
            base = bases[k]
            left = tree.left[node, k] and base != end
            apart = wanted and not (left and board.pushes[base, s.box[i]] < FAR)
            search.goals.cost[i, k] = INFINITE if apart else 0
    return not lacks_partners(search.goals)


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
    # Bases that can be pushed to each other are a class; the largest one is chosen.
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


NODES, EXPANDED, MOVES, CELLS, CURSOR, TURN, GOAL, DEAD, BEST, BOX, LISTED, ENOUGH, MEETING, COUNTS = range(14)
"""Entries of `numbers`: positions made and expanded, moves listed, cells; the cell served last, turns, the solved
position, moves that led to deadlocks; the cell with the best rank; of the position that is being expanded the next box,
the moves listed so far; positions that may be expanded; the slot in the table of the other side of the position that
the goal is (-1: none).
"""


@njit(_nrt=False, effort=1)
def advance(search: SpaceSearch, pull: bool, most_moves: int, turns: int) -> bool:
    """Make at most `turns` turns; False if nothing is left to do.

    It also ends when the goal is found, when as many positions are expanded as may be, and when the tree is full: fewer
    than `most_moves` entries are free. A turn lists the moves of one box, so that it is short on a large board; before
    the first box of a position, a cell is served and gives the position. Roots are expanded first.
    """
    tree, space, numbers = search.tree, search.space, search.numbers
    for _ in range(turns):
        if numbers[NODES] + 1 >= len(tree.node) or numbers[CELLS] + 1 >= len(space.key):
            return True
        if numbers[MOVES] + most_moves > len(tree.move) or numbers[EXPANDED] >= numbers[ENOUGH]:
            return True
        if numbers[EXPANDED] == numbers[NODES]:
            cell = next_cell(space, numbers)
            if cell < 0:
                return False
            if not take(search, cell, pull):
                continue
        if numbers[GOAL] < 0:
            expand(search, numbers[EXPANDED], pull)
        if numbers[GOAL] >= 0:
            return False
    return True


@njit(inner=True)
def next_cell(space: CellSpace, numbers: Longs) -> int:
    """The cell to be served; -1 if no position has moves left."""
    count = numbers[CELLS]
    numbers[TURN] += 1
    if numbers[TURN] & 1:
        for step in range(1, count + 1):
            cell = (numbers[CURSOR] + step) % count
            if space.top[cell] >= 0:
                numbers[CURSOR] = cell
                return int(cell)
        return -1
    if numbers[BEST] >= 0 and space.top[numbers[BEST]] >= 0:
        return int(numbers[BEST])
    best = -1
    for cell in range(count):
        if space.top[cell] >= 0 and (best < 0 or space.rank[cell] < space.rank[best]):
            best = cell
    numbers[BEST] = best
    return best


@njit(inner=True)
def take(search: SpaceSearch, cell: int, pull: bool) -> bool:
    """Make the position that the best move of a cell leads to; whether it is new and not found dead."""
    board, s, tree, space, numbers = search.board, search.s, search.tree, search.space, search.numbers
    # 1. The position that waits first gives its best move, and waits again with the next.
    parent = space.top[cell]
    space.top[cell] = merged(tree, tree.node[parent].lower, tree.node[parent].upper)
    move = drop(tree, parent)
    tree.node[parent].lower = tree.node[parent].upper = -1
    weight = tree.node[parent].weight + move_weight(tree, move)
    if choose(tree, parent):
        space.top[cell] = merged(tree, space.top[cell], parent)
    # 2. The position after it.
    node, count = numbers[NODES], len(s.box)
    start, end, gone = tree.move[move].start, tree.move[move].end, tree.move[move].flags & VANISHES
    put(tree, s, parent)
    s.occupied[start] = 0
    if not gone:
        s.occupied[end] = 1
    for i in range(count):
        tree.left[node, i] = tree.left[parent, i] and not (gone and search.bases[i] == end)
        if s.box[i] == start:
            s.box[i] = -1 if gone else end
        tree.box[node, i] = s.box[i]
    hash_, root = tree.move[move].hash, tree.move[move].root
    if find_position(tree, s, hash_, root, tree.left[node]) >= 0:
        return False
    if not pull:
        find_frozen(board, s)
        if lacks_goals(board, s, search.goals) or is_dead(board, s, search.deadlocks, root):
            numbers[DEAD] += 1
            return False
    # 3. Its place in the tree.
    tree.node[node].player, tree.node[node].parent, tree.node[node].weight = root, parent, weight
    tree.node[node].score, tree.node[node].rank = tree.move[move].score, tree.move[move].rank
    tree.node[node].start, tree.node[node].end = start, end
    tree.node[node].gone = gone != 0
    tree.node[node].hash = hash_
    numbers[NODES] += 1
    if not search.strategy[MEETS] and is_solved(board, s.box, pull):
        numbers[GOAL] = node
    return True


@njit(inner=True)
def expand(search: SpaceSearch, node: int, pull: bool) -> None:
    """List the moves of one more box of a position; after the last box ask the advisors, and file the position."""
    board, plan, strategy, s = search.board, search.plan, search.strategy, search.s
    tree, space, numbers = search.tree, search.space, search.numbers
    parent = tree.node[node].parent
    listed = numbers[LISTED]
    # 1. At the first box: the position and its regions.
    if numbers[BOX] == 0:
        slot = int(tree.node[node].hash) & (BUCKETS - 1)
        tree.node[node].chain = tree.bucket[slot]
        tree.bucket[slot] = node
        put(tree, s, node)
        if pull:
            find_elimination(board, search.bases, s, tree, node)
        regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
        note_reached(board, s, tree.node[node].player, pull)
        if not pull:
            find_corral(board, s, search.deadlocks.s, tree.node[node].player)
        s.at[AT_MEETING] = NONE
        if parent < 0:
            numbers[MEETING] = find_meeting(search.meetings, s, tree.node[node].hash, tree.node[node].player)
            if numbers[MEETING] >= 0:
                numbers[GOAL] = node
                return
            score = score_of(board, plan, s, regions, pull)
            tree.node[node].score = score
            tree.node[node].rank = WORST if strategy[OPEN_START] else rank_of(strategy, score, tree.node[node].hash)
        tree.node[node].first = numbers[MOVES]
    # 2. The moves of one box.
    if numbers[BOX] < len(s.box):
        # The moves of a position stand together in `tree.move`, from numbers[MOVES] on. They count when all boxes are
        # done.
        if pull or s.movable[numbers[BOX]]:
            first = numbers[MOVES] + listed
            listed += generate(search, node, first, numbers[BOX], pull)
        if s.at[AT_MEETING] >= 0:
            meet(s, tree, numbers, node, numbers[MOVES] + listed - 1)
            return
        numbers[LISTED] = listed
        numbers[BOX] += 1
        if numbers[BOX] < len(s.box):
            return
    tree.node[node].moves = listed
    numbers[BOX] = numbers[LISTED] = 0
    # 3. What the advisors say of all of them.
    for move in range(numbers[MOVES], numbers[MOVES] + tree.node[node].moves):
        tree.move[move].rank = rank_of(strategy, tree.move[move].score, tree.move[move].hash)
    advise(board, plan, strategy, tree, node, pull)
    numbers[MOVES] += tree.node[node].moves
    numbers[EXPANDED] += 1
    # The cell of the best position on the way.
    best = node
    if parent >= 0 and tree.node[tree.node[parent].best].rank <= tree.node[node].rank:
        best = tree.node[parent].best
    tree.node[node].best = best
    tree.node[node].lower = tree.node[node].upper = -1
    # A position that is no better than its best ancestor is filed in that one's cell: detours stay where they began.
    if best == node:
        cell = cell_of(space, numbers, cell_key(tree.node[node].score, pull), tree.node[node].rank)
    else:
        cell = tree.node[parent].cell
    tree.node[node].cell = cell
    if numbers[BEST] < 0 or space.rank[cell] < space.rank[numbers[BEST]]:
        numbers[BEST] = cell
    if choose(tree, node):
        if tree.node[node].moves <= 2:
            name_move(tree, tree.node[node].chosen)
        space.top[cell] = merged(tree, space.top[cell], node)


@njit(inner=True)
def meet(s: BoardScratch, tree: Tree, numbers: Longs, parent: int, move: int) -> None:
    """Make the position of the other side that a move leads to the goal."""
    node = numbers[NODES]
    tree.node[node].player, tree.node[node].parent = tree.move[move].root, parent
    tree.node[node].start, tree.node[node].end, tree.node[node].gone = tree.move[move].start, tree.move[move].end, 0
    numbers[NODES] += 1
    numbers[GOAL], numbers[MEETING] = node, s.at[AT_MEETING]


@njit(inner=True)
def cell_of(space: CellSpace, numbers: Longs, key: int, rank: int) -> int:
    """The cell of a key; a new one is served next."""
    slot = slot_of(key)
    cell = space.bucket[slot]
    while cell >= 0 and space.key[cell] != key:
        cell = space.chain[cell]
    if cell < 0:
        cell = numbers[CELLS]
        numbers[CELLS] += 1
        space.key[cell], space.rank[cell], space.top[cell] = key, rank, -1
        space.chain[cell], space.bucket[slot] = space.bucket[slot], cell
        numbers[CURSOR] = cell - 1
    elif rank < space.rank[cell]:
        space.rank[cell] = rank
    return int(cell)
