"""The family `n-puzzle`: numbered tiles on a rectangle with one blank (8-puzzle, 15-puzzle, any other).

    start: |        # rows of numbers; `.`, `_` or 0 is the blank
      8 7 6
      . 4 1
      2 5 3
    goal: |         # may be left out: reading order, the blank last
      . 1 2
      3 4 5
      6 7 8

The numbers may also stand in a list of rows, or in one line: `8 7 6 / . 4 1 / 2 5 3`; a line without `/` is a
square. With a goal of its own, a puzzle may use any numbers, also equal ones: equal tiles are
interchangeable.

Solvability is decided by the parity of the permutation (W. W. Johnson and W. E. Story, *Notes on the "15"
puzzle*, 1879): every move is a transposition and moves the blank by one cell. On a board with a single row
or column the tiles can never change their order. A board that passes these tests is solvable.

Metric: `moves` (one tile, one cell). Notation of a step: the number of the tile and where it goes, `8L`.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

from ...cells import DIRECTIONS, Cell, place, rc
from ...documents.document import Document, Node, Report, Scalar, Sequence, Span, describe
from ...documents.fields import Fields
from ...documents.grid import MAX_SIDE, read_grid
from ...documents.header import HEADER_KEYS, read_header
from ...errors import ReplayError, UsageError
from ...plan import Plan, Replay, Step
from ...puzzle import Header, Puzzle
from ...task import MAX_OPERATORS, ExactlyInvariant, GroupKind, Move, Operator, Task, TaskBuilder, operator
from ...text import counted
from . import notation as n_puzzle_plan

BLANK = 0
"""The blank as it is kept in rows."""

BLANKS = (".", "_", "0")
SIGNS = string.digits[1:] + string.ascii_letters
"""One character for each tile, for drawing boards. More tiles get characters of Unicode's private area."""

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class NPuzzle(Puzzle):
    """An n-puzzle: `start` and `goal` as rows of numbers, 0 for the blank."""

    header: Header
    start: Rows
    goal: Rows

    family: ClassVar[str] = "n-puzzle"
    metrics: ClassVar[tuple[str, ...]] = ("moves",)

    def board(self) -> tuple[str, ...]:
        return _draw(self._signs(self.start))

    def goal_text(self) -> tuple[str, ...]:
        return _draw(self._signs(self.goal))

    def labels(self) -> dict[str, str]:
        """The number of each tile by its sign on the board: `1` to `9`, `A` for the tenth, and so on."""
        tiles = sorted(tile for row in self.start for tile in row if tile != BLANK)
        return {_sign(i): str(tile) for i, tile in enumerate(tiles)}

    def _signs(self, rows: Rows) -> dict[Cell, str]:
        """The sign on each cell: a character of its own for every tile, also among equal ones."""
        free: dict[str, list[str]] = {}
        for sign, number in self.labels().items():
            free.setdefault(number, []).append(sign)
        return {cell: free[str(tile)].pop(0) if tile else "." for cell, tile in _cells(rows).items()}

    def keys(self, board: tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
        labels = self.labels()
        width = max(map(len, labels.values()), default=1)
        goal = [[str(tile) if tile else "." for tile in row] for row in self.goal]
        start = [[labels.get(sign, ".") for sign in row] for row in board]
        both = {"start": start, "goal": goal}
        return {key: tuple(" ".join(text.rjust(width) for text in row) for row in rows) for key, rows in both.items()}

    def parse_plan(self, text: str) -> Plan:
        return n_puzzle_plan.parse(self, text)

    def task(self, metric: str) -> Task:
        return _ground(self, metric)

    def replay(self, plan: Plan) -> Replay:
        """Play the plan: each step moves one tile by one cell, into the blank."""
        signs, labels = self._signs(self.start), self.labels()
        steps = []
        for number, move in enumerate(plan.moves, 1):
            if move.path not in DIRECTIONS:
                raise ReplayError(f"move {number}: a tile moves one cell, not {move.path or 'nowhere'}")
            sign = signs.get(move.cell, ".")
            if sign == ".":
                raise ReplayError(f"move {number}: no tile at {place(move.cell)}")
            row, column = DIRECTIONS[move.path]
            target = (move.cell[0] + row, move.cell[1] + column)
            if signs.get(target) != ".":
                raise ReplayError(f"move {number}: {labels[sign]} is blocked at {place(target)}")
            signs[target], signs[move.cell] = sign, "."
            steps.append(Step(f"{labels[sign]}{move.path}", _draw(signs)))
        tiles = {cell: int(labels.get(sign, BLANK)) for cell, sign in signs.items()}
        return Replay(tuple(steps), {"moves": len(steps)}, tiles == _cells(self.goal))

    def unsolvable_because(self) -> str | None:
        """The invariant that start and goal do not share, in a sentence; None if the puzzle can be solved."""
        start, goal = _cells(self.start), _cells(self.goal)
        if len(self.start) == 1 or len(self.start[0]) == 1:
            if [t for t in start.values() if t] == [t for t in goal.values() if t]:
                return None
            line = "row" if len(self.start) == 1 else "column"
            return f"on a single {line} the tiles never change their order, and start and goal differ in it"
        if max(Counter(start.values()).values()) > 1:
            return None  # two equal tiles make either parity possible
        where = {tile: cell for cell, tile in goal.items()}
        tiles = "odd" if _odd([where[tile] for tile in start.values()]) else "even"
        blank = next(cell for cell, tile in start.items() if tile == BLANK)
        distance = abs(blank[0] - where[BLANK][0]) + abs(blank[1] - where[BLANK][1])
        if (tiles == "odd") == bool(distance % 2):
            return None
        return (
            f"permutation parity: start and goal differ by an {tiles} permutation of tiles and blank, "
            f"but the blank needs an {'odd' if distance % 2 else 'even'} number of moves to its place"
        )


def _cells(rows: Rows) -> dict[Cell, int]:
    """The tile on each cell, in reading order."""
    return {(r, c): tile for r, row in enumerate(rows) for c, tile in enumerate(row)}


def _sign(i: int) -> str:
    """A character for the tile number i, counted from 0."""
    return SIGNS[i] if i < len(SIGNS) else chr(0xE000 + i)


def _draw(signs: dict[Cell, str]) -> tuple[str, ...]:
    height = max(row for row, _ in signs) + 1
    return tuple("".join(sign for (row, _), sign in signs.items() if row == r) for r in range(height))


def _odd(cells: list[Cell]) -> bool:
    """Whether a permutation, given as the images of its sorted domain, is odd: by its cycles."""
    image = dict(zip(sorted(cells), cells, strict=True))
    odd = False
    while image:
        first, here = image.popitem()
        while here != first:
            here = image.pop(here)
            odd = not odd
    return odd


# Grounding


def _ground(puzzle: NPuzzle, metric: str) -> Task:
    """Facts: each tile (or one of n equal ones) at each cell, and each cell free."""
    start, goal = _cells(puzzle.start), _cells(puzzle.goal)
    counts = Counter(tile for tile in start.values() if tile)
    edges = [
        (cell, letter, (cell[0] + row, cell[1] + column))
        for cell in start
        for letter, (row, column) in DIRECTIONS.items()
        if (cell[0] + row, cell[1] + column) in start
    ]
    if len(counts) * len(edges) > MAX_OPERATORS:
        raise UsageError(
            f"{puzzle.header.file}: {len(puzzle.start)} by {len(puzzle.start[0])} cells are too many: "
            f"{len(counts) * len(edges):,} operators, at most {MAX_OPERATORS:,} are made"
        )
    builder = TaskBuilder()
    at = {(tile, cell): builder.fact(f"{tile} at {rc(cell)}") for tile in sorted(counts) for cell in start}
    free = {cell: builder.fact(f"free {rc(cell)}") for cell in start}
    groups = [
        ExactlyInvariant(f"tile {tile}", GroupKind.OBJECT, tuple(at[tile, cell] for cell in start), count)
        for tile, count in sorted(counts.items())
    ]
    groups += [
        ExactlyInvariant(f"cell {rc(cell)}", GroupKind.CELL, (*(at[tile, cell] for tile in sorted(counts)), free[cell]))
        for cell in start
    ]
    groups.append(ExactlyInvariant("blank", GroupKind.OBJECT, tuple(free.values())))
    operators: list[Operator] = [
        operator(
            f"{tile}{letter} from {rc(here)}",
            pre=(at[tile, here], free[there]),
            add=(at[tile, there], free[here]),
            delete=(at[tile, here], free[there]),
            move=Move(here, letter),
        )
        for tile in sorted(counts)
        for here, letter, there in edges
    ]
    return Task(
        name=puzzle.header.name,
        facts=builder.names,
        groups=tuple(groups),
        operators=tuple(operators),
        init=tuple(sorted(at[tile, cell] if tile else free[cell] for cell, tile in start.items())),
        goal=tuple((at[tile, cell] if tile else free[cell],) for cell, tile in goal.items()),
        metric=(metric,),
        unsolvable_because=puzzle.unsolvable_because(),
    )


# Reading

Token = tuple[str, Span]
"""A number as written, and where."""


def read(document: Document) -> NPuzzle:
    """Read an `n-puzzle` document. Raises `PuzzleError` with all problems of the file."""
    report = document.report
    fields = Fields(document.root, report, (*HEADER_KEYS, "start", "goal"))
    header = read_header(document, fields, NPuzzle.metrics)
    start = _read_rows(fields.node("start", required=True, example="start: |"), "start", report)
    node = fields.node("goal")
    goal = _read_rows(node, "goal", report)
    if start and goal:
        _compare(start, goal, report)
    elif start and node is None:
        _check_sequence(start, report)
    report.raise_if_any()
    assert start
    rows = _numbers(start)
    return NPuzzle(header, rows, _numbers(goal) if goal else _reading_order(len(rows), len(rows[0])))


def _numbers(rows: list[list[Token]]) -> Rows:
    return tuple(tuple(_number(text) for text, _ in row) for row in rows)


def _number(text: str) -> int:
    return BLANK if text in BLANKS else int(text)


def _reading_order(height: int, width: int) -> Rows:
    size = height * width
    return tuple(tuple((r * width + c + 1) % size for c in range(width)) for r in range(height))


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
            report.error(
                at,
                f"row {number} of `{key}` has {counted(len(row), 'number')}, the other rows have {width}",
                "make all rows equally long",
            )
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
        if not _is_compact(texts) and all(len(_split(text)) < 2 for text in texts):
            return _square(_items(node, key, report), node, key, report)
    elif isinstance(node, Scalar) and node.style not in ("|", ">") and "\n" not in node.text.strip():
        return _line(node, key, report)
    grid = read_grid(node, report, key)
    if grid is None:
        return []
    compact = _is_compact(grid.rows)
    rows = [
        [(text, grid.span((r, column), len(text))) for column, text in _split(row, compact)]
        for r, row in enumerate(grid.rows)
    ]
    return _square(rows[0], node, key, report) if compact and len(rows) == 1 else rows


def _is_compact(rows: Iterable[str]) -> bool:
    """Whether rows are written with nothing between the numbers, one character each: `876`, `.41`, `253`."""
    words = [[word for _, word in _split(row)] for row in rows]
    lengths = {len(row[0]) if len(row) == 1 else 1 for row in words}
    return len(lengths) == 1 and lengths != {1}


def _split(text: str, compact: bool = False) -> list[tuple[int, str]]:
    """The numbers of a row (between blanks, commas, `|`) with their columns; `compact`: one a character."""
    found = [(match.start(), match.group()) for match in re.finditer(r"[^\s,|]+", text)]
    return [(column + i, char) for column, word in found for i, char in enumerate(word)] if compact else found


def _line(node: Scalar, key: str, report: Report) -> list[list[Token]]:
    """Numbers in one line: rows separated by `/`, or a square."""
    quotes = len(node.style or "")
    exact = node.span.width == len(node.text) + 2 * quotes

    def token(column: int, text: str) -> Token:
        at = node.span
        return text, Span(at.line, at.column + quotes + column, len(text)) if exact else at

    parts, start = [], 0
    for part in node.text.split("/"):
        parts.append([token(start + column, text) for column, text in _split(part)])
        start += len(part) + 1
    if len(parts) > 1:
        return parts
    if len(parts[0]) == 1:
        return _square([token(*found) for found in _split(node.text, compact=True)], node, key, report)
    return _square(parts[0], node, key, report)


def _items(node: Sequence, key: str, report: Report) -> list[Token]:
    for item in node.items:
        if not isinstance(item, Scalar):
            report.error(item, f"a row of `{key}` holds numbers, not {describe(item)}")
    return [(item.text.strip(), item.span) for item in node.items if isinstance(item, Scalar)]


def _square(tokens: list[Token], node: Node, key: str, report: Report) -> list[list[Token]]:
    side = isqrt(len(tokens))
    if side * side != len(tokens) or not tokens:
        report.error(
            node,
            f"`{key}` has {len(tokens)} numbers in one line, which are not a square",
            f"write `{key}: |` and the rows below it, or put `/` between the rows",
        )
        return []
    return [tokens[i : i + side] for i in range(0, len(tokens), side)]


def _compare(start: list[list[Token]], goal: list[list[Token]], report: Report) -> None:
    """Record where start and goal do not have the same size and the same tiles."""
    if (len(start), len(start[0])) != (len(goal), len(goal[0])):
        report.error(
            goal[0][0][1],
            f"`goal` has {counted(len(goal), 'row')} of {len(goal[0])}, "
            f"`start` has {counted(len(start), 'row')} of {len(start[0])}",
        )
        return
    for rows, key, others, other in ((start, "start", goal, "goal"), (goal, "goal", start, "start")):
        left = Counter(_number(text) for row in others for text, _ in row)
        for text, span in (token for row in rows for token in row):
            left[_number(text)] -= 1
            if left[_number(text)] < 0:
                times = sum(_number(t) == _number(text) for row in others for t, _ in row)
                how = f"stands in `{key}` more often than in `{other}`" if times else f"is not in `{other}`"
                report.error(span, f"tile {_number(text)} {how}", "start and goal must have the same tiles")


def _check_sequence(start: list[list[Token]], report: Report) -> None:
    """Record tiles that a puzzle with the goal in reading order cannot have: not 1 to n, or twice."""
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
