"""Expressions as they stand in a file: Python's grammar, parsed by `ast` and never evaluated, with exact places.

An expression is the text of a scalar. `ast` counts lines and bytes within that text; `Source.span` turns them into the
line and column of the file, however the scalar is written (plain, quoted, over several lines).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from ...documents.document import Node, Report, Scalar, Sequence, Span, describe

MAX_LENGTH = 4_000
"""Characters of an expression."""

MAX_DEPTH = 60
"""Expressions within expressions."""

MAX_NUMBER = 10**9

RANGE = re.compile(r"(?<![\w.])(-?\d{1,10})\s*\.\.\s*(-?\d{1,10})(?![\w.])")
"""`1..8`: the numbers from 1 to 8."""

_TOO_LONG = f"this expression is too long; at most {MAX_LENGTH:,} characters are read"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of an expression and where each of its characters stands in the file."""

    text: str
    tree: ast.expr
    places: tuple[tuple[int, int], ...]

    def span(self, node: ast.AST) -> Span:
        """Where a part of the expression stands; the part of its first line, if it has several."""
        start = self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self._offset(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 1))
        return self.between(start, end)

    def between(self, start: int, end: int) -> Span:
        last = len(self.places) - 1
        line, column = self.places[max(0, min(start, last))]
        while end - 1 > start and self.places[min(end - 1, last)][0] != line:
            end -= 1
        stop = self.places[max(0, min(end - 1, last))]
        return Span(line, column, max(1, stop[1] - column + 1))

    def written(self, node: ast.AST) -> str:
        """A part of the expression as it was written."""
        start = self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self._offset(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 1))
        return " ".join(self.text[start:end].split())

    def _offset(self, line: int, column: int) -> int:
        """The place in the text of a line and a column of `ast`, which counts bytes and the bracket put before it."""
        lines = self.text.split("\n")
        before = sum(len(text) + 1 for text in lines[: line - 1])
        if line == 1:
            column -= 1
        inside = lines[min(line, len(lines)) - 1].encode()[: max(0, column)]
        return before + len(inside.decode(errors="ignore"))


def parse(node: Scalar, report: Report, what: str) -> Source | None:
    """The expression of a scalar; None, with the problem recorded, if it is none that can be read."""
    text = node.text
    if not text.strip():
        report.error(node, f"{what} is empty", "write an expression, as `at[x] == left`")
        return None
    if len(text) > MAX_LENGTH:
        report.error(node, _TOO_LONG, "give parts of it a name in `define`")
        return None
    return parse_text(text, _places(node, report), report, what)


def parse_text(text: str, places: tuple[tuple[int, int], ...], report: Report, what: str) -> Source | None:
    """The expression of a text whose characters stand at these places."""
    whole = Source(text, ast.Constant(0), places)
    if (deep := _deep(text)) is not None:
        report.error(
            whole.between(deep, deep + 1), f"{what} is nested too deeply", "give parts of it a name in `define`"
        )
        return None
    if (power := text.find("**")) >= 0:
        report.error(whole.between(power, power + 2), "there is no `**` here", "write a product")
        return None
    # A range has no form in Python; `**` has the same length and no other meaning here.
    readable = RANGE.sub(lambda match: match[0].replace("..", "**"), text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what Python would find odd
            tree = ast.parse(f"({readable}\n)", mode="eval").body
    except SyntaxError as error:
        at, message, hint = _explained(error, whole)
        report.error(at, f"{what}: {message}", hint)
        return None
    except (ValueError, RecursionError, MemoryError):
        report.error(whole.between(0, len(text)), f"{what} cannot be read", "write it in a simpler way")
        return None
    source = Source(text, tree, places)
    if _height(tree) > MAX_DEPTH:
        report.error(whole.between(0, len(text)), f"{what} is nested too deeply", "give parts of it a name in `define`")
        return None
    return source


def _explained(error: SyntaxError, whole: Source) -> tuple[Span, str, str]:
    """Where Python's parser gave up, and what it may be."""
    text = whole.text
    offset = whole._offset(error.lineno or 1, 0) + (error.offset or 1) - (2 if (error.lineno or 1) == 1 else 1)
    offset = max(0, min(offset, len(text.rstrip()) - 1))
    at = whole.between(offset, offset + 1)
    for wrong, right in (("&&", "and"), ("||", "or"), ("!", "not"), ("<>", "!="), ("=>", ">=")):
        place = text.find(wrong)
        if place >= 0 and not text.startswith("!=", place):
            return whole.between(place, place + len(wrong)), f"`{wrong}` is not understood", f"write `{right}`"
    single = re.search(r"(?<![=!<>:])=(?!=)", text)
    if single:
        return whole.between(single.start(), single.end()), "`=` is not a comparison", "write `==`"
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        return at, "a bracket is missing or one too many", "count the brackets"
    return at, "this is not an expression", "write it as in Python: `at[x] == left and not open`"


def _deep(text: str) -> int | None:
    """Where brackets are nested too deeply."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth > MAX_DEPTH:
            return place
    return None


def _height(tree: ast.AST) -> int:
    """The height of a tree, level by level (never by recursion: it may be high)."""
    level, height = [tree], 0
    while level and height <= 4 * MAX_DEPTH:
        level = [
            child for node in level for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)
        ]
        height += 1
    return height


def _places(node: Scalar, report: Report) -> tuple[tuple[int, int], ...]:
    """Where each character of a scalar stands in the file: the text and the file agree but for blanks and quotes."""
    line, column = node.span.line, node.span.column
    if node.style in ("|", ">"):
        line, column = line + 1, 0
    elif node.style:
        column += 1
    lines = report.lines
    places: list[tuple[int, int]] = []
    for char in node.text:
        if not char.isspace():
            at = _next(lines, line, column, char)
            if at is not None:
                line, column = at
        places.append((line, column))
        if not char.isspace() or (line < len(lines) and lines[line][column : column + 1].isspace()):
            column += 1
    return tuple(places) or ((node.span.line, node.span.column),)


def _next(lines: list[str], line: int, column: int, char: str) -> tuple[int, int] | None:
    """The next place of a character, blanks and line ends skipped; None if something else stands there."""
    for number in range(line, min(line + 200, len(lines))):
        rest = lines[number][column if number == line else 0 :]
        stripped = rest.lstrip()
        if stripped:
            start = len(lines[number]) - len(rest) + len(rest) - len(stripped)
            return (number, start) if stripped[0] == char else None
    return None


def sources(node: Node | None, report: Report, what: str) -> Iterator[Source]:
    """The expressions of a scalar or of a list of them."""
    for item in node.items if isinstance(node, Sequence) else (node,) if node is not None else ():
        if not isinstance(item, Scalar):
            hint = "put an expression that begins with a bracket in quotes" if what else ""
            report.error(item, f"{what} must be an expression, not {describe(item)}", hint)
        elif source := parse(item, report, what):
            yield source
