"""Reading what a file declares: types, directions, the map and its legend, tables of the state and of constants."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable

from ...cells import DIRECTIONS, Cell
from ...documents.document import Entry, Mapping, Node, Report, Scalar, Sequence, describe
from ...documents.fields import Fields, entries
from ...text import suggest
from .language.expressions import Value
from .language.syntax import RANGE
from .language.values import CELL, NUMBER, OBJECT, TYPES, UNKNOWN, WORDS, Scope, Signature
from .puzzle import TRUTH, Domain

MAX_VALUES = 10_000
"""The most values of a type."""

MAX_PLACES = 100_000
"""The most values of a table."""

FOUR = dict(zip(("up", "down", "left", "right"), DIRECTIONS.values(), strict=True))

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Declarations:
    """Fills a scope from the keys `types`, `directions`, `state` and `constants`."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.scope = Scope(domains={"bool": TRUTH})

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
                key, f"`{text}` is the name of {_a(first)} already (line {self.report.problem(at).line})", "rename one"
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
            found = self._range(node, name)
            if found is None:
                hint = f"write `[{node.text}]`" if "," in node.text else "write a list, or a range `1..8`"
                self.report.error(node, f"the type `{name}` cannot be {describe(node)}", hint)
            return found
        if not isinstance(node, Sequence):
            self.report.error(node, f"the type `{name}` must be a list, not {describe(node)}", "write `[left, right]`")
            return None
        values: dict[Value, None] = {}  # in order
        good = True
        for item in node.items:
            if not isinstance(item, Scalar):
                self.report.error(item, f"a value of `{name}` is a name, not {describe(item)}")
                good = False
            elif item.text in self.scope.domains and self.scope.domains[item.text].kind == OBJECT:
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
        return Domain(name, OBJECT, tuple(values)) if good else None

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
            return Domain(name, NUMBER, (0,))
        return Domain(node.text.strip(), NUMBER, tuple(range(low, high + 1)))

    def domain(self, node: Node, what: str) -> Domain | None:
        """The type that is named, or written out, in a place where one is needed."""
        if isinstance(node, Sequence):
            return self._values(node, what)
        if isinstance(node, Scalar):
            text = node.text.strip()
            if text in self.scope.domains:
                return self.scope.domains[text]
            if found := self._range(node, text):
                return found
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
        found: list[tuple[str, Domain]] = []
        for entry in self.entries(node, "with", "x: item"):
            name = entry.key.text
            self.local(entry.key, (), f"a parameter of {what}")
            found.append((name, self.domain(entry.value, f"`{name}`") or Domain(name, UNKNOWN, ())))
        return tuple(found)

    def local(self, key: Scalar, others: Container[str], what: str) -> None:
        """Record a problem if a name of an action or a definition cannot be one, or has a meaning already."""
        name = key.text
        if not NAME.fullmatch(name) or keyword.iskeyword(name):
            self.report.error(key, f"`{name[:40]}` cannot be a name", "write letters, digits and `_`")
        elif name in self.scope.declared or name in WORDS or name in TYPES or name in others:
            known = self.scope.declared[name][0] if name in self.scope.declared else "word of the language"
            first = "name of this action" if name in others else known
            self.report.error(key, f"`{name}` is {_a(first)}, and cannot be {what}", "give it another name")

    # Directions and cells

    def directions(self, node: Node | None, cells: Iterable[Cell]) -> None:
        """Declare the directions (the file's, else the usual four) and the type `cell`."""
        self.scope.cells = frozenset(cells)
        self.scope.domains["cell"] = Domain("cell", CELL, tuple(sorted(self.scope.cells)))
        found: dict[str, Cell] = {}
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
                found[name] = (steps[0], steps[1])
        self.scope.directions = found if node is not None else dict(FOUR)
        for name in self.scope.directions:
            self.scope.objects.setdefault(name, "direction")
        self.scope.domains["direction"] = Domain("direction", OBJECT, tuple(self.scope.directions))

    # Tables

    def signature(self, key: Scalar, value: Node, kind: str) -> tuple[Signature, Fields] | None:
        """A table of the state (`of`, `in`, `start`) or of constants (`of`, `in`, `value`)."""
        name = self.name(key, f"table of {kind}")
        given = "start" if kind == "the state" else "value"
        if not isinstance(value, Mapping):
            example = f"write `{key.text}: {{of: item, in: bool}}`"
            self.report.error(value, f"`{key.text}` must be a mapping of `of`, `in` and `{given}`", example)
            return None
        keys = ("of", "in", given, "different") if given == "start" else ("of", "in", given)
        fields = Fields(value, self.report, keys, f"`{key.text}`")
        different = fields.choice("different", ("true", "false"))
        of = self._of(fields.node("of"))
        inside = fields.node("in")
        domain = TRUTH if inside is None else self.domain(inside, f"`{key.text}`")
        if name is None or of is None or domain is None:
            return None
        places = 1
        for one in of:
            places *= len(one.values)
        if places > MAX_PLACES:
            self.report.error(key, f"`{name}` has {places:,} values; at most {MAX_PLACES:,} are allowed")
            return None
        if not domain.values:
            self.report.error(inside or key, f"the type of `{name}` has no values")
            return None
        return Signature(name, of, domain, different == "true"), fields

    def _of(self, node: Node | None) -> tuple[Domain, ...] | None:
        if node is None or (isinstance(node, Scalar) and node.text == "none"):
            return ()
        items = node.items if isinstance(node, Sequence) else (node,)
        if len(items) > 3:
            self.report.error(node, "a table has at most three arguments")
            return None
        found = [self.domain(item, "an argument") for item in items]
        good = tuple(domain for domain in found if domain is not None)
        return good if len(good) == len(found) else None


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
