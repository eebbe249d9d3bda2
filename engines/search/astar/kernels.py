"""Compiled kernels of A*: expanding packed states in the order of cost plus estimate, with pruning.

A state's estimate is computed once. Dead ends are not kept. Pruning makes the estimates inconsistent, so a state that
is reached at less cost than before is opened again, whether it was expanded or not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....analysis.bitset_kernels import ONE, applies, apply, find, is_goal, walk_distances, walk_region
from ....analysis.bitset_task import Ints, Words
from ....analysis.deadlocks.corrals import find_corral
from ....analysis.estimate import Look, survey, value_after
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit
from ..states.cost_kernels import pop, push

COUNT, WAITING, EXPANDED, GENERATED, REOPENED, DEAD, CUT, GOAL, BEST, BOUND = range(10)
"""Entries of `Control`: states, open ones, states expanded, successors generated, states opened again, dead ends
met, states in which a corral left out pushes, the cheapest goal state met or -1, the cost that counts (that state's, or
that of a plan that others have found: then the state is -1; `NONE` without a plan), the proven bound."""

NONE = 1 << 62
"""More than any cost."""


class Nodes(NamedTuple):
    """The arrays of the states met, of which more are allocated than used, and of the heap of the open ones."""

    states: Words
    parent: Ints
    via: Ints
    table: Ints
    cost: NDArray[np.int64]
    estimate: NDArray[np.int64]
    heap_key: NDArray[np.int64]
    heap: Ints


class Scratch(NamedTuple):
    """Scratch arrays: of a state's row, of walker's cells (K), of places (P), and for the estimates."""

    row: Words
    reached: NDArray[np.uint8]
    again: NDArray[np.uint8]
    stack: Ints
    distance: Ints
    label: Ints
    corral: NDArray[np.uint8]
    chosen: NDArray[np.uint8]
    look: Look


@njit(cache=True)
def _enter(
    task: Any,
    estimate: Any,
    nodes: Any,
    scratch: Any,
    control: Any,
    board: int,
    before: int,
    after: int,
    cell: int,
    cost: int,
    parent: int,
    via: int,
    shift: int,
) -> None:
    """Enter the successor in `scratch.row` unless it is known at this cost or less, or a dead end.

    A thing went from place `before` to place `after` (-1: none did), the walker is in `cell`.
    """
    control[GENERATED] += 1
    slot = find(nodes.states, nodes.table, scratch.row)
    known = np.int64(nodes.table[slot])
    value = np.int64(-1)
    if known >= 0:
        if cost < nodes.cost[known]:
            value = nodes.estimate[known]
            control[REOPENED] += 1
    else:
        value = value_after(task, estimate, scratch.look, board, before, after, scratch.row, cell)
        if value < 0:
            control[DEAD] += 1
        else:  # what the parent needs at least, less what was paid since
            value = max(value, nodes.estimate[parent] + nodes.cost[parent] - cost)
    if value < 0 or cost + value >= control[BEST]:
        return
    if known < 0:
        known = control[COUNT]
        control[COUNT] += 1
        nodes.states[known] = scratch.row
        nodes.estimate[known] = value
        nodes.table[slot] = known
    nodes.cost[known] = cost
    nodes.parent[known] = parent
    nodes.via[known] = via
    push(nodes.heap_key, nodes.heap, control[WAITING], _key(cost + value, value, shift), known)
    control[WAITING] += 1
    if is_goal(task, scratch.row):
        control[GOAL] = known
        control[BEST] = cost


@njit(cache=True)
def _key(total: int, value: int, shift: int) -> Any:
    """The order of open states: the total, then (where there is room for it) the estimate."""
    return (total << shift) | value if shift else total


@njit(cache=True)
def _next(nodes: Any, control: Any, shift: int) -> Any:
    """The open state to expand next, out of the heap; -1: none is left; -2: none is below the best cost."""
    while control[WAITING] > 0:
        total, index = nodes.heap_key[0] >> shift, np.int64(nodes.heap[0])
        if total >= control[BEST]:
            return -2
        pop(nodes.heap_key, nodes.heap, control[WAITING])
        control[WAITING] -= 1
        if total == nodes.cost[index] + nodes.estimate[index]:  # otherwise a cheaper way was found since
            control[BOUND] = max(control[BOUND], total)
            return index
    return -1 if control[BEST] == NONE else -2


@njit(cache=True)
def expand_best(
    task: Any, estimate: Any, nodes: Any, scratch: Any, control: Any, walk_cost: int, shift: int, quota: int
) -> int:
    """Expand at most `quota` states. 0: go on; 1: the best cost in `control` is proven; 2: nothing is left.

    There is room for all successors before a state is expanded.

    With a walker that walks for nothing (`walk_cost` 0) a state has its normalised cell; otherwise its true one.
    """
    words, cells = task.words, len(task.free_bit)
    look, things, row = scratch.look, estimate.things, scratch.row
    room = min(len(nodes.states), len(nodes.table) // 2)
    for _ in range(quota):
        if max(control[COUNT], control[WAITING]) + task.most > room:
            return 0
        index = _next(nodes, control, shift)
        if index < 0:
            return 1 if index == -2 else 2
        control[EXPANDED] += 1
        state, cost = nodes.states[index], nodes.cost[index]
        cell = np.int64(state[words]) if cells else np.int64(0)
        board = survey(task, estimate, look, state, cell)
        if board < 0:
            continue
        corral = -1
        if walk_cost:
            walk_distances(task, state, cell, scratch.distance, scratch.stack)
        elif cells:
            walk_region(task, state, cell, scratch.reached, scratch.stack)
            if estimate.corrals:
                corral = find_corral(
                    task,
                    things,
                    estimate.boards.useful,
                    look.at,
                    look.occupied,
                    cell,
                    scratch.reached,
                    scratch.label,
                    scratch.again,
                    scratch.stack,
                    scratch.corral,
                    scratch.chosen,
                )
                control[CUT] += corral >= 0
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = task.watch_ops[i]
                    if not applies(task, op, state):
                        continue
                    behind = task.walk[op, 0]
                    if cells and (scratch.distance[behind] < 0 if walk_cost else scratch.reached[behind] == 0):
                        continue
                    before, after = things.moves[op, 0], things.moves[op, 1]
                    if before >= 0 and (not estimate.boards.useful[op] or (corral >= 0 and not scratch.chosen[before])):
                        continue
                    apply(task, op, state, row)
                    total, there = cost + task.cost[op], np.int64(0)
                    if cells:
                        there = np.int64(task.walk[op, 1])
                        if walk_cost:
                            total += walk_cost * scratch.distance[behind]
                            row[words] = there
                        else:
                            row[words] = walk_region(task, row, there, scratch.again, scratch.stack)
                    _enter(
                        task, estimate, nodes, scratch, control, board, before, after, there, total, index, op, shift
                    )
    return 0


@njit(cache=True)
def expand_best_compound_moves(
    task: Any, estimate: Any, nodes: Any, scratch: Any, control: Any, walk_cost: int, shift: int, quota: int
) -> int:
    """Like `expand_best`, for a task that carries: a successor is any state that one thing's moving along leads to.

    Carries cost one. `via` holds the last operator.
    """
    words, facts = task.words, 64 * task.words
    look, place_of = scratch.look, estimate.things.place
    rows = np.empty((facts, nodes.states.shape[1]), np.uint64)
    place = np.empty(facts, np.int32)
    seen = np.full(facts, -1, np.int64)
    room = min(len(nodes.states), len(nodes.table) // 2)
    stamp = 0
    for _ in range(quota):
        if max(control[COUNT], control[WAITING]) + task.most > room:
            return 0
        index = _next(nodes, control, shift)
        if index < 0:
            return 1 if index == -2 else 2
        control[EXPANDED] += 1
        state, cost = nodes.states[index], nodes.cost[index]
        board = survey(task, estimate, look, state, 0)
        if board < 0:
            continue
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits:
                start = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                stamp += 1
                rows[0] = state
                place[0] = start
                seen[start] = stamp
                head, tail = 0, 1
                while head < tail:
                    here = place[head]
                    for i in range(task.watch_first[here], task.watch_first[here + 1]):
                        op = task.watch_ops[i]
                        there = task.displacement[op, 1]
                        if seen[there] == stamp or not applies(task, op, rows[head]):
                            continue
                        apply(task, op, rows[head], scratch.row)
                        seen[there] = stamp
                        rows[tail] = scratch.row
                        place[tail] = there
                        tail += 1
                        _enter(
                            task,
                            estimate,
                            nodes,
                            scratch,
                            control,
                            board,
                            place_of[start] if place_of[there] >= 0 else -1,
                            place_of[there] if place_of[start] >= 0 else -1,
                            0,
                            cost + 1,
                            index,
                            op,
                            shift,
                        )
                    head += 1
    return 0
