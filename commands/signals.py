"""Ctrl-C, SIGTERM, SIGHUP (a closed terminal), SIGQUIT: by default each ends a command at once, without a traceback."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from ..runtime.alarms import SIGNALS

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
        for signum, known in before.items():
            signal.signal(signum, known)
