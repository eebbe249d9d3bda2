"""How much work numba puts into a kernel: compilers for functions that are parts of others, and for quicker results.

A kernel calls functions, these call others, and so on. numba makes each of them a library of its own: LLVM links what
it calls into it, optimises all that and translates it into machine code, and does so once more for every caller. So the
innermost functions of a large kernel are optimised five or six times, and all but one of the results are of no use.
`PartCompiler` is for functions that no one calls but kernels: they are linked into their callers nearly as they are.

LLVM's third level of optimisation, numba's default, unrolls and vectorises loops. Where these have one to five rounds,
as over the words of a packed set, that makes more code and no quicker one. `KernelCompiler` uses the first level.

Measured on h^m (processor time, idle machine of two cores, numba 0.68): 34 s for h² to h⁵ with numba's own compiler, a
kernel for each m and NumPy's functions in them; 6 s for one kernel for all m of parts without NumPy's functions, which
numba compiles like any other (a copy of a slice takes 2 s). That runs as fast as before on h², h³ and faster on h⁴.

This builds on numba's `pipeline_class`, and on methods of its code library that are not public (see
`tests/runtime/test_compilers.py`).
"""

from __future__ import annotations

from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags


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
        try:
            manager, builder = self._codegen._module_pass_manager()
        except (AttributeError, TypeError, ValueError):  # another version of numba
            super()._optimize_final_module()
        else:
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
