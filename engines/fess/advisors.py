"""The advisors: each recommends at most one move of a position, and recommended moves weigh nothing.

Forward, all but `opener` and `out of plan` want to make one feature better and choose the best result by score; none
lowers what is packed:

    packing        more packed
    connectivity   fewer regions
    rooms          fewer broken edges between rooms
    hotspots       fewer hotspots
    explorer       a move that can be undone, after which another box can be pushed from a side not reached before
    opener         makes room near the next cell of the plan, if nothing can be packed now
    out of plan    takes the box that is nearest to the inside of the zone out of plan a long way out of it

Backward: a box that can vanish does, and nothing else is done; otherwise `packing` pulls a box off a goal, far away,
and connectivity, rooms and explorer are as above. (Shoham and Schaeffer 2020 name seven; opener and out of plan are as
in the program Festival, version 3.) With a seed, `chance` names any move: see `strategy`.
Of one move or two the best is named in any case.
"""

from __future__ import annotations

import numpy as np

from ...analysis.boxes.board import FAR, Board
from ...analysis.boxes.packing_plan import PackingPlan
from ...runtime.arrays import Longs
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from .space import FARTHEST, FIFTH, FIRST, FOURTH, REGIONS, THIRD, feature, swap_moves
from .tree import ADVISED, OPENS, VANISHES, Tree


@njit(inner=True)
def advise(board: Board, plan: PackingPlan, strategy: Longs, tree: Tree, node: int, pull: bool) -> None:
    """Mark the moves of a position that advisors name."""
    if pull:
        vanish(board, strategy, tree, node)
        improve(tree, node, long(REGIONS))
        improve(tree, node, long(FOURTH))
        explore(board, tree, node, pull)
        pull_off(board, tree, node)
        return
    for place in (FIRST, REGIONS, THIRD, FIFTH):
        improve(tree, node, long(place))
    explore(board, tree, node, pull)
    if len(plan.to):
        leave_zone(board, plan, tree, node)
        open_way(board, plan, tree, node)
    if strategy[1]:
        guess(strategy[1], tree, node)


@njit(inner=True)
def guess(seed: int, tree: Tree, node: int) -> None:
    """Name the move that the seed picks, unless fewer boxes would be packed after it."""
    score, first, count = tree.node[node].score, tree.node[node].first, tree.node[node].moves
    if count > 0:
        mixed = (tree.node[node].hash ^ np.uint64(seed)) * np.uint64(0xD6E8FEB86659FD93)
        move = first + int(mixed >> np.uint64(33)) % count
        if feature(tree.move[move].score, FIRST) <= feature(score, FIRST):
            name_move(tree, move)


@njit(inner=True)
def name_move(tree: Tree, move: int) -> None:
    """Record the move of an advisor, if it has one."""
    if move >= 0:
        tree.move[move].flags |= ADVISED


@njit(inner=True)
def improve(tree: Tree, node: int, place: int) -> None:
    """Name the best move that makes the feature at a place of the score smaller and packs no less."""
    score, best, first = tree.node[node].score, -1, tree.node[node].first
    for move in range(first, first + tree.node[node].moves):
        after = tree.move[move].score
        better = feature(after, place) < feature(score, place) and feature(after, FIRST) <= feature(score, FIRST)
        if better and (best < 0 or tree.move[move].rank < tree.move[best].rank):
            best = move
    name_move(tree, best)


@njit(inner=True)
def explore(board: Board, tree: Tree, node: int, pull: bool) -> None:
    """Name the best move that can be undone and lets the player get to another side of another box."""
    score, best, first = tree.node[node].score, -1, tree.node[node].first
    for move in range(first, first + tree.node[node].moves):
        if not tree.move[move].flags & OPENS or feature(tree.move[move].score, FIRST) > feature(score, FIRST):
            continue
        start, end = tree.move[move].start, tree.move[move].end
        back = board.pushes[start, end] if pull else board.pushes[end, start]
        if back < FAR and (best < 0 or tree.move[move].rank < tree.move[best].rank):
            best = move
    name_move(tree, best)


@njit(inner=True)
def open_way(board: Board, plan: PackingPlan, tree: Tree, node: int) -> None:
    """Name the move that takes the box nearest to the next cell of the plan farthest from it; packing goes first."""
    score, best, first, count = tree.node[node].score, -1, tree.node[node].first, len(plan.to)
    pivot = plan.to[max(0, min(count - feature(score, FIRST), count - 1))]
    nearest, farthest = FAR, -1
    for move in range(first, first + tree.node[node].moves):
        after = tree.move[move].score
        if feature(after, FIRST) < feature(score, FIRST):
            return
        if (
            feature(after, FIRST) > feature(score, FIRST)
            or feature(after, REGIONS) > feature(score, REGIONS)
            or feature(after, THIRD) > feature(score, THIRD)
        ):
            continue
        here, there = board.walks[pivot, tree.move[move].start], board.walks[pivot, tree.move[move].end]
        if there >= here and (here < nearest or (here == nearest and there > farthest)):
            nearest, farthest, best = here, there, move
    name_move(tree, best)


@njit(inner=True)
def leave_zone(board: Board, plan: PackingPlan, tree: Tree, node: int) -> None:
    """Name the move that takes the box nearest to the zone out of plan, or in it, as far from it as possible."""
    score, best, first = tree.node[node].score, -1, tree.node[node].first
    if feature(score, FOURTH) == 0:
        return
    depth = plan.depth[max(0, len(plan.to) - feature(score, FIRST))]
    least, most = FAR + 1, -1
    for move in range(first, first + tree.node[node].moves):
        # Nothing may get worse by it, the box must be able to come back, and it must get farther from the zone.
        after, start, end = tree.move[move].score, tree.move[move].start, tree.move[move].end
        if (
            feature(after, FIRST) > feature(score, FIRST)
            or feature(after, REGIONS) > feature(score, REGIONS)
            or feature(after, THIRD) > feature(score, THIRD)
            or feature(after, FOURTH) > feature(score, FOURTH)
            or board.pushes[end, start] >= FAR
            or depth[end] <= depth[start]
        ):
            continue
        if depth[start] < least or (depth[start] == least and depth[end] > most):
            least, most, best = depth[start], depth[end], move
    name_move(tree, best)


@njit(inner=True)
def vanish(board: Board, strategy: Longs, tree: Tree, node: int) -> None:
    """If boxes can vanish, keep one such move for each box and no others, and name one.

    The one that is named: of a box that is on no goal, then with the fewest regions after, then from far away. With a
    seed: any of them.
    """
    # 1. The kept moves stand in front, one for each box: the best of its moves.
    first, count, kept = tree.node[node].first, tree.node[node].moves, 0
    for move in range(first, first + count):
        if not tree.move[move].flags & VANISHES:
            continue
        same = -1
        for other in range(first, first + kept):
            if tree.move[other].start == tree.move[move].start:
                same = other
        if same < 0:
            swap_moves(tree, first + kept, move)
            kept += 1
        elif _vanishes_better(board, tree, move, same):
            swap_moves(tree, same, move)
    if kept == 0:
        return
    tree.node[node].moves = kept
    # 2. One of them is named: by the position's hash and the seed, or the best.
    best = first
    if strategy[1]:
        mixed = (tree.node[node].hash ^ np.uint64(strategy[1])) * np.uint64(0xD6E8FEB86659FD93)
        name_move(tree, first + int(mixed >> np.uint64(33)) % kept)
        return
    for move in range(first + 1, first + kept):
        if _vanishes_better(board, tree, move, best):
            best = move
    name_move(tree, best)


@njit(inner=True)
def _vanishes_better(board: Board, tree: Tree, a: int, b: int) -> bool:
    """Whether move a is better than move b as a move by which a box vanishes, in the order that `vanish` names."""
    goal_a, goal_b = board.goal[tree.move[a].start], board.goal[tree.move[b].start]
    if goal_a != goal_b:
        return bool(goal_a < goal_b)
    regions_a, regions_b = feature(tree.move[a].score, REGIONS), feature(tree.move[b].score, REGIONS)
    if regions_a != regions_b:
        return regions_a < regions_b
    far_a = board.walks[tree.move[a].start, tree.move[a].end]
    return bool(far_a > board.walks[tree.move[b].start, tree.move[b].end])


@njit(inner=True)
def pull_off(board: Board, tree: Tree, node: int) -> None:
    """Name the best move of a box from a goal that keeps regions and rooms as good and gets farther from the goals."""
    score, best, first = tree.node[node].score, -1, tree.node[node].first
    for move in range(first, first + tree.node[node].moves):
        after = tree.move[move].score
        if (
            board.goal[tree.move[move].start]
            and feature(after, REGIONS) <= feature(score, REGIONS)
            and feature(after, FOURTH) <= feature(score, FOURTH)
            and (after & FARTHEST) < (score & FARTHEST)
            and (best < 0 or tree.move[move].rank < tree.move[best].rank)
        ):
            best = move
    name_move(tree, best)
