"""Checking expressions: from Python's syntax tree to nodes with every name resolved, and the type of each.

What is wrong is recorded with its place, and checking goes on, so that the author sees all errors of a file at once. A
part with an error gives None, and nothing more is said of what contains it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ....documents.document import Entry, Mapping, Node, Report, Sequence
from ....documents.fields import Fields
from ....moves import MOST_OF_A_STEP
from ....text import closest, counted, suggest
from ..declarations import Declarations
from ..puzzle import Definition, Domain, Parameters
from . import loops, operators
from . import operators as functions
from .expressions import And, Const, ConstantLookup, Expr, Local, Loop, Or, Read, Use, VectorOf
from .syntax import Source, height_of, sources
from .values import (
    FUNCTIONS,
    NUMBER,
    OBJECT,
    TEXT,
    TRUE_OR_FALSE,
    TRUTH,
    UNKNOWN,
    VECTOR,
    Locals,
    Named,
    Scope,
    Signature,
    Type,
    Typed,
)

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

    `result_of(name)` gives the type of a definition, or None if it has errors.
    """

    def __init__(self, scope: Scope, report: Report, result_of: Callable[[str], Type | None]) -> None:
        self.scope, self.report, self.result_of = scope, report, result_of
        self.source: Source
        self.texts = False

    # What a whole expression may be

    def condition(self, source: Source, names: Locals, what: str) -> Expr | None:
        """The checked form of an expression that must be a truth value; None, with the problem recorded, if it is
        not.
        """
        found = self.any(source, names)
        if found is None:
            return None
        if found[1].kind != TRUTH:
            message = f"{what} must be true or false, but `{source.written(source.tree)}` is {found[1].describe()}"
            self.report.error(source.span(source.tree), message, "compare it: `==`, `!=`, `<`, ...")
            return None
        return found[0]

    def value(self, source: Source, names: Locals, domain: Domain, what: str) -> Expr | None:
        """The checked form of an expression that must fit a domain; None, with the problem recorded, if it does not."""
        found = self.any(source, names)
        if found is None or not self.fits(source.tree, found[1], domain, what):
            return None
        return found[0]

    def any(self, source: Source, names: Locals) -> Typed | None:
        self.source = source
        return self.visit(source.tree, names)

    def target(self, source: Source, names: Locals) -> tuple[str, tuple[Expr, ...], tuple[Loop, ...], Locals] | None:
        """The place that an assignment sets: its table, its arguments, its loops, and the names that the new value
        may use.
        """
        self.source = source
        node, around, inner = source.tree, tuple[Loop, ...](), names
        if isinstance(node, ast.GeneratorExp):
            inside = loops.within(self, node.generators, names)
            if inside is None:
                return None
            node, (around, inner) = node.elt, inside
        table = node.value if isinstance(node, ast.Subscript) else node
        if not isinstance(table, ast.Name) or table.id not in self.scope.state:
            name = self.source.written(table)
            if self.scope.has_errors(name):
                return None
            why = f"`{name}` is a constant, and never changes" if name in self.scope.constants else ""
            self.wrong(table, why or f"`{name}` is not a table of the state", suggest(name, self.scope.state))
            return None
        args: tuple[ast.expr, ...] = ()
        if isinstance(node, ast.Subscript):
            args = tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)
        values = self.arguments(node, self.scope.state[table.id], args, inner)
        return None if values is None else (table.id, values, around, inner)

    # Nodes

    def visit(self, node: ast.AST, names: Locals) -> Typed | None:
        """The checked form of a node and its type; None, with the problem recorded, if it has errors."""
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.Name():
                return self._name(node, names)
            case ast.Subscript():
                return self._subscript(node, names)
            case ast.Call():
                return functions.call(self, node, names)
            case ast.BoolOp():
                parts = [self.truth(value, names) for value in node.values]
                if None in parts:
                    return None
                kind = And if isinstance(node.op, ast.And) else Or
                return kind(tuple(part for part in parts if part is not None)), TRUE_OR_FALSE
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
                self.wrong(node, "a loop stands within `all(...)`, `any(...)`, `count(...)`, `sum(...)`", hint)
                return None
            case ast.List() | ast.Tuple() | ast.Set():
                self.wrong(node, "a list stands only behind `in`", "write `x in [a, b]`")
                return None
        message, hint = _UNKNOWN_NODES.get(type(node), ("this is not a part of the language", ""))
        self.wrong(node, message, hint)
        return None

    def truth(self, node: ast.expr, names: Locals) -> Expr | None:
        found = self.visit(node, names)
        if found is None:
            return None
        if found[1].kind != TRUTH:
            message = f"`{self.source.written(node)}` is {found[1].describe()}, where true or false is needed"
            self.wrong(node, message, "compare it: `==`, `!=`, `<`, ...")
            return None
        return found[0]

    def wrong(self, node: ast.AST, message: str, hint: str = "") -> None:
        self.report.error(self.source.span(node), message, hint)

    def _constant(self, node: ast.Constant) -> Typed | None:
        value = node.value
        if isinstance(value, bool):
            return Const(value), TRUE_OR_FALSE
        if isinstance(value, int) and value <= MOST_OF_A_STEP:
            return Const(value), Type(NUMBER, value, value)
        if isinstance(value, int | float):
            self.wrong(node, f"numbers are whole, and at most {MOST_OF_A_STEP:,}")
        elif isinstance(value, str) and self.texts:
            return Const(value), Type(TEXT)
        elif isinstance(value, str):
            self.wrong(node, "names stand without quotes", f"write `{value}`" if value.isidentifier() else "")
        else:
            self.wrong(node, "this is not a part of the language")
        return None

    def _name(self, node: ast.Name, names: Locals) -> Typed | None:
        name, scope = node.id, self.scope
        if name in names:
            found = names[name]
            if found.kind == UNKNOWN:
                return None
            return (found.expr if isinstance(found, Named) and found.expr else Local(name)), found
        if name in ("true", "false"):
            return Const(name == "true"), TRUE_OR_FALSE
        if name in scope.state or name in scope.constants:
            return self.look_up(node, name, (), names)
        if name in scope.definitions:
            return self.use(node, name, (), names)
        if name in scope.objects:
            return Const(name), Type(OBJECT, members=(name,))
        if scope.cells and (place := CELL_NAME.fullmatch(name)) and name not in scope.declared:
            return functions.named_cell(self, node, (int(place[1]) - 1, int(place[2]) - 1))
        if name in scope.domains:
            self.wrong(node, f"`{name}` is a type, not a value", f"use it as `for x in {name}`, or `x in {name}`")
        elif scope.has_errors(name):
            return None
        elif name in FUNCTIONS:
            self.wrong(node, f"`{name}` is a function: {FUNCTIONS[name]}", f"write `{name}(...)`")
        elif name in ("wall", "floor") and scope.cells:
            self.wrong(node, f"`{name}` is not a value: walls are no cells", "ask `c in cell`, or `c not in cell`")
        else:
            known = [*(known for known in names if known != loops.TURNS), *scope.names()]
            hint = suggest(name, known)
            if not closest(name, known):
                declared = suggest(name, [word for word in known if word not in FUNCTIONS])
                hint = "; or ".join(filter(None, (declared, f"declare it, a parameter in `with: {{{name}: ...}}`")))
            self.wrong(node, f"`{name}` is not known", hint)
        return None

    def _subscript(self, node: ast.Subscript, names: Locals) -> Typed | None:
        if not isinstance(node.value, ast.Name):
            self.wrong(node, "only a table has arguments in brackets", "write `at[x]`")
            return None
        name = node.value.id
        args = tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)
        if name in names or name in self.scope.objects:
            self.wrong(node.value, f"`{name}` is not a table, and has no arguments")
            return None
        if name in self.scope.definitions or name in FUNCTIONS:
            self.wrong(
                node.value, f"`{name}` is no table, and takes its arguments in parentheses", f"write `{name}(...)`"
            )
            return None
        if self.scope.has_errors(name):
            for arg in args:
                self.visit(arg, names)
            return None
        if name not in self.scope.state and name not in self.scope.constants:
            known = [*self.scope.state, *self.scope.constants]
            self.wrong(node.value, f"there is no table `{name}`", suggest(name, known))
            return None
        return self.look_up(node, name, args, names)

    def look_up(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None:
        """A table with arguments."""
        signature = self.scope.state.get(name) or self.scope.constants[name]
        values = self.arguments(node, signature, args, names)
        if values is None:
            return None
        kind = Read if name in self.scope.state else ConstantLookup
        return kind(name, values), Type.of(signature.domain)

    def arguments(
        self, node: ast.expr, signature: Signature, args: tuple[ast.expr, ...], names: Locals
    ) -> tuple[Expr, ...] | None:
        """The arguments of a table, checked against its domains."""
        if len(args) != len(signature.of):
            wanted = "no argument" if not signature.of else counted(len(signature.of), "argument")
            example = f"{signature.name}[{', '.join(d.name for d in signature.of)}]" if signature.of else signature.name
            self.wrong(node, f"`{signature.name}` has {wanted}, not {len(args) or 'none'}", f"write `{example}`")
            return None
        what = f"the argument of `{signature.name}`"
        return self._fitting([(arg, domain, what) for arg, domain in zip(args, signature.of, strict=True)], names)

    def _fitting(self, wanted: list[tuple[ast.expr, Domain, str]], names: Locals) -> tuple[Expr, ...] | None:
        """Expressions, each with what it is and the domain that it must fit; None, with all problems recorded, if one
        does not.
        """
        found = [self.visit(arg, names) for arg, _, _ in wanted]
        good = [
            typed[0]
            for typed, (arg, domain, what) in zip(found, wanted, strict=True)
            if typed is not None and self.fits(arg, typed[1], domain, what)
        ]
        return tuple(good) if len(good) == len(wanted) else None

    def use(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None:
        """A definition with arguments."""
        parameters = self.scope.definitions[name]
        if len(args) != len(parameters):
            example = f"{name}({', '.join(p for p, _ in parameters)})" if parameters else name
            count = counted(len(parameters), "argument") if parameters else "no argument"
            self.wrong(node, f"`{name}` takes {count}, not {len(args) or 'none'}", f"write `{example}`")
            return None
        wanted = [
            (arg, domain, f"`{known}` of `{name}`") for arg, (known, domain) in zip(args, parameters, strict=True)
        ]
        good, result = self._fitting(wanted, names), self.result_of(name)
        return None if good is None or result is None else (Use(name, good), result)

    def fits(self, node: ast.AST, found: Type, domain: Domain, what: str) -> bool:
        """Whether an expression of this type can have a value of the domain; records a problem if it cannot."""
        wanted = Type.of(domain)
        if wanted.kind == UNKNOWN:
            return True
        if found.kind == wanted.kind:
            if found.kind == OBJECT and not set(found.members) & set(domain.values):
                if not found.members or not domain.values:
                    self.wrong(node, f"{what} is of a type without values", f"give `{domain.name}` at least one value")
                    return False
                near = suggest(self.source.written(node), [str(value) for value in domain.values])
                self.wrong(node, f"{what} is of the type {domain.name}, and cannot be {found.describe()}", near)
                return False
            if found.kind == NUMBER and (found.high < wanted.low or found.low > wanted.high):
                span = f"{wanted.low}..{wanted.high}"
                self.wrong(node, f"{what} is a number of {span}, and cannot be {found.low}", "change the range or this")
                return False
            return True
        self.wrong(node, f"{what} is {wanted.describe()}, not {found.describe()}")
        return False

    def vector(self, found: Typed) -> Expr | None:
        """An expression as a vector: a vector itself, or the vector of a direction; None for anything else."""
        expr, kind = found
        if kind.kind == VECTOR:
            return expr
        if kind.kind == OBJECT and any(member in self.scope.directions for member in kind.members):
            return VectorOf(expr)
        return None


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
