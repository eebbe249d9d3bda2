"""Bit operations that numba lacks, for kernels over packed sets.

`trailing_zeros`, `leading_zeros` and `ones` become one processor instruction each. The loop over the members of a
packed set, smallest first, is

    while bits:
        number = trailing_zeros(bits)      bits = 0101 0000: 4
        bits &= bits - ONE                        0100 0000: next 6
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import numpy as np

from .arrays import Words
from .kernel_calls import Part, Tables, njit

# Parts of kernels that are written as LLVM code (numba's `intrinsic`), where kernels are compiled.


class _Intrinsic(Part):
    """What numba knows as an intrinsic, once it asks for its type."""

    @property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target

        intrinsic = self.compiled
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(intrinsic)


def intrinsic(function: Callable[..., Any]) -> Any:
    """As `numba.extending.intrinsic`, which is loaded when a kernel that calls it is compiled."""

    def compile() -> Any:
        from numba import extending

        return extending.intrinsic(function)

    return _Intrinsic(function, compile)


@intrinsic
def _on_stack(_typingctx: Any, value: Any) -> Any:
    from numba.core import cgutils

    from .numba_kernels import Pointer

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, args[0])

    return Pointer(value)(value), codegen


class _OnStack(Protocol):
    def __call__(self, value: Tables) -> Tables: ...


on_stack = cast(_OnStack, _on_stack)
"""The address of a named tuple on a kernel's stack, for kernels that it calls; valid until the kernel returns."""


# numba calls an intrinsic with its own types and the builder of LLVM code; it has no types for them that mypy knows.


def _instruction(write: Callable[[Any, Any, Any], Any]) -> Callable[[np.uint64], np.uint64]:
    """An instruction from a word to a number: `write(builder, word, true)`."""

    def typed(_typingctx: Any, _word: Any) -> Any:
        from numba import types

        def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return write(builder, args[0], context.get_constant(types.boolean, True))

        return types.uint64(types.uint64), codegen

    return cast(Callable[[np.uint64], np.uint64], intrinsic(typed))


# For a word without a set bit, the result of the first two is undefined: that is what the third argument says.

trailing_zeros = _instruction(lambda builder, word, true: builder.cttz(word, true))
"""The number of zero bits below the lowest set bit of a non-zero uint64."""

leading_zeros = _instruction(lambda builder, word, true: builder.ctlz(word, true))
"""The number of zero bits above the highest set bit of a non-zero uint64."""

ones = _instruction(lambda builder, word, _true: builder.ctpop(word))
"""The number of bits of a uint64 that are set."""


@intrinsic
def _long(_typingctx: Any, number: Any) -> Any:
    from numba import types

    def codegen(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], number, types.int64)

    return types.int64(number), codegen


long: Callable[[Any], int] = _long
"""`long(number)`: a number of any type as int64; a kernel that uses it is compiled once for each type."""


HASH_SEED = np.uint64(0x9E3779B97F4A7C15)
"""The hash of an empty row: the golden ratio in 64 bits."""


@njit(inline="always")
def hash_word(h: np.uint64, word: np.uint64) -> np.uint64:
    """The hash of a row with one more word, from the hash of the row (multiply and fold)."""
    h = (h ^ word) * np.uint64(0xFF51AFD7ED558CCD)
    return h ^ (h >> np.uint64(32))


@njit(inline="always")
def hash_row(row: Words) -> np.uint64:
    """A 64-bit hash of a row of words."""
    h = HASH_SEED
    for i in range(len(row)):
        h = hash_word(h, row[i])
    return h


@njit(inner=True, forceinline=True)
def same_row(rows: Words, number: int, row: Words) -> bool:
    """Whether row `number` of a table is `row`."""
    for w in range(len(row)):  # noqa: SIM110 (numba compiles no generators)
        if rows[number, w] != row[w]:
            return False
    return True
