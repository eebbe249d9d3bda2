"""The turns that loops have, found by index where the state does not matter.

    free[x] for x in cell if covers(s, c + d, x)

asks nothing of the cells that a piece of shape s at c + d does not cover: the cells that it covers are kept for each
choice of (s, c + d), so that a join goes over the tuples that there are, and not over the product of the types. With
`... and not covers(s, c, x)`, those of (s, c) are looked up as well, and left out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ....cells import Cell
from ..puzzle import Custom, Place
from .expressions import Compare, Connected, Expr, Local, Loop, Not, Use, Value, conjuncts, parts, used
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

Masks = tuple[int, int]
"""Of some values, for which a condition is true, and for which it is false (bit i stands for value i)."""

Index = Callable[[tuple[Value, ...]], Masks]
"""A function: from all other arguments of a definition to the masks of the values of one argument."""

Lookup = tuple[TupleEvaluator, Index, bool]
"""(key, index, wanted): what the key, known before a loop, has in the index; the turns with `wanted` are taken."""

Sieve = Callable[[dict[str, Value], int], Masks]
"""A function: from names, and a mask of the values that matter, to the masks of a condition."""


def asked_by(loops: tuple[Loop, ...]) -> list[Expr]:
    """The expressions that decide which turns some loops have."""
    return [part for loop in loops for part in (*loop.conditions, *((loop.around,) if loop.around else ()))]


class LoopTurns(ABC):
    """Makes functions that run the loops of a puzzle; `count` is called with the work they do."""

    def __init__(self, puzzle: Custom, count: Callable[[int], None]) -> None:
        self.puzzle, self.count = puzzle, count
        self.reads = cache(puzzle.reads)
        self.domains = {
            name: [domain.members for _, domain in definition.parameters]
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

    def values_alone(self, loops: tuple[Loop, ...]) -> Callable[[Names, State], tuple[Value, ...]] | None:
        """A function for the values of the only variable in each turn; None if there are several, or conditions that
        have to be asked in each turn.
        """
        if len(loops) > 1:
            return None
        values_of, left = self._values(loops[0])
        return None if left else values_of

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
        for `x in cell if covers(s, c + d, x)`. Of those, `not covers(s, c, x)` leaves some out.
        """
        conditions = [part for condition in loop.conditions for part in conjuncts(condition)]
        if loop.around is not None:
            around = self.evaluator(loop.around)
            return lambda names, state: self.near(around(names, state)), conditions
        for condition in conditions:
            if isinstance(condition, Connected) and self._from_before(condition, loop.name):
                return self._region(condition, loop.values), [other for other in conditions if other is not condition]
        first = next((one for one in conditions if isinstance(one, Use) and self._lookup(one, one.name, loop)), None)
        if first is None:
            return lambda _names, _state: loop.values, conditions
        # Others are looked up as well if it is the same definition, of which much is known then.
        conditions = [first, *(one for one in conditions if one is not first)]
        looked = [(one, self._lookup(one, first.name, loop)) for one in conditions]
        left = [one for one, lookup in looked if lookup is None]
        return _looked_up([lookup for _, lookup in looked if lookup is not None], loop.values), left

    def _lookup(self, condition: Expr, name: str, loop: Loop) -> Lookup | None:
        """How to look up the values of a loop's variable for which a condition holds, if that is a definition of this
        name, or its negation; None for another condition.
        """
        use = condition.inner if isinstance(condition, Not) else condition
        own = Local(loop.name)
        if not isinstance(use, Use) or use.name != name or use.args.count(own) != 1:
            return None
        place = use.args.index(own)
        others = use.args[:place] + use.args[place + 1 :]
        if own in parts(others) or self.reads(self.puzzle.definitions[name].body):
            return None
        return self.tuple_of(others), self._index(name, place, loop.values), use is condition

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
        """The index of a definition, by all of its arguments but one."""
        if (name, place, values) not in self.indexes:
            body, domains = self.puzzle.definitions[name].body, self.domains[name]
            names = [parameter for parameter, _ in self.puzzle.definitions[name].parameters]
            fitting = _mask(value in domains[place] for value in values)
            allowed = domains[:place] + domains[place + 1 :]
            sieves = [self._sieve(part, names[place], values) for part in conjuncts(body)]
            known: dict[tuple[Value, ...], Masks] = {}

            def index(key: tuple[Value, ...]) -> Masks:
                if key not in known:
                    self.count(len(values))
                    true = false = 0
                    if all(arg in domain for arg, domain in zip(key, allowed, strict=True)):
                        # The names stand in the order of the parameters, as everywhere (see `remembered`).
                        inner: dict[str, Value] = dict(zip(names, (*key[:place], False, *key[place:]), strict=True))
                        true = fitting
                        for sieve in sieves:  # all parts are true, or one is false
                            yes, no = sieve(inner, fitting & ~false)
                            true, false = true & yes, false | no
                    known[key] = true, false & fitting
                return known[key]

            self.indexes[name, place, values] = index
        return self.indexes[name, place, values]

    def _sieve(self, condition: Expr, own: str, values: tuple[Value, ...]) -> Sieve:
        """For which values of a name a condition is true, and for which false.

        Of a comparison, the side without the name is evaluated once: `row(c)` of `row(c) <= row(x)`. If the other has
        no further name, the answer is kept for each value of the first: for each row.
        """
        evaluate = self.evaluator(condition)
        if isinstance(condition, Compare):
            left, right, op = condition.left, condition.right, condition.op
            if Local(own) not in parts(right):
                left, right, op = right, left, MIRRORED[op]
            if Local(own) not in parts(left):
                one, other, compare = self.evaluator(left), self.evaluator(right), COMPARISONS[op]
                if used(right) == {own}:
                    return _by_other_side(one, compare, other, own, values)
                return lambda names, asked: _compared(one(names, NO_STATE), compare, other, own, values, names, asked)

        def sieve(names: dict[str, Value], asked: int) -> Masks:
            true = false = 0
            for number, value in _of_mask(asked, values):
                names[own] = value
                found = evaluate(names, NO_STATE)
                true |= (found is True) << number
                false |= (found is False) << number
            return true, false

        return sieve


def _compared(
    a: Value | None,
    compare: Callable[[Any, Any], bool],
    right: Evaluator,
    own: str,
    values: tuple[Value, ...],
    names: dict[str, Value],
    asked: int,
) -> Masks:
    true = false = 0
    for number, value in _of_mask(asked, values) if a is not None else ():
        names[own] = value
        b = right(names, NO_STATE)
        if b is not None:
            yes = compare(a, b)
            true |= yes << number
            false |= (not yes) << number
    return true, false


def _by_other_side(
    left: Evaluator, compare: Callable[[Any, Any], bool], right: Evaluator, own: str, values: tuple[Value, ...]
) -> Sieve:
    known: dict[Value | None, Masks] = {None: (0, 0)}
    column: list[Value | None] = []

    def sieve(names: dict[str, Value], _asked: int) -> Masks:
        a = left(names, NO_STATE)
        if a not in known:
            if not column:
                column.extend([right({own: value}, NO_STATE) for value in values])
            true = _mask(b is not None and compare(a, b) for b in column)
            known[a] = true, _mask(b is not None for b in column) & ~true
        return known[a]

    return sieve


def _mask(truths: Iterable[bool]) -> int:
    return sum([1 << number for number, truth in enumerate(truths) if truth])


def _of_mask(mask: int, values: tuple[Value, ...]) -> Iterator[tuple[int, Value]]:
    """The values of a mask, with their numbers."""
    return ((number, values[number]) for number, bit in enumerate(reversed(f"{mask:b}")) if bit == "1")


def _looked_up(lookups: Sequence[Lookup], values: tuple[Value, ...]) -> Callable[[Names, State], tuple[Value, ...]]:
    """A function for the values that all lookups allow, each by its own key."""
    of_mask: dict[int, tuple[Value, ...]] = {}

    def looked_up(names: Names, state: State) -> tuple[Value, ...]:
        mask = -1
        for key_of, index, truth in lookups:
            key = key_of(names, state)
            if key is None:
                return ()
            true, false = index(key)
            mask &= true if truth else false
        if mask not in of_mask:
            of_mask[mask] = tuple([value for _, value in _of_mask(mask, values)])
        return of_mask[mask]

    return looked_up
