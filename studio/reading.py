"""Reading what is typed: `check` in a process of its own, so that no text, however it is meant, can hold up the page.

The process lives as long as the studio and reads one text after the other. One that takes too long, or too much
memory, costs the process and not the studio: it is ended, that becomes a problem of the text, and the next text
gets a new process. What counts is processor time, so that a busy machine reads what an idle one does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import re
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

from ..models.definitions import SHIPPED
from ..models.errors import Problem
from ..runtime.budget import MIB
from ..workflows.checking import Check, check_text

SECONDS = 60.0
"""The most seconds of processor time that reading a text may take."""

PATIENCE = 10
"""The most time on the clock, as a multiple of that: other programs are at work, too."""

LOOK = 0.1
"""Seconds between two looks at whether a text is still to be read."""

MOST_KNOWN = 24
"""Texts whose reading is remembered."""

OTHER_FILES = re.compile(r"\bsource\b|\.ya?ml\b")
"""A pattern found in every text whose meaning depends on another file."""

MEMORY = 2048
"""MiB of address space that reading may take, where the system can limit it."""

MAX_TEXT = 256 * 1024
"""Characters of a text in the editor. (A puzzle file on the disk may have more.)"""


class Reader:
    """The process that reads. Threads may share it: they wait for each other."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._known: OrderedDict[tuple[str, str], Check] = OrderedDict()

    def check(self, text: str, file: str, path: Path | None) -> Check:
        """What `budge check` says of a text. `path`: where it would be stored; files that it names are beside it."""
        found = self.check_while(lambda: True, text, file, path)
        assert found is not None
        return found

    def check_while(self, wanted: Callable[[], bool], text: str, file: str, path: Path | None) -> Check | None:
        """The same; None if it is not wanted any more."""
        if len(text) > MAX_TEXT:
            message = f"the text has {len(text):,} characters, the studio takes {MAX_TEXT:,}"
            return Check(file, problems=(Problem(file, 0, 0, message, "use `budge check` on the file"),))
        alone = OTHER_FILES.search(text) is None or (path is not None and path.is_relative_to(SHIPPED))
        with self._lock:
            if (found := self._known.get((file, text))) is None:
                found = self._read(text, file, path, wanted) if wanted() else None
                if found is None or not alone:
                    return found
                self._known[file, text] = found
            self._known.move_to_end((file, text))
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return found

    def _read(self, text: str, file: str, path: Path | None, wanted: Callable[[], bool]) -> Check | None:
        pipe, began = self._started(), time.monotonic()
        try:
            pipe.send((text, file, path, self.seconds))
            while time.monotonic() - began < PATIENCE * self.seconds:
                if pipe.poll(LOOK):
                    found: Check = pipe.recv()
                    return found
                if not wanted():
                    self._end()
                    return None
            reason = self._too_long
        except (OSError, EOFError):
            reason = "took too much memory"
            if self._process is not None:
                self._process.join(1)
                reason = self._too_long if self._process.exitcode in SIGNS_OF_TIME else reason
        self._end()
        message = f"reading this text {reason}, and was given up"
        return Check(file, problems=(Problem(file, 0, 0, message, "make the puzzle smaller"),))

    @property
    def _too_long(self) -> str:
        return f"took more than {self.seconds:g} seconds"

    def start(self) -> None:
        """Start the process before the first text is there."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _started(self) -> Connection:
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            context = multiprocessing.get_context("spawn")  # the studio has threads, and must not fork
            self._pipe, theirs = context.Pipe()
            self._process = context.Process(target=_read_all, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


SIGNS_OF_TIME = (-signal.SIGPROF,) if hasattr(signal, "SIGPROF") else ()
"""How a process ends whose processor time is over."""


def _read_all(pipe: Connection) -> None:
    """The main function of the process: check text after text, until the studio has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the studio's: it ends this process
    _limit_memory()
    with contextlib.suppress(EOFError, OSError):
        while True:
            text, file, path, seconds = pipe.recv()
            _limit_time(seconds)
            found = check_text(text, file, path)
            _limit_time(0)
            pipe.send(found)


def _limit_time(seconds: float) -> None:
    """Have the system end this process after some seconds of processor time (0: never)."""
    if hasattr(signal, "ITIMER_PROF"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY * MIB, MEMORY * MIB))
