"""numba's side of named tuples by address (`by_address`): their type, and code that reads their fields."""

from __future__ import annotations

from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox

from .by_address import ByAddress, Layout

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


_types: dict[Layout, Pointer] = {}


def type_of(block: ByAddress) -> Pointer:
    """numba's type of a tuple; finding it takes long, so that it is kept for tuples of the same layout."""
    found = _types.get(block.layout)
    if found is None:
        found = _types[block.layout] = Pointer(numba.typeof(block.value))
    return found


ByAddress._numba_type_ = property(type_of)  # type: ignore[attr-defined]  # where numba looks for it
