"""Compiled kernels of pattern databases: filling them backward from the goal, and looking a state up."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime.bitops import trailing_zeros
from ...runtime.kernel_cache import njit

ONE = np.uint64(1)
UNREACHED = 255
"""An entry of a table from which the goal cannot be reached."""


@njit(cache=True)
def patterns_value(patterns: Any, row: Any) -> Any:
    """A lower bound on the cost from a packed state to the goal; -1 if the goal cannot be reached.

    Definition: the sum of `single[f]` over the true facts, plus, for each table, its entry at the sum of `step[f]`
    over the true facts that belong to it.
    """
    total = np.int64(0)
    for w in range(len(patterns.single_mask)):
        bits = row[w] & patterns.single_mask[w]
        while bits:
            fact = (w << 6) + np.int64(trailing_zeros(bits))
            bits &= bits - ONE
            value = patterns.single[fact]
            if value < 0:
                return np.int64(-1)
            total += value
    for p in range(len(patterns.first)):
        index = patterns.first[p]
        for w in range(patterns.masks.shape[1]):
            bits = row[w] & patterns.masks[p, w]
            while bits:
                index += patterns.step[(w << 6) + np.int64(trailing_zeros(bits))]
                bits &= bits - ONE
        entry = patterns.values[index]
        if entry == UNREACHED:
            return np.int64(-1)
        total += np.int64(entry)
    return total


@njit(cache=True)
def goal_placements(shape: Any, allowed: Any, excluded: Any, values: Any, queue: Any) -> int:
    """Enter the placements of a pattern's things in which each is where it may end; gives their number.

    `shape` is (sizes, strides, offsets), one a thing: place p of thing i is the local place offsets[i] + p.
    `allowed`: for each local place whether a thing may end there; `excluded`: for each the local places, as bit rows,
    that another thing cannot have meanwhile.
    """
    sizes, strides, offsets = shape
    things, words = len(sizes), excluded.shape[1]
    barred = np.empty(words, np.uint64)
    tail = 0
    for index in range(len(values)):
        barred[:] = 0
        good = True
        for i in range(things):
            local = offsets[i] + index // strides[i] % sizes[i]
            if not allowed[local] or (barred[local >> 6] >> np.uint64(local & 63)) & ONE:
                good = False
                break
            for w in range(words):
                barred[w] |= excluded[local, w]
        if good:
            values[index] = 0
            queue[tail] = index
            tail += 1
    return tail


@njit(cache=True)
def spread(shape: Any, arcs: Any, values: Any, queue: Any, head: int, tail: int, carrying: bool, quota: int) -> Any:
    """Breadth-first, backward, over the placements of a pattern's things; the others are not there.

    `shape` as in `goal_placements`; `arcs` is (first, before, blocked): the arcs that lead to a local place stand from
    first[.] on; each comes from the place `before` of the same thing, unless a local place of the bit row `blocked`
    is taken. With `carrying`, all arcs of one thing in a row count one. Expands at
    most `quota` placements of `queue`; gives (head, tail).
    """
    sizes, strides, offsets = shape
    first, before, blocked = arcs
    things, words = len(sizes), blocked.shape[1]
    place = np.empty(things, np.int64)
    taken = np.empty(words, np.uint64)
    widest = 0
    for i in range(things):
        widest = max(widest, sizes[i])
    seen = np.full(widest, -1, np.int64)
    way = np.empty(widest, np.int64)
    stamp = 0
    end = head + quota
    while head < min(tail, end):
        index = np.int64(queue[head])
        head += 1
        distance = min(values[index] + 1, UNREACHED - 1)
        taken[:] = 0
        for i in range(things):
            place[i] = index // strides[i] % sizes[i]
            local = offsets[i] + place[i]
            taken[local >> 6] |= ONE << np.uint64(local & 63)
        for i in range(things):
            stamp += 1
            way[0] = place[i]
            seen[place[i]] = stamp
            done, reached = 0, 1
            while done < reached:
                here = way[done]
                done += 1
                for arc in range(first[offsets[i] + here], first[offsets[i] + here + 1]):
                    there = np.int64(before[arc])
                    if seen[there] == stamp:
                        continue
                    clear = True
                    for w in range(words):
                        if blocked[arc, w] & taken[w]:
                            clear = False
                            break
                    if not clear:
                        continue
                    seen[there] = stamp
                    if carrying:
                        way[reached] = there
                        reached += 1
                    other = index + (there - place[i]) * strides[i]
                    if values[other] == UNREACHED:
                        values[other] = distance
                        queue[tail] = other
                        tail += 1
    return head, tail


@njit(cache=True)
def flood(start: int, closed: int, near: Any) -> Any:
    """The places of the tracked thing, as bits, that lead to place `start` without one of the places `closed`."""
    region = np.int64(1) << start
    fresh = region
    while fresh:
        more = np.int64(0)
        while fresh:
            more |= near[np.int64(trailing_zeros(np.uint64(fresh)))]
            fresh &= fresh - 1
        fresh = more & ~closed & ~region
        region |= fresh
    return region


@njit(cache=True)
def spread_tracked(
    shape: Any, arcs: Any, near: Any, values: Any, reached: Any, queue: Any, span: Any, distance: int, room: int
) -> Any:
    """Like `spread`, for things that move into the one place of a tracked thing (a blank) and leave it theirs.

    A node is a placement with a region of the tracked thing's places: it moves for nothing where no thing of the
    pattern is. `shape` is (sizes, strides, offsets, covers): covers[local place] is the tracked place that it takes.
    `arcs` is (first, before): the arcs to a local place, by the places that they come from. `near`: for each tracked
    place the bits of those from which it is entered. `reached`: for each placement the bits of the tracked places
    met. `queue` holds placement * 64 + tracked place; of its nodes from span[0], all before span[1], at this distance
    from the goal, are expanded while there is room for `room` more. Gives (head, tail).
    """
    sizes, strides, offsets, covers = shape
    first, before = arcs
    things = len(sizes)
    place = np.empty(things, np.int64)
    head, end, tail = span
    further = min(distance + 1, UNREACHED - 1)
    while head < end and tail + room < len(queue):
        index, blank = queue[head] >> 6, queue[head] & 63
        head += 1
        closed = np.int64(0)
        for i in range(things):
            place[i] = index // strides[i] % sizes[i]
            closed |= np.int64(1) << covers[offsets[i] + place[i]]
        region = flood(blank, closed, near)
        for i in range(things):
            local = offsets[i] + place[i]
            left = covers[local]
            for arc in range(first[local], first[local + 1]):
                there = before[arc]
                entered = covers[offsets[i] + there]
                if not (region >> entered) & 1:
                    continue
                other = index + (there - place[i]) * strides[i]
                if (np.int64(reached[other]) >> left) & 1:
                    continue
                now = closed ^ (np.int64(1) << left) ^ (np.int64(1) << entered)
                reached[other] |= flood(left, now, near)
                if values[other] == UNREACHED:
                    values[other] = further
                queue[tail] = other << 6 | left
                tail += 1
    return head, tail
