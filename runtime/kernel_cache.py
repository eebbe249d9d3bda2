"""Compiling kernels with numba, and where the compiled code is kept.

numba's own cache looks at the file of a function and not at what the function calls, and fails where a class that it
has stored is gone. So code that was compiled from other sources must never be met. The code of each module with kernels
has a folder of its own, named after the module and a hash of all that its kernels are made of: its own source, and the
sources that it imports, and so on. An edit compiles anew what depends on it, and nothing else:

    __pycache__/kernels-runtime.bitops-0c8e.../          bitops.py
                kernels-analysis.hm.tuples-71f2.../      tuples.py and bitops.py
                kernels-analysis.matching-5d0a.../       matching.py

The folders are in the package's `__pycache__`, where that can be written, otherwise in the user's cache folder, or
where `NUMBA_CACHE_DIR` says.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import numba

from . import cache_places
from .by_address import Kernel
from .cache_places import PACKAGE, places, writable
from .compilers import KernelCompiler, PartCompiler

PREFIX = "kernels-"

Function = TypeVar("Function", bound=Callable[..., Any])

_IMPORT = re.compile(rb"^ *from (\.+)([\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
_WORD = re.compile(rb"\w+")


@overload
def njit(*, inner: Literal[True], **options: Any) -> Callable[[Function], Function]: ...
@overload
def njit(*, cache: bool = ..., effort: int = ..., **options: Any) -> Callable[[Callable[..., Any]], Any]: ...
def njit(*, cache: bool = False, inner: bool = False, effort: int = 3, **options: Any) -> Any:
    """As `numba.njit`; compiled code is kept in `folder()`. Settings of other users of numba stay.

    `cache`: keep the compiled code. `inner`: for functions that only other kernels call. They become a part of the code
    of those and need no entry from Python, no count of references and no place in the cache: half the time to compile.
    They must not allocate. Others, unless they are to be inlined, are called from Python with their named tuples by
    address (`by_address.Kernel`). `effort`: LLVM's level of optimisation, 0 to 3, of the function and what it calls.
    Where nothing can be written, nothing is kept, and kernels are compiled in every process.
    """
    options = {"no_cfunc_wrapper": True, **options}  # no entry from C: nobody asks for it
    if inner:
        options = {"_nrt": False, "no_cpython_wrapper": True, "pipeline_class": PartCompiler, **options}
    elif effort < 3:
        options["pipeline_class"] = KernelCompiler

    def decorate(function: Callable[..., Any]) -> Any:
        place = folder(function.__code__.co_filename) if cache else ""
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = place
        try:
            compiled = numba.njit(**options, cache=bool(place))(function)
        finally:
            numba.config.CACHE_DIR = before
        entered = not inner and "inline" not in options and not numba.config.DISABLE_JIT
        return Kernel(compiled) if entered else compiled

    return decorate


@cache
def folder(source: str) -> str:
    """The folder for code that is compiled from a source as it is now; empty if none can be written to."""
    name = PREFIX + module_name(source) + "-" + fingerprint(Path(source))
    return next((str(place / name) for place in places() if _usable(place / name)), "")


def module_name(source: str) -> str:
    """`analysis.hm.tuples` of `.../analysis/hm/tuples.py`."""
    return ".".join(Path(source).relative_to(PACKAGE).with_suffix("").parts)


def fingerprint(source: Path) -> str:
    """A hash of all that the kernels of a module are made of (and of the versions of Python and numba)."""
    digest = hashlib.sha256(sys.version.encode() + numba.__version__.encode())
    for part in sorted(sources(source)):
        digest.update(part.name.encode() + _text(part))
    return digest.hexdigest()[:16]


def sources(source: Path) -> set[Path]:
    """The files that the kernels of a module are made of.

    From one file to the files that it imports, as long as there are kernels in them, the named tuples that kernels
    take, or what numba is told of how to compile them (`by_address`, `compilers`). Of another file what can matter is a
    constant: it counts itself if a constant (a name in capitals) is imported from it, and what it imports does not.
    """
    found, waiting = {source}, [source]
    while waiting:
        for imported, constant in _imports(waiting.pop()):
            if imported not in found and (constant or _has_kernels(imported)):
                found.add(imported)
                if _has_kernels(imported):
                    waiting.append(imported)
    return found


@cache
def _text(source: Path) -> bytes:
    return source.read_bytes()


def _has_kernels(source: Path) -> bool:
    text = _text(source)
    return any(word in text for word in (b"njit", b"(NamedTuple)", b"import numba", b"from numba"))


@cache
def _imports(source: Path) -> list[tuple[Path, bool]]:
    """The files of the package that a file imports, and whether a constant is among what it imports from each."""
    found = []
    for dots, name, imported in _IMPORT.findall(_text(source)):
        base = (
            source.parents[len(dots) - 1].joinpath(*name.decode().split(".")) if name else source.parents[len(dots) - 1]
        )
        names = _WORD.findall(imported)
        if base.is_dir():
            found += [
                (base / f"{word.decode()}.py", True) for word in names if (base / f"{word.decode()}.py").is_file()
            ]
            base = base / "__init__"
        module = base.with_suffix(".py")
        if module.is_file():
            found.append((module, any(word.isupper() for word in names)))
    return found


def _usable(place: Path) -> bool:
    """Whether a folder can be written to. It is made; then those of the module's former sources are removed."""
    new = not place.exists()
    if not writable(place):
        return False
    if new and place.parent == cache_places.PACKAGE / "__pycache__":
        module = place.name.rpartition("-")[0]
        for other in place.parent.glob(PREFIX + "*"):
            # Of other sources of this module, and of versions that had one folder for all modules.
            if other != place and other.name.rpartition("-")[0] in (module, PREFIX[:-1]):
                shutil.rmtree(other, ignore_errors=True)
    return True
