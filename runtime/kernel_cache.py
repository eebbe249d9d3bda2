"""Compiling kernels with numba, and keeping the compiled code.

numba's own cache looks at the file of a function and not at what the function calls, fails where a class that it has
stored is gone or a file is damaged, uses no folder that it cannot write to, and names folders after the place where the
package is. So Budge has its own. The code of each module with kernels has a folder, named after the module, a hash of
all that its kernels are made of (its own source, the sources that it imports, and so on), and a hash of the conditions
(`cache_places.conditions`). An edit compiles anew what depends on it, and nothing else:

    __pycache__/kernels-runtime.bitops-0c8e...-71f2...      bitops.py
                kernels-analysis.hm.tuples-5d0a...-71f2...  tuples.py and bitops.py
                kernels-analysis.matching-9e31...-71f2...   matching.py

A folder has a file for each kernel and the types of its arguments. Where the places are: `cache_places`; what numba
asks and is given: `numba_kernels`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from . import cache_places
from .kernel_calls import Kernel, Part
from .kernel_sources import fingerprint

PREFIX = "kernels-"

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def njit(*, inner: Literal[True], **options: Any) -> Callable[[Function], Function]: ...
@overload
def njit(*, cache: bool = ..., effort: int = ..., **options: Any) -> Callable[[Callable[..., Any]], Any]: ...
def njit(*, cache: bool = False, inner: bool = False, effort: int = 3, **options: Any) -> Any:
    """As `numba.njit`; compiled code is kept in files of its own (`KernelCache`).

    `cache`: keep the compiled code. `inner`: for functions that only other kernels call. They become a part of the code
    of those and need no entry from Python, no count of references and no place in the cache: half the time to compile.
    They must not allocate. Others, unless they are to be inlined, are called from Python with their named tuples by
    address (`kernel_calls.Kernel`). `effort`: LLVM's level of optimisation, 0 to 3, of the function and what it calls.
    Where nothing can be written, nothing new is kept. numba is loaded when it is needed: hardly ever (`kernels`).
    """

    def decorate(function: Callable[..., Any]) -> Any:
        def compile() -> Any:
            from .numba_kernels import KernelCache, compiled

            kept = KernelCache(function, folder(function.__code__.co_filename)) if cache else None
            return compiled(function, kept, inner, effort, options)

        if inner or "inline" in options:
            return Part(function, compile)
        return Kernel(function, compile, options.get("nogil", False))

    return decorate


@cache
def folder(source: str) -> str:
    """The folder for code compiled from a source file; its name changes with the source and with numba's settings."""
    conditions = hashlib.sha256(cache_places.conditions()).hexdigest()[:16]
    return f"{PREFIX}{module_name(source)}-{fingerprint(Path(source))}-{conditions}"


def module_name(source: str) -> str:
    """`analysis.hm.tuples` of `.../analysis/hm/tuples.py`."""
    return ".".join(Path(source).relative_to(cache_places.PACKAGE).with_suffix("").parts)
