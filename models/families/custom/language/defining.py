"""Definitions: expressions with a name. A definition is checked after the definitions that it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from ....documents.document import Entry, Mapping, Node, Report, Sequence
from ....documents.fields import Fields
from ..declarations import Declarations
from ..puzzle import Definition, Parameters
from .checking import Checker
from .expressions import Local, Use
from .syntax import Source, height_of, sources
from .values import UNKNOWN, Locals, Named, Type

MAX_HEIGHT = 120
"""The most levels of an expression with the definitions that it uses; functions that read expressions are recursive."""


@dataclass
class Definitions:
    """The definitions of one file. `checked`: None for one that has errors."""

    report: Report
    declared: dict[str, tuple[Parameters, Node]] = field(default_factory=dict)
    checked: dict[str, tuple[Definition, Type] | None] = field(default_factory=dict)
    heights: dict[str, int] = field(default_factory=dict)

    def declare(self, entries: Iterable[Entry], declarations: Declarations) -> None:
        """Make the names and parameters known."""
        for entry in entries:
            name, body = declarations.name(entry.key, "definition"), entry.value
            parameters: Parameters = ()
            node: Node | None = body
            if isinstance(body, Mapping):
                inner = Fields(body, self.report, ("with", "is"), f"`{entry.key.text}`")
                node = inner.node("is", required=True, example="is: all(at[x] != c for x in robot)")
                parameters = declarations.parameters(inner.node("with"), f"`{entry.key.text}`")
            if name is not None:
                declarations.scope.definitions[name] = parameters
                if node is None:
                    self.checked[name] = None
                else:
                    self.declared[name] = (parameters, node)

    def result_of(self, name: str) -> Type | None:
        """The type of a definition; None if it has errors."""
        found = self.checked[name]
        return found[1] if found is not None else None

    def check(self, checker: Checker) -> None:
        """Check all definitions."""
        found = {name: self._source(name) for name in self.declared}
        uses = {name: self._uses(source) for name, source in found.items()}
        for name in self._in_order(uses):
            source = found[name]
            if name in self.checked or source is None:
                self.checked[name] = None
                continue
            self.heights[name] = height_of(source.tree) + max((self.heights.get(n, 0) for n in uses[name]), default=0)
            if self.heights[name] > MAX_HEIGHT:
                message = f"`{name}` is nested too deeply, with the definitions that it uses"
                self.report.error(source.span(source.tree), message, "let fewer definitions use each other")
                self.checked[name], self.heights[name] = None, 0  # those that use it say nothing more
                continue
            parameters = self.declared[name][0]
            typed = checker.any(source, {parameter: Type.of(domain) for parameter, domain in parameters})
            self.checked[name] = None if typed is None else (Definition(parameters, typed[0]), typed[1])

    def let(self, checker: Checker, name: str, source: Source, parameters: Parameters, names: Locals) -> Type:
        """The type of a name in `let` of an action: a definition of its own, with the action's parameters."""
        used = [part.id for part in ast.walk(source.tree) if isinstance(part, ast.Name)]
        uses = [named.expr for n in used if isinstance(named := names.get(n), Named)]
        several = (*used, *(use.name for use in uses if isinstance(use, Use)))
        self.heights[name] = height_of(source.tree) + max((self.heights.get(n, 0) for n in several), default=0)
        if self.heights[name] > MAX_HEIGHT:
            message = f"`{name}` is nested too deeply, with the definitions that it uses"
            self.report.error(source.span(source.tree), message, "let fewer names use each other")
            return Type(UNKNOWN)
        typed = checker.any(source, names)
        if typed is None:
            return Type(UNKNOWN)
        self.checked[name] = Definition(parameters, typed[0]), typed[1]
        found = typed[1]
        return Named(
            found.kind, found.low, found.high, found.members, Use(name, tuple(Local(p) for p, _ in parameters))
        )

    def _source(self, name: str) -> Source | None:
        """The expression of a definition; None, with the problem recorded, if there is none."""
        node = self.declared[name][1]
        if isinstance(node, Sequence) and len(node.items) == 1:
            node = node.items[0]
        if isinstance(node, Sequence):
            self.report.error(node, f"`{name}` is one expression, not a list", "join them with `and`")
            return None
        return next(sources(node, self.report, f"`{name}`"), None)

    def _uses(self, source: Source | None) -> list[str]:
        """The names of the definitions that an expression uses."""
        parts = ast.walk(source.tree) if source is not None else ()
        return list(dict.fromkeys(part.id for part in parts if isinstance(part, ast.Name) and part.id in self.declared))

    def _in_order(self, uses: dict[str, list[str]]) -> list[str]:
        """The definitions in an order in which each comes after those that it uses; circles are recorded as
        problems.
        """
        order: list[str] = []
        begun: set[str] = set()
        for first in uses:
            path = {first: iter(uses[first])} if first not in begun else {}
            begun.add(first)
            while path:
                name = next(reversed(path))
                used = next(path[name], None)
                if used is None:
                    order.append(name)
                    del path[name]
                elif used in path:
                    names = list(path)
                    circle = " -> ".join([*names[names.index(used) :], used])
                    message = f"`{used}` is defined by itself: {circle}"
                    self.report.error(self.declared[used][1], message, "a definition may only use others")
                    self.checked[used] = None
                elif used not in begun:
                    begun.add(used)
                    path[used] = iter(uses[used])
        return order
