"""Compiled kernels of iterative deepening: depth-first, with explicit stacks, in portions that a caller can stop.

`deepen_lookup` is for tasks whose operators are looked up (`analysis.successor_table`): a node costs a few loads, and
nothing is remembered but the way. In `deepen_rows` and `deepen_compound_moves` (and `walk_kernels.deepen_walks`)
states are packed rows, and a table remembers them. All search below one limit; what they count stands in an array
`at`, by the indices below.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....analysis.bitset_kernels import ONE, applies, apply, is_goal
from ....analysis.bitset_task import Ints, Words
from ....analysis.patterns.kernels import UNREACHED, patterns_value
from ....runtime.bitops import hash_row, trailing_zeros
from ....runtime.kernel_cache import njit

LIMIT, LEAST, NODES, EXPANDED, HITS, TOP, ROUND, USED, LOST, DEPTH, COST, FIXED = range(12)
"""Indices of `at`: the limit on cost plus heuristic, the least value that was cut, children made, states expanded,
children known from the table, open nodes, the number of this round, table entries used and lost, the depth of the
current node and its cost, whether the table may not grow."""

FIELDS = 12
MORE, DONE, GOAL, ROOM, TABLE = range(5)
"""What a kernel returns: its quota is used up; the round is over; a goal stands at the end of the path; the stack or
the path needs more room; the table does."""

NEVER = 1 << 62
"""A value above every limit: no goal is behind."""

WINDOW = 16
"""Slots of the table that are looked at for one state."""


class Deltas(NamedTuple):
    """What each operator does to the heuristic: N operators, P tables.

    `change` (N): its cost plus what it adds to the sum over single things, `NEVER` if no goal is reachable after;
    `table` (N): the table whose index it changes, or -1; `step` (N): by how much. `values`: the tables.
    """

    cost: NDArray[np.int64]
    change: NDArray[np.int64]
    table: Ints
    step: Ints
    values: NDArray[np.uint8]


class Way(NamedTuple):
    """The way to the current node of `deepen_lookup`, one entry a depth; and that node itself.

    `operator`: how it was reached; `branch`, `end`: the branches still to be tried; `total`: cost plus heuristic;
    `held`: the value of the table that the operator changed, before. Of the node, `value`: its variables;
    `position`, `entry`: where it stands in the tables, and what they say there.
    """

    operator: Ints
    branch: Ints
    end: Ints
    total: NDArray[np.int64]
    held: NDArray[np.int64]
    value: Ints
    position: NDArray[np.int64]
    entry: NDArray[np.int64]


@njit(cache=True)
def deepen_lookup(task: Any, deltas: Any, way: Any, at: Any, quota: int) -> int:
    """Go on with a round of iterative deepening, for about `quota` nodes (Korf, *Depth-first iterative-deepening*,
    *Artificial Intelligence* 27, 1985). The way has room for every depth within the limit."""
    limit, least, depth, cost = at[LIMIT], at[LEAST], at[DEPTH], at[COST]
    nodes = expanded = np.int64(0)
    changes = task.changed.shape[1]
    status = DONE
    while True:
        branch = way.branch[depth]
        if branch == way.end[depth]:
            if depth == 0:
                break
            op = way.operator[depth]
            for i in range(changes):
                way.value[task.changed[op, i]] = task.old[op, i]
            p = deltas.table[op]
            if p >= 0:
                way.position[p] -= deltas.step[op]
                way.entry[p] = way.held[depth]
            cost -= deltas.cost[op]
            depth -= 1
            continue
        if nodes >= quota:
            status = MORE
            break
        way.branch[depth] = branch + 1
        op = task.table[task.offset[branch] + way.value[task.variable[branch]]]
        if op < 0:
            continue
        nodes += 1
        total = way.total[depth] + deltas.change[op]
        p = deltas.table[op]
        entry = np.int64(0)
        if p >= 0:
            entry = np.int64(deltas.values[way.position[p] + deltas.step[op]])
            total = total + entry - way.entry[p] if entry != UNREACHED else NEVER
        if total > limit:
            least = min(least, total)
            continue
        depth += 1
        expanded += 1
        cost += deltas.cost[op]
        way.operator[depth] = op
        way.branch[depth] = task.first[op]
        way.end[depth] = task.first[op + 1]
        way.total[depth] = total
        if p >= 0:
            way.position[p] += deltas.step[op]
            way.held[depth] = way.entry[p]
            way.entry[p] = entry
        for i in range(changes):
            way.value[task.changed[op, i]] = task.new[op, i]
        if total == cost:
            met = True
            for i in range(len(task.goal)):
                if way.value[task.goal[i, 0]] != task.goal[i, 1]:
                    met = False
                    break
            if met:
                status = GOAL
                break
    at[LEAST], at[DEPTH], at[COST] = least, depth, cost
    at[NODES] += nodes
    at[EXPANDED] += expanded
    return status


class Open(NamedTuple):
    """The open nodes of a search over rows, a stack: states, costs, operators that led to them, depths; and the path to
    the node expanded last: states and operators by depth."""

    rows: Words
    cost: NDArray[np.int64]
    operator: Ints
    depth: Ints
    path: Words
    path_operator: Ints


class TranspositionTable(NamedTuple):
    """A table of states expanded: the state, the least cost it was reached with, and in which round (0: empty)."""

    rows: Words
    cost: NDArray[np.int64]
    round: Ints


@njit(cache=True)
def slot_of(seen: Any, row: Any) -> Any:
    """The slot of a state, or the empty slot where it belongs, or -1 if it is not there and there is no empty one."""
    mask = np.uint64(len(seen.round) - 1)
    slot = np.int64(hash_row(row) & mask)
    for _ in range(WINDOW):
        if seen.round[slot] == 0:
            return slot
        same = True
        for w in range(len(row)):
            if seen.rows[slot, w] != row[w]:
                same = False
                break
        if same:
            return slot
        slot = (slot + 1) & np.int64(mask)
    return np.int64(-1)


@njit(cache=True)
def known(seen: Any, row: Any, cost: int, now: int) -> bool:
    """Whether a state need not be expanded at this cost in this round.

    It need not if it was expanded in this round at no more, or in an earlier round at less: then this round comes to
    it by that way too, as long as the heuristic has not changed (Reinefeld and Marsland, *Enhanced
    iterative-deepening search*, 1994).
    """
    slot = slot_of(seen, row)
    if slot < 0 or seen.round[slot] == 0:
        return False
    return bool(seen.cost[slot] < cost or (seen.cost[slot] == cost and seen.round[slot] == now))


@njit(cache=True)
def remember(seen: Any, row: Any, cost: int, at: Any) -> bool:
    """Enter a state. False if there is no room and the table may grow; else an older or dearer entry is lost."""
    slot = slot_of(seen, row)
    if slot < 0:
        if not at[FIXED]:
            return False
        mask = len(seen.round) - 1
        place = np.int64(hash_row(row) & np.uint64(mask))
        slot = place
        for i in range(1, WINDOW):
            other = (place + i) & mask
            older = seen.round[other] - seen.round[slot]
            if older < 0 or (older == 0 and seen.cost[other] > seen.cost[slot]):
                slot = other
        at[LOST] += 1
    elif seen.round[slot] == 0:
        if not at[FIXED] and 2 * at[USED] >= len(seen.round):
            return False
        at[USED] += 1
    seen.rows[slot] = row
    seen.cost[slot] = cost
    seen.round[slot] = at[ROUND]
    return True


@njit(cache=True)
def move_entries(source: Any, target: Any) -> int:
    """Enter all entries of one table into a larger, empty one; gives how many found room."""
    count = 0
    for i in range(len(source.round)):
        if source.round[i]:
            slot = slot_of(target, source.rows[i])
            if slot >= 0:
                target.rows[slot] = source.rows[i]
                target.cost[slot] = source.cost[i]
                target.round[slot] = source.round[i]
                count += 1
    return count


@njit(cache=True)
def take(opened: Any, seen: Any, at: Any, state: Any) -> Any:
    """Take the next node that is not known from the stack, and enter it in the table.

    Gives (MORE, its cost, the operator that led to it, its depth), its state in `state`; or DONE, ROOM, TABLE.
    """
    while at[TOP] > 0:
        top = at[TOP] - 1
        cost, last, depth = opened.cost[top], np.int64(opened.operator[top]), np.int64(opened.depth[top])
        state[:] = opened.rows[top]
        if known(seen, state, cost, at[ROUND]):
            at[HITS] += 1
            at[TOP] = top
            continue
        if depth + 2 >= len(opened.path):
            return ROOM, cost, last, depth
        if not remember(seen, state, cost, at):
            return TABLE, cost, last, depth
        at[TOP] = top
        at[EXPANDED] += 1
        opened.path[depth] = state
        opened.path_operator[depth] = last
        return MORE, cost, last, depth
    return DONE, np.int64(0), np.int64(0), np.int64(0)


@njit(cache=True)
def put_back(opened: Any, seen: Any, at: Any, state: Any, top: int, cost: int, last: int, depth: int) -> None:
    """Undo `take`, so that the node is expanded anew: when there is more room, or below a lower limit."""
    at[TOP] = top + 1
    at[EXPANDED] -= 1
    opened.rows[top] = state
    opened.cost[top] = cost
    opened.operator[top] = last
    opened.depth[top] = depth
    seen.cost[slot_of(seen, state)] = NEVER


@njit(cache=True)
def offer(task: Any, opened: Any, at: Any, row: Any, cost: int, value: int, operator: int, depth: int) -> Any:
    """Put a child with its heuristic value on the stack, unless it is above the limit. Gives MORE, GOAL or ROOM."""
    if cost + value > at[LIMIT]:
        at[LEAST] = min(at[LEAST], cost + value)
        return MORE
    if value == 0 and is_goal(task, row):
        opened.path[depth] = row
        opened.path_operator[depth] = operator
        at[DEPTH], at[COST] = depth, cost
        return GOAL
    top = at[TOP]
    if top >= len(opened.cost):
        return ROOM
    opened.rows[top] = row
    opened.cost[top] = cost
    opened.operator[top] = operator
    opened.depth[top] = depth
    at[TOP] = top + 1
    return MORE


@njit(cache=True)
def consider(
    task: Any, patterns: Any, opened: Any, seen: Any, at: Any, row: Any, cost: int, operator: int, depth: int
) -> Any:
    """Offer a child unless it is known or has no way to the goal."""
    at[NODES] += 1
    if known(seen, row, cost, at[ROUND]):
        at[HITS] += 1
        return MORE
    value = patterns_value(patterns, row)
    return MORE if value < 0 else offer(task, opened, at, row, cost, value, operator, depth)


@njit(cache=True)
def deepen_rows(task: Any, patterns: Any, needless: Any, opened: Any, seen: Any, at: Any, quota: int) -> Any:
    """Go on with a round of iterative deepening, for about `quota` children.

    `needless` (N, N), or empty: pairs of operators that no cheapest way contains.
    """
    row = np.empty(task.words, np.uint64)
    state = np.empty(task.words, np.uint64)
    pruning = len(needless) > 0
    end = at[NODES] + quota
    while at[NODES] < end:
        before = at[NODES], at[HITS]
        status, cost, last, depth = take(opened, seen, at, state)
        if status != MORE:
            return status
        top = at[TOP]
        for w in range(task.words):
            bits = state[w] & task.watched[w]
            while bits and status == MORE:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
                    op = np.int64(task.watch_ops[i])
                    if (pruning and last >= 0 and needless[last, op]) or not applies(task, op, state):
                        continue
                    apply(task, op, state, row)
                    status = consider(task, patterns, opened, seen, at, row, cost + task.cost[op], op, depth + 1)
                    if status != MORE:
                        break
        if status != MORE:
            put_back(opened, seen, at, state, top, cost, last, depth)
            if status == ROOM:
                at[NODES], at[HITS] = before
            return status
    return MORE


@njit(cache=True)
def deepen_compound_moves(task: Any, patterns: Any, needless: Any, opened: Any, seen: Any, at: Any, quota: int) -> Any:
    """Like `deepen_rows`, for a task that carries: a child is any state that one thing's moving along leads to.

    What was carried last is not carried again at once.
    """
    words, facts = task.words, 64 * task.words
    state = np.empty(words, np.uint64)
    rows = np.empty((facts, words), np.uint64)
    place = np.empty(facts, np.int32)
    stamp = np.zeros(facts, np.int64)
    now = 0
    end = at[NODES] + quota
    while at[NODES] < end:
        before = at[NODES], at[HITS]
        status, cost, last, depth = take(opened, seen, at, state)
        if status != MORE:
            return status
        top = at[TOP]
        for w in range(words):
            bits = state[w] & task.watched[w]
            while bits and status == MORE:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                if last >= 0 and task.displacement[last, 1] == fact:
                    continue
                now += 1
                rows[0] = state
                place[0] = fact
                stamp[fact] = now
                head, tail = 0, 1
                while head < tail and status == MORE:
                    for i in range(task.watch_first[place[head]], task.watch_first[place[head] + 1]):
                        op = np.int64(task.watch_ops[i])
                        there = np.int64(task.displacement[op, 1])
                        if stamp[there] == now or not applies(task, op, rows[head]):
                            continue
                        apply(task, op, rows[head], rows[tail])
                        stamp[there] = now
                        place[tail] = there
                        total = cost + task.cost[op]
                        status = consider(task, patterns, opened, seen, at, rows[tail], total, op, depth + 1)
                        tail += 1
                        if status != MORE:
                            break
                    head += 1
        if status != MORE:
            put_back(opened, seen, at, state, top, cost, last, depth)
            if status == ROOM:
                at[NODES], at[HITS] = before
            return status
    return MORE
