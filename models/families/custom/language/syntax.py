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

from ....documents.compose import Node, Scalar, Sequence, Span, describe
from ....documents.document import Report

MAX_LENGTH = 4_000
"""The most characters of an expression."""

MAX_DEPTH = 60
"""The most levels of nested expressions."""

RANGE = re.compile(r"(?<![\w.])(-?\d{1,10})\s*\.\.\s*(-?\d{1,10})(?![\w.])")
"""`1..8`: the numbers from 1 to 8."""

_OTHER_LANGUAGES = {
    "&&": "and",
    "||": "or",
    "!==": "!=",
    "===": "==",
    "!": "not",
    "<>": "!=",
    "->": "not a or b",
    "implies": "not a or b",
    "=>": ">=",
}
"""What other languages write, and what is written here."""

_IN_PARTS = "give parts of it a name in `define`"
_TOO_LONG = f"this expression is too long; at most {MAX_LENGTH:,} characters are read"


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The text of an expression and where each of its characters stands in the file."""

    text: str
    tree: ast.expr
    places: tuple[tuple[int, int], ...]

    def span(self, node: ast.AST) -> Span:
        """Where a part of the expression stands; the part of its first line, if it has several."""
        return self.between(*self._ends(node))

    def between(self, start: int, end: int) -> Span:
        last = len(self.places) - 1
        line, column = self.places[max(0, min(start, last))]
        while end - 1 > start and self.places[min(end - 1, last)][0] != line:
            end -= 1
        stop = self.places[max(0, min(end - 1, last))]
        return Span(line, column, max(1, stop[1] - column + 1))

    def written(self, node: ast.AST) -> str:
        """A part of the expression as it was written."""
        return " ".join(self.text[slice(*self._ends(node))].split())

    def behind(self, node: ast.expr) -> str:
        """The text after a part of the expression, up to the end or to the closing bracket around it."""
        text = self.text[self._offset(node.end_lineno or 1, node.end_col_offset or 1) :]
        depth = 0
        for place, char in enumerate(text):
            depth += (char in "([{") - (char in ")]}")
            if depth < 0:
                text = text[:place]
                break
        return " ".join(text.split())

    def _ends(self, node: ast.AST) -> tuple[int, int]:
        """The indices in the text where a part begins, and behind its end."""
        start = self._offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        return start, self._offset(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 1))

    def _offset(self, line: int, column: int) -> int:
        """The index in the text of a line and column of `ast`, whose columns count bytes and an added bracket."""
        lines = self.text.split("\n")
        before = sum(len(text) + 1 for text in lines[: line - 1])
        if line == 1:
            column -= 1
        inside = lines[min(line, len(lines)) - 1].encode()[: max(0, column)]
        return before + len(inside.decode(errors="ignore"))


def parse(node: Scalar, report: Report, what: str) -> Source | None:
    """The expression of a scalar; None, with the problem recorded, if it cannot be read."""
    text = node.text
    if not text.strip():
        report.error(node, f"{what} is empty", "write an expression, as `at[x] == left`")
        return None
    if len(text) > MAX_LENGTH:
        report.error(node, _TOO_LONG, _IN_PARTS)
        return None
    return parse_text(text, places_of(node, report), report, what)


def parse_text(text: str, places: tuple[tuple[int, int], ...], report: Report, what: str) -> Source | None:
    """The expression of a text whose characters stand at these places."""
    whole = Source(text, ast.Constant(0), places)
    if len(text) > MAX_LENGTH:
        report.error(whole.between(0, len(text)), _TOO_LONG, _IN_PARTS)
        return None
    if (deep := _deep(text)) is not None:
        report.error(whole.between(deep, deep + 1), f"{what} is nested too deeply", _IN_PARTS)
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
    if height_of(tree) > MAX_DEPTH:
        report.error(whole.between(0, len(text)), f"{what} is nested too deeply", _IN_PARTS)
        return None
    return source


def _explained(error: SyntaxError, whole: Source) -> tuple[Span, str, str]:
    """The place and the likely cause of a syntax error that Python's parser reports."""
    text = whole.text
    offset = whole._offset(error.lineno or 1, 0) + (error.offset or 1) - (2 if (error.lineno or 1) == 1 else 1)
    offset = max(0, min(offset, len(text.rstrip()) - 1))
    at = whole.between(offset, offset + 1)
    for wrong, right in _OTHER_LANGUAGES.items():
        place = text.find(wrong)
        if place >= 0 and (len(wrong) > 1 or not text.startswith("!=", place)):
            return whole.between(place, place + len(wrong)), f"`{wrong}` is not understood", f"write `{right}`"
    single = re.search(r"(?<![=!<>:])=(?!=)", text)
    if single:
        return whole.between(single.start(), single.end()), "`=` is not a comparison", "write `==`"
    if error.msg.startswith("expected 'else'"):
        return at, "an `if` without its `else`", "say the value in the other case too, as `n + 1 if open else n`"
    if "parenthesized" in error.msg:
        return at, "a loop beside another argument stands in brackets", "write `first((x for x in T if ...), y)`"
    if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
        return at, "a bracket is missing or one too many", "count the brackets"
    return at, "this is not an expression", "write it as in Python: `at[x] == left and not open`"


def _deep(text: str) -> int | None:
    """The place where brackets are nested too deeply; None if they are not."""
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth > MAX_DEPTH:
            return place
    return None


def height_of(tree: ast.AST) -> int:
    """The height of a tree, level by level (never by recursion: it may be high)."""
    level, height = [tree], 0
    while level and height <= 4 * MAX_DEPTH:
        level = [
            child for node in level for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)
        ]
        height += 1
    return height


def places_of(node: Scalar, report: Report) -> tuple[tuple[int, int], ...]:
    """Where each character of a scalar stands in the file: the text and the file agree but for blanks and quotes.

    Each character of the file is looked at once.
    """
    line, column = node.span.line, node.span.column
    if node.style in ("|", ">"):
        line, column = line + 1, 0
    elif node.style:
        column += 1
    lines = report.lines
    written = _written(lines, line, column)
    ahead = next(written, None)
    places: list[tuple[int, int]] = []
    for char in node.text:
        if not char.isspace():
            while ahead is not None and ahead < (line, column):
                ahead = next(written, None)
            if ahead is not None and lines[ahead[0]][ahead[1]] == char:
                line, column = ahead
        places.append((line, column))
        if not char.isspace() or (line < len(lines) and lines[line][column : column + 1].isspace()):
            column += 1
    return tuple(places) or ((node.span.line, node.span.column),)


_NOT_BLANK = re.compile(r"\S")


def _written(lines: list[str], line: int, column: int) -> Iterator[tuple[int, int]]:
    """The places of all characters that are not blank, starting at a place."""
    for number in range(line, len(lines)):
        for match in _NOT_BLANK.finditer(lines[number], column if number == line else 0):
            yield number, match.start()


def sources(node: Node | None, report: Report, what: str) -> Iterator[Source]:
    """The expressions of a scalar or of a list of them."""
    for item in node.items if isinstance(node, Sequence) else (node,) if node is not None else ():
        if not isinstance(item, Scalar):
            hint = "put an expression that begins with a bracket in quotes" if what else ""
            report.error(item, f"{what} must be an expression, not {describe(item)}", hint)
        elif source := parse(item, report, what):
            yield source
