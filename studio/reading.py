"""Reading what is typed: `check` in a process of its own, so that no text, however it is meant, can hold up the page.

The process lives as long as the studio and reads one text after the other. One that takes too long, or too much
memory, costs the process and not the studio: it is ended, that becomes a problem of the text, and the next text
gets a new process. What counts is processor time, so that a busy machine reads what an idle one does.
"""

from __future__ import annotations

import re
import signal
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..models.errors import Problem
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


class Reader:
    """The process that reads. Threads may share it: they wait for each other."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._apart = Apart()
        self._known: OrderedDict[tuple[str, str], Check] = OrderedDict()

    def check(self, text: str, file: str, path: Path | None) -> Check:
        """What `budge check` says of a text. `path`: where it would be stored; files that it names are beside it."""
        check = self.check_while(lambda: True, text, file, path)
        assert check is not None
        return check

    def check_while(self, wanted: Callable[[], bool], text: str, file: str, path: Path | None) -> Check | None:
        """The same as `check`; None if the result is not wanted any more."""
        if len(text) > MAX_TEXT:
            message = f"the text has {len(text):,} characters, the studio takes {MAX_TEXT:,}"
            return Check(file, problems=(Problem(file, 0, 0, message, "use `budge check` on the file"),))
        alone = OTHER_FILES.search(text) is None or (path is not None and path.is_relative_to(SHIPPED))
        with self._lock:
            if (check := self._known.get((file, text))) is None:
                check = self._read(text, file, path, wanted) if wanted() else None
                if check is None or not alone:
                    return check
                self._known[file, text] = check
            self._known.move_to_end((file, text))
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return check

    def _read(self, text: str, file: str, path: Path | None, wanted: Callable[[], bool]) -> Check | None:
        budget = Budget(PATIENCE * self.seconds, MEMORY)
        budget.interrupted = _Unwanted(wanted)
        try:
            check: Check = self._apart.run(partial(_checked, text, file, path, self.seconds), budget, grace=0.0)
            return check
        except StoppedError as stopped:
            if stopped.reason == "interrupted":
                return None
            late = stopped.reason == "time limit" or OUT_OF_TIME in stopped.reason
            reason = f"took more than {self.seconds:g} seconds" if late else "took too much memory"
        message = f"reading this text {reason}, and was given up"
        return Check(file, problems=(Problem(file, 0, 0, message, "make the puzzle smaller"),))

    def start(self) -> None:
        """Start the process before the first text is there."""
        self.check("", "start", None)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._apart.close()


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


def _checked(text: str, file: str, path: Path | None, seconds: float, _budget: Budget, _progress: Progress) -> Check:
    """Check a text in the process that reads, which the system ends after some seconds of processor time."""
    _limit_time(seconds)
    try:
        return check_text(text, file, path)
    finally:
        _limit_time(0)


def _limit_time(seconds: float) -> None:
    """Have the system end this process after some seconds of processor time (0: never)."""
    if hasattr(signal, "ITIMER_PROF"):
        signal.setitimer(signal.ITIMER_PROF, seconds)
