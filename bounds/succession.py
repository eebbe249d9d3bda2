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

from ..arrays import bit_rows
from ..models.task import Operator, Task

MAX_OPERATORS = 8_000
"""Above this many operators the pairs are too many to be worth their memory."""


BLOCK = 256
"""So many operators are held against all others at once."""


@dataclass(frozen=True, slots=True)
class Succession:
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


def successions(task: Task) -> Succession | None:
    """The forbidden successions of a task; None where none are known (a walker connects all operators)."""
    count = len(task.operators)
    if task.walker is not None or not task.uniform or not 0 < count <= MAX_OPERATORS:
        return None
    class_of = classes_of(task)
    order = np.lexsort((np.arange(count), class_of))
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    forbidden = ~_interacting(task) & (rank[:, None] > rank[None, :])
    forbidden |= needless_pairs(task)
    return Succession(class_of, forbidden)


def _interacting(task: Task) -> NDArray[np.bool_]:
    """(N, N): whether one of two operators changes a fact that the other requires or changes."""
    count, words = len(task.operators), (len(task.facts) + 63) // 64
    changed = bit_rows([(*op.add, *op.delete) for op in task.operators], words)
    used = changed | bit_rows([op.pre for op in task.operators], words)
    one = np.zeros((count, count), np.bool_)
    for first in range(0, count, BLOCK):
        rows = slice(first, first + BLOCK)
        for w in range(words):
            one[rows] |= (changed[rows, w, None] & used[:, w]) != 0
    return one | one.T


def needless_pairs(task: Task) -> NDArray[np.bool_]:
    """[a, b]: whether a then b does nothing, or what one operator does that is cheaper and needs no more.

    (Burch and Holte, *Automatic move pruning in general single-player games*, SoCS 2011.) Every pair left out makes
    the way cheaper, so this stays right together with a table of the states met, as an order of independent
    operators does not (Holte, *Move pruning and duplicate detection*, 2013).
    """
    sets = [(frozenset(op.pre), frozenset(op.add), frozenset(op.delete)) for op in task.operators]
    needless = np.zeros((len(sets), len(sets)), np.bool_)
    by_effect: dict[tuple[frozenset[int], frozenset[int]], list[frozenset[int]]] = {}
    deleting: dict[int, list[int]] = {}
    for number, (pre, add, delete) in enumerate(sets):
        by_effect.setdefault((add, delete), []).append(pre)
        for fact in delete:
            deleting.setdefault(fact, []).append(number)
    for first, (pre, add, delete) in enumerate(sets):
        for second in {n for fact in add for n in deleting.get(fact, ())}:
            pre2, add2, delete2 = sets[second]
            if delete & pre2:
                continue
            net = ((add - delete2) | (add2 - delete), (delete - add2) | (delete2 - add))
            nothing = not net[0] and not net[1]
            needs = pre | (pre2 - add)
            needless[first, second] = nothing or (
                task.uniform and any(other <= needs for other in by_effect.get(net, ()))
            )
    return needless
