"""Relaxed reachability over triples of facts: h³, the next rung above h² (Haslum and Geffner 2000, h^m for m = 3).

The value of {p, q, r} is a lower bound on the horizon at which the three can be true together. Where a few free
cells decide everything, pairs see little and triples much: on the classic Klotski opening h² proves 7 steps and
h³ 52 (of 116), in a twentieth of a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel_cache import njit
from .relations import NEVER, Relations

Cube = NDArray[np.int16]
"""Values of triples, (F, F, F), symmetric; [p, q, q] is the pair {p, q}, [p, p, p] the fact p."""


def fixpoint(
    start: Cube,
    allowed: NDArray[np.bool_],
    relations: Relations,
    weights: NDArray[np.int16],
    stop: NDArray[np.uint8],
) -> Cube:
    """The least values from those of `start`, for the triples that are `allowed`; the others are `NEVER`.

    Another thread may set `stop` (1) to end the computation; then the values are too large to be bounds.
    """
    values = np.where(allowed, start, np.int16(NEVER))
    if len(weights):
        _relax(values, allowed, relations[0], relations[1], weights, stop)
    return values


def from_pairs(pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(F, F, F): the triples all of whose pairs (F, F) are true."""
    cube = pairs[:, :, None] & pairs[:, None, :]
    cube &= pairs[None, :, :]
    return cube


def with_goal(together: NDArray[np.bool_], goal: tuple[tuple[int, ...], ...]) -> NDArray[np.bool_]:
    """The triples that some goal state may contain: each clause has a fact that goes with every two of them."""
    possible = together.copy()
    for clause in goal:
        met = np.zeros_like(possible)
        for fact in clause:
            met |= from_pairs(together[fact])
        possible &= met
    return possible


@njit(cache=True, nogil=True)
def _lower(values: Any, allowed: Any, stamp: Any, clock: int, p: int, q: int, r: int, value: int) -> bool:
    """Set a triple to `value` if that is less, and stamp its pairs with the clock; whether it was less."""
    if value >= values[p, q, r] or not allowed[p, q, r]:
        return False
    values[p, q, r] = values[p, r, q] = value
    values[q, p, r] = values[q, r, p] = value
    values[r, p, q] = values[r, q, p] = value
    stamp[p, p] = stamp[q, q] = stamp[r, r] = clock
    stamp[p, q] = stamp[q, p] = clock
    stamp[p, r] = stamp[r, p] = clock
    stamp[q, r] = stamp[r, q] = clock
    return True


@njit(cache=True, nogil=True)
def _relax(values: Any, allowed: Any, offsets: Any, facts: Any, weights: Any, stop: Any) -> None:
    """Lower `values` in place to the least fixpoint of

        values[p, q, r] <= weight + cost(pre)               for p, q, r in add
        values[p, q, r] <= weight + cost(pre + {r})         for p, q in add and r kept
        values[p, r, s] <= weight + cost(pre + {r, s})      for p in add and r, s kept

    over all operators, where a fact is kept if it is neither in add nor in delete, and cost(S) is the largest
    value of a triple in S. In the order of the costs, level by level, so that a value once set is final.

    Within a level an operator is looked at again only for the pairs r, s for which something may have changed:
    because r or s fits beside `pre` only now, or because a triple of r, s and a fact of `pre` was set.
    """
    count, operators = len(values), len(weights)
    kept = np.ones(count, np.bool_)
    stamp = np.zeros((count, count), np.int64)  # when a triple with the pair was last set
    fitted = np.zeros((operators, count), np.bool_)  # whether the fact stood beside `pre` when last looked at
    done = np.full(operators, -1, np.int64)  # when the operator was last looked at
    later = np.zeros(operators, np.int64)  # the least cost above the level that was seen then
    with_pre = np.empty(count, np.int64)
    fits = np.empty(count, np.int64)
    news = np.empty(count, np.bool_)
    clock = np.int64(0)
    level = 0
    changed = True
    while True:
        if not changed:  # nothing more at this level
            level = later.min()
            if level >= NEVER:
                return
        changed = False
        for op in range(operators):
            pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
            add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
            delete = facts[offsets[3 * op + 2] : offsets[3 * op + 3]]
            every = later[op] <= level  # a new level: look at all pairs
            fresh = every
            for p in pre:
                if stamp[p, p] > done[op]:
                    fresh = True
            if not fresh:
                continue
            if stop[0]:
                return
            since = done[op]
            done[op] = clock
            cost = 0
            for i in range(len(pre)):
                for j in range(i + 1):
                    for k in range(j + 1):
                        cost = max(cost, values[pre[i], pre[j], pre[k]])
            if cost > level:
                later[op] = cost
                continue
            if every:
                later[op] = NEVER
            clock += 1
            weight = weights[op]
            for p in add:
                kept[p] = False
            for p in delete:
                kept[p] = False
            for p in add:
                for q in add:
                    for r in add:
                        if _lower(values, allowed, stamp, clock, p, q, r, cost + weight):
                            changed = True
            found = 0  # the kept facts that may stand beside what the operator requires, at this level
            for r in range(count):
                if not kept[r]:
                    continue
                total = max(cost, values[r, r, r])
                for i in range(len(pre)):
                    for j in range(i + 1):
                        total = max(total, values[r, pre[i], pre[j]])
                if total > level:
                    later[op] = min(later[op], total)
                else:
                    with_pre[r] = total
                    fits[found] = r
                    news[found] = every or not fitted[op, r]
                    fitted[op, r] = True
                    found += 1
            for i in range(found):
                r = fits[i]
                for p in add:
                    for q in add:
                        if _lower(values, allowed, stamp, clock, p, q, r, with_pre[r] + weight):
                            changed = True
                    if _lower(values, allowed, stamp, clock, p, r, r, with_pre[r] + weight):
                        changed = True
                for j in range(i):
                    s = fits[j]
                    if not news[i] and not news[j] and stamp[r, s] <= since:
                        continue
                    improves = False
                    for p in add:
                        if values[p, r, s] > level + weight and allowed[p, r, s]:
                            improves = True
                    if not improves:
                        continue
                    total = max(with_pre[r], with_pre[s], values[r, r, s])
                    for p in pre:
                        total = max(total, values[r, s, p])
                    if total > level:
                        later[op] = min(later[op], total)
                        continue
                    for p in add:
                        if _lower(values, allowed, stamp, clock, p, r, s, total + weight):
                            changed = True
            for p in add:
                kept[p] = True
            for p in delete:
                kept[p] = True
