"""YAML text -> nodes, through the events of PyYAML's parser.

PyYAML's own types (YAML 1.1) and its composer are not used. Beside the nodes, everything that a check of the
raw text needs is kept: where each scalar begins and ends, and on what the parser gave up. Puzzles are plain
trees: aliases, anchors and tags are noted, not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..text import clip

# The values of a puzzle file: nodes that know where they stand in the text.
#
# Every scalar keeps its text. `Scalar.value` follows the YAML 1.2 core schema, in which `NO`, `on`, `1_2` and `1:20`
# are text and `012` is 12 (https://yaml.org/spec/1.2.2/#103-core-schema). Lines and columns count from 0 here and
# from 1 in every message.


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the text: 0-based line and column, and how many characters to underline."""

    line: int
    column: int
    width: int = 1


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar: its text, and how it was written (`style` is None for plain text, or one of | > ' \").

    `folded`: it is plain or quoted and spans several lines of the file, which YAML has joined.
    """

    text: str
    span: Span
    style: str | None = None
    folded: bool = False

    @property
    def value(self) -> str | int | float | bool | None:
        """The value under the YAML 1.2 core schema."""
        return self.text if self.style else core_value(self.text)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key: value` of a mapping."""

    key: Scalar
    value: Node


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping; no two entries have equal keys."""

    entries: tuple[Entry, ...]
    span: Span

    def get(self, key: str) -> Node | None:
        return next((e.value for e in self.entries if e.key.text == key), None)

    def key(self, key: str) -> Scalar | None:
        return next((e.key for e in self.entries if e.key.text == key), None)


Node = Scalar | Sequence | Mapping

_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL_OR_HEX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_LONGEST_NUMBER = 400  # digits; what is longer is no number in a puzzle, and slow to convert


def core_value(text: str) -> str | int | float | bool | None:
    """Resolve a plain scalar by the YAML 1.2 core schema; more than 400 characters stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _LONGEST_NUMBER:
        return text
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _OCTAL_OR_HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _NOT_FINITE.fullmatch(text):
        return float(text.replace(".", ""))  # Python writes `inf` and `nan` without the dot
    return text


def describe(node: Node) -> str:
    """What a node is, for "expected ..., found ..." messages."""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if node.value is None:
        return "nothing"
    text = clip(" ".join(node.text.split()))
    if isinstance(node.value, bool):
        return f"`{text}` (a truth value)"
    return f"`{text}`" if text else "empty text"


MAX_DEPTH = 50
MAX_NODES = 300_000

STAND_IN = 0xF0000
"""Added to the code point of a character that YAML must not interpret; reading gives the character itself back."""

READ_BACK = {STAND_IN + code: chr(code) for code in range(128)}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Placed:
    """A scalar in the text: where it begins, and the place behind its last character.

    `role` is "key", "value" (of a mapping) or "item" (of a list, or the whole document). `indent` is the
    column of the innermost list or mapping in block style around it (0 where there is none); `flow` says
    whether it stands in brackets.
    """

    scalar: Scalar
    line: int
    column: int
    end_line: int
    end_column: int
    role: str
    indent: int
    flow: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """An alias, anchor or tag: its kind, its name, and whether the scalar at which it stands is plain or empty."""

    kind: str
    name: str
    span: Span
    plain: bool


@dataclass(slots=True)
class Composed:
    """The nodes that YAML's parser has read. If it stopped at an `error`, `root` is None and the rest is from before
    it.
    """

    root: Node | None = None
    placed: list[Placed] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    problems: list[tuple[Span, str, str]] = field(default_factory=list)
    error: yaml.YAMLError | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node stands in the tree; see `Placed`."""

    role: str = "item"
    indent: int = 0
    flow: bool = False
    depth: int = 1


class _TooLargeError(Exception):
    """Raised for a file that is nested too deeply or has too many values."""


def compose(lines: list[str]) -> Composed:
    """Read the first document of the text. Never raises."""
    composer = _Composer(lines)
    try:
        composer.document()
    except yaml.YAMLError as error:
        composer.result.error = error
    except _TooLargeError:
        pass
    return composer.result


class _Composer:
    """Events are `Any`: the types of PyYAML's stubs differ between its two parsers."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.nodes = 0
        self.result = Composed()
        self.events: Iterator[Any] = yaml.parse("\n".join(lines) + "\n", Loader=_LOADER)

    def problem(self, span: Span, message: str, hint: str) -> None:
        self.result.problems.append((span, message, hint))

    def document(self) -> None:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    mark: Any = event.start_mark
                    message = "a second document starts here"
                    hint = "a file holds one puzzle: put the second one in a file of its own"
                    self.problem(Span(mark.line, mark.column, 3), message, hint)
                    break
                root = self.node(next(self.events), _Place())
        self.result.root = root

    def node(self, event: Any, place: _Place) -> Node:
        span = Span(event.start_mark.line, event.start_mark.column)
        self.nodes += 1
        if place.depth > MAX_DEPTH or self.nodes > MAX_NODES:
            deep = f"lists or mappings are nested more than {MAX_DEPTH} deep"
            message = deep if place.depth > MAX_DEPTH else f"the file has more than {MAX_NODES:,} values"
            self.problem(span, message, "no puzzle needs as many: check what the file is")
            raise _TooLargeError
        self.note_marks(event, span)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        if isinstance(event, yaml.AliasEvent):
            return Scalar("", span)
        inner = place.indent if event.flow_style else span.column
        flow = bool(event.flow_style)

        def child(role: str) -> _Place:
            return _Place(role, inner, flow, place.depth + 1)

        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(end := next(self.events), yaml.SequenceEndEvent):
                items.append(self.node(end, child("item")))
            return Sequence(tuple(items), _between(event, end))
        entries: dict[str, Entry] = {}
        while not isinstance(end := next(self.events), yaml.MappingEndEvent):
            key = self.node(end, child("key"))
            value = self.node(next(self.events), child("value"))
            if not isinstance(key, Scalar):
                message = "a key must be a word, not a list or a mapping"
                self.problem(key.span, message, "put the key in quotes")
            elif key.text in entries:
                first = entries[key.text].key.span.line + 1
                message = f"`{clip(key.text)}` appears twice; the first is in line {first}"
                self.problem(key.span, message, "keep one of the two")
            else:
                entries[key.text] = Entry(key, value)
        return Mapping(tuple(entries.values()), _between(event, end))

    def scalar(self, event: Any, place: _Place) -> Scalar:
        line, column = event.start_mark.line, event.start_mark.column
        end_line, end_column = event.end_mark.line, event.end_mark.column
        block = event.style in ("|", ">")
        if block:
            width = 1
        elif end_line == line:
            width = end_column - column
        else:
            width = len(self.lines[line].rstrip()) - column
        text = event.value if event.value.isascii() else event.value.translate(READ_BACK)
        folded = not block and end_line > line
        scalar = Scalar(text, Span(line, column, max(1, width)), event.style or None, folded)
        bad = next(filter(unreadable, text), None) if event.style == '"' else None
        if bad:
            self.problem(scalar.span, f"the control character U+{ord(bad):04X} in this text", "remove it")
        self.result.placed.append(
            Placed(scalar, line, column, end_line, end_column, place.role, place.indent, place.flow)
        )
        return scalar

    def note_marks(self, event: Any, span: Span) -> None:
        plain = isinstance(event, yaml.ScalarEvent) and not event.style
        if isinstance(event, yaml.AliasEvent):
            self.result.marks.append(Mark("alias", str(event.anchor), span, False))
            return
        if event.anchor:
            self.result.marks.append(Mark("anchor", event.anchor, span, plain))
        if event.tag:
            self.result.marks.append(Mark("tag", event.tag, span, plain))


def _between(start: Any, end: Any) -> Span:
    """The span to underline for a list or mapping: all of it in a single line, else only its first character."""
    first, last = start.start_mark, end.end_mark
    return Span(first.line, first.column, max(1, last.column - first.column) if first.line == last.line else 1)


def unreadable(char: str) -> bool:
    """Whether YAML forbids a character, or takes it for a line break that nobody sees (as U+2028)."""
    code = ord(char)
    if code < 0x20:
        return char not in "\t\n"
    return 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)
