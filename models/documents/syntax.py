"""What the YAML parser says when it gives up, in words that a puzzle author can use."""

from __future__ import annotations

import re

import yaml

from .compose import Composed, Placed
from .nodes import Span, clip
from .traps import EXCERPT, KEY_LINE, Repair, Trap, in_quotes, indent_of, is_key, reserved, stand_in

_TAB = "a tab cannot be used for indentation"


def explain(error: yaml.YAMLError, lines: list[str], composed: Composed) -> Trap:
    """The syntax error at its place, with what to do, and with a repair where one is certain."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return Trap(Span(0, 0), f"not valid YAML: {error}", "save the file as text, in UTF-8")
    problem, context = error.problem or "", error.context or ""
    line, column = _place(error.problem_mark or error.context_mark, lines)
    line0, column0 = _place(error.context_mark or error.problem_mark, lines)
    last = composed.placed[-1] if composed.placed else None
    here = lines[line][column : column + 1]
    opened = lines[line0][column0 : column0 + 1]

    if "tab" in problem or here == "\t":
        return Trap(Span(line, column), _TAB, "use blanks")
    if "cannot start any token" in problem:
        return reserved(lines, line, column)
    if (context.endswith((" alias", " anchor", " tag")) or "tag" in problem) and opened in ("*", "&", "!"):
        return reserved(lines, line0, column0)
    if "directive" in context or "incompatible YAML" in problem:
        if opened and is_key(lines[line0], column0):
            return reserved(lines, line0, column0)
        return Trap(Span(line0, column0), "a line that starts with `%` is a YAML directive", "remove it")
    if context == "while scanning a block scalar":
        return _block_header(lines, line, column, line0, column0)
    if "quoted scalar" in context:
        return _quoted(problem, lines, line, column, line0, column0)
    if "node content" in problem:
        return _no_value(lines, line, column)
    if "flow" in context and opened in ("[", "{"):
        return _brackets(lines, line, column, line0, column0)
    if "mapping values are not allowed" in problem:
        return _colon(lines, line, column, last)
    if "sequence entries are not allowed" in problem:
        return Trap(
            Span(line, column),
            "a list cannot begin in the line of its key",
            "begin it in the next line, or put text that starts with `- ` in quotes",
        )
    if "could not find expected ':'" in problem:
        return _no_colon(lines, line0, column0, last)
    if "expected" in problem:
        return _misplaced(lines, line, column, column0, last)
    return Trap(Span(line, column), f"not valid YAML: {problem}", "check the indentation and the quotes here")


_SUBSCRIPT = re.compile(r"(?<=[\w)\]])\[")


def subscripts(error: yaml.YAMLError, lines: list[str]) -> list[Repair]:
    """What lets YAML read expressions like `at[x]` in braces: `set: {at[x]: left, boat: left}`.

    In brackets and braces YAML ends a plain scalar at `[`. Puzzles may write subscripts there nevertheless; if the
    parser gives up at one, all of them from that line on are read as text. Elsewhere this changes nothing.
    """
    if not isinstance(error, yaml.MarkedYAMLError) or not error.problem_mark:
        return []
    mark = error.problem_mark
    if mark.line >= len(lines) or not _SUBSCRIPT.match(lines[mark.line], mark.column):
        return []
    repairs = []
    for number, line in enumerate(lines[mark.line :], mark.line):
        end = 0
        for match in _SUBSCRIPT.finditer(line):
            if match.start() >= end and (close := _closing(line, match.start())):
                end = close
                inside = enumerate(line[match.start() : end], match.start())
                repairs += [stand_in(number, column, char) for column, char in inside if char in "[]{},"]
    return repairs


def _closing(line: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`; 0 if there is none in the line."""
    depth = 0
    for column in range(start, min(len(line), start + EXCERPT)):
        depth += (line[column] == "[") - (line[column] == "]")
        if depth == 0:
            return column + 1
    return 0


def _place(mark: yaml.Mark | None, lines: list[str]) -> tuple[int, int]:
    """A mark as line and column; at the end of the file, the end of the last line with text."""
    if mark is None:
        return 0, 0
    if mark.line < len(lines) and (lines[mark.line].strip() or mark.column < len(lines[mark.line])):
        return mark.line, mark.column
    last = next((n for n in range(min(mark.line, len(lines)) - 1, -1, -1) if lines[n].strip()), 0)
    return last, len(lines[last].rstrip())


def _text(lines: list[str], line: int) -> Span:
    column = indent_of(lines[line])
    return Span(line, column, max(1, len(lines[line].strip())))


def _block_header(lines: list[str], line: int, column: int, line0: int, column0: int) -> Trap:
    if is_key(lines[line0], column0):
        return reserved(lines, line0, column0)
    sign, key = lines[line0][column0], lines[line0][:column0].strip()
    return Trap(
        Span(line, column, max(1, len(lines[line][column:].rstrip()))),
        f"text cannot stand in the line of the `{sign}`",
        f"write the rows below `{key} {sign}`, indented" if key else f"put text that starts with `{sign}` in quotes",
    )


def _quoted(problem: str, lines: list[str], line: int, column: int, line0: int, column0: int) -> Trap:
    if "escape" in problem:
        return Trap(
            Span(line, column),
            "this `\\` starts an escape that YAML does not know",
            "use single quotes, in which `\\` is a character like others",
        )
    if is_key(lines[line0], column0) and not lines[line0][:column0].strip(" -"):
        return reserved(lines, line0, column0)
    quote = lines[line0][column0]
    return Trap(
        Span(line0, column0, max(1, len(lines[line0].rstrip()) - column0)),
        "the quote that opens here is never closed",
        f"add the closing `{quote}`",
    )


def _no_value(lines: list[str], line: int, column: int) -> Trap:
    """A bracket or comma where a value is expected."""
    key = re.match(r"\s*(?:- +)*(?=[\[\]{},]\s*:(\s|$))", lines[line])
    if key:
        return reserved(lines, line, key.end())
    if lines[line][column : column + 1] in ("]", "}", ","):
        before = lines[line][:column].rstrip()
        if before.endswith((",", "[", "{")):
            return Trap(Span(line, column), "a value is missing here", "write the value, or remove the comma")
        return reserved(lines, line, column)
    return Trap(Span(line, column), "a value is expected here", "check the brackets and quotes")


def _brackets(lines: list[str], line: int, column: int, line0: int, column0: int) -> Trap:
    opened = lines[line0][column0]
    close = {"[": "]", "{": "}"}[opened]
    if line > line0:
        return Trap(
            Span(line0, column0),
            f"the `{opened}` that opens here is not closed before line {line + 1}",
            f"add the `{close}`",
        )
    return Trap(
        Span(line, column),
        f"expected `,` or `{close}` here",
        f"put `,` between two entries, `{close}` behind the last, and text with `: ` or brackets in quotes",
    )


def _colon(lines: list[str], line: int, column: int, last: Placed | None) -> Trap:
    """`key: value: more`, or a key that is indented more than the one above it."""
    if last and last.line < line and not lines[line][: indent_of(lines[line])].strip():
        at = indent_of(lines[line])
        return Trap(
            Span(line, at, max(1, column - at)),
            f"this key is indented more than the key in line {last.line + 1}, which has its value already",
            f"start it in column {last.indent + 1}, like the other keys",
        )
    start = last.column if last and last.line == line else column
    value = in_quotes(lines[line][start:].rstrip())
    return Trap(
        Span(line, column),
        "a second `: ` in this line",
        f"put text that contains `: ` in quotes: write `{value}`",
    )


def _no_colon(lines: list[str], line: int, column: int, last: Placed | None) -> Trap:
    text = lines[line][column:].rstrip()
    glued = re.match(r"([\w-]+):(\S.*)", text)
    if glued:
        return Trap(
            Span(line, column + glued.end(1)),
            "a blank is missing after this `:`",
            f"write `{glued[1]}: {clip(glued[2])}`",
        )
    if last and last.scalar.style in ("|", ">") and last.end_line == line:
        opening = lines[last.line].strip()
        return Trap(
            Span(line, column, max(1, len(text))),
            f"this line is neither a key nor a row of the block in line {last.line + 1}",
            f"indent all rows below `{opening}` by 2 blanks; a key ends with `:`",
        )
    return Trap(
        Span(line, column, max(1, len(text))),
        "a key without its `:`",
        "write `key: value`; rows of text stand indented below `key: |`",
    )


def _misplaced(lines: list[str], line: int, column: int, column0: int, last: Placed | None) -> Trap:
    """Something that stands where the parser expects the next key or item."""
    char = lines[line][column : column + 1]
    indent = indent_of(lines[line])
    if last and last.end_line == line and last.scalar.style in ("'", '"'):
        quote = last.scalar.style
        if last.line < line:
            return Trap(
                Span(last.line, last.column),
                f"the quote that opens here is closed only in line {line + 1}",
                f"add the closing `{quote}` in line {last.line + 1}",
            )
        return Trap(
            Span(line, column),
            "text behind the closing quote",
            "write `''` for an apostrophe inside single quotes" if quote == "'" else "put the quote at the end",
        )
    if char in ("]", "}"):
        return Trap(Span(line, column), f"this `{char}` closes nothing", "remove it")
    if char == ":":
        return Trap(Span(line, column), "the key before this `:` is missing", 'write it: `" ":` for a blank')
    if column > indent:
        return Trap(Span(line, column), "this does not belong here", "put the whole text in quotes")
    if char == "-":
        return Trap(_text(lines, line), "an item of a list among keys", "indent the list below its key")
    if last and last.scalar.style in ("|", ">") and last.end_line <= line and not KEY_LINE.match(lines[line]):
        return Trap(
            _text(lines, line),
            f"this row does not belong to the block in line {last.line + 1}: it is indented less",
            "indent all rows of the block equally",
        )
    if line and lines[line - 1].startswith("..."):
        return Trap(_text(lines, line), "the document ends above this line, with `...`", "remove the `...`")
    if column <= column0:
        return Trap(_text(lines, line), "this line belongs to nothing above it", "start all keys in the same column")
    return Trap(
        _text(lines, line),
        f"this line starts in column {column + 1}, the keys that it could belong to in column {column0 + 1}",
        "start all keys of a mapping in the same column",
    )
