"""Compiled kernel of plan refinement: two frontiers of paths, as in Richard Bird's search (`engine`)."""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.bitset_kernels import applies, apply, find, has_bit, is_goal, walk_region
from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..common.nodes import Nodes
from ..common.successors import Workspace, copy_row
from .means import Means
from .refining import Pile, Plans, first_plan, refine

PATHS, OTHERS = 0, 1
"""The frontiers, as indices of `Frontiers.waiting`."""


class Frontiers(NamedTuple):
    """The paths that wait: `state`, `op`, `plan`: an operator to be applied in a state, and the plan for afterwards, -1
    for the first plan. `other`: states of which any operator may be applied. `waiting` (2): how many there are of each;
    the last ones are next.
    """

    state: Ints
    op: Ints
    plan: Ints
    other: Ints
    waiting: Longs


class RefineSearch(NamedTuple):
    """The tables of a search by plan refinement."""

    nodes: Nodes
    work: Workspace
    frontiers: Frontiers
    plans: Plans
    pile: Pile
    means: Means


@njit(cache=True)
def follow_plans(task: BitsetTask, search: RefineSearch, count: int, quota: int) -> tuple[int, int, int]:
    """Go on for at most `quota` states; begins with `count` = 1, and state 0 in `other`.

    Returns (count, visited, goal or -1). It ends when the arrays are nearly full, or nothing waits.
    """
    nodes, work, frontiers, plans, pile = search.nodes, search.work, search.frontiers, search.plans, search.pile
    waiting, row = frontiers.waiting, search.work.rows[0]
    most = max(task.most, len(pile.leaf_op))
    visited = 0
    while visited < quota and count < len(nodes.states) and waiting[PATHS] + most <= len(frontiers.state):
        if plans.used[0] + plans.most > len(plans.item):
            break
        # 1. Where no plan leads on: every operator of the state met last, each with a fresh plan.
        if waiting[PATHS] == 0:
            if waiting[OTHERS] == 0:
                break
            waiting[OTHERS] -= 1
            _all_paths(task, search, long(frontiers.other[waiting[OTHERS]]))
            continue
        # 2. The state that a path leads to, if it is new.
        waiting[PATHS] -= 1
        path = waiting[PATHS]
        index, op, plan = long(frontiers.state[path]), long(frontiers.op[path]), long(frontiers.plan[path])
        _apply(task, work, nodes, index, op)
        slot = find(nodes.states, nodes.table, row)
        if nodes.table[slot] >= 0:
            continue
        visited += 1
        copy_row(nodes.states[count], row)
        nodes.parent[count] = index
        nodes.table[slot] = count
        frontiers.other[waiting[OTHERS]] = count
        waiting[OTHERS] += 1
        count += 1
        if is_goal(task, row):
            return count, visited, count - 1
        # 3. The rest of its plan, refined.
        _follow(task, search, count - 1, plan)
    return count, visited, -1


@njit(inner=True)
def _apply(task: BitsetTask, work: Workspace, nodes: Nodes, index: int, op: int) -> None:
    """Write the state after an operator to the first row of `work`."""
    row = work.rows[0]
    apply(task, op, nodes.states[index], row)
    if len(task.free_bit) > 0:
        row[task.words] = walk_region(task, row, long(task.walk[op, 1]), work.after, work.stack)


@njit(inner=True)
def _follow(task: BitsetTask, search: RefineSearch, index: int, plan: int) -> None:
    """Put on the first frontier the ways to go on with a plan, the best one last; a plan that is done is made anew."""
    frontiers, plans, pile, means = search.frontiers, search.plans, search.pile, search.means
    state, waiting = search.nodes.states[index], frontiers.waiting
    while plan >= 0 and has_bit(state, long(plans.item[plan])):
        plan = long(plans.rest[plan])
    if plan < 0:
        plan = first_plan(means, plans, state, pile)
    if len(task.free_bit) > 0:
        walk_region(task, state, long(state[task.words]), pile.region, search.work.stack)
    used = plans.used[0]
    leaves = refine(task, means, plans, pile, state, plan)
    if leaves == 0:
        plans.used[0] = used
    for i in range(leaves - 1, -1, -1):
        path = waiting[PATHS]
        frontiers.state[path], frontiers.op[path], frontiers.plan[path] = index, pile.leaf_op[i], pile.leaf_plan[i]
        waiting[PATHS] += 1


@njit(inner=True)
def _all_paths(task: BitsetTask, search: RefineSearch, index: int) -> None:
    """Put every operator that can be applied in a state on the first frontier, each with the first plan to follow."""
    frontiers, pile, waiting = search.frontiers, search.pile, search.frontiers.waiting
    state, cells = search.nodes.states[index], len(task.free_bit)
    if cells:
        walk_region(task, state, long(state[task.words]), pile.region, search.work.stack)
    for op in range(len(task.pre)):
        if applies(task, op, state) and (not cells or pile.region[task.walk[op, 0]]):
            path = waiting[PATHS]
            frontiers.state[path], frontiers.op[path], frontiers.plan[path] = index, op, -1
            waiting[PATHS] += 1
