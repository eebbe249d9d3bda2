"""Which operator need not follow which: pairs of consecutive operators that a shortest plan can do without.

Two reasons, both from the operators alone (Burch and Holte, *Automatic move pruning in general single-player
games*, SoCS 2011): the pair can be replaced by a single operator or by nothing; or the two are independent, and
the other order does the same, so that only one order is kept. Every replacement makes the plan shorter, or
smaller in a fixed order of operators at equal length, so some shortest plan contains no forbidden pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.task import Operator, Task
from ..runtime.arrays import bit_rows

MAX_OPERATORS = 8_000
"""Above this many operators the pairs are too many to be worth their memory."""


BLOCK = 256
"""So many operators are held against all others at once."""


@dataclass(frozen=True, slots=True)
class MovePruning:
    """Operators fall into classes (the operators of one thing). For N operators and K classes:

    `class_of` (N): class numbers; `forbidden` (N, N): `forbidden[a, b]` says that b may not follow a at once.
    """

    class_of: NDArray[np.int32]
    forbidden: NDArray[np.bool_]

    @property
    def classes(self) -> int:
        return int(self.class_of.max(initial=-1)) + 1


def classes_of(task: Task) -> NDArray[np.int32]:
    """A class for each operator: the first group of the task in which it replaces one fact by another.

    Families list the groups of things before the groups of cells, so that a class is what moves one thing.
    Any classes are correct; good ones make short models.
    """

    def moved(op: Operator) -> int:
        before = {g for f in op.delete for g in task.groups_of[f]}
        after = {g for f in op.add for g in task.groups_of[f]}
        return min(before & after, default=len(task.groups))

    _, numbers = np.unique([moved(op) for op in task.operators], return_inverse=True)
    return numbers.astype(np.int32)


def find_move_pruning(task: Task) -> MovePruning | None:
    """The forbidden find_move_pruning of a task; None where none are known (a walker connects all operators)."""
    count = len(task.operators)
    if task.walker is not None or not task.uniform or not 0 < count <= MAX_OPERATORS:
        return None
    class_of = classes_of(task)
    order = np.lexsort((np.arange(count), class_of))
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    forbidden = ~_interacting(task) & (rank[:, None] > rank[None, :])
    forbidden |= redundant_pairs(task)
    return MovePruning(class_of, forbidden)


def _interacting(task: Task) -> NDArray[np.bool_]:
    """(N, N): whether one of two operators changes a fact that the other requires or changes."""
    pre, add, delete = _rows(task)
    changed = add | delete
    one = np.concatenate([_common(changed[rows], pre | changed) for rows in _blocks(task)])
    interacting: NDArray[np.bool_] = one | one.T
    return interacting


def redundant_pairs(task: Task) -> NDArray[np.bool_]:
    """[a, b]: whether a then b does nothing, or what one operator does that is cheaper and needs no more.

    (Burch and Holte, *Automatic move pruning in general single-player games*, SoCS 2011.) Every pair left out makes
    the way cheaper, so this stays right together with a table of the states met, as an order of independent
    operators does not (Holte, *Move pruning and duplicate detection*, 2013).
    """
    pre, add, delete = _rows(task)
    needless = np.zeros((len(pre), len(pre)), np.bool_)
    # Operators in the order of a number that tells their effects apart, nearly always.
    weights = np.random.default_rng(0).integers(1, 1 << 63, 2 * pre.shape[1], np.uint64)
    effects = np.hstack([add, delete])
    numbers = effects @ weights
    order = np.argsort(numbers)
    for rows in _blocks(task):
        linked = _common(add[rows], delete) & ~_common(delete[rows], pre)
        first, second = np.nonzero(linked)
        first += rows.start
        gained = (add[first] & ~delete[second]) | (add[second] & ~delete[first])
        lost = (delete[first] & ~add[second]) | (delete[second] & ~add[first])
        net = np.hstack([gained, lost])
        found = np.logical_not(net.any(axis=1))
        if task.uniform:
            needs = pre[first] | (pre[second] & ~add[first])
            wanted = net @ weights
            start, end = (np.searchsorted(numbers, wanted, side, sorter=order) for side in ("left", "right"))
            for nth in range(int((end - start).max(initial=0))):
                pairs = np.flatnonzero(start + nth < end)
                other = order[start[pairs] + nth]
                found[pairs] |= (net[pairs] == effects[other]).all(axis=1) & ~(pre[other] & ~needs[pairs]).any(axis=1)
        needless[first, second] = found
    return needless


def _rows(task: Task) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """(N, W) each: what operators require, add and delete, as rows of bits."""
    words = (len(task.facts) + 63) // 64
    ops = task.operators
    pre, add, delete = [op.pre for op in ops], [op.add for op in ops], [op.delete for op in ops]
    return bit_rows(pre, words), bit_rows(add, words), bit_rows(delete, words)


def _blocks(task: Task) -> list[slice]:
    """All operators, some at a time."""
    return [slice(first, first + BLOCK) for first in range(0, len(task.operators), BLOCK)]


def _common(some: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """(A, B): whether a row of bits has one in common with another."""
    common = np.zeros((len(some), len(others)), np.bool_)
    for one, other in zip(some.T, others.T, strict=True):
        common |= (one[:, None] & other) != 0
    return common
