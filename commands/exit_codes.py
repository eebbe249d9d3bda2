"""The exit codes of the command line, and which of several counts."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


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
