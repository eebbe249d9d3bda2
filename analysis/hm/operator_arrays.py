"""Operators as flat arrays for the kernels of relaxed reachability."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ...models.task import Operator
from ...runtime.arrays import Ints, Shorts, to_csr

NEVER = 30_000
"""The value of a set that can never be true. It fits into 16 bits, and a cost can be added to it."""


class OperatorArrays(NamedTuple):
    """N operators: operator i has its preconditions at `facts[offsets[3 * i] : offsets[3 * i + 1]]`, then what it adds,
    then what it deletes, each in descending order. `offsets` (3 N + 1), `costs` (N): steps, the first component.
    """

    offsets: Ints
    facts: Ints
    costs: Shorts

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different numbers of preconditions that operators have."""
        return tuple(np.unique(self.offsets[1::3] - self.offsets[:-1:3]).tolist())


def forwards(operators: Sequence[Operator]) -> OperatorArrays:
    """The arrays of the operators in forward direction."""
    return _arrays(operators, [(op.pre, op.add, op.delete) for op in operators])


def backwards(operators: Sequence[Operator]) -> OperatorArrays:
    """The operators reversed: what is true after one is required, and it gives back what it deleted."""
    return _arrays(operators, [(op.after, op.delete, op.add) for op in operators])


def _arrays(
    operators: Sequence[Operator], parts: Sequence[tuple[Iterable[int], Iterable[int], Iterable[int]]]
) -> OperatorArrays:
    offsets, facts = to_csr([sorted(part, reverse=True) for op in parts for part in op])
    return OperatorArrays(offsets, facts, np.array([op.cost[0] for op in operators], np.int16))
