"""Operators as flat arrays for the kernels of relaxed reachability."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ...models.task import Operator
from ...runtime.arrays import to_csr

NEVER = 30_000
"""The value of what can never be true."""

Relations = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Flattened (pre, add, delete) of N operators: offsets (3 N + 1) and facts, those of a list in descending order."""


def forwards(operators: tuple[Operator, ...]) -> Relations:
    """The operators as they are."""
    return _relations([(op.pre, op.add, op.delete) for op in operators])


def backwards(operators: tuple[Operator, ...]) -> Relations:
    """The operators reversed: what is true after one is required, and it gives back what it deleted."""
    return _relations([(op.after, op.delete, op.add) for op in operators])


def _relations(operators: list[tuple[Iterable[int], Iterable[int], Iterable[int]]]) -> Relations:
    return to_csr([sorted(part, reverse=True) for op in operators for part in op])
