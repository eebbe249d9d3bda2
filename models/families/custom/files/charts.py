"""States without a map and without `draw`: lines of text for each table, and the same as a chart.

at: wolf left, goat right        boat: right        lit: a, c

A table with two arguments takes several lines, all but the first of which begin with a space:

tube:  1    2
  t1   red  blue
  t2   none none
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....cells import Rows
from ....family import ChartRow
from ..language.expressions import Value, text_of
from ..puzzle import Custom, Place, ValueTable

MOST_COLUMNS, MOST_ROWS = 16, 24
"""The size of the largest chart; larger states are lines of text."""

WIDTH = 78
"""Columns of text that a matrix may take."""


def lines_of(table: ValueTable, state: Mapping[Place, Value]) -> list[str]:
    """A table as lines: `at: wolf left, goat right`; the true arguments of a table of truth values; else a matrix."""
    values = {args: state[table.name, args] for args in table.values}
    if not table.of:
        return [f"{table.name}: {text_of(values[()])}"]
    if table.domain.kind == "truth":
        return [f"{table.name}: {', '.join(_words(args) for args, value in values.items() if value)}"]
    if len(table.of) != 2:
        return [f"{table.name}: {', '.join(f'{_words(args)} {text_of(value)}' for args, value in values.items())}"]
    return _matrix(table, values)


def _matrix(table: ValueTable, values: Mapping[tuple[Value, ...], Value]) -> list[str]:
    """A table of two arguments as a matrix: a row for each first argument; a wide table is several such blocks."""
    label, size, blocks = _layout(table)
    lines = []
    for seconds in blocks:
        head = f"{table.name}:" if seconds is blocks[0] else ""
        lines.append(head.ljust(label) + "".join(text_of(second).ljust(size) for second in seconds))
        for first in table.of[0].values:
            row = "".join(text_of(values[first, second]).ljust(size) for second in seconds)
            lines.append(f"  {text_of(first)}".ljust(label) + row)
    return [line.rstrip() for line in lines]


def _layout(table: ValueTable) -> tuple[int, int, list[tuple[Value, ...]]]:
    """The layout of a table's matrix, equal in all states: width of the names, width of a column, the columns of
    each block.
    """
    first, second = table.of
    label = 2 + max(len(table.name), *(len(text_of(value)) + 1 for value in first.values))
    size = 2 + max(len(text_of(value)) for value in (*second.values, *table.domain.values))
    across = max(1, (WIDTH - label) // size)
    columns = tuple(second.values)
    return label, size, [columns[n : n + across] for n in range(0, len(columns), across)]


def _of_matrix(table: ValueTable, rows: Sequence[str]) -> list[str]:
    """The values that a drawn matrix shows, in the order of the table: the inverse of `_matrix`."""
    label, size, blocks = _layout(table)
    per_row: list[list[str]] = [[] for _ in table.of[0].values]
    height = len(per_row) + 1
    for number, seconds in enumerate(blocks):
        for found, line in zip(per_row, rows[number * height + 1 :], strict=False):
            found += (line[label + n * size :][:size].strip() for n in range(len(seconds)))
    return [text for row in per_row for text in row]


def chart_of(puzzle: Custom, rows: Rows) -> tuple[ChartRow, ...]:
    """The lines of a state as a chart; no rows where it is drawn otherwise, or too large."""
    if puzzle.grid or puzzle.looks.template:
        return ()
    found: list[ChartRow] = []
    starts = [number for number, line in enumerate(rows) if not line.startswith(" ")]
    for table, start, end in zip(puzzle.state.values(), starts, [*starts[1:], len(rows)], strict=True):
        said = rows[start].removeprefix(f"{table.name}:").strip()
        parts = said.split(", ") if said else []
        if table.of and table.domain.kind == "truth":
            columns = tuple(_words(args) for args in table.values)
            found.append(ChartRow(table.name, table.name, columns, _numbers(columns, parts), several=True))
            continue
        if len(table.of) == 2:
            parts = _of_matrix(table, rows[start:end])
        columns = tuple(text_of(value) for value in table.domain.values)
        for args, part in zip(table.every_key(), parts, strict=True):
            name = _words(args) or table.name
            found.append(ChartRow(table.name, name, columns, _numbers(columns, [part.rpartition(" ")[2]])))
    fits = len(found) <= MOST_ROWS and all(len(row.columns) <= MOST_COLUMNS for row in found)
    return tuple(found) if fits else ()


def _numbers(columns: tuple[str, ...], texts: list[str]) -> frozenset[int]:
    return frozenset(columns.index(text) for text in texts)


def _words(args: tuple[Value, ...]) -> str:
    return " ".join(map(text_of, args))
