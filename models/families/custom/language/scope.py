"""The names of a puzzle file and what they are, and the types of expressions.

A type is a kind and what is known of the values: the members of an object type, the range of numbers. `TRUTH`,
`NUMBER`, `OBJECT`, `CELL`, `VECTOR` and `TEXT` are the kinds.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ....cells import Cell
from ....documents.document import Scalar
from ..puzzle import Domain, Parameters
from .expressions import Expr, Value, text_of
from .syntax import Source
from .values import FUNCTIONS

TRUTH, NUMBER, OBJECT, CELL, VECTOR, TEXT = "truth", "number", "object", "cell", "vector", "text"

UNKNOWN = "unknown"
"""The kind of a type that has errors; nothing more is reported about values of such a type."""

WORDS = frozenset((*FUNCTIONS, "true", "false", "True", "False", "and", "or", "not", "if", "else", "for", "in", "is"))
"""Words with a meaning of their own, which nothing can be named."""

TYPES = ("bool", "cell", "direction", "int")
"""Names of types that every file has."""


@dataclass(frozen=True, slots=True)
class Type:
    """The type of an expression: its kind; the range `low` to `high` of a number; the objects that it can be
    (`members`).
    """

    kind: str
    low: int = 0
    high: int = 0
    members: tuple[Value, ...] = ()

    @staticmethod
    def of(domain: Domain) -> Type:
        if domain.kind == NUMBER:
            numbers = [value for value in domain.values if isinstance(value, int)]
            return Type(NUMBER, min(numbers, default=0), max(numbers, default=0))
        return Type(domain.kind, members=domain.values if domain.kind in (OBJECT, CELL) else ())

    def describe(self) -> str:
        """For messages: `a truth value`, `one of left, right`."""
        if self.kind == OBJECT:
            shown = ", ".join(map(str, self.members[:4])) + (", ..." if len(self.members) > 4 else "")
            return f"one of {shown}" if len(self.members) > 1 else f"the object {shown}"
        names = {TRUTH: "a truth value", NUMBER: "a number", CELL: "a cell", VECTOR: "a vector", TEXT: "a text"}
        return names[self.kind]


@dataclass(frozen=True, slots=True)
class Named(Type):
    """The type of a name that stands for an expression, as in `let` of an action."""

    expr: Expr | None = None


TRUE_OR_FALSE = Type(TRUTH)


@dataclass(frozen=True, slots=True)
class Signature:
    """A table as expressions use it: the domains of its arguments, and of its values."""

    name: str
    of: tuple[Domain, ...]
    domain: Domain
    different: bool = False


@dataclass
class Scope:
    """All names of a file. `objects`: each object with the name of a type that has it."""

    domains: dict[str, Domain] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    directions: dict[str, Cell] = field(default_factory=dict)
    cells: frozenset[Cell] = frozenset()
    state: dict[str, Signature] = field(default_factory=dict)
    constants: dict[str, Signature] = field(default_factory=dict)
    definitions: dict[str, Parameters] = field(default_factory=dict)
    declared: dict[str, tuple[str, Scalar]] = field(default_factory=dict)

    def has_errors(self, name: str) -> bool:
        """Whether a name was declared with errors and so cannot be used: they have been reported, and one report is
        enough.
        """
        return name in self.declared and not any(
            name in known for known in (self.domains, self.objects, self.state, self.constants, self.definitions)
        )

    def names(self) -> list[str]:
        """Everything that an expression can name, for suggestions."""
        return [*self.state, *self.constants, *self.definitions, *self.objects, *FUNCTIONS]


def example_of_goal(scope: Scope) -> str:
    """A goal that the tables of a file could have, for an author who has written none."""
    tables = scope.state.values()
    for table in tables:
        if table.domain.kind == TRUTH and len(table.of) == 1:
            return f"all({table.name})"
    for table in tables:
        value = text_of(table.domain.values[-1])
        if not table.of and table.domain.kind != TRUTH:
            return f"{table.name} == {value}"
        if len(table.of) == 1 and table.of[0].name in scope.domains:
            loop = next(name for name in ("x", "y", "z", "each") if name not in scope.declared)
            return f"all({table.name}[{loop}] == {value} for {loop} in {table.of[0].name})"
    return "..."


Typed = tuple[Expr, Type]
Locals = Mapping[str, Type]


class Checks(Protocol):
    """The interface of the checker that checks of functions, operators and loops use."""

    scope: Scope
    source: Source

    def visit(self, node: ast.AST, names: Locals) -> Typed | None: ...

    def truth(self, node: ast.expr, names: Locals) -> Expr | None: ...

    def wrong(self, node: ast.AST, message: str, hint: str = "") -> None: ...

    def use(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None: ...

    def vector(self, found: Typed) -> Expr | None: ...

    def look_up(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None: ...

    def result_of(self, name: str) -> Type | None: ...
