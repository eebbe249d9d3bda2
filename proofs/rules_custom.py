"""Custom puzzles: the rules stand in the file itself (`docs/custom-families.md`), and are read here to be interpreted.

First what is named (types, the map and its cells, tables), then the values at the start, then the expressions as trees.
`acting` plays what comes out.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
from itertools import product
from math import prod
from typing import Any

from .acting import Action, ActionPuzzle, Conditions, definitions_in_circles, written
from .core.limits import Invalid, Limits, Unsupported
from .expressions import WORDS, parsed, shown
from .reading import CELL_NAME, DIRECTIONS, Cell, Text, only_keys, rows_of
from .terms import CELL, NUMBER, OBJECT, TRUTH, Names, Parameters, Places, Table, TypeDomain, Value

KEYS = {"types", "grid", "legend", "directions", "state", "constants", "start", "define", "actions", "always", "goal"}
FOUR = dict(zip(("up", "down", "left", "right"), DIRECTIONS.values(), strict=True))
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,59}")
RANGE = re.compile(r"(-?[0-9]{1,9})\s*\.\.\s*(-?[0-9]{1,9})")
LARGEST_TYPE, LARGEST_TABLE = 10_000, 100_000
BYTES = 200
"""Bytes counted for each value of a table or a type, with its arguments."""


def read(fields: dict[str, Any], file: str, limits: Limits) -> ActionPuzzle:
    """The puzzle of a file. Raises `Invalid`, or `Unsupported` for what this checker does not understand."""
    only_keys(fields, KEYS | {"aim", "metrics", "draw", "look"})
    return _RulesReader(fields, file, limits).read()


class _RulesReader:
    def __init__(self, fields: dict[str, Any], file: str, limits: Limits) -> None:
        self.fields, self.file, self.limits = fields, file, limits
        self.names = Names(domains={"bool": TypeDomain(TRUTH, (False, True))})
        self.placed: dict[str, dict[tuple[Value, ...], Value]] = {}
        self.things: set[str] = set()
        self.rows: list[str] = []

    def wrong(self, what: str) -> Invalid:
        """The error for a mistake in the file."""
        return Invalid(what, self.file)

    def many(self, values: int) -> None:
        """Count the values of a type or a table against the limits. Raises an error beyond them."""
        self.limits.tick(values)
        self.limits.hold(BYTES * values)

    def mapping(self, key: str) -> dict[Any, Any]:
        """The mapping behind a key of the file."""
        value = self.fields.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(f"`{key}` is no mapping")
        return value

    def read(self) -> ActionPuzzle:
        """Read the whole puzzle, in the order in which names are needed."""
        grid = self._grid()
        for name, value in self.mapping("types").items():
            self.names.domains[self.take(name)] = self.domain(value, name)
        for kind in ("state", "constants"):
            for name, value in self.mapping(kind).items():
                self.names.tables[self.take(name)] = self._table(name, kind, value)
        self._place(grid)
        for name, table in self.names.tables.items():
            self._fill_table(name, table)
        if not set(self.mapping("start")) <= set(self.mapping("state")):
            raise self.wrong("`start` names a table that the state does not have")
        for name, body in self.mapping("define").items():
            name = self.take(name)
            self._only(body, {"with", "is"}, f"the definition `{name}`")
            node = body.get("is") if isinstance(body, dict) else body
            parameters = self._parameters(body.get("with", {}) if isinstance(body, dict) else {})
            self.names.definitions[name] = (parameters, parsed(node[0] if isinstance(node, list) and node else node))
        if circles := definitions_in_circles(self.names.definitions):
            raise self.wrong(f"`{min(circles)}` is defined by itself")
        actions = {name: self._action(name, value) for name, value in self.mapping("actions").items()}
        said = json.dumps([(key, self.fields.get(key)) for key in sorted(KEYS | {"metrics"})])
        always, goal = self._conditions("always"), self._conditions("goal")
        if not actions or not goal or not self.mapping("state"):
            raise self.wrong("a puzzle has a state, actions and a goal")
        tables = {n: t for n, t in self.names.tables.items() if t.places is not None and not self.rows}
        start = [f"{name}: {', '.join(map(written, table.values.values()))}" for name, table in tables.items()]
        drawn = (*self.rows, *start, *(f"goal: {shown(part)}" for part in goal))
        return ActionPuzzle(said, drawn, self.names, actions, always, goal, self._prices(actions))

    # Names and types

    def free(self, name: str, *, local: bool = False) -> str:
        """A name that has no meaning yet. Raises `Invalid` if it has one, or is not a name. `here` means a cell in
        pictures only: a parameter, which is `local` to its action, may be called so.
        """
        if not NAME.fullmatch(name) or keyword.iskeyword(name):
            raise self.wrong(f"`{name[:40]}` cannot be a name")
        if name in self.names.taken or name in (WORDS - {"here"} if local else WORDS):
            raise self.wrong(f"`{name[:40]}` has a meaning already")
        return str(name)

    def take(self, name: str) -> str:
        """Declare a name."""
        self.names.taken.add(self.free(name))
        return str(name)

    def thing(self, name: str) -> str:
        """Declare an object of a type; another type may have named it before."""
        if name not in self.things:
            self.things.add(self.take(name))
        return str(name)

    def domain(self, value: Any, name: str | None = None) -> TypeDomain:
        """A type by its name, or written out: a range, or a list of names and of types. With `name`, it is declared."""
        if isinstance(value, Text):
            if name is None and value.strip() in self.names.domains:
                return self.names.domains[value.strip()]
            found = RANGE.fullmatch(value.strip())
            if not found or not 0 <= int(found[2]) - int(found[1]) < LARGEST_TYPE:
                raise self.wrong(f"there is no type `{value[:40]}`")
            self.many(int(found[2]) + 1 - int(found[1]))
            return TypeDomain(NUMBER, tuple(range(int(found[1]), int(found[2]) + 1)))
        values: dict[Value, None] = {}
        for item in value if isinstance(value, list) else [None]:
            if not isinstance(item, Text):
                raise self.wrong("a type is a range, or a list of names")
            if (known := self.names.domains.get(item)) is not None and known.kind == OBJECT:
                self.many(len(known.values))
                values |= dict.fromkeys(known.values)
                continue
            if item in values or item == "others":
                raise self.wrong(f"`{item[:40]}` is twice in a type, or cannot be a name")
            self.many(1)
            values[self.thing(item)] = None
            self.names.homes.setdefault(str(item), None)
        if len(values) > LARGEST_TYPE:
            raise Unsupported(f"{self.file}: a type with more than {LARGEST_TYPE:,} values")
        domain = TypeDomain(OBJECT, tuple(values))
        for thing in map(str, values) if name else ():
            if self.names.homes.get(thing) in (None, self.names.domains.get("direction")):
                self.names.homes[thing] = domain
        return domain

    def _parameters(self, value: Any) -> Parameters:
        if not isinstance(value, dict):
            raise self.wrong("`with` is a mapping of names and types")
        return tuple((self.free(name, local=True), self.domain(type_)) for name, type_ in value.items())

    def _only(self, value: Any, keys: set[str], where: str) -> None:
        if isinstance(value, dict) and not set(value) <= keys:
            raise Unsupported(f"{where} has a key that this checker does not know")

    def _table(self, name: str, kind: str, value: Any) -> Table:
        if isinstance(value, Text) and kind == "constants":  # `size: 5`
            type_ = "bool" if value in ("true", "false") else f"{value}..{value}"
            value = {"in": Text(type_), "value": value}
            self.fields = {**self.fields, kind: {**self.mapping(kind), name: value}}
        if not isinstance(value, dict):
            raise self.wrong(f"`{name}` is a mapping of `of`, `in` and values")
        keys = {"of", "in", "start", "different"} if kind == "state" else {"of", "in", "value"}
        self._only(value, keys, f"`{name}`")
        of = value.get("of", [])
        items = of if isinstance(of, list) else [] if of == "none" else [of]
        domains = tuple(self.domain(item) for item in items)
        domain = self.domain(value["in"]) if "in" in value else self.names.domains["bool"]
        if len(items) > 3 or prod(len(d.values) for d in domains) > LARGEST_TABLE or not domain.values:
            raise self.wrong(f"`{name}` has too many values, or none")
        if value.get("different", "false") not in ("true", "false"):
            raise self.wrong(f"`different` of `{name}` is true or false")
        return Table(domains, domain, {}, Places() if kind == "state" else None, value.get("different") == "true")

    # The map

    def _grid(self) -> dict[Cell, str]:
        """The characters of the map; declares directions and cells."""
        if "grid" not in self.fields:
            if "legend" in self.fields or "directions" in self.fields:
                raise self.wrong("`legend` or `directions` without a `grid`")
            return {}
        self.rows = rows = rows_of(self.fields["grid"], "grid", self.file)
        grid = {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}
        ways, legend = FOUR, self.mapping("legend")
        if "directions" in self.fields:
            ways = {}
            for name, pair in self.mapping("directions").items():
                if not isinstance(pair, list) or len(pair) != 2:
                    raise self.wrong(f"the direction `{name[:40]}` is not two numbers")
                ways[self.thing(name)] = (self._int(pair[0]), self._int(pair[1]))
        self.many(2 * len(grid))
        unknown = sorted(set(grid.values()) - set(legend) - set("#. "))
        if unknown or any(len(char) != 1 for char in legend):
            raise self.wrong(f"the legend does not say what `{''.join(unknown)[:10]}` is, or has a key that is no sign")
        walls = {char for char in grid.values() if _is_wall(legend.get(char), char)}
        self.names.directions = ways
        self.names.cells = frozenset(cell for cell, char in grid.items() if char not in walls)
        self.names.domains["cell"] = TypeDomain(CELL, tuple(sorted(self.names.cells)))
        self.names.domains["direction"] = TypeDomain(OBJECT, tuple(ways))
        self.names.homes |= dict.fromkeys(ways, self.names.domains["direction"])
        if not self.names.cells:
            raise self.wrong("the map has no cell")
        return grid

    def _place(self, grid: dict[Cell, str]) -> None:
        """Set the values that the legend gives to the cells of the map."""
        for char, entry in self.mapping("legend").items():
            self.limits.tick(len(self.names.cells))
            cells = sorted(cell for cell in self.names.cells if grid[cell] == char)
            words: list[tuple[Any, Any]]
            if isinstance(entry, dict):
                words = [(word, value) for word, value in entry.items() if word != "cell"]
            else:
                listed = entry if isinstance(entry, list) else [entry]
                plain = ["floor"] if isinstance(entry, list) else sorted({"floor", "wall"} - set(self.names.tables))
                words = [(word, None) for word in listed if word not in plain]
            for word, value in words if cells else ():
                if not isinstance(word, Text):
                    raise self.wrong("what stands on a cell is a word")
                self._put(word, value, cells)

    def _put(self, word: Text, value: Any, cells: list[Cell]) -> None:
        """Set one word of the legend on some cells: a table of cells, a single cell, or an object whose cell is in a
        table.
        """
        table = self.names.tables.get(word)
        if table is None and value is None:
            homes = self._homes(word)
            if len(homes) != 1:
                raise self.wrong(f"the legend's `{word[:40]}` is nothing that stands on a cell, or of two tables")
            if _holds_cells(home := self.names.tables[homes[0]]):
                self._set(homes[0], (str(word),), cells)
            else:
                for cell in cells:
                    self.put(homes[0], (cell,), next(v for v in home.domain.values if str(v) == word))
        elif table is None:
            raise self.wrong(f"the legend's `{word[:40]}` is no table")
        elif table.of and table.of[0].kind == CELL:
            items = value if isinstance(value, list) and len(table.of) == 2 else [value]
            if len(table.of) > 2 or (len(table.of) == 2 and (table.domain.kind != TRUTH or value is None)):
                raise self.wrong(f"the legend gives `{word}` no value")
            self.many(len(items) * len(cells))
            for item, cell in product(items, cells):
                if len(table.of) == 2:
                    self.put(word, (cell, self.value(item, table.of[1])), True)
                elif value is not None or table.domain.kind == TRUTH:
                    self.put(word, (cell,), True if value is None else self.value(value, table.domain))
                else:
                    raise self.wrong(f"the legend gives `{word}` no value")
        elif not table.of and table.domain.kind == CELL and value in (None, "here", "true"):
            self._set(word, (), cells)
        elif _holds_cells(table) and value is not None:
            for item in value if isinstance(value, list) else [value]:
                self._set(word, (self.value(item, table.of[0]),), cells)
        else:
            raise self.wrong(f"the legend's `{word}` is no table of cells")

    def _homes(self, word: Text) -> list[str]:
        """The tables to which a word of the legend alone belongs: those that say on which cell an object is, else those
        that give each cell a number or an object; those of the state before constants.
        """
        groups: list[list[str]] = [[], [], [], []]
        for name, table in self.names.tables.items():
            constant = table.places is None
            self.limits.tick(len(table.domain.values))
            if _holds_cells(table) and word in table.of[0].values:
                groups[constant].append(name)
            elif [d.kind for d in table.of] == [CELL] and table.domain.kind in (NUMBER, OBJECT):
                groups[2 + constant] += [name] if word in map(str, table.domain.values) else []
        return next(filter(None, groups), [])

    def _set(self, name: str, args: tuple[Value, ...], cells: list[Cell]) -> None:
        if len(cells) != 1:
            raise self.wrong(f"`{name}` stands on several cells of the map")
        self.put(name, args, cells[0])

    def put(self, name: str, args: tuple[Value, ...], value: Value) -> None:
        """Set a value of a table from the map. Raises an error if the map gives it two values."""
        if self.placed.setdefault(name, {}).setdefault(args, value) != value:
            raise self.wrong(f"`{name}` is placed twice on the map")

    # Values

    def _fill_table(self, name: str, table: Table) -> None:
        """Fill a table: from the map, else from its key, else with false. A `start` of the puzzle replaces map and
        key.
        """
        kind = "constants" if table.places is None else "state"
        node = self.mapping(kind)[name].get("value" if kind == "constants" else "start")
        placed = self.placed.get(name, {})
        self.many(3 * prod(len(domain.values) for domain in table.of))
        if kind == "state" and name in self.mapping("start"):
            node, placed = self.mapping("start")[name], {}
        values: dict[tuple[Value, ...], Value] = {}
        if node is not None:
            self._fill(table, node, (), values)
        values |= placed
        keys = list(product(*(domain.values for domain in table.of)))
        if table.domain.kind == TRUTH:
            values = dict.fromkeys(keys, False) | values
        if values.keys() != set(keys):
            raise self.wrong(f"`{name}` has no value for some of its arguments")
        if table.different and len(set(values.values())) < len(values):
            raise self.wrong(f"two values of `{name}` are equal, and are to be different")
        table.values.update((key, values[key]) for key in keys)

    def _fill(self, table: Table, node: Any, before: tuple[Value, ...], values: dict[Any, Value]) -> None:
        """Values below the arguments `before`: one for all, a list in order, or a mapping by argument."""
        left = table.of[len(before) :]
        rest = [d.values for d in left[1:]]
        if not left or isinstance(node, Text) or (table.domain.kind == CELL and _is_cell(node)):
            value = self.value(node, table.domain)
            self.limits.tick(prod(map(len, rest)) * (len(left[0].values) if left else 1))
            for key in product(*(d.values for d in left)):
                values.setdefault((*before, *key), value)
        elif isinstance(node, dict):
            keys = {key: self.value(key, left[0]) for key in node if key != "others"}
            if len(set(keys.values())) < len(keys):
                raise self.wrong("a mapping has an argument twice")
            for key, value in keys.items():
                self._fill(table, node[key], (*before, value), values)
            self.limits.tick(len(values))
            named = {key[len(before)] for key in values if key[: len(before)] == before}
            for value in left[0].values if "others" in node else ():
                if value not in named:
                    self._fill(table, node["others"], (*before, value), values)
        elif isinstance(node, list) and table.domain.kind == TRUTH and not {"true", "false"} & {*map(str, node)}:
            for item in node:  # those for which it is true
                self.limits.tick(prod(map(len, rest)))
                first = self.value(item, left[0])
                values |= {(*before, first, *key): True for key in product(*rest)}
        elif isinstance(node, list):
            if len(node) != len(left[0].values):
                raise self.wrong("a list of values is not as long as its type")
            for value, item in zip(left[0].values, node, strict=True):
                self._fill(table, item, (*before, value), values)

    def value(self, node: Any, domain: TypeDomain) -> Value:
        """A value of a type as it is written. A cell is `r3c4` or `{row: 3, col: 4}`."""
        self.limits.tick(1 + len(domain.values) // 16)
        found: Value | None = None
        if domain.kind == CELL and _is_cell(node):
            found = (self._int(node["row"]) - 1, self._int(node["col"]) - 1)
        elif domain.kind == CELL and isinstance(node, Text) and (place := CELL_NAME.fullmatch(node)):
            found = (int(place[1]) - 1, int(place[2]) - 1)
        elif domain.kind == NUMBER:
            found = self._int(node)
        elif domain.kind == TRUTH and isinstance(node, Text) and not node.style and node in ("true", "false"):
            found = node == "true"
        elif domain.kind == OBJECT and isinstance(node, Text):
            found = str(node).strip()
        if found is None or found not in domain.values:
            raise self.wrong(f"`{str(node)[:40]}` is no value of its type")
        return found

    def _int(self, node: Any) -> int:
        if not isinstance(node, Text) or node.style or not re.fullmatch("-?(0|[1-9][0-9]{0,8})", node):
            raise self.wrong(f"`{str(node)[:40]}` is no whole number")
        return int(node)

    # Actions and conditions

    def _action(self, name: str, value: Any) -> Action:
        if not isinstance(value, dict) or not isinstance(value.get("set"), dict) or not NAME.fullmatch(name):
            raise self.wrong(f"the action `{name[:40]}` has no name, or sets nothing")
        self._only(value, {"with", "let", "when", "set", "cost"}, f"the action `{name[:40]}`")
        parameters = self._parameters(value.get("with", {}))
        sets = tuple((parsed(place), parsed(new)) for place, new in value["set"].items())
        cost = parsed(value["cost"]) if "cost" in value else None
        return Action(parameters, self._conditions("when", value), sets, cost, self._let(value, parameters))

    def _let(self, action: dict[str, Any], parameters: Parameters) -> tuple[tuple[str, ast.expr], ...]:
        """The names of `let`, each with its expression."""
        let = action.get("let", {})
        if not isinstance(let, dict):
            raise self.wrong("`let` gives no names")
        for name in let:
            if self.free(name, local=True) in dict(parameters):
                raise self.wrong(f"`{name[:40]}` in `let` is a parameter already")
        return tuple((str(name), parsed(value)) for name, value in let.items())

    def _conditions(self, key: str, fields: dict[str, Any] | None = None) -> Conditions:
        value = (self.fields if fields is None else fields).get(key, [])
        return tuple(parsed(item) for item in (value if isinstance(value, list) else [value]))

    def _prices(self, actions: dict[str, Action]) -> dict[str, dict[str, ast.expr | bool]]:
        prices: dict[str, dict[str, ast.expr | bool]] = {}
        for name, value in (self.mapping("metrics") or {"moves": "cost"}).items():
            if isinstance(value, dict):
                prices[str(name)] = {str(action): parsed(price) for action, price in value.items()}
            else:
                listed = actions if value == "cost" else value if isinstance(value, list) else [None]
                prices[str(name)] = {str(action): value == "cost" or ast.Constant(1) for action in listed}
            if not set(prices[str(name)]) <= set(actions) or not NAME.fullmatch(name):
                raise self.wrong(f"`{name[:40]}` counts what is no action")
        return prices


def _is_wall(entry: Any, char: str) -> bool:
    if isinstance(entry, dict):
        return bool(entry.get("cell") == "false")
    return bool(entry == "wall" if entry is not None else char == "#")


def _is_cell(node: Any) -> bool:
    return isinstance(node, dict) and set(node) == {"row", "col"}


def _holds_cells(table: Table) -> bool:
    """Whether a table says on which cell each object is."""
    return len(table.of) == 1 and table.domain.kind == CELL
