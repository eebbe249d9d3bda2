"""Compiled kernels that refine a plan until a first operator can be applied.

A plan is a list of facts to be brought about in order, each with the operator that it is for. It is a linked list in
three arrays, so that plans share their ends:

    cell      0            1            2             plan 2: first free r1c5, then A at r1c4, then X at r3c6
    item      X at r3c6    A at r1c4    free r1c5
    purpose   -1           -1           A+1           A+1 requires free r1c5
    rest      -1           0            1
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE, has_bit
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Bytes, Ints, Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from .means import UNREACHED, Means
from .tunables import REFINE

OPERATOR, POSITION = 0, 1
"""The kinds of an alternative: an operator to be applied, or a position to be reached."""

MOST = REFINE.scored

MIX = 0x9E3779B1
"""The number of an attempt is multiplied by this before the number of the alternative is added, so that two attempts
add different noise to the same alternative.
"""

NOISE = np.uint64(REFINE.noise)

TRIES = REFINE.looked_at

UNMET, SPOILT = REFINE.unmet, REFINE.spoilt


class Plans(NamedTuple):
    """The cells of all plans: `item`, `purpose`, `rest`; `used` (1): how many there are; one refinement adds at most
    `most`.
    """

    item: Ints
    purpose: Ints
    rest: Ints
    used: Longs
    most: int


class Pile(NamedTuple):
    """Scratch of one refinement. `attempt`: the seed of the noise that is added to the scores of alternatives; 0 for no
    noise. Attempts with different seeds so try alternatives in different orders.

    `kind`, `what` (MOST), `score` (MOST): the alternatives of a fact. `pile_kind`, `pile_what`, `pile_plan`: those
    that wait, the best on top. `leaf_op`, `leaf_plan`: those found, with the operator that can be applied. `queue`,
    `depth`, `seen` (F): for breadth-first searches; `seen` is 0 between two. `region` (K): cells that the walker
    reaches; `cells`, `from_cell` (K): a search of cells.
    """

    kind: Ints
    what: Ints
    score: Ints
    pile_kind: Ints
    pile_what: Ints
    pile_plan: Ints
    leaf_op: Ints
    leaf_plan: Ints
    queue: Ints
    depth: Ints
    seen: Bytes
    region: Bytes
    cells: Ints
    from_cell: Ints
    attempt: int


def pile_for(facts: int, cells: int, leaves: int) -> Pile:
    """Scratch for a task with `facts` facts and `cells` cells of a walker, and for `leaves` refinements of a plan."""
    cells = max(1, cells)
    return Pile(
        kind=np.zeros(MOST, np.int32),
        what=np.zeros(MOST, np.int32),
        score=np.zeros(MOST, np.int32),
        pile_kind=np.zeros(MOST * (TRIES + 1), np.int32),
        pile_what=np.zeros(MOST * (TRIES + 1), np.int32),
        pile_plan=np.zeros(MOST * (TRIES + 1), np.int32),
        leaf_op=np.zeros(leaves, np.int32),
        leaf_plan=np.zeros(leaves, np.int32),
        queue=np.zeros(facts, np.int32),
        depth=np.zeros(facts, np.int32),
        seen=np.zeros(facts, np.uint8),
        region=np.zeros(cells, np.uint8),
        cells=np.zeros(2 * cells, np.int32),
        from_cell=np.zeros(cells, np.int32),
        attempt=0,
    )


@njit(inner=True)
def cons(plans: Plans, fact: int, purpose: int, rest: int) -> int:
    """The number of a new plan: first `fact`, for the operator `purpose` (-1: the goal), then the plan `rest`."""
    cell = long(plans.used[0])
    plans.item[cell], plans.purpose[cell], plans.rest[cell] = fact, purpose, rest
    plans.used[0] = cell + 1
    return cell


@njit(inner=True)
def planned(plans: Plans, plan: int, fact: int) -> bool:
    """Whether a fact is in a plan: then it must not be planned again (Bird's guard against going round in circles)."""
    while plan >= 0:
        if plans.item[plan] == fact:
            return True
        plan = long(plans.rest[plan])
    return False


@njit(inner=True)
def first_plan(means: Means, plans: Plans, state: Words, pile: Pile) -> int:
    """The plan for the goal: from each clause that does not hold, the fact that an object is nearest to."""
    plan = -1
    for c in range(len(means.goal_first) - 2, -1, -1):
        best, least, holds = -1, 2 * UNREACHED, False
        for i in range(means.goal_first[c], means.goal_first[c + 1]):
            fact = long(means.goal[i])
            holds = holds or has_bit(state, fact)
            away = nearest(means, state, fact, pile)
            if away < least:
                best, least = fact, away
        if not holds:
            plan = cons(plans, best, -1, plan)
    return plan


@njit(inner=True)
def nearest(means: Means, state: Words, fact: int, pile: Pile) -> int:
    """The distance of the nearest object to a position; `UNREACHED` without an object, or if the fact is no
    position.
    """
    least, moved = UNREACHED, long(means.object_of[fact])
    if moved >= 0:
        _find_distances(means, fact, pile)
        for i in range(means.place_first[moved], means.place_first[moved + 1]):
            if has_bit(state, long(means.place[i])):
                least = min(least, means.distance[means.row[fact] + i - means.place_first[moved]])
    return least


@njit(inner=True)
def _find_distances(means: Means, goal: int, pile: Pile) -> None:
    """Fill the row of distances to a position, if that has not been done: breadth-first, backward."""
    if means.ready[goal]:
        return
    means.ready[goal] = 1
    row, moved, number, queue, distance = (
        means.row[goal],
        means.object_of[goal],
        means.number,
        pile.queue,
        means.distance,
    )
    for i in range(means.place_first[moved + 1] - means.place_first[moved]):
        distance[row + i] = UNREACHED
    distance[row + number[goal]] = 0
    queue[0] = goal
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        for i in range(means.in_first[here], means.in_first[here + 1]):
            other = means.in_from[i]
            if distance[row + number[other]] == UNREACHED:
                distance[row + number[other]] = distance[row + number[here]] + 1
                queue[tail] = other
                tail += 1


@njit(inner=True)
def unmet(means: Means, state: Words, op: int) -> int:
    """The number of preconditions of an operator that are false."""
    count = 0
    for i in range(means.pre_first[op], means.pre_first[op + 1]):
        if not has_bit(state, long(means.pre[i])):
            count += 1
    return count


@njit(inner=True)
def spoilt(task: BitsetTask, means: Means, plans: Plans, plan: int, fact: int) -> int:
    """The number of items of a plan whose operator cannot be applied while a fact is true."""
    count = 0
    while plan >= 0:
        op = long(plans.purpose[plan])
        if op >= 0:
            for w in range(task.words):
                if means.excluded[fact, w] & task.pre[op, w]:
                    count += 1
                    break
        plan = long(plans.rest[plan])
    return count


@njit(inner=True)
def _offer(pile: Pile, count: int, kind: int, what: int, score: int) -> int:
    """Insert an alternative among `count`, the dearest first, earlier ones last among equals; gives the new number."""
    if pile.attempt > 0:
        mixed = np.uint64(pile.attempt * MIX + what) * np.uint64(0xFF51AFD7ED558CCD)
        score += long((mixed >> np.uint64(40)) % NOISE)
    if count == len(pile.kind):
        if pile.score[0] <= score:
            return count
        count -= 1
        for i in range(count):
            pile.kind[i], pile.what[i], pile.score[i] = pile.kind[i + 1], pile.what[i + 1], pile.score[i + 1]
    place = count
    while place > 0 and pile.score[place - 1] <= score:
        above = place - 1
        pile.kind[place], pile.what[place], pile.score[place] = pile.kind[above], pile.what[above], pile.score[above]
        place = above
    pile.kind[place], pile.what[place], pile.score[place] = kind, what, score
    return count + 1


@njit(inner=True)
def alternatives(task: BitsetTask, means: Means, plans: Plans, pile: Pile, state: Words, plan: int) -> int:
    """Write the ways to bring about the first item of a plan; gives their number."""
    fact = long(plans.item[plan])
    moved = long(means.object_of[fact])
    count = 0
    # 1. A position: the operators that bring an object nearer.
    if moved >= 0:
        _find_distances(means, fact, pile)
        first, row = means.place_first[moved], means.row[fact]
        for i in range(first, means.place_first[moved + 1]):
            here = long(means.place[i])
            away = long(means.distance[row + i - first])
            if away >= UNREACHED or not has_bit(state, here):
                continue
            for j in range(means.out_first[here], means.out_first[here + 1]):
                op, there = long(means.out_op[j]), long(means.out_to[j])
                left = long(means.distance[row + means.number[there]])
                if left < away:
                    score = UNMET * unmet(means, state, op) + left + SPOILT * spoilt(task, means, plans, plan, there)
                    count = _offer(pile, count, OPERATOR, op, score)
        return count
    # 2. What an object excludes: the nearest positions of that object that do not.
    blocked = False
    for w in range(task.words):
        bits = means.excluded[fact, w] & state[w]
        while bits:
            blocker = (w << 6) + long(trailing_zeros(bits))
            bits &= bits - ONE
            if means.object_of[blocker] >= 0:
                blocked = True
                count = _ways_off(task, means, plans, pile, state, plan, blocker, count)
    # 3. Anything else: operators that add it.
    if not blocked:
        for i in range(means.adder_first[fact], means.adder_first[fact + 1]):
            op = long(means.adder[i])
            count = _offer(pile, count, OPERATOR, op, UNMET * unmet(means, state, op))
    return count


@njit(inner=True)
def _ways_off(
    task: BitsetTask, means: Means, plans: Plans, pile: Pile, state: Words, plan: int, blocker: int, count: int
) -> int:
    """Offer the positions to which the object at `blocker` can get, through such as exclude the first item of a plan,
    that do not exclude it. Breadth-first; it goes on from positions that exclude it only.
    """
    fact, queue, depth, seen = long(plans.item[plan]), pile.queue, pile.depth, pile.seen
    queue[0], depth[0], seen[blocker] = blocker, 0, 1
    head, tail = 0, 1
    while head < tail:
        here, steps = long(queue[head]), long(depth[head])
        head += 1
        if not has_bit(means.excluded[fact], here):
            score = steps + SPOILT * spoilt(task, means, plans, plan, here)
            count = _offer(pile, count, POSITION, here, score + _lacking(means, state, blocker, here))
            continue
        for j in range(means.out_first[here], means.out_first[here + 1]):
            there = long(means.out_to[j])
            if not seen[there]:
                queue[tail], depth[tail], seen[there] = there, steps + 1, 1
                tail += 1
    for i in range(tail):
        seen[queue[i]] = 0
    return count


@njit(inner=True)
def _lacking(means: Means, state: Words, here: int, there: int) -> int:
    """Cost of the unmet preconditions of the best operator from a position to the next one; `UNMET` without such."""
    least = UNMET << 8
    for j in range(means.out_first[here], means.out_first[here + 1]):
        if means.out_to[j] == there:
            least = min(least, UNMET * unmet(means, state, long(means.out_op[j])))
    return least if least < UNMET << 8 else UNMET


@njit(inner=True)
def barring_cell(task: BitsetTask, state: Words, goal: int, pile: Pile) -> int:
    """The cell that bars the walker from another cell: the first that is not free on a way with the fewest such, or -1
    if no way leads there at all.

    Breadth-first from the goal by the number of cells that are not free, until the walker's region is met: `cells` is
    a deque around its middle (a free cell goes to the front, another to the back).
    """
    region, came, deque = pile.region, pile.from_cell, pile.cells
    room = len(deque)
    for cell in range(len(came)):
        came[cell] = -1
    came[goal] = goal
    front, waiting = 0, 1
    deque[0] = goal
    while waiting > 0:
        cell = long(deque[front])
        front = front + 1 if front + 1 < room else 0
        waiting -= 1
        if region[cell]:
            while has_bit(state, long(task.free_bit[cell])) and cell != goal:
                cell = long(came[cell])
            return cell
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = long(task.near[i])
            if came[other] >= 0:
                continue
            came[other] = cell
            if has_bit(state, long(task.free_bit[other])):
                front = front - 1 if front > 0 else room - 1
                deque[front] = other
            else:
                deque[(front + waiting) % room] = other
            waiting += 1
    return -1


@njit(inner=True)
def _required(task: BitsetTask, means: Means, plans: Plans, pile: Pile, state: Words, op: int, plan: int) -> int:
    """A plan with what an operator lacks put in front: the plan itself if it lacks nothing, -1 if that is planned
    already, or if the walker cannot get to it.
    """
    before = plan
    for i in range(means.pre_first[op + 1] - 1, means.pre_first[op] - 1, -1):
        fact = long(means.pre[i])
        if not has_bit(state, fact):
            if planned(plans, before, fact):
                return -1
            plan = cons(plans, fact, op, plan)
    if plan == before and len(task.free_bit) > 0 and not pile.region[task.walk[op, 0]]:
        cell = barring_cell(task, state, long(task.walk[op, 0]), pile)
        if cell < 0 or planned(plans, plan, long(task.free_bit[cell])):
            return -1
        plan = cons(plans, long(task.free_bit[cell]), op, plan)
    return plan


@njit(inner=True)
def refine(task: BitsetTask, means: Means, plans: Plans, pile: Pile, state: Words, plan: int) -> int:
    """Refine a plan of which the first item is not true, until operators can be applied; gives how many were found,
    the best first in `leaf_op`, each with the plan that is left to do (the item that it is for included).

    Depth first: a refinement puts in front of the plan what an operator lacks, or a position that a blocking object
    is to reach; the cheapest alternative comes first. Nothing enters a plan that it is already part of.
    """
    kinds, whats, piled = pile.pile_kind, pile.pile_what, pile.pile_plan
    leaves, height, tries = 0, 0, 0
    while tries < TRIES:
        # 1. All alternatives of the first item, the best on top.
        count = alternatives(task, means, plans, pile, state, plan)
        for i in range(count):
            kinds[height], whats[height], piled[height] = pile.kind[i], pile.what[i], plan
            height += 1
        # 2. The next one that makes a plan.
        plan = -1
        while plan < 0:
            if height == 0 or leaves == len(pile.leaf_op):
                return leaves
            tries += 1
            height -= 1
            what, rest = long(whats[height]), long(piled[height])
            if kinds[height] == POSITION:
                plan = -1 if planned(plans, rest, what) else cons(plans, what, -1, rest)
                continue
            plan = _required(task, means, plans, pile, state, what, rest)
            if plan == rest:  # it lacks nothing
                pile.leaf_op[leaves], pile.leaf_plan[leaves] = what, rest
                leaves += 1
                plan = -1
    return leaves
