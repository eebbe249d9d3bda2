"""A puzzle as a dictionary: written as YAML, a line for each value, so that all that reads files reads it too.

What is wrong is said with the key path, `actions.go.when`, in place of a line and a column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from ..errors import Problem, PuzzleError
from .compose import MAX_DEPTH
from .document import Document, parse
from .write import quoted

T = TypeVar("T")


def read_mapping(value: Mapping[str, Any], file: str, read: Callable[[Document], T]) -> T:
    """Read a dictionary as if it were a puzzle file. Raises `PuzzleError` with paths of keys, or `TypeError`."""
    writer = _Writer()
    writer.entries(value, "", ())
    try:
        return read(parse("\n".join(writer.lines) + "\n", file))
    except PuzzleError as error:
        problems = [_without_line(one, writer.paths) if one.file == file else one for one in error.problems]
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


def _scalar(value: str | float | None) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    return str(value)


def _in(path: tuple[str, ...]) -> str:
    return f" (in `{_joined(path)}`)" if path else ""


def _joined(path: tuple[str, ...]) -> str:
    return ".".join(path).replace(".[", "[")
