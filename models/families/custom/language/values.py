"""The operators and functions of the language, each in one table: what it takes, how it is used, its value.

The checker of types reads what they take, the evaluator and the compiler compute with their values. Values that are
missing (a cell off the board) do not come here: what is asked of them has no value either.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from ....cells import Cell
from ....documents.compose import Scalar
from ..puzzle import Custom, Domain, Parameters, ValueTable
from .expressions import Expr, Value, Vector, text_of
from .syntax import Source

# What is connected: the cells that are reached from a cell by steps in the directions, where a definition allows
# them.
#
#     connected(a, b, same)      for c in region(a, same)      with   same(from, to): colour[from] == colour[to]
#
# The definition is asked with the cell that a step leads to, with both cells, or with the cell before it and the
# direction.

T = TypeVar("T")

AskedStep = tuple[Cell, tuple[Value, ...]]
"""The cell that a step leads to, and what its definition is asked with."""


def steps_from(board: Custom, here: Cell, asks: str) -> Iterator[AskedStep]:
    """The steps from a cell to others on the board; `asks` as in `Connected`."""
    for way, (rows, columns) in board.directions.items():
        there = (here[0] + rows, here[1] + columns)
        if there in board.cells and there != here:
            yield there, asked_of(asks, here, there, way)


def asked_of(asks: str, here: T, there: T, way: T) -> tuple[T, ...]:
    """What a definition that allows steps is asked with; `asks` as in `Connected`."""
    return (there,) if asks == "cell" else (here, there if asks == "cells" else way)


def region(board: Custom, start: Cell, asks: str, allowed: Callable[[tuple[Value, ...]], bool]) -> set[Cell]:
    """The cells that are reached from a cell, itself among them, by steps for which `allowed` is true."""
    reached, waiting = {start}, [start]
    while waiting:
        for there, asked in steps_from(board, waiting.pop(), asks):
            if there not in reached and allowed(asked):
                reached.add(there)
                waiting.append(there)
    return reached


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _add(a: Any, b: Any) -> Value:
    return Vector(a[0] + b[0], a[1] + b[1]) if isinstance(a, tuple) else a + b


def _subtract(a: Any, b: Any) -> Value:
    return Vector(a[0] - b[0], a[1] - b[1]) if isinstance(a, tuple) else a - b


ARITHMETIC: dict[str, Callable[[Any, Any], Value | None]] = {
    "+": _add,
    "-": _subtract,
    "*": operator.mul,
    "//": lambda a, b: a // b if b else None,
    "%": lambda a, b: a % b if b else None,
    "min": min,
    "max": max,
    "times": lambda n, vector: Vector(n * vector[0], n * vector[1]),
    "abs": lambda _, b: abs(b),
    "said": lambda a, b: f"{text_of(a)} {text_of(b)}",
}
"""Arithmetic of numbers; `+` and `-` also of vectors, `times` of a number and a vector. Division by 0 has no value."""


@dataclass(frozen=True, slots=True)
class ValueFunction:
    """A function of values. `kinds`: the kinds of its arguments; none for numbers, two or more."""

    sentence: str
    usage: str
    kinds: tuple[str, ...]


VALUE_FUNCTIONS = {
    "other": ValueFunction("the other value of a type of two", "other(x)", ("any",)),
    "row": ValueFunction("the row of a cell, from 1", "row(c)", ("cell",)),
    "col": ValueFunction("the column of a cell, from 1", "col(c)", ("cell",)),
    "min": ValueFunction("the smallest", "min(a, b)", ()),
    "max": ValueFunction("the largest", "max(a, b)", ()),
    "abs": ValueFunction("a number without its sign", "abs(n)", ("number",)),
    "opposite": ValueFunction("the opposite direction", "opposite(d)", ("object",)),
    "cell": ValueFunction("a cell by its row and column", "cell(3, 4)", ("number", "number")),
}

FUNCTIONS = {
    **{name: function.sentence for name, function in VALUE_FUNCTIONS.items()},
    "slide": "the last cell of a movement until blocked",
    "connected": "whether a cell is reached from another by steps that a definition allows",
    "region": "the cells that are connected with a cell, in a loop",
    "all": "whether all are true",
    "any": "whether one is true",
    "count": "how many are true",
    "sum": "the sum of numbers",
    "the": "the value that meets a condition",
    "first": "the first value that meets a condition, or another if none does",
    "different": "whether no two values are equal",
    "loop": "whether edges are one closed loop",
    "neighbours": "the cells next to a cell, in a loop",
}
"""All functions with a sentence: those of values, and those with a loop or a definition in them."""

# The names of a puzzle file and what they are, and the types of expressions.
#
# A type is a kind and what is known of the values: the members of an object type, the range of numbers.


class Kind(StrEnum):
    """What the values of a type are. `UNKNOWN`: those of a type with errors; nothing more is reported about them."""

    TRUTH = "truth"
    NUMBER = "number"
    OBJECT = "object"
    CELL = "cell"
    VECTOR = "vector"
    TEXT = "text"
    UNKNOWN = "unknown"


_RESERVED = ("never", "true", "false", "True", "False", "and", "or", "not", "if", "else", "for", "in", "is")
WORDS = (FUNCTIONS.keys() - {"first"}).union(_RESERVED)
"""Words with a meaning of their own, which nothing can be named. (`first` is what many peg and cell is called.)"""

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
        if domain.kind == Kind.NUMBER:
            numbers = [value for value in domain.values if isinstance(value, int)]
            return Type(Kind.NUMBER, min(numbers, default=0), max(numbers, default=0))
        return Type(domain.kind, members=domain.values if domain.kind in (Kind.OBJECT, Kind.CELL) else ())

    def describe(self) -> str:
        """For messages: `a truth value`, `one of left, right`."""
        if self.kind == Kind.OBJECT:
            shown = ", ".join(map(str, self.members[:4])) + (", ..." if len(self.members) > 4 else "")
            return f"one of {shown}" if len(self.members) > 1 else f"the object {shown}"
        return "a truth value" if self.kind == Kind.TRUTH else f"a {self.kind}"


@dataclass(frozen=True, slots=True)
class Named(Type):
    """The type of a name that stands for an expression, as in `let` of an action."""

    expr: Expr | None = None


TRUE_OR_FALSE = Type(Kind.TRUTH)


@dataclass
class Scope:
    """All names of a file, tables without their values. `objects`: each object with the name of a type that has it."""

    domains: dict[str, Domain] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)
    directions: dict[str, Cell] = field(default_factory=dict)
    cells: frozenset[Cell] = frozenset()
    state: dict[str, ValueTable] = field(default_factory=dict)
    constants: dict[str, ValueTable] = field(default_factory=dict)
    definitions: dict[str, Parameters] = field(default_factory=dict)
    declared: dict[str, tuple[str, Scalar]] = field(default_factory=dict)

    def has_errors(self, name: str) -> bool:
        """Whether a name was declared with errors and so cannot be used: they have been reported, and one report is
        enough.
        """
        return name in self.declared and not any(
            name in names for names in (self.domains, self.objects, self.state, self.constants, self.definitions)
        )

    def names(self) -> list[str]:
        """Everything that an expression can name, for suggestions."""
        return [*self.state, *self.constants, *self.definitions, *self.objects, *FUNCTIONS]


def example_of_goal(scope: Scope) -> str:
    """A goal that the tables of a file could have, for an author who has written none."""
    tables = scope.state.values()
    for table in tables:
        if table.domain.kind == Kind.TRUTH and len(table.of) == 1:
            return f"all({table.name})"
    for table in tables:
        value = text_of(table.domain.values[-1])
        if not table.of and table.domain.kind != Kind.TRUTH:
            return f"{table.name} == {value}"
        if len(table.of) == 1 and table.of[0].name in scope.domains:
            loop = next(name for name in ("x", "y", "z", "each") if name not in scope.declared)
            return f"all({table.name}[{loop}] == {value} for {loop} in {table.of[0].name})"
    return "..."


Typed = tuple[Expr, Type]
Locals = Mapping[str, Type]


class WrongPartError(Exception):
    """A part of an expression is wrong, and was reported: nothing more is said of what contains it."""


class Checks(Protocol):
    """The interface of the checker that checks of functions, operators and loops use. All raise `WrongPartError`."""

    scope: Scope
    source: Source

    def visit(self, node: ast.AST, names: Locals) -> Typed: ...

    def visits(self, nodes: Iterable[ast.AST], names: Locals) -> list[Typed]: ...

    def truth(self, node: ast.expr, names: Locals) -> Expr: ...

    def wrong(self, node: ast.AST, message: str, hint: str = "") -> WrongPartError: ...

    def use(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed: ...

    def vector(self, typed: Typed) -> Expr | None: ...

    def look_up(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed: ...

    def result_of(self, name: str) -> Type: ...


def every(checks: Iterable[Callable[[], Any]]) -> list[Any]:
    """The results of all checks. One that fails ends this (`WrongPartError`) only after the last one, so that its
    author sees all that is wrong.
    """
    results: list[Any] = []
    failure: WrongPartError | None = None
    for check in checks:
        try:
            results.append(check())
        except WrongPartError as error:
            failure = error
    if failure is not None:
        raise failure
    return results
