"""YAML text -> mappings, lists and text, nothing else; maps -> rows of characters.

All scalars stay text (`000000` is a row of a map and no number). Anchors, aliases, tags, a key that stands twice and a
second document are refused: none is needed, and each can make a file mean other than it looks. Puzzle files may write a
board in many ways. Certificates write it in one, which is all that is read here: two programs that both read every way
might not read the same puzzle.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import yaml

from .core.limits import Invalid, Unsupported
from .core.problem import Cost
from .verdict import visible

DEEPEST = 20
"""Levels of mappings and lists within each other."""

WIDEST = 64
"""Rows and columns of a map. (Larger boards are not for this checker: some of its tables grow with their square.)"""


class StateGraph(Protocol):
    """States and costs, as an exhaustion visits them. `nothing`: a cost of 0; `size`: the bytes of a state; `bound`: at
    least what a plan from a state costs (infinite: there is none), where something is known.
    """

    start: Any
    nothing: Cost
    size: int
    bound: Callable[[Any], float] | None = None

    def successors(self, state: Any, /) -> Iterator[tuple[Cost, Any]]:
        """The states after one action, each with what it costs."""

    def solved(self, state: Any, /) -> bool:
        """Whether a state is a goal."""


Cell = tuple[int, int]
"""Row and column, from 0 at the top left."""

CELL_NAME = re.compile("r([0-9]{1,4})c([0-9]{1,4})")
"""A cell as puzzles name it, its row and column from 1: `r3c4`."""

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


def other_form(what: str, file: str, line: int | None = None) -> Unsupported:
    """The error for a puzzle that is not written in the form of certificates; it may be right all the same."""
    place = file + (f", line {line}" if line else "")
    return Unsupported(
        f"{place}: not in the form that certificates have: {what}. `budge certify` writes this form, and "
        "`budge verify DIR --puzzle FILE` reads every other"
    )


def rows_of(value: Any, key: str, file: str) -> list[str]:
    """The rows of a map, which is a block `|`: the first and the last are not empty, and no row ends with a blank."""
    if not isinstance(value, Text) or value.style != "|":
        raise other_form(
            f"`{key}` is a block, `{key}: |2`, with a row on each line", file, getattr(value, "line", None)
        )
    rows = value.removesuffix("\n").split("\n")
    if any(row != row.rstrip() for row in rows) or not rows[0] or not rows[-1]:
        raise other_form(f"`{key}` begins or ends with an empty row, or a row ends with a blank", file, value.line)
    if len(rows) > WIDEST or max(map(len, rows)) > WIDEST:
        raise Unsupported(f"{file}: `{key}` has more than {WIDEST} rows or columns")
    if not all(visible(char) for row in rows for char in row):
        raise Invalid(f"`{key}` has a character that cannot be seen by itself", file, value.line)
    return rows


def rectangle(value: Any, key: str, file: str) -> dict[Cell, str]:
    """The characters of a map whose rows are equally long and have no blanks."""
    rows = rows_of(value, key, file)
    if len({len(row) for row in rows}) != 1 or any(" " in row for row in rows):
        raise Invalid(f"the rows of `{key}` are not equally long, or have blanks", file)
    return {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}


def cell_of(value: Any, keys: set[str], what: str, file: str) -> Cell:
    """The cell that a mapping with the keys `row` and `col`, and maybe others, names."""
    named = isinstance(value, dict) and set(value) == keys
    row, column = (str(value[key]) if named and isinstance(value[key], Text) else "" for key in ("row", "col"))
    if not all(re.fullmatch("[1-9][0-9]{0,2}", number) for number in (row, column)):
        raise other_form(f"{what} is `{{{', '.join(f'{key}: ...' for key in sorted(keys, reverse=True))}}}`", file)
    return int(row) - 1, int(column) - 1


def mapping_of(fields: dict[str, Any], key: str, file: str) -> dict[str, Any]:
    """The mapping behind a key; without it, an empty one."""
    value = fields.get(key, {})
    if not isinstance(value, dict):
        raise other_form(f"`{key}` is a mapping", file)
    return value


def only_keys(fields: dict[str, Any], known: set[str]) -> None:
    """Refuse keys that this checker does not know: each could change the rules. Raises `Unsupported`."""
    told = {"format", "family", "name", "author", "credit", "notes", "metric", "expect"}
    unknown = sorted(set(fields) - known - told)
    if unknown:
        raise Unsupported(f"this checker does not know the key `{unknown[0][:40]}` of the puzzle")
