"""All compiled kernels of Budge, as one library: a wheel carries it, and a checkout makes it once for this machine.

    runtime/kernels.so, kernels.json        in a wheel: for a baseline processor, linked by a C compiler
    kernels-library-SOURCES-MACHINE/code    in a place of `kernel_files`: a line of JSON, then object files

Both are called without numba (`kernel_calls`). `ensure_kernels` is the one gate: it is called where something compiled
is about to run for the first time, and then either the library is there, or all of it is compiled by child processes,
which takes a minute, under a lock, so that nobody does it twice. The object files are loaded by LLVM's own linker
(llvmlite, which comes with numba): no C compiler is needed.

Where that fails, or where numba's settings ask for other code (`NUMBA_BOUNDSCHECK=1`), numba compiles kernels in this
process when they are called (`numba_kernels`).
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..models.errors import UsageError
from . import kernel_files
from .budget import LOADING, Budget
from .child_main import Orders
from .environment import cores, instructions
from .events import Note, Preparing, Progress, silent
from .kernel_files import name
from .processes import Child, wait

CARRIED = Path(__file__).with_name("kernels.so")
INDEX = CARRIED.with_suffix(".json")

ABOUT = 125.0
"""Seconds of processor time that compiling all kernels takes on an AMD EPYC: the announced time is made of it."""

MOST_CHILDREN = 4
"""More processes than this would wait for the longest part."""

PATIENCE = 2.0
"""Seconds for which plain search goes on where all kernels would have to be made next."""

NOT_KEPT = (
    "compiled code cannot be kept: neither the package's folder nor the user's cache folder can be written to; it is "
    "compiled in every run (NUMBA_CACHE_DIR names another folder)"
)

_here: dict[str, bytes] = {}
"""What this process has had compiled, by name; empty where that failed: it is not tried again."""


class Library:
    """The index of the kernels, and the addresses of their machine code."""

    def __init__(self, kernels: dict[str, dict[str, tuple[str, str]]], address: Callable[[str], int]) -> None:
        self.kernels, self.address = kernels, address


def by_numba() -> bool:
    """Whether numba is to compile kernels in this process, because its settings ask for other code."""
    other = bool(kernel_files.settings()) or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
    return other and find_spec("numba") is not None


@cache
def library() -> Library | None:
    """The library, if it is there; None if numba compiles kernels in this process.

    Raises `UsageError` if there is neither library nor numba.
    """
    if by_numba():
        return None
    try:
        return _carried()
    except FileNotFoundError:
        reason = "carries no compiled kernels"
    except (OSError, ValueError) as error:
        reason = f"carries compiled kernels that do not fit ({error})"
    if find_spec("numba") is None:
        raise UsageError(f"this installation {reason}: pip install 'budge[kernels]' brings numba, which compiles them")
    data = kernel_files.read(name()) or _here.get(name())
    return _linked(data) if data else None


def _carried() -> Library:
    """The library of a wheel. Raises `OSError` or `ValueError` if it does not fit, or its index is damaged."""
    try:
        index = json.loads(INDEX.read_bytes())
        made_of, needed = str(index["sources"]), set(map(str, index["instructions"]))
        kernels = {
            name: {layout: (symbol + "", struct.Struct(form).format) for layout, (symbol, form) in layouts.items()}
            for name, layouts in index["kernels"].items()
        }
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, struct.error):
        raise ValueError("their index is damaged") from None
    if made_of != kernel_files.sources_hash():
        raise ValueError("the sources of its kernels have changed")
    lacking = needed - set(instructions().split())
    if lacking and instructions():
        raise ValueError(f"this processor has no {', '.join(sorted(lacking))}")
    import ctypes  # here, as processes that compute nothing need not load it

    code = ctypes.CDLL(str(CARRIED))
    return Library(kernels, lambda symbol: ctypes.cast(code[symbol], ctypes.c_void_p).value or 0)


def _linked(data: bytes) -> Library:
    """The library of a file in the cache, linked by LLVM."""
    llvm: Any = import_module("llvmlite.binding")
    index, _, code = data.partition(b"\n")
    kernels, sizes = json.loads(index)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    for size in sizes:
        linker.add_object_file(llvm.ObjectFileRef.from_data(code[:size]))
        code = code[size:]
    linker.finalize_object()
    return Library(kernels, linker.get_function_address)


def loaded() -> bool:
    """Whether the library is in this process already."""
    return library.cache_info().currsize > 0 and library() is not None


def folder() -> Path | None:
    """Where the library is, or would be kept; None if it cannot be kept."""
    if CARRIED.exists():
        return CARRIED.parent
    there = [place for place in kernel_files.places() if (place / name()).exists()]
    return there[0] if there else kernel_files.place()


def ready() -> bool:
    """Whether kernels can be called without being made before; the library need not be loaded for that."""
    there = any((folder / name()).exists() for folder in kernel_files.places())
    return loaded() or by_numba() or there or name() in _here or (INDEX.exists() and library() is not None)


def patience(budget: Budget) -> float:
    """Seconds for which plain search is worth trying once more, as all kernels would have to be made next; else 0."""
    return 0.0 if ready() else min(PATIENCE, budget.remaining / 4)


def ensure_kernels(progress: Progress = silent, budget: Budget | None = None) -> float:
    """Have all kernels compiled if they are not, while the budget's clock stands still; gives the seconds that it took.

    It ends when the budget is interrupted. What fails is told, and numba compiles kernels when they are called.
    """
    budget = budget or Budget(None, None)
    with budget.paused(LOADING):
        if _can_call():
            return 0.0
    began = time.monotonic()
    with budget.paused():
        while not _can_call() and not budget.interrupted.is_set():
            if lock := kernel_files.locked("kernels"):
                with lock:
                    if not _can_call():
                        _make(progress, budget)
            else:  # another process is at it
                time.sleep(0.1)
    return time.monotonic() - began


def _can_call() -> bool:
    """Whether the library is loaded now, or numba is to do without one."""
    if library() is None:
        library.cache_clear()  # another process may have made it meanwhile
    return library() is not None or by_numba() or name() in _here


def _make(progress: Progress, budget: Budget) -> None:
    """Let child processes compile all kernels, and keep the library."""
    began, count = time.monotonic(), min(cores(), MOST_CHILDREN)
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    about = round(ABOUT / count * max(1.0, (busy + count) / cores()))
    progress(Preparing(seconds=0.0, about=about))
    with tempfile.TemporaryDirectory() as claims:
        children = [Child(Orders(partial(_compile, claims, f"budge_{number}_"))) for number in range(count)]
        try:
            while not all(child.ended for child in children) and not budget.interrupted.is_set():
                wait(children)
        finally:
            for child in children:
                child.kill()
    took = time.monotonic() - began
    progress(Preparing(seconds=took, about=about, done=True))
    made = [child.result for child in children if child.result is not None]
    if len(made) == count:
        index: dict[str, dict[str, Any]] = {}
        for kernels, _ in made:
            for kernel, layouts in kernels.items():
                index.setdefault(kernel, {}).update(layouts)
        objects = [code for _, code in made]
        _here[name()] = json.dumps([index, [len(code) for code in objects]]).encode() + b"\n" + b"".join(objects)
        kernel_files.write(name(), _here[name()])
        if kernel_files.place() is None:
            progress(Note(seconds=took, text=NOT_KEPT))
    elif not budget.interrupted.is_set():
        _here[name()] = b""
        problem = next(child.error or child.ended for child in children if not child.result)
        text = f"kernels could not be compiled together, and are compiled one by one when they run: {problem}"
        progress(Note(seconds=took, text=text))


def _compile(claims: str, prefix: str, _budget: Budget, _progress: Progress) -> Any:
    """An index and an object file of the kernels that this process compiles: those whose callers it claims first by a
    file in a folder. What calls kernels is above this room, and loaded by its name.
    """

    def claim(number: int) -> bool:
        try:
            Path(claims, str(number)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    maker = import_module(f"{__package__.rpartition('.')[0]}.lab.make_kernels")
    return maker.code_of(maker.call_all(claim), prefix)
