"""Compiled kernels of pattern databases: filling them backward from the goal, and looking a state up.

A *placement* of a table's objects is one number: the sum of place * stride over them, where the stride of an object is
the product of the numbers of places before it. All places of all objects are numbered one after the other, too: the
*local places*. Two tiles on a board of 2x2 cells, of four places each:

                   sizes    4    4            tile A on place 2, tile B on place 1:
                   strides  1    4            placement 2 * 1 + 1 * 4 = 6
                   offsets  0    4            local places 0 + 2 = 2 and 4 + 1 = 5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.arrays import Bytes, Flags, Int, Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE, has_bit

UNREACHED = 255
"""An entry of a table from which the goal cannot be reached."""


class Patterns(NamedTuple):
    """The tables of a task with F facts, W words a state, for `patterns_value`.

    `single` (F): what a true fact adds by itself, -1 where no goal can be reached; `single_mask` (W): the bits of
    facts with such a value other than 0. `masks` (P, W): the bits that belong to each table; `step` (F): what a fact
    adds to the index of its table (place * stride); `first` (P): where each table begins in `values`, whose entries
    are costs, `UNREACHED` where no goal can be reached.
    """

    single: Longs
    single_mask: Words
    masks: Words
    step: Longs
    first: Longs
    values: Bytes


class Shape(NamedTuple):
    """How placements of a table's objects are numbered, by object: see above."""

    sizes: Longs
    strides: Longs
    offsets: Longs


class Arcs(NamedTuple):
    """Moves of a table's objects, by the local place that they lead to: those to place l are first[l] to first[l + 1].

    `before`: the place of the same object that each comes from. `blocked` (arcs, words): the local places, as bits, at
    which another object of the table bars it.
    """

    first: Longs
    before: Longs
    blocked: Words


class Blank(NamedTuple):
    """An object that is tracked while a table is filled, into whose place the others move (the blank of an n-puzzle).

    `covers`: for each local place that of the blank which an object there takes. `near`: for each place of the blank
    the bits of those from which it is entered when an object moves that is not in the table.
    """

    covers: Longs
    near: Longs


@njit(cache=True)
def patterns_value(patterns: Patterns, row: Words) -> int:
    """A lower bound on the cost from a packed state to the goal; -1 if the goal cannot be reached.

    Definition: the sum of `single[f]` over the true facts, plus, for each table, its entry at the sum of `step[f]`
    over the true facts that belong to it.
    """
    single, single_mask, masks, step = patterns.single, patterns.single_mask, patterns.masks, patterns.step
    first, values = patterns.first, patterns.values
    total = long(0)
    for w in range(len(single_mask)):
        # Only facts with a value other than 0 cost a turn.
        bits = row[w] & single_mask[w]
        while bits:
            value = single[(w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            if value < 0:
                return -1
            total += value
    for p in range(len(first)):
        # The steps of the true facts add up to the placement, sum of place * stride, and that is the entry's number.
        index = first[p]
        for w in range(masks.shape[1]):
            bits = row[w] & masks[p, w]
            while bits:
                index += step[(w << 6) + long(trailing_zeros(bits))]
                bits &= bits - ONE
        if values[index] == UNREACHED:
            return -1
        total += long(values[index])
    return total


@njit(cache=True)
def goal_placements(shape: Shape, allowed: Flags, excluded: Words, values: Bytes, queue: Longs) -> int:
    """Enter the placements of a table's objects in which each is where it may end; gives their number.

    `allowed`: for each local place whether an object may end there; `excluded`: for each the local places, as bit rows,
    that another object cannot have meanwhile.
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    objects, words = len(sizes), excluded.shape[1]
    barred = np.empty(words, np.uint64)
    tail = 0
    for index in range(len(values)):
        for w in range(words):
            barred[w] = 0
        good = True
        for i in range(objects):
            # The digit of object i in the mixed-radix number `index`; `barred` is the union of what the objects before
            # it exclude.
            local = offsets[i] + index // strides[i] % sizes[i]
            if not allowed[local] or has_bit(barred, local):
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
def spread(
    shape: Shape, arcs: Arcs, values: Bytes, queue: Longs, span: tuple[int, int, int], compound: bool
) -> tuple[int, int]:
    """Breadth-first search backward over the placements of a table's objects, as if there were no other objects.

    `span` (head, tail, quota): entries head to tail of `queue` wait, and at most `quota` of them are expanded. With
    `compound`, all arcs of one object in a row count one. Gives (head, tail).
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    first, before, blocked = arcs.first, arcs.before, arcs.blocked
    objects, words = len(sizes), blocked.shape[1]
    place = np.empty(objects, np.int64)
    taken = np.empty(words, np.uint64)
    widest = long(0)
    for i in range(objects):
        if sizes[i] > widest:
            widest = sizes[i]
    seen = np.empty(widest, np.int64)
    for p in range(widest):
        seen[p] = -1
    way = np.empty(widest, np.int64)
    # seen[p] = stamp: place p was met for the object and the placement at work now. A new stamp makes all places
    # unseen.
    stamp = 0
    head, tail, quota = span
    end = head + quota
    while head < tail and head < end:
        # 1. The places of the objects, apart and as bits.
        index = queue[head]
        head += 1
        # An entry is one byte. Distances that do not fit count as the largest that does: still a lower bound.
        distance = values[index] + 1 if values[index] + 1 < UNREACHED else UNREACHED - 1
        for w in range(words):
            taken[w] = 0
        for i in range(objects):
            place[i] = index // strides[i] % sizes[i]
            local = offsets[i] + place[i]
            taken[local >> 6] |= ONE << np.uint64(local & 63)
        # 2. For each object the places that it can have come from: by one arc, or (`compound`) by any number of them.
        for i in range(objects):
            stamp += 1
            way[0] = place[i]
            seen[place[i]] = stamp
            done, reached = 0, 1
            while done < reached:
                here = way[done]
                done += 1
                for arc in range(first[offsets[i] + here], first[offsets[i] + here + 1]):
                    there = before[arc]
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
                    if compound:
                        way[reached] = there
                        reached += 1
                    # 3. The placement with this object there is one move farther, if it is new.
                    other = index + (there - place[i]) * strides[i]
                    if values[other] == UNREACHED:
                        values[other] = distance
                        queue[tail] = other
                        tail += 1
    return head, tail


@njit(cache=True)
def flood(start: int, closed: int, near: Longs) -> int:
    """The places of the blank, as bits, that lead to place `start` without one of the places `closed`."""
    region = long(1) << start
    fresh = region
    # A wave at a time: the inner loop joins the neighbours of all places of the last wave; places are bits of one word.
    while fresh:
        more = long(0)
        while fresh:
            more |= near[long(trailing_zeros(np.uint64(fresh)))]
            fresh &= fresh - 1
        fresh = more & ~closed & ~region
        region |= fresh
    return region


@njit(cache=True)
def spread_tracked(
    shape: Shape,
    arcs: tuple[Longs, Longs],
    blank: Blank,
    table: tuple[Bytes, NDArray[np.uint32], Longs],
    span: tuple[int, int, int],
    distance: Int,
) -> tuple[int, int]:
    """Like `spread`, for objects that move into the one place of the blank and leave it theirs.

    A node is a placement with a region of the blank's places: the blank moves for nothing where no object of the table
    is. `arcs`: `first` and `before` of `Arcs`. `table`: (values, reached, queue), where `reached` holds for each
    placement the bits of the blank's places met, and `queue` placement * 64 + place of the blank. Of its nodes from
    span[0], those before span[1], at this distance from the goal, are expanded while there is room for what one of them
    can add; span[2] is its end. Gives (head, tail).
    """
    sizes, strides, offsets = shape.sizes, shape.strides, shape.offsets
    covers, near = blank.covers, blank.near
    first, before = arcs
    values, reached, queue = table
    objects = len(sizes)
    place = np.empty(objects, np.int64)
    head, end, tail = span
    room = 1 + len(before)
    further = distance + 1 if distance + 1 < UNREACHED else UNREACHED - 1
    while head < end and tail + room < len(queue):
        # 1. The places of the objects, and those of the blank that it reaches while they stay.
        # An entry of the queue is placement << 6 | place of the blank.
        index, here = queue[head] >> 6, queue[head] & 63
        head += 1
        closed = long(0)
        for i in range(objects):
            place[i] = index // strides[i] % sizes[i]
            closed |= long(1) << covers[offsets[i] + place[i]]
        region = flood(here, closed, near)
        # 2. Each object comes from a place that the blank reaches. Before that move the blank was where it is now.
        for i in range(objects):
            local = offsets[i] + place[i]
            left = covers[local]
            for arc in range(first[local], first[local + 1]):
                there = before[arc]
                entered = covers[offsets[i] + there]
                if not (region >> entered) & 1:
                    continue
                other = index + (there - place[i]) * strides[i]
                if (long(reached[other]) >> left) & 1:
                    continue
                # 3. A new region of the blank: all of it is met at once.
                # The object stood at `entered` before, so that is closed to the blank now and `left` is open.
                now = closed ^ (long(1) << left) ^ (long(1) << entered)
                reached[other] |= flood(left, now, near)
                if values[other] == UNREACHED:
                    values[other] = further
                queue[tail] = other << 6 | left
                tail += 1
    return head, tail
