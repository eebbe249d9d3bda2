"""Watching a puzzle while it is grounded: whoever asks for the task hears how far it has come, and may end it.

    with watched(look):             look(1200, "operators of the action `push`") is called again and
        puzzle.form(metric)         again; what it raises ends the grounding

It is by thread (`contextvars`), so that families whose grounding takes a moment need not hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Look = Callable[[int, str], None]
"""Called with how many things were found so far and what they are, at least every few hundredths of a second."""


def _unwatched(count: int, of: str) -> None:
    """A `Look` that shows nothing and ends nothing."""


_LOOK: ContextVar[Look] = ContextVar("look", default=_unwatched)


@contextmanager
def watched(look: Look) -> Iterator[None]:
    """Have `look` called by whatever is grounded within."""
    before = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(before)


def watching() -> Look:
    """What to call while grounding."""
    return _LOOK.get()
