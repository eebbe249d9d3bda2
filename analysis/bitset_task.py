"""A task as arrays for compiled kernels: a state is a row of 64-bit words, one bit a fact."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..models.task import Operator, Task
from ..runtime.arrays import bit_rows, to_csr

Words = NDArray[np.uint64]
Ints = NDArray[np.int32]


class BitsetTask(NamedTuple):
    """Arrays of a task with F facts, N operators, C goal clauses, K walker cells; W words a state.

    `pre`, `flip` (N, W): bits required, bits that change. `goal` (C, W): a clause holds if it shares a bit
    with the state. `watch_first` (F+1), `watch_ops` (N): operators indexed by one of their preconditions,
    the least often true one, so that a state meets few operators that do not apply. `watched` (W): the bits
    that are watched by some operator. `cost` (N): the cost as one integer, see `cost_key`.
    Compound moves: `displacement` (N, 2), the places before and after each operator; empty unless the task has them. Then the
    operators are indexed by the place before.
    The walker: `free_bit` (K), `near_first` (K+1), `near` (flattened neighbours), `walk` (N, 2), all empty
    without one; with one, a state has one word more, the walker's cell (normalised to its region's first).
    `most`: no state has more successors; so much room there must be before one is expanded.
    """

    words: int
    pre: Words
    flip: Words
    goal: Words
    watch_first: Ints
    watch_ops: Ints
    watched: Words
    cost: NDArray[np.int64]
    displacement: Ints
    init: Words
    free_bit: Ints
    near_first: Ints
    near: Ints
    walk: Ints
    start: int
    most: int

    @property
    def has_walker(self) -> bool:
        return len(self.free_bit) > 0

    @property
    def row(self) -> int:
        """Words in a stored state."""
        return self.words + self.has_walker

    def without_goal(self) -> BitsetTask:
        """The task with a goal that never holds, so that no kernel stops at one."""
        return self._replace(goal=np.zeros((1, self.words), np.uint64))


COST_SHIFT = 32


def cost_key(cost: tuple[int, ...]) -> int:
    """A lexicographic cost of at most two components as one integer that adds and compares alike."""
    if len(cost) == 1:
        return cost[0]
    first, second = cost
    return first << COST_SHIFT | second


def cost_of_key(key: int, components: int) -> tuple[int, ...]:
    """The inverse of `cost_key`."""
    return (key,) if components == 1 else (key >> COST_SHIFT, key & ((1 << COST_SHIFT) - 1))


def to_bitset_task(task: Task) -> BitsetTask:
    """Pack a task. Raises `ValueError` for a metric of more than two components."""
    if len(task.metric) > 2:
        raise ValueError("at most two components of a metric are supported")
    words = max(1, (len(task.facts) + 63) // 64)
    operators = task.operators
    first, ops = _watch(task)
    walker = task.walker
    return BitsetTask(
        words,
        bit_rows([op.pre for op in operators], words),
        bit_rows([op.add + op.delete for op in operators], words),
        bit_rows(task.goal, words),
        first,
        ops,
        bit_rows([np.flatnonzero(np.diff(first)).tolist()], words)[0],
        np.array([cost_key(op.cost) for op in operators], np.int64),
        np.array([op.displacement for op in operators if op.displacement], np.int32).reshape(-1, 2),
        bit_rows([task.init], words)[0],
        np.array(walker.free if walker else [], np.int32),
        *to_csr(walker.neighbours if walker else ()),
        np.array([op.walk or (0, 0) for op in operators], np.int32).reshape(-1, 2),
        walker.start if walker else 0,
        _most_successors(task),
    )


def _most_successors(task: Task) -> int:
    """As many successors as a state may have: one for each operator; where there are compound moves, one for each thing and
    each place that any operators lead to from where it stands.
    """
    if not task.compound_moves:
        return len(task.operators)
    thing: dict[int, int] = {}

    def root(place: int) -> int:
        while thing.setdefault(place, place) != place:
            thing[place] = place = thing[thing[place]]
        return place

    for op in task.operators:
        assert op.displacement is not None
        thing[root(op.displacement[0])] = root(op.displacement[1])
    places = Counter(map(root, tuple(thing)))
    return sum(places[root(place)] - 1 for place in task.init if place in thing)


def _watch(task: Task) -> tuple[Ints, Ints]:
    likely: list[float] = [1.0] * len(task.facts)
    for group in task.groups:
        for fact in group.facts:
            likely[fact] = min(likely[fact], group.count / len(group.facts))
    load = [0] * len(task.facts)

    def best(op: Operator) -> int:
        return op.displacement[0] if op.displacement else min(op.pre, key=lambda f: (likely[f], load[f]))

    lists: list[list[int]] = [[] for _ in task.facts]
    for number, op in enumerate(task.operators):
        fact = best(op)
        load[fact] += 1
        lists[fact].append(number)
    return to_csr(lists)
