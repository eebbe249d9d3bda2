"""How far it seems to be from a state to the goal: the length of a relaxed plan, and what objects with goals of their
own have to go. Estimates for greedy search, and no bounds. `tests/engines/test_greedy.py` holds them against their
definitions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE, has_bit
from ...runtime.arrays import Bytes, Ints, Longs, Words, zeros
from ...runtime.bitops import HASH_SEED, hash_word, long, trailing_zeros
from ...runtime.kernel_calls import njit
from .successors import OperatorForm

FAR = 1 << 24
"""Stands for a goal that cannot be reached: more than any estimate."""

SEEN_BITS = 24
"""There are 2^24 bits in the table of what was seen: 2 MiB. Of two states that share one the second is not new."""

DEAREST = (1 << 12) - 1
"""The largest cost of a fact that can be reached; a larger one counts as this."""


class Estimator(NamedTuple):
    """Arrays of the estimate, for F facts, N operators, S sets of movable objects with goals of their own.

    `price` (N): what an operator counts, at least 1. `pre_first` (N+1), `pre`: what operators require; `add_first`,
    `add`: what they make true; `use_first` (F+1), `use`: the operators that require a fact; `goal_first` (C+1), `goal`:
    the clauses; `heads_for` (C): 1 for a clause that is to be reached, 0 for one that only has to stay within reach;
    `in_goal` (F): facts of a clause. `object_first` (S+1), `object`: the facts of a set that say where its
    objects are; `away_first` (S+1), `away` (, F): a row for each of its goals, the steps of one object alone from each
    fact to there. `alone` (F): the same of objects that are the only ones of their sets, for their only goals.
    `all_objects`: every operator moves an object of these sets; then their distances say more than relaxed plans, which
    are left out. `prefers`: whether there are preferred operators.
    """

    price: Ints
    pre_first: Ints
    pre: Ints
    add_first: Ints
    add: Ints
    use_first: Ints
    use: Ints
    goal_first: Ints
    goal: Ints
    heads_for: Bytes
    in_goal: Bytes
    object_first: Ints
    object: Ints
    away_first: Ints
    away: Ints
    alone: Ints
    all_objects: int
    prefers: int


class EstimateScratch(NamedTuple):
    """Scratch arrays of the estimate.

    `cost`, `by` (F): the cost of a fact and the operator that adds it most cheaply, -1 if none is needed. `unmet`,
    `total` (N): how many facts an operator still waits for, and its price plus the cost of the others. Facts that wait
    stand in buckets by their cost: `bucket` (DEAREST + 1) is the first entry of each, -1 if it is empty; `entry`,
    `following`: the fact of an entry and the entry after it. `plan` (N): the operators of the relaxed plan; `in_plan`
    (N): 1 for these, 0 between two calls. `stack` (F), `taken` (F). `wanted` (words): the facts that the relaxed plan
    achieves; `far` (1): the estimate that goes with it, of the state that is expanded. `seen`: a bit for each hash of
    the facts of a state that are told apart (`is_new`).
    """

    cost: Longs
    by: Ints
    unmet: Ints
    total: Longs
    bucket: Ints
    entry: Ints
    following: Ints
    plan: Ints
    in_plan: Bytes
    stack: Ints
    taken: Bytes
    wanted: Words
    far: Longs
    seen: Words


def scratch_for(estimator: Estimator, words: int) -> EstimateScratch:
    """Scratch arrays of the estimate of a task whose states have `words` words."""
    facts, operators = len(estimator.use_first) - 1, len(estimator.pre_first) - 1
    return zeros(
        EstimateScratch,
        facts,
        **dict.fromkeys(("unmet", "total", "plan", "in_plan"), operators),
        **dict.fromkeys(("entry", "following"), facts + len(estimator.add)),
        wanted=words,
        bucket=np.full(DEAREST + 1, -1, np.int32),
        far=np.ones(1, np.int64),
        seen=1 << (SEEN_BITS - 6),
    )


@njit(inner=True)
def additive(estimator: Estimator, state: Words, scratch: EstimateScratch) -> int:
    """h^add (Bonet and Geffner, *Planning as heuristic search*, 2001): the cost of the goal's clauses, added up.

    The cost of a fact is that of the cheapest operator that adds it: its price, and the costs of all that it requires,
    as if nothing were ever deleted:

        cost(f) = 0 if f is true,  else min over operators o that add f of  price(o) + sum of cost(p) for p in pre(o)

    `FAR` if a clause cannot become true at all. As in Dijkstra's algorithm, facts are settled in the order of their
    costs, each once, and an operator is looked at once for each fact that it requires; it ends when the goal is settled
    (Liu, Koenig, Furcy, *Speeding up the calculation of heuristics for heuristic search-based planning*, AAAI 2002,
    call it the generalized Dijkstra method).
    """
    cost, by, unmet, total = scratch.cost, scratch.by, scratch.unmet, scratch.total
    bucket, entry, following = scratch.bucket, scratch.entry, scratch.following
    pre_first, add_first, add = estimator.pre_first, estimator.add_first, estimator.add
    use_first, use, in_goal = estimator.use_first, estimator.use, estimator.in_goal
    # 1. What is true costs nothing; what needs nothing costs its operator's price.
    # A bucket queue: bucket[v] is the newest entry of cost v, following[e] the one behind it, -1 the end. A fact that
    # gets cheaper is entered once more.
    entries, last = 0, 1
    for fact in range(len(cost)):
        cost[fact], by[fact] = FAR, -1
        if has_bit(state, fact):
            cost[fact] = 0
            entry[entries], following[entries], bucket[0] = fact, bucket[0], entries
            entries += 1
    for op in range(len(unmet)):
        unmet[op], total[op] = pre_first[op + 1] - pre_first[op], estimator.price[op]
        if unmet[op] == 0:
            dear = min(total[op], DEAREST)
            for j in range(add_first[op], add_first[op + 1]):
                if cost[add[j]] > dear:
                    cost[add[j]], by[add[j]] = dear, op
                    entry[entries], following[entries], bucket[dear] = add[j], bucket[dear], entries
                    entries += 1
                    last = max(last, dear)
    # 2. Settle facts, the cheapest first. The entry of a fact that has got cheaper since stays, and is passed over.
    here, settled = 0, False
    while here <= last and not settled:
        number = long(bucket[here])
        if number < 0:
            here += 1
            continue
        bucket[here] = following[number]
        fact = long(entry[number])
        if cost[fact] != here:
            continue
        if in_goal[fact]:
            settled = goal_cost(estimator, cost, here) < FAR
        for i in range(use_first[fact], use_first[fact + 1]):
            op = long(use[i])
            unmet[op] -= 1
            total[op] += here
            if unmet[op] > 0:
                continue
            # The last precondition is settled: total[op], its price and all their costs, is what the added facts cost.
            dear = min(total[op], DEAREST)
            for j in range(add_first[op], add_first[op + 1]):
                other = add[j]
                if dear < cost[other]:
                    cost[other], by[other] = dear, op
                    entry[entries], following[entries], bucket[dear] = other, bucket[dear], entries
                    entries += 1
                    last = max(last, dear)
    for number in range(here, last + 1):
        bucket[number] = -1
    # 3. The goal.
    return goal_cost(estimator, cost, DEAREST)


@njit(inner=True)
def goal_cost(estimator: Estimator, cost: Longs, most: int) -> int:
    """The sum over the clauses of their cheapest fact; `FAR` if one has no fact that costs at most `most`."""
    sum_ = 0
    for c in range(len(estimator.goal_first) - 1):
        least = FAR
        for i in range(estimator.goal_first[c], estimator.goal_first[c + 1]):
            least = min(least, cost[estimator.goal[i]])
        if least > most:
            return FAR
        sum_ += least
    return sum_


@njit(inner=True)
def relaxed_plan(estimator: Estimator, scratch: EstimateScratch) -> int:
    """The price of the operators of a relaxed plan, after `additive` has found the goal within reach; `wanted` are then
    the facts that they achieve.

    Backward from the goal, for each fact the operator that adds it most cheaply, each operator once (Hoffmann and
    Nebel, *The FF planning system*, 2001; the operators by h^add: Keyder and Geffner, *Heuristics for planning with
    action costs revisited*, ECAI 2008). What two goals share is counted once, where h^add counts it twice.
    """
    cost, by, plan, in_plan = scratch.cost, scratch.by, scratch.plan, scratch.in_plan
    stack, wanted, pre_first, pre = scratch.stack, scratch.wanted, estimator.pre_first, estimator.pre
    # 1. The clause of the goal: of each group of alternatives the cheapest fact is wanted.
    for w in range(len(wanted)):
        wanted[w] = 0
    height = 0
    for c in range(len(estimator.heads_for)):
        if not estimator.heads_for[c]:
            continue
        best = estimator.goal[estimator.goal_first[c]]
        for i in range(estimator.goal_first[c], estimator.goal_first[c + 1]):
            if cost[estimator.goal[i]] < cost[best]:
                best = estimator.goal[i]
        height = _want(long(best), cost, wanted, stack, height)
    # 2. For each fact that is wanted the operator that adds it, once; its conditions are wanted, too.
    count, price = 0, 0
    while height > 0:
        height -= 1
        op = long(by[stack[height]])
        if in_plan[op]:
            continue
        in_plan[op] = 1
        plan[count] = op
        count += 1
        price += estimator.price[op]
        for j in range(pre_first[op], pre_first[op + 1]):
            height = _want(long(pre[j]), cost, wanted, stack, height)
    for i in range(count):
        in_plan[plan[i]] = 0
    return price


@njit(inner=True)
def _want(fact: int, cost: Longs, wanted: Words, stack: Ints, height: int) -> int:
    """Put a fact that is not true on the stack, once; gives the new height."""
    bit = ONE << np.uint64(fact & 63)
    if cost[fact] > 0 and not wanted[fact >> 6] & bit:
        wanted[fact >> 6] |= bit
        stack[height] = fact
        height += 1
    return height


@njit(inner=True)
def distances(estimator: Estimator, state: Words, taken: Bytes) -> int:
    """For each set of objects that all have to reach goals of their own: what each goal's nearest one has to go.

    An object serves one goal; `FAR` if one can reach no goal. Greedily, so no bound: goals are served in their order.
    """
    sum_ = 0
    for w in range((len(estimator.alone) + 63) >> 6):  # a walker's cell stands behind them
        bits = state[w]
        while bits:
            sum_ += estimator.alone[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
    if sum_ >= FAR:
        return FAR
    for s in range(len(estimator.object_first) - 1):
        first, last = estimator.away_first[s], estimator.away_first[s + 1]
        # 1. The objects, at the facts that are true (not `taken`): each must reach some goal.
        for i in range(estimator.object_first[s], estimator.object_first[s + 1]):
            fact = estimator.object[i]
            taken[fact] = 1
            if has_bit(state, fact):
                taken[fact] = 0
                least = FAR
                for g in range(first, last):
                    least = min(least, estimator.away[g, fact])
                if least >= FAR:
                    return FAR
        # 2. Each goal takes the nearest object that is left.
        for g in range(first, last):
            least, nearest = FAR, -1
            for i in range(estimator.object_first[s], estimator.object_first[s + 1]):
                fact = estimator.object[i]
                if not taken[fact] and estimator.away[g, fact] < least:
                    least, nearest = estimator.away[g, fact], fact
            if nearest < 0:  # a better choice of objects may serve all goals
                least = 2 * len(taken)
            else:
                taken[nearest] = 1
            sum_ += least
    return sum_


@njit(inner=True)
def estimate(estimator: Estimator, state: Words, scratch: EstimateScratch) -> int:
    """The estimated distance to the goal: that of the objects to their goals, plus a relaxed plan if more has to be
    reached.
    """
    far = distances(estimator, state, scratch.taken)
    if estimator.all_objects or far >= FAR:
        return far
    return far + relaxed_plan(estimator, scratch) if additive(estimator, state, scratch) < FAR else FAR


@njit(inner=True)
def is_reached(estimator: Estimator, row: Words) -> bool:
    """Whether the clauses hold that a search heads for."""
    for c in range(len(estimator.heads_for)):
        met = not estimator.heads_for[c]
        for i in range(estimator.goal_first[c], estimator.goal_first[c + 1]):
            met = met or has_bit(row, estimator.goal[i])
        if not met:
            return False
    return True


# Where estimates are relaxed plans they are *deferred* (Helmert, *The Fast Downward planning system*, 2006): a state
# waits with that of its parent, and has its own when it is expanded. Of the forty successors of a state on a large
# board most never are. Those that make true what the parent's relaxed plan achieves (*helpful actions* or *preferred
# operators*) come first: the others count as some steps farther away.


class RelaxedTables(NamedTuple):
    """What greedy search estimates by; `later`: how many steps states that are not preferred count as farther away.
    `told_by` (row words): of states that have all of these bits alike only the first is kept; empty: every bit counts.
    """

    estimator: Estimator
    scratch: EstimateScratch
    later: int
    told_by: Words


@njit(inner=True)
def is_new(tables: RelaxedTables, row: Words) -> bool:
    """Whether a state is the first one with the facts by which states are told apart; it is marked."""
    seen, told_by, hashed = tables.scratch.seen, tables.told_by, HASH_SEED
    for w in range(len(told_by)):
        hashed = hash_word(hashed, row[w] & told_by[w])
    place = hashed >> np.uint64(64 - SEEN_BITS)  # the low bits of the hash do not depend on all of the last word
    word, bit = long(place >> np.uint64(6)), ONE << (place & np.uint64(63))
    new = seen[word] & bit == 0
    seen[word] |= bit
    return bool(new)


@njit(inner=True)
def guess(tables: RelaxedTables, _form: OperatorForm, row: Words) -> int:
    """The estimate of a new state, its own or that of the state before it; -1 if no goal can be reached, or the state
    does not differ from another in what tells them apart.
    """
    estimator, scratch = tables.estimator, tables.scratch
    if is_reached(estimator, row):
        return 0
    if len(tables.told_by) > 0 and not is_new(tables, row):
        return -1
    if estimator.all_objects:
        far = distances(estimator, row, scratch.taken)
        return -1 if far >= FAR else far
    far, later = long(scratch.far[0]), tables.later
    if estimator.prefers:
        for w in range(len(scratch.wanted)):
            if row[w] & scratch.wanted[w]:  # wanted is only what was not true in the parent
                later = 0
    return far + later


@njit(inner=True)
def look_again(tables: RelaxedTables, row: Words, before: int) -> int:
    """The estimate of a state that is about to be expanded, which has `before` so far; -1 if no goal can be reached."""
    estimator, scratch = tables.estimator, tables.scratch
    if estimator.all_objects:
        return before
    far = estimate(estimator, row, scratch)
    scratch.far[0] = far
    return -1 if far >= FAR else far
