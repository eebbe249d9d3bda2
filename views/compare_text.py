"""What `budge compare` prints: a table for people, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ..models.cost import Cost, show_cost
from ..models.text import columns
from ..runtime.outcome import Status
from ..workflows.comparison import COLUMNS, Comparison, Row, flat

HEAD = ("engine", "status", "cost", "bounds", "time", "ground", "encode", "solve", "states", "conflicts", "MiB")
NUMBERS = range(4, 11)
"""The columns that are aligned to the right."""

CSV_HEAD = COLUMNS

TIMES = (
    "Times are seconds of wall clock, without the loading of code; what grounding, encoding and solving leave of them "
    "is the replay of the plan. Memory is the most by which the resident memory of the engine's processes grew."
)


def bounds(row: Row) -> str:
    """What is proven: `24`, `20..24`, `20..`, or `..24`."""
    low, high = row.outcome.lower_bound, row.outcome.upper_bound
    if low is not None and low == high:
        return show_cost(low)
    return f"{_shown(low)}..{_shown(high)}" if low is not None or high is not None else ""


def status(row: Row) -> str:
    """The status, and what stopped the engine."""
    reason = row.outcome.stopped_by
    return f"{row.status.value} ({reason})" if reason and reason != row.status.value else row.status.value


def cells(row: Row) -> list[str]:
    """A row of the table as text, by `HEAD`."""
    ran, parts = row.status is not Status.UNSUPPORTED, row.measured.times
    times = (row.seconds, *((parts.ground, parts.encode, parts.solve) if parts else (None, None, None)))
    counts = (row.count("states"), row.count("conflicts"))
    return [
        row.engine,
        status(row),
        _shown(row.cost),
        bounds(row),
        *(f"{value:.2f}" if ran and value is not None else "" for value in times),
        *("" if value is None else f"{value:,}" for value in counts),
        f"{row.measured.memory_mib:,.1f}" if ran else "",
    ]


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each puzzle in a metric, under a title, in their order."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.asked.puzzle, row.asked.metric, row.asked.file), []).append(row)
    titles: dict[str, list[Row]] = {}
    for (puzzle, metric, file), group in groups.items():
        title = f"{puzzle}, {metric}"
        titles[title if title not in titles else f"{title} ({file})"] = group
    return titles


def table(comparison: Comparison) -> str:
    """The rows under each other, puzzle by puzzle, and whether all that is proven agrees."""
    groups = grouped(comparison.rows)
    lines = [cells(row) for group in groups.values() for row in group]
    widths = [max(map(columns, column)) for column in zip(HEAD, *lines, strict=True)]

    def aligned(line: Sequence[str]) -> str:
        parts = []
        for i, (text, width) in enumerate(zip(line, widths, strict=True)):
            pad = " " * (width - columns(text))
            parts.append(pad + text if i in NUMBERS else text + pad)
        return ("  " + "  ".join(parts)).rstrip()

    out = [aligned(HEAD)]
    for title, group in groups.items():
        out += ["", title, *(aligned(cells(row)) for row in group)]
    return "\n".join([*out, "", TIMES, verdict(comparison)])


def verdict(comparison: Comparison) -> str:
    """Whether what is proven agrees, loudly if not; and the errors of engines."""
    out = [f"ERROR: {row.asked.puzzle}: {row.engine}: {row.error}" for row in comparison.errors]
    out += [f"DISAGREEMENT: {sentence}" for sentence in comparison.disagreements]
    if not comparison.disagreements:
        proven = sum(row.proven for row in comparison.rows)
        out.append(f"{len(comparison.rows)} rows, {proven} of them proven; every proven value agrees.")
    if comparison.interrupted:
        out.append("Interrupted: the rows above are those that were there.")
    return "\n".join(out)


def row_line(row: Row) -> str:
    """One line of progress."""
    cost = f" {show_cost(row.cost)}" if row.cost is not None else f" {bounds(row)}".rstrip()
    error = f": {row.error}" if row.error else ""
    return f"{row.seconds:8.2f} s  {row.asked.puzzle}, {row.asked.metric}, {row.engine}: {status(row)}{cost}{error}"


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV (RFC 4180), with a head."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(CSV_HEAD)
    for row in rows:
        line = flat(row)
        writer.writerow([_plain(line[name]) for name in CSV_HEAD])
    return out.getvalue()


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return round(value, 4) if isinstance(value, float) else value


def _shown(cost: Cost | None) -> str:
    return "" if cost is None else show_cost(cost)
