"""YAML text -> mappings, lists and text, nothing else; maps -> rows of characters.

All scalars stay text (`000000` is a row of a map and no number). Anchors, aliases, tags, a key that stands twice and a
second document are refused: none is needed, and each can make a file mean other than it looks.
"""

from __future__ import annotations

from typing import Any

import yaml

from .limits import Invalid, Unsupported

DEEPEST = 20
"""Levels of mappings and lists within each other."""

WIDEST = 64
"""Rows and columns of a map. (Larger boards are not for this checker: some of its tables grow with their square.)"""

Cost = tuple[int, ...]
"""What is counted: one number, or two of which the first is compared first."""

Cell = tuple[int, int]
"""Row and column, from 0 at the top left."""

DIRECTIONS: dict[str, Cell] = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}


class Text(str):
    """A scalar. `style` is `|` for a block whose line ends are kept; `line` is where it stands, from 1."""

    style: str | None
    line: int

    def __new__(cls, text: str, style: str | None = None, line: int = 0) -> Text:
        """A text with its place."""
        made = super().__new__(cls, text)
        made.style, made.line = style, line
        return made


def shifted(cell: Cell, way: str) -> Cell:
    """The neighbouring cell in a direction."""
    row, column = DIRECTIONS[way]
    return cell[0] + row, cell[1] + column


def document(text: str, file: str) -> dict[str, Any]:
    """The mapping that a YAML file holds. Raises `Invalid`."""
    try:
        return _mapping_of(yaml.parse(text, Loader=yaml.SafeLoader), file)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise Invalid(f"no YAML: {error.problem}", file, line) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Invalid(f"no YAML: {type(error).__name__}", file) from None


def _mapping_of(events: Any, file: str) -> dict[str, Any]:
    """Build the value from the parser's events: `open_` holds the containers that are not closed yet."""
    open_: list[tuple[Any, list[Text]]] = []  # a container, and the key that waits for its value
    root: Any = None
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise Invalid("anchors, aliases and tags are not read", file, line)
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise Invalid("a second document", file, line)
        if isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            open_.pop()
            continue
        if isinstance(event, yaml.ScalarEvent):
            value: Any = Text(event.value, event.style, line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            value = {} if isinstance(event, yaml.MappingStartEvent) else []
        else:
            continue
        if not open_:
            root = value
        elif isinstance(open_[-1][0], list):
            open_[-1][0].append(value)
        elif not open_[-1][1]:
            if not isinstance(value, Text) or value in open_[-1][0]:
                raise Invalid("a key stands twice, or is no text", file, line)
            open_[-1][1].append(value)
        else:
            open_[-1][0][open_[-1][1].pop()] = value
        if not isinstance(value, Text):
            open_.append((value, []))
            if len(open_) > DEEPEST:
                raise Invalid(f"more than {DEEPEST} levels", file, line)
    if not isinstance(root, dict):
        raise Invalid("a puzzle is a mapping of keys and values", file, 1)
    return root


def rows_of(value: Any, key: str, file: str) -> list[str]:
    """The rows of a map: a block `|`, or a list of rows. Raises `Invalid` for others, `Unsupported` for large ones."""
    if isinstance(value, Text):
        if value.style != "|" and "\n" in value:
            raise Invalid(f"`{key}` has several lines and is no block: write `{key}: |`", file, value.line)
        rows = value.rstrip("\n").split("\n")
    elif isinstance(value, list) and all(isinstance(row, Text) for row in value):
        rows = [str(row) for row in value]
    else:
        raise Invalid(f"`{key}` is no map", file)
    if not rows:
        raise Invalid(f"`{key}` has no rows", file)
    if len(rows) > WIDEST or max(map(len, rows)) > WIDEST:
        raise Unsupported(f"{file}: `{key}` has more than {WIDEST} rows or columns")
    return rows


def rectangle(value: Any, key: str, file: str) -> dict[Cell, str]:
    """The characters of a map whose rows are equally long and have no blanks."""
    rows = rows_of(value, key, file)
    if len({len(row) for row in rows}) != 1 or any(char.isspace() for row in rows for char in row) or not rows[0]:
        raise Invalid(f"the rows of `{key}` are not equally long, or have blanks", file)
    return {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}


def only_keys(fields: dict[str, Any], known: set[str]) -> None:
    """Refuse keys that this checker does not know: each could change the rules. Raises `Unsupported`."""
    told = {"format", "family", "name", "author", "credit", "notes", "metric", "expect"}
    unknown = sorted(set(fields) - known - told)
    if unknown:
        raise Unsupported(f"this checker does not know the key `{unknown[0][:40]}` of the puzzle")
