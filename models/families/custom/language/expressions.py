"""What expressions are once they are checked: a few kinds of nodes, every name resolved.

Both the interpreter (`evaluate`) and the compiler (`cases`) read these nodes, each in its own way. Values are truth
values, whole numbers, objects (their names), cells (0-based row and column) and vectors (rows and columns).

An expression may have no value: a cell off the board (`c + d` at the edge), a number out of the range of a table. What
is asked of it is then neither true nor false: see `docs/custom-reference.md`, "Off the board".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ....cells import Cell

Value = bool | int | str | Cell
"""A value of the language. A pair of numbers is a cell, or a `Vector`."""


class Vector(NamedTuple):
    """So many rows down and columns to the right."""

    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Const:
    value: Value


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter of an action or a definition, or the variable of a loop."""

    name: str


@dataclass(frozen=True, slots=True)
class Read:
    """A variable of the state: `at[x]`, `boat`."""

    table: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ConstantLookup:
    """A constant: `goal[c]`, `minutes[x]`."""

    table: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A definition with its arguments: `free(c)`."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class VectorOf:
    """The vector of a direction."""

    direction: Expr


@dataclass(frozen=True, slots=True)
class CellStep:
    """A cell and a vector: the cell there; no value off the board."""

    cell: Expr
    vector: Expr


@dataclass(frozen=True, slots=True)
class Arith:
    """`+ - * // %` of numbers; `+ -` of vectors, `times` of a number and a vector. No value for a division by 0.

    `min`, `max`, `abs` (of the second), `cell` of a row and a column, and the two as a text (`said`).
    """

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare:
    """`== != < <= > >=`"""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Not:
    inner: Expr


@dataclass(frozen=True, slots=True)
class Membership:
    """`value in values`: true or false; for a step off the board, which has no value, it is false."""

    inner: Expr
    values: frozenset[Value]


@dataclass(frozen=True, slots=True)
class Conditional:
    """`yes if condition else no`"""

    condition: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class Loop:
    """`for name in values if conditions`; with `around`, the values are the neighbours of that cell."""

    name: str
    values: tuple[Value, ...]
    conditions: tuple[Expr, ...]
    around: Expr | None = None


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`all any count sum min max the different` over loops."""

    kind: str
    body: Expr
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class SlideEnd:
    """The last cell of a movement: from `start` along `direction` while `test` allows the next step; `asks` as in
    `Connected`.
    """

    start: Expr
    direction: Expr
    test: str
    asks: str


@dataclass(frozen=True, slots=True)
class Connected:
    """Whether a cell is reached from another by steps in the directions that `test` allows; from itself, it always is.

    `asks`: what the test is asked with: the cell that a step leads to (`cell`), the cells before and behind it
    (`cells`), or the cell before it and the direction (`direction`).
    """

    start: Expr
    end: Expr
    test: str
    asks: str


@dataclass(frozen=True, slots=True)
class ClosedLoop:
    """Whether edges, one for each turn of loops, from `first` to `second`, are one closed loop."""

    first: Expr
    second: Expr
    loops: tuple[Loop, ...]


@dataclass(frozen=True, slots=True)
class ByValue:
    """A function of one value by the pairs of a table: `other(x)`, `row(c)`, `opposite(d)`; no value for others."""

    arg: Expr
    values: tuple[tuple[Value, Value], ...]


Expr = (
    Const
    | Local
    | Read
    | ConstantLookup
    | Use
    | VectorOf
    | CellStep
    | Arith
    | Compare
    | And
    | Or
    | Not
    | Membership
    | Conditional
    | Quantifier
    | SlideEnd
    | Connected
    | ClosedLoop
    | ByValue
)


def text_of(value: Value | None) -> str:
    """A value as it is written: `r3c4`, `left`, `true`, `12`."""
    if isinstance(value, tuple):
        return f"r{value[0] + 1}c{value[1] + 1}"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def parts(expr: object) -> Iterable[object]:
    """An expression and all expressions within it. What a loop or a function has as `values` is none."""
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack += node
        elif hasattr(node, "__dataclass_fields__"):
            yield node
            stack += [getattr(node, name) for name in node.__dataclass_fields__ if name != "values"]


def chained(op: str, first: Expr, *others: Expr) -> Expr:
    """Several numbers, or texts, joined one after the other."""
    for other in others:
        first = Arith(op, first, other)
    return first


def conjuncts(expr: Expr) -> Iterator[Expr]:
    """The parts of nested `and`s in one list: the whole is true if and only if all of them are."""
    if isinstance(expr, And):
        for part in expr.parts:
            yield from conjuncts(part)
    else:
        yield expr


def used(expr: object) -> set[str]:
    """The names (parameters, variables of loops around it) that an expression uses; not those of its own loops."""
    names, own = set[str](), set[str]()
    for part in parts(expr):
        if isinstance(part, Local):
            names.add(part.name)
        elif isinstance(part, Loop):
            own.add(part.name)
    return names - own


def in_order(uses: Mapping[str, Iterable[str]], circle: Callable[[list[str]], None]) -> list[str]:
    """Names in an order in which each comes after those that it uses. `circle` is called with each circle, `[a, b, a]`
    where a uses b and b uses a; it is cut where it comes back to its first name.
    """
    done: dict[str, None] = {}
    for first in uses:
        path = {} if first in done else {first: iter(uses[first])}  # each uses the next; what else it uses is to come
        while path:
            name, others = next(reversed(path.items()))
            other = next(others, None)
            if other is None:
                done[name] = None
                del path[name]
            elif other in path:
                names = [*path]
                circle([*names[names.index(other) :], other])
            elif other in uses and other not in done:
                path[other] = iter(uses[other])
    return [*done]
