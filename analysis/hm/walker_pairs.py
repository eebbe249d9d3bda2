"""What cannot be true where a walker stands, and where an operator is applied.

A bounded model has no facts for the walker's place, so two things are not seen from any two facts of a layer: which
facts exclude that the walker gets to a cell, and which exclude an operator, told from all that it requires and the cell
that it is applied from, and from what is true after it and the cell where it leaves the walker. (Operator and fact are
then mutually exclusive, as in the planning graph of Blum and Furst, *Fast planning through planning graph analysis*,
AIJ 1997, but for layers of h².. h⁵.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...models.task import Task
from ..transforms.strips import to_strips
from .layers import Layers


@dataclass(frozen=True, slots=True)
class WalkerPairs:
    """`before`, `left` (K, F): how many steps are before and after a layer, at least, if one of K things is the case
    there and a fact is true.
    """

    before: NDArray[np.int16]
    left: NDArray[np.int16]

    def excluded(self, t: int, horizon: int) -> NDArray[np.bool_]:
        """(K, F): what no plan of `horizon` steps has in layer `t`."""
        excluded: NDArray[np.bool_] = (self.before > t) | (self.left > horizon - t)
        return excluded


def operator_pairs(task: Task, layers: Layers) -> WalkerPairs:
    """What the layers tell of each operator (K = N), where it is applied, beside single facts."""
    count = len(task.facts)
    operators = to_strips(task).operators[: len(task.operators)]
    before = np.zeros((len(operators), count), np.int16)
    left = np.zeros_like(before)
    for number, op in enumerate(operators):
        before[number] = layers.steps_before_beside(op.pre, count)
        left[number] = 1 + layers.steps_left_beside(op.after, count)
        left[number, [f for f in op.delete if f < count]] = 0
    return WalkerPairs(before, left)


def cell_pairs(task: Task, layers: Layers, regions: Iterable[Iterable[int]]) -> WalkerPairs:
    """What the layers tell of the walker in each region, all cells of which it can reach if it can reach one."""
    count = len(task.facts)
    standing = to_strips(task).groups[len(task.groups)].facts  # by cell
    before, left = (
        [np.max([beside((standing[cell],), count) for cell in region], axis=0) for region in regions]
        for beside in (layers.steps_before_beside, layers.steps_left_beside)
    )
    return WalkerPairs(np.array(before), np.array(left))
