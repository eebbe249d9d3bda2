"""The types of the arrays that compiled kernels take, and lists of small numbers as such arrays.

Sets of small numbers (facts, cells) are *packed*: 64 of them in a word, a number n as bit n & 63 of word n >> 6. With
facts 0, 3 and 65 in a set over 128 facts:

    word 0 = ...0000 1001   word 1 = ...0000 0010
                     | |                       |
                fact 3 0                      65
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Packed sets: 64 bits a word."""

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Shorts = NDArray[np.int16]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

Int = int | np.integer[Any]
"""An integer in a kernel, of Python or NumPy: numba makes 64-bit integers of both."""


T = TypeVar("T")


def zeros(kind: Callable[..., T], shape: int | tuple[int, ...], **others: Any) -> T:
    """A named tuple whose arrays are zeros, each of the type of its field: of this shape, but for `others`. Of these
    each is the shape of an array, or what the field is.
    """
    fields = {**dict.fromkeys(_types(kind), shape), **others}
    for name, number in _types(kind).items():
        if isinstance(fields[name], int | np.integer | tuple):
            fields[name] = np.zeros(fields[name], number)
    return kind(**fields)


@cache
def _types(kind: Callable[..., Any]) -> dict[str, Any]:
    """The type of the numbers of each field that is an array."""
    hints = get_type_hints(kind)
    return {name: get_args(get_args(hint)[1])[0] for name, hint in hints.items() if get_args(hint)[1:]}


def bit_rows(sets: Sequence[Collection[int]], words: int) -> Words:
    """(sets, words): sets of numbers below 64 * words, packed, one a row."""
    rows = np.zeros(len(sets) * words, np.uint64)
    first, numbers = to_csr(sets)
    places = np.repeat(np.arange(len(sets)) * words, np.diff(first)) + (numbers >> 6)
    np.bitwise_or.at(rows, places, np.uint64(1) << (numbers & 63).astype(np.uint64))
    return rows.reshape(len(sets), words)


def from_csr(numbers: Ints | Longs, lengths: Ints | Longs) -> list[list[int]]:
    """Lists of these lengths, from one array of all their numbers: [5, 6, 7], [2, 0, 1] -> [[5, 6], [], [7]]."""
    listed, ends = numbers.tolist(), np.cumsum(lengths).tolist()
    return [listed[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def to_csr(lists: Sequence[Collection[int]]) -> tuple[Ints, Ints]:
    """Lists of numbers as offsets and one array (compressed sparse rows): list i is `numbers[first[i] : first[i + 1]]`.

    [[5, 6], [], [7]] -> [0, 2, 2, 3], [5, 6, 7].
    """
    first = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return first, np.array([number for numbers in lists for number in numbers], np.int32)
