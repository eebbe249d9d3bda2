"""Runs of engines: what `budge compare`, `budge batch` and `budge results` print."""

from __future__ import annotations

import csv
import io
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TextIO

from ..models.moves import Cost, show_cost
from ..models.text import counted
from ..runtime.outcome import Status
from ..workflows.comparison import Comparison
from ..workflows.rows import COLUMNS, Asked, Compared, Row, flat, names_of
from .json_lines import head, picked
from .sections import Conclusion, Link, Section, Table

if TYPE_CHECKING:
    from ..lab.experiment import Done
    from ..lab.store import Difference, Pair, Session

HEAD = ("engine", "status", "cost", "bounds", "time", "ground", "encode", "solve", "states", "conflicts", "MiB")
NUMBERS = range(4, 11)
"""The columns that are aligned to the right."""

LEFT_OUT_FIRST = ("conflicts", "ground", "encode", "solve", "MiB", "states", "cost")
"""Columns to leave out on a narrow screen, in this order; of proven answers, the bounds show the cost too."""

TIMES = (
    "Times are wall-clock seconds; loading and compiling are not counted. What grounding, encoding and solving leave "
    "of them is the replay of the plan. Memory: peak growth of the engine's processes."
)


def bounds(row: Row) -> str:
    """The proven bounds as text: `24`, `20..24`, `20..`, or `..24`."""
    low, high = row.outcome.lower_bound, row.outcome.upper_bound
    if low is not None and low == high:
        return show_cost(low)
    return f"{_shown(low)}..{_shown(high)}" if low is not None or high is not None else ""


def status(row: Row) -> str:
    """The status with the reason for which the engine stopped: `bounded (time limit)`."""
    reason = row.outcome.stopped_by
    return f"{row.status.value} ({reason})" if reason and reason != row.status.value else row.status.value


def cells(row: Row) -> list[str]:
    """A row of the table as text, by `HEAD`. Counts of zero are left out: JSON and CSV have them."""
    ran, parts = row.status is not Status.UNSUPPORTED, row.times
    times = (row.seconds, *((parts.ground, parts.encode, parts.solve) if parts else (None, None, None)))
    counts = (row.count("states"), row.count("conflicts"))
    return [
        row.engine,
        status(row),
        _shown(row.exact_cost),
        bounds(row),
        *(f"{value:.2f}" if ran and value is not None else "" for value in times),
        *(f"{value:,}" if value else "" for value in counts),
        f"{row.memory_mib:,.1f}" if ran else "",
    ]


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each puzzle in a metric, under a title, in their order."""
    named = titles(row.asked for row in rows)
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(named[row.asked.compared], []).append(row)
    return groups


def titles(asked: Iterable[Asked]) -> dict[Compared, str]:
    """What to call puzzles in a metric: `name, metric`, different ones differently (`names_of`)."""
    listed = list(asked)
    names = names_of(listed)
    return {cell.compared: f"{names[cell.digest]}, {cell.metric}" for cell in listed}


def of_comparison(comparison: Comparison) -> Iterator[Section]:
    """The rows puzzle by puzzle, and whether all that is proven agrees."""
    yield table_of(grouped(comparison.rows))
    yield from ("", TIMES)
    yield from verdict(comparison)


def table_of(groups: Mapping[str, Sequence[Row]]) -> Table:
    """Rows as a table, those of each puzzle below its title."""
    lines = {title: [cells(row) for row in rows] for title, rows in groups.items()}
    return Table(HEAD, lines, NUMBERS, LEFT_OUT_FIRST, indent="  ")


def verdict(comparison: Comparison) -> Iterator[Section]:
    """Whether what is proven agrees, loudly if not; and the errors of engines. A sentence each."""
    yield from (Conclusion(f"ERROR: {error}", "bad") for error in _errors(comparison))
    yield from (Conclusion(f"DISAGREEMENT: {sentence}", "bad") for sentence in comparison.disagreements)
    if not comparison.disagreements:
        proven = sum(row.proven for row in comparison.rows)
        agrees = f"{proven:,} of them proven; every proven value agrees."
        rest = agrees if proven else "none of them proven. Nothing was proven within the limits."
        yield Conclusion(f"{counted(len(comparison.rows), 'row')}, {rest}", "" if comparison.errors else "good")
    if comparison.interrupted:
        yield "Interrupted; the rows above were finished before."


def _errors(comparison: Comparison) -> list[str]:
    return [f"{row.asked.puzzle}: {row.engine}: {row.error}" for row in comparison.errors]


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """The `result` object of `compare`, after those of the rows."""
    return {
        **head("compare"),
        "rows": len(comparison.rows),
        "disagreements": comparison.disagreements,
        "errors": _errors(comparison),
        "interrupted": comparison.interrupted,
        "prepare_seconds": round(comparison.prepare, 4),
        "conditions": comparison.conditions and comparison.conditions.as_object(),
    }


def row_line(row: Row) -> str:
    """One line of progress."""
    cost = f" {show_cost(row.exact_cost)}" if row.exact_cost is not None else f" {bounds(row)}".rstrip()
    error = f": {row.error}" if row.error else ""
    return f"{row.seconds:8.2f} s  {row.asked.puzzle}, {row.asked.metric}, {row.engine}: {status(row)}{cost}{error}"


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV (RFC 4180), with a head.

    Under which conditions a row was measured stands in columns, the same in most rows, and in no comment: so any reader
    of CSV takes the file as it is (`pandas.read_csv(file)`), rows from several machines too.
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        line = flat(row)
        writer.writerow([_plain(line[name]) for name in COLUMNS])
    return out.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return round(value, 4) if isinstance(value, float) else value


def _shown(cost: Cost | None) -> str:
    return "" if cost is None else show_cost(cost)


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


def of_experiment(done: Done, store: Path) -> Iterator[Section]:
    """The results of an experiment, a sentence each."""
    yield from (f"unsupported: {refusal}" for refusal in done.refused)
    yield from (Conclusion(f"ERROR: {error}", "bad") for error in done.errors)
    yield from (Conclusion(f"DISAGREEMENT: {sentence}", "bad") for sentence in done.contradictions)
    skipped = f", {done.skipped:,} more were there already" if done.skipped else ""
    refused = f", {len(done.refused):,} unsupported by their engines" if done.refused else ""
    yield f"{counted(done.ended, 'run')}, {done.proven:,} of them proven{refused}{skipped}; in {store}"
    if done.ended and not done.contradictions:
        yield Conclusion("Every proven value agrees.", "good")
    if done.interrupted:
        yield "Interrupted; the same command goes on from here."


def experiment_json(done: Done, store: Path) -> dict[str, Any]:
    """The `result` object of `batch`, after those of the rows."""
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


# What `budge results` shows

SHOWN = 20
"""The most pairs of each kind that are listed; of the others, the number is shown."""


def of_sessions(listed: Sequence[Session]) -> Table:
    """A line for each session."""
    head = ["session", "label", "Budge", "date", "on", "runs", "proven", "command"]
    lines = []
    for session in listed:
        texts = [str(session.number), session.label, session.budge, session.date, session.executor]
        lines.append([*texts, f"{session.runs:,}", f"{session.proven:,}", session.command])
    return Table(head, {"": lines}, (0, 5, 6))


def overview(rows: Sequence[Row]) -> Iterator[Section]:
    """A line for each engine, with its options, in each metric; then how often runs were stopped by what."""
    yield engine_table(rows)
    stopped = Counter(status(row) for row in rows if not row.proven)
    yield from (f"{n:,} {word}" for word, n in sorted(stopped.items()))


def engine_table(rows: Sequence[Row]) -> Table:
    """A line for each engine, with its options, in each metric; the number of seeds has a column if there are any."""
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
        counts = [f"{n:,}" if n or at else "" for at, n in enumerate(numbers)]
        lines.append([engine, options, metric, *counts, *(f"{s:.3f}" for s in seconds)])
    head = ["engine", "options", "metric", "seeds", "runs", "proven", "plans", "seconds", "median", "longest"]
    return Table(head, {"": lines}, range(3, len(head)))


RUN_HEAD = ["puzzle", "metric", "engine", "options", "status", "bounds", "seconds"]


def listing(rows: Sequence[Row]) -> Table:
    """A line for each run."""
    return Table(RUN_HEAD, {"": [*map(run_cells, rows)]}, numbers=(len(RUN_HEAD) - 1,))


def run_cells(row: Row) -> list[str]:
    """A run by `RUN_HEAD`."""
    asked = row.asked
    seed = "" if asked.seed is None else f"seed={asked.seed}"
    options = f"{asked.options} {seed}".strip()
    return [asked.puzzle, asked.metric, row.engine, options, status(row), bounds(row), f"{row.seconds:.3f}"]


def of_difference(diff: Difference, names: Sequence[str], most: int = SHOWN) -> Iterator[Section]:
    """What changed between two sets of runs: how many they have in common, how many only one of them has, those that
    differ, the largest changes first, and the time of those in common.
    """
    one, other = names
    what = "median run" if any(max(pair.runs) > 1 for pair in diff.pairs) else "run"
    yield f"{counted(len(diff.pairs), what)} of both {one} and {other}"
    for name, count in ((one, diff.only_before), (other, diff.only_after)):
        if count:
            yield f"{counted(count, what)} of {name} only"
    changes = {
        _group(how, pairs, most): [*map(pair_cells, pairs[:most])] for how, pairs in diff.changes.items() if pairs
    }
    if changes:
        yield ""
        yield Table(["puzzle", "metric", "engine", *names], changes)
    before, after = (sum(getattr(pair, side).seconds for pair in diff.pairs) for side in ("before", "after"))
    yield from ("", f"all of them: {before:.2f} s with {one}, {after:.2f} s with {other}")


def _group(how: str, pairs: Sequence[Pair], most: int) -> str:
    return f"{how}: {len(pairs):,}" + (f", of which these are {most:,}" if len(pairs) > most else "")


def pair_cells(pair: Pair) -> list[str]:
    """The puzzle, the metric and the engine of a pair, and the result of each of its runs."""
    asked = pair.before.asked
    name = f"{asked.engine} {asked.options}".strip()
    results = [_result(row, runs) for row, runs in zip((pair.before, pair.after), pair.runs, strict=True)]
    return [Link.to(pair.number, asked.puzzle), asked.metric, name, *results]


def _result(row: Row, runs: int) -> str:
    middle = f" (median of {runs})" if runs > 1 else ""
    return f"{status(row)} {bounds(row)} in {row.seconds:.3f} s{middle}".replace("  ", " ")


def difference_json(diff: Difference) -> dict[str, Any]:
    """As JSON."""
    changed = {how.replace(" ", "_"): [*map(_pair_json, pairs)] for how, pairs in diff.changes.items()}
    return {"pairs": len(diff.pairs), **picked(diff, "only_before only_after"), **changed}


def _pair_json(pair: Pair) -> dict[str, Any]:
    sides = zip(("before", "after"), (pair.before, pair.after), pair.runs, strict=True)
    runs = {side: {"status": row.status.value, "seconds": row.seconds, "runs": many} for side, row, many in sides}
    return picked(pair.before.asked, "puzzle file metric engine options") | runs
