"""Relaxed reachability over pairs of facts: h².

The value of a pair {p, q} is a lower bound on the horizon at which both can be true together: the least
fixpoint of "an operator makes a pair true when all pairs of what it needs were true" (Haslum and Geffner,
*Admissible heuristics for optimal planning*, AIPS 2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernel_cache import njit
from .relations import NEVER, Relations

Pairs = NDArray[np.int16]
"""Values of pairs, (F, F), symmetric; the diagonal is the single facts."""


def fixpoint(start: Pairs, allowed: NDArray[np.bool_], relations: Relations, weights: NDArray[np.int16]) -> Pairs:
    """The least values from those of `start`, for the pairs that are `allowed`; the others are `NEVER`."""
    values = np.where(allowed, start, np.int16(NEVER))
    _relax(values, allowed, relations[0], relations[1], weights)
    return values


def with_goal(together: NDArray[np.bool_], goal: tuple[tuple[int, ...], ...]) -> NDArray[np.bool_]:
    """The pairs that some goal state may contain: each clause has a fact that goes with both."""
    possible = together.copy()
    for clause in goal:
        met = np.zeros_like(possible)
        for fact in clause:
            met |= np.outer(together[fact], together[fact])
        possible &= met
    return possible


@njit(cache=True)
def _relax(values: Any, allowed: Any, offsets: Any, facts: Any, weights: Any) -> None:
    """Lower `values` in place to the least fixpoint of

        values[p, q] <= weight + cost(pre)                  for p, q in add
        values[p, r] <= weight + cost(pre + {r})            for p in add, r neither in add nor in delete

    over all operators, where cost(S) is the largest value of a pair in S; pairs not `allowed` stay `NEVER`.
    """
    count, operators = len(values), len(weights)
    kept = np.ones(count, np.bool_)
    stamp = np.zeros(count, np.int64)  # when a value of the fact last changed
    done = np.full(operators, -1, np.int64)  # when the operator was last looked at
    clock = np.int64(0)
    changed = True
    while changed:
        changed = False
        for op in range(operators):
            pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
            add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
            delete = facts[offsets[3 * op + 2] : offsets[3 * op + 3]]
            fresh = done[op] < 0
            for p in pre:
                if stamp[p] > done[op]:
                    fresh = True
            if not fresh:
                continue
            done[op] = clock
            cost = 0
            for i in range(len(pre)):
                for j in range(i + 1):
                    cost = max(cost, values[pre[i], pre[j]])
            if cost >= NEVER:
                continue
            clock += 1
            weight = weights[op]
            for p in add:
                kept[p] = False
            for p in delete:
                kept[p] = False
            for p in add:
                for q in add:
                    if cost + weight < values[p, q] and allowed[p, q]:
                        values[p, q] = values[q, p] = cost + weight
                        stamp[p] = stamp[q] = clock
                        changed = True
            for r in range(count):
                if not kept[r] or values[r, r] >= NEVER:
                    continue
                total = max(cost, values[r, r])
                for p in pre:
                    total = max(total, values[r, p])
                if total >= NEVER:
                    continue
                for p in add:
                    if total + weight < values[p, r] and allowed[p, r]:
                        values[p, r] = values[r, p] = total + weight
                        stamp[p] = stamp[r] = clock
                        changed = True
            for p in add:
                kept[p] = True
            for p in delete:
                kept[p] = True
