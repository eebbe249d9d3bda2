"""Terms, which restrict variables to some of their values, and the arithmetic of single values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from ..language.expressions import And, Expr, Value

Term = dict[int, int]
"""Variables with the values that they may have: a bit for each value of the variable's table, in order."""

TRUE, FALSE, UNTRUE, UNFALSE = "true", "false", "untrue", "unfalse"
"""What can be wanted of a condition; see `cases`."""

NEGATED = {TRUE: FALSE, FALSE: TRUE, UNTRUE: UNFALSE, UNFALSE: UNTRUE}


FEW = 6
"""So many terms are compared in pairs."""


def merged(terms: list[Term]) -> list[Term]:
    """Fewer terms for the same states: those that differ in one variable only become one.

    {a: 1, b: 2} and {a: 1, b: 4} are {a: 1, b: 6}.
    """
    if len(terms) > 500:
        return terms
    same = terms[0].keys()
    if any(term.keys() != same for term in terms):
        return terms
    # Of a few terms, it is quicker to see whether any two differ in one variable only: most often, none do.
    if len(terms) <= FEW and all(len(a.items() ^ b.items()) > 2 for a, b in combinations(terms, 2)):
        return terms
    for variable in terms[0]:
        if len({term[variable] for term in terms}) == 1:
            continue
        masks: dict[frozenset[tuple[int, int]], int] = {}
        whole: dict[frozenset[tuple[int, int]], Term] = {}
        for term in terms:
            rest = frozenset(item for item in term.items() if item[0] != variable)
            masks[rest] = masks.get(rest, 0) | term[variable]
            whole.setdefault(rest, term)
        if len(masks) < len(terms):
            terms = [{**whole[rest], variable: mask} for rest, mask in masks.items()]
    return terms


MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def parts(expr: object) -> Iterable[object]:
    """An expression and all expressions within it."""
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack += node
        elif hasattr(node, "__dataclass_fields__"):
            yield node
            stack += [getattr(node, name) for name in node.__dataclass_fields__]


def conjuncts(expr: Expr) -> Iterator[Expr]:
    """The parts of a conjunction, however nested: all are true if and only if it is."""
    if isinstance(expr, And):
        for part in expr.parts:
            yield from conjuncts(part)
    else:
        yield expr


def compare(op: str, a: Value | None, b: Value | None) -> bool | None:
    """A comparison of two values; None if one is missing."""
    if a is None or b is None:
        return None
    if op == "==":
        return a == b
    if op == "!=":
        return a != b
    assert isinstance(a, int)
    assert isinstance(b, int)
    return a < b if op == "<" else a <= b if op == "<=" else a > b if op == ">" else a >= b


def is_so(op: str, right: Value, left: Value) -> bool:
    return compare(op, left, right) is True


def wants_true(want: str) -> bool:
    """Whether a condition that has a value must be true."""
    return want in (TRUE, UNFALSE)


def is_wanted(value: Value | None, want: str) -> bool:
    if value is None:
        return want in (UNTRUE, UNFALSE)
    return bool(value) == (want in (TRUE, UNFALSE))


def arith(op: str, a: Value, b: Value) -> Value | None:
    if isinstance(b, tuple):
        if isinstance(a, tuple):
            return (a[0] + b[0], a[1] + b[1]) if op == "+" else (a[0] - b[0], a[1] - b[1])
        assert isinstance(a, int)
        return (a * b[0], a * b[1])
    assert isinstance(a, int)
    assert isinstance(b, int)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
    if b == 0:
        return None
    return a // b if op == "//" else a % b


NOTHING_YET = "nothing yet"
"""The least or greatest of no numbers; not a number, and not yet what has no value."""


def collect(kind: str, total: Value | None, value: Value | None) -> Value | None:
    """A running sum, minimum or maximum; None if a value was missing."""
    if value is None or total is None:
        return None
    if total == NOTHING_YET:
        return value
    assert isinstance(total, int)
    assert isinstance(value, int)
    return total + value if kind == "sum" else min(total, value) if kind == "min" else max(total, value)


def bits(mask: int) -> list[int]:
    """The numbers of the bits of a mask."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
