"""The verdict about a certificate as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from .terminal import fill


def as_text(lines: Sequence[str], board: Sequence[str], width: int) -> str:
    """The lines of a verdict, in at most `width` columns each but for the last ones, the board as it was read."""
    said = len(lines) - (len(board) + 1 if board else 0)
    shown = list[str]()
    for line in lines[:said]:
        indent = " " * (len(line) - len(line.lstrip()))
        shown += fill(line.split(), width, first=indent, rest=indent + "  ")
    return "\n".join([*shown, *lines[said:]])


def size_text(size: int) -> str:
    """`0.5 MB`, `12 kB`, at least `1 kB`."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1e3))} kB"
