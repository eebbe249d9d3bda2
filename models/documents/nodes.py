"""The values of a puzzle file: nodes that know where they stand in the text.

Every scalar keeps its text. `Scalar.value` follows the YAML 1.2 core schema, in which `NO`, `on`, `1_2` and
`1:20` are text and `012` is 12 (https://yaml.org/spec/1.2.2/#103-core-schema).
Lines and columns count from 0 here and from 1 in every message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


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


def clip(text: str, length: int = 40) -> str:
    """Text for a message, shortened if it is longer than `length`."""
    return text if len(text) <= length else text[: length - 1] + "…"


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
