"""What handlers of signals may do: they are called between any two instructions, also in the middle of an import."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any


def importing(frame: FrameType | None, within: Callable[..., Any] | None = None) -> bool:
    """Whether a module is being imported where a signal came (`frame`). Then its handler must import nothing itself:
    the module that it needs may be half there, and up to Python 3.11 the import that was interrupted fails with a
    `KeyError` (https://github.com/python/cpython/issues/91351).

    `within`: the function in which the import has begun; imports that go on around it do not count.
    """
    while frame is not None and not (within and frame.f_code is within.__code__):
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
