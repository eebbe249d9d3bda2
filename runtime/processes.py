"""Engines in child processes, with hard limits on time and memory: the parent's side (`child_main` is the child's).

A child runs a piece of work under a budget of its own and tells its parent over a pipe what it proves and finds, as
it happens. The parent enforces the limits: a child that does not end by itself shortly after its time limit, or that
takes more memory than it may, beyond what a process holds anyway, is killed. What it told before is kept: the best
plan and the proven bound.

Nothing is left behind. A child ignores Ctrl-C and its like, which are the parent's to handle; it ends when its parent
has gone (on Linux the kernel sees to that, elsewhere it notices at the next look at its budget). On Linux a parent with
a single thread forks, so that children start at once and share what is loaded; otherwise they are started afresh.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from ..models.errors import BudgeError, FaultError, UsageError
from ..models.moves import Cost
from . import budget as waits
from .budget import MIB, Budget
from .child_main import SIGNALS, Orders, begin, resident
from .events import DIED, Progress, Stage, silent
from .outcome import BoundsSoFar, Outcome

POLL = 0.1
"""Seconds between two checks of the limits."""

KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
"""The signal that kills a process at once."""

UNGUARDED = 78
"""The exit code of a child that was about to start a process while it imports the main module (EX_CONFIG)."""

NAME = "budge"
"""The name that our child processes have."""

Place = tuple[connection.Connection, BaseProcess]
"""A process, and our end of the pipe to it."""


class Child:
    """A child process at work. `known` is what it reported, `result` what it returned, `ended` how it came to its end.

    `ended` is None while it works; then "done" if there is a result, "failed" if it raised an `error`, why it was ended
    ("time limit", "memory limit", "interrupted"), or that it died by itself ("engine died (...)").
    Times and memory count from when the child was ready, that is, had loaded its code: `held` and `peak` are the bytes
    by which the resident memory of the process, and of each of its own children, is larger than it was then.
    """

    def __init__(
        self,
        orders: Orders,
        on_event: Progress = silent,
        grace: float = waits.ENGINE,
        place: Place | None = None,
        whole: Budget | None = None,
    ) -> None:
        """`grace`: seconds after the time limit, or after being asked to stop, in which it may end by itself.

        `place`: a process that has these orders already and lives on when it has carried them out (`workers`).
        `whole`: the budget whose time these orders take: its clock stands still while the child's does, and the
        child's goes on from now. Children of such a child are its own to weigh.
        """
        self.known = BoundsSoFar()
        self.result: Any = None
        self.error: BudgeError | None = None
        self.ended: str | None = None
        self.held = self.peak = self.base = 0
        self.seconds, self.memory_mib, self.grace = orders.seconds, orders.memory_mib, grace
        self.asked: float | None = None
        self.ready: float | None = None
        self.paused: float | None = None
        self.doing = ""
        self.took = 0.0
        self._asked_because = ""
        self._told = orders.incumbent
        self._on_event = on_event
        self._next_weighing = time.monotonic() + POLL
        self._lives_on = place is not None
        self._orders = orders
        self._uninterruptible = False
        self._whole = whole
        if whole is not None:
            self.ready = time.monotonic()
        self.pipe, self.process = place or start_process([orders])

    @property
    def loading(self) -> bool:
        """Whether it loads or compiles code, before its work or within: no limit counts that."""
        return not self.ended and (self.ready is None or self.paused is not None)

    @property
    def elapsed(self) -> float:
        """Seconds of work of a process so far, or altogether once it has ended."""
        if self.ended:
            return self.took
        now = time.monotonic() if self.paused is None else self.paused
        return 0.0 if self.ready is None else now - self.ready

    @property
    def until_killed(self) -> float:
        """Seconds until the child is killed: the rest of its time, and its grace."""
        limits, grace = [float("inf")], 0.0 if self._uninterruptible else self.grace
        if self.asked is not None:
            limits.append(self.asked + grace - time.monotonic())
        if self.ready is not None and self.seconds is not None:
            limits.append(self.seconds + grace - self.elapsed)
        if self.ready is None and self._orders.until is not None:
            limits.append(self._orders.until + grace - time.monotonic())
        return max(0.0, min(limits))

    def stop(self, because: str) -> None:
        """Ask the child to end with the result that it has; if it does not, `look` kills it after the grace."""
        if self.asked is None and not self.ended:
            self.asked, self._asked_because = time.monotonic(), because
            self._send("stop")

    def tell(self, incumbent: Cost) -> None:
        """Send the child the cost of a plan that was found elsewhere."""
        if not self.ended and (self._told is None or incumbent < self._told):
            self._told = incumbent
            self._send(incumbent)

    def _send(self, word: Any) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(word)

    def look(self) -> None:
        """Read the messages of the child, and enforce its limits. Raises `UsageError` if it could not start."""
        if self.ended:
            return
        alive = self.process.is_alive()  # before reading: what a dead child has told is all in the pipe
        try:
            while not self.ended and self.pipe.poll():
                self._hear(*self.pipe.recv())
        except (EOFError, OSError):
            alive = False
        if not self.ended and not alive:
            self.process.join(waits.ENGINE)
            self.end(self._asked_because or f"{DIED} ({_exit(self.process.exitcode)})")
            if self.process.exitcode == UNGUARDED:
                raise _unguarded()
        if not self.ended:
            self._enforce()

    def _hear(self, kind: str, seconds: float, *message: Any) -> None:
        """Handle one message; `seconds` is the time at which it was sent, by the child's own clock."""
        value: Any = message[0] if message else None
        if kind == "ready":
            self.ready, self.base = time.monotonic() - seconds, value
            self.seconds = self._orders.seconds_from(self.ready)
        elif kind in ("paused", "resumed"):
            now = time.monotonic()
            self.ready, self.paused = now - seconds, now if kind == "paused" else None
            self.doing = value or ""
            if self._whole is not None:
                self._whole.pause(self.doing) if self.paused else self._whole.resume()
        elif kind == "event":
            self._uninterruptible = isinstance(value, Stage) and value.uninterruptible
            self.known.hear(value)
            self._on_event(value)
        elif kind == "memory":
            self.peak = max(self.peak, value)
        elif kind == "result":
            self.result = value
            if isinstance(value, Outcome):
                self.known.learn(value, seconds)
            self.end("done", seconds)
        elif kind == "failed":
            self.error = value
            self.end("failed", seconds)
        else:
            self.end(value, seconds)

    def _enforce(self) -> None:
        if self.ready is not None and self.paused is None:
            self._weigh()
        if self.memory_mib is not None and self.peak > self.memory_mib * MIB:
            self.end("memory limit")
        elif self.until_killed <= 0:
            self.end(self._asked_because or "time limit")

    def _weigh(self) -> None:
        """Measure the memory of the child and its own children; at most every `POLL` seconds, for it takes a
        millisecond or more.
        """
        if time.monotonic() < self._next_weighing:
            return
        self._next_weighing = time.monotonic() + POLL
        pids = [self.process.pid or 0, *(self._descendants() if self._whole is None else ())]
        self.held = sum(max(0, resident(pid) - self.base) for pid in pids)
        self.peak = max(self.peak, self.held)

    def end(self, how: str, seconds: float | None = None) -> None:
        """Note how the child ended: by itself, after these seconds, or (None) by being killed now."""
        if self._whole is not None:
            self._whole.resume()
        self.took = self.elapsed if seconds is None else seconds
        self.ended = how
        if seconds is None or not self._lives_on:
            self.kill()

    def kill(self) -> None:
        """End the process and its own children at once, if they still run."""
        if self.process.is_alive():
            for pid in self._descendants():
                with contextlib.suppress(OSError):
                    os.kill(pid, KILL)
            self.process.kill()
            self.process.join()
        self.ended = self.ended or self._asked_because or "interrupted"
        self.pipe.close()

    def _descendants(self) -> list[int]:
        """The children of the process, and their children."""
        if sys.platform == "linux":  # psutil would have to be imported first, which delays the end
            with contextlib.suppress(OSError):
                return list(_below(self.process.pid or 0))
        import psutil

        with contextlib.suppress(psutil.Error):
            return [child.pid for child in psutil.Process(self.process.pid).children(recursive=True)]
        return []

    def outcome(self) -> Outcome:
        """The outcome of an engine in the child: its own, or what it had reported before it was ended."""
        return self.report().outcome()

    def report(self) -> ChildReport:
        """The report on a child that has ended."""
        return ChildReport(self.result, self.error, self.ended or "", self.known, self.elapsed, self.peak)


@dataclass(frozen=True, slots=True)
class ChildReport:
    """What came of orders, as a value that can be sent on: the fields of a `Child` that has ended.

    `seconds` it worked; `peak` is in bytes.
    """

    result: Any
    error: BudgeError | None
    ended: str
    known: BoundsSoFar
    seconds: float
    peak: int

    def outcome(self) -> Outcome:
        """The outcome of an engine in the child: its own, or what it had reported before it was ended."""
        return self.result if isinstance(self.result, Outcome) else self.known.outcome(self.ended)

    @property
    def failure(self) -> BudgeError | None:
        """Why there is no result, if the work failed or its process died; None if it was finished or met a limit."""
        return self.error or (FaultError(self.ended) if self.ended.startswith(DIED) else None)


def _below(pid: int) -> Iterator[int]:
    """The children of a process, and their children (proc(5)). Raises `OSError` if the process has ended."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            yield child
            with contextlib.suppress(OSError):
                yield from _below(child)


def start_process(first: Sequence[Orders]) -> Place:
    """Start a process that carries out the `first` orders, then what it is sent (`worker_main`); our end of a pipe to
    it, and the process.

    Raises `FaultError` if the system has no room for it, and `UsageError` where the main module has no guard.
    """
    _refuse_while_importing_main()
    _allow_children()
    context = multiprocessing.get_context(start_method())
    try:
        ours, theirs = context.Pipe()
        parent = os.getpid() if threading.current_thread() is threading.main_thread() else None
        process = context.Process(  # type: ignore[attr-defined]
            target=begin, args=(parent, theirs, ours, first), name=NAME
        )
        with _interrupts_blocked():
            process.start()
    except BrokenPipeError:  # it is started afresh, and has ended before it has read what it is to do
        raise _unguarded() from None
    except OSError as error:
        raise FaultError(f"cannot start a process: {error.strerror}") from None
    theirs.close()
    return ours, process


def wait(children: Sequence[Child], seconds: float = POLL) -> None:
    """Wait for a message of a child, at most `seconds`; then look at all of them."""
    working = [child for child in children if not child.ended]
    seconds = min([seconds, *(child.until_killed for child in working)])
    connection.wait([end for child in working for end in (child.pipe, child.process.sentinel)], seconds)
    for child in working:
        child.look()


def start_method() -> str:
    """How the next child is started: a process with more than one thread must not fork."""
    single = threading.active_count() == 1
    return "fork" if sys.platform == "linux" and single else "spawn"


def _refuse_while_importing_main() -> None:
    """A process that is started afresh imports the script of the user. Where that starts processes, without
    `if __name__ == "__main__":`, it would go on so without end: one of ours ends at once, and its parent says why.
    """
    process = multiprocessing.current_process()
    if getattr(process, "_inheriting", False):
        if process.name == NAME:
            os._exit(UNGUARDED)
        raise _unguarded()


class UnguardedError(UsageError):
    """The script that uses Budge has no `if __name__ == "__main__":`, and Budge has to start a process that would run
    the whole script again.
    """


def _unguarded() -> UnguardedError:
    return UnguardedError(
        "a process that Budge starts imports your script again, and the script then does all of its work once more; "
        'put what calls Budge under `if __name__ == "__main__":`'
    )


def _allow_children() -> None:
    """A daemonic process (a worker of `multiprocessing.Pool`, of Dask's nanny) may start no others, lest they are left
    behind. Ours end when their parent does (`child_main`).
    """
    multiprocessing.current_process()._config.pop("daemon", None)  # type: ignore[attr-defined]


def _exit(code: int | None) -> str:
    """The exit code of a process that died, and what it means."""
    if code is None or code >= 0:
        return f"exit code {code}"
    by_hand = ": killed from outside, as the system does when memory is short" if -code == signal.SIGKILL else ""
    return f"signal {-code}{by_hand}"


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """No Ctrl-C (or SIGTERM, ...) between the start of a child and the moment when it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
