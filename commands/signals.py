"""Ctrl-C and SIGTERM: by default either ends a command at once, by the exit code 130 or 143, without a traceback."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], None]

SIGNALS = signal.SIGINT, signal.SIGTERM


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
    """Handle Ctrl-C and SIGTERM by a handler within. (In threads other than the main one nothing changes.)"""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {signum: signal.signal(signum, handler) for signum in SIGNALS}
    try:
        yield
    finally:
        for signum, known in before.items():
            signal.signal(signum, known)
