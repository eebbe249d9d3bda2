"""The value of expressions in a state: for each expression a closure f(names, state), built once.

    at[x] == boat   ->   f({x: wolf}, {at[wolf]: left, boat: left, ...}) = true

A closure answers several times faster than a walk over the nodes. None means "no value": a cell off the board, a
number out of range, a division by 0.

    not: of no value, no value        and: false if one is false; else no value if one has none
    or: true if one is true; else no value if one has none

Programs (`programs`) ask for those expressions only that do not read the state. Values of quantifiers that do not
read it are kept for each choice of names; so are those of definitions, if they read it until it changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from operator import itemgetter
from typing import Any, Generic, Protocol, TypeVar

from ....cells import Cell
from ....program import is_closed_loop
from ..puzzle import Custom, Part, Place
from . import expressions as ex
from .expressions import Expr, Loop, Value, conjuncts, parts, text_of, used
from .values import ARITHMETIC, COMPARISONS, asked_of, region

Names = Mapping[str, Value]


class StateValues(Protocol):
    """A state, as expressions ask for it: the value of a place, None if it has none."""

    def get(self, place: Place, /) -> Value | None: ...


Evaluator = Callable[[Names, StateValues], Value | None]
"""The value of an expression for the names in it, in a state; None if it has none."""

TupleEvaluator = Callable[[Names, StateValues], tuple[Value, ...] | None]
"""The values of several expressions; None if one has none."""

LoopValues = Callable[[Names, StateValues], tuple[Value, ...]]
"""The values that a loop goes over."""

Turns = Callable[[Names, StateValues], Iterator[Names]]
"""A function that gives the names in each turn of some loops; one mapping is reused for all turns."""

Call = Callable[[tuple[Value, ...], StateValues], Value | None]
"""A function of the values of its arguments and the state; None for no value."""

NO_NAMES: Names = {}

BETWEEN = {"join": "", "list": " ", "commas": ", "}
"""What stands between the values that quantifiers of a drawing list."""

TOTALS: Mapping[str, Callable[[Iterable[Any]], Value]] = {"sum": sum, "min": min, "max": max}
"""What quantifiers of numbers compute."""

MAX_STEPS = 2_000_000
"""The most steps (turns of loops, uses of definitions, cells of slides) for one part of the file: about ten seconds."""


K = TypeVar("K")
V = TypeVar("V")


class ById(Generic[K, V]):
    """A cache of `make(key)` by identity: computed once for each object, not for each equal one, since comparing
    expressions takes long. The object is kept, too, so that its `id` is not given to another one.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        self.make = make
        self.kept: dict[int, tuple[K, V]] = {}

    def __call__(self, key: K) -> V:
        kept = self.kept.get(id(key))
        if kept is None:
            kept = self.kept[id(key)] = (key, self.make(key))
        return kept[1]


def asked_by(loops: tuple[Loop, ...]) -> list[Expr]:
    """The expressions that decide which turns some loops have."""
    return [part for loop in loops for part in (*loop.conditions, *((loop.around,) if loop.around else ()))]


class Evaluators:
    """Makes functions that evaluate the expressions of a puzzle; `count` is called with the work they do.

    `evaluator(expr)`: that of an expression; `turns(loops)`: what runs some loops; `reads_in(loops)`: whether their
    turns depend on the state.
    """

    def __init__(self, puzzle: Custom, count: Callable[[int], None]) -> None:
        self.puzzle, self.count = puzzle, count
        self.reads = cache(puzzle.reads)
        self.domains = {
            name: [domain.members for _, domain in definition.parameters]
            for name, definition in puzzle.definitions.items()
        }
        self.evaluator = ById(self._build)
        self.turns = ById(self._turns)
        self.reads_in: ById[tuple[Loop, ...], bool] = ById(
            lambda loops: any(self.reads(part) for part in asked_by(loops))
        )
        self.definition = cache(self._definition)
        self.of_state: list[dict[tuple[Value, ...], Value | None]] = []
        """What definitions that read the state have said in this one, by their arguments."""

    def forget(self) -> None:
        """Forget what definitions have said of a state that may have changed since."""
        for values in self.of_state:
            values.clear()

    def tuple_of(self, args: tuple[Expr, ...]) -> TupleEvaluator:
        """A function for the values of several expressions, with fast paths for names, and for one expression."""
        if len(args) > 1 and all(isinstance(arg, ex.Local) for arg in args):
            pick: Callable[[Names], tuple[Value, ...]]
            pick = itemgetter(*(arg.name for arg in args if isinstance(arg, ex.Local)))
            return lambda names, _state: pick(names)
        several = [self.evaluator(arg) for arg in args]
        if len(several) == 1 and isinstance(args[0], ex.Local):
            name = args[0].name
            return lambda names, _state: (names[name],)
        if len(several) == 1:
            only = several[0]
            return lambda names, state: None if (value := only(names, state)) is None else (value,)

        def all_values(names: Names, state: StateValues) -> tuple[Value, ...] | None:
            values = []
            for evaluator in several:
                value = evaluator(names, state)
                if value is None:
                    return None
                values.append(value)
            return tuple(values)

        return all_values

    def bound(self, name: str, args: tuple[Value, ...] | None) -> dict[str, Value] | None:
        """The names within a definition; None if an argument is not of its parameter's type."""
        if args is None:
            return None
        names: dict[str, Value] = {}
        for arg, (parameter, _), domain in zip(
            args, self.puzzle.definitions[name].parameters, self.domains[name], strict=True
        ):
            if arg not in domain:
                return None
            names[parameter] = arg
        return names

    # Closures

    def _build(self, expr: Expr) -> Evaluator:
        # Compiled to closures: the tree is walked once, and an evaluation is nested calls without any look at the tree.
        of = self.evaluator
        match expr:
            case ex.Const(constant):
                return lambda _names, _state: constant
            case ex.Local(name):
                return lambda names, _state: names[name]
            case ex.Read(table, args):
                return self._called(args, lambda key, state: state.get((table, key)))
            case ex.ConstantLookup(table, args):
                values = self.puzzle.constants[table].values
                return self._called(args, lambda key, _state: values.get(key))
            case ex.Use(name, args):
                return self._called(args, self.definition(name))
            case ex.ByValue(arg, pairs):
                value_of, image = of(arg), dict(pairs)
                return lambda names, state: image.get(value_of(names, state))  # type: ignore[arg-type]
            case ex.CellStep(cell, vector):
                return self._joined(cell, vector, self.step)
            case ex.Arith("cell", row, column):
                return self._joined(row, column, lambda r, c: self.step((r, c), (-1, -1)))
            case ex.Arith(op, left, right):
                return self._joined(left, right, ARITHMETIC[op])
            case ex.Compare(op, left, right):
                return self._joined(left, right, COMPARISONS[op])
            case ex.Not(inner):
                negated = of(inner)
                return lambda names, state: None if (value := negated(names, state)) is None else not value
            case ex.And(conditions) | ex.Or(conditions):
                return _joint([of(part) for part in conditions], settling=isinstance(expr, ex.Or))
            case ex.Membership(inner, members):
                member = of(inner)
                return lambda names, state: member(names, state) in members
            case ex.Conditional(condition, yes, no):
                chosen, then, otherwise = of(condition), of(yes), of(no)
                return lambda names, state: (then if chosen(names, state) is True else otherwise)(names, state)
            case ex.VectorOf(direction):
                way, ways = of(direction), self.puzzle.directions
                return lambda names, state: None if (name := way(names, state)) is None else ways.get(str(name))
            case ex.Quantifier():
                return self._quantifier(expr)
            case ex.SlideEnd(start, direction, test, asks):
                return self._called((start, direction), self._slide(test, asks))
            case ex.ClosedLoop(first, second, loops):
                return self._closed_loop(self.tuple_of((first, second)), self.turns(loops))
            case ex.Connected(start, end, test, asks):
                reached = partial(self.region, test, asks)
                return self._called((start, end), lambda pair, state: pair[1] in reached(pair[0], state))

    def _joined(self, a: Expr, b: Expr, join: Callable[[Value, Value], Value | None]) -> Evaluator:
        """A function that joins the values of two expressions; no value if one of them has none."""
        left, right = self.evaluator(a), self.evaluator(b)

        def evaluate(names: Names, state: StateValues) -> Value | None:
            x = left(names, state)
            if x is None:
                return None
            y = right(names, state)
            return None if y is None else join(x, y)

        return evaluate

    def _called(self, args: tuple[Expr, ...], call: Call) -> Evaluator:
        """A function that evaluates some arguments and calls `call` with them; no value if one argument has none."""
        key_of = self.tuple_of(args)
        return lambda names, state: None if (key := key_of(names, state)) is None else call(key, state)

    def _definition(self, name: str) -> Call:
        """A definition as a function of its arguments. Its body is built when it is first asked for: a chain may be
        long.
        """
        expr = self.puzzle.definitions[name].body
        values: dict[tuple[Value, ...], Value | None] = {}
        if self.reads(expr):
            self.of_state.append(values)

        def evaluate(args: tuple[Value, ...], state: StateValues) -> Value | None:
            if args in values:
                return values[args]
            self.count(1)
            inner = self.bound(name, args)
            value = values[args] = None if inner is None else self.evaluator(expr)(inner, state)
            return value

        return evaluate

    # Loops

    def step(self, cell: Any, vector: Any) -> Value | None:
        there = (cell[0] + vector[0], cell[1] + vector[1])
        return there if there in self.puzzle.cells else None

    def near(self, cell: Value | None) -> tuple[Value, ...]:
        """The neighbours of a cell."""
        steps = () if cell is None else [self.step(cell, vector) for vector in self.puzzle.directions.values()]
        return tuple(there for there in steps if there is not None)

    def _turns(self, loops: tuple[Loop, ...]) -> Turns:
        if not loops:
            return lambda names, _state: iter((names,))
        loop, rest = loops[0], self._turns(loops[1:]) if len(loops) > 1 else None
        values_of, asked = self._values(loop)
        conditions = [self.evaluator(condition) for condition in asked]
        name, count = loop.name, self.count

        def turns(names: Names, state: StateValues) -> Iterator[Names]:
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

    def _values(self, loop: Loop) -> tuple[LoopValues, list[Expr]]:
        """The values that a loop goes over, and the conditions that are left to be asked of each.

        Where a condition says that a cell is connected with another, the region is found once for the loop.
        """
        conditions = [part for condition in loop.conditions for part in conjuncts(condition)]
        if loop.around is not None:
            around = self.evaluator(loop.around)
            return lambda names, state: self.near(around(names, state)), conditions
        own = ex.Local(loop.name)
        for condition in conditions:
            others = [other for other in conditions if other is not condition]
            if isinstance(condition, ex.Connected) and condition.end == own and own not in parts(condition.start):
                return self._region(condition, loop.values), others
        return lambda _names, _state: loop.values, conditions

    def _region(self, region: ex.Connected, values: tuple[Value, ...]) -> LoopValues:
        start_of = self.evaluator(region.start)

        def cells(names: Names, state: StateValues) -> tuple[Value, ...]:
            start = start_of(names, state)
            reached = set[Value]() if start is None else self.region(region.test, region.asks, start, state)
            return tuple(value for value in values if value in reached)

        return cells

    def _quantifier(self, expr: ex.Quantifier) -> Evaluator:
        kind, body, turns = expr.kind, self.evaluator(expr.body), self.turns(expr.loops)
        free = sorted(used(expr))
        results: dict[tuple[Value, ...], Value | None] = {}

        def evaluate(names: Names, state: StateValues) -> Value | None:
            values = (body(turn, state) for turn in turns(names, state))
            if kind in ("all", "any"):
                return _settled(values, kind == "any")
            if kind == "different":
                return _different(values)
            if kind == "count":
                return sum(value is True for value in values)
            if kind == "the":
                return next(values, None)
            if kind in BETWEEN:
                return BETWEEN[kind].join(text_of(value) for value in values if value is not None)
            numbers = list(values)
            return None if None in numbers or not (numbers or kind == "sum") else TOTALS[kind](numbers)

        def remembered(names: Names, state: StateValues) -> Value | None:
            key = tuple([names[name] for name in free])
            if key not in results:
                results[key] = evaluate(names, state)
            return results[key]

        return evaluate if self.reads(expr) else remembered

    def _closed_loop(self, ends: TupleEvaluator, turns: Turns) -> Evaluator:
        def closed(names: Names, state: StateValues) -> Value | None:
            edges = [ends(turn, state) for turn in turns(names, state)]
            there = [(edge[0], edge[1]) for edge in edges if edge is not None]
            return None if len(there) < len(edges) else is_closed_loop(there)

        return closed

    def region(self, test: str, asks: str, start: Value, state: StateValues) -> set[Cell]:
        """The cells that are reached from a cell (see `Connected`)."""
        assert isinstance(start, tuple)
        allowed = self.definition(test)
        self.count(1)
        return region(self.puzzle, start, asks, lambda asked: allowed(asked, state) is True)

    def _slide(self, name: str, asks: str) -> Call:
        test = self.definition(name)

        def slide(key: tuple[Value, ...], state: StateValues) -> Value | None:
            here, way = key
            if str(way) not in self.puzzle.directions:
                return None
            vector = self.puzzle.directions[str(way)]
            for _ in self.puzzle.cells:  # no way is longer
                self.count(1)
                there = self.step(here, vector)
                if there is None or test(asked_of(asks, here, there, way), state) is not True:
                    break
                here = there
            return here

        return slide


def _joint(several: list[Evaluator], settling: bool) -> Evaluator:
    """`or` (`settling` is true) or `and` (it is false): that value if one part has it; else no value if one part has
    none.
    """

    def evaluate(names: Names, state: StateValues) -> Value | None:
        result: bool | None = not settling
        for evaluator in several:
            value = evaluator(names, state)
            if value is settling:
                return settling
            if value is None:
                result = None
        return result

    return evaluate


def _settled(values: Iterable[Value | None], settling: bool) -> bool | None:
    """`any` (`settling` is true) or `all` (it is false): that value if one turn has it; else no value if one turn
    has none.
    """
    result: bool | None = not settling
    for value in values:
        if value is settling:
            return settling
        if value is None:
            result = None
    return result


def _different(values: Iterable[Value | None]) -> bool | None:
    """`different`: false if two values are equal; else no value if one turn has none."""
    seen: set[Value | None] = set()
    missing = False
    for value in values:
        if value in seen:
            return False
        if value is None:
            missing = True
        else:
            seen.add(value)
    return None if missing else True


class Interpreter:
    """Evaluates in states, for a simulator. Raises `GroundingError` if a part of the file takes more than `MAX_STEPS`.

    Loops within one expression are bounded where they are read; those of definitions that use each other are not.
    """

    def __init__(self, puzzle: Custom) -> None:
        self.puzzle = puzzle
        self.evaluators = Evaluators(puzzle, self._count)
        self.part: Part = ()
        self.steps = 0

    def begin(self, *part: str | int) -> None:
        """Evaluate this part of the file from now on, in a state that stays as it is, and count its steps from 0."""
        self.part, self.steps = part, 0
        self.evaluators.forget()

    def _count(self, amount: int) -> None:
        self.steps += amount
        if self.steps > MAX_STEPS:
            message = f"takes more than {MAX_STEPS:,} steps in one state"
            hint = "let definitions use each other less often, or loop over fewer values"
            raise self.puzzle.error(self.part, message, hint)

    def value(self, expr: Expr, names: Names, state: StateValues) -> Value | None:
        """The value of an expression, None if it has none."""
        return self.evaluators.evaluator(expr)(names, state)

    def holds(self, expr: Expr, names: Names, state: StateValues) -> bool:
        """Whether a condition is true; one without a value is not."""
        return self.value(expr, names, state) is True

    def first_broken(
        self, part: str, conditions: Iterable[Expr], state: StateValues, names: Names = NO_NAMES, of: Part = ()
    ) -> int | None:
        """The number, from 1, of the first of some conditions that is not true; None if all are."""
        for number, condition in enumerate(conditions, 1):
            self.begin(*of, part, number)
            if not self.holds(condition, names, state):
                return number
        return None

    def turns(self, loops: tuple[Loop, ...], names: Names, state: StateValues) -> Iterator[Names]:
        """The names in each turn of nested loops whose conditions hold. The same mapping may be reused for the next
        turn.
        """
        return self.evaluators.turns(loops)(names, state)


def broken_start(puzzle: Custom) -> str | None:
    """Why there is no plan, in a sentence, if the initial state breaks a condition of `always`."""
    number = Interpreter(puzzle).first_broken("always", puzzle.always, puzzle.start())
    return None if number is None else f"the initial state breaks condition {number} of `always`"
