"""Compiled kernels of greedy search: a quick estimate of the distance to the goal, best-first search, short cuts.

`tests/test_greedy.py` holds the estimates against their definitions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....analysis.bitset_kernels import ONE, find, is_goal
from ....analysis.bitset_task import BitsetTask
from ....runtime.arrays import Bytes, Ints, Longs, Words
from ....runtime.bitops import long
from ....runtime.kernel_cache import njit
from ..states.cost_kernels import pop, push
from ..states.nodes import Nodes
from ..states.successors import Workspace, copy_row, successors

FAR = 1 << 24
"""More than any estimate: the goal cannot be reached."""

ESTIMATE_BITS = 24
"""The key of a state is its total cost, then its estimate in so many bits."""


class Estimator(NamedTuple):
    """Arrays of the estimate, for F facts, N operators, S sets of movable objects with goals of their own.

    `pre_first` (N+1), `pre`: what operators require; `add_first`, `add`: what they make true; `use_first` (F+1),
    `use`: the operators that require a fact; `goal_first` (C+1), `goal`: the clauses.
    `object_first` (S+1), `object`: the facts of a set that say where its objects are; `away_first` (S+1), `away`
    (, F): a row for each of its goals, the steps of one object alone from each fact to there. `all_objects`: every
    operator moves an object of these sets; then their distances say more than h^add, which is left out.
    """

    pre_first: Ints
    pre: Ints
    add_first: Ints
    add: Ints
    use_first: Ints
    use: Ints
    goal_first: Ints
    goal: Ints
    object_first: Ints
    object: Ints
    away_first: Ints
    away: Ints
    all_objects: int


class Scratch(NamedTuple):
    """Scratch arrays of the estimate, one entry a fact; `queued` is 0 everywhere."""

    cost: Longs
    queue: Ints
    queued: Bytes
    taken: Bytes


class Search(NamedTuple):
    """What a search works on; `weight`: of the estimate."""

    nodes: Nodes
    work: Workspace
    known: Estimator
    scratch: Scratch
    weight: int


@njit(inner=True)
def additive(known: Estimator, state: Words, scratch: Scratch) -> int:
    """h^add (Bonet and Geffner, *Planning as heuristic search*, 2001): the cost of the goal's clauses, added up.

    The cost of a fact is that of the cheapest operator that adds it: 1, and the costs of all that it requires, as if
    nothing were ever deleted:

        cost(f) = 0 if f is true,  else min over the operators o that add f of  1 + sum of cost(p) for p in pre(o)

    `FAR` if a clause cannot become true at all.
    """
    cost, queue, queued = scratch.cost, scratch.queue, scratch.queued
    facts = len(cost)
    # 1. What is true costs nothing, and waits in a ring of F entries; what needs nothing costs 1.
    tail = 0
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
    # 2. Bellman and Ford: a fact that got cheaper makes operators cheaper, and these what they add.
    head, waiting = 0, tail
    tail %= facts
    while waiting > 0:
        fact = long(queue[head])
        head = head + 1 if head + 1 < facts else 0
        waiting -= 1
        queued[fact] = 0
        for i in range(known.use_first[fact], known.use_first[fact + 1]):
            op = long(known.use[i])
            total, possible = 1, True
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
    # 3. The goal: of each clause the cheapest fact.
    sum_ = 0
    for c in range(len(known.goal_first) - 1):
        least = FAR
        for i in range(known.goal_first[c], known.goal_first[c + 1]):
            least = min(least, cost[known.goal[i]])
        if least >= FAR:
            return FAR
        sum_ += least
    return min(sum_, FAR >> 1)


@njit(inner=True)
def distances(known: Estimator, state: Words, taken: Bytes) -> int:
    """For each set of objects that all have to reach goals of their own: what each goal's nearest one has to go.

    An object serves one goal; `FAR` if one can reach no goal. Greedily, so no bound: goals are served in their order.
    """
    sum_ = 0
    for s in range(len(known.object_first) - 1):
        first, last = known.away_first[s], known.away_first[s + 1]
        # 1. The objects, at the facts that are true (not `taken`): each must reach some goal.
        for i in range(known.object_first[s], known.object_first[s + 1]):
            fact = known.object[i]
            taken[fact] = 1
            if (state[fact >> 6] >> np.uint64(fact & 63)) & ONE:
                taken[fact] = 0
                least = FAR
                for g in range(first, last):
                    least = min(least, known.away[g, fact])
                if least >= FAR:
                    return FAR
        # 2. Each goal takes the nearest object that is left.
        for g in range(first, last):
            least, nearest = FAR, -1
            for i in range(known.object_first[s], known.object_first[s + 1]):
                fact = known.object[i]
                if not taken[fact] and known.away[g, fact] < least:
                    least, nearest = known.away[g, fact], fact
            if nearest < 0:  # a better choice of objects may serve all goals
                least = 2 * len(taken)
            else:
                taken[nearest] = 1
            sum_ += least
    return sum_


@njit(cache=True)
def best_first(task: BitsetTask, search: Search, count: int, waiting: int, quota: int) -> tuple[int, int, int, int]:
    """Expand at most `quota` states, those with the least (steps so far) + `weight` * (estimate) first.

    The costs of the nodes are the steps to each state. Begins with `waiting` = 0 and `count` = 1. Returns (count,
    waiting, expanded, goal or -1).
    """
    nodes, work, known = search.nodes, search.work, search.known
    states, table, costs = nodes.states, nodes.table, nodes.cost
    expanded = 0
    while expanded < quota and count + task.most <= len(states) and 2 * (count + task.most) <= len(table):
        # 1. The next state: at the very beginning the initial one, which is not in the heap.
        index = 0
        if count > 1 or expanded > 0:
            if waiting == 0:
                break
            index = long(nodes.heap[0])
            pop(nodes.heap_key, nodes.heap, waiting)
            waiting -= 1
        expanded += 1
        for i in range(successors(task, states[index], work, -1)):
            # 2. A child that is new.
            row = work.rows[i]
            slot = find(states, table, row)
            if table[slot] >= 0:
                continue
            copy_row(states[count], row)
            nodes.parent[count] = index
            costs[count] = costs[index] + 1
            table[slot] = count
            count += 1
            if is_goal(task, row):
                return count, waiting, expanded, count - 1
            # 3. Its estimate; without one it is known, and never expanded.
            estimate = distances(known, row, search.scratch.taken)
            if estimate < FAR and not known.all_objects:
                estimate += additive(known, row, search.scratch)
            if estimate < FAR:
                key = (costs[count - 1] + search.weight * estimate) << ESTIMATE_BITS | estimate
                push(nodes.heap_key, nodes.heap, waiting, key, count - 1)
                waiting += 1
    return count, waiting, expanded, -1


@njit(cache=True)
def shortest_within(
    task: BitsetTask, nodes: Nodes, work: Workspace, head: int, tail: int, quota: int
) -> tuple[int, int, int]:
    """Breadth-first search through stored states only, for `quota` states. `parent` leads back from each state met.

    `parent` is -1 everywhere at first, and the queue, heap[head:tail], holds state 0. Returns the first goal or -1, and
    the new head and tail.
    """
    parent, queue = nodes.parent, nodes.heap
    last = head + quota
    while head < min(last, tail):
        index = long(queue[head])
        head += 1
        for i in range(successors(task, nodes.states[index], work, -1)):
            other = long(nodes.table[find(nodes.states, nodes.table, work.rows[i])])
            if other <= 0 or parent[other] >= 0:
                continue
            parent[other] = index
            if is_goal(task, nodes.states[other]):
                return other, head, tail
            queue[tail] = other
            tail += 1
    return -1, head, tail
