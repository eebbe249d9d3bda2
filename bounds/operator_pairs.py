"""What cannot be true when an operator is applied, told from all that it requires and the walker's place as well.

A bounded model says where a walker stands only by the operators that it applies; so what excludes a fact beside an
operator's preconditions and the cell that it is applied from, or beside what is true after it and the cell where it
leaves the walker, is not seen from any two facts of a layer. (Operator and fact are then mutually exclusive, as in the
planning graph of Blum and Furst, *Fast planning through planning graph analysis*, AIJ 1997, but for layers of h².. h⁵.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.explicit import plain
from ..models.task import Task
from .layers import Layers


@dataclass(frozen=True, slots=True)
class OperatorPairs:
    """`first`, `left` (N, F): how many steps are before and after an operator, at least, if a fact is true where it is
    applied.
    """

    first: NDArray[np.int16]
    left: NDArray[np.int16]

    def excluded(self, t: int, horizon: int) -> NDArray[np.bool_]:
        """(N, F): whether no plan of `horizon` steps applies an operator at step `t` where a fact is true."""
        excluded: NDArray[np.bool_] = (self.first > t) | (self.left > horizon - t - 1)
        return excluded


def operator_pairs(task: Task, layers: Layers) -> OperatorPairs:
    """What the layers of a task tell of its operators beside single facts."""
    count = len(task.facts)
    operators = plain(task).operators[: len(task.operators)]
    first = np.zeros((len(operators), count), np.int16)
    left = np.zeros_like(first)
    for number, op in enumerate(operators):
        first[number] = layers.steps_before_beside(op.pre, count)
        left[number] = layers.steps_left_beside(op.after, count)
        left[number, [f for f in op.delete if f < count]] = 0
    return OperatorPairs(first, left)
