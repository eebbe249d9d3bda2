"""Engines in child processes, the child's side: what a child process runs, and how it tells its parent.

A message to the parent is (kind, seconds by the child's own clock, *values):

    ("ready", s, base)      the code is loaded; the process holds `base` bytes before the work begins
    ("paused", s, doing)    its clock stands still: something is compiled or loaded, for later runs too
    ("resumed", s)          it goes on
    ("event", s, event)     what the engine tells; the plans that it finds are among it
    ("memory", s, bytes)    the most by which the process has grown
    ("result", s, value)    what the work has returned; or, instead of it:
    ("stopped", s, why)     it ended without a result
    ("failed", s, error)     it raised an exception; one that nobody expects is a `FaultError`

A message from the parent is the word "stop", or the cost of the best plan that others have.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from ..models.errors import BudgeError, FaultError
from ..models.moves import Cost
from .budget import Budget
from .events import Event, Progress

SIGNALS = [getattr(signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "QUIT") if hasattr(signal, f"SIG{name}")]
"""The signals that end a program by hand: Ctrl-C, `kill`, a closed terminal, Ctrl-\\."""

Work = Callable[[Budget, Progress], Any]
"""What a child does. It must be picklable, and so must be what it returns."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a child is to do, and within which limits.

    `warm_up` is called first, and `seconds` are counted from its end. `until` is a moment of `time.monotonic`, one
    clock for all processes of a machine: the work ends then, however long the warm-up has taken.
    """

    work: Work
    seconds: float | None = None
    memory_mib: int | None = None
    incumbent: Cost | None = None
    warm_up: Callable[[], None] | None = None
    until: float | None = None

    def seconds_from(self, moment: float) -> float | None:
        """The time limit of work that begins at a moment of `time.monotonic`: min(`seconds`, `until` - moment)."""
        rest = None if self.until is None else max(0.0, self.until - moment)
        return min((limit for limit in (self.seconds, rest) if limit is not None), default=None)


class ChildBudget(Budget):
    """The budget within a child process; the parent sends it "stop", and the costs of plans found elsewhere."""

    def __init__(self, pipe: Connection, orders: Orders) -> None:
        super().__init__(orders.seconds_from(time.monotonic()), orders.memory_mib)
        self.incumbent = orders.incumbent
        self.interrupted = _Listening(self)
        self._pipe = pipe
        self._sending, self._reading = threading.Lock(), threading.Lock()

    def listen(self) -> None:
        """Read all messages from the parent: stop, or the cost of a plan."""
        if self._reading.acquire(blocking=False):
            try:
                while self._pipe.poll():
                    word = self._pipe.recv()
                    if word == "stop":
                        self.interrupted.set()
                    else:
                        self.hear(word)
            except (EOFError, OSError):  # the parent has gone
                os._exit(1)
            finally:
                self._reading.release()

    def tell(self, kind: str, *message: Any) -> None:
        with self._sending:
            self._pipe.send((kind, self.elapsed, *message))

    def pause(self, doing: str = "") -> None:
        if self._paused is None:
            super().pause(doing)
            self.tell("paused", doing)

    def resume(self) -> None:
        if self._paused is not None:
            super().resume()
            self.tell("resumed")

    def progress(self, event: Event) -> None:
        self.tell("event", event)


def begin(parent: int | None, *arguments: Any) -> None:
    """The first function of a child process: `worker_main(*arguments)`, behind a guard against a parent that is killed.

    `parent`: the id of the parent's process if its main thread has started the child. Then Linux kills the child as
    soon as that thread ends (prctl(2), PR_SET_PDEATHSIG). None if another thread has, which may end before its process
    does: then the child notices that its parent has gone when it next asks whether it is to stop.
    """
    if parent is not None and sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has ended before
            os._exit(1)
    worker_main(*arguments)


class _Listening(threading.Event):
    """Whether the parent has said "stop". Whoever asks hears the parent: engines ask again and again, by
    `Budget.stopped`, and so do those that only watch children of their own.
    """

    def __init__(self, budget: ChildBudget) -> None:
        super().__init__()
        self._budget = budget

    def is_set(self) -> bool:
        self._budget.listen()
        return super().is_set()


def worker_main(pipe: Connection, others_end: Connection, first: Sequence[Orders]) -> None:
    """What a child process runs: carry out the `first` orders, then all that arrive, until it is killed or the parent
    has gone.
    """
    settle(others_end)
    warmed: set[object] = set()
    with contextlib.suppress(EOFError, OSError):
        bundle: Any = list(first)
        while True:
            if not isinstance(bundle, list):
                bundle = []  # a word that came after the end of what it was meant for
            for orders in bundle:
                if orders.warm_up is not None and (key := repr(orders.warm_up)) not in warmed:
                    warmed.add(key)
                    with contextlib.suppress(Exception):  # what goes wrong here goes wrong again in the work
                        orders.warm_up()
                _forget_peak()
                carry_out(ChildBudget(pipe, orders), orders)
            bundle = pipe.recv()
    os._exit(0)  # no thread of an engine keeps it


def settle(others_end: Connection) -> None:
    """Prepare a child process: the parent handles signals, and the child ends with the parent."""
    for signum in SIGNALS:  # `timeout` and terminals send them to the whole group of processes
        signal.signal(signum, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    others_end.close()


def carry_out(budget: ChildBudget, orders: Orders) -> None:
    """Do the work within its new budget and send the result. Raises `OSError` if the parent has gone."""
    base, before = resident(), _peak_memory()
    budget.tell("ready", base)
    try:
        message: tuple[str, Any] = ("result", orders.work(budget, budget.progress))
    except MemoryError:
        message = ("stopped", "memory limit")
    except BrokenPipeError:
        raise
    except Exception as error:
        message = ("failed", error if isinstance(error, BudgeError) else FaultError.of(error))
    peak = _peak_memory()
    budget.tell("memory", (peak if peak > before else resident()) - base)
    budget.tell(*message)


def resident(pid: int | None = None) -> int:
    """The bytes of memory that a process holds, or this one; 0 if there is no such process."""
    if sys.platform == "linux":  # proc(5); to import psutil takes as long as to solve a small puzzle
        with contextlib.suppress(OSError), open(f"/proc/{pid or 'self'}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return 0
    import psutil

    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


def processor_seconds() -> float:
    """The seconds of processor time of this process and of its children that have ended."""
    return sum(os.times()[:4])


def _peak_memory() -> int:
    """The most bytes that this process has held; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _forget_peak() -> None:
    """On Linux, reset the measured peak of memory to what the process holds now (proc(5), clear_refs)."""
    with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as file:
        file.write("5")
