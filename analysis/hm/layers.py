"""Reachability layers: what cannot be true before which horizon step, and how far from the goal it is.

Forward from the initial state and backward from the goal (Alcázar and Torralba, *A reminder about the importance
of computing and exploiting invariants in planning*, ICAPS 2015), over sets of two facts and, where that is affordable,
of three, four and five (h² to h⁵). What has no finite value in one direction is on no plan; so the two directions prune
each other until nothing changes.

Distances count the first component of the cost: horizon steps, where every step costs one. What a walker walks
between steps weighs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from ...models.task import Task
from ..transforms.strips import to_strips
from .fixpoint import fixpoint
from .operator_arrays import NEVER, backwards, forwards
from .tuples import (
    Numbering,
    Rows,
    Values,
    all_sets,
    largest,
    largest_beside,
    lift,
    put_pairs,
    put_subsets,
    with_clause,
)

ROUNDS = {2: 4, 3: 4, 4: 1, 5: 1}
"""How often the two directions may prune each other, for sets of m facts."""

MAX_WORK = {3: 2_000_000_000, 4: 4_000_000_000, 5: 1_000_000_000}
"""Sets of m facts are looked at where operators times sets of m - 1 facts are at most so many: a minute or two."""

FREE_STEPS = 8
"""How much more work sets are where some operators cost nothing (a walker's, for example)."""

QUICK_WORK = 20_000_000
"""Triples within this are quick: half a second or less."""

MAX_SETS = {3: 60_000_000, 4: 60_000_000, 5: 80_000_000}
"""...and there are at most so many sets of m facts (to bound the memory)."""

COPIES = 12
"""So many collections of sets have to fit into memory: six that are there at once, and as much for the solver."""

GOALS = 100_000
"""So many choices of facts that meet some goal clauses are looked at."""

SYMBOLS = {2: "h²", 3: "h³", 4: "h⁴", 5: "h⁵"}


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of a task with F facts and N operators, over sets of up to `order` facts.

    `forward[p, q]` (F, F): no state before horizon step `forward[p, q]` contains p and q; `backward[p, q]`:
    from a state that contains both, the goal needs at least so many steps more; `NEVER` in either: no state
    on a plan contains both. The diagonals are the single facts. `forward_sets`, `backward_sets`: the same for all
    sets, by `numbering`. `first`, `left` (N): the same for what each operator requires, and for what is true after it,
    the walker's cell or the thing carried included (a carry has been paid for when its operators are reached).
    `lower_bound`: no plan has fewer steps; None: no plan exists. `name`: which relaxation this is.
    """

    forward: NDArray[np.int16]
    backward: NDArray[np.int16]
    forward_sets: Values
    backward_sets: Values
    numbering: Numbering
    first: NDArray[np.int32]
    left: NDArray[np.int32]
    lower_bound: int | None

    @property
    def order(self) -> int:
        return self.numbering.order

    @property
    def name(self) -> str:
        return SYMBOLS[self.order]

    def steps_left(self, facts: Iterable[int]) -> int:
        """How many steps the goal needs at least from a state with these facts; `NEVER` or more if it is lost."""
        return _largest(self.numbering, self.backward_sets, facts)

    def steps_before_beside(self, facts: Iterable[int], count: int) -> NDArray[np.int16]:
        """(count): how many steps, at least, are before a state with these facts and each of the first facts."""
        return _largest_beside(self.numbering, self.forward_sets, facts, count)

    def steps_left_beside(self, facts: Iterable[int], count: int) -> NDArray[np.int16]:
        """(count): how many steps, at least, are left from a state with these facts and each of the first facts."""
        return _largest_beside(self.numbering, self.backward_sets, facts, count)

    def excluded_pairs(self, t: int, horizon: int) -> NDArray[np.bool_]:
        """(F, F): the pairs that no plan of `horizon` steps has in layer `t`."""
        excluded: NDArray[np.bool_] = (self.forward > t) | (self.backward > horizon - t)
        return excluded

    def excluded_triples(self, t: int, horizon: int, pairs: NDArray[np.bool_]) -> NDArray[np.int32]:
        """(n, 3): triples p > q > r that no plan of `horizon` steps has in layer `t`, though their `pairs` stand."""
        if self.order < 3:
            return np.zeros((0, 3), np.int32)
        start = self.numbering.value_of[3]
        those = slice(start, start + comb(len(pairs), 3))
        found = (self.forward_sets[those] > t) | (self.backward_sets[those] > horizon - t)
        p, q, r = _triples(len(pairs))
        found &= pairs[p, q] & pairs[p, r] & pairs[q, r]
        return np.stack([p[found], q[found], r[found]], axis=1)


@lru_cache(maxsize=1)
def _triples(count: int) -> NDArray[np.int32]:
    """(3, triples): all triples of so many facts; the same for every layer of a model."""
    return np.ascontiguousarray(all_sets(count, 3).T)


def reachability_layers(task: Task, order: int = 3) -> Layers:
    """The layers of a task, on its plain form, over sets of up to `order` facts (2 to 5) where affordable."""
    *_, layers = rising_layers(task, order)
    return layers


def rising_layers(
    task: Task,
    order: int,
    stop: NDArray[np.uint8] | None = None,
    fits: Callable[[int], bool] = lambda size: True,
) -> Iterator[Layers]:
    """The layers over sets of two facts, then of three, ... up to `order` while affordable, or until there is no plan.

    Another thread may set `stop` (1) to end a computation early; what is given then is of no use. `fits`: whether so
    many bytes more may be used; asked before sets of three and more.
    """
    explicit = to_strips(task)
    stop = np.zeros(1, np.uint8) if stop is None else stop
    numbering = Numbering.of(len(explicit.facts), 2)
    layers, alive = _both_ways(task, explicit, numbering, _possible(explicit, numbering), stop)
    yield layers
    while numbering.order < order and layers.lower_bound is not None and _affordable(explicit, numbering.order + 1):
        numbering = Numbering.of(numbering.count, numbering.order + 1)
        if not fits(COPIES * 8 * numbering.rows * numbering.words + 8 * numbering.sets):
            return
        allowed = np.zeros((numbering.rows, numbering.words), np.uint64)
        allowed[: len(alive)] = alive
        lift(allowed, numbering.row_of, numbering.choose, numbering.order)
        layers, alive = _both_ways(task, explicit, numbering, allowed, stop)
        yield layers


def quick_order(task: Task) -> int:
    """The size of the sets that can be looked at in about a second or less: 3 or 2."""
    explicit = to_strips(task)
    return 3 if _affordable(explicit, 3) and _work(explicit, 3) <= QUICK_WORK else 2


def _affordable(explicit: Task, order: int) -> bool:
    return _work(explicit, order) <= MAX_WORK[order] and comb(len(explicit.facts), order) <= MAX_SETS[order]


def _work(explicit: Task, order: int) -> int:
    """What sets of `order` facts cost, in sets of one less and operators; more where steps cost nothing, since every
    level is then gone through again and again.
    """
    again = 1 if all(op.cost[0] for op in explicit.operators) else FREE_STEPS
    return again * len(explicit.operators) * comb(len(explicit.facts), order - 1)


def _both_ways(
    task: Task, explicit: Task, numbering: Numbering, allowed: Rows, stop: NDArray[np.uint8]
) -> tuple[Layers, Rows]:
    """The layers over the allowed sets, and the sets that are on some plan as far as they tell."""
    n = numbering
    weights = np.array([op.cost[0] for op in explicit.operators], np.int16)
    ahead, back = forwards(explicit.operators), backwards(explicit.operators)
    start = np.zeros_like(allowed)
    for size in range(1, min(n.order, len(explicit.init)) + 1):
        put_subsets(start, n.row_of, n.choose, _descending(explicit.init), size)
    for _ in range(ROUNDS[n.order]):
        reached, forward = fixpoint(n, start, allowed, ahead, weights, stop)
        goal = reached.copy()
        for clause in explicit.goal:
            goal &= with_clause(reached, n.row_of, n.choose, n.order, np.array(clause, np.int32))
        allowed, backward = fixpoint(n, goal, reached, back, weights, stop)
        if stop[0] or (allowed == reached).all():
            break
    return _layers(task, explicit, n, forward, backward), allowed


def _layers(task: Task, explicit: Task, numbering: Numbering, forward: Values, backward: Values) -> Layers:
    """The layers of `task` from the values of its plain form."""
    own = explicit.operators[: len(task.operators)]
    bound = max(_largest(numbering, backward, explicit.init), _goal_value(numbering, forward, explicit.goal))
    return Layers(
        forward=_pairs(len(task.facts), numbering, forward),
        backward=_pairs(len(task.facts), numbering, backward),
        forward_sets=forward,
        backward_sets=backward,
        numbering=numbering,
        first=np.array([_largest(numbering, forward, op.pre) for op in own], np.int32),
        left=np.array([_largest(numbering, backward, op.after) for op in own], np.int32),
        lower_bound=None if bound >= NEVER else bound,
    )


def _pairs(count: int, numbering: Numbering, values: Values) -> NDArray[np.int16]:
    """(F, F): the values of pairs, on the diagonal those of single facts."""
    pairs = np.zeros((count, count), np.int16)
    start = numbering.value_of[2]
    pairs[np.tril_indices(count, -1)] = values[start : start + comb(count, 2)]
    pairs += pairs.T
    np.fill_diagonal(pairs, values[:count])
    return pairs


def _descending(facts: Iterable[int]) -> NDArray[np.int32]:
    return np.array(sorted(facts, reverse=True), np.int32)


def _largest(numbering: Numbering, values: Values, facts: Iterable[int]) -> int:
    """The largest value of a set of these facts."""
    n = numbering
    return int(largest(values, n.value_of, n.choose, n.order, _descending(facts)))


def _largest_beside(n: Numbering, values: Values, facts: Iterable[int], count: int) -> NDArray[np.int16]:
    """(count): the largest value of a set of these facts and each of the first facts."""
    found: NDArray[np.int16] = largest_beside(values, n.value_of, n.choose, n.order, _descending(facts), count)
    return found


def _possible(task: Task, numbering: Numbering) -> Rows:
    """The pairs that the task's groups do not exclude."""
    possible = np.ones((len(task.facts), len(task.facts)), np.bool_)
    for group in task.groups:
        members = np.array(group.facts, np.int64)
        if group.count <= 1:
            possible[np.ix_(members, members)] = False
            possible[members, members] = group.count == 1
    return put_pairs(numbering, possible)


def _goal_value(numbering: Numbering, forward: Values, goal: tuple[tuple[int, ...], ...]) -> int:
    """The least horizon at which any few goal clauses can hold together: as many as there are facts in a set, if the
    ways to meet them are not too many.
    """
    most = max(map(len, goal), default=1)
    size = max(k for k in range(1, numbering.order + 1) if k == 1 or comb(len(goal), k) * most**k <= GOALS)

    def least(clauses: tuple[tuple[int, ...], ...]) -> int:
        return min((_largest(numbering, forward, set(facts)) for facts in product(*clauses)), default=NEVER)

    return max((least(chosen) for chosen in combinations(goal, min(size, len(goal)))), default=0)
