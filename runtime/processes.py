"""Engines in child processes, with hard limits on time and memory.

A child runs a piece of work under a budget of its own and tells its parent over a pipe what it proves and finds, as
it happens. The parent enforces the limits: a child that does not end by itself shortly after its time limit, or that
takes more memory than it may, beyond what a process holds anyway, is killed. What it told before is kept: the best
plan and the proven bound.

Nothing is left behind. A child ignores Ctrl-C, which is the parent's to handle; it ends when its parent has gone (on
Linux the kernel sees to that, elsewhere it notices at the next look at its budget). On Linux a parent with a single
thread forks, so that children start at once and share what is loaded; otherwise they are started afresh.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.connection import Connection
from typing import Any

import psutil

from ..models.cost import Cost
from ..models.errors import BudgeError
from ..models.plan import Plan
from .outcome import Budget, Event, Outcome, Progress, Status

GRACE = 0.7
"""Seconds after the time limit, or after being asked to stop, in which a child may end by itself."""

POLL = 0.1
"""Seconds between two looks at the limits."""

MIB = 1024 * 1024

Work = Callable[[Budget, Progress], Any]
"""What a child does. It must be picklable, and so must be what it returns."""


# In the child


class _ChildBudget(Budget):
    """The budget of a child: it hears from the parent when to stop, and of plans that others have found."""

    def __init__(self, pipe: Connection, seconds: float | None, memory_mib: int | None) -> None:
        super().__init__(seconds, memory_mib)
        self._pipe = pipe
        self._sending, self._reading = threading.Lock(), threading.Lock()

    def stopped(self) -> str | None:
        if self._reading.acquire(blocking=False):
            try:
                self._listen()
            finally:
                self._reading.release()
        return super().stopped()

    def _listen(self) -> None:
        try:
            while self._pipe.poll():
                word = self._pipe.recv()
                if word == "stop":
                    self.interrupted.set()
                elif self.incumbent is None or word < self.incumbent:
                    self.incumbent = word
        except (EOFError, OSError):  # the parent has gone
            os._exit(1)

    def tell(self, kind: str, *message: Any) -> None:
        with self._sending:
            self._pipe.send((kind, self.elapsed, *message))

    def progress(self, event: Event) -> None:
        self.tell("event", event)

    def offer(self, plan: Plan, cost: Cost) -> None:
        if self.incumbent is None or cost < self.incumbent:
            self.tell("plan", plan, cost)
        super().offer(plan, cost)


def _main(
    pipe: Connection,
    others_end: Connection,
    work: Work,
    warm_up: Callable[[], None] | None,
    seconds: float | None,
    memory_mib: int | None,
    incumbent: Cost | None,
) -> None:
    """What a child process runs from beginning to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _unblock_interrupts()
    _end_with_parent()
    others_end.close()
    if warm_up:
        warm_up()
    base, before = psutil.Process().memory_info().rss, _peak_memory()
    budget = _ChildBudget(pipe, seconds, memory_mib)
    budget.incumbent = incumbent
    with contextlib.suppress(OSError):  # the parent has gone, or wants no more
        budget.tell("ready", base)
        try:
            message: tuple[str, Any] = ("result", work(budget, budget.progress))
        except MemoryError:
            message = ("stopped", "memory limit")
        except BudgeError as error:
            message = ("failed", (type(error), str(error)))
        except BrokenPipeError:
            raise
        except Exception as error:
            message = ("failed", (type(error), f"{type(error).__name__}: {error}"))
        peak = _peak_memory()
        budget.tell("memory", (peak if peak > before else psutil.Process().memory_info().rss) - base)
        budget.tell(*message)


def _unblock_interrupts() -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _end_with_parent() -> None:
    """On Linux, have the kernel kill this process when its parent has died (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)


def _peak_memory() -> int:
    """The most bytes that this process has held; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# In the parent


@dataclass(slots=True)
class BoundsSoFar:
    """What has been told so far: the proven bound and by what, the best plan, and how they came about.

    `history` holds (seconds, lower bound, cost of the best plan) whenever one of the two became better.
    """

    lower_bound: Cost | None = None
    lower_bound_by: str = ""
    plan: Plan | None = None
    upper_bound: Cost | None = None
    history: list[tuple[float, Cost | None, Cost | None]] = field(default_factory=list)

    def raise_bound(self, bound: Cost, by: str, seconds: float) -> bool:
        """Note a proven lower bound; whether it is better than the one before."""
        if self.lower_bound is not None and bound <= self.lower_bound:
            return False
        self.lower_bound, self.lower_bound_by = bound, by
        self.history.append((seconds, bound, self.upper_bound))
        return True

    def improve(self, plan: Plan, cost: Cost, seconds: float) -> bool:
        """Note a plan; whether it is better than the one before."""
        if self.upper_bound is not None and cost >= self.upper_bound:
            return False
        self.plan, self.upper_bound = plan, cost
        self.history.append((seconds, self.lower_bound, cost))
        return True

    @property
    def closed(self) -> bool:
        """Whether the best plan is proven to be one of the cheapest."""
        both = self.lower_bound is not None and self.upper_bound is not None
        return both and self.lower_bound >= self.upper_bound  # type: ignore[operator]

    def outcome(self, reason: str | None) -> Outcome:
        """The outcome of an engine that ended without one of its own, for a reason."""
        if self.closed:
            status = Status.OPTIMAL
        elif reason == "interrupted":
            status = Status.INTERRUPTED
        else:
            status = Status.UNKNOWN if self.plan is None else Status.FEASIBLE
        return Outcome(status, self.plan, self.lower_bound, self.lower_bound_by, self.upper_bound, reason)


class Child:
    """A child process at work. `known` is what it told, `result` what it returned, `ended` how it came to its end.

    `ended` is None while it works; then "done" if there is a result, "failed" if it raised (`error` has the type
    and the message), or why it was ended: "time limit", "memory limit", "interrupted", or "engine died (...)".
    Times and memory count from when the child was ready, that is, had loaded its code: `held` and `peak` are the bytes
    by which the resident memory of the process, and of each of its own children, is larger than it was then.
    """

    def __init__(
        self,
        work: Work,
        seconds: float | None,
        memory_mib: int | None,
        *,
        parts: int = 1,
        warm_up: Callable[[], None] | None = None,
        incumbent: Cost | None = None,
        on_event: Progress | None = None,
        grace: float = GRACE,
    ) -> None:
        self.known = BoundsSoFar()
        self.result: Any = None
        self.error: tuple[type[Exception], str] | None = None
        self.ended: str | None = None
        self.held = self.peak = self.base = 0
        self.grace = grace
        self.seconds, self.memory_mib, self.parts = seconds, memory_mib, parts
        self.asked: float | None = None
        self.ready: float | None = None
        self.took = 0.0
        self._asked_because = ""
        self._told = incumbent
        self._on_event = on_event
        context = multiprocessing.get_context(_start_method())
        self.pipe, theirs = context.Pipe()
        arguments = (theirs, self.pipe, work, warm_up, seconds, memory_mib, incumbent)
        self.process = context.Process(target=_main, args=arguments)  # type: ignore[attr-defined]
        with _interrupts_blocked():
            self.process.start()
        theirs.close()

    @property
    def elapsed(self) -> float:
        """Seconds of work so far, or altogether."""
        if self.ended:
            return self.took
        return 0.0 if self.ready is None else time.monotonic() - self.ready

    def stop(self, because: str) -> None:
        """Ask the child to end with what it has; `look` kills it if it does not."""
        if self.asked is None and not self.ended:
            self.asked, self._asked_because = time.monotonic(), because
            self._send("stop")

    def tell(self, incumbent: Cost) -> None:
        """Let the child know that a plan of this cost exists."""
        if not self.ended and (self._told is None or incumbent < self._told):
            self._told = incumbent
            self._send(incumbent)

    def _send(self, word: Any) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(word)

    def look(self) -> None:
        """Read what the child has told, and enforce its limits."""
        if self.ended:
            return
        alive = self.process.is_alive()  # before reading: what a dead child has told is all in the pipe
        try:
            while not self.ended and self.pipe.poll():
                self._hear(*self.pipe.recv())
        except (EOFError, OSError):
            alive = False
        if not self.ended and not alive:
            self.process.join(GRACE)
            self.end(f"engine died ({_exit(self.process.exitcode)})")
        if not self.ended:
            self._enforce()

    def _hear(self, kind: str, seconds: float, *message: Any) -> None:
        """Take in a message; `seconds` is when it was sent, by the child's own clock."""
        value: Any = message[0] if message else None
        if kind == "ready":
            self.ready, self.base = time.monotonic() - seconds, value
        elif kind == "event":
            if value.get("lower_bound") is not None:
                bound = as_cost(value["lower_bound"], self.parts)
                self.known.raise_bound(bound, value.get("by", ""), seconds)
            if self._on_event:
                self._on_event(value)
        elif kind == "plan":
            self.known.improve(value, message[1], seconds)
        elif kind == "memory":
            self.peak = max(self.peak, value)
        elif kind == "result":
            self.result = value
            if isinstance(value, Outcome):
                self._note(value, seconds)
            self.end("done", seconds)
        elif kind == "failed":
            self.error = value
            self.end("failed", seconds)
        else:
            self.end(value, seconds)

    def _note(self, outcome: Outcome, seconds: float) -> None:
        if outcome.lower_bound is not None:
            self.known.raise_bound(outcome.lower_bound, outcome.lower_bound_by, seconds)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.known.improve(outcome.plan, outcome.upper_bound, seconds)

    def _enforce(self) -> None:
        if self.ready is not None:
            self._weigh()
        if self.memory_mib is not None and self.peak > self.memory_mib * MIB:
            self.end("memory limit")
        elif self.asked is not None and time.monotonic() > self.asked + self.grace:
            self.end(self._asked_because)
        elif self.ready is not None and self.seconds is not None and self.elapsed > self.seconds + self.grace:
            self.end("time limit")

    def _weigh(self) -> None:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.process.pid)
            self.held = 0
            for one in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    self.held += max(0, one.memory_info().rss - self.base)
            self.peak = max(self.peak, self.held)

    def end(self, how: str, seconds: float | None = None) -> None:
        """Note how the child came to its end, by itself after some seconds or else killed now."""
        self.took = self.elapsed if seconds is None else seconds
        self.ended = how
        if seconds is not None:  # it ends by itself
            self.process.join(GRACE)
        self.kill()

    def kill(self) -> None:
        """End the process and its own children at once, if they still run."""
        if self.process.is_alive():
            with contextlib.suppress(psutil.Error):
                for one in psutil.Process(self.process.pid).children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        one.kill()
            self.process.kill()
            self.process.join()
        self.ended = self.ended or self._asked_because or "interrupted"
        self.pipe.close()

    def outcome(self) -> Outcome:
        """What came of it, if the work was an engine's: its own outcome, or what it told before it was ended."""
        if isinstance(self.result, Outcome):
            return self.result
        return self.known.outcome(self.ended)


def wait(children: Sequence[Child], seconds: float = POLL) -> None:
    """Wait until a child has something to tell, or a little while; then look at all of them."""
    working = [child for child in children if not child.ended]
    connection.wait([end for child in working for end in (child.pipe, child.process.sentinel)], seconds)
    for child in working:
        child.look()


def in_subprocess(work: Work, budget: Budget, progress: Progress, parts: int = 1) -> Outcome:
    """Run an engine in a child process under what is left of a budget, so that its limits hold whatever it does.

    Raises what the engine raised. `parts`: components of the metric.
    """
    seconds = None if budget.seconds is None else budget.remaining
    child = Child(work, seconds, budget.memory_mib, parts=parts, incumbent=budget.incumbent, on_event=progress)
    try:
        while not child.ended:
            wait([child])
            if budget.interrupted.is_set():
                child.stop("interrupted")
    finally:
        child.kill()
    if child.error:
        kind, message = child.error
        raise kind(message) if issubclass(kind, BudgeError) else RuntimeError(message)
    return child.outcome()


def as_cost(bound: int | Sequence[int], parts: int) -> Cost:
    """A bound as events have it: a cost, or a bound on the first of its components."""
    return (bound, *([0] * (parts - 1))) if isinstance(bound, int) else tuple(bound)


def _start_method() -> str:
    single = threading.active_count() == 1
    return "fork" if sys.platform == "linux" and single else "spawn"


def _exit(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """No Ctrl-C between the start of a child and the moment when it ignores it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
