"""Compiled kernels over the graph of stored states: its edges, distances to the goal, steps that lose nothing.

They need the table of a search that has stored every successor of the states that they look at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....analysis.bitset_kernels import ONE, applies, apply, find, is_goal, walk_region
from ....runtime.bitops import trailing_zeros
from ....runtime.kernel_cache import njit


@njit(cache=True)
def scratch(task: Any) -> Any:
    """What `successors` works in: rows for successors, places of a thing carried, regions of a walker."""
    facts, cells = 64 * task.words, len(task.free_bit)
    most = 1
    for fact in range(len(task.watch_first) - 1):
        most = max(most, task.watch_first[fact + 1] - task.watch_first[fact])
    if len(task.displacement):
        most = max(most, facts)
    rows = np.empty((most + 1, task.words + (1 if cells else 0)), np.uint64)
    place = np.empty(facts, np.int32)
    seen = np.zeros(facts, np.uint8)
    regions = np.zeros((2, max(1, cells)), np.uint8)
    stack = np.empty(max(1, cells), np.int32)
    return rows, place, seen, regions, stack


@njit(cache=True)
def enter(task: Any, state: Any, work: Any) -> None:
    """Look at a state before its `successors`: where can the walker get to?"""
    if len(task.free_bit):
        walk_region(task, state, np.int64(state[task.words]), work[3][0], work[4])


@njit(cache=True)
def successors(task: Any, state: Any, fact: int, work: Any) -> int:
    """Write the successors by the operators that are indexed under a true fact to rows[1:n]; gives n.

    In a task that carries, these are all states that the thing at this place can be carried to. The state has been
    entered.
    """
    rows, place, seen, regions, stack = work
    words, cells = task.words, len(task.free_bit)
    rows[0] = state
    tail = 1
    if len(task.displacement):
        place[0] = fact
        seen[fact] = 1
        head = 0
        while head < tail:
            here = place[head]
            for i in range(task.watch_first[here], task.watch_first[here + 1]):
                op = task.watch_ops[i]
                there = task.displacement[op, 1]
                if not seen[there] and applies(task, op, rows[head]):
                    seen[there] = 1
                    place[tail] = there
                    apply(task, op, rows[head], rows[tail])
                    tail += 1
            head += 1
        for i in range(tail):
            seen[place[i]] = 0
        return tail
    for i in range(task.watch_first[fact], task.watch_first[fact + 1]):
        op = task.watch_ops[i]
        if not applies(task, op, state) or (cells and not regions[0, task.walk[op, 0]]):
            continue
        apply(task, op, state, rows[tail])
        if cells:
            rows[tail, words] = walk_region(task, rows[tail], task.walk[op, 1], regions[1], stack)
        tail += 1
    return tail


@njit(cache=True)
def link(task: Any, states: Any, table: Any, cursor: int, end: int, place: Any, sources: Any) -> None:
    """Count the edges from states[cursor:end] by their target in `place`, or enter their sources.

    With `sources` empty, place[t] is increased for each edge to t. Otherwise each edge's source is written to
    sources[place[t]], and place[t] increased.
    """
    work = scratch(task)
    counting = len(sources) == 0
    for source in range(cursor, end):
        enter(task, states[source], work)
        for w in range(task.words):
            bits = states[source, w] & task.watched[w]
            while bits:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                n = successors(task, states[source], fact, work)
                for i in range(1, n):
                    target = table[find(states, table, work[0][i])]
                    if not counting:
                        sources[place[target]] = source
                    place[target] += 1


@njit(cache=True)
def goals(task: Any, states: Any, count: int) -> Any:
    """For each state whether the goal holds in it."""
    found = np.zeros(count, np.bool_)
    for i in range(count):
        found[i] = is_goal(task, states[i])
    return found


@njit(cache=True)
def distances(first: Any, sources: Any, distance: Any, queue: Any, head: int, tail: int, quota: int) -> tuple[int, int]:
    """Go on for `quota` states to write the least number of edges to a goal for each, -1 where no way leads to one.

    `distance` is 0 for the goals at first, and queue[head:tail] are the states to go on from: the goals. Returns the
    new (head, tail). The edges to state t come from sources[first[t]:first[t + 1]].
    """
    last = min(head + quota, len(queue))
    while head < min(last, tail):
        target = queue[head]
        head += 1
        for i in range(first[target], first[target + 1]):
            source = sources[i]
            if distance[source] < 0:
                distance[source] = distance[target] + 1
                queue[tail] = source
                tail += 1
    return head, tail


@njit(cache=True)
def mark_leading(task: Any, states: Any, table: Any, start: int, stop: int, end: int, count: int, leads: Any) -> None:
    """Mark those of states[start:stop] with a successor in the next layer, states[end:count], that is marked."""
    work = scratch(task)
    for source in range(start, stop):
        enter(task, states[source], work)
        for w in range(task.words):
            bits = states[source, w] & task.watched[w]
            while bits and not leads[source]:
                fact = (w << 6) + np.int64(trailing_zeros(bits))
                bits &= bits - ONE
                n = successors(task, states[source], fact, work)
                for i in range(1, n):
                    target = table[find(states, table, work[0][i])]
                    if end <= target < count and leads[target]:
                        leads[source] = True
                        break
