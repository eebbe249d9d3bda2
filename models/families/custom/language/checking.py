"""Checking expressions: from Python's syntax tree to nodes with every name resolved, and the type of each.

What is wrong is recorded with its place, and checking goes on beside it, so that the author sees all errors of a file
at once. A part with an error raises `WrongPartError`, and nothing more is said of what contains it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from ....documents.compose import Entry, Mapping, Node, Sequence
from ....documents.document import Report
from ....documents.fields import Fields
from ....moves import MOST_OF_A_STEP
from ....text import closest, counted, suggest
from ..declarations import Declarations
from ..puzzle import Definition, Domain, Parameters, ValueTable
from . import operators
from .expressions import And, Const, Expr, Local, Loop, Or, Use, VectorOf, in_order
from .operators import TURNS, within
from .syntax import Source, height_of, sources
from .values import FUNCTIONS, TRUE_OR_FALSE, Kind, Locals, Named, Scope, Type, Typed, WrongPartError, every

T = TypeVar("T")

CELL_NAME = re.compile(r"r(\d{1,5})c(\d{1,5})")
"""A cell as it is written in `start` and in plans: `r3c2`."""

_UNKNOWN_NODES: dict[type[ast.AST], tuple[str, str]] = {
    ast.Attribute: ("nothing has parts that are named with a dot", "write `at[x]` for `at.x` or `x.at`; `row(c)`, ..."),
    ast.Lambda: ("there are no functions without a name", "name it in `define`"),
    ast.Dict: ("there are no dictionaries in expressions", "put a table into `constants`"),
    ast.JoinedStr: ("there are no texts with braces in expressions", ""),
    ast.NamedExpr: ("nothing is assigned in an expression", "assign in `set`, or give it a name in `define`"),
    ast.Starred: ("there is no `*` before a list", ""),
    ast.Slice: ("there are no slices", "name each argument"),
}


class Checker:
    """Checks the expressions of one file.

    `result_of(name)` gives the type of a definition. Raises `WrongPartError` if it has errors.
    """

    def __init__(self, scope: Scope, report: Report, result_of: Callable[[str], Type]) -> None:
        self.scope, self.report, self.result_of = scope, report, result_of
        self.source: Source
        self.texts = False

    # What a whole expression may be

    def condition(self, source: Source, names: Locals, what: str) -> Expr | None:
        """The checked form of an expression that must be a truth value; None, with the problem recorded, if it is
        not.
        """
        typed = self.any(source, names)
        if typed is None or typed[1].kind == Kind.TRUTH:
            return typed and typed[0]
        message = f"{what} must be true or false, but `{source.written(source.tree)}` is {typed[1].describe()}"
        self.report.error(source.span(source.tree), message, "compare it: `==`, `!=`, `<`, ...")
        return None

    def value(self, source: Source, names: Locals, domain: Domain, what: str) -> Expr | None:
        """The checked form of an expression that must fit a domain; None, with the problem recorded, if it does not."""
        fitting = self._tried(source, partial(self._fitting, [(source.tree, domain, what)], names))
        return fitting[0] if fitting else None

    def any(self, source: Source, names: Locals) -> Typed | None:
        """The checked form of an expression and its type; None, with the problem recorded, if it has errors."""
        return self._tried(source, partial(self.visit, source.tree, names))

    def target(self, source: Source, names: Locals) -> tuple[str, tuple[Expr, ...], tuple[Loop, ...], Locals] | None:
        """The place that an assignment sets: its table, its arguments, its loops, and the names that the new value
        may use; None, with the problem recorded, if it has errors.
        """
        return self._tried(source, partial(self._target, source.tree, names))

    def _tried(self, source: Source, check: Callable[[], T]) -> T | None:
        """What a check of an expression gives; None, with the problem recorded, if it has errors."""
        self.source = source
        with suppress(WrongPartError):
            return check()
        return None

    def _target(self, node: ast.expr, names: Locals) -> tuple[str, tuple[Expr, ...], tuple[Loop, ...], Locals]:
        around, inner = tuple[Loop, ...](), names
        if isinstance(node, ast.GeneratorExp):
            around, inner = within(self, node.generators, names)
            node = node.elt
        table = node.value if isinstance(node, ast.Subscript) else node
        if not isinstance(table, ast.Name) or table.id not in self.scope.state:
            name = self.source.written(table)
            if self.scope.has_errors(name):
                raise WrongPartError
            why = f"`{name}` is a constant, and never changes" if name in self.scope.constants else ""
            raise self.wrong(table, why or f"`{name}` is not a table of the state", suggest(name, self.scope.state))
        args = _arguments_of(node) if isinstance(node, ast.Subscript) else ()
        return table.id, self.arguments(node, self.scope.state[table.id], args, inner), around, inner

    # Nodes

    def visit(self, node: ast.AST, names: Locals) -> Typed:
        """The checked form of a node and its type."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node, names)
            case ast.Subscript():
                return self._subscript(node, names)
            case ast.Call():
                return operators.call(self, node, names)
            case ast.BoolOp():
                parts = tuple(every(partial(self.truth, value, names) for value in node.values))
                return And(parts) if isinstance(node.op, ast.And) else Or(parts), TRUE_OR_FALSE
            case ast.UnaryOp():
                return operators.unary(self, node, names)
            case ast.Compare():
                return operators.comparison(self, node, names)
            case ast.BinOp():
                return operators.binary(self, node, names)
            case ast.IfExp():
                return operators.choice(self, node, names)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                inside = self.source.written(node).removeprefix("(").removesuffix(")")
                hint = f"write `all({inside})`, say" if len(inside) < 100 else ""
                raise self.wrong(node, "a loop stands within `all(...)`, `any(...)`, `count(...)`, `sum(...)`", hint)
            case ast.List() | ast.Tuple() | ast.Set():
                raise self.wrong(node, "a list stands only behind `in`", "write `x in [a, b]`")
        message, hint = _UNKNOWN_NODES.get(type(node), ("this is not a part of the language", ""))
        raise self.wrong(node, message, hint)

    def visits(self, nodes: Iterable[ast.AST], names: Locals) -> list[Typed]:
        """The checked forms of several nodes and their types."""
        return every(partial(self.visit, node, names) for node in nodes)

    def truth(self, node: ast.expr, names: Locals) -> Expr:
        """The checked form of a node that must be a truth value."""
        expr, kind = self.visit(node, names)
        if kind.kind == Kind.TRUTH:
            return expr
        message = f"`{self.source.written(node)}` is {kind.describe()}, where true or false is needed"
        raise self.wrong(node, message, "compare it: `==`, `!=`, `<`, ...")

    def wrong(self, node: ast.AST, message: str, hint: str = "") -> WrongPartError:
        """Record what is wrong with a node; gives what is to be raised."""
        self.report.error(self.source.span(node), message, hint)
        return WrongPartError()

    def _constant(self, node: ast.Constant) -> Typed:
        value = node.value
        if isinstance(value, bool):
            return Const(value), TRUE_OR_FALSE
        if isinstance(value, int) and value <= MOST_OF_A_STEP:
            return Const(value), Type(Kind.NUMBER, value, value)
        if isinstance(value, int | float):
            raise self.wrong(node, f"numbers are whole, and at most {MOST_OF_A_STEP:,}")
        if isinstance(value, str) and self.texts:
            return Const(value), Type(Kind.TEXT)
        if isinstance(value, str):
            raise self.wrong(node, "names stand without quotes", f"write `{value}`" if value.isidentifier() else "")
        raise self.wrong(node, "this is not a part of the language")

    def _name(self, node: ast.Name, names: Locals) -> Typed:
        name, scope = node.id, self.scope
        if name in names:
            local = names[name]
            if local.kind == Kind.UNKNOWN:
                raise WrongPartError
            if isinstance(local, Named) and local.expr:  # what a loop over it binds is of its type, and no name for it
                return local.expr, Type(local.kind, local.low, local.high, local.members)
            return Local(name), local
        if name in ("true", "false"):
            return Const(name == "true"), TRUE_OR_FALSE
        if name in scope.state or name in scope.constants:
            return self.look_up(node, name, (), names)
        if name in scope.definitions:
            return self.use(node, name, (), names)
        if name in scope.objects:
            return Const(name), Type(Kind.OBJECT, members=(name,))
        if scope.cells and (place := CELL_NAME.fullmatch(name)) and name not in scope.declared:
            return operators.named_cell(self, node, (int(place[1]) - 1, int(place[2]) - 1))
        if name in scope.domains:
            raise self.wrong(node, f"`{name}` is a type, not a value", f"use it as `for x in {name}`, or `x in {name}`")
        if scope.has_errors(name):
            raise WrongPartError
        if name in FUNCTIONS:
            raise self.wrong(node, f"`{name}` is a function: {FUNCTIONS[name]}", f"write `{name}(...)`")
        if name in ("wall", "floor") and scope.cells:
            hint = "ask `c in cell`, or `c not in cell`"
            raise self.wrong(node, f"`{name}` is not a value: walls are no cells", hint)
        words = [*(local for local in names if local != TURNS), *scope.names()]
        hint = suggest(name, words)
        if not closest(name, words):
            declared = suggest(name, [word for word in words if word not in FUNCTIONS])
            hint = "; or ".join(filter(None, (declared, f"declare it, a parameter in `with: {{{name}: ...}}`")))
        raise self.wrong(node, f"`{name}` is not known", hint)

    def _subscript(self, node: ast.Subscript, names: Locals) -> Typed:
        if not isinstance(node.value, ast.Name):
            raise self.wrong(node, "only a table has arguments in brackets", "write `at[x]`")
        name, args = node.value.id, _arguments_of(node)
        if name in names or name in self.scope.objects:
            raise self.wrong(node.value, f"`{name}` is not a table, and has no arguments")
        if name in self.scope.definitions or name in FUNCTIONS:
            message = f"`{name}` is no table, and takes its arguments in parentheses"
            raise self.wrong(node.value, message, f"write `{name}(...)`")
        if self.scope.has_errors(name):
            self.visits(args, names)
            raise WrongPartError
        tables = [*self.scope.state, *self.scope.constants]
        if name not in tables:
            raise self.wrong(node.value, f"there is no table `{name}`", suggest(name, tables))
        return self.look_up(node, name, args, names)

    def look_up(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed:
        """A table with arguments."""
        table = self.scope.state.get(name) or self.scope.constants[name]
        read = operators.read_table(self, name, self.arguments(node, table, args, names))
        return read, Type.of(table.domain)

    def arguments(
        self, node: ast.expr, table: ValueTable, args: tuple[ast.expr, ...], names: Locals
    ) -> tuple[Expr, ...]:
        """The arguments of a table, checked against its domains."""
        if len(args) != len(table.of):
            wanted = "no argument" if not table.of else counted(len(table.of), "argument")
            example = f"{table.name}[{', '.join(d.name for d in table.of)}]" if table.of else table.name
            message = f"`{table.name}` has {wanted}, not {len(args) or 'none'}"
            raise self.wrong(node, message, f"write `{example}`")
        what = f"the argument of `{table.name}`"
        return self._fitting([(arg, domain, what) for arg, domain in zip(args, table.of, strict=True)], names)

    def _fitting(self, wanted: list[tuple[ast.expr, Domain, str]], names: Locals) -> tuple[Expr, ...]:
        """The checked forms of expressions, each given with the domain that it must fit, and what it is."""
        return tuple(every(partial(self._fitted, *each, names) for each in wanted))

    def use(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed:
        """A definition with arguments."""
        parameters = self.scope.definitions[name]
        if len(args) != len(parameters):
            example = f"{name}({', '.join(p for p, _ in parameters)})" if parameters else name
            count = counted(len(parameters), "argument") if parameters else "no argument"
            raise self.wrong(node, f"`{name}` takes {count}, not {len(args) or 'none'}", f"write `{example}`")
        wanted = [
            (arg, domain, f"`{parameter}` of `{name}`")
            for arg, (parameter, domain) in zip(args, parameters, strict=True)
        ]
        return Use(name, self._fitting(wanted, names)), self.result_of(name)

    def _fitted(self, node: ast.expr, domain: Domain, what: str, names: Locals) -> Expr:
        """The checked form of an expression that can have a value of the domain."""
        expr, given = self.visit(node, names)
        wanted = Type.of(domain)
        if wanted.kind == Kind.UNKNOWN:
            return expr
        if given.kind != wanted.kind:
            raise self.wrong(node, f"{what} is {wanted.describe()}, not {given.describe()}")
        if given.kind == Kind.OBJECT and not set(given.members) & set(domain.values):
            if not given.members or not domain.values:
                hint = f"give `{domain.name}` at least one value"
                raise self.wrong(node, f"{what} is of a type without values", hint)
            near = suggest(self.source.written(node), [str(value) for value in domain.values])
            raise self.wrong(node, f"{what} is of the type {domain.name}, and cannot be {given.describe()}", near)
        if given.kind == Kind.NUMBER and (given.high < wanted.low or given.low > wanted.high):
            message = f"{what} is a number of {wanted.low}..{wanted.high}, and cannot be {given.low}"
            raise self.wrong(node, message, "change the range or this")
        return expr

    def vector(self, typed: Typed) -> Expr | None:
        """An expression as a vector: a vector itself, or the vector of a direction; None for anything else."""
        expr, kind = typed
        if kind.kind == Kind.VECTOR:
            return expr
        if kind.kind == Kind.OBJECT and any(member in self.scope.directions for member in kind.members):
            return VectorOf(expr)
        return None


def _arguments_of(node: ast.Subscript) -> tuple[ast.expr, ...]:
    """The arguments in the brackets behind a table: x and y of `at[x, y]`."""
    return tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)


# Definitions: expressions with a name. A definition is checked after the definitions that it uses.

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

    def result_of(self, name: str) -> Type:
        """The type of a definition. Raises `WrongPartError` if it has errors."""
        checked = self.checked[name]
        if checked is None:
            raise WrongPartError
        return checked[1]

    def check(self, checker: Checker) -> None:
        """Check all definitions."""
        written = {name: self._source(name) for name in self.declared}
        uses = {name: self._uses(source) for name, source in written.items()}
        for name in in_order(uses, self._circle):
            source = written[name]
            if name in self.checked or source is None:
                self.checked[name] = None
                continue
            parameters = self.declared[name][0]
            names = {parameter: Type.of(domain) for parameter, domain in parameters}
            self._check_one(checker, name, source, uses[name], parameters, names)

    def _check_one(
        self, checker: Checker, name: str, source: Source, uses: Iterable[str], parameters: Parameters, names: Locals
    ) -> None:
        """Check the expression of a definition, which `uses` others that were checked before."""
        self.checked[name] = None
        height = height_of(source.tree) + max((self.heights.get(used, 0) for used in uses), default=0)
        if height > MAX_HEIGHT:  # those that use it say nothing more
            message = f"`{name}` is nested too deeply, with the definitions that it uses"
            self.report.error(source.span(source.tree), message, "let fewer definitions use each other")
            return
        self.heights[name] = height
        if (typed := checker.any(source, names)) is not None:
            self.checked[name] = Definition(parameters, typed[0]), typed[1]

    def let(self, checker: Checker, name: str, source: Source, parameters: Parameters, names: Locals) -> Type:
        """The type of a name in `let` of an action: a definition of its own, with the action's parameters."""
        used = [part.id for part in ast.walk(source.tree) if isinstance(part, ast.Name)]
        uses = [named.expr for n in used if isinstance(named := names.get(n), Named)]
        several = (*used, *(use.name for use in uses if isinstance(use, Use)))
        self._check_one(checker, name, source, several, parameters, names)
        checked = self.checked[name]
        if checked is None:
            return Type(Kind.UNKNOWN)
        kind, use = checked[1], Use(name, tuple(Local(parameter) for parameter, _ in parameters))
        return Named(kind.kind, kind.low, kind.high, kind.members, use)

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

    def _circle(self, names: list[str]) -> None:
        """Report a definition that leads back to itself."""
        message = f"`{names[0]}` is defined by itself: {' -> '.join(names)}"
        self.report.error(self.declared[names[0]][1], message, "a definition may only use others")
        self.checked[names[0]] = None
