"""The compiled kernel of A*, `expand`: packed states in the order of cost plus estimate, with pruning.

A state's estimate is computed once. Dead ends are not kept. Pruning makes the estimates inconsistent, so a state that
is reached at less cost than before is opened again, whether it was expanded or not.

Which of the states of the least total comes next does not matter for the proof.

What they compute, by definition: the least cost of a path of `models.plan.apply` to a goal.
`tests/engines/test_astar.py` holds it against `tests/helpers/reference.py`.
"""

from __future__ import annotations

import numpy as np

from ...analysis.bitset_kernels import ONE, applies, apply, is_goal, walk_distances, walk_region
from ...analysis.bitset_task import BitsetTask
from ...analysis.deadlocks.freeze import WANTED
from ...analysis.estimate import survey_state, value_after
from ...analysis.heuristic import Estimate
from ...runtime.arrays import Ints, Longs
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_calls import njit
from ..common.forced_steps import follow_forced
from ..common.successors import copy_row, operator_successors
from .packed_states import (
    BUCKETS,
    COST,
    ESTIMATE,
    HEAPED,
    NOWHERE,
    OUT,
    PackedStates,
    Packing,
    beside,
    cell_of,
    enter,
    enter_state,
    find_packed,
    least,
    leave,
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
    choose_pushes,
    exchange_objects,
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
def _chosen(search: AStarSearch, bucket: int) -> int:
    """One of the open states of the least total, that of `bucket`, the first of the heap."""
    opened, ranked = search.opened, search.ranked
    # Of eight turns, with ranks, the odd ones go by rank: two of them the best rank, two a rank by chance. The even
    # ones, and without ranks all, rotate over four: the newest state of the least estimate, one of any estimate, the
    # newest again, the oldest. Whatever is taken has the least total: the bound, and so the proof, is the same for all.
    turn = search.control[EXPANDED] & 7
    if len(search.rank) and turn & 1:
        return long(ranked.top[least(ranked) if turn & 2 == 0 else _any_rank(search, opened.total[bucket])])
    turn = turn >> 1 if len(search.rank) else turn & 3
    if turn == ANY_ESTIMATE and search.unit:
        bucket = _any_estimate(search, bucket)
    return long(opened.bottom[bucket] if turn == OLDEST else opened.top[bucket])


@njit(inner=True)
def _put_back(control: Longs, index: int, counts: tuple[int, int, int, int]) -> int:
    """Let state `index` be expanded anew when its caller has filled the tables that are wanted: it is next.

    Successors that have been entered stay; the next time they are known at their cost, and left alone. What is counted
    of successors is set to `counts`, those from before the state, so that each counts once.
    """
    control[AGAIN] = index
    control[GENERATED], control[DEAD], control[CUT], control[DOMINATED] = counts
    return BOARD


@njit(inner=True)
def _pushes(task: BitsetTask, estimate: Estimate, search: AStarSearch, corral: int) -> int:
    """Write the children of the state that is expanded into `work`, for a task with a walker; gives their number.

    As `common.successors`, but operators that are useless, or move no member of the corral, are left out before a child
    is made; the walker's cell in the child is left to the caller.
    """
    scratch, work, walk_cost = search.scratch, search.work, search.walk_cost
    state, moves, useful = scratch.state, estimate.objects.moves, estimate.boards.useful
    count = 0
    for w in range(task.words):
        bits = state[w] & task.watched[w]
        while bits:
            # Each true fact is the watched one of some operators: only these can apply because of it.
            fact = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                op = long(task.watch_ops[i])
                if not applies(task, op, state):
                    continue
                # The walker has to get behind what it pushes.
                behind = task.walk[op, 0]
                if scratch.distance[behind] < 0 if walk_cost else scratch.reached[behind] == 0:
                    continue
                before = long(moves[op, 0])
                if before >= 0 and (not useful[op] or (corral >= 0 and not scratch.chosen[before])):
                    continue
                apply(task, op, state, work.rows[count])
                work.steps[count] = op
                count += 1
    return count


@njit(inner=True)
def expand(task: BitsetTask, estimate: Estimate, search: AStarSearch, quota: int) -> int:  # noqa: C901 (in one piece)
    """Expand at most `quota` states, each from its pop to the push of its successors. Returns what its caller has to
    see to: MORE, PROVEN, EXHAUSTED, BOARD or LOOK (`tables`).

    A walker that walks for nothing (`walk_cost` 0) is in the first cell of its region in each state; otherwise in its
    true one.
    """
    nodes, packing, opened, control = search.nodes, search.packing, search.opened, search.control
    scratch, work, walk_cost, walker = search.scratch, search.work, search.walk_cost, len(task.free_bit) > 0
    words, look, state, key = task.words, scratch.look, scratch.state, scratch.key
    moves, place_of, useful = estimate.objects.moves, estimate.objects.place, estimate.boards.useful
    compound, ranks = len(task.displacement) > 0 and not walker, len(search.rank) > 0
    for _ in range(quota):
        # 1. Pop an open state of the least total f = g + h. Before that comes one that was put back for the tables of
        #    its board, or has just been looked at.
        index = long(control[AGAIN])
        control[AGAIN] = -1
        if index < 0:
            # There must be room for its successors, and a bucket more: a state that is looked at may go back into one.
            if control[COUNT] + task.most > len(nodes.rows) or opened.sizes[BUCKETS] + task.most >= len(opened.top):
                return MORE
            if ranks and search.ranked.sizes[BUCKETS] + task.most >= len(search.ranked.top):
                return MORE
            index = long(control[LOOKED_AT])
            control[LOOKED_AT] = -1
        if index < 0:
            bucket = least(opened)
            total = opened.total[bucket] if bucket >= 0 else long(NONE)
            # 2. The proof: each plan yet to be found goes through an open state, and so costs f or more.
            if total >= control[BEST]:
                return EXHAUSTED if control[BEST] == NONE else PROVEN
            index = _chosen(search, bucket)
            take_out(search, index)
            control[BOUND] = max(control[BOUND], total)
            control[EXPANDED] += 1
            # 3. What takes longer than an estimate is asked only now, of states that would be expanded: late bounds,
            #    deadlock searches, larger conflicts (`recheck_before_expansion`).
            if search.looks and not (len(nodes.looked) and nodes.looked[index]):
                control[LOOKED_AT] = index
                return LOOK
        # 4. Survey the state: its objects and their assignment on its board. It is dead if nothing can be assigned.
        unpack(packing, nodes.rows[index], state)
        cell, paid = long(state[words]) if walker else long(0), value_of(nodes, COST, index)
        counts = control[GENERATED], control[DEAD], control[CUT], control[DOMINATED]
        board = survey_state(estimate, look, state, cell)
        if board == WANTED:
            return _put_back(control, index, counts)
        if board < 0:
            continue
        # 5. Where the walker gets to, and how far that is. Another state may dominate this one since it was pushed; of
        #    a corral only the pushes of its members need to be expanded.
        corral = long(-1)
        if walk_cost:
            walk_distances(task, state, cell, len(scratch.distance), scratch.distance, scratch.stack)
            if packing.by_objects:
                newest = long(nodes.table[find_packed(packing, nodes, nodes.rows[index])])
                if is_dominated(packing, nodes, newest, scratch.distance, walk_cost, paid):
                    control[DOMINATED] += 1
                    control[DROPPED] += 1
                    continue
        elif walker:
            walk_region(task, state, cell, scratch.reached, scratch.stack)
            if search.progress.prunes:
                corral = choose_pushes(search.progress, estimate.objects, look.at, cell, scratch.chosen)
                control[CUT] += corral >= 0
        if ranks:
            before_it = search.progress.before
            if not unpack_before(packing, nodes, search.images, index, before_it, scratch.image):
                copy_row(before_it, state)
        # 6. The successors. One alone, by a free step, is followed to the next choice (`common.forced_steps`).
        count = _pushes(task, estimate, search, corral) if walker else operator_successors(task, state, work, -1)
        if count == 1 and search.follows and task.cost[work.steps[0]] == 0:
            steps = follow_forced(task, work.rows[0])
            if steps < 0:
                control[DEAD] += 1
                continue
            control[FORCED] += steps
        for i in range(count):
            # 7. What has moved, from which place to which (-1: no object), what that costs, and where the walker is.
            row, op = work.rows[i], long(work.steps[i])
            before, after = long(moves[op, 0]), long(moves[op, 1])
            if compound:
                # A path of one object: its ends say what has moved, and no single operator does.
                before, after = long(place_of[work.start[i]]), long(place_of[work.position[i]])
                if before < 0 or after < 0:
                    before = after = long(-1)
            elif before >= 0 and not useful[op]:
                continue
            cost, there = paid + task.cost[op], long(0)
            if walker:
                there = long(task.walk[op, 1])
                if walk_cost:
                    cost += walk_cost * scratch.distance[task.walk[op, 0]]
                    row[words] = there
                else:
                    row[words] = walk_region(task, row, there, scratch.again, scratch.stack)
            # 8. Look the successor up, by the canonical one of its symmetric images.
            pack(packing, row, key)
            turned = long(0)
            if search.images.exchanges:
                copy_row(scratch.row, row)
                turned = exchange_objects(packing, search.images, scratch.row, key, scratch.image)
            elif len(search.images.fact):
                turned = to_canonical(packing, search.images, row, scratch.again, key, scratch.image)
            slot = find_packed(packing, nodes, key)
            newest = known = long(nodes.table[slot])
            if packing.by_objects and known >= 0:
                # All states with the same objects share a slot, whatever the walker's cell. From the cheapest of them
                # the walker could have walked here for the difference in cost: `steps` is how far.
                known, cheapest, other = long(-1), value_of(nodes, COST, newest), newest
                while other >= 0:
                    if cell_of(packing, nodes.rows[other]) == there:
                        known = other
                    cheapest = min(cheapest, value_of(nodes, COST, other))
                    other = long(nodes.older[other])
                steps = (cost - cheapest) // walk_cost
                if steps > 0:
                    walk_distances(task, row, there, steps, scratch.onward, scratch.stack)
                    if is_dominated(packing, nodes, newest, scratch.onward, walk_cost, cost):
                        control[GENERATED] += 1
                        control[DOMINATED] += 1
                        continue
            # 9. Its estimate h. A state that is known keeps its own, and is opened again if this way is cheaper; a new
            #    one needs at least what its parent needs, less what was paid since (pathmax).
            value = long(-1)
            if known >= 0:
                if cost < value_of(nodes, COST, known):
                    value = value_of(nodes, ESTIMATE, known)
                    control[REOPENED] += 1
            else:
                value = value_after(estimate, look, board, before, after, row, there)
                if value == WANTED:
                    return _put_back(control, index, counts)
                if value < 0:
                    control[DEAD] += 1
                else:
                    value = max(value, value_of(nodes, ESTIMATE, index) - (cost - paid))
            control[GENERATED] += 1
            if value < 0 or cost + value >= control[BEST]:
                continue
            # 10. Its node; a known state that is open leaves its old bucket.
            if known < 0:
                known = control[COUNT]
                control[COUNT] += 1
                copy_row(nodes.rows[known], key)
                set_value(nodes, ESTIMATE, known, value)
                enter_state(packing, nodes, slot, known)
            elif opened.below[known] != OUT:
                take_out(search, known)
            set_value(nodes, COST, known, cost)
            nodes.parent[known] = index
            if len(nodes.turned):
                nodes.turned[known] = turned
            if ranks:
                # A push is a box change if its box stood there already before the parent's last push. The lowest bits
                # of a rank are the number of box changes, `MOST_CHANGES` at most.
                changes = long(search.rank[index]) & MOST_CHANGES
                if before >= 0:
                    fact = long(estimate.objects.fact[before])
                    changes += long(search.progress.before[fact >> 6] >> np.uint64(fact & 63) & ONE)
                search.rank[known] = rank_after(search.progress, estimate.objects, row, changes)
            # 11. Push it. A goal is a plan from now on: what leads to no cheaper one is not pushed any more.
            put_open(search, known)
            if is_goal(task, row):
                control[GOAL] = known
                control[BEST] = cost
    return MORE
