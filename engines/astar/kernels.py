"""Compiled kernels of A*: expanding packed states in the order of cost plus estimate, with pruning.

A state's estimate is computed once. Dead ends are not kept. Pruning makes the estimates inconsistent, so a state that
is reached at less cost than before is opened again, whether it was expanded or not.

Which of the states of the least total comes next does not matter for the proof.

What they compute, by definition: the least cost of a path of `models.plan.apply` to a goal.
`tests/engines/test_astar.py` holds it against `tests/helpers/reference.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE, applies, apply, is_goal, walk_distances, walk_region
from ...analysis.bitset_task import BitsetTask
from ...analysis.deadlocks.corrals import find_corral
from ...analysis.deadlocks.freeze import WANTED
from ...analysis.estimate import survey_state, value_after
from ...analysis.heuristic import Estimate
from ...runtime.arrays import Ints, Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import njit
from ..common.cost_kernels import follow_forced
from ..common.successors import copy_row, successors
from .open_states import BUCKETS, HEAPED, NOWHERE, OUT, beside, enter, least, leave
from .packed_states import (
    COST,
    ESTIMATE,
    PackedStates,
    Packing,
    cell_of,
    enter_state,
    find_packed,
    pack,
    set_value,
    unpack,
    value_of,
)
from .tables import (
    AGAIN,
    BEST,
    BOARD,
    BOUND,
    CHANCE,
    COUNT,
    CUT,
    DEAD,
    DOMINATED,
    DROPPED,
    EXHAUSTED,
    EXPANDED,
    FORCED,
    GENERATED,
    GOAL,
    LOOK,
    LOOKED_AT,
    MORE,
    MOST_CHANGES,
    NONE,
    PROVEN,
    REOPENED,
    WAITING,
    AStarSearch,
    corral_arrays,
    rank_after,
    to_canonical,
    unpack_before,
)

# Dominated states, where walks are paid for: another one has the same objects, and its walker gets here in time.
#
# In a state each object has its place and the walker a cell. Let two states have the same objects, and let the walker
# of s walk d steps, past the objects, to its cell in t. If
#
#     g(s) + cost of d steps  <=  g(t),      d > 0,
#
# each plan from t is one from s after that walk, of no higher cost in all, and t need not be kept or expanded:
#
#     ########      Two ways led to this board: one with the player on a at cost 7, one with him on b at cost 12.
#     #a   b##      He walks from a to b in 4 steps. So the state at cost 12 is left out: all that follows from it
#     # $ $ .#      follows from the other, at less cost.
#     ########
#
# A* still finds an optimal plan. Take one that begins as some state t does and goes on from there with k pushes. If t
# is left out for s, the same k pushes follow s, at the same cost in all or less, and g(s) < g(t): this ends, at a
# state that is open, or one that has been expanded; that one has the next push of the k among its successors, with
# k-1 left. So there is always an open state on an optimal plan (as for the pruning of A. Torralba and J. Hoffmann,
# *Simulation-based admissible dominance pruning*, IJCAI 2015). It needs walks that can be walked back, since
# distances are measured from the cell of t.


def walks_back(task: BitsetTask) -> bool:
    """Whether the walker can take every step in both directions."""
    first, near = task.near_first.tolist(), task.near.tolist()
    steps = {(c, other) for c in range(len(first) - 1) for other in near[first[c] : first[c + 1]]}
    return all((other, c) in steps for c, other in steps)


@njit(inner=True)
def of_objects(packing: Packing, nodes: PackedStates, newest: int, cell: int) -> tuple[int, int]:
    """Among the states with the same objects: the one with the walker in a cell, or -1; and the least cost of any."""
    known, least, index = long(-1), value_of(nodes, COST, newest), long(newest)
    while index >= 0:
        if cell_of(packing, nodes.rows[index]) == cell:
            known = index
        least = min(least, value_of(nodes, COST, index))
        index = long(nodes.older[index])
    return known, least


@njit(inner=True)
def is_dominated(packing: Packing, nodes: PackedStates, newest: int, distance: Ints, step: int, cost: int) -> bool:
    """Whether a state of that cost is dominated by one of those with the same objects, `newest` and the older ones.

    `distance` (K): the walker's steps from its cell there; `step`: what a step costs.
    """
    index = newest
    while index >= 0:
        steps = long(distance[cell_of(packing, nodes.rows[index])])
        if steps > 0 and value_of(nodes, COST, index) + step * steps <= cost:
            return True
        index = long(nodes.older[index])
    return False


# Which open state comes next.
#
# Which of the states of the least total comes next does not matter for the proof, but it does for how soon a plan is
# found among them. The newest one of the least estimate leads straight to the goal, or into a dead end that takes a
# million states to leave. So every other turn is another state's: one of an estimate drawn by chance (after Xie,
# Müller, Holte and Imai, *Type-based exploration with multiple search queues for satisficing planning*, AAAI 2014),
# or the oldest one of the least estimate. Of XSokoban's levels 3, 4, 51, 53, 55 and 78 each single order leaves one
# or two unsolved.
#
# With a packing plan every other turn is by rank instead (`tables`), of the states of the same total: in turn
# the newest one of the best rank, and one of features drawn by chance, the way to which has the fewest box changes.
#
#     expansion   0       1          2     3         4       5          6        7
#     state       newest  best rank  any   any rank  newest  best rank  oldest   any rank

# The most buckets that are drawn for a rank by chance; one of a larger total does not count.
DRAWS = 16

ANY_ESTIMATE, OLDEST = 1, 3
"""Turns, out of four, with a rule of their own; in the others the newest state of least total, then estimate,
is taken."""


@njit(inner=True)
def _key(search: AStarSearch, index: int) -> tuple[int, int]:
    """The order of open states: the total, then the estimate, unless the cost has two components (`unit` is 0)."""
    value = long(value_of(search.nodes, ESTIMATE, index))
    return value_of(search.nodes, COST, index) + value, value if search.unit else long(0)


@njit(inner=True)
def put_open(search: AStarSearch, index: int) -> None:
    """Open a state that is not open. Its cost, its estimate and its rank must be known."""
    total, second = _key(search, index)
    enter(search.opened, total, second, index)
    if len(search.rank):
        enter(search.ranked, total, long(search.rank[index]), index)
    search.control[WAITING] += 1


@njit(inner=True)
def wait_again(search: AStarSearch, index: int, value: int) -> None:
    """Let a state that was taken wait with another estimate; it is dropped if it is dead (-1), or leads to no better
    plan.
    """
    set_value(search.nodes, ESTIMATE, index, value)
    search.control[DROPPED] += 1
    if value >= 0 and value_of(search.nodes, COST, index) + value < search.control[BEST]:
        put_open(search, index)


@njit(inner=True)
def take_out(search: AStarSearch, index: int) -> None:
    """Take a state that is open out of its bucket."""
    total, second = _key(search, index)
    leave(search.opened, total, second, index)
    if len(search.rank):
        leave(search.ranked, total, long(search.rank[index]), index)
    search.control[WAITING] -= 1


@njit(inner=True)
def _draw(search: AStarSearch, most: int) -> int:
    """A pseudo-random number below `most`, by a linear congruential generator."""
    control = search.control
    control[CHANCE] = (control[CHANCE] * 1103515245 + 12345) & 0x7FFFFFFF
    return long((control[CHANCE] >> 8) % most)


@njit(inner=True)
def _any_estimate(search: AStarSearch, bucket: int) -> int:
    """The bucket of (f, h') if it is not empty, for that of (f, h): h' is drawn by chance from h to the estimate of the
    initial state, in the unit of all costs. The bucket itself if that one is empty.
    """
    value = search.opened.second[bucket]
    more = (value_of(search.nodes, ESTIMATE, 0) - value) // search.unit
    if more <= 0:
        return bucket
    other = beside(search.opened, search.opened.total[bucket], value + search.unit * _draw(search, more + 1))
    return other if other >= 0 else bucket


@njit(inner=True)
def _any_rank(search: AStarSearch, total: int) -> int:
    """A bucket of `ranked` that is not empty and has this total: of features drawn by chance, with the fewest changes.
    The one of the best rank if none is drawn.
    """
    ranked = search.ranked
    for _ in range(DRAWS):
        bucket = long(ranked.heap[_draw(search, ranked.sizes[HEAPED])])
        if ranked.total[bucket] != total or ranked.top[bucket] == NOWHERE:
            continue
        rank = ranked.second[bucket]
        first = rank - (rank & MOST_CHANGES)
        while beside(ranked, total, first) < 0:
            first += 1
        return beside(ranked, total, first)
    return least(ranked)


@njit(inner=True)
def take(search: AStarSearch) -> int:
    """Take an open state of the least total out of its bucket; gives the state, or PROVEN or EXHAUSTED."""
    opened, ranked, control = search.opened, search.ranked, search.control
    bucket = least(opened)
    if bucket < 0:
        return EXHAUSTED if control[BEST] == NONE else PROVEN
    total = opened.total[bucket]
    if total >= control[BEST]:
        return PROVEN
    # Of eight turns, with ranks, the odd ones go by rank: two of them the best rank, two a rank by chance. The even
    # ones, and without ranks all, rotate over four: the newest state of the least estimate, one of any estimate, the
    # newest again, the oldest. Whatever is taken has the least total: the bound, and so the proof, is the same for all.
    turn = control[EXPANDED] & 7
    if len(search.rank) and turn & 1:
        index = long(ranked.top[least(ranked) if turn & 2 == 0 else _any_rank(search, total)])
    else:
        turn = turn >> 1 if len(search.rank) else turn & 3
        if turn == ANY_ESTIMATE and search.unit:
            bucket = _any_estimate(search, bucket)
        index = long(opened.bottom[bucket] if turn == OLDEST else opened.top[bucket])
    take_out(search, index)
    control[BOUND] = max(control[BOUND], total)
    control[EXPANDED] += 1
    return index


ROOT = -1
"""In place of a quota: survey the initial state, and expand nothing."""


class GeneratedState(NamedTuple):
    """How a successor is reached: from node `parent` on board `board`, at `cost` from the initial state.

    An object went from place `before` to place `after` (-1: none did), and the walker is in `cell`.
    """

    parent: int
    board: int
    cost: int
    before: int
    after: int
    cell: int


@njit(inner=True)
def _next(task: BitsetTask, search: AStarSearch) -> int:
    """The open state to expand next, which has left its bucket; MORE: there is no room for its successors; PROVEN,
    EXHAUSTED; LOOK.
    """
    nodes, opened, control = search.nodes, search.opened, search.control
    if control[AGAIN] >= 0:
        index = long(control[AGAIN])
        control[AGAIN] = -1
        return index
    while True:
        # A bucket more than for its successors: a state that is looked at may go back into one.
        if control[COUNT] + task.most > len(nodes.rows) or opened.sizes[BUCKETS] + task.most >= len(opened.top):
            return MORE
        if len(search.rank) and search.ranked.sizes[BUCKETS] + task.most >= len(search.ranked.top):
            return MORE
        index = long(control[LOOKED_AT])
        if index >= 0:
            control[LOOKED_AT] = -1
            return index
        index = take(search)
        if index < 0:
            return index
        if not search.looks or (len(nodes.looked) and nodes.looked[index]):
            return index
        control[LOOKED_AT] = index
        return LOOK


@njit(inner=True)
def _enter(task: BitsetTask, estimate: Estimate, search: AStarSearch, row: Words, child: GeneratedState) -> bool:
    """Enter a successor, `row`, unless it is known at this cost or less, a dead end, or leads to no better plan.

    False if its board has no tables yet: then nothing has been done.
    """
    nodes, control, packing = search.nodes, search.control, search.packing
    cost, key = child.cost, search.scratch.key
    # 1. The state, if it is known. One that is dominated is left out; which ones can dominate it follows from the cost.
    pack(packing, row, key)
    turned = long(0)
    if len(search.images.fact):
        turned = to_canonical(packing, search.images, row, search.scratch.again, key, search.scratch.image)
    slot = find_packed(packing, nodes, key)
    newest = known = long(nodes.table[slot])
    if packing.by_objects and known >= 0:
        # All states with the same objects share a slot, whatever the walker's cell. From the cheapest of them the
        # walker could have walked here for the difference in cost: `steps` is how far.
        known, cheapest = of_objects(packing, nodes, newest, child.cell)
        steps = (cost - cheapest) // search.walk_cost
        if steps > 0:
            walk_distances(task, row, child.cell, steps, search.scratch.onward, search.scratch.stack)
            if is_dominated(packing, nodes, newest, search.scratch.onward, search.walk_cost, cost):
                control[GENERATED] += 1
                control[DOMINATED] += 1
                return True
    # 2. Its estimate. A state that is known keeps its own; a new one needs at least what its parent needs, less what
    #    was paid since (pathmax).
    value = long(-1)
    if known >= 0:
        if cost < value_of(nodes, COST, known):
            value = value_of(nodes, ESTIMATE, known)
            control[REOPENED] += 1
    else:
        value = value_after(estimate, search.scratch.look, child.board, child.before, child.after, row, child.cell)
        if value == WANTED:
            return False
        if value < 0:
            control[DEAD] += 1
        else:
            paid = cost - value_of(nodes, COST, child.parent)
            value = max(value, value_of(nodes, ESTIMATE, child.parent) - paid)
    control[GENERATED] += 1
    if value < 0 or cost + value >= control[BEST]:
        return True
    # 3. Its node, and its bucket; a state that is known leaves its old one.
    if known >= 0 and search.opened.below[known] != OUT:
        take_out(search, known)
    if known < 0:
        known = control[COUNT]
        control[COUNT] += 1
        copy_row(nodes.rows[known], key)
        set_value(nodes, ESTIMATE, known, value)
        enter_state(packing, nodes, slot, known)
    set_value(nodes, COST, known, cost)
    nodes.parent[known] = child.parent
    if len(nodes.turned):
        nodes.turned[known] = turned
    if len(search.rank):
        _rank(estimate, search, row, known, child)
    put_open(search, known)
    if is_goal(task, row):
        control[GOAL] = known
        control[BEST] = cost
    return True


@njit(inner=True)
def _rank(estimate: Estimate, search: AStarSearch, row: Words, index: int, child: GeneratedState) -> None:
    """Find the rank of state `index`, `row`. The push that led to it is a box change if its box stood there already
    before the parent's last push; `progress.before` is that state.
    """
    changes = long(search.rank[child.parent]) & MOST_CHANGES
    if child.before >= 0:
        # The lowest bits of a rank are the number of box changes, `MOST_CHANGES` at most.
        fact = long(estimate.objects.fact[child.before])
        changes += long(search.progress.before[fact >> 6] >> np.uint64(fact & 63) & ONE)
    search.rank[index] = rank_after(search.progress, estimate.objects, row, changes)


@njit(inner=True)
def _counts(control: Longs) -> tuple[int, int, int, int]:
    """The counters of successors: generated, dead, cut, dominated."""
    return control[GENERATED], control[DEAD], control[CUT], control[DOMINATED]


@njit(inner=True)
def _put_back(control: Longs, index: int, counts: tuple[int, int, int, int]) -> int:
    """Let state `index` be expanded anew when its caller has filled the tables that are wanted: it is next.

    Successors that have been entered stay; the next time they are known at their cost, and left alone. What is counted
    of successors is set to `counts`, those from before the state, so that each counts once.
    """
    control[AGAIN] = index
    control[GENERATED], control[DEAD], control[CUT], control[DOMINATED] = counts
    return BOARD


@njit()
def expand_best(task: BitsetTask, estimate: Estimate, search: AStarSearch, quota: int) -> int:
    """Expand at most `quota` states of a task without a walker. Returns MORE, PROVEN, EXHAUSTED or BOARD.

    If `quota` is ROOT, the initial state is only surveyed: returns its board (see `survey_state`).
    """
    nodes, work = search.nodes, search.work
    moves, place_of, useful = estimate.objects.moves, estimate.objects.place, estimate.boards.useful
    compound = len(task.displacement) > 0
    control, look = search.control, search.scratch.look
    state = search.scratch.state
    if quota == ROOT:
        unpack(search.packing, nodes.rows[0], state)
        return survey_state(estimate, look, state, 0)
    for _ in range(quota):
        index = _next(task, search)
        if index < 0:
            return index
        unpack(search.packing, nodes.rows[index], state)
        counts = _counts(control)
        board = survey_state(estimate, look, state, 0)
        if board == WANTED:
            return _put_back(control, index, counts)
        if board < 0:
            continue
        count = successors(task, state, work, -1)
        if count == 1 and search.follows and task.cost[work.operators[0]] == 0:
            steps = follow_forced(task, work.rows[0])
            if steps < 0:
                control[DEAD] += 1
                continue
            control[FORCED] += steps
        for i in range(count):
            op = long(work.operators[i])
            # A compound move is a path of one object: its ends say what has moved, and no single operator does.
            if compound:
                before, after = long(place_of[work.start[i]]), long(place_of[work.position[i]])
                if before < 0 or after < 0:
                    before = after = long(-1)
            else:
                before, after = long(moves[op, 0]), long(moves[op, 1])
                if before >= 0 and not useful[op]:
                    continue
            cost = value_of(nodes, COST, index) + task.cost[op]
            child = GeneratedState(index, board, cost, before, after, long(0))
            if not _enter(task, estimate, search, work.rows[i], child):
                return _put_back(control, index, counts)
    return MORE


@njit()
def expand_pushes(task: BitsetTask, estimate: Estimate, search: AStarSearch, quota: int) -> int:
    """Expand at most `quota` states of a task with a walker. Returns MORE, PROVEN, EXHAUSTED or BOARD; see
    `expand_best`.

    With a walker that walks for nothing (`walk_cost` 0) a state has its normalised cell; otherwise its true one.

    The loop over operators stands here, and not in `successors`: operators that are useless or outside the corral are
    left out before a child is made, which needs the region that the walker is in afterwards.
    """
    nodes, scratch, control, walk_cost = search.nodes, search.scratch, search.control, search.walk_cost
    words, look, state, row = task.words, scratch.look, scratch.state, scratch.row
    moves, useful = estimate.objects.moves, estimate.boards.useful
    if quota == ROOT:
        unpack(search.packing, nodes.rows[0], state)
        return survey_state(estimate, look, state, long(state[words]))
    for _ in range(quota):
        index = _next(task, search)
        if index < 0:
            return index
        # 1. The state: its objects and their assignment, and where the walker gets to.
        unpack(search.packing, nodes.rows[index], state)
        cell = long(state[words])
        counts = _counts(control)
        board = survey_state(estimate, look, state, cell)
        if board == WANTED:
            return _put_back(control, index, counts)
        if board < 0:
            continue
        corral = long(-1)
        if walk_cost:
            walk_distances(task, state, cell, len(scratch.distance), scratch.distance, scratch.stack)
            if search.packing.by_objects:
                newest = long(nodes.table[find_packed(search.packing, nodes, nodes.rows[index])])
                cost = value_of(nodes, COST, index)
                if is_dominated(search.packing, nodes, newest, scratch.distance, walk_cost, cost):
                    control[DOMINATED] += 1
                    control[DROPPED] += 1
                    continue
        else:
            walk_region(task, state, cell, scratch.reached, scratch.stack)
            # 2. A corral: only the pushes of its members need to be expanded.
            if estimate.corrals:
                around = corral_arrays(scratch)
                corral = find_corral(task, estimate.objects, useful, estimate.dead, estimate.corrals, cell, around)
                control[CUT] += corral >= 0
        if len(search.rank):
            before_it = search.progress.before
            if not unpack_before(search.packing, nodes, search.images, index, before_it, scratch.image):
                copy_row(before_it, state)
        # 3. The operators that apply, by the facts that are watched for them.
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + long(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = long(task.watch_ops[i])
                    if not applies(task, op, state):
                        continue
                    behind = task.walk[op, 0]
                    if scratch.distance[behind] < 0 if walk_cost else scratch.reached[behind] == 0:
                        continue
                    before, after = long(moves[op, 0]), long(moves[op, 1])
                    if before >= 0 and (not useful[op] or (corral >= 0 and not scratch.chosen[before])):
                        continue
                    # 4. The child, with the walker's very cell or the first one of its region.
                    apply(task, op, state, row)
                    cost, there = value_of(nodes, COST, index) + task.cost[op], long(task.walk[op, 1])
                    if walk_cost:
                        cost += walk_cost * scratch.distance[behind]
                        row[words] = there
                    else:
                        row[words] = walk_region(task, row, there, scratch.again, scratch.stack)
                    child = GeneratedState(index, board, cost, before, after, there)
                    if not _enter(task, estimate, search, row, child):
                        return _put_back(control, index, counts)
    return MORE
