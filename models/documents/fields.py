"""Keys of puzzle files: a table of what there is, and readers, which give a value, or record what is wrong and give
None; and the header, whose keys all families share.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..cells import Cell
from ..moves import MOST_OF_A_PLAN, MOST_OF_A_STEP, Cost, canonical_metric
from ..text import clip, closest, counted, suggest
from .compose import Entry, Mapping, Node, Scalar, Sequence, Span, core_value, describe
from .document import Document, Report

# Keys of puzzle files as a table: what reading knows, what a schema for editors is made from.

WORD, NUMBER, LIST, MAPPING = ("string",), ("integer",), ("array",), ("object",)
"""Types of values, in the words of JSON Schema. `string` is a scalar, taken as text as it is written: `12`, `no`."""

TEXT = ("string", "null")
"""The type of a text: `null` and `~` are words like others here (`Fields.text` reads them so)."""

MAP = ("string", "array")
"""The type of a map: a block of rows, or a list of them."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping in a puzzle file.

    `types`: the types that its value may have, in the words of JSON Schema. `choices`: the words that a text may be,
    if they are limited. `minimum`: of a number. `items`: the items of a list, as a key without a name; scalars if not
    given. `keys`: the keys of the value where it is a mapping with fixed keys; `values`: the values of one whose keys
    are the author's own. `instead_of`: the key that need not be there if this one is. `examples`: values for people to
    start from, as they stand in a file.
    """

    name: str
    types: tuple[str, ...]
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    keys: tuple[Key, ...] = ()
    minimum: int = 0
    items: Key | None = None
    values: Key | None = None
    instead_of: str = ""
    examples: tuple[str, ...] = ()


CELL_KEYS = (
    Key("row", NUMBER, "the row, from 1 at the top", required=True, minimum=1),
    Key("col", NUMBER, "the column, from 1 at the left", required=True, minimum=1),
)
"""The keys of a cell."""

ROW = Key("", TEXT, "a row of the map")
"""The schema of one row of a map that is written as a list."""


_KEY = re.compile(r"([\w]+|[-*])(!?) \(([a-z ]+?)(?: from (\d+))?(?: instead of (\w+))?\): (.+)")
_TYPES = {"text": TEXT, "word": WORD, "number": NUMBER, "list": LIST, "mapping": MAPPING, "map": MAP}

_SPECIAL = {"rows": "map", "cell": "mapping"}


def read_keys(folder: Path, **words: Iterable[str]) -> tuple[Key, ...]:
    """The keys in the file `keys.txt` of a folder, a line for each, and below it what is within.

        goal! (mapping): what must get where       `!`: it has to be there
          exit (word or cell): where it gets out     a cell has the keys `row` and `col`
            one of: {sides}                            the words with this name
          example: {exit: right}

    `-` stands for the items of a list, `*` for the values of a mapping whose keys are the author's own. `rows` are a
    map, as a text or a list of texts.
    """
    inside: dict[int, list[tuple[str, Any]]] = {}  # what stands at each depth below the key that is read next
    for line in reversed((folder / "keys.txt").read_text(encoding="utf-8").splitlines()):
        text = line.lstrip()
        level = inside.setdefault(len(line) - len(text), [])
        match = _KEY.fullmatch(text)
        if match is None:
            what, said = text.split(": ", 1)
            level.append((what, said))
            continue
        name, required, kinds, minimum, instead_of, sentence = match.groups()
        within = inside.pop(len(line) - len(text) + 2, [])[::-1]
        own, several, choices = dict(within), kinds.split(" or "), dict(within).get("one of", "").split()
        key = Key(
            name.strip("-*"),
            tuple(kind for each in several for kind in _TYPES[_SPECIAL.get(each, each)]),
            sentence,
            required=bool(required),
            choices=tuple(word for each in choices for word in words.get(each.strip("{}"), (each,))),
            keys=(*(CELL_KEYS if "cell" in several else ()), *(k for _, k in within if isinstance(k, Key) and k.name)),
            minimum=int(minimum or 0),
            items=own.get("-", ROW if "rows" in several else None),
            values=own.get("*"),
            instead_of=instead_of or "",
            examples=tuple(said for what, said in within if what == "example"),
        )
        level.append((name, key))
    return tuple(key for _, key in reversed(inside[0]))


def names(keys: Iterable[Key], *path: str) -> tuple[str, ...]:
    """The names of keys that a mapping may have, for `Fields`: the outermost, or those at a path of keys."""
    for name in path:
        key = next(key for key in keys if key.name == name)
        keys = (key.items or key.values or key).keys
    return tuple(key.name for key in keys)


class Fields:
    """The keys of one mapping. Unknown keys are reported when the object is made."""

    def __init__(self, mapping: Mapping, report: Report, keys: Seq[str], what: str = "a puzzle") -> None:
        self.mapping, self.report, self.what = mapping, report, what
        unknown = [entry.key for entry in mapping.entries if entry.key.text not in keys]
        self.meant = {unknown_key(key, report, what, keys) for key in unknown}

    def has(self, key: str) -> bool:
        return self.mapping.get(key) is not None

    def node(self, key: str, *, required: bool = False, example: str = "") -> Node | None:
        """The node of a key; an empty value counts as missing."""
        node = self.mapping.get(key)
        if isinstance(node, Scalar) and node.value is None and node.style is None:
            hint = f"write `{example}`" if example else "write a value behind the `:`, or remove the key"
            self.report.error(self.mapping.key(key), f"`{key}` has no value", hint)
            return None
        if node is None and required:
            self.missing(key, example and f"add `{example}`")
        return node

    def missing(self, key: str, hint: str) -> None:
        """Record that a key is missing, unless an unknown one was most likely meant to be it."""
        if key not in self.meant:
            self.report.error(self.mapping, f"{self.what} needs the key `{key}`", hint)

    def text(self, key: str, *, required: bool = False, example: str = "") -> str | None:
        """The text of a scalar, as written (never a number or a truth value), without spaces around it."""
        node = self.mapping.get(key)
        if not isinstance(node, Scalar) or not node.text:
            node = self.node(key, required=required, example=example)
        if node is None:
            return None
        if not isinstance(node, Scalar):
            hint = f"write `{example}`" if example else "put text with brackets in quotes"
            self.report.error(node, f"`{key}` must be text, not {describe(node)}", hint)
            return None
        return node.text.strip()

    def integer(self, key: str, *, minimum: int = 0, required: bool = False, example: str = "") -> int | None:
        """A whole number."""
        node = self.node(key, required=required, example=example)
        return None if node is None else integer(node, self.report, f"`{key}`", minimum)

    def cell(self) -> Cell | None:
        """The cell that the keys `row` and `col` name, as 0-based (row, column)."""
        row = self.integer("row", minimum=1, required=True, example="row: 3")
        column = self.integer("col", minimum=1, required=True, example="col: 6")
        return (row - 1, column - 1) if row and column else None

    def choice(self, key: str, choices: Seq[str], *, required: bool = False, example: str = "") -> str | None:
        """One word of a list."""
        text = self.text(key, required=required, example=example)
        if text is None or text in choices:
            return text
        node = self.mapping.get(key)
        self.report.error(node, f"`{key}` cannot be `{clip(text)}`", suggest(text, choices))
        return None

    def fields(self, key: str, keys: Seq[str], *, example: str = "") -> Fields | None:
        """A nested mapping with its own known keys."""
        node = mapping(self.node(key, example=example), self.report, f"`{key}`", example and f"write `{example}`")
        return None if node is None else Fields(node, self.report, keys, f"`{key}`")


def mapping(node: Node | None, report: Report, what: str, hint: str) -> Mapping | None:
    """The node if it is a mapping; None if there is no node, or, with that recorded, if it is anything else."""
    if node is None or isinstance(node, Mapping):
        return node
    report.error(node, f"{what} must be a mapping, not {describe(node)}", hint)
    return None


def entries(node: Node | None, report: Report, what: str, hint: str) -> tuple[Entry, ...]:
    """The entries of a mapping; none if there is no node, or, with that recorded, if it is anything else."""
    pairs = mapping(node, report, what, hint)
    return () if pairs is None else pairs.entries


SAME = (("name", "title"), ("author", "by"), ("board", "map", "start", "grid", "level", "position"))
"""Words for one thing: families call it differently, and so do authors."""


def unknown_key(key: Scalar, report: Report, what: str, keys: Iterable[str]) -> str | None:
    """Record a key that `what` does not have; what is known is looked up only for errors that are shown.

    Gives the key that was meant, if that can be told.
    """
    name, colon, rest = key.text.partition(":")
    keys = list(keys)
    same = [k for words in SAME if key.text.lower() in words for k in keys if k in words]
    others = {key.text.lower(): same[0]} if same else None
    if report.full:
        hint = ""
    elif not key.text:
        hint = "remove the `:`, or write a key before it"
    elif colon and name in keys:
        hint = f"put a space behind the colon: `{name}: {clip(rest)}`"
    else:
        hint = suggest(key.text, keys, others)
    report.error(key, f"unknown key `{clip(key.text)}` in {what}", hint)
    return None if report.full else closest(key.text, keys, others)


def integer(node: Node, report: Report, what: str, minimum: int = 0, maximum: int = MOST_OF_A_STEP) -> int | None:
    """The whole number of a scalar."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int):
        quoted = isinstance(value, str) and isinstance(core_value(value), int)
        hint = "remove the quotes" if quoted else f"write a whole number, {minimum} or more"
        report.error(node, f"{what} must be a whole number, not {describe(node)}", hint)
        return None
    if not minimum <= value <= maximum:
        bound = f"at least {minimum:,}" if value < minimum else f"at most {maximum:,}"
        hint = f"write a whole number from {minimum:,} to {maximum:,}"
        report.error(node, f"{what} must be {bound}, not {describe(node)}", hint)
        return None
    return value


# The keys that every puzzle may have, whatever its family: name, credits, metric, and what the author expects.

HEADER_KEYS = read_keys(Path(__file__).parent)
"""Keys that every puzzle may have, whatever its family."""


@dataclass(frozen=True, slots=True)
class Expect:
    """What the author says is true of the puzzle: optimal costs by metric, or that no plan exists. `plans`: how many
    shortest plans there are in its own metric, up to swapping moves that do not touch each other; None if not said.
    """

    costs: dict[str, Cost] = field(default_factory=dict)
    unsolvable: bool = False
    plans: int | None = None


@dataclass(frozen=True, slots=True)
class Header:
    """Name, credits and expectations. `metric` is the one to solve in if no other is asked for."""

    file: str
    name: str
    metric: str
    author: str = ""
    credit: str = ""
    notes: str = ""
    expect: Expect = field(default_factory=Expect)


def read_header(document: Document, fields: Fields, metrics: tuple[str, ...]) -> Header:
    """Read the common keys; problems go to the document's report."""
    report = document.report
    node = fields.node("metric", example=f"metric: {metrics[0]}")
    metric = metrics[0] if node is None else _metric(node, report, metrics)
    expect = _expect(fields.node("expect", example="expect: {cost: 16}"), report, metrics, metric)
    fallback = document.path.stem if document.path else "unnamed"
    return Header(
        file=report.file,
        name=" ".join((fields.text("name") or fallback).split()),
        metric=metric or metrics[0],
        author=fields.text("author") or "",
        credit=fields.text("credit") or "",
        notes=fields.text("notes") or "",
        expect=expect,
    )


def _metric(node: Node, report: Report, metrics: tuple[str, ...]) -> str | None:
    parts = node.items if isinstance(node, Sequence) else (node,)
    words = [p.text.strip() for p in parts if isinstance(p, Scalar)]
    metric = canonical_metric(",".join(words))
    if len(words) != len(parts) or metric not in metrics:
        shown = f"`[{', '.join(words)}]`" if isinstance(node, Sequence) and words else describe(node)
        report.error(node, f"`metric` cannot be {shown}", suggest(metric, metrics))
        return None
    return metric


def _expect(node: Node | None, report: Report, metrics: tuple[str, ...], metric: str | None) -> Expect:
    """What the puzzle expects; `cost` is in `metric`, and only looked at if that is not known."""
    costs: dict[str, Cost] = {}
    unsolvable, plans = False, None
    costly: Scalar | None = None  # the first key that gives a cost
    for entry in entries(node, report, "`expect`", "write `expect: {cost: 16}`"):
        key, value = canonical_metric(entry.key.text), entry.value
        if key == "unsolvable":
            truth = value.value if isinstance(value, Scalar) else None
            if not isinstance(truth, bool):
                message = f"`unsolvable` must be `true` or `false`, not {describe(value)}"
                report.error(value, message, "write `expect: {unsolvable: true}`")
            unsolvable = truth is True
        elif key == "plans" and key not in metrics:
            plans = integer(value, report, "`plans`", 1)
        elif key == "cost" or key in metrics:
            costly = costly or entry.key
            of = metric if key == "cost" else key
            cost = _cost(entry.key, value, of, report)
            if of in costs:
                report.error(entry.key, f"the cost in `{of}` is given twice", "keep one of the two")
            elif cost and of:
                costs[of] = cost
        else:
            unknown_key(entry.key, report, "`expect`", ("cost", "unsolvable", "plans", *metrics))
    if unsolvable and costly:
        report.error(costly, "an unsolvable puzzle has no cost", "keep `unsolvable: true` or the cost")
    return Expect(costs, unsolvable, plans)


def _cost(key: Scalar, value: Node, metric: str | None, report: Report) -> Cost | None:
    """A number, or a list of them for a lexicographic metric; any number of them if the metric is not known."""
    parts = value.items if isinstance(value, Sequence) else (value,)
    numbers = [integer(part, report, f"`{key.text}`", maximum=MOST_OF_A_PLAN) for part in parts]
    size = metric.count(",") + 1 if metric else len(numbers)
    if len(numbers) != size:
        need = "one number" if size == 1 else f"a list of {size} numbers, one for each part of the metric"
        example = "16" if size == 1 else f"[{', '.join(['16', '40', '80'][:size])}]"
        report.error(value, f"`{key.text}` needs {need}, not {len(numbers)}", f"write `{key.text}: {example}`")
        return None
    good = tuple(number for number in numbers if number is not None)
    return good if len(good) == size else None


# Maps: rows of characters that know where each of them stands in the file.

MAX_SIDE = 256


@dataclass(frozen=True, slots=True)
class Grid:
    """A map. `rows` are as written (without trailing spaces); `origins[r]` is where row r starts in the file.

    `exact`: every character of a row stands in the file as it stands in the row. Where an escape or a doubled
    apostrophe comes between, `origins` are the places of the whole rows or of the map.
    """

    rows: tuple[str, ...]
    origins: tuple[Span, ...]
    exact: bool
    node: Node

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return max(map(len, self.rows), default=0)

    def __getitem__(self, cell: Cell) -> str:
        return self.rows[cell[0]][cell[1]]

    def cells(self) -> list[tuple[Cell, str]]:
        """Every character with its cell, in reading order."""
        return [((r, c), char) for r, row in enumerate(self.rows) for c, char in enumerate(row)]

    def span(self, cell: Cell, width: int = 1) -> Span:
        """Where a cell stands in the file; the start of its row or map if the grid is not `exact`."""
        origin = self.origins[cell[0]]
        return Span(origin.line, origin.column + cell[1], width) if self.exact else origin

    def row_span(self, row: int) -> Span:
        return self.span((row, 0), max(1, len(self.rows[row])))


def read_grid(node: Node, report: Report, what: str, max_width: int = MAX_SIDE) -> Grid | None:
    """A map from a block scalar (`what: |`), a one-line scalar or a list of rows.

    Trailing spaces of rows and empty rows at either end are dropped. Records a problem and gives None for
    anything else, for tabs and characters that cannot be seen, and for maps that are empty or have more than
    `MAX_SIDE` rows or `max_width` columns.
    """
    grid = _from_list(node, report, what) if isinstance(node, Sequence) else _from_scalar(node, report, what)
    if grid is None:
        return None
    first = next((i for i, row in enumerate(grid.rows) if row), None)
    if first is None:
        report.error(node, f"`{what}` is empty", f"write `{what}: |` and the rows below it, indented")
        return None
    last = max(i for i, row in enumerate(grid.rows) if row)
    grid = Grid(grid.rows[first : last + 1], grid.origins[first : last + 1], grid.exact, node)
    if grid.height > MAX_SIDE or grid.width > max_width:
        number, most, noun = (
            (grid.height, MAX_SIDE, "row") if grid.height > MAX_SIDE else (grid.width, max_width, "column")
        )
        report.error(node, f"`{what}` has {counted(number, noun)}; at most {most:,} are allowed")
        return None
    for row, text in enumerate(grid.rows):
        for column, char in enumerate(text):
            if char == "\t":
                report.error(grid.span((row, column)), f"a tab in `{what}`", "use spaces")
                return None
            if char > "\x7f" and unicodedata.category(char) in ("Mn", "Me", "Cf"):
                message = f"an invisible or combining character in `{what}`, U+{ord(char):04X}"
                report.error(grid.span((row, column)), message, "write each cell as one visible character")
                return None
    return grid


def _from_scalar(node: Node, report: Report, what: str) -> Grid | None:
    if not isinstance(node, Scalar):
        kind = "`key: value` pairs" if isinstance(node, Mapping) else describe(node)
        report.error(node, f"`{what}` must be a drawing, not {kind}", f"write `{what}: |` and the rows below it")
        return None
    if node.style == "|":
        start = node.span.line + 1
        content = node.text.split("\n")
        indent = next((len(report.lines[start + i]) - len(text) for i, text in enumerate(content) if text.strip()), 0)
        rows = tuple(text.rstrip() for text in content)
        return Grid(rows, tuple(Span(start + i, indent) for i in range(len(rows))), True, node)
    if node.style == ">":
        report.error(node, f"`>` joins the rows of `{what}` into one line", f"write `{what}: |`")
        return None
    if node.folded:
        report.error(node, f"YAML joins the rows of `{what}` into one line", f"write `{what}: |` and the rows below it")
        return None
    text = node.text.rstrip()
    if "\n" in text:  # written as an escape
        rows = tuple(row.rstrip() for row in text.split("\n"))
        return Grid(rows, tuple(node.span for _ in rows), False, node)
    exact = _is_exact(node, report)
    return Grid((text,), (_inside(node, exact),), exact, node)


def _from_list(node: Sequence, report: Report, what: str) -> Grid | None:
    rows, origins = [], []
    exact = all(_is_exact(item, report) for item in node.items)
    for item in node.items:
        if not isinstance(item, Scalar) or "\n" in item.text or item.folded:
            kind = "several" if isinstance(item, Scalar) else describe(item)
            message = f"a row of `{what}` must be one line of text, not {kind}"
            report.error(item, message, f"write `{what}: |` and the rows below it")
        elif item.style is None and not item.text:
            report.error(item, f"an empty row in `{what}`", "put a row that starts with `#` in quotes")
        else:
            rows.append(item.text.rstrip())
            origins.append(_inside(item, exact))
    return Grid(tuple(rows), tuple(origins), exact, node) if len(rows) == len(node.items) else None


def _is_exact(node: Node, report: Report) -> bool:
    """Whether the text of a scalar stands in the file character by character."""
    if not isinstance(node, Scalar) or node.folded or node.span.line >= len(report.lines):
        return False
    quote = node.style or ""
    return report.lines[node.span.line].startswith(f"{quote}{node.text}{quote}", node.span.column)


def _inside(node: Scalar, exact: bool) -> Span:
    """Where the text of a one-line scalar starts, behind its quote."""
    if not exact:
        return node.span
    return Span(node.span.line, node.span.column + len(node.style or ""), max(1, len(node.text)))


def check_rectangle(grid: Grid, report: Report, what: str) -> bool:
    """Record the first space, or rows whose length differs from the most common one. True if there are none."""
    cell = next((cell for cell, char in grid.cells() if char.isspace()), None)
    if cell is not None:
        spaced = all(char.isspace() == (column % 2 == 1) for (_, column), char in grid.cells())
        hint = "write the cells of a row side by side" if spaced else "write `.` for an empty cell, `#` for a wall"
        report.error(grid.span(cell), f"a space in `{what}`", hint)
        return False
    lengths = [len(row) for row in grid.rows]
    usual = max(set(lengths), key=lambda n: (lengths.count(n), n))
    good = True
    for row, length in enumerate(lengths):
        if length != usual:
            good = False
            message = f"row {row + 1} of `{what}` has {counted(length, 'cell')}, the other rows have {usual}"
            report.error(grid.row_span(row), message, "make all rows equally long")
    return good
