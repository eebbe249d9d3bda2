"""What `budge compare` prints: a table for people, CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from ..models.moves import Cost, show_cost
from ..models.text import aligned, columns, counted
from ..runtime.outcome import Status
from ..workflows.comparison import Comparison
from ..workflows.rows import COLUMNS, Asked, Compared, Row, flat, names_of
from . import terminal
from .json_lines import head
from .terminal import WIDTH

HEAD = ("engine", "status", "cost", "bounds", "time", "ground", "encode", "solve", "states", "conflicts", "MiB")
NUMBERS = range(4, 11)
"""The columns that are aligned to the right."""

LEFT_OUT_FIRST = ("conflicts", "ground", "encode", "solve", "MiB", "states", "cost")
"""Columns to leave out on a narrow screen, in this order; of proven answers, the bounds show the cost too."""

CSV_HEAD = COLUMNS

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


def table(comparison: Comparison, width: int | None = None) -> str:
    """The rows under each other, puzzle by puzzle, and whether all that is proven agrees.

    With a `width` no line is wider (but for words that are). Columns are left out for that, and named below the table;
    if that is not enough, the reason for which an engine stopped gets a line of its own.
    """
    groups = {title: [cells(row) for row in group] for title, group in grouped(comparison.rows).items()}
    every = [list(HEAD), *(line for group in groups.values() for line in group)]
    shown = _with_room(every, width)
    if width is not None and _breadth(every, shown) > width:
        groups = {title: [part for line in group for part in _apart(line)] for title, group in groups.items()}
        every = [list(HEAD), *(line for group in groups.values() for line in group)]
    right = [at for at, number in enumerate(shown) if number in NUMBERS]
    lines = iter(aligned([[line[number] for number in shown] for line in every], right))
    out = [f"  {next(lines)}"]
    for title, group in groups.items():
        out += ["", *_broken(title, width), *(f"  {next(lines)}" for _ in group)]
    out += ["", *_broken(TIMES, width)]
    if left_out := [HEAD[number] for number in _filled(every) if number not in shown]:
        out += _broken(f"Left out for want of room: {', '.join(left_out)}; --csv has everything.", width)
    return "\n".join([*out, *(line for text in verdict(comparison) for line in _broken(text, width))])


def _breadth(lines: Sequence[Sequence[str]], shown: Sequence[int]) -> int:
    return sum(2 + max(columns(line[number]) for line in lines) for number in shown)


def _with_room(lines: Sequence[Sequence[str]], width: int | None) -> list[int]:
    """The numbers of the columns to show: those that are not empty, as far as they fit into the width."""
    shown = _filled(lines)
    for name in LEFT_OUT_FIRST:
        if width is None or _breadth(lines, shown) <= width:
            break
        if HEAD.index(name) in shown:
            shown.remove(HEAD.index(name))
    return shown


def _filled(lines: Sequence[Sequence[str]]) -> list[int]:
    return [number for number in range(len(HEAD)) if any(line[number] for line in lines[1:])]


def _apart(line: list[str]) -> list[list[str]]:
    """A row as one line or, if its status has a reason in parentheses, as two: the reason is below the status."""
    word, opening, reason = line[1].partition(" (")
    return [[line[0], word, *line[2:]], ["", f"({reason}", *[""] * (len(line) - 2)]] if opening else [line]


def _broken(text: str, width: int | None) -> list[str]:
    """A text as lines of at most this width."""
    return terminal.fill(text.split(), width or WIDTH)


def verdict(comparison: Comparison) -> list[str]:
    """Whether what is proven agrees, loudly if not; and the errors of engines. A sentence each."""
    out = [f"ERROR: {row.asked.puzzle}: {row.engine}: {row.error}" for row in comparison.errors]
    out += [f"DISAGREEMENT: {sentence}" for sentence in comparison.disagreements]
    if not comparison.disagreements:
        out.append(f"{counted(len(comparison.rows), 'row')}, {agreement(comparison)}")
    if comparison.interrupted:
        out.append("Interrupted; the rows above were finished before.")
    return out


def agreement(comparison: Comparison) -> str:
    """How much is proven, where nothing contradicts it: half a sentence."""
    proven = sum(row.proven for row in comparison.rows)
    if not proven:
        return "none of them proven. Nothing was proven within the limits."
    return f"{proven:,} of them proven; every proven value agrees."


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The `result` object, after those of the rows."""
    return {
        **head("compare"),
        "rows": len(comparison.rows),
        "disagreements": comparison.disagreements,
        "errors": [f"{row.asked.puzzle}: {row.engine}: {row.error}" for row in comparison.errors],
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
