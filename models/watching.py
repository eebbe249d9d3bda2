"""Progress of grounding: whoever asks for a task is called back with how far it has come, and may end it by an error.

    with progress_to(callback):     callback(1200, "operators of the action `push`") is called again
        puzzle.form(metric)         and again; what it raises ends the grounding

The callback is kept for each thread (`contextvars`), so that families whose grounding takes a moment need no parameter.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OnProgress = Callable[[int, str], None]
"""Called with how many things were found so far and what they are, at least every few hundredths of a second."""


def _ignore(count: int, of: str) -> None:
    """The callback where nobody asked for one: it shows nothing and ends nothing."""


_CALLBACK: ContextVar[OnProgress] = ContextVar("callback", default=_ignore)


@contextmanager
def progress_to(callback: OnProgress) -> Iterator[None]:
    """Have `callback` called by whatever is grounded in the `with` block."""
    before = _CALLBACK.set(callback)
    try:
        yield
    finally:
        _CALLBACK.reset(before)


def progress_callback() -> OnProgress:
    """What to call while grounding: the callback of the innermost `progress_to`."""
    return _CALLBACK.get()


# Building many containers at once, without Python's collector of cycles looking at them again and again.


@contextmanager
def collector_paused() -> Iterator[None]:
    """Switch Python's collector of cycles off within: lists are made two to four times as fast. If it was off, it
    stays off.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
