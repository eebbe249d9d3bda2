"""Distances in projections, as search reads them: for each pattern of variables a table with an entry for each choice
of their values.

    pattern (robot)           distance[value of the robot]
    pattern (left, right)     distance[left + 40 * right]

Patterns of a *sum* are added up: no action that costs something changes variables of two of them. The bound is the
largest of all sums.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit

FAR = (1 << 31) - 1
"""The distance of an abstract state from which no goal can be reached."""

NOWHERE = 255
"""The same in a pattern database, where each distance is a byte."""


class DatabaseTables(NamedTuple):
    """Distances of large patterns, a byte each, 255 where no goal can be reached; see `ProjectionTables`. They are not
    added up.
    """

    first: Longs
    variable: Longs
    factor: Longs
    low: Longs
    table: Longs
    distance: Bytes


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
    databases: DatabaseTables


@njit(inner=True)
def lower_bound(projections: ProjectionTables, registers: Longs) -> int:
    """A lower bound on what a state still costs, whose variables stand in registers; -1 if no goal can be reached."""
    far = from_databases(projections.databases, registers)
    near = from_sums(projections, registers)
    return -1 if far < 0 or near < 0 else max(far, near)


@njit(inner=True)
def from_databases(databases: DatabaseTables, registers: Longs) -> int:
    """The largest distance of a database; -1 if no goal can be reached."""
    best = 0
    for pattern in range(len(databases.table)):
        index = databases.table[pattern]
        for i in range(databases.first[pattern], databases.first[pattern + 1]):
            index += databases.factor[i] * (registers[databases.variable[i]] - databases.low[i])
        distance = long(databases.distance[index])
        if distance == NOWHERE:
            return -1
        best = max(best, distance)
    return best


@njit(inner=True)
def from_sums(projections: ProjectionTables, registers: Longs) -> int:
    """The largest sum of distances; -1 if no goal can be reached."""
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


def from_lows(projections: ProjectionTables) -> ProjectionTables:
    """The projection of a state whose variables are given by their values minus the lowest one."""
    databases = projections.databases._replace(low=np.zeros_like(projections.databases.low))
    return projections._replace(low=np.zeros_like(projections.low), databases=databases)
