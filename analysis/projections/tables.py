"""Distances in projections, as search reads them: for each pattern of variables a table with an entry for each choice
of their values.

    pattern (robot)           distance[value of the robot]
    pattern (left, right)     distance[left + 40 * right]

Patterns of a *sum* are added up: no action that costs something changes variables of two of them. The bound is the
largest of all sums.
"""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.arrays import Ints, Longs
from ...runtime.kernel_cache import njit

FAR = (1 << 31) - 1
"""The distance of what no goal can be reached from."""


class ProjectionTables(NamedTuple):
    """`first` (P + 1): where the variables of each pattern begin in `variable` and `factor`; `low`: their least values.
    `table` (P): where its distances begin in `distance`; `sum_of` (P): the number of its sum, in rising order.
    """

    first: Longs
    variable: Longs
    factor: Longs
    low: Longs
    table: Longs
    sum_of: Longs
    distance: Ints


@njit(inner=True)
def lower_bound(projections: ProjectionTables, registers: Longs) -> int:
    """A lower bound on what a state still costs, whose variables stand in registers; -1 if no goal can be reached."""
    best, total, current = 0, 0, -1
    for pattern in range(len(projections.table)):
        index = projections.table[pattern]
        for i in range(projections.first[pattern], projections.first[pattern + 1]):
            v = projections.variable[i]
            index += projections.factor[i] * (registers[v] - projections.low[i])
        distance = projections.distance[index]
        if distance == FAR:
            return -1
        if projections.sum_of[pattern] != current:
            current, total = projections.sum_of[pattern], 0
        total += distance
        best = max(best, total)
    return best
