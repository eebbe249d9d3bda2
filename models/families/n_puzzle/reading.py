"""N-puzzles in files: reading rows of numbers, and what can be wrong with them; writing.

    start: |        # rows of numbers; `.`, `_` or 0 is the blank
      8 7 6
      . 4 1
      2 5 3
    goal: |         # may be left out: reading order, the blank last
      . 1 2
      3 4 5
      6 7 8

The numbers may also stand in a list of rows, or in one line: `8 7 6 / . 4 1 / 2 5 3`; a line without `/` is a
square. With a goal of its own, a puzzle may use any numbers, also equal ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from math import isqrt
from pathlib import Path

from ...cells import Rows
from ...documents.compose import Node, Scalar, Sequence, Span, describe
from ...documents.document import Report
from ...documents.fields import MAX_SIDE, Fields, Header, read_grid, read_keys
from ...family import Keys
from ...text import counted
from .rules import BLANK, NPuzzle, Tiles

BLANKS = (".", "_", "0")

Token = tuple[str, Span]
"""A number as written, and where."""


KEYS = read_keys(Path(__file__).parent)


def read(fields: Fields, header: Header) -> tuple[Header, NPuzzle]:
    """Read an `n-puzzle` document. Raises `PuzzleError` with all problems of the file."""
    report = fields.report
    start = _read_rows(fields.node("start", required=True, example="start: |"), "start", report)
    node = fields.node("goal")
    goal = _read_rows(node, "goal", report)
    if start and goal:
        _compare(start, goal, report)
    elif start and node is None:
        _check_sequence(start, report)
    report.raise_if_any()
    assert start
    tiles = _numbers(start)
    return header, NPuzzle(tiles, _numbers(goal) if goal else in_order(len(tiles), len(tiles[0])))


def in_order(height: int, width: int) -> Tiles:
    """The tiles in reading order, the blank last."""
    size = height * width
    return tuple(tuple((first + column + 1) % size for column in range(width)) for first in range(0, size, width))


def write(puzzle: NPuzzle, board: Rows) -> Keys:
    """The keys of the file of the puzzle that starts at a position, numbers in columns."""
    labels = puzzle.labels()
    width = max(map(len, labels.values()), default=1)
    goal = [[str(tile) if tile else "." for tile in row] for row in puzzle.goal]
    start = [[labels.get(sign, ".") for sign in row] for row in board]
    both = {"start": start, "goal": goal}
    return {key: tuple(" ".join(text.rjust(width) for text in row) for row in rows) for key, rows in both.items()}


def _numbers(rows: list[list[Token]]) -> Tiles:
    return tuple(tuple(_number(text) for text, _ in row) for row in rows)


def _number(text: str) -> int:
    return BLANK if text in BLANKS else int(text)


def _read_rows(node: Node | None, key: str, report: Report) -> list[list[Token]] | None:
    """The tokens of a rectangle of numbers with one blank; None, with what is wrong recorded, if not."""
    rows = _rows(node, key, report) if node is not None else []
    if node is None or not rows:
        return None
    good = True
    lengths = [len(row) for row in rows]
    width = max(lengths, key=lambda n: (lengths.count(n), n))
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            at = row[0][1] if row else node
            message = f"row {number} of `{key}` has {counted(len(row), 'number')}, the other rows have {width}"
            report.error(at, message, "make all rows equally long")
            good = False
    tokens = [token for row in rows for token in row]
    for text, span in tokens:
        if text not in BLANKS and not re.fullmatch("[0-9]{1,9}", text):
            report.error(span, f"`{text[:40]}` is not the number of a tile", "write whole numbers, `.` for the blank")
            good = False
    if not good:
        return None
    blanks = [span for text, span in tokens if _number(text) == BLANK]
    if not blanks:
        report.error(node, f"no blank in `{key}`", "write `.` for the blank")
    for span in blanks[1:]:
        report.error(span, f"a second blank in `{key}` (the first in line {blanks[0].line + 1})", "keep one blank")
    if len(tokens) == 1:
        report.error(node, f"`{key}` has a single cell", "write rows of numbers with one blank, `.`")
    if max(len(rows), width) > MAX_SIDE:
        size = f"{counted(len(rows), 'row')} by {counted(width, 'column')}"
        report.error(node, f"`{key}` is {size}; at most {MAX_SIDE} each are allowed")
    return rows if len(blanks) == 1 < len(tokens) else None


def _rows(node: Node, key: str, report: Report) -> list[list[Token]]:
    """The rows of tokens of a block of lines, a list, or one line; empty, with what is wrong recorded."""
    if isinstance(node, Sequence) and node.items:
        if any(isinstance(item, Sequence) for item in node.items):
            for item in node.items:
                if not isinstance(item, Sequence):
                    report.error(item, f"a row of `{key}` is a list of numbers, not {describe(item)}")
            return [_items(item, key, report) for item in node.items if isinstance(item, Sequence)]
        texts = [item.text for item in node.items if isinstance(item, Scalar)]
        if not is_compact(texts) and all(len(split(text)) < 2 for text in texts):
            return _square(_items(node, key, report), node, key, report)
    elif isinstance(node, Scalar) and node.style not in ("|", ">") and "\n" not in node.text.strip():
        return _line(node, key, report)
    grid = read_grid(node, report, key)
    if grid is None:
        return []
    compact = is_compact(grid.rows)
    rows = [
        [(text, grid.span((r, column), len(text))) for column, text in split(row, compact)]
        for r, row in enumerate(grid.rows)
    ]
    return _square(rows[0], node, key, report) if compact and len(rows) == 1 else rows


def is_compact(rows: Iterable[str]) -> bool:
    """Whether rows are written without blanks, one character for each number: `876`, `.41`, `253`."""
    words = [[word for _, word in split(row)] for row in rows]
    lengths = {len(row[0]) if len(row) == 1 else 1 for row in words}
    return len(lengths) == 1 and lengths != {1}


def split(text: str, compact: bool = False) -> list[tuple[int, str]]:
    """The numbers of a row (between blanks, commas, `|`) with their columns; `compact`: each character is a number."""
    words = [(match.start(), match.group()) for match in re.finditer(r"[^\s,|]+", text)]
    return [(column + i, char) for column, word in words for i, char in enumerate(word)] if compact else words


def _line(node: Scalar, key: str, report: Report) -> list[list[Token]]:
    """Numbers in one line: rows separated by `/`, or a square."""
    quotes = len(node.style or "")
    exact = node.span.width == len(node.text) + 2 * quotes

    def token(column: int, text: str) -> Token:
        at = node.span
        return text, Span(at.line, at.column + quotes + column, len(text)) if exact else at

    parts, start = [], 0
    for part in node.text.split("/"):
        parts.append([token(start + column, text) for column, text in split(part)])
        start += len(part) + 1
    if len(parts) > 1:
        return parts
    if len(parts[0]) == 1:
        return _square([token(*word) for word in split(node.text, compact=True)], node, key, report)
    return _square(parts[0], node, key, report)


def _items(node: Sequence, key: str, report: Report) -> list[Token]:
    for item in node.items:
        if not isinstance(item, Scalar):
            report.error(item, f"a row of `{key}` holds numbers, not {describe(item)}")
    return [(item.text.strip(), item.span) for item in node.items if isinstance(item, Scalar)]


def _square(tokens: list[Token], node: Node, key: str, report: Report) -> list[list[Token]]:
    side = isqrt(len(tokens))
    if side * side != len(tokens) or not tokens:
        message = f"`{key}` has {len(tokens)} numbers in one line, which are not a square"
        report.error(node, message, f"write `{key}: |` and the rows below it, or put `/` between the rows")
        return []
    return [tokens[i : i + side] for i in range(0, len(tokens), side)]


def _compare(start: list[list[Token]], goal: list[list[Token]], report: Report) -> None:
    """Report differences between start and goal: another size, or other tiles."""
    if (len(start), len(start[0])) != (len(goal), len(goal[0])):
        report.error(
            goal[0][0][1],
            f"`goal` has {counted(len(goal), 'row')} of {len(goal[0])}, "
            f"`start` has {counted(len(start), 'row')} of {len(start[0])}",
        )
        return
    for rows, key, others, other in ((start, "start", goal, "goal"), (goal, "goal", start, "start")):
        unmatched = Counter(_number(text) for row in others for text, _ in row)
        for text, span in (token for row in rows for token in row):
            unmatched[_number(text)] -= 1
            if unmatched[_number(text)] < 0:
                times = sum(_number(t) == _number(text) for row in others for t, _ in row)
                how = f"stands in `{key}` more often than in `{other}`" if times else f"is not in `{other}`"
                report.error(span, f"tile {_number(text)} {how}", "start and goal must have the same tiles")


def _check_sequence(start: list[list[Token]], report: Report) -> None:
    """Report tiles other than 1 to n, each once: a puzzle without a `goal`, whose tiles end in order, needs exactly
    these.
    """
    last = sum(map(len, start)) - 1
    seen: dict[int, Span] = {}
    wrong: list[tuple[str, Span]] = []
    for text, span in (token for row in start for token in row):
        tile = _number(text)
        if tile > last:
            wrong.append((f"tile {tile} is not one of 1 to {last}", span))
        elif tile in seen:
            first = seen[tile]
            wrong.append((f"tile {tile} stands here a second time (first in line {first.line + 1})", span))
        else:
            seen[tile] = span
    missing = ", ".join(str(tile) for tile in range(1, last + 1) if tile not in seen)
    for message, span in wrong:
        report.error(span, message, f"missing: {missing}; or give the puzzle a `goal` with the same tiles")
