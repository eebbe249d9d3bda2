"""The tables of partitioned costs, for the kernels that look a state up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Ints, Longs


class PartitionedCosts(NamedTuple):
    """Distances in P projections under the costs that each of some orders has left them.

    `fact_first` (bits + 1), `variable`, `value`: the variables that a fact is a value of, and which. `first` (P + 1),
    `variables`, `strides`: the variables of each projection. `order_first`: of order i the entries from there to
    `order_first[i + 1]`: `projection`, and `offset`, where its distances begin in `distances`. `values`, `states`:
    scratch, by variable and by projection.
    """

    fact_first: Ints
    variable: Ints
    value: Ints
    first: Ints
    variables: Ints
    strides: Longs
    order_first: Ints
    projection: Ints
    offset: Longs
    distances: Longs
    values: Longs
    states: Longs


def no_partitioned_costs(words: int) -> PartitionedCosts:
    """Tables without an order: the bound is 0."""
    none, first, longs = np.zeros(0, np.int32), np.zeros(1, np.int32), np.zeros(0, np.int64)
    facts = np.zeros(64 * words + 1, np.int32)
    return PartitionedCosts(facts, none, none, first, none, longs, first, none, longs, longs, longs, longs)
