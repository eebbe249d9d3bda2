"""Reading what a file declares: types, directions, tables; and the values of tables, from keys and from the map."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from itertools import product
from math import prod

from ...cells import DIRECTIONS, Cell, place
from ...documents.compose import Entry, Mapping, Node, Scalar, Sequence, Span, describe
from ...documents.document import Report
from ...documents.fields import Fields, Grid, entries, names
from ...text import closest, counted, suggest, with_article
from . import KEYS
from .language.expressions import Value, Vector
from .language.syntax import RANGE
from .language.values import TYPES, WORDS, Kind, Scope
from .puzzle import BOOL, Domain, ValueTable, shown

NUMBER = re.compile(r"-?\d{1,10}")

MAX_VALUES = 10_000
"""The most values of a type."""

MAX_PLACES = 100_000
"""The most values of a table."""

FOUR = dict(zip(("up", "down", "left", "right"), (Vector(*way) for way in DIRECTIONS.values()), strict=True))

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Declarations:
    """Fills a scope from the keys `types`, `directions`, `state` and `constants`."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.scope = Scope(domains={"bool": BOOL})

    # Names

    def name(self, key: Scalar, what: str) -> str | None:
        """Declare a name and give it; None, with the problem recorded, if it is taken or cannot be a name."""
        text = key.text
        if not NAME.fullmatch(text) or len(text) > 60:
            self.report.error(key, f"`{text[:40]}` cannot be a name", "write letters, digits and `_`, as `left_bank`")
            return None
        if keyword.iskeyword(text) or text in (*WORDS, *TYPES, "here") or (text, what) == ("others", "object"):
            self.report.error(key, f"`{text}` has a meaning of its own", f"choose another name for this {what}")
            return None
        if text in self.scope.declared and (what, self.scope.declared[text][0]) != ("object", "object"):
            first, at = self.scope.declared[text]
            self.report.error(
                key,
                f"`{text}` is the name of {with_article(first)} already (line {self.report.problem(at).line})",
                "rename one",
            )
            return None
        self.scope.declared.setdefault(text, (what, key))
        return text

    # Types

    def types(self, node: Node | None) -> None:
        for entry in self.entries(node, "types", "bank: [left, right]"):
            name = self.name(entry.key, "type")
            domain = self._values(entry.value, name or entry.key.text)
            if name and domain:
                self.scope.domains[name] = domain

    def entries(self, node: Node | None, key: str, example: str) -> tuple[Entry, ...]:
        """The entries of a mapping."""
        return entries(node, self.report, f"`{key}`", f"write `{key}:` and `{example}`")

    def _values(self, node: Node, name: str) -> Domain | None:
        """The values of a type: a range of numbers, or a list of objects and of types that it includes."""
        if isinstance(node, Scalar):
            interval = self._range(node, name)
            if interval is None:
                hint = f"write `[{node.text}]`" if "," in node.text else "write a list, or a range `1..8`"
                self.report.error(node, f"the type `{name}` cannot be {describe(node)}", hint)
            return interval
        if not isinstance(node, Sequence):
            self.report.error(node, f"the type `{name}` must be a list, not {describe(node)}", "write `[left, right]`")
            return None
        numbers = [int(item.text) for item in node.items if isinstance(item, Scalar) and NUMBER.fullmatch(item.text)]
        if numbers:
            whole = len(numbers) == len(node.items) == max(numbers) - min(numbers) + 1
            hint = f"write `{min(numbers)}..{max(numbers)}`" if whole else "write a range, as `1..8`, or names, as `n1`"
            self.report.error(node, "numbers are given as a range, not as a list", hint)
            return None
        values: dict[Value, None] = {}  # in order
        good = True
        for item in node.items:
            if not isinstance(item, Scalar):
                self.report.error(item, f"a value of `{name}` is a name, not {describe(item)}")
                good = False
            elif item.text in self.scope.domains and self.scope.domains[item.text].kind == Kind.OBJECT:
                values |= dict.fromkeys(self.scope.domains[item.text].values)
            elif RANGE.fullmatch(item.text):
                self.report.error(item, "a range stands without brackets", f"write `{item.text}`")
                good = False
            elif item.text in values:
                self.report.error(item, f"`{item.text}` is twice in `{name}`", "remove one")
            elif thing := self.name(item, "object"):
                if self.scope.objects.get(thing, "direction") == "direction":  # what the author says comes first
                    self.scope.objects[thing] = name
                values[thing] = None
            else:
                good = False
        if len(values) > MAX_VALUES:
            self.report.error(node, f"the type `{name}` has {len(values):,} values; at most {MAX_VALUES:,} are allowed")
            return None
        return Domain(name, Kind.OBJECT, tuple(values)) if good else None

    def _range(self, node: Scalar, name: str) -> Domain | None:
        match = RANGE.fullmatch(node.text.strip())
        if match is None:
            return None
        low, high = int(match[1]), int(match[2])
        if low > high or high - low >= MAX_VALUES or max(abs(low), abs(high)) > 10**9:
            self.report.error(
                node,
                f"`{node.text}` is no range that can be used",
                "write the smaller number first" if low > high else f"at most {MAX_VALUES:,} numbers, up to a billion",
            )
            return Domain(name, Kind.NUMBER, (0,))
        return Domain(name, Kind.NUMBER, tuple(range(low, high + 1)))

    def domain(self, node: Node, what: str) -> Domain | None:
        """The type that is named, or written out, in a place where one is needed."""
        if isinstance(node, Sequence):
            return self._values(node, what)
        if isinstance(node, Scalar):
            text = node.text.strip()
            if text in self.scope.domains:
                return self.scope.domains[text]
            if interval := self._range(node, text):
                return interval
            if text in ("cell", "direction"):
                self.report.error(
                    node, f"there is no type `{text}` without a `grid`", "add `grid: |` and the rows below it"
                )
                return None
            if text == "int":
                self.report.error(node, "numbers need a range", "write `0..8`, say")
                return None
            if not self.scope.has_errors(text):
                self.report.error(node, f"there is no type `{text[:40]}`", suggest(text, self.scope.domains))
            return None
        self.report.error(node, f"the type of {what} cannot be {describe(node)}", "name a type")
        return None

    def parameters(self, node: Node | None, what: str) -> tuple[tuple[str, Domain], ...]:
        """Parameters of an action or definition, from `with: {x: item, d: direction}`; `UNKNOWN` where the type has
        errors.
        """
        parameters: list[tuple[str, Domain]] = []
        for entry in self.entries(node, "with", "x: item"):
            name = entry.key.text
            self.local(entry.key, (), f"a parameter of {what}")
            parameters.append((name, self.domain(entry.value, f"`{name}`") or Domain(name, Kind.UNKNOWN, ())))
        return tuple(parameters)

    def local(self, key: Scalar, others: Container[str], what: str) -> None:
        """Record a problem if a name of an action or a definition cannot be one, or has a meaning already."""
        name = key.text
        if not NAME.fullmatch(name) or keyword.iskeyword(name):
            self.report.error(key, f"`{name[:40]}` cannot be a name", "write letters, digits and `_`")
        elif name in self.scope.declared or name in WORDS or name in TYPES or name in others:
            kind = self.scope.declared[name][0] if name in self.scope.declared else "word of the language"
            first = "name of this action" if name in others else kind
            self.report.error(key, f"`{name}` is {with_article(first)}, and cannot be {what}", "give it another name")

    # Directions and cells

    def directions(self, node: Node | None, cells: Iterable[Cell]) -> None:
        """Declare the directions (the file's, else the usual four) and the type `cell`."""
        self.scope.cells = frozenset(cells)
        self.scope.domains["cell"] = Domain("cell", Kind.CELL, tuple(sorted(self.scope.cells)))
        vectors: dict[str, Vector] = {}
        for entry in self.entries(node, "directions", "up: [-1, 0]"):
            name = self.name(entry.key, "object")
            pair = entry.value.items if isinstance(entry.value, Sequence) else ()
            numbers = [item.value for item in pair if isinstance(item, Scalar)]
            steps = [number for number in numbers if isinstance(number, int) and abs(number) < 1000]
            if len(steps) != 2 or len(numbers) != 2:
                self.report.error(
                    entry.value, "a direction is two numbers", "rows down, then columns right: `[-1, 0]` is up"
                )
            elif name:
                vectors[name] = Vector(*steps)
        self.scope.directions = {**(FOUR if node is None else vectors)}
        for name in self.scope.directions:
            self.scope.objects.setdefault(name, "direction")
        self.scope.domains["direction"] = Domain("direction", Kind.OBJECT, tuple(self.scope.directions))

    # Tables

    def signature(self, key: Scalar, value: Node, kind: str) -> tuple[ValueTable, Fields] | None:
        """A table of the state (`of`, `in`, `start`) or of constants (`of`, `in`, `value`)."""
        name = self.name(key, f"table of {kind}")
        given = "start" if kind == "the state" else "value"
        if not isinstance(value, Mapping):
            example = f"write `{key.text}: {{of: item, in: bool}}`"
            self.report.error(value, f"`{key.text}` must be a mapping of `of`, `in` and `{given}`", example)
            return None
        keys = names(KEYS, "state" if given == "start" else "constants")
        fields = Fields(value, self.report, keys, f"`{key.text}`")
        different = fields.choice("different", ("true", "false"))
        of = self._of(fields.node("of"))
        inside = fields.node("in")
        domain = BOOL if inside is None else self.domain(inside, f"`{key.text}`")
        if name is None or of is None or domain is None:
            return None
        places = prod(len(argument.values) for argument in of)
        if places > MAX_PLACES:
            self.report.error(key, f"`{name}` has {places:,} values; at most {MAX_PLACES:,} are allowed")
            return None
        if not domain.values:
            self.report.error(inside or key, f"the type of `{name}` has no values")
            return None
        return ValueTable(name, of, domain, {}, different == "true"), fields

    def _of(self, node: Node | None) -> tuple[Domain, ...] | None:
        if node is None or (isinstance(node, Scalar) and node.text == "none"):
            return ()
        items = node.items if isinstance(node, Sequence) else (node,)
        if len(items) > 3:
            self.report.error(node, "a table has at most three arguments")
            return None
        domains = [self.domain(item, "an argument") for item in items]
        good = tuple(domain for domain in domains if domain is not None)
        return good if len(good) == len(domains) else None


WALL, FLOOR = "wall", "floor"
USUAL = {"#": WALL, ".": FLOOR, " ": FLOOR}
"""The meaning of usual characters of the map, where the legend has none for them."""

Values = dict[tuple[Value, ...], Value]


@dataclass
class Starts:
    """The values of tables, collected from the map and from the keys `start` and `value`."""

    report: Report
    scope: Scope
    placed: dict[str, Values] = field(default_factory=dict)

    # From the map

    def cells(self, grid: Grid, legend: Node | None) -> frozenset[Cell]:
        """The cells of the board: all characters of the map but walls."""
        floor = set()
        listed = entries(legend, self.report, "`legend`", 'write `"#": wall` below it')
        said = {entry.key.text: entry.value for entry in listed}
        for key in (entry.key for entry in listed if len(entry.key.text) != 1):
            self.report.error(key, f"`{key.text[:20]}` is not a single character of the map")
        unknown: dict[str, Span] = {}
        for cell, char in grid.cells():
            if char not in said and char not in USUAL:
                unknown.setdefault(char, grid.span(cell))
            elif not is_wall(said.get(char), char):
                floor.add(cell)
        for char, span in unknown.items():
            near = suggest(char, [key for key in said if key.lower() == char.lower()])
            self.report.error(
                span, f"the `legend` does not say what `{char}` is", near or f'add `"{char}": floor` to it'
            )
        return frozenset(floor)

    def place(self, grid: Grid, legend: Node | None) -> None:
        """Put what the legend says on each cell of the map."""
        if not isinstance(legend, Mapping):
            return
        where: dict[str, list[Cell]] = {}
        for cell, char in grid.cells():
            where.setdefault(char, []).append(cell)
        for entry in legend.entries:
            cells = [cell for cell in where.get(entry.key.text, []) if cell in self.scope.cells]
            for name, value, node in self._legend(entry.value) if cells else ():
                self._put(name, value, node, cells)

    def _legend(self, node: Node) -> list[tuple[str, Node | None, Scalar]]:
        """The words that the legend gives to a character, each with its value (or None) and its place in the file."""
        if isinstance(node, Scalar):
            return [] if node.text in (WALL, FLOOR) and node.text not in self.tables else [(node.text, None, node)]
        if isinstance(node, Sequence):
            for item in node.items:
                if not isinstance(item, Scalar):
                    self.report.error(item, f"what stands on a cell is a word, not {describe(item)}")
            return [(item.text, None, item) for item in node.items if isinstance(item, Scalar) and item.text != FLOOR]
        return [(entry.key.text, entry.value, entry.key) for entry in node.entries if entry.key.text != "cell"]

    @property
    def tables(self) -> dict[str, ValueTable]:
        return self.scope.state | self.scope.constants

    def _put(self, name: str, value: Node | None, at: Scalar, cells: list[Cell]) -> None:
        """Set what one word of the legend says about each of some cells."""
        table = self.tables.get(name)
        homes = self.homes(name) if table is None and value is None else []
        if len(homes) == 1:
            for cell in [] if _holds(homes[0], name) else cells:
                self._set(homes[0], (cell,), homes[0].domain.by_text[name], at)
            if _holds(homes[0], name):
                self._locate(homes[0], (name,), name, at, cells)
        elif homes or (table is None and value is None and name in self.scope.objects):
            several = f"of {' and '.join(f'`{t.name}`' for t in homes)}" if homes else "of nothing"
            what, example = ("value", homes[0].name) if homes and not _holds(homes[0], name) else ("place", "at")
            message = f"`{name}` alone does not say what it is the {what} {several}"
            self.report.error(at, message, f"write `{{{example}: {name}}}`, with the table that has the {what}s")
        elif table is None:
            words = [*self.tables, *self.scope.objects, WALL, FLOOR]
            declare = f"declare it: `{name[:40]}: {{of: cell}}` in `constants`, or in `state` if it changes"
            if not name.isidentifier():
                declare = "the table of cells that has this value is not there: `height: {of: cell, in: 0..9}`"
            hint = suggest(name, words) if closest(name, words) else declare
            self.report.error(at, f"`{name[:40]}` is nothing that stands on a cell", hint)
        elif table.of and table.of[0].kind == Kind.CELL:
            self._describe(table, value, at, cells)
        elif not table.of and table.domain.kind == Kind.CELL and (value is None or _word(value) in ("here", "true")):
            self._locate(table, (), name, at, cells)
        elif len(table.of) == 1 and table.domain.kind == Kind.CELL and value is not None:
            for item in value.items if isinstance(value, Sequence) else (value,):
                thing = self._value(item, table.of[0], f"`{name}`")
                if thing is not None:
                    self._locate(table, (thing,), thing, item, cells)
        else:
            self.report.error(at, f"`{name}` is not a table of cells", "name a table `of: cell` or `in: cell`")

    def homes(self, word: str) -> list[ValueTable]:
        """Tables to which a word alone belongs: those that say on which cell an object is, else those that give a cell
        such a value; those of the state (`at`) before constants (`home`).
        """
        both = [[*tables.values()] for tables in (self.scope.state, self.scope.constants)]
        found = ([table for table in tables if fits(table, word)] for fits in (_holds, _gives) for tables in both)
        return next(filter(None, found), [])

    def _describe(self, table: ValueTable, value: Node | None, at: Scalar, cells: list[Cell]) -> None:
        """Set a table of cells on each of `cells`: `height: 2`, or with a second argument all values listed: `door:
        [red, blue]`.
        """
        settings: list[tuple[tuple[Value, ...], Value]]
        if len(table.of) == 1:
            if value is None and table.domain.kind != Kind.TRUTH:
                self.report.error(at, f"`{table.name}` needs a value", f"write `{{{table.name}: ...}}`")
                return
            given = True if value is None else self._value(value, table.domain, f"`{table.name}`")
            settings = [] if given is None else [((), given)]
        elif len(table.of) == 2 and table.domain.kind == Kind.TRUTH and value is not None:
            items = value.items if isinstance(value, Sequence) else (value,)
            others = [self._value(item, table.of[1], f"`{table.name}`") for item in items]
            settings = [((other,), True) for other in others if other is not None]
        else:
            self.report.error(at, f"`{table.name}` has {counted(len(table.of), 'argument')}, too many for the legend")
            return
        for (rest, given), cell in product(settings, cells):
            self._set(table, (cell, *rest), given, at)

    def _locate(self, table: ValueTable, args: tuple[Value, ...], thing: Value, at: Node, cells: list[Cell]) -> None:
        """Set a table of places to the only one of some cells."""
        if len(cells) > 1:
            where = " and ".join(map(place, cells[:2]))
            self.report.error(at, f"`{thing}` stands on {len(cells)} cells: {where}", "leave one on the map")
        for cell in cells[:1]:
            self._set(table, args, cell, at)

    def _set(self, table: ValueTable, args: tuple[Value, ...], value: Value, at: Node) -> None:
        values = self.placed.setdefault(table.name, {})
        if values.setdefault(args, value) != value:
            self.report.error(at, f"`{shown((table.name, args))}` is placed twice on the map", "keep one")

    # From keys

    def table(self, signature: ValueTable, node: Node | None, key: Scalar, what: str) -> Values:
        """All values of a table: what the map says, else what is written, else false."""
        values: Values = {}
        if node is not None:
            self._fill(signature, node, (), values)
        values |= self.placed.get(signature.name, {})
        keys = signature.every_key()
        missing = [args for args in keys if args not in values]
        if missing and signature.domain.kind == Kind.TRUTH:
            values |= dict.fromkeys(missing, False)
        elif missing and not self.report.problems:
            name = shown((signature.name, missing[0]))
            lacks = f"` and {len(missing) - 1:,} more have no value" if len(missing) > 1 else "` has no value"
            hint = f"add `{what}: ...` to `{signature.name}`"
            if node is not None or signature.name in self.placed:
                hint = "give each a value, or the rest one for all: `others: ...`"
            self.report.error(node or key, f"`{name}{lacks}", hint)
        return {args: values[args] for args in keys if args in values}

    def _fill(self, table: ValueTable, node: Node, before: tuple[Value, ...], values: Values) -> None:
        """Values below the arguments `before`: one for all, a list in order, or a mapping by argument."""
        domains = table.of[len(before) :]
        what = f"`{table.name}`"
        if not domains or isinstance(node, Scalar) or _is_cell(node, table.domain):
            value = self._value(node, table.domain, what)
            if value is not None:
                for rest in product(*(domain.values for domain in domains)):
                    values.setdefault((*before, *rest), value)
            return
        first = domains[0]
        # A mapping names arguments, and `others` gives a value for the rest of them.
        if isinstance(node, Mapping):
            rest_node: Node | None = None
            named: set[Value] = set()
            for entry in node.entries:
                if entry.key.text == "others":
                    rest_node = entry.value
                    continue
                arg = self._value(entry.key, first, f"the argument of {what}")
                if arg in named:
                    self.report.error(
                        entry.key, f"{what} has the argument `{entry.key.text.strip()}` twice", "keep one of the two"
                    )
                elif arg is not None:
                    named.add(arg)
                    self._fill(table, entry.value, (*before, arg), values)
            if rest_node is not None:
                done = {args[len(before)] for args in values if args[: len(before)] == before}
                for arg in first.values:
                    if arg not in done:
                        self._fill(table, rest_node, (*before, arg), values)
            return
        if not isinstance(node, Sequence):
            return
        # A list of arguments says for which a truth value is true; any other list has a value for each argument.
        words = [item.text for item in node.items if isinstance(item, Scalar)]
        if table.domain.kind == Kind.TRUTH and not {"true", "false"} & set(words):
            for item in node.items:  # those for which it is true
                arg = self._value(item, first, f"the argument of {what}")
                if arg is not None:
                    for rest in product(*(domain.values for domain in domains[1:])):
                        values[(*before, arg, *rest)] = True
            return
        if len(node.items) != len(first.values):
            message = f"{what} has {len(first.values)} values for {first.name}, not {len(node.items)}"
            self.report.error(node, message, "give one for each, in order, or name them: `{a: 1, b: 2}`")
            return
        for arg, item in zip(first.values, node.items, strict=True):
            self._fill(table, item, (*before, arg), values)

    def _value(self, node: Node, domain: Domain, what: str) -> Value | None:
        """A value of a domain as it is written."""
        if domain.kind == Kind.CELL:
            return self._cell(node, what)
        written: object = None
        if isinstance(node, Scalar):
            written = node.value if domain.kind in (Kind.TRUTH, Kind.NUMBER) else node.text.strip()
        wanted = bool if domain.kind == Kind.TRUTH else int if domain.kind == Kind.NUMBER else str
        if type(written) is wanted and written in domain.members:
            return written
        hint = suggest(node.text, map(str, domain.values)) if isinstance(node, Scalar) else ""
        if domain.kind == Kind.TRUTH:
            hint = "write `true` or `false`; if the values are others, name their type: `in: 0..8`"
        if domain.kind == Kind.NUMBER:
            hint = f"write a whole number of {domain.name}"
        self.report.error(node, f"{what} cannot be {describe(node)}", hint)
        return None

    def _cell(self, node: Node, what: str) -> Cell | None:
        """The cell that a file names: `{row: 3, col: 2}`, or `r3c2` as in facts and plans."""
        numbers: list[int] = []
        if isinstance(node, Mapping):
            for key in ("row", "col"):
                part = node.get(key)
                if isinstance(part, Scalar) and isinstance(part.value, int):
                    numbers.append(part.value)
        elif isinstance(node, Scalar):
            row, _, column = node.text.removeprefix("r").partition("c")
            if row.isdecimal() and column.isdecimal() and len(node.text) < 12:
                numbers = [int(row), int(column)]
        if len(numbers) != 2:
            self.report.error(node, f"{what} is a cell, not {describe(node)}", "write `{row: 3, col: 2}`")
            return None
        cell = (numbers[0] - 1, numbers[1] - 1)
        if cell not in self.scope.cells:
            self.report.error(node, f"{place(cell)} is not a cell of the board")
            return None
        return cell


def is_wall(node: Node | None, char: str) -> bool:
    """Whether an entry of the legend, or none for this character, means a wall: what is no cell of the board."""
    if node is None:
        return USUAL.get(char) == WALL
    if isinstance(node, Mapping):
        cell = node.get("cell")
        return isinstance(cell, Scalar) and cell.value is False
    return isinstance(node, Scalar) and node.text == WALL


def _is_cell(node: Node, domain: Domain) -> bool:
    return domain.kind == Kind.CELL and isinstance(node, Mapping) and node.get("row") is not None


def _holds(table: ValueTable, name: str) -> bool:
    return len(table.of) == 1 and table.domain.kind == Kind.CELL and name in table.of[0].values


def _gives(table: ValueTable, word: str) -> bool:
    """Whether a table has one value for each cell, a number or an object, which may be this one."""
    of_cells = [domain.kind for domain in table.of] == [Kind.CELL] and table.domain.kind in (Kind.NUMBER, Kind.OBJECT)
    return of_cells and word in table.domain.by_text


def _word(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else ""
