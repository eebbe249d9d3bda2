"""Lists of small numbers as arrays, for compiled kernels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def bit_rows(sets: Sequence[Iterable[int]], words: int) -> NDArray[np.uint64]:
    """(sets, words): sets of small numbers as rows of bits."""
    rows = np.zeros((len(sets), words), np.uint64)
    for row, members in zip(rows, sets, strict=True):
        for number in members:
            row[number >> 6] |= np.uint64(1 << (number & 63))
    return rows


def from_csr(numbers: NDArray[Any], lengths: NDArray[Any]) -> list[list[int]]:
    """Lists of such lengths, from their numbers one after the other."""
    listed, ends = numbers.tolist(), np.cumsum(lengths).tolist()
    return [listed[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def to_csr(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lists of numbers as the offsets where each begins (and the last ends) in one array, and that array."""
    first = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return first, np.array([number for numbers in lists for number in numbers], np.int32)
