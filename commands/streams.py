"""Standard streams that are closed, full or broken: the command line never fails because of them without saying so.

    standard input closed      reading it fails (`Bad file descriptor`), and the command says what it could not read
    standard output            what cannot be written raises `OutputError`, also where the stream is closed
    standard error             what cannot be written is dropped: no progress line ends a run

What is written is made harmless here, whoever wrote it: names and plans come from files of others, and a terminal obeys
control characters. They become U+FFFD, and so does all else that a terminal does not show (U+202E, U+2028). Codes of
colours stay where colours are shown; what moves the cursor goes to `terminal`.

A closed stream is opened again, on `/dev/null` in the direction in which it is not used. Else the next file that is
opened would get its number, and a library that prints would write into that file.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from types import FrameType
from typing import Any, TextIO, cast

from ..runtime.child_main import SIGNALS

# The exit codes of the command line, and which of several counts.


class Exit(IntEnum):
    """The exit codes of commands, the mildest first (the order of their gravity); `cli` explains each."""

    OPTIMAL = 0
    UNSOLVABLE = 1
    INVALID = 1
    LIMIT = 3
    USAGE = 2
    FAULT = 70  # EX_SOFTWARE of sysexits.h
    WRONG = 4
    OUTPUT = 74  # EX_IOERR of sysexits.h
    INTERRUPTED = 130
    HUNG_UP = 129
    QUIT = 131
    TERMINATED = 143


def worst(codes: Iterable[int]) -> int:
    """The gravest of some exit codes."""
    return max(map(Exit, codes), key=list(Exit).index, default=Exit.OPTIMAL)


# Ctrl-C, SIGTERM, SIGHUP (a closed terminal), SIGQUIT: by default each ends a command at once, without a traceback.

Handler = Callable[[int, FrameType | None], None]


class Ended(KeyboardInterrupt):
    """Raised by a signal that ends the command; `code` is the exit code."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.code = 128 + signum


def end(signum: int, _frame: FrameType | None) -> None:
    """A signal handler for a command without results so far: it raises `Ended`."""
    raise Ended(signum)


@contextmanager
def handled(handler: Handler) -> Iterator[None]:
    """Handle Ctrl-C and its like by a handler within, except what is ignored (`nohup`). (In threads other than the main
    one nothing changes.)
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard = [signum for signum in SIGNALS if signal.getsignal(signum) is not signal.SIG_IGN]
    before = {signum: signal.signal(signum, handler) for signum in heard}
    try:
        yield
    finally:
        for signum, former in before.items():
            signal.signal(signum, former)


STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))
"""The name of each standard stream, by its number; how Python opens it, and how `/dev/null` is opened in its place."""


_ODD = re.compile(r"\x1b\[[0-9;]*m|\r\n|[^\n\t -~\u2500-\u259f]")
"""A code of a colour, the end of a line of CSV, or a character that may be harmful."""


class OutputError(Exception):
    """Standard output cannot be written: the disk is full, the stream is closed, or its reader has gone."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause)
        self.reader_gone = cause.errno == errno.EPIPE

    def __str__(self) -> str:
        cause: OSError = self.args[0]
        why = "it is closed" if cause.errno == errno.EBADF else cause.strerror or str(cause)
        return f"cannot write to standard output: {why}"


def harmless(text: str, *, colours: bool) -> str:
    """A text that does nothing to a terminal but be shown there, in `colours` if it has codes of them."""
    from ..models.errors import printable

    kept = ("\r", "\x1b") if colours else ("\r",)
    return _ODD.sub(lambda odd: odd[0] if odd[0][1:] and odd[0][0] in kept else printable(odd[0]), text)


class _Guarded:
    """A stream that remembers its first failure: later writes do nothing. `needed`: a failure raises `OutputError`.
    `colours`: whether it shows them; None if nobody has said so. `raw`: what is written is written as it is.
    """

    def __init__(self, stream: TextIO, *, needed: bool, raw: bool = False) -> None:
        self._stream, self._needed, self._raw = stream, needed, raw
        self.failure: OSError | None = None
        self.colours: bool | None = None

    @property
    def terminal(self) -> _Guarded:
        """The same stream for those who move its cursor, and see to it that their texts are harmless."""
        return _Guarded(self._stream, needed=self._needed, raw=True)

    def write(self, text: str) -> int:
        self._try(self._stream.write, text if self._raw else self._harmless(text))
        return len(text)

    def _harmless(self, text: str) -> str:
        if all(map(str.isprintable, text.split("\n"))):
            return text
        if self.colours is None:
            from ..views.terminal import wants_colour

            self.colours = wants_colour(self._stream)
        return harmless(text, colours=self.colours)

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


def show_colours(shown: bool) -> None:
    """Say whether standard output shows colours."""
    if isinstance(sys.stdout, _Guarded):
        sys.stdout.colours = shown


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
