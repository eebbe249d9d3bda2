"""Whether a search will have to compile its kernels first, and saying so.

Compiled kernels are kept (`kernel_cache`); a first run without them takes some seconds longer, which looks like a hang
unless it is announced.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast

NOTE = "compiling search kernels, once; some seconds"


class _Stats(Protocol):
    cache_path: str | None


class Compiled(Protocol):
    """What is used here of what `njit` makes of a function."""

    py_func: Callable[..., Any]
    signatures: list[Any]
    stats: _Stats


def compiling(*kernels: Callable[..., Any]) -> bool:
    """Whether one of some `@njit(cache=True)` functions is neither compiled in this process nor in the cache.

    Only looks for a file that is younger than the source. That it holds the code for these arguments and this processor
    is not certain, but likely.
    """
    return not all(kernel.signatures or _cached(kernel) for kernel in cast("tuple[Compiled, ...]", kernels))


def _cached(kernel: Compiled) -> bool:
    code = kernel.py_func.__code__
    source = Path(code.co_filename)
    if not kernel.stats.cache_path:
        return False
    pattern = f"{source.stem}.{kernel.py_func.__qualname__}-{code.co_firstlineno}.*.nbi"
    try:
        changed = source.stat().st_mtime
        return any(file.stat().st_mtime >= changed for file in Path(kernel.stats.cache_path).glob(pattern))
    except OSError:
        return False


def announce(note: Callable[[str], None], *kernels: Callable[..., Any]) -> None:
    """A note to the user if the kernels have to be compiled first. `note`: as `Recorder.note`."""
    if compiling(*kernels):
        note(NOTE)
