"""Standard streams that are closed, full or broken: the command line never fails because of them without saying so.

    standard input closed      reading it fails (`Bad file descriptor`), and the command says what it could not read
    standard output            what cannot be written raises `OutputError`, also where the stream is closed
    standard error             what cannot be written is dropped: no progress line ends a run

A closed stream is opened again, on `/dev/null` in the direction in which it is not used. Else the next file that is
opened would get its number, and a library that prints would write into that file.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""The name of each standard stream, by its number; how Python opens it, and how `/dev/null` is opened in its place."""


class OutputError(Exception):
    """Standard output cannot be written: the disk is full, the stream is closed, or its reader has gone."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause)
        self.reader_gone = cause.errno == errno.EPIPE

    def __str__(self) -> str:
        cause: OSError = self.args[0]
        why = "it is closed" if cause.errno == errno.EBADF else cause.strerror or str(cause)
        return f"cannot write to standard output: {why}"


class _Guarded:
    """A stream that remembers its first failure: later writes do nothing. `needed`: a failure raises `OutputError`."""

    def __init__(self, stream: TextIO, *, needed: bool) -> None:
        self._stream, self._needed = stream, needed
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        self._try(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, act: Callable[..., Any], *values: str) -> None:
        if self.failure is None:
            try:
                act(*values)
            except OSError as error:
                self.failure = error
                self._discard()
        if self.failure is not None and self._needed:
            raise OutputError(self.failure)

    def _discard(self) -> None:
        """Send the rest of the buffer to /dev/null, so that the interpreter can flush it when it ends."""
        with suppress(OSError, ValueError):
            number, nowhere = self._stream.fileno(), os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard standard output and standard error within, as the head of this module says."""
    _open_closed()
    output, errors = sys.stdout, sys.stderr
    for stream in (output, errors):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.stdout = cast(TextIO, _Guarded(output, needed=True))
    sys.stderr = cast(TextIO, _Guarded(errors, needed=False))
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = output, errors


def _open_closed() -> None:
    for number, (name, mode, flags) in enumerate(STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115
