"""What registers hold in a layer of a model, where the state is not known: values that literals choose.

A *choice* has one literal for each of its values, exactly one of which is true: the value of a variable of the state,
or of what is computed of several variables. What a table, or an operation with a constant, makes of a choice needs no
literals of its own: it is kept as the image of each value, and "is this 4" is "is the choice one of those with image
4".

    robot         choice of 64 cells
    row(robot)    image (1, 1, ..., 8): is 3 if the robot is on one of the eight cells of row 3
    card[robot]   a new choice c:  robot = i and card i = k -> c = k      for each cell i and value k

Sums of many terms would have many values and, as clauses, one for each pair: they are *whole numbers*, integer
variables of CP-SAT with linear constraints. Equal things are made once: what two actions compute alike is one choice.

All this is a function of the state, so the clauses are the same in all layers: they are written once, and copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...models import program as op
from ...models.errors import UsageError
from ...models.program import NONE, computed, edges_at, links_at
from ..formula import FALSE, TRUE, EncodingStopped, Formula

# What a register holds in a layer of a model where the state is not known.


@dataclass(frozen=True, slots=True, eq=False)
class LiteralChoice:
    """Values, in rising order, and the literal of each."""

    literals: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Image:
    """A function of a choice: its value for each value of the choice, in order."""

    choice: LiteralChoice
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer variable from `low` to `high`."""

    variable: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Distinct:
    """Whether some values differ from each other: stated as one constraint where it must hold. (Without a value where
    one of them has none, and no two are the same.)
    """

    values: tuple[Image | Whole, ...]


@dataclass(frozen=True, slots=True)
class EdgeLoop:
    """Whether the edges whose literal is true are one closed loop: stated as a circuit, where it must hold."""

    edges: tuple[tuple[int, int], ...]
    literals: tuple[int, ...]


Value = Image | Whole | Distinct | EdgeLoop


# A sum of two choices with up to 64 pairs of values is a choice itself; one with more pairs is a whole number.
MOST_TERMS = 64

# Of two choices with more pairs of values than this no function is stated: it takes a clause for each pair.
MOST_PAIRS = 250_000

# Nodes times links up to which it is stated which nodes are connected: 8x8 cells have 64 and 224.
MOST_REACHED = 20_000


# Instructions that are run for a model, each on all states at once.
MOST_RUN = 3_000_000


class InstructionCount:
    """Counts the instructions that are run for a model. `stop` is asked now and then: raises `EncodingStopped`."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self.number, self.stop = 0, stop

    def __call__(self) -> None:
        self.number += 1
        if self.number % 1024 == 0 and self.stop():
            raise EncodingStopped
        if self.number > MOST_RUN:
            raise UsageError(f"the engine `cp-sat` cannot state actions that run more than {MOST_RUN:,} instructions")


class LayerValues:
    """Makes literals and values, and the constraints that define them; those of equal things once: the values on which
    `analysis.symbolic_machine` runs programs.

    `part`: the formula that the constraints go to. Variables are numbered through all parts.
    """

    true, false = TRUE, FALSE

    def __init__(self, tables: Sequence[int]) -> None:
        self.tables = tables
        self.variables = 0
        self.part = Formula()
        self._all: dict[frozenset[int], int] = {}
        self._conjuncts: dict[int, frozenset[int]] = {}
        self._unit = LiteralChoice({0: TRUE})
        self._known: dict[object, Value] = {}
        self._literals: dict[Image, dict[int, int]] = {}
        self._is: dict[tuple[Value, int], int] = {}
        self._ranges: dict[int, tuple[int, int]] = {}

    # Literals, and what is said of several: each conjunction is made once

    def literal(self) -> int:
        self.variables += 1
        return self.variables - 1

    def all_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if all of these are."""
        wanted = {literal for literal in literals if literal != TRUE}
        if FALSE in wanted or any(~literal in wanted for literal in wanted):
            return FALSE
        if len(wanted) < 2:
            return wanted.pop() if wanted else TRUE
        key = frozenset(wanted)
        if key not in self._all:
            both = self._all[key] = self.literal()
            self._conjuncts[both] = key
            self.part.clause([both, *(~literal for literal in key)])
            self.part.implies(both, key)
        return self._all[key]

    def any_of(self, literals: Iterable[int]) -> int:
        """A literal that is true if and only if one of these is."""
        return ~self.all_of(~literal for literal in literals)

    def negation(self, literal: int) -> int:
        return ~literal

    def either(self, a: int, b: int) -> int:
        """A literal that is true if one of two is; `p` for `p and q` and `p and not q`, two ways that meet again."""
        first, second = (self._conjuncts.get(literal, frozenset((literal,))) for literal in (a, b))
        only_a, only_b = first - second, second - first
        if len(only_a) == 1 and len(only_b) == 1 and next(iter(only_a)) == ~next(iter(only_b)):
            return self.all_of(first & second)
        return self.any_of((a, b))

    # Choices

    def constant(self, value: int) -> Image:
        return Image(self._unit, (value,))

    def choice(self, values: Iterable[int]) -> Image:
        """A new choice between values."""
        ordered = tuple(sorted(set(values)))
        if len(ordered) == 1:
            return self.constant(ordered[0])
        if len(ordered) == 2:
            literal = self.literal()
            literals = {ordered[0]: ~literal, ordered[1]: literal}
        else:
            literals = {value: self.literal() for value in ordered}
            self.part.exactly_one(literals.values())
        return Image(LiteralChoice(literals), ordered)

    def chosen_by(self, literals: dict[int, int]) -> Image:
        """The choice that these literals make, exactly one of which is true in every state."""
        if len(literals) == 1:
            return self.constant(next(iter(literals)))
        self.part.exactly_one(literals.values())
        return Image(LiteralChoice(literals), tuple(literals))

    def truth(self, literal: int) -> Image:
        """1 if a literal is true, else 0."""
        if literal in (TRUE, FALSE):
            return self.constant(int(literal == TRUE))
        return self._once(("truth", literal), lambda: Image(LiteralChoice({0: ~literal, 1: literal}), (0, 1)))

    def literals(self, image: Image) -> Mapping[int, int]:
        """The literal "is this value" for each value that an image has."""
        if image not in self._literals:
            by_value: dict[int, list[int]] = {}
            for value, literal in zip(image.values, image.choice.literals.values(), strict=True):
                by_value.setdefault(value, []).append(literal)
            if len(by_value) == 2:  # one literal and its negation, that of the fewer values
                (rarer, few), (other, _) = sorted(by_value.items(), key=lambda item: len(item[1]))
                literal = self.any_of(few)
                self._literals[image] = {rarer: literal, other: ~literal}
            else:
                self._literals[image] = {value: self.any_of(by_value[value]) for value in sorted(by_value)}
        return self._literals[image]

    def equals(self, value: Value, number: int) -> int:
        """The literal "this value is that number"."""
        if isinstance(value, Image):
            return self.literals(value).get(number, FALSE)
        if isinstance(value, Distinct | EdgeLoop):
            return self.equals(self.image(value), number)
        if not value.low <= number <= value.high:
            return FALSE
        if (value, number) not in self._is:
            literal = self._is[value, number] = self.literal()
            self.part.linear([(value.variable, 1)], [number, number], [literal])
            self.part.linear([(value.variable, 1)], _other_than(number, value.low, value.high), [~literal])
        return self._is[value, number]

    def mapped(self, value: Value, function: Callable[[int], int]) -> Image:
        """A function of a value."""
        image = self.image(value)
        return Image(image.choice, tuple(map(function, image.values)))

    def image(self, value: Value) -> Image:
        """The value as an `Image`: each number it may be, with the literal that says so."""
        if isinstance(value, Image):
            return value
        if isinstance(value, EdgeLoop):
            raise UsageError("the engine `cp-sat` can state a closed loop only where it must hold, as in a goal")
        if isinstance(value, Distinct):
            return self._once(value, lambda: self._differ(value))
        if value.high - value.low > MOST_PAIRS:
            raise UsageError("the engine `cp-sat` cannot state a table or an index of a number of so many values")

        def told_apart() -> Image:
            numbers = range(value.low, value.high + 1)
            literals = {number: self.equals(value, number) for number in numbers}
            self.part.exactly_one(literals.values())
            return Image(LiteralChoice(literals), tuple(numbers))

        return self._once(("image", value), told_apart)

    def number(self, value: Value) -> Image | Whole:
        """The value as an `Image` (each number that it may be, with the literal that says so), or as a whole number."""
        return value if isinstance(value, Whole) else self.image(value)

    def _once(self, key: object, make: Callable[[], Image]) -> Image:
        if key not in self._known:
            self._known[key] = make()
        image = self._known[key]
        assert isinstance(image, Image)
        return image

    def possible(self, value: Value) -> Sequence[int] | None:
        """The numbers that a value may be; None for a whole number."""
        return None if isinstance(value, Whole) else tuple(self.literals(self.image(value)))

    # Operations

    def operation(self, code: int, parts: Sequence[Value], numbers: tuple[int, ...] = ()) -> Value:
        """What an instruction computes whose result is one register."""
        tables = self.tables
        if code == op.DISTINCT:
            return Distinct(tuple(map(self.number, parts)))
        if code == op.LOOP:
            return EdgeLoop(tuple(edges_at(tables, *numbers)), tuple(self.equals(part, 1) for part in parts))
        x = parts[0]
        if code == op.NOT:
            return self.mapped(x, op.negated)
        if code == op.TABLE:
            return self.mapped(x, lambda key: op.entry(tables, numbers[0], key))
        if code == op.CELL:
            return self.mapped(x, lambda place: op.cell_at(tables, numbers[0], place))
        if code == op.VARIABLE:
            return self.element(x, list(map(self.image, parts[1:])))
        if code == op.SCALED:  # a * factor + b
            return self.of_two(op.ADD, self.of_two(op.MUL, x, self.constant(*numbers)), parts[1])
        return self.of_two(code, x, parts[1])

    def of_two(self, code: int, a: Value, b: Value) -> Value:
        """What an instruction with two operands computes."""
        a, b = self.number(a), self.number(b)
        if isinstance(a, Image) and isinstance(b, Image):
            if b.choice is self._unit:
                return self.mapped(a, lambda x: computed(code, x, b.values[0]))
            if a.choice is self._unit:
                return self.mapped(b, lambda y: computed(code, a.values[0], y))
            if a.choice is b.choice:
                pairs = zip(a.values, b.values, strict=True)
                return Image(a.choice, tuple(computed(code, x, y) for x, y in pairs))
        key = code, a, b
        if key not in self._known:
            self._known[key] = self._of_two(code, a, b)
        return self._known[key]

    def _of_two(self, code: int, a: Image | Whole, b: Image | Whole) -> Value:
        numeric = not any(isinstance(v, Image) and NONE in v.values for v in (a, b))
        whole = isinstance(a, Whole) or isinstance(b, Whole)
        if code in (op.EQ, op.NE) and isinstance(a, Image) and isinstance(b, Image):
            return self.mapped(self.of_two(op.EQ, a, b), op.negated) if code == op.NE else self._same(a, b)
        linear = numeric and code in (op.ADD, op.SUB, op.EQ, op.NE, op.LT, op.LE)
        if linear and (whole or len(self.literals(self.image(a))) * len(self.literals(self.image(b))) > MOST_TERMS):
            return self._sum(code, a, b) if code in (op.ADD, op.SUB) else self.truth(self._compared(code, a, b))
        if numeric and whole and code == op.MUL:
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Image) and one.choice is self._unit:
                    return self._linear([(self._terms(other), one.values[0])])
        if whole:  # told apart by literals
            return self.of_two(code, self.image(a), self.image(b))
        return self._by_pairs(lambda x, y: computed(code, x, y), self.image(a), self.image(b))

    def _same(self, a: Image, b: Image) -> Image:
        """Whether two choices have the same value: three clauses for each value."""
        one, other, same = self.literals(a), self.literals(b), self.literal()
        for value in sorted((one.keys() | other.keys()) - {NONE}):
            p, q = one.get(value, FALSE), other.get(value, FALSE)
            self.part.clause([~same, ~p, q])
            self.part.clause([~same, p, ~q])
            self.part.clause([same, ~p, ~q])
        missing = self.any_of((one.get(NONE, FALSE), other.get(NONE, FALSE)))
        if missing == FALSE:
            return self.truth(same)
        self.part.clause([~same, ~missing])
        return self.chosen_by({NONE: missing, 0: self.all_of((~same, ~missing)), 1: same})

    def _by_pairs(self, function: Callable[[int, int], int], a: Image, b: Image) -> Image:
        """A function of two choices: a clause for each pair of their values."""
        one, other = self.literals(a), self.literals(b)
        if len(one) * len(other) > MOST_PAIRS:
            raise UsageError("the engine `cp-sat` cannot state what is computed of two numbers of so many values")
        results = {(x, y): function(x, y) for x in one for y in other}
        result = self.choice(results.values())
        chosen = self.literals(result)
        for (x, y), value in results.items():
            self.part.clause([~one[x], ~other[y], chosen[value]])
        return result

    def element(self, index: Value, options: Sequence[Image]) -> Image:
        """The option with a number; no value for a number beyond them."""
        chosen = self.literals(self.image(index))

        def selected() -> Image:
            told = {i: self.literals(options[i]) for i in chosen if 0 <= i < len(options)}
            if len(told) == len(chosen) == 1:
                return options[next(iter(told))]
            beyond = [NONE] if len(told) < len(chosen) else []
            result = self.choice([*beyond, *(value for literals in told.values() for value in literals)])
            is_result = self.literals(result)
            for i, literal in chosen.items():
                for value, is_value in is_result.items():
                    held = told[i].get(value, FALSE) if i in told else (TRUE if value == NONE else FALSE)
                    self.part.clause([~literal, ~held, is_value])
                    self.part.clause([~literal, held, ~is_value])
            return result

        return self._once(("element", self.image(index), tuple(options)), selected)

    def if_else(self, condition: int, yes: Value, no: Value) -> Value:
        """A value chosen by a literal: one if it is true, another one if it is false."""
        if condition in (TRUE, FALSE) or yes == no:
            return yes if condition != FALSE else no
        key = "if", condition, yes, no
        if key not in self._known:
            self._known[key] = self._if_else(condition, yes, no)
        return self._known[key]

    def _if_else(self, condition: int, yes: Value, no: Value) -> Value:
        if isinstance(yes, Image) and isinstance(no, Image) and yes.choice is self._unit is no.choice:
            return self.mapped(self.truth(condition), lambda chosen: (yes if chosen else no).values[0])
        if isinstance(yes, Whole) or isinstance(no, Whole):
            numbers = [v for v in (yes, no) if not isinstance(v, Image) or NONE not in v.values]
            if len(numbers) == 2:
                number = self._whole(*(f(self._range(v)[i] for v in numbers) for i, f in ((0, min), (1, max))))
                for literal, value in ((condition, yes), (~condition, no)):
                    terms, constant = self._terms(value)
                    negated = [(variable, -factor) for variable, factor in terms]
                    self.part.linear([(number.variable, 1), *negated], [constant, constant], [literal])
                return number
        if_yes, if_no = self.literals(self.image(yes)), self.literals(self.image(no))
        result = self.choice([*if_yes, *if_no])
        for v, is_value in self.literals(result).items():
            p, q = if_yes.get(v, FALSE), if_no.get(v, FALSE)
            self.part.clause([~condition, ~p, is_value])
            self.part.clause([~condition, p, ~is_value])
            self.part.clause([condition, ~q, is_value])
            self.part.clause([condition, q, ~is_value])
            self.part.clause([~p, ~q, is_value])
        return result

    def after_loop(self, begin: Value, steps: dict[int, tuple[int, int]]) -> Image:
        """What a loop that begins with a value ends with. `steps`: for each number whether it goes on, and to which.

        With start, on[v] and goes[v] for "it begins with v", "it comes to v", "it goes on from v" to next(v):

            on[v] = start[v], or on[u] and goes[u] for a u with next(u) = v        end[v] = on[v] and not goes[v]
        """
        entering = {value: [self.equals(begin, value)] for value in steps}
        ends: dict[int, int] = {}
        for value, (goes, following) in steps.items():
            on = self.any_of(entering[value])
            ends[value] = self.all_of((on, ~goes))
            if goes != FALSE:
                entering[following].append(self.all_of((on, goes)))
        return self.chosen_by({value: end for value, end in sorted(ends.items()) if end != FALSE})

    # Whole numbers

    def _whole(self, low: int, high: int) -> Whole:
        variable = self.literal()
        self.part.integers[variable] = self._ranges[variable] = low, high
        return Whole(variable, low, high)

    def _range(self, value: Value) -> tuple[int, int]:
        if isinstance(value, Whole):
            return value.low, value.high
        values = self.image(value).values
        return min(values), max(values)

    def _terms(self, value: Value) -> tuple[list[tuple[int, int]], int]:
        """A value as a sum of variables with factors, and a constant."""
        if isinstance(value, Whole):
            return [(value.variable, 1)], 0
        literals = self.literals(self.image(value))
        least = min(literals)
        terms, constant = [], least
        for number, literal in literals.items():
            weight = number - least
            if literal == TRUE:
                constant += weight
            elif weight and literal >= 0:
                terms.append((literal, weight))
            elif weight and literal != FALSE:  # weight * not x = weight - weight * x
                terms.append((~literal, -weight))
                constant += weight
        return terms, constant

    def _linear(self, parts: Sequence[tuple[tuple[list[tuple[int, int]], int], int]]) -> Whole:
        """A whole number that equals the sum of parts, each with a factor."""
        terms = [(variable, weight * factor) for (some, _), factor in parts for variable, weight in some]
        constant = sum(offset * factor for (_, offset), factor in parts)
        low = high = constant
        for variable, weight in terms:
            ends = [weight * end for end in self._ranges.get(variable, (0, 1))]
            low, high = low + min(ends), high + max(ends)
        result = self._whole(low, high)
        self.part.linear([(result.variable, -1), *terms], [-constant, -constant])
        return result

    def _sum(self, code: int, a: Value, b: Value) -> Whole:
        return self._linear([(self._terms(a), 1), (self._terms(b), 1 if code == op.ADD else -1)])

    def _compared(self, code: int, a: Value, b: Value) -> int:
        """The literal of a comparison of two numbers, by linear constraints for either answer."""
        (ours, offset), (theirs, other) = self._terms(a), self._terms(b)
        terms = [*ours, *((variable, -weight) for variable, weight in theirs)]  # a - b, less the constants
        (low_a, high_a), (low_b, high_b) = self._range(a), self._range(b)
        low, high, shift = low_a - high_b, high_a - low_b, offset - other
        if code in (op.EQ, op.NE):
            yes, no = [0, 0], _other_than(0, low, high)
        else:
            least = 0 if code == op.LT else 1  # the least difference for which the answer is no
            yes, no = [low, least - 1], [least, high]
        if not no or no[0] > no[-1]:
            literal = TRUE
        elif yes[0] > yes[-1] or not low <= yes[-1]:
            literal = FALSE
        else:
            literal = self.literal()
            self.part.linear(terms, [end - shift for end in yes], [literal])
            self.part.linear(terms, [end - shift for end in no], [~literal])
        return ~literal if code == op.NE else literal

    # All different

    def _differ(self, distinct: Distinct) -> Image:
        """Whether these differ from each other, pair by pair."""
        values = distinct.values
        pairs = [(a, b) for i, a in enumerate(values) for b in values[i + 1 :]]
        same = self.any_of(self.equals(self.of_two(op.EQ, a, b), 1) for a, b in pairs)
        missing = self.any_of(self.equals(value, NONE) for value in values)
        if missing == FALSE:
            return self.truth(~same)
        neither, unknown = self.all_of((~same, ~missing)), self.all_of((~same, missing))
        return self.chosen_by({NONE: unknown, 0: same, 1: neither})

    def require(self, special: Value, part: Formula) -> None:
        """State in a part that values differ, or that edges are one closed loop."""
        if isinstance(special, EdgeLoop):
            self._require_loop(special, part)
        elif isinstance(special, Distinct):
            self._require_distinct(special, part)

    def _require_distinct(self, distinct: Distinct, part: Formula) -> None:
        """Values differ: at most one has each value, or CP-SAT's constraint on whole numbers."""
        whole = any(isinstance(value, Whole) for value in distinct.values)
        if whole and not any(isinstance(value, Image) and NONE in value.values for value in distinct.values):
            part.all_different.append([self._as_variable(value) for value in distinct.values])
            return
        holders: dict[int, list[int]] = {}
        for value in distinct.values:
            for number, literal in self.literals(self.image(value)).items():
                holders.setdefault(number, []).append(literal)
        for literal in holders.pop(NONE, ()):
            part.clause([~literal])
        for literals in holders.values():
            part.at_most_one(literals)

    def _require_loop(self, loop: EdgeLoop, part: Formula) -> None:
        """Edges are one circuit: each that is chosen in one of its two directions; nodes without are left out."""
        numbers: dict[int, int] = {}
        arcs: list[tuple[int, int, int]] = []
        for (one, other), literal in zip(loop.edges, loop.literals, strict=True):
            if one == other or literal == FALSE:
                part.clause([~literal])
                continue
            there, back = self.literal(), self.literal()
            part.exactly_one((there, back, ~literal))
            here, far = (numbers.setdefault(node, len(numbers)) for node in (one, other))
            arcs += [(here, far, there), (far, here, back)]
        part.clause(loop.literals)  # the empty set of edges is no loop
        arcs += [(node, node, self.literal()) for node in numbers.values()]
        part.circuits.append(arcs)

    def is_whole(self, value: Value) -> bool:
        """Whether that a value is 1 is one constraint (see `require`)."""
        return isinstance(value, Distinct | EdgeLoop)

    def reached(self, begin: Value, flags: Mapping[int, Value], at: int) -> list[Image]:
        """For each node whether it is reached from a node over links whose flag is 1, round by round."""
        links = [(node, other, self.equals(flags[flag], 1)) for node, other, flag in links_at(self.tables, at)]
        start, nodes = self.image(begin), self.tables[at]
        if NONE in start.values or nodes * len(links) > MOST_REACHED:
            raise UsageError("the engine `cp-sat` cannot state which cells are connected on a board of this size")
        reached = [self.equals(start, node) for node in range(nodes)]
        for _ in range(nodes - 1):
            into: list[list[int]] = [[literal] for literal in reached]
            for source, other, literal in links:
                into[other].append(self.all_of((reached[source], literal)))
            further = [self.any_of(ways) for ways in into]
            if further == reached:
                break
            reached = further
        return [self.truth(literal) for literal in reached]

    def _as_variable(self, value: Image | Whole) -> int:
        return (value if isinstance(value, Whole) else self._linear([(self._terms(value), 1)])).variable


def _other_than(number: int, low: int, high: int) -> list[int]:
    """The domain of the numbers from low to high without one: its intervals, end after end."""
    below = [low, number - 1] if low < number else []
    above = [number + 1, high] if number < high else []
    return [*below, *above]
