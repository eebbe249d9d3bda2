"""Kernels as Python calls them: their machine code in the library (`kernels`), or else numba's.

A kernel is called as numba calls it: `int32 kernel(result*, exception*, arguments...)`, where an array is the seven or
more words below, one after the other, and a named tuple the address of such words. `ctypes` can do that; the layout of
the arguments says which function it is.

Named tuples by address: numba passes a named tuple by value. Each of its arrays is seven numbers or more: a task's
tables are some fifty arrays, so each kernel's entry from Python is a few thousand instructions that fetch them from
Python's objects, and every call and every access to a field copies them all. It took 0.66 s to compile a kernel that
does nothing with the tables of A*, and 33 microseconds to call it; by address 0.03 s and 3.

So a kernel gets the address of a block of 8-byte words, laid out as numba's own structure would be:

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

import ctypes
import hashlib
import struct
from array import array
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib.util import find_spec
from typing import Any, Literal, TypeVar, cast, overload

import numpy as np

from .kernels import Library, library

Tables = TypeVar("Tables", bound=tuple[Any, ...])
Function = TypeVar("Function", bound=Callable[..., Any])

FLAGS = 0x1 | 0x2 | 0x100 | 0x400
"""The flags of an array on which its type in numba depends: contiguous in C's or Fortran's order, aligned, writable."""

WORDS = {int: "q", np.int64: "q", np.uint64: "Q", float: "d", bool: "?"}
"""Kinds of numbers that kernels take, and how an index names them."""

RESULT = 64
"""Bytes for the result of a kernel: eight numbers."""


class Layout:
    """The kinds of a tuple's fields, which decide how a kernel reads them; there is one object for each layout."""

    __slots__ = ("kinds",)

    def __init__(self, kinds: tuple[object, ...]) -> None:
        self.kinds = kinds


@cache
def layout_of(kinds: tuple[object, ...]) -> Layout:
    """The one object for a layout."""
    return Layout(kinds)


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
        self.layout = layout_of(tuple(kinds))

    @property
    def _numba_type_(self) -> Any:
        """Its type, where numba looks for it."""
        from .numba_kernels import pointer_to

        return pointer_to(self.value, self.layout)


def laid_out(tables: Tables) -> Tables:
    """A named tuple laid out in memory once, for many calls of kernels: laying it out takes a microsecond for each
    array.
    """
    return cast(Tables, ByAddress(tables))


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
    return layout_of(tuple(kinds)), words, blocks


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
        return self.function(*arguments)  # numba keeps no machine code of it that Python could call


class Kernel(Part):
    """A kernel, called from Python: named tuples are passed by address.

    For arguments of a layout that is not in the library, numba compiles it; without numba, `NotImplementedError`.
    """

    def __init__(self, function: Callable[..., Any], compile: Callable[[], Any], releases: bool) -> None:
        super().__init__(function, compile)
        self.releases = releases
        self.entries: dict[Layout, tuple[Any, struct.Struct, Library] | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        return self.bind(*arguments)()

    def bind(self, *arguments: Any) -> Callable[[], Any]:
        """A call with these arguments that can be made many times: they are laid out once, which takes longer than
        what ctypes does for a call.
        """
        entry, layout, words, blocks = None, *words_of(arguments)
        if library() is not None:
            if layout not in self.entries:
                self.entries[layout] = self._entry(layout)
            entry = self.entries[layout]
        if entry is None:
            laid = by_address(arguments)
            return lambda: self.compiled(*laid)
        kernel, form, _ = entry
        result, error = ctypes.create_string_buffer(RESULT), ctypes.c_void_p()
        given = (result, ctypes.byref(error), *words)

        def call(_held: object = (arguments, blocks)) -> Any:
            if (status := kernel(*given)) > 0:
                raise RuntimeError(f"the kernel `{self.function.__name__}` failed with status {status}")
            values = form.unpack_from(result)
            return values[0] if len(values) == 1 else values or None

        return call

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


def by_type(parts: dict[type[Any], Callable[..., Any]]) -> Callable[..., Any]:
    """A function for kernels that is one of several parts: that of the type of its first argument, a named tuple.

    `successors(form, row)` is a search over bits if `form` is an `OperatorForm`, and runs programs if it is a
    `ProgramForm`. Which one is known when a kernel is compiled for arguments of its types, so that a call costs nothing
    more, and one text of a kernel serves all of them.
    """

    def compile() -> Any:
        from .numba_kernels import ByType

        return ByType({kind: part.compiled for kind, part in parts.items()})  # type: ignore[attr-defined]

    def call(first: Any, *others: Any) -> Any:
        return parts[type(first)](first, *others)

    return Part(call, compile)


@overload
def njit(*, inner: Literal[True], **options: Any) -> Callable[[Function], Function]: ...
@overload
def njit(*, effort: int = ..., **options: Any) -> Callable[[Callable[..., Any]], Any]: ...
def njit(*, inner: bool = False, effort: int = 3, **options: Any) -> Any:
    """As `numba.njit`, for kernels of the library; numba is loaded when it is asked to compile: hardly ever.

    `inner`: for functions that only other kernels call. They become a part of the code of those and need no entry from
    Python and no count of references: half the time to compile. They must not allocate. Others, unless they are to be
    inlined, are called from Python with their named tuples by address. `effort`: LLVM's level of optimisation, 0 to 3,
    of the function and what it calls.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        def compile() -> Any:
            from .numba_kernels import compiled

            return compiled(function, inner, effort, options)

        if inner or "inline" in options:
            return Part(function, compile)
        return Kernel(function, compile, options.get("nogil", False))

    return decorate
