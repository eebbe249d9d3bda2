"""Parts of kernels that are written as LLVM code (numba's `intrinsic`), where kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

from .by_address import Tables
from .kernel_calls import Part


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

    from .pointers import Pointer

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return cgutils.alloca_once_value(builder, args[0])

    return Pointer(value)(value), codegen


class _OnStack(Protocol):
    def __call__(self, value: Tables) -> Tables: ...


on_stack = cast(_OnStack, _on_stack)
"""The address of a named tuple on a kernel's stack, for kernels that it calls; valid until the kernel returns."""
