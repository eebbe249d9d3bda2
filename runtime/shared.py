"""Large named tuples, passed to compiled kernels by address.

numba passes a named tuple by value. Each of its arrays is seven numbers or more, and every call and every access to a
field copies them all: a task's tables are some fifty arrays, and most of the time that it takes to compile goes into
that. `shared` puts a tuple on the stack once; inner kernels get its address, and a field costs one load. Nothing else
changes in the source of a kernel: fields are read by name, and a field that is a named tuple itself is shared too.

    @njit(cache=True)
    def expand(task, estimate):             called from Python, with the tuples themselves
        task, estimate = shared(task), shared(estimate)
        ...value_after(task, estimate, ...)   an inner kernel: it reads `estimate.boards.dist` through two addresses

An inner kernel reads the arrays that it needs in a loop before the loop, into local variables. It must not keep
what it was given: the address is valid until the kernel that called `shared` returns.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, cast

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

Tables = TypeVar("Tables", bound=tuple[Any, ...])

# numba calls these with its own types and the builder of LLVM code; it has no types for them that mypy knows.


class Shared(types.Type):  # type: ignore[misc]
    """The address of a value of type `of`, a named tuple."""

    def __init__(self, of: Any) -> None:
        self.of = of
        super().__init__(name=f"Shared({of.name})")

    @property
    def key(self) -> Any:
        return self.of

    def field(self, name: str) -> tuple[int, Any]:
        """The number and type of a field."""
        number = self.of.fields.index(name)
        return number, self.of.types[number]


@register_model(Shared)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Shared) -> None:
        super().__init__(manager, kind, manager.lookup(kind.of).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    """The type of `value.name`: that of the field, shared if it is a named tuple."""

    key = Shared

    def generic_resolve(self, value: Shared, name: str) -> Any:
        if name not in value.of.fields:
            return None
        kind = value.field(name)[1]
        return Shared(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@lower_getattr_generic(Shared)
def _load_field(context: Any, builder: Any, value: Shared, address: Any, name: str) -> Any:
    number, kind = value.field(name)
    place = cgutils.gep_inbounds(builder, address, 0, number)
    if isinstance(kind, types.BaseNamedTuple):
        return place
    return impl_ret_borrowed(context, builder, kind, builder.load(place))


@intrinsic
def _shared(typingctx: Any, value: Any) -> Any:
    """The address of a copy of a named tuple, on the stack of the kernel that asks for it."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, args[0])

    return Shared(value)(value), codegen


class _Share(Protocol):
    def __call__(self, tables: Tables) -> Tables: ...


shared = cast(_Share, _shared)
"""A named tuple by address; see above. Only in kernels that are called from Python, at their beginning."""
