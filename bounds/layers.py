"""Reachability layers: what cannot be true before which horizon step, and how far from the goal it is.

Forward from the initial state and backward from the goal (Alcázar and Torralba, *A reminder about the importance
of computing and exploiting invariants in planning*, ICAPS 2015), over pairs (h²) and, where that is affordable,
over triples (h³) and sets of four (h⁴). What has no finite value in one direction is on no plan; so the two
directions prune each other until nothing changes.

Distances count the first component of the cost: horizon steps, where every step costs one. What a walker walks
between steps weighs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..bounds import h2, h3, h4
from ..models.explicit import plain
from ..models.task import Task
from .relations import NEVER, backwards, forwards

ROUNDS = 4
"""How often the two directions may prune each other."""

MAX_WORK = {2: 10**15, 3: 200_000_000, 4: 300_000_000}
"""Sets of m facts are looked at where operators times (facts to the power of m - 1) is at most this: some seconds
of work for m = 3, up to a minute or two for m = 4."""

QUICK_WORK = 10_000_000
"""Triples within this are quick: they are looked at before anything else is tried."""

MAX_FACTS = {2: 20_000, 3: 450, 4: 160}
"""...and there are at most so many facts (to bound the memory)."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of a task with F facts and N operators.

    `forward[p, q]` (F, F): no state before horizon step `forward[p, q]` contains p and q; `backward[p, q]`:
    from a state that contains both, the goal needs at least so many steps more; `NEVER` in either: no state
    on a plan contains both. The diagonals are the single facts. `forward3`, `backward3` (F, F, F): the same for
    triples, or None. `first`, `left` (N): the same for what each operator requires, and for what is true after it,
    the walker's cell or the thing carried included (a carry has been paid for when its operators are reached).
    `lower_bound`: no plan has fewer steps; None: no plan exists. `name`: which relaxation this is.
    """

    forward: h2.Pairs
    backward: h2.Pairs
    forward3: h3.Cube | None
    backward3: h3.Cube | None
    first: NDArray[np.int32]
    left: NDArray[np.int32]
    lower_bound: int | None
    name: str

    def excluded_pairs(self, t: int, horizon: int) -> NDArray[np.bool_]:
        """(F, F): the pairs that no plan of `horizon` steps has in layer `t`."""
        excluded: NDArray[np.bool_] = (self.forward > t) | (self.backward > horizon - t)
        return excluded

    def excluded_triples(self, t: int, horizon: int, pairs: NDArray[np.bool_]) -> list[list[int]]:
        """The triples p > q > r that no plan of `horizon` steps has in layer `t`, though all their `pairs` stand."""
        if self.forward3 is None or self.backward3 is None:
            return []
        ordered = np.tri(len(pairs), k=-1, dtype=np.bool_) & pairs
        found = (self.forward3 > t) | (self.backward3 > horizon - t)
        found &= ordered[:, :, None]
        found &= ordered[None, :, :]
        found &= pairs[:, None, :]
        return np.argwhere(found).tolist()


def reachability_layers(task: Task, order: int = 3, stop: NDArray[np.uint8] | None = None) -> Layers:
    """The layers of a task, on its plain form, over sets of up to `order` facts (2, 3 or 4) where affordable.

    Another thread may set `stop` (1) to end it early; what is returned then is of no use.
    """
    explicit = plain(task)
    stop = np.zeros(1, np.uint8) if stop is None else stop
    order = max(m for m in (2, 3, 4) if m <= order and _affordable(explicit, m))
    forward, backward = _pairs(explicit)
    layers = _layers(task, explicit, forward, backward, "h²")
    if order > 2 and layers.lower_bound is not None:
        forward, backward = _triples(explicit, (forward < NEVER) & (backward < NEVER), stop)
        layers = _layers(task, explicit, forward, backward, "h³")
    if order > 3 and layers.lower_bound is not None:
        forward, backward = _quads(explicit, (forward < NEVER) & (backward < NEVER), stop)
        layers = _layers(task, explicit, forward, backward, "h⁴")
    return layers


def affordable(task: Task, order: int) -> bool:
    """Whether sets of `order` facts are few enough to be looked at."""
    return _affordable(plain(task), order)


def quick_order(task: Task) -> int:
    """The size of the sets that can be looked at in about a second or less: 3 or 2."""
    explicit = plain(task)
    return 3 if _affordable(explicit, 3) and _work(explicit, 3) <= QUICK_WORK else 2


def _affordable(explicit: Task, order: int) -> bool:
    return len(explicit.facts) <= MAX_FACTS[order] and _work(explicit, order) <= MAX_WORK[order]


def _work(explicit: Task, order: int) -> int:
    return len(explicit.operators) * int(len(explicit.facts) ** (order - 1))


def _pairs(task: Task) -> tuple[h2.Pairs, h2.Pairs]:
    start = np.full((len(task.facts),) * 2, NEVER, np.int16)
    start[np.ix_(task.init, task.init)] = 0
    return _both_ways(task, start, _possible(task), h2.fixpoint, h2.with_goal)


def _triples(task: Task, pairs: NDArray[np.bool_], stop: NDArray[np.uint8]) -> tuple[h3.Cube, h3.Cube]:
    start = np.full((len(task.facts),) * 3, NEVER, np.int16)
    start[np.ix_(task.init, task.init, task.init)] = 0
    return _both_ways(task, start, h3.from_pairs(pairs), partial(h3.fixpoint, stop=stop), h3.with_goal)


def _both_ways(
    task: Task,
    start: NDArray[np.int16],
    allowed: NDArray[np.bool_],
    fixpoint: Callable[..., NDArray[np.int16]],
    with_goal: Callable[..., NDArray[np.bool_]],
) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """The values forward from `start` and backward from the goal, pruning each other."""
    weights = np.array([op.cost[0] for op in task.operators], np.int16)
    ahead, back = forwards(task.operators), backwards(task.operators)
    forward = backward = start
    for _ in range(ROUNDS):
        forward = fixpoint(start, allowed, ahead, weights)
        allowed = forward < NEVER
        target = np.where(with_goal(allowed, task.goal), np.int16(0), np.int16(NEVER))
        backward = fixpoint(target, allowed, back, weights)
        alive = backward < NEVER
        if (alive == allowed).all():
            break
        allowed &= alive
    return forward, backward


def _quads(task: Task, triples: NDArray[np.bool_], stop: NDArray[np.uint8]) -> tuple[h3.Cube, h3.Cube]:
    """The values of triples by h⁴. (Those of sets of four are used on the way, and are too many to keep.)"""
    weights = np.array([op.cost[0] for op in task.operators], np.int16)
    ahead, back = forwards(task.operators), backwards(task.operators)
    count = len(task.facts)
    start = np.full((count, count, count), NEVER, np.int16)
    start[np.ix_(task.init, task.init, task.init)] = 0
    start4 = np.where(h4.quads_of(start == 0), np.int16(0), np.int16(NEVER))
    allowed, allowed4 = triples, h4.quads_of(triples)
    forward, forward4 = h4.fixpoint(start, start4, allowed, allowed4, ahead, weights, stop)
    allowed, allowed4 = forward < NEVER, forward4 < NEVER
    goal = allowed.copy()
    for clause in task.goal:
        met = np.zeros_like(goal)
        for fact in clause:
            met |= h4.beside(allowed, allowed4, fact)
        goal &= met
    target = np.where(goal, np.int16(0), np.int16(NEVER))
    target4 = np.where(h4.quads_of(goal), np.int16(0), np.int16(NEVER))
    backward, _ = h4.fixpoint(target, target4, allowed, allowed4, back, weights, stop)
    return forward, backward


def _layers(task: Task, explicit: Task, forward: NDArray[np.int16], backward: NDArray[np.int16], name: str) -> Layers:
    """The layers of `task` from the values of its plain form, as pairs or as triples."""
    own = explicit.operators[: len(task.operators)]
    after = [[*set(op.pre).difference(op.delete), *op.add] for op in own]
    bound = max(_largest(backward, explicit.init), _goal_value(forward, explicit.goal))
    facts = slice(0, len(task.facts))
    cubes = forward.ndim == 3
    index = np.arange(len(task.facts))
    return Layers(
        forward=np.ascontiguousarray(forward[facts, index, index] if cubes else forward[facts, facts]),
        backward=np.ascontiguousarray(backward[facts, index, index] if cubes else backward[facts, facts]),
        forward3=np.ascontiguousarray(forward[facts, facts, facts]) if cubes else None,
        backward3=np.ascontiguousarray(backward[facts, facts, facts]) if cubes else None,
        first=np.array([_largest(forward, op.pre) for op in own], np.int32),
        left=np.array([_largest(backward, true) for true in after], np.int32),
        lower_bound=None if bound >= NEVER else bound,
        name=name,
    )


def _largest(values: NDArray[np.int16], facts: Sequence[int]) -> int:
    """The largest value of a pair or triple of these facts."""
    return int(values[np.ix_(*[facts] * values.ndim)].max(initial=0))


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


def _goal_value(forward: NDArray[np.int16], goal: tuple[tuple[int, ...], ...]) -> int:
    """The least horizon at which every two (or three) goal clauses can hold together."""

    def least(*clauses: tuple[int, ...]) -> int:
        return min((int(forward[facts]) for facts in product(*clauses)), default=NEVER)

    return max((least(*chosen) for chosen in product(goal, repeat=forward.ndim)), default=0)
