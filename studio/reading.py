"""Reading what is typed: `check` in a process of its own, so that no text, however it is meant, can hold up the page.

The process lives as long as the studio and reads one text after the other. One that takes too long, or too much
memory, costs the process and not the studio: it is ended, that is told as the problem of the text, and the next text
gets a new process.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from multiprocessing.connection import Connection
from pathlib import Path

from ..models.errors import Problem
from ..runtime.budget import MIB
from ..workflows.checking import Check, check_text

SECONDS = 8.0
"""For so long a text is read."""

MEMORY = 2048
"""MiB of address space that reading may take, where the system can limit it."""

MAX_TEXT = 256 * 1024
"""Characters of a text in the editor. (A puzzle file on the disk may have more.)"""

FIRST_SECONDS = 30.0
"""The first text waits for the code to be loaded, too."""


class Reader:
    """The process that reads. Threads may share it: they wait for each other."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._lock = threading.Lock()
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._fresh = True

    def check(self, text: str, file: str, path: Path | None) -> Check:
        """What `budge check` says of a text. `path`: where it would be stored; files that it names are beside it."""
        if len(text) > MAX_TEXT:
            message = f"the text has {len(text):,} characters, the studio takes {MAX_TEXT:,}"
            return Check(file, problems=(Problem(file, 0, 0, message, "use `budge check` on the file"),))
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((text, file, path))
                if pipe.poll(FIRST_SECONDS if self._fresh else self.seconds):
                    self._fresh = False
                    found: Check = pipe.recv()
                    return found
                reason = f"took more than {self.seconds:g} seconds"
            except (OSError, EOFError):
                reason = "took too much memory"
            self._end()
        message = f"reading this text {reason}, and was given up"
        return Check(file, problems=(Problem(file, 0, 0, message, "make the puzzle smaller"),))

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
            self._fresh = True
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _read_all(pipe: Connection) -> None:
    """What the process does: check text after text, until the studio has gone."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the studio's: it ends this process
    _limit_memory()
    with contextlib.suppress(EOFError, OSError):
        while True:
            text, file, path = pipe.recv()
            pipe.send(check_text(text, file, path))


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY * MIB, MEMORY * MIB))
