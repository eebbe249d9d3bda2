"""Kernels as Python calls them: their machine code in the library (`kernels`), or else numba's.

A kernel is called as numba calls it: `int32 kernel(result*, exception*, arguments...)`, where an array is the seven or
more words of `by_address`, one after the other, and a named tuple its address. `ctypes` can do that; the layout of the
arguments says which function it is.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib.util import find_spec
from typing import Any

import numpy as np

from .by_address import FLAGS, ByAddress, Layout, by_address, lay_out, layout_of
from .kernels import Library, library

WORDS = {int: "q", np.int64: "q", np.uint64: "Q", float: "d", bool: "?"}
"""Kinds of numbers that kernels take, and how an index names them."""

RESULT = 64
"""Bytes for the result of a kernel: eight numbers."""


class Part:
    """A function that kernels call, such as a hash of a row; numba compiles it (`compile`) only when it is needed."""

    def __init__(self, function: Callable[..., Any], compile: Callable[[], Any]) -> None:
        self.function, self._compile = function, compile
        update_wrapper(self, function)

    @cached_property
    def compiled(self) -> Any:
        """What numba knows this function by."""
        return self._compile()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments) if library() else self.compiled(*arguments)


class Kernel(Part):
    """A kernel, called from Python: named tuples are passed by address.

    For arguments of a layout that is not in the library, numba compiles it; without numba, `NotImplementedError`.
    """

    def __init__(self, function: Callable[..., Any], compile: Callable[[], Any], releases: bool) -> None:
        super().__init__(function, compile)
        self.releases = releases
        self.entries: dict[Layout, tuple[Any, struct.Struct, Library] | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        if library() is None:
            return self.compiled(*by_address(arguments))
        layout, words, _blocks = words_of(arguments)
        try:
            entry = self.entries[layout]
        except KeyError:
            entry = self.entries[layout] = self._entry(layout)
        if entry is None:
            return self.compiled(*by_address(arguments))
        result, error = ctypes.create_string_buffer(RESULT), ctypes.c_void_p()
        status = entry[0](result, ctypes.byref(error), *words)
        if status > 0:
            raise RuntimeError(f"the kernel `{self.function.__name__}` failed with status {status}")
        values = entry[1].unpack_from(result)
        return values[0] if len(values) == 1 else values or None

    def compile(self, *arguments: Any) -> None:
        """Compile for arguments of these types, without a call."""
        compiled = self.compiled
        from numba import typeof

        compiled.compile(tuple(map(typeof, by_address(arguments))))

    def _entry(self, layout: Layout) -> tuple[Any, struct.Struct, Library] | None:
        """The machine code for a layout, the form of its result, and the library (its code is freed with it); None
        if only numba can make it.
        """
        known = library()
        found = known and known.kernels.get(name_of(self.function), {}).get(digest_of(layout))
        if not known or not found:
            if find_spec("numba"):
                return None
            raise NotImplementedError(f"`{name_of(self.function)}` was compiled for other arguments: {text_of(layout)}")
        symbol, form = found
        kind = ctypes.CFUNCTYPE if self.releases else ctypes.PYFUNCTYPE
        function = kind(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *_types(layout.kinds))
        return function(known.address(symbol)), struct.Struct(form), known


def words_of(arguments: tuple[Any, ...]) -> tuple[Layout, list[int], list[ByAddress]]:
    """The layout of a kernel's arguments, their words, and the blocks that have to live until it returns."""
    kinds: list[object] = []
    words: list[int] = []
    blocks = []
    for argument in arguments:
        if isinstance(argument, tuple) and hasattr(argument, "_fields"):
            argument = ByAddress(argument)
        if isinstance(argument, ByAddress):
            blocks.append(argument)
            kinds.append(argument.layout)
            words.append(argument.address)
        elif isinstance(argument, bool):
            kinds.append(bool)
            words.append(argument)
        else:
            lay_out((argument,), kinds, words)
    return layout_of(kinds), words, blocks


def _types(kinds: tuple[object, ...]) -> list[Any]:
    """The types of the words of arguments in C."""
    found: list[Any] = []
    for at, kind in enumerate(kinds):
        if isinstance(kind, np.dtype):
            dimensions = kinds[at + 1]
            assert isinstance(dimensions, int)
            found += [ctypes.c_int64] * (5 + 2 * dimensions)
        elif isinstance(kind, type | Layout):
            found.append({bool: ctypes.c_uint8, float: ctypes.c_double}.get(kind, ctypes.c_int64))  # type: ignore[arg-type]
    return found


def name_of(function: Callable[..., Any]) -> str:
    """What a kernel is called in the index: functions made by one function differ in what they enclose."""
    enclosed = "".join(f" {cell.cell_contents!r}" for cell in function.__closure__ or ())
    return f"{function.__module__.partition('.')[2]}.{function.__qualname__}{enclosed}"


def digest_of(layout: Layout) -> str:
    """What a layout is called in the index."""
    return hashlib.sha256(text_of(layout).encode()).hexdigest()[:20]


def text_of(layout: Layout) -> str:
    """A layout in words: layouts that are one type for numba have the same."""
    found, kinds = [], iter(layout.kinds)
    for kind in kinds:
        if isinstance(kind, Layout):
            found.append(f"({text_of(kind)})")
        elif isinstance(kind, np.dtype):
            dimensions, flags = next(kinds), next(kinds)
            assert isinstance(flags, int)
            order = "C" if flags & 0x1 else "F" if flags & 0x2 else "A"
            found.append(f"{kind.str}{dimensions}{order}{flags & FLAGS & ~0x3:x}")
        elif isinstance(kind, tuple):
            found.append(f"{kind[0].__qualname__}:{kind[1]}")
        elif isinstance(kind, type):
            found.append(WORDS.get(kind, kind.__qualname__))
    return " ".join(found)
