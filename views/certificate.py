"""What is said of a certificate in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .layout import fill

if TYPE_CHECKING:
    from ..workflows.certifying import Certified


def as_text(lines: Sequence[str], board: Sequence[str], width: int) -> str:
    """The lines of a verdict, in at most `width` columns each but for the first ones, the board as it was read."""
    drawn = len(board) + 1 if board else 0
    shown = list(lines[:drawn])
    for line in lines[drawn:]:
        indent = " " * (len(line) - len(line.lstrip()))
        shown += fill(line.split(), width, first=indent, rest=indent + "  ")
    return "\n".join(shown)


def size_text(size: int) -> str:
    """`0.5 MB`, `12 kB`, at least `1 kB`."""
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{max(1, round(size / 1e3))} kB"


def as_json(written: Certified) -> dict[str, Any]:
    """A certificate as an object of JSON lines."""
    writing, checking = written.seconds
    return {
        "type": "certificate",
        "folder": str(written.folder),
        "evidence": written.kind,
        "bytes": written.size,
        "shown": written.verdict.shown,
        "seconds": {"write": round(writing, 3), "check": round(checking, 3)},
    }
