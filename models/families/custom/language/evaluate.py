"""The interpreter of expressions: their value in a state, by their definition.

Nothing here knows of facts, operators or cases: the compiler (`cases`) is written apart, and the two are tested against
each other. `None` stands for "no value": a cell off the board, a number out of range, a division by 0.

    not: of no value, no value        and: false if one is false; else no value if one has none
    or: true if one is true; else no value if one has none
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ....cells import Cell
from ..puzzle import Custom, Part, Place
from .expressions import (
    And,
    Arith,
    Choice,
    Compare,
    Const,
    Expr,
    Function,
    Local,
    Look,
    Loop,
    Member,
    Not,
    Or,
    Quantifier,
    Read,
    Slide,
    Step,
    Use,
    Value,
    VectorOf,
)

Names = Mapping[str, Value]

Known = dict[tuple[str, tuple[Value, ...]], Value | None]
"""Values of definitions, by name and arguments."""

MAX_STEPS = 2_000_000
"""Turns of loops, uses of definitions and steps of slides in one state: about ten seconds."""


@dataclass
class Interpreter:
    """Evaluates expressions of a puzzle in one state. Raises `GroundingError` if that takes more than `MAX_STEPS`.

    Loops within one expression are bounded where they are read; those of definitions that use each other are not.
    `known` keeps the values of definitions that do not read the state; the interpreters of other states may share it.
    """

    puzzle: Custom
    state: Mapping[Place, Value]
    known: Known = field(default_factory=dict)
    steps: int = 0
    part: Part = ()
    """The part of the file that is evaluated."""

    def _count(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise self.puzzle.error(
                self.part,
                f"takes more than {MAX_STEPS:,} steps in one state",
                "let definitions use each other less often, or loop over fewer values",
            )

    def holds(self, expr: Expr, names: Names) -> bool:
        """Whether a condition is true; one without a value is not."""
        return self.value(expr, names) is True

    def value(self, expr: Expr, names: Names) -> Value | None:
        """The value of an expression, None if it has none."""
        match expr:
            case Const(value):
                return value
            case Local(name):
                return names[name]
            case Read(table, args):
                key = self._values(args, names)
                return None if key is None else self.state.get((table, key))
            case Look(table, args):
                key = self._values(args, names)
                return None if key is None else self.puzzle.constants[table].values.get(key)
            case Use(name, args):
                key = self._values(args, names)
                return None if key is None else self._use(name, key)
            case Compare(op, left, right):
                return _compare(op, self.value(left, names), self.value(right, names))
            case Not(inner):
                inside = self.value(inner, names)
                return None if inside is None else not inside
            case And(parts):
                return _all(self.value(part, names) for part in parts)
            case Or(parts):
                return _any(self.value(part, names) for part in parts)
            case Member(inner, values):
                return self.value(inner, names) in values
            case Choice(condition, yes, no):
                return self.value(yes if self.holds(condition, names) else no, names)
            case VectorOf(direction):
                way = self.value(direction, names)
                return None if way is None else self.puzzle.directions.get(str(way))
            case Step(cell, vector):
                return self._step(self.value(cell, names), self.value(vector, names))
            case Arith(op, left, right):
                return _arith(op, self.value(left, names), self.value(right, names))
            case Quantifier(kind, body, loops):
                return self._quantifier(kind, (self.value(body, turn) for turn in self.turns(loops, names)))
            case Slide(start, direction, test, arguments):
                return self._slide(self.value(start, names), self.value(direction, names), test, arguments)
            case Function(name, args, values):
                found = [self.value(arg, names) for arg in args]
                good = [one for one in found if one is not None]
                return self._function(name, good, values) if len(good) == len(found) else None

    def turns(self, loops: tuple[Loop, ...], names: Names) -> Iterator[Names]:
        """The names in each turn of nested loops whose conditions hold."""
        if not loops:
            yield names
            return
        loop = loops[0]
        values = loop.values
        if loop.around is not None:
            cell = self.value(loop.around, names)
            values = () if cell is None else tuple(self._neighbours(cell))
        for value in values:
            self._count()
            inner = {**names, loop.name: value}
            if all(self.holds(condition, inner) for condition in loop.conditions):
                yield from self.turns(loops[1:], inner)

    def _neighbours(self, cell: Value) -> Iterator[Cell]:
        for vector in self.puzzle.directions.values():
            found = self._step(cell, vector)
            if isinstance(found, tuple):
                yield found

    def _values(self, args: tuple[Expr, ...], names: Names) -> tuple[Value, ...] | None:
        found = [self.value(arg, names) for arg in args]
        good = [one for one in found if one is not None]
        return tuple(good) if len(good) == len(found) else None

    def _use(self, name: str, args: tuple[Value, ...]) -> Value | None:
        if (name, args) in self.known:
            return self.known[name, args]
        value = self._defined(name, args)
        if name not in self.puzzle.reading:
            self.known[name, args] = value
        return value

    def _defined(self, name: str, args: tuple[Value, ...]) -> Value | None:
        self._count()
        definition = self.puzzle.definitions[name]
        if not all(arg in domain.values for arg, (_, domain) in zip(args, definition.parameters, strict=True)):
            return None
        return self.value(definition.body, dict(zip((p for p, _ in definition.parameters), args, strict=True)))

    def _step(self, cell: Value | None, vector: Value | None) -> Cell | None:
        if not isinstance(cell, tuple) or not isinstance(vector, tuple):
            return None
        found = (cell[0] + vector[0], cell[1] + vector[1])
        return found if found in self.puzzle.cells else None

    def _slide(self, cell: Value | None, direction: Value | None, test: str, arguments: int) -> Value | None:
        """Step by step: the last cell that the test lets it come to."""
        if cell is None or direction is None or str(direction) not in self.puzzle.directions:
            return None
        vector = self.puzzle.directions[str(direction)]
        here = cell
        for _ in self.puzzle.cells:  # no way is longer
            there = self._step(here, vector)
            if there is None:
                return here
            asked: tuple[Value, ...] = (there,) if arguments == 1 else (here, direction)
            if self._use(test, asked) is not True:
                return here
            here = there
        return here

    def _quantifier(self, kind: str, values: Iterable[Value | None]) -> Value | None:
        if kind == "all":
            return _all(values)
        if kind == "any":
            return _any(values)
        found = list(values)
        if kind == "count":
            return sum(value is True for value in found)
        if kind in ("list", "join"):
            between = " " if kind == "list" else ""
            return between.join(str(value) for value in found if value is not None)
        numbers = [value for value in found if isinstance(value, int)]
        if len(numbers) < len(found) or (not numbers and kind != "sum"):
            return None
        return sum(numbers) if kind == "sum" else min(numbers) if kind == "min" else max(numbers)

    def _function(self, name: str, args: list[Value], values: tuple[Value, ...]) -> Value | None:
        match name:
            case "other":
                return values[1 - values.index(args[0])] if args[0] in values else None
            case "opposite":
                if str(args[0]) not in self.puzzle.directions:
                    return None
                row, column = self.puzzle.directions[str(args[0])]
                return next((d for d, v in self.puzzle.directions.items() if v == (-row, -column)), None)
            case "row" | "col":
                cell = args[0]
                return cell[name == "col"] + 1 if isinstance(cell, tuple) else None
        numbers = [arg for arg in args if isinstance(arg, int)]
        if name == "cell":
            cell = (numbers[0] - 1, numbers[1] - 1)
            return cell if cell in self.puzzle.cells else None
        return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)


def _all(values: Iterable[Value | None]) -> bool | None:
    result: bool | None = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def _any(values: Iterable[Value | None]) -> bool | None:
    result: bool | None = False
    for value in values:
        if value is True:
            return True
        if value is None:
            result = None
    return result


def _compare(op: str, left: Value | None, right: Value | None) -> bool | None:
    if left is None or right is None:
        return None
    if op in ("==", "!="):
        return (left == right) == (op == "==")
    assert isinstance(left, int)
    assert isinstance(right, int)
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[op]


def _arith(op: str, left: Value | None, right: Value | None) -> Value | None:
    if left is None or right is None:
        return None
    if isinstance(right, tuple):  # vectors
        if isinstance(left, tuple):
            sign = 1 if op == "+" else -1
            return (left[0] + sign * right[0], left[1] + sign * right[1])
        assert isinstance(left, int)
        return (left * right[0], left * right[1])
    assert isinstance(left, int)
    assert isinstance(right, int)
    if op in ("//", "%") and right == 0:
        return None
    result = {"+": left + right, "-": left - right, "*": left * right} if op in "+-*" else {}
    return result[op] if result else left // right if op == "//" else left % right
