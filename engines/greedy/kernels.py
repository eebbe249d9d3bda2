"""Compiled kernel of greedy search: best-first search with deferred evaluation and preferred operators."""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.bitset_kernels import find, is_goal
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Bytes, Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..common.cost_kernels import pop, push
from ..common.state_arrays import Nodes
from ..common.successors import Workspace, copy_row, successors
from .estimates import FAR, EstimateScratch, Estimator, estimate

# States more that are taken from the preferred ones when the estimate has come down to less than ever.
BOOST = 1_000

ESTIMATE_BITS = 24
"""Bits of the estimate in the key of a state, below its total cost."""

ALL, PREFERRED = 0, 1
"""The two open lists, as indices of `OpenLists.waiting` and `OpenLists.turn`."""

BEST = 2
"""The index of the least estimate so far in `OpenLists.turn`."""


class OpenLists(NamedTuple):
    """The open lists, for S states: all (the heap of `Nodes`), and those that preferred operators lead to.

    `key`, `item` (S): the heap of the preferred; `waiting` (2): entries of each heap; `turn` (3): how often a list was
    taken from, the one with less comes next; and the least estimate so far. `closed` (S): 1 for expanded states.
    """

    key: Longs
    item: Ints
    waiting: Longs
    turn: Longs
    closed: Bytes


class GreedySearch(NamedTuple):
    """The tables of a greedy search; `weight` is the factor on the estimate."""

    nodes: Nodes
    work: Workspace
    open: OpenLists
    estimator: Estimator
    scratch: EstimateScratch
    weight: int


@njit(cache=True)
def best_first(task: BitsetTask, search: GreedySearch, count: int, quota: int) -> tuple[int, int, int]:
    """Expand at most `quota` states, those with the least (steps so far) + `weight` * (estimate) first.

    Begins with `count` = 1. Returns (count, expanded, goal or -1); nothing is left if `open.waiting` is 0 twice.

    - Estimates are deferred where they take long (Helmert, *The Fast Downward planning system*, 2006): a state waits
      with that of its parent, and has its own when it is expanded. Of the forty successors of a state on a large board
      most never are.
    - Children that make true what the parent's relaxed plan achieves wait in a second list as well: *helpful actions*
      or *preferred operators*. The two lists take turns; the second gets `BOOST` turns more whenever the least
      estimate has come down (Richter and Westphal, *The LAMA planner*, 2010).
    """
    nodes, work, estimator, open_, scratch = search.nodes, search.work, search.estimator, search.open, search.scratch
    states, table, costs, waiting, turn = nodes.states, nodes.table, nodes.cost, open_.waiting, open_.turn
    wanted, deferred, expanded = scratch.wanted, not estimator.all_objects, 0
    while expanded < quota and count + task.most <= len(states) and 2 * (count + task.most) <= len(table):
        # 1. The next state: at the very beginning the initial one, which is in no heap.
        index = 0
        if open_.closed[0]:
            if waiting[ALL] + waiting[PREFERRED] == 0:
                break
            preferred = waiting[ALL] == 0 or (waiting[PREFERRED] > 0 and turn[PREFERRED] <= turn[ALL])
            index = (
                _take(open_.key, open_.item, waiting, turn, PREFERRED)
                if preferred
                else (_take(nodes.heap_key, nodes.heap, waiting, turn, ALL))
            )
            if open_.closed[index]:
                continue
        open_.closed[index] = 1
        expanded += 1
        # 2. Its estimate, if that was deferred. Without a way to the goal it is known, and not expanded.
        far = 0
        if deferred:
            far = estimate(estimator, states[index], scratch)
            if far >= FAR:
                continue
            if far < turn[BEST]:
                turn[BEST] = far
                turn[PREFERRED] -= BOOST
        for i in range(successors(task, states[index], work, -1)):
            # 3. A child that is new.
            row = work.rows[i]
            slot = find(states, table, row)
            if table[slot] >= 0:
                continue
            copy_row(states[count], row)
            nodes.parent[count] = index
            costs[count] = costs[index] + 1
            open_.closed[count] = 0
            table[slot] = count
            count += 1
            if is_goal(task, row):
                return count, expanded, count - 1
            # 4. It waits: by its own estimate, or by its parent's and, if it is preferred, in both lists.
            if not deferred:
                far = estimate(estimator, row, scratch)
                if far >= FAR:
                    continue
            # Compared as one number: (g + weight h, h), g the steps so far. Of equal totals the nearest to the goal
            # comes first.
            key = (costs[count - 1] + search.weight * far) << ESTIMATE_BITS | far
            push(nodes.heap_key, nodes.heap, long(waiting[ALL]), key, count - 1)
            waiting[ALL] += 1
            if deferred and estimator.prefers and _achieves(row, states[index], wanted):
                push(open_.key, open_.item, long(waiting[PREFERRED]), key, count - 1)
                waiting[PREFERRED] += 1
    return count, expanded, -1


@njit(inner=True)
def _take(key: Longs, item: Ints, waiting: Longs, turn: Longs, which: int) -> int:
    """The first state of one of the open lists; it is taken out."""
    index = long(item[0])
    pop(key, item, long(waiting[which]))
    waiting[which] -= 1
    turn[which] += 1
    return index


@njit(inner=True)
def _achieves(child: Words, parent: Words, wanted: Words) -> bool:
    """Whether a fact of `wanted` is true in the child and not in its parent."""
    for w in range(len(wanted)):  # noqa: SIM110 (numba compiles no generators)
        if child[w] & ~parent[w] & wanted[w]:
            return True
    return False
