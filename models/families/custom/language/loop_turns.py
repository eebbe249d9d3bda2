"""The turns that loops have, found by index where the state does not matter.

    free[x] for x in cell if covers(s, c + d, x)

asks nothing of the cells that a piece of shape s at c + d does not cover: the cells that it covers are kept for each
choice of (s, c + d), so that a join goes over the tuples that there are, and not over the product of the types.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from ....cells import Cell
from ..puzzle import Custom, Place
from .expressions import Compare, Connected, Expr, Local, Loop, Use, Value, conjuncts, parts
from .values import COMPARISONS, MIRRORED

Names = Mapping[str, Value]
State = Mapping[Place, Value]

NO_STATE: State = {}
"""The empty state, for expressions that do not read the state."""

Evaluator = Callable[[Names, State], Value | None]
"""The value of an expression for the names in it, in a state; None if it has none."""

TupleEvaluator = Callable[[Names, State], tuple[Value, ...] | None]
"""The values of several expressions; None if one has none."""

Turns = Callable[[Names, State], Iterator[Names]]
"""A function that gives the names in each turn of some loops; one mapping is reused for all turns."""

Index = Callable[[tuple[Value, ...]], tuple[Value, ...]]
"""A function: from all other arguments of a definition to the values of one argument that make the definition true."""

Sieve = Callable[[dict[str, Value], Sequence[Value]], Sequence[Value]]
"""A function that keeps those values of a loop's variable for which a condition holds."""


def asked_by(loops: tuple[Loop, ...]) -> list[Expr]:
    """The expressions that decide which turns some loops have."""
    return [part for loop in loops for part in (*loop.conditions, *((loop.around,) if loop.around else ()))]


class LoopTurns(ABC):
    """Makes functions that run the loops of a puzzle; `count` is called with the work they do."""

    def __init__(self, puzzle: Custom, count: Callable[[int], None]) -> None:
        self.puzzle, self.count = puzzle, count
        self.reads = cache(puzzle.reads)
        self.domains = {
            name: [frozenset(domain.values) for _, domain in definition.parameters]
            for name, definition in puzzle.definitions.items()
        }
        # By `id`, with the loops themselves: their `id` is not given to others while they are kept.
        self.built_turns: dict[int, tuple[tuple[Loop, ...], Turns]] = {}
        self.loops_read: dict[int, tuple[tuple[Loop, ...], bool]] = {}
        self.indexes: dict[tuple[str, int, tuple[Value, ...]], Index] = {}

    @abstractmethod
    def evaluator(self, expr: Expr) -> Evaluator:
        """The evaluator of an expression."""

    @abstractmethod
    def tuple_of(self, args: tuple[Expr, ...]) -> TupleEvaluator:
        """The evaluator of several expressions."""

    @abstractmethod
    def region(self, test: str, asks: str, start: Value, state: State) -> set[Cell]:
        """The cells that are reached from a cell."""

    def step(self, cell: Any, vector: Any) -> Value | None:
        there = (cell[0] + vector[0], cell[1] + vector[1])
        return there if there in self.puzzle.cells else None

    def near(self, cell: Value | None) -> tuple[Value, ...]:
        """The neighbours of a cell."""
        found = () if cell is None else [self.step(cell, vector) for vector in self.puzzle.directions.values()]
        return tuple(value for value in found if value is not None)

    def reads_in(self, loops: tuple[Loop, ...]) -> bool:
        """Whether the turns of some loops depend on the state."""
        kept = self.loops_read.get(id(loops))
        if kept is None:
            kept = self.loops_read[id(loops)] = (loops, any(self.reads(part) for part in asked_by(loops)))
        return kept[1]

    def turns(self, loops: tuple[Loop, ...]) -> Turns:
        """A function that gives the turns of some loops."""
        kept = self.built_turns.get(id(loops))
        if kept is None:
            kept = self.built_turns[id(loops)] = (loops, self._turns(loops))
        return kept[1]

    def _turns(self, loops: tuple[Loop, ...]) -> Turns:
        if not loops:
            return lambda names, _state: iter((names,))
        loop, rest = loops[0], self._turns(loops[1:]) if len(loops) > 1 else None
        values_of, left = self._values(loop)
        conditions = [self.evaluator(condition) for condition in left]
        name, count = loop.name, self.count

        def turns(names: Names, state: State) -> Iterator[Names]:
            inner = dict(names)
            for value in values_of(names, state):
                count(1)
                inner[name] = value
                for condition in conditions:
                    if condition(inner, state) is not True:
                        break
                else:
                    if rest is None:
                        yield inner
                    else:
                        yield from rest(inner, state)

        return turns

    def _values(self, loop: Loop) -> tuple[Callable[[Names, State], tuple[Value, ...]], list[Expr]]:
        """The values that a loop goes over, and the conditions that are left to be asked of each.

        Where a condition is a definition of the loop's name and of what is known before the loop, and does not read the
        state, the values for which it holds are kept, and nothing else is tried: the cells of (s, c + d)
        for `x in cell if covers(s, c + d, x)`.
        """
        conditions = [part for condition in loop.conditions for part in conjuncts(condition)]
        if loop.around is not None:
            around = self.evaluator(loop.around)
            return lambda names, state: self.near(around(names, state)), conditions
        for condition in conditions:
            if isinstance(condition, Connected) and self._from_before(condition, loop.name):
                return self._region(condition, loop.values), [other for other in conditions if other is not condition]
            if not isinstance(condition, Use) or condition.args.count(Local(loop.name)) != 1:
                continue
            place = condition.args.index(Local(loop.name))
            others = condition.args[:place] + condition.args[place + 1 :]
            if Local(loop.name) in parts(others) or self.reads(self.puzzle.definitions[condition.name].body):
                continue
            key_of, index = self.tuple_of(others), self._index(condition.name, place, loop.values)
            left = [other for other in conditions if other is not condition]
            return partial(_looked_up, key_of, index), left
        return lambda _names, _state: loop.values, conditions

    @staticmethod
    def _from_before(condition: Connected, name: str) -> bool:
        """Whether a condition says that a loop goes over a region whose start is known before the loop."""
        return condition.end == Local(name) and Local(name) not in parts(condition.start)

    def _region(self, region: Connected, values: tuple[Value, ...]) -> Callable[[Names, State], tuple[Value, ...]]:
        start_of = self.evaluator(region.start)

        def cells(names: Names, state: State) -> tuple[Value, ...]:
            start = start_of(names, state)
            found = set[Value]() if start is None else self.region(region.test, region.asks, start, state)
            return tuple(value for value in values if value in found)

        return cells

    def _index(self, name: str, place: int, values: tuple[Value, ...]) -> Index:
        if (name, place, values) not in self.indexes:
            body, domains = self.puzzle.definitions[name].body, self.domains[name]
            names = [parameter for parameter, _ in self.puzzle.definitions[name].parameters]
            own, tried = names[place], tuple(value for value in values if value in domains[place])
            allowed = domains[:place] + domains[place + 1 :]
            sieves = [self._sieve(part, own) for part in conjuncts(body)]
            known: dict[tuple[Value, ...], tuple[Value, ...]] = {}

            def index(key: tuple[Value, ...]) -> tuple[Value, ...]:
                if key not in known:
                    self.count(len(tried))
                    found: Sequence[Value] = ()
                    if all(arg in domain for arg, domain in zip(key, allowed, strict=True)):
                        # The names stand in the order of the parameters, as everywhere (see `remembered`).
                        inner: dict[str, Value] = dict(zip(names, (*key[:place], False, *key[place:]), strict=True))
                        found = tried
                        for sieve in sieves:
                            found = sieve(inner, found)
                    known[key] = tuple(found)
                return known[key]

            self.indexes[name, place, values] = index
        return self.indexes[name, place, values]

    def _sieve(self, condition: Expr, own: str) -> Sieve:
        """Those of some values of a name for which a condition holds.

        Of a comparison, the side without the name is evaluated once: `row(c)` of `row(c) <= row(x)`.
        """
        if isinstance(condition, Compare):
            left, right, op = condition.left, condition.right, condition.op
            if Local(own) not in parts(right):
                left, right, op = right, left, MIRRORED[op]
            if Local(own) not in parts(left):
                return _comparing(self.evaluator(left), COMPARISONS[op], self.evaluator(right), own)
        evaluator = self.evaluator(condition)

        def sieve(names: dict[str, Value], values: Sequence[Value]) -> Sequence[Value]:
            found = []
            for value in values:
                names[own] = value
                if evaluator(names, NO_STATE) is True:
                    found.append(value)
            return found

        return sieve


def _comparing(left: Evaluator, compare: Callable[[Any, Any], bool], right: Evaluator, own: str) -> Sieve:
    def sieve(names: dict[str, Value], values: Sequence[Value]) -> Sequence[Value]:
        a, found = left(names, NO_STATE), []
        for value in values if a is not None else ():
            names[own] = value
            b = right(names, NO_STATE)
            if b is not None and compare(a, b):
                found.append(value)
        return found

    return sieve


def _looked_up(key_of: TupleEvaluator, index: Index, names: Names, state: State) -> tuple[Value, ...]:
    key = key_of(names, state)
    return () if key is None else index(key)
