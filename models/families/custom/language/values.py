"""The operators and functions of the language, each in one table: what it takes, how it is used, its value.

The checker of types reads what they take, the evaluator and the compiler compute with their values. Values that are
missing (a cell off the board) do not come here: what is asked of them has no value either.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ....cells import Cell
from .expressions import Value

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
    return (a[0] + b[0], a[1] + b[1]) if isinstance(a, tuple) else a + b


def _subtract(a: Any, b: Any) -> Value:
    return (a[0] - b[0], a[1] - b[1]) if isinstance(a, tuple) else a - b


def _multiply(a: Any, b: Any) -> Value:
    return (a * b[0], a * b[1]) if isinstance(b, tuple) else a * b


ARITHMETIC: dict[str, Callable[[Any, Any], Value | None]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "//": lambda a, b: a // b if b else None,
    "%": lambda a, b: a % b if b else None,
}
"""Arithmetic of numbers; `+` and `-` also of vectors, `*` also of a number and a vector. Division by 0 has no value."""


class BoardGeometry(Protocol):
    """The part of a puzzle that functions need: its cells, and the vectors of its directions."""

    @property
    def cells(self) -> frozenset[Cell]: ...

    @property
    def directions(self) -> Mapping[str, Cell]: ...


def _other(_: BoardGeometry, options: tuple[Value, ...], value: Any) -> Value | None:
    return options[1 - options.index(value)] if value in options else None


def _rank(options: tuple[Value, ...], value: Any) -> Value | None:
    return options.index(value) if value in options else None


def _opposite(board: BoardGeometry, _: tuple[Value, ...], direction: Any) -> Value | None:
    if direction not in board.directions:
        return None
    row, column = board.directions[direction]
    return next((name for name, vector in board.directions.items() if vector == (-row, -column)), None)


def _cell(board: BoardGeometry, _: tuple[Value, ...], row: Any, column: Any) -> Value | None:
    return cell if (cell := (row - 1, column - 1)) in board.cells else None


@dataclass(frozen=True, slots=True)
class ValueFunction:
    """A function of values.

    `kinds`: the kinds of its arguments; none for numbers, two or more. `value`: of the board, the two values of the
    argument's type (for `other`), and the arguments.
    """

    sentence: str
    usage: str
    kinds: tuple[str, ...]
    value: Callable[..., Value | None]


RANK = "$rank"
"""The function behind `x < y` of objects and cells: the place of a value in the order of its type."""

VALUE_FUNCTIONS = {
    "other": ValueFunction("the other value of a type of two", "other(x)", ("any",), _other),
    "row": ValueFunction("the row of a cell, from 1", "row(c)", ("cell",), lambda *args: args[2][0] + 1),
    "col": ValueFunction("the column of a cell, from 1", "col(c)", ("cell",), lambda *args: args[2][1] + 1),
    "min": ValueFunction("the smallest", "min(a, b)", (), lambda *args: min(args[2:])),
    "max": ValueFunction("the largest", "max(a, b)", (), lambda *args: max(args[2:])),
    "abs": ValueFunction("a number without its sign", "abs(n)", ("number",), lambda *args: abs(args[2])),
    "opposite": ValueFunction("the opposite direction", "opposite(d)", ("object",), _opposite),
    RANK: ValueFunction("the place of a value among others", "", ("any",), lambda *args: _rank(*args[1:])),
    "cell": ValueFunction("a cell by its row and column", "cell(3, 4)", ("number", "number"), _cell),
}

FUNCTIONS = {
    **{name: function.sentence for name, function in VALUE_FUNCTIONS.items() if name != RANK},
    "slide": "the last cell of a movement until blocked",
    "connected": "whether a cell is reached from another by steps that a definition allows",
    "region": "the cells that are connected with a cell, in a loop",
    "all": "whether all are true",
    "any": "whether one is true",
    "count": "how many are true",
    "sum": "the sum of numbers",
    "different": "whether no two values are equal",
    "loop": "whether edges are one closed loop",
    "neighbours": "the cells next to a cell, in a loop",
}
"""All functions with a sentence: those of values, and those with a loop or a definition in them."""

NOTHING_YET = "nothing yet"
"""The `min` or `max` of no numbers so far; None means something else, that a number was missing."""


def collect(kind: str, total: Value | None, value: Value | None) -> Value | None:
    """A running sum, minimum or maximum; None if a value was missing."""
    if value is None or total is None:
        return None
    if total == NOTHING_YET:
        return value
    assert isinstance(total, int)
    assert isinstance(value, int)
    return total + value if kind == "sum" else min(total, value) if kind == "min" else max(total, value)
