"""Which puzzles were solved by hand, and at what cost: kept for the user, whichever folder is open."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from ..models.documents.files import FileError, read_regular, write_whole

LARGEST = 4 * 1024 * 1024
"""Bytes of the file."""


@dataclass
class Solved:
    """The least cost of each puzzle (by its digest) in each metric in which it was solved."""

    file: Path
    costs: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with contextlib.suppress(FileError, ValueError, TypeError, AttributeError):
            found = json.loads(read_regular(self.file, LARGEST))
            self.costs = {str(key): {str(m): int(cost) for m, cost in of.items()} for key, of in found.items()}

    def note(self, digest: str, metric: str, cost: int) -> None:
        """Note that a puzzle was solved. What cannot be written is kept until the studio ends."""
        known = self.costs.setdefault(digest, {})
        if cost >= known.get(metric, cost + 1):
            return
        known[metric] = cost
        with contextlib.suppress(OSError):
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.file, json.dumps(self.costs).encode())

    def least(self, digest: str, metric: str) -> int | None:
        """The least cost at which a puzzle was solved; None if it was not."""
        return self.costs.get(digest, {}).get(metric)
