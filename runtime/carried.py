"""Kernels that were compiled when the wheel was built: a shared library that is called without numba.

    kernels.so      the machine code of every kernel, for every layout of its arguments (`.ci/carry_kernels.py`)
    kernels.json    its sources, the processors it is for, and for each kernel and layout: symbol, format of the result

A kernel is called as numba calls it: `int32 kernel(result*, exception*, arguments...)`, where an array is the seven or
more words of `by_address`, one after the other, and a named tuple its address. `ctypes` can do that; the layout of the
arguments says which function it is (`carried_kernels`).

The library is used if it was compiled from the sources that are here, and if the processor knows its instructions. Else
numba compiles kernels when they are first used (`numba_kernels`), if it is installed.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from ..models.errors import UsageError
from .cache_places import PACKAGE, settings
from .environment import instructions

LIBRARY = Path(__file__).with_name("kernels.so")
INDEX = LIBRARY.with_suffix(".json")

ROOMS = "runtime", "analysis", "engines", "workflows/generate"
"""The rooms of the package with kernels, or with named tuples that kernels take."""


@cache
def sources() -> bytes:
    """A hash of all sources that kernels are made of."""
    digest = hashlib.sha256()
    for room in ROOMS:
        for source in sorted((PACKAGE / room).rglob("*.py")):
            text = source.read_bytes()
            if any(word in text for word in (b"njit", b"NamedTuple", b"import numba", b"from numba")):
                digest.update(source.name.encode() + text)
    return digest.digest()


class Library:
    """The library, and the index of what is in it. Raises `OSError` or `ValueError` if it does not fit."""

    def __init__(self) -> None:
        import ctypes  # here, as processes that compute nothing need not load it

        index = json.loads(INDEX.read_bytes())
        if index["sources"] != sources().hex():
            raise ValueError("the sources of its kernels have changed")
        lacking = set(index["instructions"]) - set(instructions().split())
        if lacking and instructions():
            raise ValueError(f"this processor has no {', '.join(sorted(lacking))}")
        self.kernels: dict[str, dict[str, tuple[str, str]]] = index["kernels"]
        self.holding, self.releasing = ctypes.PyDLL(str(LIBRARY)), ctypes.CDLL(str(LIBRARY))


@cache
def library() -> Library | None:
    """The library, if the installation carries one that fits; None if kernels are compiled by numba.

    Raises `UsageError` if there is neither.
    """
    compiles = find_spec("numba") is not None
    if compiles and (settings() or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")):
        return None  # somebody wants other code: with every index checked, for example
    try:
        return Library()
    except FileNotFoundError:
        reason = "carries no compiled kernels"
    except (OSError, ValueError) as error:
        reason = f"carries compiled kernels that do not fit ({error})"
    if not compiles:
        raise UsageError(f"this installation {reason}: pip install 'budge[kernels]' brings numba, which compiles them")
    return None
