"""Puzzles as YAML text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..header import Header
from .compose import unreadable
from .nodes import core_value


def to_yaml(family: str, header: Header, keys: Mapping[str, str | tuple[str, ...]], default_metric: str) -> str:
    """The file of a puzzle: the header, then the family's own keys, rows of maps below their key.

    Any text is safe as name, author, credit and notes. `default_metric` need not be written.
    """
    texts = {"name": header.name, "author": header.author, "credit": header.credit}
    lines = ["format: 1", f"family: {family}"]
    lines += [f"{key}: {quoted(one_line(text))}" for key, text in texts.items() if text.strip()]
    if header.notes.strip():
        lines.append(f"notes: {quoted(header.notes.strip())}")
    if header.metric != default_metric:
        lines.append(f"metric: {header.metric if ',' not in header.metric else f'[{header.metric}]'}")
    for key, value in keys.items():
        if isinstance(value, str):
            lines.append(f"{key}:{value}" if value.startswith("\n") else f"{key}: {value}")
        else:
            lines += [f"{key}: |2", *(f"  {row}" for row in value)]
    return "\n".join([*lines, *_expect(header)]) + "\n"


def _expect(header: Header) -> Iterator[str]:
    if header.expect.unsolvable:
        yield "expect: {unsolvable: true}"
    elif header.expect.costs or header.expect.plans is not None:
        yield "expect:"
        for metric, cost in header.expect.costs.items():
            yield f"  {metric}: {cost[0] if len(cost) == 1 else list(cost)}"
        if header.expect.plans is not None:
            yield f"  plans: {header.expect.plans}"


def flow(values: dict[str, str]) -> str:
    """A mapping in one line, its keys and values quoted where they need it."""
    return "{" + ", ".join(f"{quoted(key)}: {quoted(value)}" for key, value in values.items()) + "}"


def one_line(text: str) -> str:
    """The words of a text with single spaces between them."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """A text as a YAML scalar in one line: plain where that is beyond doubt, else in double quotes.

    Characters that a puzzle file may not contain (control characters and the like) are left out.
    """
    text = "".join(char for char in text if not unreadable(char))
    plain = re.fullmatch(r"[A-Za-z](?:[A-Za-z0-9 .()'!?&/-]|, (?=\w))*", text, re.ASCII)
    if plain and not text.endswith(" ") and isinstance(core_value(text), str):
        return text
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    code = ord(char)
    if char in '"\\':
        return "\\" + char
    if char == "\n":
        return "\\n"
    if char.isprintable():
        return char
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
