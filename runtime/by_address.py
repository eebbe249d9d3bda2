"""Named tuples of arrays, passed to compiled kernels by address.

numba passes a named tuple by value. Each of its arrays is seven numbers or more: a task's tables are some fifty arrays,
so each kernel's entry from Python is a few thousand instructions that fetch them from Python's objects, and every call
and every access to a field copies them all. Most of the time that it took to compile kernels went into that: 0.66 s for
a kernel that does nothing with the tables of A*, and 33 microseconds for each call of it; by address 0.03 s and 3.

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

import struct
from array import array
from functools import update_wrapper
from typing import Any, Protocol, TypeVar, cast

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, intrinsic, lower_getattr_generic, models, register_model, unbox

Tables = TypeVar("Tables", bound=tuple[Any, ...])

# numba calls these with its own types and the builder of LLVM code; it has no types for them that mypy knows.


class Pointer(types.Type):  # type: ignore[misc]
    """The numba type of an address at which a named tuple of the type `of` lies."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(name=f"Pointer({of.name})")

    @property
    def key(self) -> Any:
        return self.of

    def field(self, name: str) -> tuple[int, Any]:
        """The number and type of a field."""
        number = self.of.fields.index(name)
        return number, self.of.types[number]


@register_model(Pointer)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Pointer) -> None:
        super().__init__(manager, kind, manager.lookup(kind.of).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """Types `pointer.field` for numba: the type of the field, or again a pointer if the field is a named tuple."""

    key = Pointer

    def generic_resolve(self, value: Pointer, name: str) -> Any:
        if name not in value.of.fields:
            return None
        kind = value.field(name)[1]
        return Pointer(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@lower_getattr_generic(Pointer)
def _load_field(context: Any, builder: Any, value: Pointer, address: Any, name: str) -> Any:
    number, kind = value.field(name)
    place = cgutils.gep_inbounds(builder, address, 0, number)
    if isinstance(kind, types.BaseNamedTuple):
        return place
    if not isinstance(kind, types.Array):
        return _load(builder, place)
    array = context.make_array(kind)(context, builder)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    array.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    for number, name in ((2, "nitems"), (4, "data")):
        setattr(array, name, _load(builder, cgutils.gep_inbounds(builder, place, 0, number)))
    for number, name in ((5, "shape"), (6, "strides")):
        each = [_load(builder, cgutils.gep_inbounds(builder, place, 0, number, d)) for d in range(kind.ndim)]
        setattr(array, name, cgutils.pack_array(builder, each))
    return impl_ret_borrowed(context, builder, kind, array._getvalue())


def _load(builder: Any, place: Any) -> Any:
    """A word of the block, which LLVM may keep in a register: no store changes it."""
    loaded = builder.load(place)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


@unbox(Pointer)
def _unbox(kind: Pointer, value: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.builder.inttoptr(c.pyapi.long_as_longlong(number), c.context.get_value_type(kind))
    c.pyapi.decref(number)
    return NativeValue(address)


@intrinsic
def _on_stack(_typingctx: Any, value: Any) -> Any:
    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, args[0])

    return Pointer(value)(value), codegen


class _OnStack(Protocol):
    def __call__(self, value: Tables) -> Tables: ...


on_stack = cast(_OnStack, _on_stack)
"""The address of a named tuple on a kernel's stack, for kernels that it calls; valid until the kernel returns."""


class ByAddress:
    """A named tuple of arrays, numbers and such tuples, laid out for kernels; the arrays live as long as this.

    Raises `TypeError` for a field of another kind.
    """

    __slots__ = "_numba_type_", "address", "value", "words"

    def __init__(self, value: tuple[Any, ...]) -> None:
        self.value = value
        layout: list[object] = [type(value)]
        words: list[int] = []
        _lay_out(value, layout, words)
        self.words = array("q", words)
        self.address = self.words.buffer_info()[0]
        self._numba_type_ = _type_of(value, tuple(layout))


def laid_out(tables: Tables) -> Tables:
    """A named tuple laid out in memory once, for many calls of kernels: laying it out takes a microsecond for each
    array.
    """
    return cast(Tables, ByAddress(tables))


_FLAGS = 0x1 | 0x2 | 0x100 | 0x400
"""The flags of an array on which its type in numba depends: contiguous in C's or Fortran's order, aligned, writable."""

_types: dict[tuple[object, ...], Pointer] = {}


def _type_of(value: tuple[Any, ...], layout: tuple[object, ...]) -> Pointer:
    """numba's type of a tuple; finding it takes long, so that it is kept for tuples of the same layout."""
    found = _types.get(layout)
    if found is None:
        found = _types[layout] = Pointer(numba.typeof(value))
    return found


def _lay_out(value: tuple[Any, ...], layout: list[object], words: list[int]) -> None:
    """Append the fields of a tuple to `words` as 64-bit words, and their kinds, which decide how to read them, to
    `layout`.
    """
    for field in value:
        kind = type(field)
        if kind is np.ndarray:
            layout += (field.dtype, field.ndim, field.flags.num & _FLAGS)
            address = field.__array_interface__["data"][0]
            words += (0, 0, field.size, field.itemsize, address, *field.shape, *field.strides)
        elif isinstance(field, tuple):
            layout.append((kind, len(field)))
            _lay_out(field, layout, words)
        elif kind is int:
            layout.append(kind)
            words.append(field)
        elif isinstance(field, (float, np.int64, np.uint64)):
            layout.append(kind)
            words += struct.unpack("q", np.asarray(field).tobytes())
        else:
            raise TypeError(f"a kernel gets no {kind.__name__} in a tuple by address")


class Kernel:
    """A compiled kernel that Python calls: named tuples are passed by address. Other kernels call `compiled` itself."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled
        self._numba_type_ = types.Dispatcher(compiled)
        update_wrapper(self, compiled.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self.compiled(*by_address(arguments))

    def compile(self, *arguments: Any) -> None:
        """Compile for arguments of these types, or load the code, without a call."""
        self.compiled.compile(tuple(map(numba.typeof, by_address(arguments))))


def by_address(arguments: tuple[Any, ...]) -> list[Any]:
    """Arguments of a kernel, with each named tuple laid out."""
    return [
        ByAddress(value) if isinstance(value, tuple) and hasattr(value, "_fields") else value for value in arguments
    ]
