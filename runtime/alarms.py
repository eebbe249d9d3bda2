"""Whether a signal arrived in the middle of an import: its handler must not import then."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = [getattr(signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "QUIT") if hasattr(signal, f"SIG{name}")]
"""The signals that end a program by hand: Ctrl-C, `kill`, a closed terminal, Ctrl-\\."""


def importing(frame: FrameType | None, within: Callable[..., Any] | None = None) -> bool:
    """Whether a module is being imported in a frame or in one of its callers. A handler of a signal that came there
    must then import nothing itself: the module that it needs may be half loaded, and up to Python 3.11 the import that
    was interrupted fails with a `KeyError` (https://github.com/python/cpython/issues/91351).

    `within`: the walk from caller to caller ends at this function; an import that called it does not count.
    """
    while frame is not None and not (within and frame.f_code is within.__code__):
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
