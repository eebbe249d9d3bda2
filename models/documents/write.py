"""Puzzles as YAML text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Problem, PuzzleError, UsageError
from ..family import Conversion
from .compose import MAX_DEPTH, core_value, unreadable
from .document import Document, Report, parse
from .fields import Header
from .files import write_named, writing


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


def flow(value: object) -> str:
    """A value in one line: mappings and lists of texts, quoted where they need it, and of numbers."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    return f"[{', '.join(map(flow, value))}]" if isinstance(value, list) else _scalar(value)


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


# A puzzle as a dictionary: written as YAML, a line for each value, so that all that reads files reads it too.
#
# What is wrong is said with the key path, `actions.go.when`, in place of a line and a column.

T = TypeVar("T")


def read_mapping(value: Mapping[str, Any], file: str, read: Callable[[Document], T]) -> T:
    """Read a dictionary as if it were a puzzle file. Raises `PuzzleError` with paths of keys, or `TypeError`."""
    writer = _Writer()
    writer.entries(value, "", ())
    try:
        return read(parse("\n".join(writer.lines) + "\n", file))
    except PuzzleError as error:
        problems = [_without_line(fault, writer.paths) if fault.file == file else fault for fault in error.problems]
        raise PuzzleError(list(dict.fromkeys(problems)), error.dropped) from None


def _without_line(problem: Problem, paths: list[tuple[str, ...]]) -> Problem:
    path = paths[min(problem.line, len(paths)) - 1] if problem.line else ()
    text = problem.source.lstrip()
    if problem.width == 1 and problem.column == len(problem.source) - len(text) + 1 and text[1:2] not in (":", ""):
        path = path[:-1]  # the place of a mapping is the first character of its first key
    message = f"`{_joined(path)}`: {problem.message}" if path else problem.message
    return replace(problem, line=0, column=0, source="", width=1, message=message)


class _Writer:
    """Writes YAML line by line; `paths` has for each line the path of keys that leads to its value."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.paths: list[tuple[str, ...]] = []

    def _line(self, text: str, path: tuple[str, ...]) -> None:
        self.lines.append(text)
        self.paths.append(path)

    def entries(self, value: Mapping[str, Any], indent: str, path: tuple[str, ...]) -> None:
        """Write a mapping, one key on each line."""
        for key, inner in value.items():
            if not isinstance(key, str | int):
                raise TypeError(f"a key of a puzzle is a text, not {key!r}{_in(path)}")
            self._value(f"{indent}{_scalar(key)}:", inner, indent, (*path, str(key)))

    def _value(self, head: str, value: Any, indent: str, path: tuple[str, ...]) -> None:
        inner = indent + "  "
        if len(path) > MAX_DEPTH:
            raise TypeError(f"lists or mappings are nested more than {MAX_DEPTH} deep{_in(path[:3])}")
        if isinstance(value, str) and "\n" in value and not value.isspace():
            self._line(f"{head} |2", path)
            for row in value.removesuffix("\n").split("\n"):
                self._line(f"{inner}{row}", path)
        elif value is None or isinstance(value, str | int | float):
            self._line(f"{head} {_scalar(value)}".rstrip(), path)
        elif isinstance(value, Mapping) and value:
            self._line(head, path)
            self.entries(value, inner, path)
        elif isinstance(value, list | tuple) and value:
            self._line(head, path)
            for number, item in enumerate(value):
                self._value(f"{inner}-", item, inner, (*path, f"[{number}]"))
        elif isinstance(value, Mapping | list | tuple):
            self._line(f"{head} {'{}' if isinstance(value, Mapping) else '[]'}", path)
        else:
            kinds = "texts, numbers, truth values, lists and dictionaries"
            raise TypeError(f"a puzzle holds {kinds}, and no {type(value).__name__}{_in(path)}")


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    return str(value)


def _in(path: tuple[str, ...]) -> str:
    return f" (in `{_joined(path)}`)" if path else ""


def _joined(path: tuple[str, ...]) -> str:
    return ".".join(path).replace(".[", "[")


# Levels of collections written as puzzle files: what the importers of all families share.


def write_levels(texts: Mapping[int, str], count: int, stem: str, folder: Path, report: Report) -> Conversion:
    """Write the texts of levels by their numbers, of `count` in the collection, as puzzles `STEM-001.yaml`, ... into a
    folder (made if needed); the only level is `STEM.yaml`. The report has what is wrong with the others.

    Raises `UsageError`, before anything is written, if a file of that name with other content exists.
    """
    digits, name = max(3, len(str(count))), file_name(stem)
    files = {
        folder / (f"{name}-{number:0{digits}}.yaml" if count > 1 else f"{name}.yaml"): text
        for number, text in texts.items()
    }
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            if file.exists() and file.read_bytes() != text.encode():
                raise UsageError(f"{file} exists and has other content; remove it, or choose another folder")
    for file, text in files.items():
        with writing(file):
            write_named(file, text.encode())
    return Conversion(list(files), PuzzleError(report.problems).problems, report.dropped)


def file_name(text: str) -> str:
    """A text as the beginning of a file name: lower-case ASCII letters and digits, joined by `-`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60] or "level"
