"""Compiling what an engine will run, once, before any clock starts.

Kernels are compiled when they are first called, which takes longer than many a puzzle. So an engine is prepared before
it is given work: child processes that no limit ends call all its kernels with all kinds of arguments, a set of kernels
each, the compiled code is kept (`kernel_cache`), and a marker beside it names its files:

    __pycache__/prepared-NAME-5f1c09a2d3e4b677    {"seconds": 21.3, "files": ["kernels-engines.NAME...", ...]}

With the marker and all these files there, undamaged, there is nothing to do. The name ends with a hash of all that the
compiled code depends on: the sources of the kernels, what they are called with, and `cache_places.conditions`.

Where nothing can be kept, that is said, and kernels are compiled in this process: still before the clock.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import IO, Any

from ..models.collector import collector_paused
from . import cache_places, carried
from .budget import Budget
from .child_main import Orders
from .environment import cores
from .events import Note, Preparing, Progress, silent
from .processes import Child, start_method, wait

PREFIX = "prepared-"

NOT_KEPT = (
    "compiled code cannot be kept: neither the package's folder nor the user's cache folder can be written to; it is "
    "compiled in every run (NUMBA_CACHE_DIR names another folder)"
)

_done: set[str] = set()
"""Markers of preparations that this process has done, or has found done."""


@dataclass(frozen=True, slots=True)
class KernelPreparation:
    """How to compile all that an engine (or another user of kernels) of this `name` runs.

    `parts` call its kernels; they can be sent to other processes. `inputs`: all that says what they are called with.
    `seconds`: how long it takes, about, on one core that has nothing else to do.
    """

    name: str
    parts: tuple[Callable[[], None], ...]
    inputs: str = ""
    seconds: float = 1.0

    @property
    def marker(self) -> str:
        """The name of the file that marks this preparation as done."""
        code = b"" if carried.library() else cache_places.conditions() + carried.sources()
        digest = hashlib.sha256(code + self.inputs.encode())
        return f"{PREFIX}{self.name}-{digest.hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Prepared:
    """The result of a preparation: the seconds it took (0 if it was done before), and its problem, if it had one."""

    name: str
    seconds: float
    problem: str | None = None


def loaded() -> bool:
    """Whether compiled code can be called in this process without loading it first."""
    return f"{__package__}.kernel_cache" in sys.modules


def load_compiler() -> None:
    """Load what numba would import when the first kernel is called, if it is numba that runs them: but not SciPy, half
    of it all, with which numba sees to products of matrices. Kernels have none, and where memory is limited (`ulimit
    -v`), SciPy's OpenBLAS asks for its buffers without end.
    """
    if not sys.modules.get("numba") or carried.library():
        return
    linear: Any = import_module("numba.np.linalg")
    needs_scipy, linear.ensure_blas = linear.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")  # it asks once; whatever makes products asks again
    finally:
        linear.ensure_blas = needs_scipy
    import_module("numba.core.registry").cpu_target.target_context.refresh()


def needed(preparations: Sequence[KernelPreparation]) -> list[KernelPreparation]:
    """The preparations that have not been done yet, or whose compiled code is missing or damaged."""
    if not preparations or os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or carried.library():
        return []
    whole = cache(lambda name: cache_places.read(name) is not None)  # sets of kernels share files
    for one in preparations:
        if one.marker not in _done and (files := _files(one)) is not None and all(map(whole, files)):
            _done.add(one.marker)
    return [one for one in preparations if one.marker not in _done]


def _files(preparation: KernelPreparation) -> list[str] | None:
    """The files with the compiled code, as the marker names them; None if there is no marker."""
    data = cache_places.read(preparation.marker)
    return None if data is None else list(json.loads(data)["files"])


def expected_seconds(preparations: Iterable[KernelPreparation], parallel: int) -> float:
    """How long preparations will take, about: as long as the longest, and as all of them on the cores that other
    programs leave.
    """
    each = [preparation.seconds for preparation in preparations]
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    slower = max(1.0, (busy + min(parallel, len(each))) / cores())
    return slower * max(sum(each) / max(1, parallel), max(each, default=0.0))


class Bar:
    """One clock and one count for preparations that are done together, possibly in several parts."""

    def __init__(self, preparations: Sequence[KernelPreparation], parallel: int) -> None:
        self.done, self.of = 0, len(preparations)
        self.about = round(expected_seconds(preparations, parallel))
        self._before = self._began = 0.0

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Let the clock run within."""
        self._began = time.monotonic()
        yield
        self._before += time.monotonic() - self._began

    def event(self, preparation: KernelPreparation, done: int = 0) -> Preparing:
        """The event that a preparation has begun, or that one (`done=1`) has ended."""
        self.done += done
        seconds = self._before + time.monotonic() - self._began
        return Preparing(seconds=seconds, engine=preparation.name, done=self.done, of=self.of, about=self.about)


def prepare(
    preparations: Sequence[KernelPreparation],
    progress: Progress = silent,
    interrupted: threading.Event | None = None,
    parallel: int = 1,
    meanwhile: Callable[[], object] = lambda: None,
    bar: Bar | None = None,
) -> list[Prepared]:
    """Do what is left to be done of some preparations, `parallel` at a time; until it is `interrupted`.

    `meanwhile` is called once when the last child has been started: to load what this process needs afterwards. `bar`:
    of more preparations, which these belong to.
    """
    left = needed(preparations)
    if not left:
        return []
    interrupted, bar = interrupted or threading.Event(), bar or Bar(left, parallel)
    with bar.running():
        return _prepare(left, progress, interrupted, parallel, meanwhile, bar)


def _prepare(
    left: Sequence[KernelPreparation],
    progress: Progress,
    interrupted: threading.Event,
    parallel: int,
    meanwhile: Callable[[], object],
    bar: Bar,
) -> list[Prepared]:
    if cache_places.place() is None:
        progress(Note(seconds=0.0, text=NOT_KEPT))
        return _here(left, progress, interrupted, bar)
    if start_method() == "fork":
        import_module("numba")  # half a second, once for all children
    found: list[Prepared] = []
    running: list[tuple[KernelPreparation, Child, IO[bytes]]] = []
    waiting, idle = sorted(left, key=lambda one: -one.seconds), [meanwhile]  # the longest begins first
    try:
        while (waiting or running) and not interrupted.is_set():
            for one in list(waiting):
                if one not in needed([one]):  # another process has done it
                    waiting.remove(one)
                    progress(bar.event(one, 1))
                elif len(running) < parallel and (lock := cache_places.locked(one.marker)):
                    waiting.remove(one)
                    running.append((one, Child(Orders(partial(_call_all, one)), _notes(progress)), lock))
                    progress(bar.event(one))
            if not waiting and idle:
                idle.pop()()
            wait([child for _, child, _ in running])
            for ended in [one for one in running if one[1].ended]:
                running.remove(ended)
                found.append(_ended(*ended[:2], progress))
                ended[2].close()
                progress(bar.event(ended[0], 1))
    finally:
        for _, child, lock in running:
            child.kill()
            lock.close()
    return found


def _notes(progress: Progress) -> Progress:
    """A progress that passes on only the notes of a child."""
    return lambda event: progress(event) if isinstance(event, Note) else None


def _call_all(preparation: KernelPreparation, budget: Budget, _progress: Progress) -> list[str] | None:
    """Call all parts; gives the files with the code of their kernels, or None if it was interrupted."""
    for part in preparation.parts:
        if budget.interrupted.is_set():
            return None
        with collector_paused():  # an eighth of the time
            part()
    kernel_cache = sys.modules.get(f"{__package__}.kernel_cache")  # not there if nothing was compiled
    return sorted(kernel_cache.used) if kernel_cache else []


def _ended(preparation: KernelPreparation, child: Child, progress: Progress) -> Prepared:
    """Write the marker of a preparation, or report why it failed: then the engine compiles what it needs when it
    runs.
    """
    _done.add(preparation.marker)  # no second attempt in this process
    if child.result is not None:
        marker = {"seconds": round(child.took, 2), "files": child.result}
        cache_places.write(preparation.marker, json.dumps(marker).encode())
        return Prepared(preparation.name, child.took)
    problem = child.error[1] if child.error else str(child.ended)
    text = f"`{preparation.name}` could not be prepared and compiles when it runs: {problem}"
    progress(Note(seconds=child.took, engine=preparation.name, text=text))
    return Prepared(preparation.name, child.took, problem)


def _here(
    left: Sequence[KernelPreparation], progress: Progress, interrupted: threading.Event, bar: Bar
) -> list[Prepared]:
    """Do the preparations in this process, one after the other."""
    found = []
    for preparation in left:
        budget = Budget(None, None)
        budget.interrupted = interrupted
        progress(bar.event(preparation))
        if _call_all(preparation, budget, progress) is None:
            break
        _done.add(preparation.marker)
        progress(bar.event(preparation, 1))
        found.append(Prepared(preparation.name, budget.elapsed))
    return found
