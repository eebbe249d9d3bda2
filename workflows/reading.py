"""Reading a puzzle, as the first piece of what is done for it."""

from __future__ import annotations

from ..models.library import load, load_bytes
from ..models.puzzle import Puzzle
from ..runtime.budget import Budget
from ..runtime.events import Progress, Stage

READING = "reading the puzzle"


def read(name: str, data: bytes | None, budget: Budget, progress: Progress) -> Puzzle:
    """Read a puzzle: the one of this name or file or, if `data` is given, from that. Raises `PuzzleError` and
    `UsageError`.
    """
    progress(Stage(seconds=budget.elapsed, text=READING, uninterruptible=True))
    return load(name) if data is None else load_bytes(data)
