"""Checking the operators of the language: signs, arithmetic, comparisons, membership, choices."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod

from ....cells import Cell, place
from ....text import listing, suggest
from ..puzzle import ValueTable
from . import expressions as ex
from .expressions import Expr, Loop, Value
from .values import (
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    TRUE_OR_FALSE,
    VALUE_FUNCTIONS,
    WORDS,
    Checks,
    Kind,
    Locals,
    Type,
    Typed,
    WrongPartError,
    every,
)

_COMPARISONS: Mapping[type[ast.cmpop], str] = dict(
    zip((ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE), COMPARISONS, strict=True)
)
_OPERATORS: Mapping[type[ast.operator], str] = dict(
    zip((ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod), ARITHMETIC, strict=False)
)
"""How the operators of Python's grammar are written, in the order of the tables of their values."""


def unary(checker: Checks, node: ast.UnaryOp, names: Locals) -> Typed:
    """The expression of an operator with one operand: `not a`, `-n`, `-d`."""
    if isinstance(node.op, ast.Not):
        return ex.Not(checker.truth(node.operand, names)), TRUE_OR_FALSE
    operand, kind = checker.visit(node.operand, names)
    if isinstance(node.op, ast.USub):
        if kind.kind == Kind.NUMBER:
            return ex.Arith("-", ex.Const(0), operand), Type(Kind.NUMBER, -kind.high, -kind.low)
        if vector := checker.vector((operand, kind)):
            return ex.Arith("times", ex.Const(-1), vector), Type(Kind.VECTOR)
    raise checker.wrong(node, f"this sign stands only before a number or a direction, not {kind.describe()}")


def binary(checker: Checks, node: ast.BinOp, names: Locals) -> Typed:
    """Numbers, cells and vectors joined: `a + b`, `c + 2*d`."""
    op = _OPERATORS.get(type(node.op))
    if op is None:
        hint = "write `//`, which rounds down" if isinstance(node.op, ast.Div) else "known are + - * // %"
        raise checker.wrong(node, "this operator is not known here", hint)
    (left, left_type), (right, right_type) = checker.visits((node.left, node.right), names)
    if left_type.kind == right_type.kind == Kind.NUMBER:
        return ex.Arith(op, left, right), _range(op, left_type, right_type)
    a, b = checker.vector((left, left_type)), checker.vector((right, right_type))
    if op in ("+", "-") and left_type.kind == Kind.CELL and b is not None:
        vector = b if op == "+" else ex.Arith("times", ex.Const(-1), b)
        if isinstance(left, ex.CellStep):  # only where it ends counts, not what it passes on the way
            return ex.CellStep(left.cell, ex.Arith("+", left.vector, vector)), left_type
        return ex.CellStep(left, vector), left_type
    if op in ("+", "-") and a is not None and b is not None:
        return ex.Arith(op, a, b), Type(Kind.VECTOR)
    if op == "*" and left_type.kind == Kind.NUMBER and b is not None:
        return ex.Arith("times", left, b), Type(Kind.VECTOR)
    if op == "*" and right_type.kind == Kind.NUMBER and a is not None:
        return ex.Arith("times", right, a), Type(Kind.VECTOR)
    message = f"`{op}` does not join {left_type.describe()} and {right_type.describe()}"
    raise checker.wrong(node, message, "numbers are added, and directions to cells: `c + d`, `c + 2*d`")


def choice(checker: Checks, node: ast.IfExp, names: Locals) -> Typed:
    """Check a choice: `yes if condition else no`."""
    both = partial(checker.visits, (node.body, node.orelse), names)
    condition, (yes, no) = every((partial(checker.truth, node.test, names), both))
    return _either(checker, node, condition, yes, no)


def _either(checker: Checks, node: ast.expr, condition: Expr, first: Typed, second: Typed) -> Typed:
    """The first of two values if a condition holds, else the second. Raises `WrongPartError` if their kinds differ."""
    (yes, yes_type), (no, no_type) = first, second
    kinds = {yes_type.kind, no_type.kind}
    result = _union(yes_type, no_type)
    if len(kinds) > 1 and Kind.TEXT in kinds:  # in a drawing, where all is text in the end
        result = replace(result, kind=Kind.TEXT)
    elif len(kinds) > 1:
        message = f"one is {yes_type.describe()}, the other {no_type.describe()}"
        raise checker.wrong(node, message, "both must be of one kind")
    return ex.Conditional(condition, yes, no), result


def comparison(checker: Checks, node: ast.Compare, names: Locals) -> Typed:
    """The expression of a comparison: `a == b`, a chain `0 <= x < 3`, `x in ...`."""
    sides = [node.left, *node.comparators]
    links = zip(node.ops, sides, sides[1:], strict=False)
    parts = every(partial(_link, checker, node, op, left, right, names) for op, left, right in links)
    return (parts[0] if len(parts) == 1 else ex.And(tuple(parts))), TRUE_OR_FALSE


def _link(checker: Checks, node: ast.expr, op: ast.cmpop, left: ast.expr, right: ast.expr, names: Locals) -> Expr:
    """One comparison of a chain."""
    if isinstance(op, ast.In | ast.NotIn):
        inside = _membership(checker, left, right, names)
        return ex.Not(inside) if isinstance(op, ast.NotIn) else inside
    if type(op) not in _COMPARISONS:
        raise checker.wrong(node, "`is` compares nothing here", "write `==`")
    return _compared(checker, node, _COMPARISONS[type(op)], left, right, names)


def _compared(checker: Checks, node: ast.expr, op: str, a: ast.expr, b: ast.expr, names: Locals) -> Expr:
    (left, left_type), (right, right_type) = checker.visits((a, b), names)
    mine, other = left_type.describe(), right_type.describe()
    if left_type.kind != right_type.kind:
        raise checker.wrong(node, f"{mine} is compared with {other}", "compare values of one kind")
    if op not in ("==", "!=") and left_type.kind != Kind.NUMBER:
        order = _order(checker, left_type, right_type)
        if not order:
            message = f"`{op}` compares numbers, cells, and objects of one type, not {mine}"
            also = f" and {other}" if left_type.kind == Kind.OBJECT else ""
            raise checker.wrong(node, message + also, "write `==` or `!=`")
        ranks = tuple((value, rank) for rank, value in enumerate(order))
        return ex.Compare(op, ex.ByValue(left, ranks), ex.ByValue(right, ranks))
    if left_type.kind == Kind.OBJECT and not set(left_type.members) & set(right_type.members):
        written, other_written = checker.source.written(a), checker.source.written(b)
        message = f"`{written}` is {mine}, `{other_written}` is {other}: they are never equal"
        raise checker.wrong(node, message, suggest(other_written, [str(member) for member in left_type.members]))
    return ex.Compare(op, left, right)


def _order(checker: Checks, left: Type, right: Type) -> tuple[Value, ...]:
    """The values in whose order two are compared: all cells, or the smallest type that has all objects of both. None if
    there is no such type, or two of that size.
    """
    if left.kind == Kind.CELL:
        return tuple(sorted(checker.scope.cells))
    both = {*left.members, *right.members}
    types = {domain.values for domain in checker.scope.domains.values() if domain.kind == left.kind == Kind.OBJECT}
    fitting = [values for values in types if both <= set(values)]
    smallest = [values for values in fitting if len(values) == min(map(len, fitting))]
    return smallest[0] if len(smallest) == 1 else ()


def _membership(checker: Checks, left: ast.expr, right: ast.expr, names: Locals) -> Expr:
    inner, kind = checker.visit(left, names)
    if isinstance(right, ast.List | ast.Tuple | ast.Set):
        return ex.Or(tuple(every(partial(_compared, checker, right, "==", left, item, names) for item in right.elts)))
    if isinstance(right, ast.Name) and right.id in checker.scope.constants | checker.scope.state:
        truth, table_kind = checker.look_up(right, right.id, (left,), names)
        if table_kind.kind != Kind.TRUTH:
            raise checker.wrong(right, f"`{right.id}` is not a set", "compare its values")
        return truth
    values, value_type = loop_values(checker, right)
    if value_type.kind != kind.kind:
        message = f"{kind.describe()} is never one of `{checker.source.written(right)}`"
        raise checker.wrong(left, message, "ask for values of one kind")
    return ex.Membership(inner, frozenset(values))


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
    return Type(Kind.NUMBER, max(low, -(10**18)), min(high, 10**18))


def _union(a: Type, b: Type) -> Type:
    return Type(a.kind, min(a.low, b.low), max(a.high, b.high), tuple(dict.fromkeys((*a.members, *b.members))))


# Checking the functions of the language: quantifiers, `slide`, `other`, arithmetic, cells.

QUANTIFIERS = ("all", "any", "count", "sum", "the", "first", "different")

ONLY_IN_LOOPS = {"neighbours": "neighbours(c)", "region": "region(c, same)"}
"""Functions that say what a loop goes over, and how they are used."""


def call(checker: Checks, node: ast.Call, names: Locals) -> Typed:
    """A function or a definition with its arguments."""
    if not isinstance(node.func, ast.Name) or node.keywords:
        hint = "known: " + ", ".join(FUNCTIONS)
        raise checker.wrong(node, "only definitions and functions have arguments in parentheses", hint)
    name = node.func.id
    tables = checker.scope.state | checker.scope.constants
    if name in checker.scope.definitions:
        return checker.use(node, name, tuple(node.args), names)
    if name not in FUNCTIONS:
        if checker.scope.has_errors(name):
            raise WrongPartError
        if name in tables:
            message = f"`{name}` is a table: its arguments stand in brackets"
            raise checker.wrong(node, message, f"write `{name}[...]`")
        functions = [*checker.scope.definitions, *FUNCTIONS]
        message = f"there is no definition and no function `{name}`"
        raise checker.wrong(node.func, message, suggest(name, functions))
    if name == "loop":
        return _closed_loop(checker, node, names)
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
        return _quantifier(checker, name, node.args[0], names)
    if name in ("the", "first") and len(node.args) == 2 and isinstance(node.args[0], ast.GeneratorExp):
        return _first(checker, node, node.args[0], names)
    if name in QUANTIFIERS:
        arg = node.args[0] if len(node.args) == 1 else None
        if isinstance(arg, ast.Name) and name in ("all", "any", "count") and arg.id in tables and tables[arg.id].of:
            return quantified_table(checker, name, arg.id, arg)
        raise checker.wrong(node, f"`{name}` needs a loop", _looped(checker, name, node))
    if name in ("slide", "connected"):
        ((start, kind), (end, _)), test = _stepwise(checker, name, node, names)
        if name == "slide":
            return ex.SlideEnd(start, end, *test), kind
        return ex.Connected(start, end, *test), TRUE_OR_FALSE
    if name in ONLY_IN_LOOPS:
        raise checker.wrong(node, f"`{name}` stands only in a loop", f"write `for n in {ONLY_IN_LOOPS[name]}`")
    return _plain(checker, name, node, names)


def _looped(checker: Checks, name: str, node: ast.Call) -> str:
    """A hint for `any(p)` or `all(p, q)` without a loop: how to write it."""
    hint, joint = f"write `{name}(... for x in ...)`", {"all": "and", "any": "or"}.get(name)
    if joint is None:
        return hint
    if len(node.args) > 1:
        return f"{hint}, or join them: `{f' {joint} '.join(map(checker.source.written, node.args))}`"
    return f"{hint}, or `... {joint} ...` to join several"


def _quantifier(checker: Checks, kind: str, node: ast.GeneratorExp, names: Locals) -> Typed:
    """The expression of a quantifier with its loops: `all(body for x in T if c)`."""
    if kind not in (*QUANTIFIERS, "min", "max"):
        hint = "loops stand in all, any, count, sum, min, max, the, first, different"
        raise checker.wrong(node, f"`{kind}` takes no loop", hint)
    loops, inner = within(checker, node.generators, names)
    turns = min(prod(max(1, len(loop.values) or 8) for loop in loops), 10**9)
    if kind in ("all", "any", "count"):
        counted = Type(Kind.NUMBER, 0, turns) if kind == "count" else TRUE_OR_FALSE
        return ex.Quantifier(kind, checker.truth(node.elt, inner), loops), counted
    body, body_type = checker.visit(node.elt, inner)
    if kind == "different" and body_type.kind in (Kind.VECTOR, Kind.TEXT):
        message = f"`different` compares numbers, cells and objects, not {body_type.describe()}"
        raise checker.wrong(node.elt, message)
    if kind not in ("different", "the", "first") and body_type.kind != Kind.NUMBER:
        raise checker.wrong(node.elt, f"`{kind}` needs numbers, not {body_type.describe()}")
    total = Type(Kind.NUMBER, min(0, body_type.low) * turns, max(0, body_type.high) * turns)
    kind = "the" if kind == "first" else kind
    return ex.Quantifier(kind, body, loops), {"different": TRUE_OR_FALSE, "sum": total}.get(kind, body_type)


def _first(checker: Checks, node: ast.Call, loop: ast.GeneratorExp, names: Locals) -> Typed:
    """`first((x for x in T if c), y)`: the first x, or y where there is none, as `the(...) if any(...) else y`."""
    both = (partial(_quantifier, checker, "the", loop, names), partial(checker.visit, node.args[1], names))
    first, other = every(both)
    assert isinstance(first[0], ex.Quantifier)
    return _either(checker, node, ex.Quantifier("any", ex.Const(True), first[0].loops), first, other)


STEPWISE = {
    "slide": (["a cell", "a direction"], "`slide(c, d, free)`: from c in the direction d, as long as free(next cell)"),
    "connected": (["two cells"], "`connected(a, b, same)`: from cell a to b, by steps that `same` allows"),
    "region": (
        ["a cell"],
        "`for c in region(a, same)`: the cells that are reached from a, by steps that `same` allows",
    ),
}
"""Functions that go from cell to cell: their first arguments, and an example. The last names what allows a step."""


def _stepwise(checker: Checks, name: str, node: ast.Call, names: Locals) -> tuple[list[Typed], tuple[str, str]]:
    """The arguments of `slide(c, d, free)`: the values `c` and `d`, and the definition `free`, which allows steps."""
    (begin, usage), count = STEPWISE[name], 2 if name == "region" else 3
    if len(node.args) != count or node.keywords or (name == "slide" and not isinstance(node.args[2], ast.Name)):
        needed = listing([*begin, "the name of a definition"])
        raise checker.wrong(node, f"`{name}` needs {needed}", f"write {usage}")
    visits = partial(checker.visits, node.args[:-1], names)
    ends, test = every((visits, partial(steps_test, checker, node.args[-1])))
    cells, ways = (ends[:1], ends[1:]) if name == "slide" else (ends, [])
    directions = all(checker.vector(way) is not None and way[1].kind == Kind.OBJECT for way in ways)
    if not directions or any(kind.kind != Kind.CELL for _, kind in cells):
        raise checker.wrong(node, f"`{name}` begins with {listing(begin)}", f"write {usage}")
    return ends, test


def _closed_loop(checker: Checks, node: ast.Call, names: Locals) -> Typed:
    """Whether the edges that are there make one closed loop: `loop((a[e], b[e]) for e in edge if drawn[e])`."""
    usage = "write `loop((a[e], b[e]) for e in edge if drawn[e])`: the two ends of each edge that counts"
    body = node.args[0] if len(node.args) == 1 else None
    if not isinstance(body, ast.GeneratorExp) or not isinstance(body.elt, ast.Tuple) or len(body.elt.elts) != 2:
        raise checker.wrong(node, "`loop` needs the two ends of edges, and a loop over these", usage)
    loops, inner = within(checker, body.generators, names)
    (first, first_type), (second, second_type) = checker.visits(body.elt.elts, inner)
    if first_type.kind != second_type.kind or first_type.kind not in (Kind.NUMBER, Kind.OBJECT, Kind.CELL):
        message = f"the ends are {first_type.describe()} and {second_type.describe()}"
        raise checker.wrong(body.elt, message, "both must be cells, objects or numbers")
    return ex.ClosedLoop(first, second, loops), TRUE_OR_FALSE


def _plain(checker: Checks, name: str, node: ast.Call, names: Locals) -> Typed:
    """Check a call of a function of values, such as `row(c)` or `min(a, b)`."""
    typed = checker.visits(node.args, names)
    args, types = tuple(expr for expr, _ in typed), [arg_type for _, arg_type in typed]
    kinds = [arg_type.kind for arg_type in types]
    function = VALUE_FUNCTIONS[name]
    numbers = len(kinds) > 1 and set(kinds) == {Kind.NUMBER}
    fit = tuple(kinds) == function.kinds if function.kinds else numbers
    if fit and name in ("row", "col"):
        counted = {cell: cell[name == "col"] + 1 for cell in sorted(checker.scope.cells)}
        low, high = min(counted.values(), default=1), max(counted.values(), default=1)
        return ex.ByValue(args[0], tuple(counted.items())), Type(Kind.NUMBER, low, high)
    if fit and name == "cell":
        return _cell(checker, node, args)
    if fit and name == "abs":
        most = max(abs(types[0].low), abs(types[0].high))
        return ex.Arith(name, ex.Const(0), args[0]), Type(Kind.NUMBER, 0, most)
    if fit and name in ("min", "max"):
        pick = min if name == "min" else max
        low, high = pick(t.low for t in types), pick(t.high for t in types)
        return ex.chained(name, *args), Type(Kind.NUMBER, low, high)
    if fit and name == "opposite" and checker.vector((args[0], types[0])) is not None:
        ways = checker.scope.directions
        named = {vector: way for way, vector in reversed(ways.items())}
        pairs = tuple((way, named[-row, -col]) for way, (row, col) in ways.items() if (-row, -col) in named)
        return ex.ByValue(args[0], pairs), Type(Kind.OBJECT, members=tuple(ways))
    if name == "other" and len(kinds) == 1:
        values: tuple[Value, ...] = types[0].members
        if len(values) == 1 and kinds == [Kind.OBJECT]:  # a name: the type that it was declared in
            home = checker.scope.domains.get(checker.scope.objects.get(str(values[0]), ""))
            values = home.values if home is not None else values
        if kinds == [Kind.TRUTH]:
            values = (False, True)
        if kinds == [Kind.NUMBER] and types[0].high == types[0].low + 1:
            values = (types[0].low, types[0].high)
        if len(values) == 2:
            swapped = ex.ByValue(args[0], ((values[0], values[1]), (values[1], values[0])))
            return swapped, Type(types[0].kind, types[0].low, types[0].high, values)
        raise checker.wrong(node, "`other` needs a type of two values", "name the value that is meant")
    message = f"`{name}` is {function.sentence}; these arguments do not fit"
    raise checker.wrong(node, message, f"write `{function.usage}`")


def named_cell(checker: Checks, node: ast.expr, cell: Cell) -> Typed:
    """A cell that is written as such: `cell(3, 2)`, `r3c2`."""
    if cell not in checker.scope.cells:
        raise checker.wrong(node, f"{place(cell)} is not a cell of the board")
    return ex.Const(cell), Type(Kind.CELL, members=tuple(sorted(checker.scope.cells)))


def _cell(checker: Checks, node: ast.Call, args: tuple[Expr, ...]) -> Typed:
    """The cell in a row and a column, counted from 1: `cell(row, column)`."""
    members = tuple(sorted(checker.scope.cells))
    if not members:
        raise checker.wrong(node, "there are no cells without a `grid`")
    numbers = [arg.value for arg in args if isinstance(arg, ex.Const) and isinstance(arg.value, int)]
    if len(numbers) == 2:
        return named_cell(checker, node, (numbers[0] - 1, numbers[1] - 1))
    return ex.Arith("cell", *args), Type(Kind.CELL, members=members)


# Checking loops: what they go over, and the names within them.

TURNS = "$turns"
"""The name under which the number of turns of the surrounding loops is kept among the types of names."""

MAX_TURNS = 100_000


def loop_values(checker: Checks, node: ast.expr) -> tuple[tuple[Value, ...], Type]:
    """The values of a type, a range or a list of names: what a loop goes over."""
    if isinstance(node, ast.Name) and node.id in checker.scope.domains:
        domain = checker.scope.domains[node.id]
        return domain.values, Type.of(domain)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        ends = checker.visits((node.left, node.right), {})
        numbers = [end.value for end, _ in ends if isinstance(end, ex.Const) and type(end.value) is int]
        if len(numbers) == 2 and numbers[0] <= numbers[1] and numbers[1] - numbers[0] < 10_000:
            return tuple(range(numbers[0], numbers[1] + 1)), Type(Kind.NUMBER, numbers[0], numbers[1])
        raise checker.wrong(node, "this is not a range of numbers", "write `1..8`, the smaller number first")
    if isinstance(node, ast.List | ast.Tuple):
        items = checker.visits(node.elts, {})
        constants = [item.value for item, _ in items if isinstance(item, ex.Const)]
        if not items or len(constants) < len(items) or len({item_type.kind for _, item_type in items}) > 1:
            raise checker.wrong(node, "this list does not hold names of one kind")
        members = tuple(dict.fromkeys(constants))
        numbers = [member for member in members if isinstance(member, int)]
        return members, Type(items[0][1].kind, min(numbers, default=0), max(numbers, default=0), members)
    name = checker.source.written(node)
    types = list(checker.scope.domains)
    if checker.scope.has_errors(name):
        raise WrongPartError
    if ".." in name:
        raise checker.wrong(node, "a range has two numbers, as `1..8`", "write a condition: `for i in 1..8 if i <= n`")
    raise checker.wrong(node, f"`{name}` is not a type", suggest(name, types) if types else "name it in `types`")


def within(checker: Checks, generators: list[ast.comprehension], names: Locals) -> tuple[tuple[Loop, ...], Locals]:
    """The loops of `for x in T if c for ...`, and the names known inside. Raises `WrongPartError`."""
    inner = dict(names)
    loops: list[Loop] = []
    for generator in generators:
        target = generator.target
        if not isinstance(target, ast.Name):
            raise checker.wrong(target, "a loop has one variable", "write `for x in item for y in item`")
        if target.id in inner or target.id in WORDS or target.id in checker.scope.declared:
            message = f"`{target.id}` has a meaning already"
            raise checker.wrong(target, message, "give the variable of the loop another name")
        # What the loop goes over: the neighbours of a cell, the members of a set, or the values of a type.
        around: Expr | None = None
        members: tuple[Expr, ...] = ()
        if isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "neighbours":
            cells = checker.visits(generator.iter.args, inner)
            if [cell.kind for _, cell in cells] != [Kind.CELL]:
                raise checker.wrong(generator.iter, "`neighbours` takes a cell", "write `for n in neighbours(c)`")
            around, kind = cells[0]
            turn_values: tuple[Value, ...] = ()
        elif isinstance(generator.iter, ast.Call) and ast.unparse(generator.iter.func) == "region":
            # `for c in region(a, same)` is `for c in cell if connected(a, c, same)`
            ((start, kind),), test = _stepwise(checker, "region", generator.iter, inner)
            turn_values = tuple(sorted(checker.scope.cells))
            members = (ex.Connected(start, ex.Local(target.id), *test),)
        elif isinstance(generator.iter, ast.Name) and (table := _set(checker, generator.iter.id)) is not None:
            # `for c in target` is `for c in cell if target[c]`
            turn_values, kind = table.of[0].values, Type.of(table.of[0])
            members = (read_table(checker, table.name, (ex.Local(target.id),)),)
        else:
            turn_values, kind = (), Type(Kind.UNKNOWN)
            with suppress(WrongPartError):  # what stands in the loop is checked all the same
                turn_values, kind = loop_values(checker, generator.iter)
        # Loops within loops multiply; eight neighbours are the most that the usual directions give.
        turns = max(1, len(turn_values) or 8) * (inner[TURNS].high if TURNS in inner else 1)
        if turns > MAX_TURNS:
            message = f"these loops have {turns:,} turns, one within the other; at most {MAX_TURNS:,} are allowed"
            raise checker.wrong(generator.iter, message, "loop over fewer values")
        inner[TURNS] = Type(Kind.NUMBER, 0, turns)
        inner[target.id] = kind
        conditions = every(partial(checker.truth, condition, inner) for condition in generator.ifs)
        loops.append(Loop(target.id, turn_values, (*members, *conditions), around))
    return tuple(loops), inner


def steps_test(checker: Checks, node: ast.expr) -> tuple[str, str]:
    """The name of a definition that allows steps, and what it is asked with (see `Connected`)."""
    name = node.id if isinstance(node, ast.Name) else ""
    definitions = checker.scope.definitions
    if name not in definitions:
        written = checker.source.written(node)
        hint = suggest(written, list(definitions)) or "add it to `define`"
        raise checker.wrong(node, f"`{written}` is not a definition", hint)
    result = checker.result_of(name)
    kinds = tuple("direction" if domain.name == "direction" else domain.kind for _, domain in definitions[name])
    asked = {(Kind.CELL,): "cell", (Kind.CELL, Kind.CELL): "cells", (Kind.CELL, "direction"): "direction"}.get(kinds)
    if result.kind != Kind.TRUTH or asked is None:
        message = f"`{name}` must be true or false for a cell, for two cells, or for a cell and a direction"
        raise checker.wrong(node, message, "as `same: {with: {from: cell, to: cell}, is: ...}`")
    return name, asked


def _set(checker: Checks, name: str) -> ValueTable | None:
    """The table of this name, if a loop can go over it: truth values with one argument, the set of those that are
    true.
    """
    table = checker.scope.state.get(name) or checker.scope.constants.get(name)
    return table if table is not None and table.domain.kind == Kind.TRUTH and len(table.of) == 1 else None


def quantified_table(checker: Checks, kind: str, name: str, node: ast.expr) -> Typed:
    """The value of a quantifier over all arguments of a table of truth values: `count(peg)`."""
    signature = checker.scope.state.get(name) or checker.scope.constants[name]
    if signature.domain.kind != Kind.TRUTH:
        raise checker.wrong(node, f"`{name}` is not true or false", f"write `{kind}({name}[x] == ... for x in ...)`")
    loops = tuple(Loop(f"${i}", domain.values, ()) for i, domain in enumerate(signature.of))
    read = read_table(checker, name, tuple(ex.Local(loop.name) for loop in loops))
    turns = prod(len(domain.values) for domain in signature.of)
    return ex.Quantifier(kind, read, loops), Type(Kind.NUMBER, 0, turns) if kind == "count" else TRUE_OR_FALSE


def read_table(checker: Checks, name: str, args: tuple[Expr, ...]) -> Expr:
    """A table of the state, or of constants, with its arguments."""
    return ex.Read(name, args) if name in checker.scope.state else ex.ConstantLookup(name, args)
