"""States without a map and without `draw`: a line of text for each table, and the same lines as a chart.

at: wolf left, goat right        boat: right        lit: a, c
"""

from __future__ import annotations

from collections.abc import Mapping

from ...cells import Rows
from ...family import ChartRow
from .expressions import Value
from .notation import text_of
from .puzzle import Custom, Place, Table

MOST_COLUMNS, MOST_ROWS = 16, 24
"""A chart has at most so many; larger states are lines of text."""


def line_of(table: Table, state: Mapping[Place, Value]) -> str:
    """`at: wolf left, goat right`; of truth values, those that are true."""
    values = {args: state[table.name, args] for args in table.values}
    if not table.of:
        return f"{table.name}: {text_of(values[()])}"
    if table.domain.kind == "truth":
        return f"{table.name}: {', '.join(_words(args) for args, value in values.items() if value)}"
    return f"{table.name}: {', '.join(f'{_words(args)} {text_of(value)}' for args, value in values.items())}"


def chart_of(puzzle: Custom, rows: Rows) -> tuple[ChartRow, ...]:
    """The lines of a state as a chart; no rows where it is drawn otherwise, or too large."""
    if puzzle.grid or puzzle.looks.template:
        return ()
    found: list[ChartRow] = []
    for table, line in zip(puzzle.state.values(), rows, strict=True):
        said = line.removeprefix(f"{table.name}:").strip()
        parts = said.split(", ") if said else []
        if table.of and table.domain.kind == "truth":
            columns = tuple(_words(args) for args in table.values)
            found.append(ChartRow(table.name, table.name, columns, _numbers(columns, parts), several=True))
            continue
        columns = tuple(text_of(value) for value in table.domain.values)
        for args, part in zip(table.values, parts, strict=True):
            name = _words(args) or table.name
            found.append(ChartRow(table.name, name, columns, _numbers(columns, [part.rpartition(" ")[2]])))
    fits = len(found) <= MOST_ROWS and all(len(row.columns) <= MOST_COLUMNS for row in found)
    return tuple(found) if fits else ()


def _numbers(columns: tuple[str, ...], texts: list[str]) -> frozenset[int]:
    return frozenset(columns.index(text) for text in texts)


def _words(args: tuple[Value, ...]) -> str:
    return " ".join(map(text_of, args))
