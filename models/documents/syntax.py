"""What the YAML parser says when it gives up, in words that a puzzle author can use.

`RULES` are tried in order: the first whose pattern is found in the parser's own message explains it. The patterns match
the messages of both of PyYAML's parsers, libyaml's and the one in Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from ..text import clip
from .compose import Composed, Placed, Span
from .traps import KEY_LINE, Trap, in_quotes, indent_of, is_key, quote_in_brackets, reserved, stand_ins, text_span


@dataclass(frozen=True, slots=True)
class Stop:
    """Where the parser gave up: `at` is the place that it complains of, `began` where what it read there had begun.

    `text`: the line of the place; `char`: the character there (none behind the end of the line); `opened`: the
    character at `began`; `last`: the last scalar before.
    """

    lines: list[str]
    at: Span
    began: Span
    text: str
    char: str
    opened: str
    last: Placed | None

    def quote_it(self) -> Trap:
        """The repair that puts in quotes the text at which the parser began."""
        return reserved(self.lines, self.began.line, self.began.column)

    def to_end(self, place: Span) -> Span:
        """The span from a place to the end of its line."""
        return Span(place.line, place.column, max(1, len(self.lines[place.line].rstrip()) - place.column))


def explain(error: yaml.YAMLError, lines: list[str], composed: Composed) -> Trap:
    """The syntax error at its place, with what to do, and with a repair where one is certain."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return Trap(Span(0, 0), f"not valid YAML: {error}", "save the file as text, in UTF-8")
    at = _place(error.problem_mark or error.context_mark, lines)
    began = _place(error.context_mark or error.problem_mark, lines)
    char, opened = (lines[place.line][place.column : place.column + 1] for place in (at, began))
    last = composed.placed[-1] if composed.placed else None
    stop = Stop(lines, at, began, lines[at.line], char, opened, last)
    why = f"{error.context or ''}; {error.problem or ''}" + ("tab" if char == "\t" else "")
    for pattern, rule in RULES:
        if re.search(pattern, why) and (trap := rule(stop)):
            return trap
    return Trap(at, f"not valid YAML: {error.problem or ''}", "check the indentation and the quotes here")


def _place(mark: yaml.Mark | None, lines: list[str]) -> Span:
    """The place of a mark; at the end of the file, the end of the last line with text."""
    if mark is None:
        return Span(0, 0)
    if mark.line < len(lines) and (lines[mark.line].strip() or mark.column < len(lines[mark.line])):
        return Span(mark.line, mark.column)
    last = next((n for n in range(min(mark.line, len(lines)) - 1, -1, -1) if lines[n].strip()), 0)
    return Span(last, len(lines[last].rstrip()))


def _mark(stop: Stop) -> Trap | None:
    return stop.quote_it() if stop.opened in ("*", "&", "!") else None


def _directive(stop: Stop) -> Trap:
    if stop.opened and is_key(stop.lines[stop.began.line], stop.began.column):
        return stop.quote_it()
    return Trap(stop.began, "a line that starts with `%` is a YAML directive", "remove it")


def _block_header(stop: Stop) -> Trap:
    header, sign = stop.lines[stop.began.line], stop.opened
    if is_key(header, stop.began.column):
        return stop.quote_it()
    key = header[: stop.began.column].strip()
    hint = f"write the rows below `{key} {sign}`, indented" if key else f"put text that starts with `{sign}` in quotes"
    return Trap(stop.to_end(stop.at), f"text cannot stand in the line of the `{sign}`", hint)


def _unclosed_quote(stop: Stop) -> Trap:
    line = stop.lines[stop.began.line]
    if is_key(line, stop.began.column) and not line[: stop.began.column].strip(" -"):
        return stop.quote_it()
    hint = f"add the closing `{stop.opened}`"
    return Trap(stop.to_end(stop.began), "the quote that opens here is never closed", hint)


def _no_value(stop: Stop) -> Trap:
    """What to do where a value is expected and a bracket, a comma or the end of the file is found."""
    key = re.match(r"\s*(?:- +)*(?=[\[\]{},]\s*:(\s|$))", stop.text)
    if key:
        return reserved(stop.lines, stop.at.line, key.end())
    if not stop.char:
        return Trap(stop.at, "the file ends where a value is expected", "write the value, and close the bracket")
    if stop.char not in ("]", "}", ","):
        return Trap(stop.at, "a value is expected here", "check the brackets and quotes")
    if stop.text[: stop.at.column].rstrip().endswith((",", "[", "{")):
        return Trap(stop.at, "a value is missing here", "write the value, or remove the comma")
    return reserved(stop.lines, stop.at.line, stop.at.column)


def _bracket(stop: Stop) -> Trap | None:
    close = {"[": "]", "{": "}"}.get(stop.opened)
    if not close:
        return None
    if stop.at.line > stop.began.line:
        message = f"the `{stop.opened}` that opens here is not closed before line {stop.at.line + 1}"
        return Trap(stop.began, message, f"add the `{close}`")
    last = stop.last
    ended = last is not None and (last.end_line, last.end_column) == (stop.at.line, stop.at.column)
    if last and ended and last.flow and not last.scalar.style and stop.char in ("[", "{"):
        trap = quote_in_brackets(stop.lines, last, f"in brackets and braces YAML ends this text at its `{stop.char}`")
        if trap is not None:
            return trap
    hint = f"put `,` between two entries, `{close}` behind the last, and text with `: ` or brackets in quotes"
    return Trap(stop.at, f"expected `,` or `{close}` here", hint)


_NO_COLON = "a key without its `:`", "write `key: value`; rows of text stand indented below `key: |`"


def _second_colon(stop: Stop) -> Trap:
    """`key: value: more`, or a key that is indented more than the one above it."""
    last, indent = stop.last, indent_of(stop.text)
    if last and last.line < stop.at.line:
        line = stop.lines[last.line]
        if last.role == "item" or (last.column == indent and re.fullmatch(r"[^:#]+", line)):
            assigned = re.fullmatch(r"\s*([^=]+?)\s*([+-]?)=\s*([^=]+)", line.rstrip())
            hint = _NO_COLON[1]
            if assigned:
                place, sign, added = assigned.groups()
                hint = f"write `{place}: {f'{place} {sign} {added}' if sign else added}`"
            return Trap(stop.to_end(Span(last.line, last.column)), _NO_COLON[0], hint)
        at = Span(stop.at.line, indent, max(1, stop.at.column - indent))
        message = f"this key is indented more than the key in line {last.line + 1}, which has its value already"
        return Trap(at, message, f"start it in column {last.indent + 1}, like the other keys")
    start = last.column if last else stop.at.column
    value = stop.text[start:].rstrip()
    hint = f"put text that contains `: ` in quotes: write `{in_quotes(value)}`"
    return Trap(stop.at, "a second `: ` in this line", hint, stand_ins(stop.at.line, start, value, ":"))


def _no_colon(stop: Stop) -> Trap:
    at, last = stop.began, stop.last
    glued = re.match(r"([\w-]+):(\S.*)", stop.lines[at.line][at.column :].rstrip())
    if glued:
        place = Span(at.line, at.column + glued.end(1))
        return Trap(place, "a space is missing after this `:`", f"write `{glued[1]}: {clip(glued[2])}`")
    if last and last.scalar.style in ("|", ">") and last.end_line == at.line:
        message = f"this line is neither a key nor a row of the block in line {last.line + 1}"
        hint = f"indent all rows below `{stop.lines[last.line].strip()}` by 2 spaces; a key ends with `:`"
    else:
        message, hint = _NO_COLON
    return Trap(stop.to_end(at), message, hint)


def _behind_quote(stop: Stop) -> Trap | None:
    """Text behind a quote that closes in this line."""
    last = stop.last
    if not last or last.end_line != stop.at.line or last.scalar.style not in ("'", '"'):
        return None
    quote = last.scalar.style
    if last.line < stop.at.line:
        message = f"the quote that opens here is closed only in line {stop.at.line + 1}"
        return Trap(Span(last.line, last.column), message, f"add the closing `{quote}` in line {last.line + 1}")
    hint = "write `''` for an apostrophe inside single quotes" if quote == "'" else "put the quote at the end"
    return Trap(stop.at, "text behind the closing quote", hint)


def _misplaced(stop: Stop) -> Trap:
    """What to do about a line or character that stands where the parser expects the next key or item."""
    last, at, line = stop.last, stop.at, text_span(stop.lines, stop.at.line)
    if stop.char in ("]", "}"):
        return Trap(at, f"this `{stop.char}` closes nothing", "remove it")
    if stop.char == ":":
        return Trap(at, "the key before this `:` is missing", 'write it: `" ":` for a space')
    if at.column > line.column:
        return Trap(at, "this does not belong here", "put the whole text in quotes")
    if stop.char == "-":
        return Trap(line, "an item of a list among keys", "indent the list below its key")
    if last and last.scalar.style in ("|", ">") and last.end_line <= at.line and not KEY_LINE.match(stop.text):
        message = f"this row does not belong to the block in line {last.line + 1}: it is indented less"
        return Trap(line, message, "indent all rows of the block equally")
    if at.line and stop.lines[at.line - 1].startswith("..."):
        return Trap(line, "the document ends above this line, with `...`", "remove the `...`")
    if at.column <= stop.began.column:
        return Trap(line, "this line belongs to nothing above it", "start all keys in the same column")
    columns = f"column {at.column + 1}, the keys that it could belong to in column {stop.began.column + 1}"
    return Trap(line, f"this line starts in {columns}", "start all keys of a mapping in the same column")


def _always(message: str, hint: str) -> Callable[[Stop], Trap]:
    return lambda stop: Trap(stop.at, message, hint)


_ESCAPE = "use single quotes, in which `\\` is a character like others"
_LIST = "begin it in the next line, or put text that starts with `- ` in quotes"

RULES: tuple[tuple[str, Callable[[Stop], Trap | None]], ...] = (
    (";.*tab", _always("a tab cannot be used for indentation", "use spaces")),
    (";.*cannot start any token", lambda stop: reserved(stop.lines, stop.at.line, stop.at.column)),
    (" (alias|anchor|tag);|;.*tag", _mark),
    ("directive.*;|;.*incompatible YAML", _directive),
    ("while scanning a block scalar;", _block_header),
    ("quoted scalar.*;.*escape", _always("this `\\` starts an escape that YAML does not know", _ESCAPE)),
    ("quoted scalar.*;", _unclosed_quote),
    (";.*node content", _no_value),
    ("flow.*;", _bracket),
    (";.*mapping values are not allowed", _second_colon),
    (";.*sequence entries are not allowed", _always("a list cannot begin in the line of its key", _LIST)),
    (";.*could not find expected ':'", _no_colon),
    (";.*expected", _behind_quote),
    (";.*expected", _misplaced),
)
"""For each message of the parser ("context; problem") a function that explains it; None passes on to the rules
below.
"""
