"""Relaxed reachability over pairs of facts: h², forward from the initial state and backward from the goal.

The value of a pair {p, q} is a lower bound on the horizon at which both can be true together: the least
fixpoint of "an operator makes a pair true when all pairs of what it needs were true" (Haslum and Geffner,
*Admissible heuristics for optimal planning*, AIPS 2000). Backward, operators are reversed (Alcázar and
Torralba, *A reminder about the importance of computing and exploiting invariants in planning*, ICAPS 2015):
a lower bound on the horizon still needed from any state in which the pair is true. A pair without a finite
value is a mutex: no state on any plan contains it. The two directions prune each other until nothing changes.

Distances count the first component of the cost: horizon steps, where every step costs one. What a walker
walks between steps weighs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..models.explicit import plain
from ..models.task import Task

NEVER = 30_000
"""The value of a pair that can never be true."""

ROUNDS = 4
"""How often the two directions may prune each other."""

Pairs = NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Layers:
    """h² of a task with F facts.

    `forward[p, q]` (F, F): no state before horizon step `forward[p, q]` contains p and q; `backward[p, q]`:
    from a state that contains both, the goal needs at least so many steps more; `NEVER` in either: no state
    on a plan contains both. The diagonals are the single facts. `first`, `left` (N): the same for what each
    operator requires, and for what is true after it, the walker's cell or the thing carried included (a carry
    has been paid for when its operators are reached). `lower_bound`: no plan has fewer steps; None: no plan exists.
    """

    forward: Pairs
    backward: Pairs
    first: NDArray[np.int32]
    left: NDArray[np.int32]
    lower_bound: int | None


def reachability_layers(task: Task) -> Layers:
    """Compute h² in both directions for a task, on its plain form."""
    explicit = plain(task)
    weights = np.array([op.cost[0] for op in explicit.operators], np.int16)
    ahead = _relations([(op.pre, op.add, op.delete) for op in explicit.operators])
    back = _relations(
        [(tuple(sorted({*op.pre, *op.add} - {*op.delete})), op.delete, op.add) for op in explicit.operators]
    )
    count = len(explicit.facts)
    start = np.full((count, count), NEVER, np.int16)
    start[np.ix_(explicit.init, explicit.init)] = 0
    allowed = _possible(explicit)
    forward = backward = start
    for _ in range(ROUNDS):
        forward = _fixpoint(start, allowed, ahead, weights)
        allowed = forward < NEVER
        target = np.where(_with_goal(forward, explicit.goal), np.int16(0), np.int16(NEVER))
        backward = _fixpoint(target, allowed, back, weights)
        alive = backward < NEVER
        if (alive == allowed).all():
            break
        allowed &= alive
    init = np.ix_(explicit.init, explicit.init)
    bound = max(int(backward[init].max(initial=0)), _goal_value(forward, explicit.goal))
    facts = len(task.facts)
    own = explicit.operators[: len(task.operators)]
    return Layers(
        np.ascontiguousarray(forward[:facts, :facts]),
        np.ascontiguousarray(backward[:facts, :facts]),
        np.array([_largest(forward, op.pre) for op in own], np.int32),
        np.array([_largest(backward, [*set(op.pre).difference(op.delete), *op.add]) for op in own], np.int32),
        None if bound >= NEVER else bound,
    )


def _largest(values: Pairs, facts: Sequence[int]) -> int:
    """The largest value of a pair of these facts."""
    return int(values[np.ix_(facts, facts)].max(initial=0))


def _possible(task: Task) -> NDArray[np.bool_]:
    """The pairs that the task's groups do not exclude."""
    possible = np.ones((len(task.facts), len(task.facts)), np.bool_)
    for group in task.groups:
        if group.count <= 1:
            members = np.array(group.facts, np.int64)
            possible[np.ix_(members, members)] = False
            if group.count == 1:
                possible[members, members] = True
    return possible


def _with_goal(forward: Pairs, goal: tuple[tuple[int, ...], ...]) -> NDArray[np.bool_]:
    """The pairs that some goal state may contain: each clause has a fact that goes with both."""
    together = forward < NEVER
    possible = together.copy()
    for clause in goal:
        met = np.zeros_like(possible)
        for fact in clause:
            met |= np.outer(together[fact], together[fact])
        possible &= met
    return possible


def _goal_value(forward: Pairs, goal: tuple[tuple[int, ...], ...]) -> int:
    """The least horizon at which every two goal clauses can hold together."""
    return max(
        (
            min(int(forward[p, q]) for p, q in product(one, other)) if one and other else NEVER
            for i, one in enumerate(goal)
            for other in goal[: i + 1]
        ),
        default=0,
    )


Relations = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Flattened (pre, add, delete) of N operators: offsets (3 N + 1) and facts."""


def _relations(operators: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]) -> Relations:
    parts = [part for op in operators for part in op]
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int32)
    return offsets, np.array([fact for part in parts for fact in part], np.int32)


def _fixpoint(start: Pairs, allowed: NDArray[np.bool_], relations: Relations, weights: NDArray[np.int16]) -> Pairs:
    values = np.where(allowed, start, np.int16(NEVER))
    _relax(values, allowed, relations[0], relations[1], weights)
    return values


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
