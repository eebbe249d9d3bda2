"""A task as bitsets for compiled kernels: a state is a row of 64-bit words, fact f is bit f % 64 of word f // 64.

    facts      A at r1c1 (0)  A at r1c2 (1)  free r1c1 (2)  free r1c3 (3)     A of two cells, `AA.`
    state      bits 0 and 3: 0b1001
    A+1        pre 0b1001, flip 0b1111: the state with the flipped bits is 0b0110

An operator applies if `state & pre == pre`, and leads to `state ^ flip`: it deletes what is true, adds what is false.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..models.errors import UsageError
from ..models.task import Operator, OperatorTask
from ..runtime.arrays import Ints, Longs, Words, bit_rows, to_csr
from .structure import structure_of


class BitsetTask(NamedTuple):
    """Arrays of a task with F facts, N operators, C goal clauses, K walker cells; W words a state.

    `pre`, `flip` (N, W): bits required, bits that change. `goal` (C, W): a clause holds if it shares a bit
    with the state. `watch_first` (F+1), `watch_ops` (N): operators indexed by one of their preconditions,
    the least often true one, so that a state meets few operators that do not apply. `watched` (W): the bits
    that are watched by some operator. `cost` (N): the cost as one integer, see `cost_key`.
    Compound moves: `displacement` (N, 2), the positions before and after each operator; empty unless the task has
    them. Then the operators are indexed by the position before.
    The walker: `free_bit` (K), `near_first` (K+1), `near` (flattened neighbours), `walk` (N, 2), all empty
    without one; with one, a state has one word more, the walker's cell (normalised to its region's first).
    `most`: no state has more successors; there must be room for this many before a state is expanded.
    """

    words: int
    pre: Words
    flip: Words
    goal: Words
    watch_first: Ints
    watch_ops: Ints
    watched: Words
    cost: Longs
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


COST_SHIFT = 32


def cost_key(cost: tuple[int, ...]) -> int:
    """A lexicographic cost of at most two components as one integer that adds and compares alike."""
    if len(cost) == 1:
        return cost[0]
    # The second component has the low bits: keys compare as the tuples do while it stays below 2^32.
    first, second = cost
    return first << COST_SHIFT | second


# The least cost of a step that is too large, by the number of components: sums along a plan might not fit in a key. Two
# components share its 64 bits, and the second has 32, which a million steps of less than 4,096 do not fill.
MOST_COST = {1: 1 << 40, 2: 1 << 12}


def cost_keys(costs: Iterable[tuple[int, ...]]) -> Longs:
    """The keys of the costs of all steps. Raises `UsageError` for more than two components, and for costs that are too
    large.
    """
    costs = list(costs)
    for cost in costs:
        if len(cost) > 2:
            raise UsageError(f"searches compare at most two components of a cost; this metric has {len(cost)}")
        if max(cost) >= MOST_COST[len(cost)]:
            raise UsageError(
                f"a step costs {max(cost):,}, and compiled searches add costs of less than {MOST_COST[len(cost)]:,}; "
                "count in a larger unit, or use the engine `plain`"
            )
    return np.array([cost_key(cost) for cost in costs], np.int64)


def cost_of_key(key: int, components: int) -> tuple[int, ...]:
    """The inverse of `cost_key`."""
    return (key,) if components == 1 else (key >> COST_SHIFT, key & ((1 << COST_SHIFT) - 1))


def bitset_bytes(task: OperatorTask) -> int:
    """What the bits of the operators take, `pre` and `flip`: 8 GB for a Sokoban room of 256x256."""
    return 2 * 8 * len(task.operators) * max(1, (len(task.facts) + 63) // 64)


def to_bitset_task(task: OperatorTask) -> BitsetTask:
    """Pack a task, once. Raises `UsageError` for a metric of more than two components."""
    return task.computed(_packed)


def _packed(task: OperatorTask) -> BitsetTask:
    words = max(1, (len(task.facts) + 63) // 64)
    operators, walker = task.operators, task.walker
    watch_first, watch_ops = _watch(task)
    near_first, near = to_csr(walker.neighbours if walker else ())
    return BitsetTask(
        words=words,
        pre=bit_rows([op.pre for op in operators], words),
        flip=bit_rows([op.add + op.delete for op in operators], words),
        goal=bit_rows(task.goal, words),
        watch_first=watch_first,
        watch_ops=watch_ops,
        watched=bit_rows([np.flatnonzero(np.diff(watch_first)).tolist()], words)[0],
        cost=cost_keys(op.cost for op in operators),
        displacement=np.array([op.displacement for op in operators if op.displacement], np.int32).reshape(-1, 2),
        init=bit_rows([task.init], words)[0],
        free_bit=np.array(walker.free if walker else [], np.int32),
        near_first=near_first,
        near=near,
        walk=np.array([op.walk or (0, 0) for op in operators], np.int32).reshape(-1, 2),
        start=walker.start if walker else 0,
        most=_most_successors(task),
    )


def _most_successors(task: OperatorTask) -> int:
    """An upper bound on the successors of a state: one for each operator. With compound moves, for each object one for
    each other position that operators lead to from where it stands.
    """
    if not task.compound_moves:
        return len(task.operators)
    # An object that is picked up comes down on some other position of its component: as many as it has, less its own.
    component = structure_of(task).component
    positions = Counter(component.tolist())
    return sum(positions[number] - 1 for number in component[list(task.init)].tolist() if number >= 0)


def _watch(task: OperatorTask) -> tuple[Ints, Ints]:
    """(offsets, operators) by fact: each operator is listed under the one precondition that is watched for it.

    That is the position before it, if the task has compound moves. Else it is the fact that is least often true, as its
    groups tell (one of five positions of a vehicle is, of nine free cells of sixteen more than half); of equal ones
    the one with the fewest operators so far, so that the lists are of like length.
    """
    # How likely a fact is true: the least that one of its groups says, count over size; 1 for a fact of no group.
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
