"""Checking the operators of the language: signs, arithmetic, comparisons, membership, choices."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import product

from ....text import suggest
from . import loops
from .expressions import And, Arith, CellStep, Compare, Conditional, Const, Expr, Function, Membership, Not, Or, Value
from .scope import CELL, NUMBER, OBJECT, TEXT, TRUE_OR_FALSE, TRUTH, VECTOR, Checks, Locals, Type, Typed
from .values import RANK

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


def unary(checker: Checks, node: ast.UnaryOp, names: Locals) -> Typed | None:
    """The expression of an operator with one operand: `not a`, `-n`, `-d`."""
    if isinstance(node.op, ast.Not):
        inner = checker.truth(node.operand, names)
        return None if inner is None else (Not(inner), TRUE_OR_FALSE)
    found = checker.visit(node.operand, names)
    if found is None:
        return None
    if isinstance(node.op, ast.USub):
        if found[1].kind == NUMBER:
            return Arith("-", Const(0), found[0]), Type(NUMBER, -found[1].high, -found[1].low)
        if vector := checker.vector(found):
            return Arith("*", Const(-1), vector), Type(VECTOR)
    checker.wrong(node, f"this sign stands only before a number or a direction, not {found[1].describe()}")
    return None


def binary(checker: Checks, node: ast.BinOp, names: Locals) -> Typed | None:
    """Numbers, cells and vectors joined: `a + b`, `c + 2*d`."""
    op = _OPERATORS.get(type(node.op))
    if op is None:
        hint = "write `//`, which rounds down" if isinstance(node.op, ast.Div) else "known are + - * // %"
        checker.wrong(node, "this operator is not known here", hint)
        return None
    left, right = checker.visit(node.left, names), checker.visit(node.right, names)
    if left is None or right is None:
        return None
    if left[1].kind == right[1].kind == NUMBER:
        return Arith(op, left[0], right[0]), _range(op, left[1], right[1])
    a, b = checker.vector(left), checker.vector(right)
    if op in ("+", "-") and left[1].kind == CELL and b is not None:
        vector = b if op == "+" else Arith("*", Const(-1), b)
        if isinstance(left[0], CellStep):  # only where it ends counts, not what it passes on the way
            return CellStep(left[0].cell, Arith("+", left[0].vector, vector)), left[1]
        return CellStep(left[0], vector), left[1]
    if op in ("+", "-") and a is not None and b is not None:
        return Arith(op, a, b), Type(VECTOR)
    if op == "*" and left[1].kind == NUMBER and b is not None:
        return Arith(op, left[0], b), Type(VECTOR)
    if op == "*" and right[1].kind == NUMBER and a is not None:
        return Arith(op, right[0], a), Type(VECTOR)
    message = f"`{op}` does not join {left[1].describe()} and {right[1].describe()}"
    checker.wrong(node, message, "numbers are added, and directions to cells: `c + d`, `c + 2*d`")
    return None


def choice(checker: Checks, node: ast.IfExp, names: Locals) -> Typed | None:
    """Check a choice: `yes if condition else no`."""
    condition = checker.truth(node.test, names)
    yes, no = checker.visit(node.body, names), checker.visit(node.orelse, names)
    if condition is None or yes is None or no is None:
        return None
    kinds = {yes[1].kind, no[1].kind}
    if len(kinds) > 1 and TEXT in kinds:  # in a drawing, where all is text in the end
        return Conditional(condition, yes[0], no[0]), replace(_union(yes[1], no[1]), kind=TEXT)
    if len(kinds) > 1:
        checker.wrong(node, f"one is {yes[1].describe()}, the other {no[1].describe()}", "both must be of one kind")
        return None
    return Conditional(condition, yes[0], no[0]), _union(yes[1], no[1])


def comparison(checker: Checks, node: ast.Compare, names: Locals) -> Typed | None:
    """The expression of a comparison: `a == b`, a chain `0 <= x < 3`, `x in ...`."""
    parts: list[Expr | None] = []
    sides = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        if isinstance(op, ast.In | ast.NotIn):
            inside = _membership(checker, left, right, names)
            parts.append(Not(inside) if inside is not None and isinstance(op, ast.NotIn) else inside)
        elif type(op) in _COMPARISONS:
            parts.append(_compared(checker, node, _COMPARISONS[type(op)], left, right, names))
        else:
            checker.wrong(node, "`is` compares nothing here", "write `==`")
            parts.append(None)
    good = tuple(part for part in parts if part is not None)
    if len(good) != len(parts):
        return None
    return (good[0] if len(good) == 1 else And(good)), TRUE_OR_FALSE


def _compared(checker: Checks, node: ast.expr, op: str, a: ast.expr, b: ast.expr, names: Locals) -> Expr | None:
    left, right = checker.visit(a, names), checker.visit(b, names)
    if left is None or right is None:
        return None
    if left[1].kind != right[1].kind:
        checker.wrong(
            node, f"{left[1].describe()} is compared with {right[1].describe()}", "compare values of one kind"
        )
        return None
    if op not in ("==", "!=") and left[1].kind != NUMBER:
        order = _order(checker, left[1], right[1])
        if not order:
            message = f"`{op}` compares numbers, cells, and objects of one type, not {left[1].describe()}"
            if left[1].kind == OBJECT:
                message += f" and {right[1].describe()}"
            checker.wrong(node, message, "write `==` or `!=`")
            return None
        return Compare(op, Function(RANK, (left[0],), order), Function(RANK, (right[0],), order))
    if left[1].kind == OBJECT and not set(left[1].members) & set(right[1].members):
        checker.wrong(
            node,
            f"`{checker.source.written(a)}` is {left[1].describe()}, `{checker.source.written(b)}` is "
            f"{right[1].describe()}: they are never equal",
            suggest(checker.source.written(b), [str(member) for member in left[1].members]),
        )
        return None
    return Compare(op, left[0], right[0])


def _order(checker: Checks, left: Type, right: Type) -> tuple[Value, ...]:
    """The values in whose order two are compared: all cells, or the smallest type that has all objects of both. None if
    there is no such type, or two of that size.
    """
    if left.kind == CELL:
        return tuple(sorted(checker.scope.cells))
    both = {*left.members, *right.members}
    types = {domain.values for domain in checker.scope.domains.values() if domain.kind == left.kind == OBJECT}
    fitting = [values for values in types if both <= set(values)]
    smallest = [values for values in fitting if len(values) == min(map(len, fitting))]
    return smallest[0] if len(smallest) == 1 else ()


def _membership(checker: Checks, left: ast.expr, right: ast.expr, names: Locals) -> Expr | None:
    found = checker.visit(left, names)
    if found is None:
        return None
    if isinstance(right, ast.List | ast.Tuple | ast.Set):
        options = [_compared(checker, right, "==", left, item, names) for item in right.elts]
        good = tuple(option for option in options if option is not None)
        return Or(good) if len(good) == len(options) else None
    if isinstance(right, ast.Name) and right.id in checker.scope.constants | checker.scope.state:
        looked = checker.look_up(right, right.id, (left,), names)
        if looked is not None and looked[1].kind == TRUTH:
            return looked[0]
        if looked is not None:
            checker.wrong(right, f"`{right.id}` is not a set", "compare its values")
        return None
    values = loops.values(checker, right)
    if values is None:
        return None
    if values[1].kind != found[1].kind:
        message = f"{found[1].describe()} is never one of `{checker.source.written(right)}`"
        checker.wrong(left, message, "ask for values of one kind")
        return None
    return Membership(found[0], frozenset(values[0]))


def _range(op: str, a: Type, b: Type) -> Type:
    """The range of the result of arithmetic, from the ranges of both sides; at most 10**18 either way."""
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
