"""Kernels compiled by numba: how Python calls them, and their code in the cache (`kernel_cache`)."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import update_wrapper
from typing import Any

import numba
from numba import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from . import cache_places
from .by_address import by_address
from .compilers import KernelCompiler, PartCompiler
from .pointers import Pointer as Pointer  # registers itself with numba


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
    return result if inner or "inline" in options else Kernel(result)


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


class KernelCache(NullCache):  # type: ignore[misc]
    """The compiled code of one function, as numba asks for it and gives it. What cannot be read is compiled again.

    `folder`: where its files are; their names are put into `used` when they are.
    """

    def __init__(self, function: Callable[..., Any], folder: str, used: set[str]) -> None:
        self.function, self.folder, self.used = function, folder, used

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
                found = CompileResult._rebuild(context, *parts)
                self.used.add(name)
                return found
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep the code for arguments of these types."""
        if not compiled.library.has_dynamic_globals:
            key = self._key(signature, compiled.codegen)
            cache_places.write(self._name(key), dumps((key, compiled._reduce())))
            self.used.add(self._name(key))

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
