"""Relaxed reachability over four facts at a time: h⁴, where a task is small enough for it.

The same fixpoint as h² and h³ (Haslum and Geffner 2000). On the classic Klotski opening it proves 82 of 116 steps,
where triples prove 52; on the 93-step Rush Hour board 82 of 93 steps, where triples prove 46. It costs seconds for
some tens of facts, and grows with the fourth power of their number.

Sets of four different facts p > q > r > s are numbered C(p, 4) + C(q, 3) + C(r, 2) + s (the combinatorial number
system); smaller sets are kept in a cube as in h³.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel_cache import njit
from .h3 import Cube
from .relations import NEVER, Relations

Quads = NDArray[np.int16]
"""Values of sets of four facts, by number."""


def fixpoint(
    start: Cube,
    start4: Quads,
    allowed: NDArray[np.bool_],
    allowed4: NDArray[np.bool_],
    relations: Relations,
    weights: NDArray[np.int16],
    stop: NDArray[np.uint8],
) -> tuple[Cube, Quads]:
    """The least values from those of `start` for the allowed sets: of up to three facts (F, F, F), and of four.

    Another thread may set `stop` (1) to end the computation; then the values are too large to be bounds.
    """
    values = np.where(allowed, start, np.int16(NEVER))
    values4 = np.where(allowed4, start4, np.int16(NEVER))
    if len(weights):
        _relax(values, values4, allowed, allowed4, relations[0], relations[1], weights, stop)
    return values, values4


@njit(cache=True, nogil=True)
def quads_of(cube: Any) -> Any:
    """The sets of four all of whose triples are true in `cube` (F, F, F), by number."""
    count = len(cube)
    found = np.zeros(count * (count - 1) * (count - 2) * (count - 3) // 24, np.bool_)
    number = 0
    for p in range(count):
        for q in range(p):
            for r in range(q):
                both = cube[p, q, r]
                for s in range(r):
                    if both:
                        found[number] = cube[p, q, s] and cube[p, r, s] and cube[q, r, s]
                    number += 1
    return found


@njit(cache=True, nogil=True)
def beside(cube: Any, quads: Any, fact: int) -> Any:
    """(F, F, F): the sets of up to three facts that are true in `cube`, and true together with `fact`."""
    count = len(cube)
    found = np.zeros(cube.shape, np.bool_)
    for p in range(count):
        for q in range(p + 1):
            for r in range(q + 1):
                if p in (q, fact) or q in (r, fact) or r == fact:  # three different facts at most, with `fact`
                    fits = cube[p, q, r] and cube[p, q, fact] and cube[q, r, fact] and cube[p, r, fact]
                else:
                    fits = quads[_number(p, q, r, fact)]
                found[p, q, r] = found[p, r, q] = found[q, p, r] = fits
                found[q, r, p] = found[r, p, q] = found[r, q, p] = fits
    return found


@njit(cache=True, nogil=True)
def _number(a: int, b: int, c: int, d: int) -> Any:
    """The number of a set of four facts, or -1 if two are the same."""
    if a < b:
        a, b = b, a
    if c < d:
        c, d = d, c
    if a < c:
        a, c = c, a
    if b < d:
        b, d = d, b
    if b < c:
        b, c = c, b
    if a == b or b == c or c == d:
        return -1
    return a * (a - 1) * (a - 2) * (a - 3) // 24 + b * (b - 1) * (b - 2) // 6 + c * (c - 1) // 2 + d


@njit(cache=True, nogil=True)
def _get(values: Any, a: int, b: int, c: int, d: int) -> Any:
    """The value of four facts; 0 if two are the same (smaller sets have values of their own)."""
    number = _number(a, b, c, d)
    return 0 if number < 0 else np.int64(values[number])


@njit(cache=True, nogil=True)
def _lower3(values: Any, allowed: Any, stamp: Any, clock: int, p: int, q: int, r: int, value: int) -> bool:
    if value >= values[p, q, r] or not allowed[p, q, r]:
        return False
    values[p, q, r] = values[p, r, q] = values[q, p, r] = value
    values[q, r, p] = values[r, p, q] = values[r, q, p] = value
    stamp[p] = stamp[q] = stamp[r] = clock
    return True


@njit(cache=True, nogil=True)
def _lower4(values: Any, allowed: Any, stamp: Any, clock: int, a: int, b: int, c: int, d: int, value: int) -> bool:
    number = _number(a, b, c, d)
    if number < 0 or value >= values[number] or not allowed[number]:
        return False
    values[number] = value
    stamp[a] = stamp[b] = stamp[c] = stamp[d] = clock
    return True


@njit(cache=True, nogil=True)
def _worst(values: Any, values4: Any, facts: Any) -> Any:
    """The largest value of a set of at most four of these facts."""
    cost: Any = 0
    for i in range(len(facts)):
        for j in range(i + 1):
            for k in range(j + 1):
                cost = max(cost, np.int64(values[facts[i], facts[j], facts[k]]))
                for m in range(k):
                    cost = max(cost, _get(values4, facts[i], facts[j], facts[k], facts[m]))
    return cost


@njit(cache=True, nogil=True)
def _relax(
    values: Any, values4: Any, allowed: Any, allowed4: Any, offsets: Any, facts: Any, weights: Any, stop: Any
) -> None:
    """Lower the values in place to the least fixpoint of: what an operator adds, together with up to three facts
    that it keeps, is true one weight after what it requires was true together with those, by the largest value of
    a set of at most four facts. In the order of the costs, level by level, as in h³."""
    count, operators = len(values), len(weights)
    kept = np.ones(count, np.bool_)
    stamp = np.zeros(count, np.int64)  # when a value of the fact last changed
    done = np.full(operators, -1, np.int64)  # when the operator was last looked at
    later = np.zeros(operators, np.int64)  # the least cost above the level that was seen then
    fits = np.empty(count, np.int64)
    alone = np.empty(count, np.int64)  # the cost of `pre` and a kept fact
    paired = np.empty((count, count), np.int64)  # the cost of `pre` and two kept facts
    clock = np.int64(0)
    level = np.int64(0)
    changed = True
    while True:
        if not changed:
            level = later.min()
            if level >= NEVER:
                return
        changed = False
        for op in range(operators):
            pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
            add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
            delete = facts[offsets[3 * op + 2] : offsets[3 * op + 3]]
            fresh = later[op] <= level
            for p in pre:
                if stamp[p] > done[op]:
                    fresh = True
            if not fresh:
                continue
            if stop[0]:
                return
            done[op] = clock
            cost = _worst(values, values4, pre)
            later[op] = cost if cost > level else NEVER
            if cost > level:
                continue
            clock += 1
            weight = weights[op]
            for p in add:
                kept[p] = False
            for p in delete:
                kept[p] = False
            for p in add:
                for q in add:
                    for r in add:
                        if _lower3(values, allowed, stamp, clock, p, q, r, cost + weight):
                            changed = True
                        for s in add:
                            if _lower4(values4, allowed4, stamp, clock, p, q, r, s, cost + weight):
                                changed = True
            found = 0  # the kept facts that may stand beside what the operator requires, at this level
            for r in range(count):
                if not kept[r]:
                    continue
                total = max(cost, np.int64(values[r, r, r]))
                for i in range(len(pre)):
                    for j in range(i + 1):
                        total = max(total, np.int64(values[r, pre[i], pre[j]]))
                        for k in range(j):
                            total = max(total, _get(values4, r, pre[i], pre[j], pre[k]))
                if total > level:
                    later[op] = min(later[op], total)
                    continue
                fits[found] = r
                alone[found] = total
                found += 1
                for p in add:
                    for q in add:
                        if _lower3(values, allowed, stamp, clock, p, q, r, total + weight):
                            changed = True
                        for s in add:
                            if _lower4(values4, allowed4, stamp, clock, p, q, s, r, total + weight):
                                changed = True
                    if _lower3(values, allowed, stamp, clock, p, r, r, total + weight):
                        changed = True
            for i in range(found):
                r = fits[i]
                for j in range(i):
                    s = fits[j]
                    total = max(alone[i], alone[j], np.int64(values[r, r, s]))
                    for a in range(len(pre)):
                        total = max(total, np.int64(values[r, s, pre[a]]))
                        for b in range(a):
                            total = max(total, _get(values4, r, s, pre[a], pre[b]))
                    paired[i, j] = total
                    if total > level:
                        later[op] = min(later[op], total)
                        continue
                    for p in add:
                        if _lower3(values, allowed, stamp, clock, p, r, s, total + weight):
                            changed = True
                        for q in add:
                            if _lower4(values4, allowed4, stamp, clock, p, q, r, s, total + weight):
                                changed = True
                    for k in range(j):
                        if paired[i, k] > level or paired[j, k] > level:
                            continue
                        u = fits[k]
                        improves = False
                        for p in add:
                            number = _number(p, r, s, u)
                            if values4[number] > level + weight and allowed4[number]:
                                improves = True
                        if not improves:
                            continue
                        most = max(total, paired[i, k], paired[j, k], np.int64(values[r, s, u]))
                        for p in pre:
                            most = max(most, _get(values4, r, s, u, p))
                        if most > level:
                            later[op] = min(later[op], most)
                            continue
                        for p in add:
                            if _lower4(values4, allowed4, stamp, clock, p, r, s, u, most + weight):
                                changed = True
            for p in add:
                kept[p] = True
            for p in delete:
                kept[p] = True
