"""Positions of puzzles without a map as a chart: a row for each thing, a column for each value that it can have.

                left    right
    at  wolf    (wolf)
        goat            (goat)
    boat                (boat)

A thing is a piece that stands in the column of its value, and moves to another when the value changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..models.cells import Cell
from ..models.family import ChartRow
from . import shapes
from .shapes import CELL, SvgShape

LETTER = 8.5
"""The width of a character in units, roughly."""

NARROWEST, WIDEST = 56, 150
"""The least and the greatest width of a column in units."""


class Chart:
    """The layout of a chart, which is the same in every position. Cells are counted in its rows and columns, those of
    headings and names included.
    """

    def __init__(self, rows: Sequence[ChartRow]) -> None:
        texts = [text for row in rows for text in (*row.columns, row.name)]
        widest = max(map(len, texts), default=1) * LETTER + 26
        self.cell = (round(min(WIDEST, max(NARROWEST, widest))), CELL)
        self.columns = 1 + max((len(row.columns) for row in rows), default=1)
        self.line_of: list[int] = []
        """For each row, the line of cells on which it is drawn."""
        self.headings: list[tuple[int, ChartRow]] = []
        line, last = 0, None
        for row in rows:
            if (row.group, row.columns) != last:
                self.headings.append((line, row))
                line += 1
            self.line_of.append(line)
            last, line = (row.group, row.columns), line + 1
        self.height = line
        self.rows = rows

    @property
    def view(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the picture."""
        return 0, 0, self.columns * self.cell[0] + 6, self.height * CELL + 6

    def ground(self) -> Iterator[SvgShape]:
        """Columns with their headings, rows with their names."""
        wide = self.cell[0]
        for line, row in self.headings:
            yield self._text(0, line, row.group, 0.6)
            for column, text in enumerate(row.columns, 1):
                yield self._text(column, line, text, 0.75)
        for line, row in zip(self.line_of, self.rows, strict=True):
            if row.name != row.group:
                yield self._text(0, line, row.name, 1)
            for column in range(1, len(row.columns) + 1):
                size = {"width": str(wide - 2), "height": str(CELL - 2), "rx": "4"}
                place = {"x": str(column * wide + 1), "y": str(line * CELL + 1)}
                yield SvgShape("rect", place | size | {"class": "ground", "fill": shapes.LIGHT["ground"]})

    def _text(self, column: int, line: int, text: str, ink: float) -> SvgShape:
        at = {"x": f"{(column + 0.5) * self.cell[0]:g}", "y": f"{(line + 0.5) * CELL:g}"}
        return shapes.words(at, text, min(15, (self.cell[0] - 4) / max(1, len(text)) * 1.7), ink)

    def token(self, text: str, hue: int) -> tuple[SvgShape, ...]:
        """The token for the value of a row, drawn at the upper left cell."""
        wide = self.cell[0]
        middle = {"x": f"{wide / 2:g}", "y": f"{CELL / 2:g}"}
        size = min(15, (wide - 16) / max(1, len(text)) * 1.7)
        return shapes.chip(wide, hue), shapes.words(middle, text, size, 1)

    def places(self, rows: Sequence[ChartRow]) -> Iterator[tuple[str, str, Cell]]:
        """The tokens of a position: for each one its piece, its text and its cell."""
        for line, row in zip(self.line_of, rows, strict=True):
            for column in sorted(row.at):
                own = row.columns[column] if row.several else row.name
                yield f"{row.group} {own}", own, (line, column + 1)

    def names(self) -> dict[str, str]:
        """The names of cells, by `row,column`: the heading of the column."""
        return {
            f"{line},{column}": text
            for line, row in zip(self.line_of, self.rows, strict=True)
            for column, text in enumerate(row.columns, 1)
        }
