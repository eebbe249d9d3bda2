"""Bit operations that numba lacks, for kernels over packed sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from .kernel_cache import njit


@intrinsic
def trailing_zeros(typingctx: Any, word: Any) -> Any:
    """The number of zero bits below the lowest set bit of a non-zero uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), codegen


@njit(cache=True, inline="always")
def hash_row(row: Any) -> Any:
    """A 64-bit hash of a row of words (multiply and fold, with the golden-ratio constant)."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(row)):
        h = (h ^ row[i]) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    return h


@intrinsic
def leading_zeros(typingctx: Any, word: Any) -> Any:
    """The number of zero bits above the highest set bit of a non-zero uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), codegen


@intrinsic
def ones(typingctx: Any, word: Any) -> Any:
    """The number of bits of a uint64 that are set."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _long(typingctx: Any, number: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], number, types.int64)

    return types.int64(number), codegen


long: Callable[[Any], int] = _long
"""`long(number)`: a number of any type, as int64. For each type that a kernel is given it is compiled once more."""
