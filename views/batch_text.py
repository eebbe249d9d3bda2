"""The output of `budge batch`: lines of progress, and a summary."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, TextIO

from ..models.text import counted
from ..workflows.batch.experiment import Done
from ..workflows.rows import Row
from .compare_text import row_line
from .json_lines import head

EVERY = 1.0
"""Seconds between two lines of progress, where rows come quickly."""


class Progress:
    """Prints a line for a row once a second at most, with the number of rows left out since."""

    def __init__(self, out: TextIO, *, quiet: bool = False) -> None:
        self._out, self._quiet = out, quiet
        self._runs = self._unshown = 0
        self._next = 0.0
        self._waited = False

    def row(self, row: Row) -> None:
        """Print the row of a run that has ended and is stored; errors are printed at once."""
        self._runs += 1
        self._unshown += 1
        if self._quiet or (time.monotonic() < self._next and not row.error):
            return
        more = f" ({self._unshown - 1:,} more since)" if self._unshown > 1 else ""
        print(f"{self._runs:7,}  {row_line(row)}{more}", file=self._out, flush=True)
        self._unshown, self._next = 0, time.monotonic() + EVERY

    def waiting(self, runs: int) -> None:
        """Say, once, that all runs left are being done by another session."""
        if not self._quiet and not self._waited:
            self._waited = True
            print(f"waiting for {counted(runs, 'run')} of another `budge batch`", file=self._out, flush=True)


def summary(done: Done, store: Path) -> list[str]:
    """The results of an experiment, a sentence each."""
    out = [f"unsupported: {refusal}" for refusal in done.refused]
    out += [f"ERROR: {error}" for error in done.errors]
    out += [f"DISAGREEMENT: {sentence}" for sentence in done.contradictions]
    skipped = f", {done.skipped:,} more were there already" if done.skipped else ""
    refused = f", {len(done.refused):,} unsupported by their engines" if done.refused else ""
    out.append(f"{counted(done.ended, 'run')}, {done.proven:,} of them proven{refused}{skipped}; in {store}")
    if done.ended and not done.contradictions:
        out.append("Every proven value agrees.")
    if done.interrupted:
        out.append("Interrupted; the same command goes on from here.")
    return out


def as_json(done: Done, store: Path) -> dict[str, Any]:
    """The `result` object, after those of the rows."""
    return {
        **head("batch"),
        "store": str(store),
        "runs": done.ended,
        "proven": done.proven,
        "skipped": done.skipped,
        "unsupported": done.refused,
        "errors": done.errors,
        "disagreements": done.contradictions,
        "interrupted": done.interrupted,
        "prepare_seconds": round(done.prepare, 4),
    }
