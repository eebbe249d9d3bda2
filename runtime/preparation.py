"""Compiling what an engine will run, once, before any clock starts.

Kernels are compiled when they are first called, which takes longer than many a puzzle. So an engine is prepared before
it is given work: a child process that no limit ends calls all its kernels with all kinds of arguments, the compiled
code is kept (`kernel_cache`), and a marker beside it says so. With the marker there, preparing is to look for one file:

    __pycache__/prepared-astar-5f1c09a2d3e4b677     {"seconds": 21.3}

The name ends with a hash of all that the compiled code depends on: the sources of the kernels, what they are called
with, the versions of Python and numba, the processor.

Where nothing can be kept, that is said, and kernels are compiled in this process: still before the clock.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from ..models.collector import collector_paused
from . import cache_places
from .budget import Budget
from .child_main import Orders
from .environment import processor
from .events import Note, Preparing, Progress, silent
from .processes import Child, start_method, wait

ROOMS = "runtime", "analysis", "engines"
"""Where kernels are, and the named tuples that they take."""

PREFIX = "prepared-"

NOT_KEPT = (
    "compiled code cannot be kept: neither the package's folder nor the user's cache folder can be written to; it is "
    "compiled in every run (NUMBA_CACHE_DIR names another folder)"
)

_done: set[str] = set()
"""Names of the markers of what this process has prepared, or found to be."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """How to compile all that an engine (or another user of kernels) of this `name` runs.

    `parts` call its kernels; they can be sent to other processes. `inputs`: all that says what they are called with.
    """

    name: str
    parts: tuple[Callable[[], None], ...]
    inputs: str = ""

    @property
    def marker(self) -> str:
        """The name of the file that says that it has been done."""
        digest = hashlib.sha256(_sources() + self.inputs.encode())
        return f"{PREFIX}{self.name}-{digest.hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What came of a preparation: how long it took (0 if there was nothing to do), and its problem, if it had one."""

    name: str
    seconds: float
    problem: str | None = None


@cache
def _sources() -> bytes:
    """A hash of what compiled code depends on, apart from the arguments that it is compiled for."""
    from importlib.metadata import version  # is slow to import, and not needed for small puzzles

    digest = hashlib.sha256(f"{sys.version} {version('numba')} {processor()}".encode())
    for room in ROOMS:
        for source in sorted((cache_places.PACKAGE / room).rglob("*.py")):
            text = source.read_bytes()
            if any(word in text for word in (b"njit", b"NamedTuple", b"import numba", b"from numba")):
                digest.update(source.name.encode() + text)
    return digest.digest()


def needed(preparations: Sequence[Preparation]) -> list[Preparation]:
    """Those that have not been done yet."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return []
    left = [preparation for preparation in preparations if preparation.marker not in _done]
    place = cache_places.place() if left else None
    if place:
        _done.update(one.marker for one in left if (place / one.marker).exists())
    return [preparation for preparation in left if preparation.marker not in _done]


def prepare(
    preparations: Sequence[Preparation],
    progress: Progress = silent,
    interrupted: threading.Event | None = None,
    parallel: int = 1,
    meanwhile: Callable[[], object] = lambda: None,
) -> list[Prepared]:
    """Do what is left to be done of some preparations, `parallel` at a time; until it is `interrupted`.

    `meanwhile` is called once when the last child has been started: to load what this process needs afterwards.
    """
    left, found = needed(preparations), []
    if not left:
        return []
    interrupted = interrupted or threading.Event()
    place = cache_places.place()
    if place is None:
        progress(Note(seconds=0.0, text=NOT_KEPT))
        return [_here(preparation, progress, interrupted) for preparation in left]
    if start_method() == "fork":
        import_module("numba")  # half a second, once for all children
    running: dict[str, tuple[Preparation, Child]] = {}
    waiting, idle = list(left)[::-1], [meanwhile]
    try:
        while (waiting or running) and not interrupted.is_set():
            while waiting and len(running) < parallel:
                one = waiting.pop()
                running[one.name] = one, Child(Orders(partial(_call_all, one)), progress)
            if not waiting and idle:
                idle.pop()()
            wait([child for _, child in running.values()])
            for name, (preparation, child) in list(running.items()):
                if child.ended:
                    del running[name]
                    found.append(_ended(preparation, child, place, progress))
    finally:
        for _, child in running.values():
            child.kill()
    return found


def _call_all(preparation: Preparation, budget: Budget, progress: Progress) -> bool:
    """Call all parts; whether they were not interrupted."""
    count = len(preparation.parts)
    for number, part in enumerate(preparation.parts):
        if budget.interrupted.is_set():
            return False
        progress(Preparing(seconds=budget.elapsed, engine=preparation.name, done=number, of=count))
        with collector_paused():  # an eighth of the time
            part()
    progress(Preparing(seconds=budget.elapsed, engine=preparation.name, done=count, of=count))
    return True


def _ended(preparation: Preparation, child: Child, place: Path, progress: Progress) -> Prepared:
    """Leave a marker, or say what went wrong; then the engine compiles what is missing when it runs."""
    _done.add(preparation.marker)  # no second attempt in this process
    if child.result:
        with contextlib.suppress(OSError):
            (place / preparation.marker).write_text(json.dumps({"seconds": round(child.took, 2)}) + "\n")
        return Prepared(preparation.name, child.took)
    problem = child.error[1] if child.error else str(child.ended)
    text = f"`{preparation.name}` could not be prepared and compiles when it runs: {problem}"
    progress(Note(seconds=child.took, engine=preparation.name, text=text))
    return Prepared(preparation.name, child.took, problem)


def _here(preparation: Preparation, progress: Progress, interrupted: threading.Event) -> Prepared:
    """The same in this process."""
    budget = Budget(None, None)
    budget.interrupted = interrupted
    if _call_all(preparation, budget, progress):
        _done.add(preparation.marker)
    return Prepared(preparation.name, budget.elapsed)
