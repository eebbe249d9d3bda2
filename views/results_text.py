"""What `budge results` prints."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, TextIO

from ..lab.experiment import Done
from ..lab.store import CHANGES, Difference, Pair, Session
from ..models.text import aligned, counted
from ..workflows.rows import Row
from .compare_text import bounds, row_line, status
from .json_lines import head, picked

# The output of `budge batch`: lines of progress, and a summary.

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


SHOWN = 20
"""The most pairs of each kind that are listed; of the others, the number is shown."""


def sessions(listed: Sequence[Session]) -> str:
    """A line for each session."""
    head = ["session", "label", "Budge", "date", "on", "runs", "proven", "command"]
    lines = []
    for session in listed:
        texts = [str(session.number), session.label, session.budge, session.date, session.executor]
        lines.append([*texts, f"{session.runs:,}", f"{session.proven:,}", session.command])
    return "\n".join(aligned([head, *lines], (0, 5, 6)))


def overview(rows: Sequence[Row]) -> str:
    """A line for each engine, with its options, in each metric."""
    stopped = Counter(status(row) for row in rows if not row.proven)
    table = engine_table(rows)
    out = aligned(table, range(ENGINE_NAMES, len(table[0])))
    return "\n".join([*out, *(f"{n:,} {word}" for word, n in sorted(stopped.items()))])


ENGINE_NAMES = 3
"""Columns of `engine_table` before its numbers."""


def engine_table(rows: Sequence[Row]) -> list[list[str]]:
    """The names of the columns, then a line for each engine, with its options, in each metric; the number of
    seeds has a column if there are any.
    """
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.engine, row.asked.options, row.asked.metric), []).append(row)
    lines = []
    for (engine, options, metric), group in sorted(groups.items()):
        times = [row.seconds for row in group]
        seeds = len({row.asked.seed for row in group} - {None})
        proven, plans = sum(row.proven for row in group), sum(row.exact_cost is not None for row in group)
        numbers = (seeds, len(group), proven, plans)
        seconds = (sum(times), median(times), max(times))
        lines.append([engine, options, metric, *(f"{n:,}" for n in numbers), *(f"{s:.3f}" for s in seconds)])
    head = ["engine", "options", "metric", "seeds", "runs", "proven", "plans", "seconds", "median", "longest"]
    table = [head, *lines]
    if not any(row.asked.seed is not None for row in rows):
        table = [[*line[:ENGINE_NAMES], *line[ENGINE_NAMES + 1 :]] for line in table]
    return table


RUN_HEAD = ["puzzle", "metric", "engine", "options", "status", "bounds", "seconds"]
RUN_NUMBERS = (6,)


def listing(rows: Sequence[Row]) -> str:
    """A line for each run."""
    return "\n".join(aligned([RUN_HEAD, *map(run_cells, rows)], RUN_NUMBERS))


def run_cells(row: Row) -> list[str]:
    """A run by `RUN_HEAD`."""
    asked = row.asked
    seed = "" if asked.seed is None else f"seed={asked.seed}"
    options = f"{asked.options} {seed}".strip()
    return [asked.puzzle, asked.metric, row.engine, options, status(row), bounds(row), f"{row.seconds:.3f}"]


def difference(diff: Difference, names: Sequence[str]) -> str:
    """What changed between two sets of runs."""
    *counts, times = difference_sentences(diff, names)
    out = counts
    for how in CHANGES:
        pairs = diff.changed(how)
        if not pairs:
            continue
        out += ["", f"{how}: {len(pairs):,}"]
        out += aligned([[*PAIR_HEAD, *names], *map(pair_cells, pairs[:SHOWN])], ())
        if len(pairs) > SHOWN:
            out.append(f"... and {len(pairs) - SHOWN:,} more")
    return "\n".join([*out, "", times])


def difference_sentences(diff: Difference, names: Sequence[str]) -> list[str]:
    """How many runs two sets have in common, how many only one of them has, and the time of those in common."""
    one, other = names
    what = "median run" if any(max(pair.runs) > 1 for pair in diff.pairs) else "run"
    out = [f"{counted(len(diff.pairs), what)} of both {one} and {other}"]
    for name, count in ((one, diff.only_before), (other, diff.only_after)):
        if count:
            out.append(f"{counted(count, what)} of {name} only")
    before, after = (sum(getattr(pair, side).seconds for pair in diff.pairs) for side in ("before", "after"))
    return [*out, f"all of them: {before:.2f} s with {one}, {after:.2f} s with {other}"]


PAIR_HEAD = ("puzzle", "metric", "engine")
"""Headings of the columns of a pair, before those of its two runs."""


def pair_cells(pair: Pair) -> list[str]:
    """The cells of a pair by `PAIR_HEAD`, then the result of each of its runs."""
    asked = pair.before.asked
    name = f"{asked.engine} {asked.options}".strip()
    results = [_result(row, runs) for row, runs in zip((pair.before, pair.after), pair.runs, strict=True)]
    return [asked.puzzle, asked.metric, name, *results]


def _result(row: Row, runs: int) -> str:
    middle = f" (median of {runs})" if runs > 1 else ""
    return f"{status(row)} {bounds(row)} in {row.seconds:.3f} s{middle}".replace("  ", " ")


def difference_json(diff: Difference) -> dict[str, Any]:
    """As JSON."""
    changed = {how.replace(" ", "_"): [_pair_json(pair) for pair in diff.changed(how)] for how in CHANGES}
    return {"pairs": len(diff.pairs), **picked(diff, "only_before only_after"), **changed}


def _pair_json(pair: Pair) -> dict[str, Any]:
    sides = zip(("before", "after"), (pair.before, pair.after), pair.runs, strict=True)
    runs = {side: {"status": row.status.value, "seconds": row.seconds, "runs": many} for side, row, many in sides}
    return picked(pair.before.asked, "puzzle file metric engine options") | runs
