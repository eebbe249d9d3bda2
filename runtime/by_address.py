"""Named tuples of arrays, passed to compiled kernels by address.

numba passes a named tuple by value. Each of its arrays is seven numbers or more: a task's tables are some fifty arrays,
so each kernel's entry from Python is a few thousand instructions that fetch them from Python's objects, and every call
and every access to a field copies them all. Most of the time that it took to compile kernels went into that: 0.66 s for
a kernel that does nothing with the tables of A*, and 33 microseconds for each call of it; by address 0.03 s and 3.

So a kernel gets the address of a block of 8-byte words, laid out as numba's own structure would be
(`pointers`):

    class Nodes(NamedTuple):      nodes --> 0, 0, size, bytes an entry, data, shape, stride        (states: 1 dimension)
        states: Longs                       0, 0, size, bytes an entry, data, shape, stride        (cost)
        cost: Longs                         17                                                     (limit)
        limit: int

A field is read by its name, as ever, and costs one load; one that is a named tuple itself lies inside, and is again an
address. The two zeros stand where numba has the owner of an array, so it counts no references: the arrays live at least
as long as the call, since its caller holds the tuple. A kernel must not keep what it was given.

A kernel reads the arrays that it needs in a loop before the loop, into local variables: a store into some array might
change the block, for all that LLVM knows, and then it loads the address of the data again in each round.
"""

from __future__ import annotations

import struct
from array import array
from typing import Any, TypeVar, cast

import numpy as np

Tables = TypeVar("Tables", bound=tuple[Any, ...])


class Layout:
    """The kinds of a tuple's fields, which decide how a kernel reads them; there is one object for each layout."""

    __slots__ = ("kinds",)

    def __init__(self, kinds: tuple[object, ...]) -> None:
        self.kinds = kinds


_layouts: dict[tuple[object, ...], Layout] = {}


def layout_of(kinds: list[object]) -> Layout:
    """The one object for a layout."""
    key = tuple(kinds)
    found = _layouts.get(key)
    return found if found is not None else _layouts.setdefault(key, Layout(key))


class ByAddress:
    """A named tuple of arrays, numbers and such tuples, laid out for kernels; the arrays live as long as this.

    Raises `TypeError` for a field of another kind.
    """

    __slots__ = "address", "layout", "value", "words"

    def __init__(self, value: tuple[Any, ...]) -> None:
        self.value = value
        kinds: list[object] = [type(value)]
        words: list[int] = []
        lay_out(value, kinds, words)
        self.words = array("q", words)
        self.address = self.words.buffer_info()[0]
        self.layout = layout_of(kinds)


def laid_out(tables: Tables) -> Tables:
    """A named tuple laid out in memory once, for many calls of kernels: laying it out takes a microsecond for each
    array.
    """
    return cast(Tables, ByAddress(tables))


FLAGS = 0x1 | 0x2 | 0x100 | 0x400
"""The flags of an array on which its type in numba depends: contiguous in C's or Fortran's order, aligned, writable."""


def lay_out(value: tuple[Any, ...], kinds: list[object], words: list[int]) -> None:
    """Append the fields of a tuple to `words` as 64-bit words, and their kinds, which decide how to read them, to
    `kinds`.
    """
    for field in value:
        kind = type(field)
        if kind is np.ndarray:
            kinds += (field.dtype, field.ndim, field.flags.num & FLAGS)
            address = field.__array_interface__["data"][0]
            words += (0, 0, field.size, field.itemsize, address, *field.shape, *field.strides)
        elif isinstance(field, tuple):
            kinds.append((kind, len(field)))
            lay_out(field, kinds, words)
        elif kind is int:
            kinds.append(kind)
            words.append(field)
        elif isinstance(field, float | np.int64 | np.uint64):
            kinds.append(kind)
            words += struct.unpack("q", np.asarray(field).tobytes())
        else:
            raise TypeError(f"a kernel gets no {kind.__name__} in a tuple by address")


def by_address(arguments: tuple[Any, ...]) -> list[Any]:
    """Arguments of a kernel, with each named tuple laid out."""
    return [
        ByAddress(value) if isinstance(value, tuple) and hasattr(value, "_fields") else value for value in arguments
    ]
