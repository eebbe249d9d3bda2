"""Keys of a terminal, one after the other, however they arrive: several in one read, or one in several."""

from __future__ import annotations

import codecs
import os
import re
import select
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

KEY = re.compile(r"\x1b\[[0-9;]*[@-~]|\x1bO[@-~]|.", re.DOTALL)
"""One key: an escape sequence (ECMA-48, CSI and SS3), or a character."""

PARTIAL = re.compile(r"\x1b(\[[0-9;]*|O)?")
"""A text that may be the beginning of an escape sequence; if nothing follows, it is the key Escape."""

PATIENCE = 0.05
"""Seconds to wait for the rest of an escape sequence."""

Read = Callable[[float | None], bytes | None]
"""Waits at most the given seconds (None: for ever) for bytes. b"" is the end of the input; None: nothing came in
time.
"""


class Keys:
    """Each call waits for a key and gives it; "" means that the input has ended."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._waiting: deque[str] = deque()

    def __call__(self) -> str:
        text = ""
        while not self._waiting:
            data = self._read(PATIENCE if text else None)
            if data == b"" and not text:
                return ""
            text += self._decode(data or b"")
            if data and _ends_open(text):
                continue
            self._waiting += KEY.findall(text)
            text = ""
        return self._waiting.popleft()


def _ends_open(text: str) -> bool:
    """Whether a text ends within an escape sequence."""
    begin = text.rfind("\x1b")
    return begin >= 0 and PARTIAL.fullmatch(text, begin) is not None


@contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """A function that waits for a key of the terminal and gives its characters; several for the arrows."""
    if sys.platform == "win32":
        import msvcrt

        arrows = {"H": "\x1b[A", "P": "\x1b[B", "K": "\x1b[D", "M": "\x1b[C", "G": "\x1b[H", "O": "\x1b[F"}

        def key() -> str:
            char = msvcrt.getwch()
            return arrows.get(msvcrt.getwch(), "?") if char in ("\x00", "\xe0") else char

        yield key
        return
    import termios
    import tty

    stream = sys.stdin.fileno()

    def read(seconds: float | None) -> bytes | None:
        return os.read(stream, 4096) if select.select([stream], [], [], seconds)[0] else None

    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSADRAIN)  # what was typed before is kept
        yield Keys(read)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)
