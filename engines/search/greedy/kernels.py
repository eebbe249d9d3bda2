"""Compiled kernels of greedy search: a quick estimate of the distance to the goal, best-first search, short cuts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....analysis.bitset_kernels import ONE, find, is_goal
from ....analysis.bitset_task import Ints
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit
from ..states.cost_kernels import pop, push
from ..states.graph_kernels import enter, scratch, successors

FAR = 1 << 24
"""More than any estimate: the goal cannot be reached."""


class Estimator(NamedTuple):
    """Arrays of the estimate, for F facts, N operators, S sets of things with goals of their own.

    `pre_first` (N+1), `pre`: what operators require; `add_first`, `add`: what they make true; `use_first` (F+1),
    `use`: the operators that require a fact; `goal_first` (C+1), `goal`: the clauses.
    `thing_first` (S+1), `thing`: the facts of a set that say where its things are; `away_first` (S+1), `away`
    (, F): a row for each of its goals, the steps of one thing alone from each fact to there. `all_things`: every
    operator moves a thing of these sets; then their distances say more than h^add, which is left out.
    """

    pre_first: Ints
    pre: Ints
    add_first: Ints
    add: Ints
    use_first: Ints
    use: Ints
    goal_first: Ints
    goal: Ints
    thing_first: Ints
    thing: Ints
    away_first: Ints
    away: Ints
    all_things: bool


@njit(cache=True)
def additive(known: Any, state: Any, cost: Any, queue: Any, queued: Any) -> int:
    """h^add (Bonet and Geffner, *Planning as heuristic search*, 2001): the cost of the goal's clauses, added up.

    The cost of a fact is that of the cheapest operator that adds it: 1, and the costs of all that it requires, as if
    nothing were ever deleted. `FAR` if a clause cannot become true at all.
    """
    facts = len(cost)
    head, tail = 0, 0
    for fact in range(facts):
        cost[fact] = FAR
        if (state[fact >> 6] >> np.uint64(fact & 63)) & ONE:
            cost[fact] = 0
            queue[tail] = fact
            queued[fact] = 1
            tail += 1
    for op in range(len(known.pre_first) - 1):
        if known.pre_first[op] == known.pre_first[op + 1]:
            for j in range(known.add_first[op], known.add_first[op + 1]):
                cost[known.add[j]] = min(cost[known.add[j]], 1)
    waiting = tail
    tail %= facts
    while waiting > 0:
        fact = queue[head]
        head = head + 1 if head + 1 < facts else 0
        waiting -= 1
        queued[fact] = 0
        for i in range(known.use_first[fact], known.use_first[fact + 1]):
            op = known.use[i]
            total = 1
            possible = True
            for j in range(known.pre_first[op], known.pre_first[op + 1]):
                total += cost[known.pre[j]]
                possible = possible and cost[known.pre[j]] < FAR
            if not possible:
                continue
            total = min(total, FAR - 1)
            for j in range(known.add_first[op], known.add_first[op + 1]):
                other = known.add[j]
                if total < cost[other]:
                    cost[other] = total
                    if not queued[other]:
                        queued[other] = 1
                        queue[tail] = other
                        tail = tail + 1 if tail + 1 < facts else 0
                        waiting += 1
    sum_ = 0
    for c in range(len(known.goal_first) - 1):
        least = FAR
        for i in range(known.goal_first[c], known.goal_first[c + 1]):
            least = min(least, cost[known.goal[i]])
        if least >= FAR:
            return FAR
        sum_ += least
    return min(sum_, FAR >> 1)


@njit(cache=True)
def distances(known: Any, state: Any, taken: Any) -> int:
    """For each set of things that all have to reach goals of their own: what each goal's nearest thing has to go.

    A thing serves one goal; `FAR` if a thing can reach no goal, or no thing is left that can reach one.
    """
    sum_ = 0
    for s in range(len(known.thing_first) - 1):
        first, last = known.away_first[s], known.away_first[s + 1]
        for i in range(known.thing_first[s], known.thing_first[s + 1]):
            fact = known.thing[i]
            taken[fact] = 1
            if (state[fact >> 6] >> np.uint64(fact & 63)) & ONE:
                taken[fact] = 0
                least = FAR
                for g in range(first, last):
                    least = min(least, known.away[g, fact])
                if least >= FAR:
                    return FAR
        for g in range(first, last):
            least, nearest = FAR, -1
            for i in range(known.thing_first[s], known.thing_first[s + 1]):
                fact = known.thing[i]
                if not taken[fact] and known.away[g, fact] < least:
                    least, nearest = known.away[g, fact], fact
            if nearest < 0:  # a better choice of things may serve all goals
                least = 2 * len(taken)
            else:
                taken[nearest] = 1
            sum_ += least
    return sum_


@njit(cache=True)
def best_first(
    task: Any,
    known: Any,
    states: Any,
    parent: Any,
    table: Any,
    costs: Any,
    heap_cost: Any,
    heap: Any,
    count: int,
    waiting: int,
    weight: int,
    quota: int,
) -> Any:
    """Expand at most `quota` states, those with the least (steps so far) + `weight` * (estimate) first.

    `costs` are the steps to each state. Begins with `waiting` = 0 and `count` = 1. Returns a tuple (count, waiting,
    expanded, goal or -1).
    """
    work = scratch(task)
    facts = len(known.use_first) - 1
    cost = np.empty(facts, np.int64)
    queue = np.empty(facts, np.int32)
    queued = np.zeros(facts, np.uint8)
    taken = np.zeros(facts, np.uint8)
    most = task.most
    expanded = 0
    while expanded < quota and count + most <= len(states) and 2 * (count + most) <= len(table):
        if count == 1 and waiting == 0 and expanded == 0:
            index = np.int64(0)
        elif waiting == 0:
            break
        else:
            index = np.int64(heap[0])
            pop(heap_cost, heap, waiting)
            waiting -= 1
        expanded += 1
        state = states[index]
        enter(task, state, work)
        for w in range(task.words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                n = successors(task, state, fact, work)
                for i in range(1, n):
                    row = work[0][i]
                    slot = find(states, table, row)
                    if table[slot] >= 0:
                        continue
                    states[count] = row
                    parent[count] = index
                    costs[count] = costs[index] + 1
                    table[slot] = count
                    count += 1
                    if is_goal(task, row):
                        return count, waiting, expanded, count - 1
                    estimate = distances(known, row, taken)
                    if estimate < FAR and not known.all_things:
                        estimate += additive(known, row, cost, queue, queued)
                    if estimate < FAR:
                        key = (costs[count - 1] + weight * estimate) << 24 | estimate
                        push(heap_cost, heap, waiting, key, count - 1)
                        waiting += 1
    return count, waiting, expanded, -1


@njit(cache=True)
def shortest_within(
    task: Any, states: Any, table: Any, parent: Any, queue: Any, head: int, tail: int, quota: int
) -> tuple[int, int, int]:
    """Breadth-first search through stored states only, for `quota` states. `parent` leads back from each state met.

    `parent` is -1 everywhere at first, and queue[head:tail] holds state 0. Returns the first goal or -1, and the new
    head and tail.
    """
    work = scratch(task)
    last = head + quota
    while head < min(last, tail):
        index = np.int64(queue[head])
        head += 1
        state = states[index]
        enter(task, state, work)
        for w in range(task.words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                n = successors(task, state, fact, work)
                for i in range(1, n):
                    other = np.int64(table[find(states, table, work[0][i])])
                    if other <= 0 or parent[other] >= 0:
                        continue
                    parent[other] = index
                    if is_goal(task, states[other]):
                        return int(other), head, tail
                    queue[tail] = other
                    tail += 1
    return -1, head, tail
