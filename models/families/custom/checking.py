"""Checking expressions: from Python's syntax tree to nodes with every name resolved, and the type of each.

What is wrong is recorded with its place, and checking goes on, so that the author sees all errors of a file at once. A
part with an error gives None, and nothing more is said of what contains it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import product

from ...documents.document import Report
from ...text import counted, suggest
from . import functions
from .expressions import (
    And,
    Arith,
    Choice,
    Compare,
    Const,
    Expr,
    Local,
    Look,
    Loop,
    Member,
    Not,
    Or,
    Quantifier,
    Read,
    Step,
    Use,
    Value,
    VectorOf,
)
from .puzzle import Domain
from .scope import (
    CELL,
    FUNCTIONS,
    NUMBER,
    OBJECT,
    TEXT,
    TRUE_OR_FALSE,
    TRUTH,
    VECTOR,
    WORDS,
    Locals,
    Scope,
    Signature,
    Type,
    Typed,
)
from .syntax import MAX_NUMBER, Source

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_UNKNOWN_NODES: dict[type[ast.AST], tuple[str, str]] = {
    ast.Attribute: ("nothing has parts that are named with a dot", "write `at[x]`, `row(c)`, ..."),
    ast.Lambda: ("there are no functions without a name", "name it in `define`"),
    ast.Dict: ("there are no dictionaries in expressions", "put a table into `constants`"),
    ast.JoinedStr: ("there are no texts with braces in expressions", ""),
    ast.NamedExpr: ("nothing is assigned in an expression", "assign in `set`, or give it a name in `define`"),
    ast.Starred: ("there is no `*` before a list", ""),
    ast.Slice: ("there are no slices", "name each argument"),
}


TURNS = "$turns"
"""The name under which it is kept how many turns the loops around an expression have."""

MAX_TURNS = 100_000


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
        """An expression that is true or false."""
        found = self.any(source, names)
        if found is None:
            return None
        if found[1].kind != TRUTH:
            message = f"{what} must be true or false, but `{source.written(source.tree)}` is {found[1].describe()}"
            self.report.error(source.span(source.tree), message, "compare it: `==`, `!=`, `<`, ...")
            return None
        return found[0]

    def value(self, source: Source, names: Locals, domain: Domain, what: str) -> Expr | None:
        """An expression whose value fits a domain."""
        found = self.any(source, names)
        if found is None or not self.fits(source.tree, found[1], domain, what):
            return None
        return found[0]

    def number(self, source: Source, names: Locals, what: str) -> Expr | None:
        found = self.any(source, names)
        if found is None:
            return None
        if found[1].kind != NUMBER:
            self.report.error(source.span(source.tree), f"{what} must be a number, not {found[1].describe()}")
            return None
        return found[0]

    def any(self, source: Source, names: Locals) -> Typed | None:
        self.source = source
        return self.visit(source.tree, names)

    def target(self, source: Source, names: Locals) -> tuple[str, tuple[Expr, ...], tuple[Loop, ...], Locals] | None:
        """A place that is assigned: the table, its arguments, loops around it, and the names that its value can use."""
        self.source = source
        node, loops, inner = source.tree, tuple[Loop, ...](), names
        if isinstance(node, ast.GeneratorExp):
            inside = self.loops(node.generators, names)
            if inside is None:
                return None
            node, (loops, inner) = node.elt, inside
        table = node.value if isinstance(node, ast.Subscript) else node
        if not isinstance(table, ast.Name) or table.id not in self.scope.state:
            name = self.source.written(table)
            why = f"`{name}` is a constant, and never changes" if name in self.scope.constants else ""
            self.wrong(table, why or f"`{name}` is not a table of the state", suggest(name, self.scope.state))
            return None
        args: tuple[ast.expr, ...] = ()
        if isinstance(node, ast.Subscript):
            args = tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)
        values = self.arguments(node, self.scope.state[table.id], args, inner)
        return None if values is None else (table.id, values, loops, inner)

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
                return self._unary(node, names)
            case ast.Compare():
                return self._comparison(node, names)
            case ast.BinOp():
                return self._binary(node, names)
            case ast.IfExp():
                return self._choice(node, names)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                self.wrong(node, "a loop stands within `all(...)`, `any(...)`, `count(...)`, `sum(...)`")
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
        if isinstance(value, int) and value <= MAX_NUMBER:
            return Const(value), Type(NUMBER, value, value)
        if isinstance(value, int | float):
            self.wrong(node, "numbers are whole, and at most 1,000,000,000")
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
            return Local(name), names[name]
        if name in ("true", "false"):
            return Const(name == "true"), TRUE_OR_FALSE
        if name in scope.state or name in scope.constants:
            return self._look_up(node, name, (), names)
        if name in scope.definitions:
            return self.use(node, name, (), names)
        if name in scope.objects:
            return Const(name), Type(OBJECT, members=(name,))
        if name in scope.domains:
            self.wrong(node, f"`{name}` is a type, not a value", f"use it as `for x in {name}`, or `x in {name}`")
        elif name in FUNCTIONS:
            self.wrong(node, f"`{name}` is a function: {FUNCTIONS[name]}", f"write `{name}(...)`")
        else:
            self.wrong(
                node,
                f"`{name}` is not known",
                suggest(name, [*(known for known in names if known != TURNS), *scope.names()]),
            )
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
        if name not in self.scope.state and name not in self.scope.constants:
            known = [*self.scope.state, *self.scope.constants]
            self.wrong(node.value, f"there is no table `{name}`", suggest(name, known))
            return None
        return self._look_up(node, name, args, names)

    def _look_up(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None:
        """A table with arguments."""
        signature = self.scope.state.get(name) or self.scope.constants[name]
        values = self.arguments(node, signature, args, names)
        if values is None:
            return None
        kind = Read if name in self.scope.state else Look
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
        found = [self.visit(arg, names) for arg in args]
        good = [
            typed[0]
            for typed, arg, domain in zip(found, args, signature.of, strict=True)
            if typed is not None and self.fits(arg, typed[1], domain, f"the argument of `{signature.name}`")
        ]
        return tuple(good) if len(good) == len(args) else None

    def use(self, node: ast.expr, name: str, args: tuple[ast.expr, ...], names: Locals) -> Typed | None:
        """A definition with arguments."""
        parameters = self.scope.definitions[name]
        if len(args) != len(parameters):
            example = f"{name}({', '.join(p for p, _ in parameters)})" if parameters else name
            count = counted(len(parameters), "argument") if parameters else "no argument"
            self.wrong(node, f"`{name}` takes {count}, not {len(args) or 'none'}", f"write `{example}`")
            return None
        found = [self.visit(arg, names) for arg in args]
        good = [
            typed[0]
            for typed, arg, (parameter, domain) in zip(found, args, parameters, strict=True)
            if typed is not None and self.fits(arg, typed[1], domain, f"`{parameter}` of `{name}`")
        ]
        result = self.result(name)
        if len(good) != len(args) or result is None:
            return None
        return Use(name, tuple(good)), result

    def result(self, name: str) -> Type | None:
        """The type of a definition; it may be checked just now."""
        outer = self.source
        found = self.result_of(name)
        self.source = outer
        return found

    def fits(self, node: ast.AST, found: Type, domain: Domain, what: str) -> bool:
        """Whether a value of a type can be one of a domain; if it cannot, that is recorded."""
        wanted = Type.of(domain)
        if found.kind == wanted.kind:
            if found.kind == OBJECT and not set(found.members) & set(domain.values):
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

    def _unary(self, node: ast.UnaryOp, names: Locals) -> Typed | None:
        if isinstance(node.op, ast.Not):
            inner = self.truth(node.operand, names)
            return None if inner is None else (Not(inner), TRUE_OR_FALSE)
        found = self.visit(node.operand, names)
        if found is None:
            return None
        if isinstance(node.op, ast.USub):
            if found[1].kind == NUMBER:
                return Arith("-", Const(0), found[0]), Type(NUMBER, -found[1].high, -found[1].low)
            if vector := self.vector(found):
                return Arith("*", Const(-1), vector), Type(VECTOR)
        self.wrong(node, f"this sign stands only before a number or a direction, not {found[1].describe()}")
        return None

    def vector(self, found: Typed) -> Expr | None:
        """The vector of an expression that is a direction or a vector."""
        expr, kind = found
        if kind.kind == VECTOR:
            return expr
        if kind.kind == OBJECT and kind.members and all(member in self.scope.directions for member in kind.members):
            return VectorOf(expr)
        return None

    def _binary(self, node: ast.BinOp, names: Locals) -> Typed | None:
        op = _OPERATORS.get(type(node.op))
        if op is None:
            hint = "write `//`, which rounds down" if isinstance(node.op, ast.Div) else "known are + - * // %"
            self.wrong(node, "this operator is not known here", hint)
            return None
        left, right = self.visit(node.left, names), self.visit(node.right, names)
        if left is None or right is None:
            return None
        if left[1].kind == right[1].kind == NUMBER:
            return Arith(op, left[0], right[0]), _range(op, left[1], right[1])
        a, b = self.vector(left), self.vector(right)
        if op in ("+", "-") and left[1].kind == CELL and b is not None:
            vector = b if op == "+" else Arith("*", Const(-1), b)
            if isinstance(left[0], Step):  # only where it ends counts, not what it passes on the way
                return Step(left[0].cell, Arith("+", left[0].vector, vector)), left[1]
            return Step(left[0], vector), left[1]
        if op in ("+", "-") and a is not None and b is not None:
            return Arith(op, a, b), Type(VECTOR)
        if op == "*" and left[1].kind == NUMBER and b is not None:
            return Arith(op, left[0], b), Type(VECTOR)
        if op == "*" and right[1].kind == NUMBER and a is not None:
            return Arith(op, right[0], a), Type(VECTOR)
        message = f"`{op}` does not join {left[1].describe()} and {right[1].describe()}"
        self.wrong(node, message, "numbers are added, and directions to cells: `c + d`, `c + 2*d`")
        return None

    def _choice(self, node: ast.IfExp, names: Locals) -> Typed | None:
        condition = self.truth(node.test, names)
        yes, no = self.visit(node.body, names), self.visit(node.orelse, names)
        if condition is None or yes is None or no is None:
            return None
        if yes[1].kind != no[1].kind:
            self.wrong(node, f"one is {yes[1].describe()}, the other {no[1].describe()}", "both must be of one kind")
            return None
        return Choice(condition, yes[0], no[0]), _union(yes[1], no[1])

    def _comparison(self, node: ast.Compare, names: Locals) -> Typed | None:
        """`a == b`, a chain `0 <= x < 3`, `x in ...`."""
        parts: list[Expr | None] = []
        sides = [node.left, *node.comparators]
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(op, ast.In | ast.NotIn):
                inside = self._membership(left, right, names)
                parts.append(Not(inside) if inside is not None and isinstance(op, ast.NotIn) else inside)
            elif type(op) in _COMPARISONS:
                parts.append(self._compared(node, _COMPARISONS[type(op)], left, right, names))
            else:
                self.wrong(node, "`is` compares nothing here", "write `==`")
                parts.append(None)
        good = tuple(part for part in parts if part is not None)
        if len(good) != len(parts):
            return None
        return (good[0] if len(good) == 1 else And(good)), TRUE_OR_FALSE

    def _compared(self, node: ast.expr, op: str, a: ast.expr, b: ast.expr, names: Locals) -> Expr | None:
        left, right = self.visit(a, names), self.visit(b, names)
        if left is None or right is None:
            return None
        if left[1].kind != right[1].kind:
            self.wrong(
                node, f"{left[1].describe()} is compared with {right[1].describe()}", "compare values of one kind"
            )
            return None
        if op not in ("==", "!=") and left[1].kind != NUMBER:
            self.wrong(node, f"`{op}` compares numbers, not {left[1].describe()}", "write `==` or `!=`")
            return None
        if left[1].kind == OBJECT and not set(left[1].members) & set(right[1].members):
            self.wrong(
                node,
                f"`{self.source.written(a)}` is {left[1].describe()}, `{self.source.written(b)}` is "
                f"{right[1].describe()}: they are never equal",
                suggest(self.source.written(b), [str(member) for member in left[1].members]),
            )
            return None
        return Compare(op, left[0], right[0])

    def _membership(self, left: ast.expr, right: ast.expr, names: Locals) -> Expr | None:
        found = self.visit(left, names)
        if found is None:
            return None
        if isinstance(right, ast.List | ast.Tuple | ast.Set):
            options = [self._compared(right, "==", left, item, names) for item in right.elts]
            good = tuple(option for option in options if option is not None)
            return Or(good) if len(good) == len(options) else None
        if isinstance(right, ast.Name) and right.id in self.scope.constants | self.scope.state:
            looked = self._look_up(right, right.id, (left,), names)
            if looked is not None and looked[1].kind == TRUTH:
                return looked[0]
            if looked is not None:
                self.wrong(right, f"`{right.id}` is not a set", "compare its values")
            return None
        values = self.values(right)
        return None if values is None else Member(found[0], frozenset(values[0]))

    def values(self, node: ast.expr) -> tuple[tuple[Value, ...], Type] | None:
        """The values of a type, a range or a list of names: what a loop goes over."""
        if isinstance(node, ast.Name) and node.id in self.scope.domains:
            domain = self.scope.domains[node.id]
            return domain.values, Type.of(domain)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            ends = [self.visit(side, {}) for side in (node.left, node.right)]
            numbers = [end[0].value for end in ends if end and isinstance(end[0], Const) and type(end[0].value) is int]
            if len(numbers) == 2 and numbers[0] <= numbers[1] and numbers[1] - numbers[0] < 10_000:
                return tuple(range(numbers[0], numbers[1] + 1)), Type(NUMBER, numbers[0], numbers[1])
            self.wrong(node, "this is not a range of numbers", "write `1..8`, the smaller number first")
            return None
        if isinstance(node, ast.List | ast.Tuple):
            found = [self.visit(item, {}) for item in node.elts]
            good = [typed for typed in found if typed is not None and isinstance(typed[0], Const)]
            if good and len(good) == len(found) and len({typed[1].kind for typed in good}) == 1:
                members = tuple(dict.fromkeys(typed[0].value for typed in good if isinstance(typed[0], Const)))
                kind = good[0][1].kind
                numbers = [member for member in members if isinstance(member, int)]
                return members, Type(kind, min(numbers, default=0), max(numbers, default=0), members)
            if None not in found:
                self.wrong(node, "this list does not hold names of one kind")
            return None
        name = self.source.written(node)
        known = list(self.scope.domains)
        self.wrong(node, f"`{name}` is not a type", suggest(name, known) if known else "name it in `types`")
        return None

    # Loops

    def loops(self, generators: list[ast.comprehension], names: Locals) -> tuple[tuple[Loop, ...], Locals] | None:
        """The loops of `for x in T if c for ...`, and the names within them."""
        inner = dict(names)
        loops: list[Loop] = []
        for generator in generators:
            target = generator.target
            if not isinstance(target, ast.Name):
                self.wrong(target, "a loop has one variable", "write `for x in item for y in item`")
                return None
            if target.id in inner or target.id in WORDS or target.id in self.scope.declared:
                self.wrong(target, f"`{target.id}` has a meaning already", "give the variable of the loop another name")
                return None
            around: Expr | None = None
            if isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "neighbours":
                cell = self.visit(generator.iter.args[0], inner) if len(generator.iter.args) == 1 else None
                if cell is None or cell[1].kind != CELL:
                    self.wrong(generator.iter, "`neighbours` takes a cell", "write `for n in neighbours(c)`")
                    return None
                around = cell[0]
                found: tuple[tuple[Value, ...], Type] = ((), cell[1])
            else:
                listed = self.values(generator.iter)
                if listed is None:
                    return None
                found = listed
            turns = max(1, len(found[0]) or 8) * (inner[TURNS].high if TURNS in inner else 1)
            if turns > MAX_TURNS:
                message = f"these loops have {turns:,} turns, one within the other; at most {MAX_TURNS:,} are allowed"
                self.wrong(generator.iter, message, "loop over fewer values")
                return None
            inner[TURNS] = Type(NUMBER, 0, turns)
            inner[target.id] = found[1]
            conditions = [self.truth(condition, inner) for condition in generator.ifs]
            good = tuple(condition for condition in conditions if condition is not None)
            if len(good) != len(conditions):
                return None
            loops.append(Loop(target.id, found[0], good, around))
        return tuple(loops), inner

    def quantified_table(self, kind: str, name: str, node: ast.expr) -> Typed | None:
        """`count(peg)`: over all arguments of a table of truth values."""
        signature = self.scope.state.get(name) or self.scope.constants[name]
        if signature.domain.kind != TRUTH:
            self.wrong(node, f"`{name}` is not true or false", f"write `{kind}({name}[x] == ... for x in ...)`")
            return None
        loops = tuple(Loop(f"${i}", domain.values, ()) for i, domain in enumerate(signature.of))
        args = tuple(Local(loop.name) for loop in loops)
        read = Read(name, args) if name in self.scope.state else Look(name, args)
        high = 1
        for domain in signature.of:
            high *= len(domain.values)
        result = Type(NUMBER, 0, high) if kind == "count" else TRUE_OR_FALSE
        return Quantifier(kind, read, loops), result


def _range(op: str, a: Type, b: Type) -> Type:
    """The range of a result. Numbers stay within bounds that nothing reaches by accident."""
    match op:
        case "+":
            low, high = a.low + b.low, a.high + b.high
        case "-":
            low, high = a.low - b.high, a.high - b.low
        case "*":
            corners = [x * y for x, y in product((a.low, a.high), (b.low, b.high))]
            low, high = min(corners), max(corners)
        case "%":
            most = max(abs(b.low), abs(b.high))
            low, high = (-most, 0) if b.high < 0 else (0 if b.low > 0 else -most, most)
        case _:
            most = max(abs(a.low), abs(a.high))
            low, high = -most, most
    return Type(NUMBER, max(low, -(10**18)), min(high, 10**18))


def _union(a: Type, b: Type) -> Type:
    return Type(a.kind, min(a.low, b.low), max(a.high, b.high), tuple(dict.fromkeys((*a.members, *b.members))))
