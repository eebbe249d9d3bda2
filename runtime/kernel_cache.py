"""Where compiled kernels are kept: a folder for each state of their sources.

numba's own cache looks at the file of a function and not at what the function calls, and fails where a class that it
has stored is gone. So kernels that were compiled from other sources must never be met: the folder's name is a hash of
the sources of all kernels. It is in the package's `__pycache__`, where that can be written, otherwise in the user's
cache folder, or where `NUMBA_CACHE_DIR` says.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

PACKAGE = Path(__file__).parent.parent
FOLDERS = "runtime", "analysis", "engines/search"
"""Where kernels are, and the named tuples that they take."""

PREFIX = "kernels-"

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def njit(*, cache: bool = False, inner: bool = False, **options: Any) -> Callable[[Kernel], Kernel]:
    """As `numba.njit`; compiled code is kept in `folder()`. Settings of other users of numba stay.

    `cache`: keep the compiled code. `inner`: for functions that only other kernels call. They become a part of the code
    of those and need no entry from Python, no count of references and no place in the cache: half the time to compile.
    They must not allocate. Where nothing can be written, nothing is kept, and kernels are compiled in every process.
    """
    if inner:
        options = {"nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}

    def decorate(function: Kernel) -> Kernel:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = folder()
        try:
            compiled: Kernel = numba.njit(**options, cache=bool(cache and folder()))(function)
        finally:
            numba.config.CACHE_DIR = before
        return compiled

    return decorate


@cache
def folder() -> str:
    """The folder for code that is compiled from the present sources; empty if there is none that can be written to."""
    name = PREFIX + fingerprint(PACKAGE)
    return next((str(place / name) for place in _places() if _usable(place / name)), "")


def fingerprint(package: Path) -> str:
    """A hash of all sources that compiled code is made from."""
    digest = hashlib.sha256(sys.version.encode() + numba.__version__.encode())
    for part in FOLDERS:
        for source in sorted((package / part).rglob("*.py")):
            text = source.read_bytes()
            if b"njit" in text or b"NamedTuple" in text:
                digest.update(source.name.encode() + text)
    return digest.hexdigest()[:16]


def _places() -> Iterator[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield PACKAGE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "budge"


def _usable(place: Path) -> bool:
    """Whether a folder can be written to. It is made; then those of the package's former sources are removed."""
    try:
        new = not place.exists()
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError:
        return False
    if new and place.parent == PACKAGE / "__pycache__":
        for other in place.parent.glob(PREFIX + "*"):
            if other != place:
                shutil.rmtree(other, ignore_errors=True)
    return True
