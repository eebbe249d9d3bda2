"""Checking the operators of the language: signs, arithmetic, comparisons, membership, choices."""

from __future__ import annotations

import ast
from dataclasses import replace
from itertools import product

from ....cells import Cell, place
from ....text import suggest
from . import loops
from .expressions import (
    And,
    Arith,
    CellStep,
    ClosedLoop,
    Compare,
    Conditional,
    Connected,
    Const,
    Expr,
    Function,
    Membership,
    Not,
    Or,
    Quantifier,
    SlideEnd,
    Value,
)
from .loops import quantified_table, steps_test, within
from .values import (
    CELL,
    FUNCTIONS,
    NUMBER,
    OBJECT,
    RANK,
    TEXT,
    TRUE_OR_FALSE,
    TRUTH,
    VALUE_FUNCTIONS,
    VECTOR,
    Checks,
    Locals,
    Type,
    Typed,
)

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


# Checking the functions of the language: quantifiers, `slide`, `other`, arithmetic, cells.

QUANTIFIERS = ("all", "any", "count", "sum", "different")


ONLY_IN_LOOPS = {"neighbours": "neighbours(c)", "region": "region(c, same)"}
"""Functions that say what a loop goes over, and how they are used."""


def call(checker: Checks, node: ast.Call, names: Locals) -> Typed | None:
    """A function or a definition with its arguments."""
    if not isinstance(node.func, ast.Name) or node.keywords:
        checker.wrong(node, "only definitions and functions have arguments in parentheses", "known: " + _known())
        return None
    name = node.func.id
    if name in checker.scope.definitions:
        return checker.use(node, name, tuple(node.args), names)
    if name not in FUNCTIONS:
        if checker.scope.has_errors(name):
            return None
        if name in checker.scope.state or name in checker.scope.constants:
            checker.wrong(node, f"`{name}` is a table: its arguments stand in brackets", f"write `{name}[...]`")
            return None
        known = [*checker.scope.definitions, *FUNCTIONS]
        checker.wrong(node.func, f"there is no definition and no function `{name}`", suggest(name, known))
        return None
    if name == "loop":
        return _closed_loop(checker, node, names)
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        return _quantifier(checker, name, node.args[0], names)
    if name in QUANTIFIERS:
        arg = node.args[0] if len(node.args) == 1 else None
        tables = checker.scope.state | checker.scope.constants
        if isinstance(arg, ast.Name) and name in ("all", "any", "count") and arg.id in tables and tables[arg.id].of:
            return quantified_table(checker, name, arg.id, arg)
        checker.wrong(node, f"`{name}` needs a loop", _looped(checker, name, node))
        return None
    if name == "slide":
        return _slide(checker, node, names)
    if name == "connected":
        return _connected(checker, node, names)
    if name in ONLY_IN_LOOPS:
        checker.wrong(node, f"`{name}` stands only in a loop", f"write `for n in {ONLY_IN_LOOPS[name]}`")
        return None
    return _plain(checker, name, node, names)


def _looped(checker: Checks, name: str, node: ast.Call) -> str:
    """A hint for `any(p)` or `all(p, q)` without a loop: how to write it."""
    hint, joint = f"write `{name}(... for x in ...)`", {"all": "and", "any": "or"}.get(name)
    if joint is None:
        return hint
    if len(node.args) > 1:
        return f"{hint}, or join them: `{f' {joint} '.join(map(checker.source.written, node.args))}`"
    return f"{hint}, or `... {joint} ...` to join several"


def _known() -> str:
    return ", ".join(FUNCTIONS)


def _quantifier(checker: Checks, kind: str, node: ast.GeneratorExp, names: Locals) -> Typed | None:
    """The expression of a quantifier with its loops: `all(body for x in T if c)`."""
    if kind not in (*QUANTIFIERS, "min", "max"):
        checker.wrong(node, f"`{kind}` takes no loop", "loops stand in all, any, count, sum, min, max, different")
        return None
    found_loops = within(checker, node.generators, names)
    if found_loops is None:
        return None
    loops, inner = found_loops
    if kind in ("all", "any", "count"):
        body = checker.truth(node.elt, inner)
        if body is None:
            return None
        if kind != "count":
            return Quantifier(kind, body, loops), TRUE_OR_FALSE
        return Quantifier(kind, body, loops), Type(NUMBER, 0, _turns(loops))
    found = checker.visit(node.elt, inner)
    if found is None:
        return None
    if kind == "different":
        if found[1].kind in (VECTOR, TEXT):
            checker.wrong(node.elt, f"`different` compares numbers, cells and objects, not {found[1].describe()}")
            return None
        return Quantifier(kind, found[0], loops), TRUE_OR_FALSE
    if found[1].kind != NUMBER:
        checker.wrong(node.elt, f"`{kind}` needs numbers, not {found[1].describe()}")
        return None
    if kind != "sum":
        return Quantifier(kind, found[0], loops), found[1]
    turns = _turns(loops)
    return Quantifier(kind, found[0], loops), Type(NUMBER, min(0, found[1].low) * turns, max(0, found[1].high) * turns)


def _turns(loops: tuple[object, ...]) -> int:
    turns = 1
    for loop in loops:
        turns *= max(1, len(getattr(loop, "values", ())) or 8)
    return min(turns, 10**9)


def _slide(checker: Checks, node: ast.Call, names: Locals) -> Typed | None:
    """The cell where something that slides stops: `slide(c, d, free)`."""
    usage = "write `slide(c, d, free)`: from c in the direction d, as long as free(next cell)"
    if len(node.args) != 3 or not isinstance(node.args[2], ast.Name):
        checker.wrong(node, "`slide` needs a cell, a direction and the name of a definition", usage)
        return None
    start, way = checker.visit(node.args[0], names), checker.visit(node.args[1], names)
    test = steps_test(checker, node.args[2], ("cell", "direction"))
    if test is None or start is None or way is None:
        return None
    if start[1].kind != CELL or checker.vector(way) is None or way[1].kind != OBJECT:
        checker.wrong(node, "`slide` begins with a cell and a direction", usage)
        return None
    return SlideEnd(start[0], way[0], test[0], 1 if test[1] == "cell" else 2), start[1]


def _closed_loop(checker: Checks, node: ast.Call, names: Locals) -> Typed | None:
    """Whether the edges that are there make one closed loop: `loop((a[e], b[e]) for e in edge if drawn[e])`."""
    usage = "write `loop((a[e], b[e]) for e in edge if drawn[e])`: the two ends of each edge that counts"
    body = node.args[0] if len(node.args) == 1 else None
    if not isinstance(body, ast.GeneratorExp) or not isinstance(body.elt, ast.Tuple) or len(body.elt.elts) != 2:
        checker.wrong(node, "`loop` needs the two ends of edges, and a loop over these", usage)
        return None
    found = within(checker, body.generators, names)
    if found is None:
        return None
    loops, inner = found
    first, second = (checker.visit(end, inner) for end in body.elt.elts)
    if first is None or second is None:
        return None
    if first[1].kind != second[1].kind or first[1].kind not in (NUMBER, OBJECT, CELL):
        message = f"the ends are {first[1].describe()} and {second[1].describe()}"
        checker.wrong(body.elt, message, "both must be cells, objects or numbers")
        return None
    return ClosedLoop(first[0], second[0], loops), TRUE_OR_FALSE


def _connected(checker: Checks, node: ast.Call, names: Locals) -> Typed | None:
    """Whether a way over equal cells joins two cells: `connected(a, b, same)`."""
    usage = "write `connected(a, b, same)`: from cell a to b, by steps that `same` allows"
    if len(node.args) != 3:
        checker.wrong(node, "`connected` needs two cells and the name of a definition", usage)
        return None
    start, end = checker.visit(node.args[0], names), checker.visit(node.args[1], names)
    test = steps_test(checker, node.args[2])
    if start is None or end is None or test is None:
        return None
    if start[1].kind != CELL or end[1].kind != CELL:
        checker.wrong(node, "`connected` begins with two cells", usage)
        return None
    return Connected(start[0], end[0], *test), TRUE_OR_FALSE


def _plain(checker: Checks, name: str, node: ast.Call, names: Locals) -> Typed | None:
    """Check a call of a function of values, such as `row(c)` or `min(a, b)`."""
    found = [checker.visit(arg, names) for arg in node.args]
    if any(typed is None for typed in found):
        return None
    typed = [one for one in found if one is not None]
    args, types = tuple(one[0] for one in typed), [one[1] for one in typed]
    kinds = [one.kind for one in types]
    function = VALUE_FUNCTIONS[name]
    numbers = len(kinds) > 1 and set(kinds) == {NUMBER}
    fit = tuple(kinds) == function.kinds if function.kinds else numbers
    if fit and name in ("row", "col"):
        cells = [cell for cell in types[0].members if isinstance(cell, tuple)]
        counted = [cell[name == "col"] + 1 for cell in cells] or [1]
        return Function(name, args), Type(NUMBER, min(counted), max(counted))
    if fit and name == "cell":
        return _cell(checker, node, args)
    if fit and name == "abs":
        most = max(abs(types[0].low), abs(types[0].high))
        return Function(name, args), Type(NUMBER, 0, most)
    if fit and name in ("min", "max"):
        pick = min if name == "min" else max
        return Function(name, args), Type(NUMBER, pick(t.low for t in types), pick(t.high for t in types))
    if fit and name == "opposite" and checker.vector((args[0], types[0])) is not None:
        return Function(name, args), Type(OBJECT, members=tuple(checker.scope.directions))
    if name == "other" and len(kinds) == 1:
        values: tuple[Value, ...] = types[0].members
        if len(values) == 1 and kinds == [OBJECT]:  # a name: the type that it was declared in
            home = checker.scope.domains.get(checker.scope.objects.get(str(values[0]), ""))
            values = home.values if home is not None else values
        if kinds == [TRUTH]:
            values = (False, True)
        if kinds == [NUMBER] and types[0].high == types[0].low + 1:
            values = (types[0].low, types[0].high)
        if len(values) == 2:
            return Function(name, args, values), Type(types[0].kind, types[0].low, types[0].high, values)
        checker.wrong(node, "`other` needs a type of two values", "name the value that is meant")
        return None
    checker.wrong(node, f"`{name}` is {function.sentence}; these arguments do not fit", f"write `{function.usage}`")
    return None


def named_cell(checker: Checks, node: ast.expr, cell: Cell) -> Typed | None:
    """A cell that is written as such: `cell(3, 2)`, `r3c2`."""
    if cell not in checker.scope.cells:
        checker.wrong(node, f"{place(cell)} is not a cell of the board")
        return None
    return Const(cell), Type(CELL, members=tuple(sorted(checker.scope.cells)))


def _cell(checker: Checks, node: ast.Call, args: tuple[Expr, ...]) -> Typed | None:
    """The cell in a row and a column, counted from 1: `cell(row, column)`."""
    members = tuple(sorted(checker.scope.cells))
    if not members:
        checker.wrong(node, "there are no cells without a `grid`")
        return None
    numbers = [arg.value for arg in args if isinstance(arg, Const) and isinstance(arg.value, int)]
    if len(numbers) == 2:
        return named_cell(checker, node, (numbers[0] - 1, numbers[1] - 1))
    return Function("cell", args), Type(CELL, members=members)
