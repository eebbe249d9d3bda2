"""What cannot be true where a walker stands, and where an operator is applied.

A bounded model has no facts for the walker's cell, so two kinds of exclusion are not among its pairs of facts: a
fact excludes that the walker gets to a cell, and a fact excludes that an operator is applied. h^m knows both, since its
sets can contain the walker's cell:

    earliest_layer[o, f] = h^m forward of  pre(o) ∪ {walker's cell before o} ∪ {f}
    steps_to_goal[o, f]  = 1 + h^m backward of  after(o) ∪ {walker's cell after o} ∪ {f}

where the 1 is the operator's own step. (Operator and fact are then mutually exclusive, as in the planning graph of Blum
and Furst, *Fast planning through planning graph analysis*, AIJ 1997, but by h² to h⁵.)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Flags, Shorts
from ..transforms.strips import to_strips
from .tables import HmTables


@dataclass(frozen=True, slots=True)
class WalkerPairs:
    """K conditions (an operator is applied in this layer, or the walker can reach a region) beside each of F facts.

    `earliest_layer[k, f]` (K, F): the earliest layer in which condition k and fact f can hold together.
    `steps_to_goal[k, f]` (K, F): how many steps the goal then needs at least from that layer on.
    """

    earliest_layer: Shorts
    steps_to_goal: Shorts

    def excluded(self, t: int, horizon: int) -> Flags:
        """(K, F): true where condition k and fact f cannot both hold in layer `t` of a plan of `horizon` steps."""
        excluded: Flags = (self.earliest_layer > t) | (self.steps_to_goal > horizon - t)
        return excluded


def operator_pairs(task: Task, tables: HmTables) -> WalkerPairs:
    """Each operator (K = N), in the layer in which it is applied, beside each fact."""
    count = len(task.facts)
    operators = to_strips(task).operators[: len(task.operators)]
    earliest = tables.earliest_beside([op.pre for op in operators], count)
    to_goal = 1 + tables.steps_beside([op.after for op in operators], count)
    for number, op in enumerate(operators):
        to_goal[number, [f for f in op.delete if f < count]] = 0  # true before it, and not after
    return WalkerPairs(earliest, to_goal)


def cell_pairs(task: Task, tables: HmTables, regions: Iterable[Iterable[int]]) -> WalkerPairs:
    """The walker in each of K regions beside each fact. It can reach all cells of a region if it can reach one."""
    count = len(task.facts)
    standing = to_strips(task).groups[len(task.groups)].facts  # by cell
    cells = [[(standing[cell],) for cell in region] for region in regions]
    return WalkerPairs(
        earliest_layer=np.array([tables.earliest_beside(region, count).max(axis=0) for region in cells]),
        steps_to_goal=np.array([tables.steps_beside(region, count).max(axis=0) for region in cells]),
    )
