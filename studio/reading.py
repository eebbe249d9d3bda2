"""Reading what is typed: `check` in a process of its own, so that no text, however it is meant, can hold up the page.

The process lives as long as the studio and reads one text after the other. One that takes too long, or too much
memory, costs the process and not the studio: it is ended, that becomes a problem of the text, and the next text
gets a new process. What counts is processor time, so that a busy machine reads what an idle one does.

A second such process (`Helper`) does what a page waits for beside its text: pictures, rules, the library's files.
"""

from __future__ import annotations

import re
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..models.errors import Problem, UsageError
from ..models.families import SHIPPED
from ..runtime.budget import Budget
from ..runtime.events import Progress
from ..runtime.outcome import StoppedError
from ..runtime.worker import Apart
from ..workflows.checking import Check, check_text

SECONDS = 60.0
"""The most seconds of processor time that reading a text may take."""

PATIENCE = 10
"""The most seconds by the clock for reading a text, as a multiple of `SECONDS`: other programs may be busy."""

MOST_KNOWN = 24
"""The most texts of which the result of reading is remembered."""

OTHER_FILES = re.compile(r"\bsource\b|\.ya?ml\b")
"""A pattern found in every text whose meaning depends on another file."""

MEMORY = 2048
"""MiB that reading may take."""

MAX_TEXT = 256 * 1024
"""Characters of a text in the editor. (A puzzle file on the disk may have more.)"""


class Helper:
    """A process that does one piece of work after the other, each within some seconds of processor time. Threads may
    share it: they wait for each other.
    """

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.closed = False
        self._lock = threading.Lock()
        self._apart = Apart()

    def run(self, work: Callable[[], Any], wanted: Callable[[], bool] = lambda: True) -> Any:
        """What the work returns. Raises what it raises, and `StoppedError` if it is ended: `interrupted` if it is not
        `wanted` any more.
        """
        budget = Budget(PATIENCE * self.seconds, MEMORY)
        budget.interrupted = _Unwanted(lambda: wanted() and not self.closed)
        with self._lock:
            if self.closed or not wanted():
                raise StoppedError("interrupted", "waiting")
            return self._apart.run(partial(_timed, work, self.seconds), budget, grace=0.0)

    def told(self, work: Callable[[], Any], what: str) -> Any:
        """The same; being ended is a `UsageError`. `what`: the work in words."""
        try:
            return self.run(work)
        except StoppedError as stopped:
            raise UsageError(self.given_up(stopped, what)) from None

    def given_up(self, stopped: StoppedError, what: str) -> str:
        """In a sentence, why a piece of work was ended."""
        late = stopped.reason == "time limit" or OUT_OF_TIME in stopped.reason
        reason = f"took more than {self.seconds:g} seconds" if late else "took too much memory"
        return f"{what} {reason}, and was given up"

    def close(self) -> None:
        """End the process, and what it is doing."""
        self.closed = True
        with self._lock:
            self._apart.close()


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: the check, and what a page shows of the text (`views` of it as JSON)."""

    check: Check
    shown: dict[str, Any]


class Reader(Helper):
    """The process that reads."""

    def __init__(self, seconds: float = SECONDS) -> None:
        super().__init__(seconds)
        self._known: OrderedDict[tuple[str, str], Read] = OrderedDict()

    def check(self, text: str, file: str, path: Path | None) -> Check:
        """What `budge check` says of a text. `path`: where it would be stored; files that it names are beside it."""
        read = self.read(text, file, path)
        assert read is not None
        return read.check

    def read(self, text: str, file: str, path: Path | None, wanted: Callable[[], bool] = lambda: True) -> Read | None:
        """The same, with what a page shows; None if the result is not wanted any more."""
        if len(text) > MAX_TEXT:
            message = f"the text has {len(text):,} characters, the studio takes {MAX_TEXT:,}"
            return Read(Check(file, problems=(Problem(file, 0, 0, message, "use `budge check` on the file"),)), {})
        if known := self._known.get((file, text)):
            return known
        try:
            read: Read = self.run(partial(_read, text, file, path), wanted)
        except StoppedError as stopped:
            if stopped.reason == "interrupted":
                return None
            message = self.given_up(stopped, "reading this text")
            return Read(Check(file, problems=(Problem(file, 0, 0, message, "make the puzzle smaller"),)), {})
        if OTHER_FILES.search(text) is None or (path is not None and path.is_relative_to(SHIPPED)):
            self._known[file, text] = read
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return read

    def start(self) -> None:
        """Start the process before the first text is there."""
        self.check("", "start", None)


OUT_OF_TIME = f"(signal {signal.SIGPROF:d})" if hasattr(signal, "SIGPROF") else "(no signal)"
"""How a process has died whose processor time is over."""


class _Unwanted(threading.Event):
    """Set as soon as a text is not wanted any more."""

    def __init__(self, wanted: Callable[[], bool]) -> None:
        super().__init__()
        self._wanted = wanted

    def is_set(self) -> bool:
        if not super().is_set() and not self._wanted():
            self.set()
        return super().is_set()


def _timed(work: Callable[[], Any], seconds: float, _budget: Budget, _progress: Progress) -> Any:
    """Do some work in a process that the system ends after some seconds of processor time."""
    _limit_time(seconds)
    try:
        return work()
    finally:
        _limit_time(0)


def _limit_time(seconds: float) -> None:
    """Have the system end this process after some seconds of processor time (0: never)."""
    if hasattr(signal, "ITIMER_PROF"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _read(text: str, file: str, path: Path | None) -> Read:
    """Check a text, and draw it."""
    from .shown import shown

    check = check_text(text, file, path)
    return Read(check, shown(check, text))
