"""Operators as flat arrays for the kernels of relaxed reachability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..models.task import Operator

NEVER = 30_000
"""The value of what can never be true."""

Relations = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Flattened (pre, add, delete) of N operators: offsets (3 N + 1) and facts, those of a list in descending order."""


def forwards(operators: tuple[Operator, ...]) -> Relations:
    """The operators as they are."""
    return _flat([(op.pre, op.add, op.delete) for op in operators])


def backwards(operators: tuple[Operator, ...]) -> Relations:
    """The operators reversed: what is true after one is required, and it gives back what it deleted."""
    return _flat([(tuple(sorted({*op.pre, *op.add} - {*op.delete})), op.delete, op.add) for op in operators])


def _flat(operators: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]) -> Relations:
    parts = [part for op in operators for part in op]
    offsets = np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int32)
    return offsets, np.array([fact for part in parts for fact in sorted(part, reverse=True)], np.int32)
