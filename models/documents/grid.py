"""Maps: rows of characters that know where each of them stands in the file."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ..cells import Cell
from ..text import counted
from .document import Mapping, Node, Report, Scalar, Sequence, Span, describe

MAX_SIDE = 256


@dataclass(frozen=True, slots=True)
class Grid:
    """A map. `rows` are as written (without trailing spaces); `origins[r]` is where row r starts in the file.

    `exact`: every character of a row stands in the file as it stands in the row. Where an escape or a doubled
    apostrophe comes between, `origins` are the places of the whole rows or of the map.
    """

    rows: tuple[str, ...]
    origins: tuple[Span, ...]
    exact: bool
    node: Node

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return max(map(len, self.rows), default=0)

    def __getitem__(self, cell: Cell) -> str:
        return self.rows[cell[0]][cell[1]]

    def cells(self) -> list[tuple[Cell, str]]:
        """Every character with its cell, in reading order."""
        return [((r, c), char) for r, row in enumerate(self.rows) for c, char in enumerate(row)]

    def span(self, cell: Cell, width: int = 1) -> Span:
        """Where a cell stands in the file; the start of its row or map if the grid is not `exact`."""
        origin = self.origins[cell[0]]
        return Span(origin.line, origin.column + cell[1], width) if self.exact else origin

    def row_span(self, row: int) -> Span:
        return self.span((row, 0), max(1, len(self.rows[row])))


def read_grid(node: Node, report: Report, what: str, max_width: int = MAX_SIDE) -> Grid | None:
    """A map from a block scalar (`what: |`), a one-line scalar or a list of rows.

    Trailing spaces of rows and empty rows at either end are dropped. Records a problem and gives None for
    anything else, for tabs and characters that cannot be seen, and for maps that are empty or have more than
    `MAX_SIDE` rows or `max_width` columns.
    """
    grid = _from_list(node, report, what) if isinstance(node, Sequence) else _from_scalar(node, report, what)
    if grid is None:
        return None
    first = next((i for i, row in enumerate(grid.rows) if row), None)
    if first is None:
        report.error(node, f"`{what}` is empty", f"write `{what}: |` and the rows below it, indented")
        return None
    last = max(i for i, row in enumerate(grid.rows) if row)
    grid = Grid(grid.rows[first : last + 1], grid.origins[first : last + 1], grid.exact, node)
    if grid.height > MAX_SIDE or grid.width > max_width:
        size = f"{counted(grid.height, 'row')} by {counted(grid.width, 'column')}"
        limit = f"{MAX_SIDE} rows by {max_width:,} columns"
        report.error(node, f"`{what}` is {size}; at most {limit} are allowed")
        return None
    for row, text in enumerate(grid.rows):
        for column, char in enumerate(text):
            if char == "\t":
                report.error(grid.span((row, column)), f"a tab in `{what}`", "use spaces")
                return None
            if char > "\x7f" and unicodedata.category(char) in ("Mn", "Me", "Cf"):
                message = f"an invisible or combining character in `{what}`, U+{ord(char):04X}"
                report.error(grid.span((row, column)), message, "write each cell as one visible character")
                return None
    return grid


def _from_scalar(node: Node, report: Report, what: str) -> Grid | None:
    if not isinstance(node, Scalar):
        found = "`key: value` pairs" if isinstance(node, Mapping) else describe(node)
        report.error(node, f"`{what}` must be a drawing, not {found}", f"write `{what}: |` and the rows below it")
        return None
    if node.style == "|":
        start = node.span.line + 1
        content = node.text.split("\n")
        indent = next((len(report.lines[start + i]) - len(text) for i, text in enumerate(content) if text.strip()), 0)
        rows = tuple(text.rstrip() for text in content)
        return Grid(rows, tuple(Span(start + i, indent) for i in range(len(rows))), True, node)
    if node.style == ">":
        report.error(node, f"`>` joins the rows of `{what}` into one line", f"write `{what}: |`")
        return None
    if node.folded:
        report.error(node, f"YAML joins the rows of `{what}` into one line", f"write `{what}: |` and the rows below it")
        return None
    text = node.text.rstrip()
    if "\n" in text:  # written as an escape
        rows = tuple(row.rstrip() for row in text.split("\n"))
        return Grid(rows, tuple(node.span for _ in rows), False, node)
    exact = _is_exact(node, report)
    return Grid((text,), (_inside(node, exact),), exact, node)


def _from_list(node: Sequence, report: Report, what: str) -> Grid | None:
    rows, origins = [], []
    exact = all(_is_exact(item, report) for item in node.items)
    for item in node.items:
        if not isinstance(item, Scalar) or "\n" in item.text or item.folded:
            found = "several" if isinstance(item, Scalar) else describe(item)
            report.error(
                item,
                f"a row of `{what}` must be one line of text, not {found}",
                f"write `{what}: |` and the rows below it",
            )
        elif item.style is None and not item.text:
            report.error(item, f"an empty row in `{what}`", "put a row that starts with `#` in quotes")
        else:
            rows.append(item.text.rstrip())
            origins.append(_inside(item, exact))
    return Grid(tuple(rows), tuple(origins), exact, node) if len(rows) == len(node.items) else None


def _is_exact(node: Node, report: Report) -> bool:
    """Whether the text of a scalar stands in the file character by character."""
    if not isinstance(node, Scalar) or node.folded or node.span.line >= len(report.lines):
        return False
    quote = node.style or ""
    return report.lines[node.span.line].startswith(f"{quote}{node.text}{quote}", node.span.column)


def _inside(node: Scalar, exact: bool) -> Span:
    """Where the text of a one-line scalar starts, behind its quote."""
    if not exact:
        return node.span
    return Span(node.span.line, node.span.column + len(node.style or ""), max(1, len(node.text)))


def pieces_of(grid: Grid, blank: str) -> dict[str, list[Cell]]:
    """The cells of every letter that is not in `blank`, letters and cells in reading order."""
    pieces: dict[str, list[Cell]] = {}
    for cell, char in grid.cells():
        if char not in blank:
            pieces.setdefault(char, []).append(cell)
    return pieces


def check_rectangle(grid: Grid, report: Report, what: str) -> bool:
    """Record the first space, or rows whose length differs from the most common one. True if there are none."""
    cell = next((cell for cell, char in grid.cells() if char.isspace()), None)
    if cell is not None:
        spaced = all(char.isspace() == (column % 2 == 1) for (_, column), char in grid.cells())
        hint = "write the cells of a row side by side" if spaced else "write `.` for an empty cell, `#` for a wall"
        report.error(grid.span(cell), f"a space in `{what}`", hint)
        return False
    lengths = [len(row) for row in grid.rows]
    usual = max(set(lengths), key=lambda n: (lengths.count(n), n))
    good = True
    for row, length in enumerate(lengths):
        if length != usual:
            good = False
            report.error(
                grid.row_span(row),
                f"row {row + 1} of `{what}` has {counted(length, 'cell')}, the other rows have {usual}",
                "make all rows equally long",
            )
    return good
