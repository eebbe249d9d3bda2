"""Expressions that do not read the state: their value for given names, by closures that are built once.

    covers(s, c + d, x)   ->   an evaluator f with f({s: tall, c: r1c1, d: down, x: r2c1}) = true

Such expressions are asked most often by far (places that are read, conditions of loops), and a closure answers several
times faster than a walk over the nodes. Values of definitions and quantifiers are kept for each choice of names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from operator import itemgetter

from ..grounding.terms import NOTHING_YET, arith, collect, parts
from ..puzzle import Custom
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
from .indexes import COMPARISONS, Evaluator, Loops, Names, TupleEvaluator


class FixedValues(Loops):
    """Evaluators of the expressions of a puzzle. `count` is called with the work done."""

    def __init__(self, puzzle: Custom, count: Callable[[int], None]) -> None:
        super().__init__(puzzle, count)
        self.reads = cache(self._reads)
        # By `id`, with the expression itself: its `id` is not given to another one while it is kept.
        self.built: dict[int, tuple[Expr, Evaluator | None]] = {}
        self.built_args: dict[int, tuple[tuple[Expr, ...], TupleEvaluator | None]] = {}
        self.definition = cache(self._definition)

    def _reads(self, expr: Expr) -> frozenset[str]:
        """The tables of the state that an expression may read."""
        found: set[str] = set()
        for part in parts(expr):
            if isinstance(part, Read):
                found.add(part.table)
            elif isinstance(part, Use):
                found |= self.reads(self.puzzle.definitions[part.name].body)
            elif isinstance(part, Slide):
                found |= self.reads(self.puzzle.definitions[part.test].body)
        return frozenset(found)

    def of(self, expr: Expr) -> Evaluator | None:
        """The evaluator of an expression; None if it reads the state."""
        kept = self.built.get(id(expr))
        if kept is None:
            kept = self.built[id(expr)] = (expr, None if self.reads(expr) else self._build(expr))
        return kept[1]

    def of_all(self, args: tuple[Expr, ...]) -> TupleEvaluator | None:
        """The evaluator of several expressions; None if one of them reads the state."""
        kept = self.built_args.get(id(args))
        if kept is None:
            reading = any(self.reads(arg) for arg in args)
            kept = self.built_args[id(args)] = (args, None if reading else self._tuple(args))
        return kept[1]

    def _tuple(self, args: tuple[Expr, ...]) -> TupleEvaluator:
        """What is evaluated most often, in the shortest way for each number of arguments."""
        if len(args) > 1 and all(isinstance(arg, Local) for arg in args):
            pick: TupleEvaluator = itemgetter(*(arg.name for arg in args if isinstance(arg, Local)))
            return pick
        several = [self._evaluator(arg) for arg in args]
        if len(several) == 1:
            one = several[0]
            return lambda names: None if (value := one(names)) is None else (value,)
        if len(several) == 2:
            first, second = several

            def pair(names: Names) -> tuple[Value, ...] | None:
                a = first(names)
                b = None if a is None else second(names)
                return None if a is None or b is None else (a, b)

            return pair

        def all_values(names: Names) -> tuple[Value, ...] | None:
            found = []
            for evaluator in several:
                value = evaluator(names)
                if value is None:
                    return None
                found.append(value)
            return tuple(found)

        return all_values

    def bound(self, name: str, args: tuple[Value, ...] | None) -> dict[str, Value] | None:
        """The names within a definition; None if an argument is not of its parameter's type."""
        if args is None:
            return None
        for arg, domain in zip(args, self.domains[name], strict=True):
            if arg not in domain:
                return None
        parameters = self.puzzle.definitions[name].parameters
        return {parameter: arg for arg, (parameter, _) in zip(args, parameters, strict=True)}

    def function(self, name: str, args: tuple[Value, ...], values: tuple[Value, ...]) -> Value | None:
        """`other`, `opposite`, `row`, `col`, `cell`, `abs`, `min`, `max` of values."""
        first = args[0]
        if name == "other":
            return values[1 - values.index(first)] if first in values else None
        if name == "opposite":
            if str(first) not in self.puzzle.directions:
                return None
            row, column = self.puzzle.directions[str(first)]
            return next((d for d, v in self.puzzle.directions.items() if v == (-row, -column)), None)
        if name in ("row", "col"):
            assert isinstance(first, tuple)
            return first[0 if name == "row" else 1] + 1
        numbers = [arg for arg in args if isinstance(arg, int)]
        if name == "cell":
            there = (numbers[0] - 1, numbers[1] - 1)
            return there if there in self.puzzle.cells else None
        return abs(numbers[0]) if name == "abs" else min(numbers) if name == "min" else max(numbers)

    # Closures

    def _evaluator(self, expr: Expr) -> Evaluator:
        found = self.of(expr)
        assert found is not None, "parts of what does not read the state do not either"
        return found

    def _build(self, expr: Expr) -> Evaluator:
        of = self._evaluator
        match expr:
            case Const(constant):
                return lambda names: constant
            case Local(name):
                return lambda names: names[name]
            case Look(table, args):
                values = self.puzzle.constants[table].values
                return self._called(args, values.get)
            case Use(name, args):
                return self._called(args, self.definition(name))
            case Function("row" | "col" as name, (cell,), _):
                place, axis = of(cell), int(name == "col")
                return lambda names: found[axis] + 1 if isinstance(found := place(names), tuple) else None
            case Function(name, args, options):
                return self._called(args, lambda key: self.function(name, key, options))
            case Step(cell, vector):
                return _joined(of(cell), of(vector), self.step)
            case Arith(op, left, right):
                return _joined(of(left), of(right), partial(arith, op))
            case Compare(op, left, right):
                return _joined(of(left), of(right), COMPARISONS[op])
            case Not(inner):
                negated = of(inner)
                return lambda names: None if (value := negated(names)) is None else not value
            case And(conditions) | Or(conditions):
                return _joint([of(part) for part in conditions], settling=isinstance(expr, Or))
            case Member(inner, members):
                member = of(inner)
                return lambda names: member(names) in members
            case Choice(condition, yes, no):
                chosen, one, two = of(condition), of(yes), of(no)
                return lambda names: one(names) if chosen(names) is True else two(names)
            case VectorOf(direction):
                way, ways = of(direction), self.puzzle.directions
                return lambda names: None if (found := way(names)) is None else ways.get(str(found))
            case Quantifier():
                return self._quantifier(expr)
            case Slide(start, direction, test, arguments):
                slide = self._slide(test, arguments)
                return _joined(of(start), of(direction), slide)
        raise AssertionError(f"{expr} reads the state")

    def _called(self, args: tuple[Expr, ...], call: Callable[[tuple[Value, ...]], Value | None]) -> Evaluator:
        """What is called with the values of some arguments; no value if one of them has none."""
        key_of = self._tuple(args)
        return lambda names: None if (key := key_of(names)) is None else call(key)

    def _definition(self, name: str) -> Callable[[tuple[Value, ...]], Value | None]:
        """A definition as a function of its arguments."""
        body = self._evaluator(self.puzzle.definitions[name].body)
        known: dict[tuple[Value, ...], Value | None] = {}

        def evaluate(args: tuple[Value, ...]) -> Value | None:
            if args in known:
                return known[args]
            self.count(1)
            inner = self.bound(name, args)
            value = known[args] = None if inner is None else body(inner)
            return value

        return evaluate

    def _quantifier(self, expr: Quantifier) -> Evaluator:
        kind, body, turns = expr.kind, self._evaluator(expr.body), self.turns(expr.loops)
        known: dict[tuple[Value, ...], Value | None] = {}

        def evaluate(names: Names) -> Value | None:
            values = (body(turn) for turn in turns(names))
            if kind in ("all", "any"):
                return _settled(values, kind == "any")
            if kind == "count":
                return sum(value is True for value in values)
            total: Value | None = 0 if kind == "sum" else NOTHING_YET
            for value in values:
                total = collect(kind, total, value)
            return None if total == NOTHING_YET else total

        def remembered(names: Names) -> Value | None:
            # An expression stands in one place, where the names are always the same ones: their values are enough.
            key = tuple(names.values())
            if key not in known:
                known[key] = evaluate(names)
            return known[key]

        return remembered

    def _slide(self, name: str, arguments: int) -> Callable[[Value, Value], Value | None]:
        test = self.definition(name)

        def slide(here: Value, way: Value) -> Value | None:
            if str(way) not in self.puzzle.directions:
                return None
            vector = self.puzzle.directions[str(way)]
            for _ in self.puzzle.cells:
                self.count(1)
                there = self.step(here, vector)
                if there is None or test((there,) if arguments == 1 else (here, way)) is not True:
                    break
                here = there
            return here

        return slide


def _joined(left: Evaluator, right: Evaluator, join: Callable[[Value, Value], Value | None]) -> Evaluator:
    """What two values give together; no value if one of them has none."""

    def evaluate(names: Names) -> Value | None:
        a = left(names)
        if a is None:
            return None
        b = right(names)
        return None if b is None else join(a, b)

    return evaluate


def _joint(several: list[Evaluator], settling: bool) -> Evaluator:
    """`or` (settled by one true value) or `and` (by one false value); else no value if one has none."""

    def evaluate(names: Names) -> Value | None:
        result: bool | None = not settling
        for evaluator in several:
            value = evaluator(names)
            if value is settling:
                return settling
            if value is None:
                result = None
        return result

    return evaluate


def _settled(values: Iterable[Value | None], settling: bool) -> bool | None:
    """The same of the turns of a loop: `any` and `all`."""
    result: bool | None = not settling
    for value in values:
        if value is settling:
            return settling
        if value is None:
            result = None
    return result
