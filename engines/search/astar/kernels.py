"""Compiled kernels of A*: expanding packed states in the order of cost plus estimate, with pruning.

A state's estimate is computed once. Dead ends are not kept. Pruning makes the estimates inconsistent, so a state that
is reached at less cost than before is opened again, whether it was expanded or not.

Which of the states of the least total comes next does not matter for the proof, but it does for how soon a plan is
found among them. The newest one of the least estimate leads straight to the goal, or into a dead end that takes a
million states to leave. So every other turn is another state's: one of an estimate drawn by chance (after Xie, Müller,
Holte and Imai, *Type-based exploration with multiple search queues for satisficing planning*, AAAI 2014), or the oldest
one of the least estimate. Of XSokoban's levels 3, 4, 51, 53, 55 and 78 each single order leaves one or two unsolved.

What they compute, by definition: the least cost of a path of `models.plan.apply` to a goal. `tests/test_astar.py` holds
it against `tests/reference.py`.
"""

from __future__ import annotations

from typing import NamedTuple

from ....analysis.bitset_kernels import ONE, applies, apply, is_goal, walk_distances, walk_region
from ....analysis.bitset_task import BitsetTask
from ....analysis.deadlocks.corrals import Corral, find_corral
from ....analysis.deadlocks.freeze import WANTED
from ....analysis.deadlocks.tables import sort_places
from ....analysis.estimate import Estimate, Look, survey, value_after
from ....analysis.tunnels import may_be_inside, push_on
from ....analysis.walk_potentials import walk_value
from ....analysis.walk_sets import walk_set_value
from ....runtime.arrays import Bytes, Ints, Longs, Words
from ....runtime.bitops import long, trailing_zeros
from ....runtime.kernel_cache import njit
from ..states.successors import Workspace, copy_row, successors
from .open_states import BUCKETS, OUT, OpenStates, beside, enter, least, leave
from .packed_states import COST, ESTIMATE, PackedStates, Packing, find_packed, pack, set_value, unpack, value_of

COUNT, WAITING, EXPANDED, GENERATED, REOPENED, DEAD, CUT = range(7)
"""Entries of `Search.control` that are told: states, open ones, states that left the queue, successors generated,
states opened again, dead ends met, states in which a corral left out pushes."""

GOAL, BEST, BOUND, AGAIN, CHANCE, LOOKED_AT, DROPPED = range(7, 14)
"""More of them: the cheapest goal state met or -1, the cost that counts (that state's, or that of a plan that others
have found: then the state is -1; `NONE` without a plan), the proven bound, a state that has to be expanded once more,
or -1, the last random number, a state that has left its bucket and is looked at once more, or -1, and how many of those
were not expanded."""

CONTROLS = 14

NONE = 1 << 62
"""More than any cost."""

MORE, PROVEN, EXHAUSTED, BOARD, LOOK = -1, -2, -3, -4, -5
"""What a kernel returns: there is more to expand, when there is time or room; no plan is cheaper than the best cost; no
state is open and there is no plan; the tables of a board are wanted (`add_board`); the state `LOOKED_AT` has to be
looked at once more before it is expanded (`box_deadlocks.drop_dead`, `larger_conflicts.raise_estimates`)."""

ANY_ESTIMATE, OLDEST = 1, 3
"""Turns, out of four, in which another state of the least total is taken than the newest one of the least estimate."""

ROOT = -1
"""In place of a quota: survey the initial state, and expand nothing."""


class Scratch(NamedTuple):
    """Scratch arrays: of the state that is expanded, a successor and its packed form, of walker's cells (K), of places
    (P), and for the estimates.
    """

    state: Words
    row: Words
    key: Words
    reached: Bytes
    again: Bytes
    stack: Ints
    distance: Ints
    label: Ints
    corral: Bytes
    chosen: Bytes
    some: Longs
    look: Look


class Search(NamedTuple):
    """What a search works on. `packing`: of its states. `looks`: 1 if a state is looked at once more before it is
    expanded, see `LOOK`. A step of the walker costs `walk_cost`; `shift`: see `key_of`.
    """

    packing: Packing
    nodes: PackedStates
    opened: OpenStates
    work: Workspace
    scratch: Scratch
    control: Longs
    looks: int
    walk_cost: int
    shift: int


class Child(NamedTuple):
    """How a successor is reached: from node `parent` on board `board`, at `cost` from the initial state.

    An object went from place `before` to place `after` (-1: none did), and the walker is in `cell`.
    """

    parent: int
    board: int
    cost: int
    before: int
    after: int
    cell: int


@njit(inner=True, inline="always")
def key_of(total: int, value: int, shift: int) -> int:
    """The order of open states: the total, then (where there is room for it, `shift` is not 0) the estimate.

    With shift 32: a state of total 5 and estimate 2 has the key 5 << 32 | 2, before one of total 5 and estimate 3.
    """
    return (total << shift) | value if shift else total


@njit(inner=True)
def _any_estimate(search: Search, key: int) -> int:
    """The key (f, h') of a bucket that is not empty, for a key (f, h): h' is drawn by chance from h to the estimate of
    the initial state. The key itself if that bucket is empty.
    """
    control, mask = search.control, (1 << search.shift) - 1
    control[CHANCE] = (control[CHANCE] * 1103515245 + 12345) & 0x7FFFFFFF  # a linear congruential generator
    more = value_of(search.nodes, ESTIMATE, 0) - (key & mask)
    other = key + (control[CHANCE] >> 8) % (more + 1) if more > 0 else key
    return other if beside(search.opened, other) >= 0 else key


@njit(inner=True)
def _next(task: BitsetTask, estimate: Estimate, search: Search) -> int:
    """The open state to expand next, which has left its bucket; MORE: there is no room for its successors; PROVEN,
    EXHAUSTED; LOOK.
    """
    nodes, opened, control = search.nodes, search.opened, search.control
    if control[AGAIN] >= 0:
        index = long(control[AGAIN])
        control[AGAIN] = -1
        return index
    while True:
        if control[COUNT] + task.most > len(nodes.rows) or opened.sizes[BUCKETS] + task.most >= len(opened.key):
            return MORE  # a bucket more than for its successors: a state that is looked at may go back into one
        index = long(control[LOOKED_AT])
        if index >= 0:
            control[LOOKED_AT] = -1
            return index
        index = _take(search)
        if index < 0:
            return index
        if estimate.walks.unit and _waits(estimate, search, index):
            continue
        if not search.looks:
            return index
        control[LOOKED_AT] = index
        return LOOK


@njit(inner=True)
def _waits(estimate: Estimate, search: Search, index: int) -> bool:
    """Whether a state that has left its bucket gets a larger estimate, by functions that were found after it was met or
    by sets of objects. Then it waits again; or it is dropped, if it is dead or leads to no better plan.
    """
    objects, nodes, control, at = estimate.objects, search.nodes, search.control, search.scratch.look.at
    mask, place, row, count = objects.mask, objects.place, search.scratch.state, 0
    unpack(search.packing, nodes.rows[index], row)
    for w in range(len(mask)):
        bits = row[w] & mask[w]
        while bits:
            at[count] = place[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            count += 1
    cell = long(row[len(mask)])
    value = walk_value(estimate.walks, at, cell)
    if estimate.walk_sets.unit:
        sort_places(at)
        other = walk_set_value(estimate.walk_sets, at, cell)
        value = other if other < 0 else max(value, other)
    if 0 <= value <= value_of(nodes, ESTIMATE, index):
        return False
    set_value(nodes, ESTIMATE, index, value)
    control[DROPPED] += 1
    total = value_of(nodes, COST, index) + value
    if value >= 0 and total < control[BEST]:
        enter(search.opened, key_of(total, value, search.shift), index)
        control[WAITING] += 1
    return True


@njit(inner=True)
def _take(search: Search) -> int:
    """Take an open state of the least total out of its bucket; PROVEN, EXHAUSTED."""
    opened, control, shift = search.opened, search.control, search.shift
    bucket = least(opened)
    if bucket < 0:
        return EXHAUSTED if control[BEST] == NONE else PROVEN
    key = opened.key[bucket]
    total = key >> shift
    if total >= control[BEST]:
        return PROVEN
    turn = control[EXPANDED] & 3
    if turn == ANY_ESTIMATE and shift:
        key = _any_estimate(search, key)
        bucket = beside(opened, key)
    index = long(opened.bottom[bucket] if turn == OLDEST else opened.top[bucket])
    leave(opened, key, index)
    control[WAITING] -= 1
    control[BOUND] = max(control[BOUND], total)
    control[EXPANDED] += 1
    return index


@njit(inner=True)
def _enter(task: BitsetTask, estimate: Estimate, search: Search, row: Words, child: Child) -> bool:
    """Enter a successor, `row`, unless it is known at this cost or less, a dead end, or leads to no better plan.

    False if its board has no tables yet: then nothing has been done.
    """
    nodes, control, cost, key = search.nodes, search.control, child.cost, search.scratch.key
    # 1. Its estimate. A state that is known keeps its own; a new one needs at least what its parent needs, less what
    #    was paid since (pathmax).
    pack(search.packing, row, key)
    slot = find_packed(nodes.rows, nodes.table, key)
    known = long(nodes.table[slot])
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
    # 2. Its node, and its bucket; a state that is known leaves its old one.
    if known >= 0 and search.opened.below[known] != OUT:
        leave(search.opened, key_of(value_of(nodes, COST, known) + value, value, search.shift), known)
        control[WAITING] -= 1
    if known < 0:
        known = control[COUNT]
        control[COUNT] += 1
        copy_row(nodes.rows[known], key)
        set_value(nodes, ESTIMATE, known, value)
        nodes.table[slot] = known
    set_value(nodes, COST, known, cost)
    nodes.parent[known] = child.parent
    enter(search.opened, key_of(cost + value, value, search.shift), known)
    control[WAITING] += 1
    if is_goal(task, row):
        control[GOAL] = known
        control[BEST] = cost
    return True


@njit(inner=True)
def _put_back(control: Longs, index: int, generated: int, dead: int, cut: int) -> int:
    """Let state `index` be expanded anew when its caller has filled the tables that are wanted: it is next.

    Successors that have been entered stay; the next time they are known at their cost, and left alone. The counts are
    set to those from before the state, so that each successor counts once.
    """
    control[AGAIN] = index
    control[GENERATED], control[DEAD], control[CUT] = generated, dead, cut
    return BOARD


@njit(cache=True)
def expand_best(task: BitsetTask, estimate: Estimate, search: Search, quota: int) -> int:
    """Expand at most `quota` states of a task without a walker. Returns MORE, PROVEN, EXHAUSTED or BOARD.

    If `quota` is ROOT, the initial state is only surveyed: returns its board (see `survey`).
    """
    nodes, work = search.nodes, search.work
    moves, place_of, useful = estimate.objects.moves, estimate.objects.place, estimate.boards.useful
    compound = len(task.displacement) > 0
    control, look = search.control, search.scratch.look
    state = search.scratch.state
    if quota == ROOT:
        unpack(search.packing, nodes.rows[0], state)
        return survey(estimate, look, state, 0)
    for _ in range(quota):
        index = _next(task, estimate, search)
        if index < 0:
            return index
        unpack(search.packing, nodes.rows[index], state)
        made, dead, cut = control[GENERATED], control[DEAD], control[CUT]
        board = survey(estimate, look, state, 0)
        if board == WANTED:
            return _put_back(control, index, made, dead, cut)
        if board < 0:
            continue
        for i in range(successors(task, state, work, -1)):
            op = long(work.operators[i])
            if compound:
                before, after = long(place_of[work.start[i]]), long(place_of[work.position[i]])
                if before < 0 or after < 0:
                    before = after = long(-1)
            else:
                before, after = long(moves[op, 0]), long(moves[op, 1])
                if before >= 0 and not useful[op]:
                    continue
            cost = value_of(nodes, COST, index) + task.cost[op]
            child = Child(index, board, cost, before, after, long(0))
            if not _enter(task, estimate, search, work.rows[i], child):
                return _put_back(control, index, made, dead, cut)
    return MORE


@njit(cache=True)
def expand_pushes(task: BitsetTask, estimate: Estimate, search: Search, quota: int) -> int:
    """Expand at most `quota` states of a task with a walker. Returns MORE, PROVEN, EXHAUSTED or BOARD; see
    `expand_best`.

    With a walker that walks for nothing (`walk_cost` 0) a state has its normalised cell; otherwise its true one.

    The loop over operators stands here, and not in `successors`: operators that are useless or outside the corral are
    left out before a child is made, which needs the region that the walker is in afterwards.
    """
    nodes, scratch, control, walk_cost = search.nodes, search.scratch, search.control, search.walk_cost
    words, look, state, row = task.words, scratch.look, scratch.state, scratch.row
    moves, useful, tunnels = estimate.objects.moves, estimate.boards.useful, estimate.tunnels
    if quota == ROOT:
        unpack(search.packing, nodes.rows[0], state)
        return survey(estimate, look, state, long(state[words]))
    for _ in range(quota):
        index = _next(task, estimate, search)
        if index < 0:
            return index
        # 1. The state: its objects and their assignment, and where the walker gets to.
        unpack(search.packing, nodes.rows[index], state)
        cell = long(state[words])
        made, dead, cut = control[GENERATED], control[DEAD], control[CUT]
        board = survey(estimate, look, state, cell)
        if board == WANTED:
            return _put_back(control, index, made, dead, cut)
        if board < 0:
            continue
        corral, only = long(-1), long(-1)
        if walk_cost:
            walk_distances(task, state, cell, scratch.distance, scratch.stack)
        else:
            walk_region(task, state, cell, scratch.reached, scratch.stack)
            # 2. The push that has to follow the last one; or a corral: only the pushes of its members need to be
            #    expanded.
            if may_be_inside(tunnels, state) and nodes.parent[index] >= 0:
                unpack(search.packing, nodes.rows[nodes.parent[index]], row)
                only = push_on(tunnels, task, estimate.objects, state, row)
            if estimate.corrals and only < 0:
                around = Corral(
                    at=look.at,
                    occupied=look.occupied,
                    reached=scratch.reached,
                    label=scratch.label,
                    role=scratch.corral,
                    region=scratch.again,
                    stack=scratch.stack,
                    best=scratch.chosen,
                    some=scratch.some,
                    standing=look.standing,
                    picked=look.chosen,
                )
                corral = find_corral(task, estimate.objects, useful, estimate.dead, estimate.corrals, cell, around)
                control[CUT] += corral >= 0
        # 3. The operators that apply, by the facts that are watched for them.
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + long(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = long(task.watch_ops[i])
                    if only >= 0 and op != only:
                        continue
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
                    child = Child(index, board, cost, before, after, there)
                    if not _enter(task, estimate, search, row, child):
                        return _put_back(control, index, made, dead, cut)
    return MORE
