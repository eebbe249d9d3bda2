"""Kernels compiled by numba, and their code in the cache (`kernel_cache`)."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from . import cache_places
from .compilers import KernelCompiler, PartCompiler
from .pointers import Pointer as Pointer  # registers itself with numba


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


def compiled(
    function: Callable[..., Any], cache: KernelCache | None, inner: bool, effort: int, options: dict[str, Any]
) -> Any:
    """The function compiled at its first call, with the options of `kernel_cache.njit`."""
    options = {"no_cfunc_wrapper": True, **options}  # no entry from C: nobody asks for it
    if inner:
        options = {"_nrt": False, "no_cpython_wrapper": True, "pipeline_class": PartCompiler, **options}
    elif effort < 3:
        options["pipeline_class"] = KernelCompiler
    result = numba.njit(**options)(function)
    if numba.config.DISABLE_JIT:
        return result
    if cache:
        result._cache = cache
    return result


class KernelCache(NullCache):  # type: ignore[misc]
    """The compiled code of one function, as numba asks for it and gives it. What cannot be read is compiled again.

    `folder`: where its files are.
    """

    def __init__(self, function: Callable[..., Any], folder: str) -> None:
        self.function, self.folder = function, folder

    @property
    def cache_path(self) -> str:
        return self.folder

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for arguments of these types, or None."""
        context.refresh()
        key = self._key(signature, context.codegen())
        name = self._name(key)
        data = cache_places.read(name)
        if data is None:
            return None
        with suppress(Exception):  # of any kind: from a damaged file, or of what it refers to and is no more
            kept, parts = pickle.loads(data)
            if kept == key:
                return CompileResult._rebuild(context, *parts)
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the code for arguments of these types."""
        if not compiled.library.has_dynamic_globals:
            key = self._key(signature, compiled.codegen)
            cache_places.write(self._name(key), dumps((key, compiled._reduce())))

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Everything that the code depends on: the types, the processor, the function, and the values that it
        encloses.
        """
        enclosed = tuple(cell.cell_contents for cell in self.function.__closure__ or ())
        return signature, codegen.magic_tuple(), self.function.__code__.co_code, dumps(enclosed)

    def _name(self, key: tuple[Any, ...]) -> str:
        code = self.function.__code__
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return f"{self.folder}/{code.co_name}-{code.co_firstlineno}-{digest}"
