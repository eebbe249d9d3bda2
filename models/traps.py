"""Traps of YAML that would silently change or drop a puzzle, found in the raw text.

YAML is friendly to prose and hostile to maps: a map row that starts with `#` and is indented less than the
first row is taken for a comment and vanishes; `#: wall` is a comment, `@: player` a scanner error. These
checks look at the text before (or beside) the YAML parser and say what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml


@dataclass(frozen=True, slots=True)
class Trap:
    """A trap at a 0-based line and column. After a `fatal` one the parsed document would be misleading."""

    line: int
    column: int
    width: int
    message: str
    hint: str
    fatal: bool = False


_BLOCK = re.compile(r"^(?P<lead>\s*(?:-\s+)*)(?:(?P<key>[^\s#'\"][^#'\"]*|'[^']*'|\"[^\"]*\"):\s+|-\s+)?[|>](?P<ind>[-+0-9]*)\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*(?:-\s+)*(?P<mark>[@*%!&|>`])(?:\s*:)(?:\s|$)")
_HASH_KEY = re.compile(r"^(?P<lead>\s+|)#\s?:(?:\s|$)")
_HASH_VALUE = re.compile(r"^\s*(?:-\s+)?(?:(?P<key>[\w-]+):\s+|-\s+)(?P<value>#\S*)")
_PROSE = re.compile(r"#+\s+\w*[a-z]{2}")


def find_in_text(lines: list[str]) -> list[Trap]:
    """Every trap that the raw lines show, in file order."""
    inside = _block_lines(lines)
    return [*_control_characters(lines), *_lost_map_rows(lines), *_odd_keys(lines, inside)]


def _control_characters(lines: list[str]) -> Iterator[Trap]:
    for number, line in enumerate(lines):
        for column, char in enumerate(line):
            if (ord(char) < 32 and char != "\t") or 0x7F <= ord(char) < 0xA0 and char != "\x85" or (
                0xD800 <= ord(char) < 0xE000
            ) or char in "\ufffe\uffff":
                yield Trap(number, column, 1, f"control character U+{ord(char):04X}", "remove it", fatal=True)
                return


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _blocks(lines: list[str]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Block scalars: (header line, first content line, line after the content, content indent, explicit)."""
    number = 0
    while number < len(lines):
        header = _BLOCK.match(lines[number])
        if not header or lines[number].lstrip().startswith("#"):
            number += 1
            continue
        parent = len(header["lead"]) if header["key"] or header["lead"].strip() else _indent(lines[number])
        digits = re.sub(r"\D", "", header["ind"])
        start = number + 1
        first = next((i for i in range(start, len(lines)) if lines[i].strip()), len(lines))
        if digits:
            indent = (parent if header["key"] else max(parent - 2, 0)) + int(digits)
        else:
            indent = _indent(lines[first]) if first < len(lines) else 0
        end = start
        while end < len(lines) and indent > 0 and (not lines[end].strip() or _indent(lines[end]) >= indent):
            end += 1
        yield number, start, end, indent, bool(digits)
        number = max(end, number + 1)


def _block_lines(lines: list[str]) -> set[int]:
    return {i for _, start, end, _, _ in _blocks(lines) for i in range(start, end)}


def _lost_map_rows(lines: list[str]) -> Iterator[Trap]:
    """Rows below a block scalar that start with `#`, are indented like content but less than its first row."""
    for header, start, end, indent, _ in _blocks(lines):
        base = _indent(lines[header])
        lost = []
        for number in range(end, len(lines)):
            line = lines[number]
            if not line.strip():
                continue
            if not base < _indent(line) < indent:
                break
            lost.append(number)
        rows = [n for n in lost if lines[n].lstrip().startswith("#")]
        if not rows or end == start or all(_PROSE.match(lines[n].lstrip()) for n in rows):
            continue
        first = rows[0]
        shift = min(_indent(lines[n]) for n in lost) - base
        opening = lines[header].rstrip()
        opening = re.sub(r"[|>][-+0-9]*\s*(#.*)?$", f"|{shift}", opening).strip()
        yield Trap(
            first,
            _indent(lines[first]),
            len(lines[first].strip()),
            f"this row is lost: it is indented less than the first row, so YAML takes it for a comment "
            f"({len(rows)} row{'s' if len(rows) > 1 else ''} lost here)",
            f"tell YAML how far the block is indented: write `{opening}` in line {header + 1}",
            fatal=True,
        )


def _odd_keys(lines: list[str], inside: set[int]) -> Iterator[Trap]:
    for number, line in enumerate(lines):
        if number in inside:
            continue
        key = _KEY.match(line)
        if key:
            mark = key["mark"]
            yield Trap(number, key.start("mark"), 1, f"`{mark}` has a meaning of its own in YAML",
                       f'quote it: write `"{mark}":`', fatal=True)
        hashed = _HASH_KEY.match(line)
        if hashed:
            yield Trap(number, len(hashed["lead"]), 1, "this key is lost: YAML takes `#` for a comment",
                       'quote it: write `"#":`', fatal=True)
        value = _HASH_VALUE.match(line)
        if value and len(value["value"]) > 1:
            yield Trap(number, value.start("value"), len(value["value"]),
                       "this value is lost: YAML takes `#` for a comment",
                       f"quote it: write `'{value['value']}'`", fatal=True)


_PLAIN_WORDS = {
    "found character '\\t' that cannot start any token": "a tab cannot be used for indentation",
    "mapping values are not allowed in this context": "a `key: value` cannot stand here",
    "did not find expected key": "expected a `key: value` here, at the indentation of the other keys",
    "could not find expected ':'": "a key without its `:`",
    "did not find expected '-' indicator": "expected another `- item` of the list here",
    "found unexpected end of stream": "the quote that starts here, or earlier, is never closed",
}


def explain_yaml_error(error: yaml.MarkedYAMLError, lines: list[str]) -> tuple[str, str]:
    """A YAML syntax error in words that a puzzle author can use: (message, what to do)."""
    problem = (error.problem or "not valid YAML").strip()
    mark = error.problem_mark or error.context_mark
    line = lines[mark.line] if mark and mark.line < len(lines) else ""
    char = line[mark.column : mark.column + 1] if mark else ""
    for _, start, end, indent, _ in _blocks(lines):
        if mark and mark.line == end and end > start and 0 < _indent(line) < indent:
            return (
                "this row is indented less than the first row of its block",
                "if it belongs to the map, say how far the block is indented, for example `|2`",
            )
    if "expected a single document" in problem:
        return "a second document starts here (`---`)", "a file holds one puzzle: split it"
    if "cannot start any token" in problem and char == "\t" or line[: mark.column if mark else 0].endswith("\t"):
        return "a tab cannot be used for indentation", "use spaces"
    if "cannot start any token" in problem:
        return f"`{char}` cannot start a plain value in YAML", "put the text in quotes"
    if "alias" in (error.context or ""):
        return "`*` starts a YAML alias, which puzzles do not use", "put the text in quotes"
    if problem == "mapping values are not allowed in this context":
        return _PLAIN_WORDS[problem], "put text that contains `: ` in quotes, or check the indentation"
    hint = f"while {error.context.removeprefix('while ')}" if error.context else "check indentation and quotes"
    if error.context and error.context_mark:
        hint += f" that starts in line {error.context_mark.line + 1}"
    return _PLAIN_WORDS.get(problem, f"not valid YAML: {problem}"), hint
