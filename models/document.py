"""YAML text -> nodes that know where they stand in the file.

PyYAML's C parser composes the text; its own scalar resolution (YAML 1.1) is not used: every scalar keeps
its text, and `Scalar.value` follows the YAML 1.2 core schema (https://yaml.org/spec/1.2.2/#103-core-schema),
so that `NO`, `on`, `1_2` and `1:20` stay text.

Errors are collected in a `Report`, all of a file at once, and raised together as `PuzzleError`.
Lines and columns count from 0 in this module and from 1 in every message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Problem, PuzzleError
from . import traps

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text: 0-based line and column, and how many characters to underline."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: its text as written, and how it was written (`style` is None for plain text, or |, >, ', ")."""

    text: str
    span: Span
    style: str | None = None

    @property
    def value(self) -> str | int | float | bool | None:
        """The value under the YAML 1.2 core schema."""
        return self.text if self.style else core_value(self.text)


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value` of a mapping."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> Node | None:
        return next((e.value for e in self.entries if e.key.text == key), None)

    def key(self, key: str) -> Scalar | None:
        return next((e.key for e in self.entries if e.key.text == key), None)


Node = Scalar | Sequence | Mapping

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}


def core_value(text: str) -> str | int | float | bool | None:
    """Resolve a plain scalar by the YAML 1.2 core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 40:  # longer digit strings are boards, not numbers
        if _INT.fullmatch(text):
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        if _FLOAT.fullmatch(text):
            return float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".INF", "inf").lstrip("+")
                         if "n" in text.lower() and "nan" not in text.lower() else
                         "nan" if "nan" in text.lower() else text)
    return text


@dataclass(slots=True)
class Report:
    """Collects the problems of one file."""

    file: str
    lines: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def error(self, at: Span | Node | None, message: str, hint: str = "") -> None:
        """Record a problem; `at` None means the file as a whole."""
        if at is None:
            problem = Problem(self.file, 0, 0, message, hint)
        else:
            span = at if isinstance(at, Span) else at.span
            source = self.lines[span.line] if span.line < len(self.lines) else ""
            problem = Problem(self.file, span.line + 1, span.column + 1, message, hint, source, span.width)
        if problem not in self.problems:
            self.problems.append(problem)

    def raise_if_any(self) -> None:
        if self.problems:
            raise PuzzleError(self.problems)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its root mapping and the report that its readers add problems to."""

    root: Mapping
    report: Report
    path: Path | None = None


def read_file(path: Path) -> Document:
    """Read and parse a puzzle file. Raises `PuzzleError` if it cannot be read or is not a YAML mapping."""
    report = Report(str(path))
    try:
        size = path.stat().st_size
        if path.is_dir():
            report.error(None, "this is a folder, not a puzzle file", "name the files in it")
        elif size > MAX_BYTES:
            report.error(None, f"the file has {size:,} bytes; a puzzle file has at most {MAX_BYTES:,}")
        report.raise_if_any()
        data = path.read_bytes()
    except OSError as error:
        report.error(None, f"cannot read the file: {error.strerror or error}")
        report.raise_if_any()
    return parse(_decode(data, report), str(path), path)


def _decode(data: bytes, report: Report) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            report.error(None, "the file starts like UTF-16 but is not", "save it as UTF-8")
            report.raise_if_any()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", "replace")
        line = before.count("\n")
        column = len(before) - (before.rfind("\n") + 1)
        report.lines = data.decode("utf-8-sig", "replace").splitlines()
        report.error(
            Span(line, column),
            f"byte 0x{data[error.start]:02x} is not valid UTF-8",
            "save the file as UTF-8",
        )
        report.raise_if_any()
        raise AssertionError from error


def parse(text: str, file: str = "<text>", path: Path | None = None) -> Document:
    """Parse YAML text. Raises `PuzzleError` with every problem that the text itself shows."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    report = Report(file, text.split("\n"))
    for problem in traps.find_in_text(report.lines):
        report.error(Span(problem.line, problem.column, problem.width), problem.message, problem.hint)
    if any(p.fatal for p in traps.find_in_text(report.lines)):
        report.raise_if_any()
    root = _compose(text, report)
    node = _convert(root, report) if root is not None else None
    if node is None:
        report.error(None, "the file is empty", "a puzzle starts with `format: 1` and `family: ...`")
    elif not isinstance(node, Mapping):
        kind = "a list" if isinstance(node, Sequence) else "plain text"
        report.error(
            node, f"a puzzle is a mapping of keys to values, this is {kind}", "start with `format: 1`"
        )
    report.raise_if_any()
    assert isinstance(node, Mapping)
    return Document(node, report, path)


def _compose(text: str, report: Report) -> yaml.Node | None:
    import yaml
    from yaml.constructor import BaseConstructor
    from yaml.cyaml import CParser
    from yaml.resolver import BaseResolver

    class Loader(CParser, BaseConstructor, BaseResolver):  # type: ignore[misc]
        """The C parser without PyYAML's YAML 1.1 scalar types."""

        def __init__(self, stream: str) -> None:
            CParser.__init__(self, stream)
            BaseConstructor.__init__(self)
            BaseResolver.__init__(self)

    try:
        node: yaml.Node | None = Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line, mark.column) if mark else (0, 0)
        message, hint = traps.explain_yaml_error(error, report.lines)
        report.error(Span(line, column), message, hint)
        report.raise_if_any()
    except RecursionError:
        report.error(None, f"lists or mappings are nested more than {MAX_DEPTH} deep")
        report.raise_if_any()
    return node


def _convert(root: yaml.Node, report: Report) -> Node | None:
    import yaml

    seen: set[int] = set()

    def span(node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        if isinstance(node, yaml.ScalarNode) and end.line == start.line:
            return Span(start.line, start.column, max(1, end.column - start.column))
        return Span(start.line, start.column)

    def convert(node: yaml.Node, depth: int) -> Node:
        here = span(node)
        if id(node) in seen:
            report.error(here, "YAML aliases (`&name`, `*name`) are not used in puzzles", "write the value again")
            return Scalar("", here)
        seen.add(id(node))
        if depth > MAX_DEPTH:
            report.error(here, f"lists or mappings are nested more than {MAX_DEPTH} deep")
            return Scalar("", here)
        if not node.tag.startswith("tag:yaml.org,2002:"):
            report.error(
                here, f"YAML tag `{node.tag}` is not used in puzzles", "put text that starts with `!` in quotes"
            )
        if isinstance(node, yaml.SequenceNode):
            return Sequence(tuple(convert(child, depth + 1) for child in node.value), here)
        if isinstance(node, yaml.MappingNode):
            return Mapping(tuple(entries(node, depth)), here)
        style = None if node.style in (None, "") else node.style
        return Scalar(node.value, here, style)

    def entries(node: yaml.MappingNode, depth: int) -> Iterator[Entry]:
        first: dict[str, Scalar] = {}
        for key_node, value_node in node.value:
            key = convert(key_node, depth + 1)
            value = convert(value_node, depth + 1)
            if not isinstance(key, Scalar):
                report.error(key, "a key must be a single word, not a list or a mapping")
                continue
            if key.text in first:
                line = first[key.text].span.line + 1
                report.error(key, f"key `{key.text}` stands here a second time (first in line {line})",
                             "keep one of the two")
                continue
            first[key.text] = key
            yield Entry(key, value)

    return convert(root, 1)


def describe(node: Node) -> str:
    """What a node is, for "expected ..., found ..." messages."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    value: Any = node.value
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{node.text}` (a truth value)"
    return f"`{node.text.strip()[:40]}`"
