"""Kernels compiled by numba: for the library, and those that it does not have."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox

# numba's side of named tuples by address (`kernel_calls`): their type, and code that reads their fields.

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


_types: dict[object, Pointer] = {}


def pointer_to(value: tuple[Any, ...], layout: object) -> Pointer:
    """numba's type of a tuple by address; finding it takes long, so that it is kept for tuples of the same layout."""
    known = _types.get(layout)
    if known is None:
        known = _types[layout] = Pointer(numba.typeof(value))
    return known


class ByType:
    """What numba takes for a compiled function: it passes each call on to the part for the type of the first argument.

    `parts`: the compiled functions by the named tuple that they take first.
    """

    is_compiling = False  # it is never in the middle of its own compilation: it has none

    def __init__(self, parts: dict[type[Any], Any]) -> None:
        self.parts = parts
        self._numba_type_ = types.Dispatcher(self)

    def _part(self, kinds: tuple[Any, ...]) -> Any:
        return self.parts[kinds[0].of.instance_class]

    def get_call_template(self, kinds: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """The signature of a call, for numba's typing."""
        return self._part(kinds).get_call_template(kinds, named)

    def get_overload(self, kinds: tuple[Any, ...]) -> Any:
        """The code of a call, for numba's lowering."""
        return self._part(kinds).get_overload(kinds)


# How much work numba puts into a kernel: compilers for functions that are parts of others, and for quicker results.
#
# A kernel calls functions, these call others, and so on. numba makes each of them a library of its own: LLVM links
# what it calls into it, optimises all that and translates it into machine code, and does so once more for every
# caller. So the innermost functions of a large kernel are optimised five or six times, and all but one of the results
# are of no use. `PartCompiler` is for functions that no one calls but kernels: they are linked into their callers
# nearly as they are.
#
# LLVM's third level of optimisation, numba's default, unrolls and vectorises loops. Where these have one to five
# rounds, as over the words of a packed set, that makes more code and no quicker one. `KernelCompiler` uses the first
# level.
#
# Measured on h^m (processor time, idle machine of two cores, numba 0.68): 34 s for h² to h⁵ with numba's own
# compiler, a kernel for each m and NumPy's functions in them; 6 s for one kernel for all m of parts without NumPy's
# functions, which numba compiles like any other (a copy of a slice takes 2 s). That runs as fast as before on h², h³
# and faster on h⁴.
#
# This builds on numba's `pipeline_class`, and on methods of its code library that are not public (see
# `tests/runtime/test_compilers.py`).


class _Flags(Flags):  # type: ignore[misc]
    """Options that are compared quickly: numba compares them at every operation that it finds the type of, a sixth of
    its time.
    """

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Flags) and bool(self._values == other._values))


class _Library(JITCodeLibrary):  # type: ignore[misc]
    """Code that is optimised once as a whole; numba's second pass is only needed where references are counted."""

    def _optimize_final_module(self) -> None:
        manager, builder = self._codegen._module_pass_manager()
        manager.run(self._final_module, builder)


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Code that is only linked into the kernels that call it, and not translated for itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Compiler(Compiler):  # type: ignore[misc]
    """numba's compiler with its code library and LLVM's level of optimisation exchanged."""

    library: type[JITCodeLibrary]
    effort: int

    def _compile_core(self) -> Any:
        state, before = self.state, numba.config.OPT
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags = _Flags(state.flags)
        numba.config.OPT = type(before)(self.effort)  # numba compiles in one thread at a time
        try:
            return super()._compile_core()
        finally:
            numba.config.OPT = before


class PartCompiler(_Compiler):
    """Compiles functions that only kernels call."""

    library, effort = _PartLibrary, 1

    def _compile_core(self) -> Any:
        self.state.flags.no_compile = True
        result = super()._compile_core()
        # There is no machine code, so something else of the same type has to stand for the function: callers find it by
        # that, and a call from Python raises `KeyError`.
        result = result._replace(entry_point={}.popitem)
        self.state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


class KernelCompiler(_Compiler):
    """Compiles kernels that count no references: at the first level of optimisation."""

    library, effort = _Library, 1


def _without_scipy() -> None:
    """Load what numba would import for the first kernel, but not SciPy, half of it all, with which numba sees to
    products of matrices. Kernels have none, and where memory is limited (`ulimit -v`), SciPy's OpenBLAS asks for its
    buffers without end.
    """
    linear: Any = import_module("numba.np.linalg")
    needs_scipy, linear.ensure_blas = linear.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")  # it asks once; whatever makes products asks again
    finally:
        linear.ensure_blas = needs_scipy
    import_module("numba.core.registry").cpu_target.target_context.refresh()


_without_scipy()


def compiled(function: Callable[..., Any], inner: bool, effort: int, options: dict[str, Any]) -> Any:
    """The function compiled at its first call, with the options of `kernel_calls.njit`."""
    options = {"no_cfunc_wrapper": True, **options}  # no entry from C: nobody asks for it
    if inner:
        options = {"_nrt": False, "no_cpython_wrapper": True, "pipeline_class": PartCompiler, **options}
    elif effort < 3:
        options["pipeline_class"] = KernelCompiler
    return numba.njit(**options)(function)
