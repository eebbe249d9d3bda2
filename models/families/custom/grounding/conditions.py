"""Splitting terms by conditions: the parts of a term in which a condition is true, or false (see `cases`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..language import expressions as ex
from ..language.evaluate import NO_STATE, Evaluators, Names
from ..language.expressions import Expr, Loop, Value
from ..language.values import COMPARISONS, MIRRORED, OPPOSITE
from ..puzzle import Custom
from .variables import NEGATED, TRUE, UNFALSE, UNTRUE, Effort, Term, Variables, is_wanted, wants_true

# Conditions on known variables: literals, joined by `and` and `or`.
#
# For given names, most conditions ask known variables for known values, whatever the state. `all(at[r] != c for r in
# robot)` for the cell r1c1 is the conjunction of a *literal* (a variable with the values it may have) for each robot:
#
#     at[red] in {all but r1c1}  and  at[blue] in {all but r1c1}  and ...
#
# Definitions are turned into this form once for each choice of arguments. It splits a term as `conditions` splits it,
# many times faster: nothing is looked up again.

MAX_PLAIN = 1_000
"""The most literals of nested `and` or `or` that are flattened into one list."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A condition whose value is the same in all states."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Literal:
    """The condition that a variable has one of some values (a mask)."""

    variable: int
    accepted: int


@dataclass(frozen=True, slots=True)
class Negation:
    """The negation of a condition; it has no value where that condition has none."""

    inner: Condition


@dataclass(frozen=True, slots=True)
class Junction:
    """`and` (`every`) or `or` of conditions; `plain` has them as literals, if all of them are."""

    every: bool
    conditions: tuple[Condition, ...]
    plain: tuple[Literal, ...] | None
    quantified: bool = False


Condition = Fixed | Literal | Negation | Junction

Way = Callable[[Term], Iterable[Term]]
"""A way to split a term: the parts of it in which something holds."""


class OpenVariablesError(Exception):
    """The state decides which variables a condition reads."""


def in_literals(expr: Expr, names: Names, variables: Variables, fixed: Evaluators) -> Condition:
    """A condition as a tree over literals. Raises `OpenVariablesError`."""
    # What does not read the state has its value now; otherwise the form of the expression decides, down to comparisons
    # of one variable with a constant.
    evaluator = fixed.of(expr)
    if evaluator is not None:
        value = evaluator(names, NO_STATE)
        return Fixed(None if value is None else bool(value))
    variables.count()
    match expr:
        case ex.Not(inner):
            return Negation(in_literals(inner, names, variables, fixed))
        case ex.And(parts) | ex.Or(parts):
            return _junction(isinstance(expr, ex.And), ((part, names) for part in parts), variables, fixed)
        case ex.Quantifier("all" | "any" as kind, body, loops) if not fixed.reads_in(loops):
            turns = ((body, dict(turn)) for turn in fixed.turns(loops)(names, NO_STATE))
            return _junction(kind == "all", turns, variables, fixed, quantified=True)
        case ex.Use(name, args):
            inner_names = fixed.bound(name, _key(args, names, fixed))
            if inner_names is None:
                return Fixed(None)
            return in_literals(fixed.puzzle.definitions[name].body, inner_names, variables, fixed)
        case ex.Read():
            return _literal(_variable(expr, names, variables, fixed), "==", True, variables)
        case ex.Membership(ex.Read() as read, values):
            variable = _variable(read, names, variables, fixed)
            if variable is None:
                return Fixed(False)
            return Literal(variable, variables.passing(variable, values.__contains__))
        case ex.Compare(op, left, right):
            if isinstance(right, ex.Read) and not isinstance(left, ex.Read):
                left, right, op = right, left, MIRRORED[op]
            other = fixed.of(right)
            if isinstance(left, ex.Read) and other is not None:
                return _literal(_variable(left, names, variables, fixed), op, other(names, NO_STATE), variables)
    raise OpenVariablesError


def _key(args: tuple[Expr, ...], names: Names, fixed: Evaluators) -> tuple[Value, ...] | None:
    """The values of arguments; None if one has none."""
    several = fixed.of_all(args)
    if several is None:
        raise OpenVariablesError
    return several(names, NO_STATE)


def _variable(read: ex.Read, names: Names, variables: Variables, fixed: Evaluators) -> int | None:
    """The variable `table[args]`; None if there is no such place."""
    key = _key(read.args, names, fixed)
    return None if key is None else variables.at[read.table].get(key)


def _literal(variable: int | None, op: str, value: Value | None, variables: Variables) -> Condition:
    """The literal `variable op value`; a condition without a value where one of the two does not exist."""
    if variable is None or value is None:
        return Fixed(None)
    return Literal(variable, variables.accepted(variable, op, value))


def _junction(
    every: bool,
    several: Iterator[tuple[Expr, Names]],
    variables: Variables,
    fixed: Evaluators,
    quantified: bool = False,
) -> Condition:
    conditions = [in_literals(part, inner, variables, fixed) for part, inner in several]
    # What cannot decide (true in `and`, false in `or`) is left out; what decides alone is the whole.
    if Fixed(not every) in conditions:
        return Fixed(not every)
    deciding = tuple(condition for condition in conditions if condition != Fixed(every))
    plain = [_plain(condition, every) for condition in deciding]
    literals = tuple(literal for several_literals in plain for literal in several_literals or ())
    simple = None not in plain and len(literals) <= MAX_PLAIN
    return Junction(every, deciding, literals if simple else None, quantified)


def _plain(condition: Condition, every: bool) -> tuple[Literal, ...] | None:
    """A condition as a list of literals joined by `and` (`every`) or by `or`; None if it is of another form."""
    if isinstance(condition, Literal):
        return (condition,)
    return condition.plain if isinstance(condition, Junction) and condition.every == every else None


def split(condition: Condition, term: Term, want: str, variables: Variables) -> list[Term]:
    """The parts of a term in which a condition has the wanted truth value."""
    yes = wants_true(want)
    variables.count()
    match condition:
        case Literal(variable, accepted):
            return variables.literal(variable, accepted, term, yes)
        case Fixed(value):
            return [term] if is_wanted(value, want) else []
        case Negation(inner):
            return split(inner, term, NEGATED[want], variables)
        case Junction(every, parts, plain, quantified):
            if every == yes and plain is not None:
                return _every_literal(plain, term, yes, variables)
            ways = (partial(split, part, want=want, variables=variables) for part in parts)
            terms = (every_of if every == yes else some_of)(ways, term, variables)
            return variables.bounded(terms) if quantified else terms


def _every_literal(literals: tuple[Literal, ...], term: Term, yes: bool, variables: Variables) -> list[Term]:
    """The states of a term in which all literals hold (with `yes` false: none of them), as one term or no term."""
    variables.count(len(literals))
    full = variables.full
    for literal in literals:
        variable, accepted = literal.variable, literal.accepted
        mask = term.get(variable, full[variable])
        if not (mask & ~accepted if yes else mask & accepted) and variable not in variables.overlay:
            continue  # the usual case, quickly: so it is in all of the term
        terms = variables.literal(variable, accepted, term, yes)
        if not terms:
            return terms
        term = terms[0]
    return [term]


def every_of(ways: Iterable[Way], term: Term, variables: Variables) -> list[Term]:
    """The parts of a term that are left by all ways to split it, one after the other."""
    terms = [term]
    for way in ways:
        terms = variables.bounded([u for t in terms for u in way(t)])
        if not terms:
            break
    return terms


def some_of(ways: Iterable[Way], term: Term, variables: Variables) -> list[Term]:
    """The parts of a term that are left by at least one way to split it."""
    terms: list[Term] = []
    for way in ways:
        for u in way(term):
            if u == term:
                return [term]
            terms.append(u)
    return variables.bounded(terms)


Case = tuple[Term, Value | None]
Item = tuple[Names, tuple[Expr, ...]]
"""One turn of a loop: values of the names, and conditions on the state under which this turn takes place."""

Part = tuple[Names, tuple[Expr, ...], Expr]
"""One of several joined conditions: the names in it, the conditions under which it counts, and the condition itself."""

Several = Sequence[Part]
"""Conditions that are joined: `all(p(x) for x in T if q(x))` is, for each x of T, p(x) under the condition q(x)."""

MAX_LITERALS = 500_000
"""The most work spent on writing uses of definitions as literals."""


class ConditionSplitter(Variables, ABC):
    """Splits a term by conditions: `terms` gives the parts in which a condition has the wanted truth value."""

    def __init__(self, puzzle: Custom, effort: Effort | None = None) -> None:
        super().__init__(puzzle, effort)
        self.fixed = Evaluators(puzzle, self.count)
        self.in_literals: dict[tuple[str, tuple[Value, ...]], Condition] = {}
        self.without_literals: set[str] = set()
        self.work_on_literals = 0

    @abstractmethod
    def cases(self, expr: Expr, names: Names, term: Term) -> list[Case]:
        """The parts of a term in each of which an expression has one value, paired with that value."""

    # Places and loops

    def tuples(self, args: tuple[Expr, ...], names: Names, term: Term) -> list[tuple[Term, tuple[Value, ...] | None]]:
        """The parts of a term in each of which several expressions have fixed values; None where one of them has no
        value.
        """
        fixed = self.fixed.of_all(args)
        if fixed is not None:
            self.work += 1
            return [(term, fixed(names, NO_STATE))]
        parts: list[tuple[Term, tuple[Value, ...] | None]] = [(term, ())]
        for arg in args:
            self.count(len(parts))
            parts = [
                (u, None if key is None or value is None else (*key, value))
                for t, key in parts
                for u, value in self.cases(arg, names, t)
            ]
        return parts

    def variables_of(
        self, table: str, args: tuple[Expr, ...], names: Names, term: Term
    ) -> list[tuple[Term, int | None]]:
        """The parts of a term in each of which `table[args]` is one variable, with its number; None where there is
        no such place.
        """
        at = self.at[table]
        return [(t, None if key is None else at.get(key)) for t, key in self.tuples(args, names, term)]

    def items(self, loops: tuple[Loop, ...], names: Names, term: Term) -> list[tuple[Term, list[Item]]]:
        """The parts of a term in each of which loops have the same turns. Conditions that read the state are left to
        the turns.
        """
        if not loops:
            return [(term, [(names, ())])]
        loop = loops[0]
        if not self.fixed.reads_in(loops):  # the usual case, quickly
            return [(term, [(dict(turn), ()) for turn in self.fixed.turns(loops)(names, NO_STATE)])]
        evaluators = [self.fixed.of(condition) for condition in loop.conditions]
        fixed = [evaluator for evaluator in evaluators if evaluator is not None]
        rest = tuple(c for c, evaluator in zip(loop.conditions, evaluators, strict=True) if evaluator is None)
        parts: list[tuple[Term, list[Item]]] = []
        for t, values in self._loop_values(loop, names, term):
            several: list[tuple[Term, list[Item]]] = [(t, [])]
            self.count(len(values))
            for value in values:
                inner = {**names, loop.name: value}
                if not all(evaluator(inner, NO_STATE) is True for evaluator in fixed):
                    continue
                several = [
                    (w, [*before, *((n, (*rest, *more)) for n, more in items)])
                    for u, before in several
                    for w, items in self.items(loops[1:], inner, u)
                ]
            parts += several
        return parts

    def _loop_values(self, loop: Loop, names: Names, term: Term) -> list[tuple[Term, tuple[Value, ...]]]:
        if loop.around is None:
            return [(term, loop.values)]
        parts: list[tuple[Term, tuple[Value, ...]]] = []
        for t, cell in self.cases(loop.around, names, term):
            parts.append((t, self.fixed.near(cell)))
        return parts

    # Conditions

    def terms(self, expr: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """The parts of a term in which a condition has the wanted truth value (see `cases`)."""
        self.work += 1
        fixed = self.fixed.of(expr)
        if fixed is not None:
            return [term] if is_wanted(fixed(names, NO_STATE), want) else []
        return self._open_terms(expr, names, term, want)

    def _open_terms(self, expr: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """`terms` for a condition that reads the state."""
        match expr:
            case ex.Compare(op, left, right):
                return self._compared(op, left, right, names, term, want)
            case ex.Not(inner):
                return self.terms(inner, names, term, NEGATED[want])
            case ex.And(conditions):
                return self.all_of(conditions, names, term, want)
            case ex.Or(conditions):
                return self.joint(False, [(names, (), part) for part in conditions], term, want)
            case ex.Quantifier("all" | "any" as kind, body, loops):
                terms: list[Term] = []
                for t, items in self.items(loops, names, term):
                    turns = [(inner, conditions, body) for inner, conditions in items]
                    terms += self.joint(kind == "all", turns, t, want)
                return self.bounded(terms)
            case ex.Read(table, args):
                return self._in_values(table, args, frozenset((True,)), None, names, term, want)
            case ex.Membership(ex.Read(table, args), values):
                return self._in_values(table, args, values, False, names, term, want)
            case ex.Membership(inner, values):
                yes = want in (TRUE, UNFALSE)
                return [t for t, value in self.cases(inner, names, term) if (value in values) == yes]
            case ex.Conditional(condition, met, unmet):
                terms = [u for t in self.terms(condition, names, term, TRUE) for u in self.terms(met, names, t, want)]
                terms += [
                    u for t in self.terms(condition, names, term, UNTRUE) for u in self.terms(unmet, names, t, want)
                ]
                return terms
            case ex.Use(name, args):
                return [u for t, key in self.tuples(args, names, term) for u in self.defined(name, key, t, want)]
        return [t for t, value in self.cases(expr, names, term) if is_wanted(value, want)]

    def _in_values(
        self,
        table: str,
        args: tuple[Expr, ...],
        values: frozenset[Value],
        outside: bool | None,
        names: Names,
        term: Term,
        want: str,
    ) -> list[Term]:
        """The parts of a term in which `table[args] in values` is as wanted; `outside` is its value where no such
        place exists.
        """
        terms: list[Term] = []
        for t, v in self.variables_of(table, args, names, term):
            if v is None:
                terms += [t] if is_wanted(outside, want) else []
            else:
                terms += self.literal(v, self.passing(v, values.__contains__), t, wants_true(want))
        return terms

    def defined(self, name: str, args: tuple[Value, ...] | None, term: Term, want: str) -> list[Term]:
        """The parts of a term in which a definition, with these arguments, has the wanted truth value."""
        if args is None:
            return [term] if want in (UNTRUE, UNFALSE) else []
        condition = self.in_literals.get((name, args))
        if condition is not None:
            return split(condition, term, want, self)
        bound = self.fixed.bound(name, args)
        if bound is None:
            return [term] if want in (UNTRUE, UNFALSE) else []
        body = self.puzzle.definitions[name].body
        if name in self.without_literals or self.work_on_literals > MAX_LITERALS:
            return self.terms(body, bound, term, want)
        before = self.work
        try:
            condition = self.in_literals[name, args] = in_literals(body, bound, self, self.fixed)
        except OpenVariablesError:
            self.without_literals.add(name)
            return self.terms(body, bound, term, want)
        finally:
            self.work_on_literals += self.work - before
        return split(condition, term, want, self)

    def all_of(self, conditions: tuple[Expr, ...], names: Names, term: Term, want: str) -> list[Term]:
        """The parts of a term in which the conjunction of some conditions has the wanted truth value."""
        return self.joint(True, [(names, (), part) for part in conditions], term, want)

    def joint(self, each: bool, several: Several, term: Term, want: str) -> list[Term]:
        """The parts of a term in which `and` (`each`) or `or` of what counts has the wanted truth value."""
        if each == wants_true(want):
            return every_of((partial(self._where_it_counts, part, want) for part in several), term, self)
        return some_of((partial(self._counts_with, part, want) for part in several), term, self)

    def _where_it_counts(self, part: Part, want: str, term: Term) -> list[Term]:
        """The parts of a term in which a condition does not count, or has the wanted truth value."""
        names, conditions, _ = part
        apart = self.all_of(conditions, names, term, UNTRUE) if conditions else []
        return [*apart, *self._counts_with(part, want, term)]

    def _counts_with(self, part: Part, want: str, term: Term) -> Iterator[Term]:
        """The parts of a term in which a condition counts, and has the wanted truth value."""
        names, conditions, expr = part
        for t in self.all_of(conditions, names, term, TRUE) if conditions else (term,):
            yield from self.terms(expr, names, t, want)

    def _compared(self, op: str, left: Expr, right: Expr, names: Names, term: Term, want: str) -> list[Term]:
        if isinstance(right, ex.Quantifier) and right.kind == "count" and not self.fixed.reads(left):
            left, right, op = right, left, MIRRORED[op]
        if isinstance(left, ex.Quantifier) and left.kind == "count" and not self.fixed.reads(right):
            return self._counted(op, left, right, names, term, want)
        if isinstance(right, ex.Read) and not isinstance(left, ex.Read):
            left, right, op = right, left, MIRRORED[op]
        if not isinstance(left, ex.Read):
            pairs = ((u, a, b) for t, a in self.cases(left, names, term) for u, b in self.cases(right, names, t))
            return self.bounded(
                [t for t, a, b in pairs if is_wanted(None if a is None or b is None else COMPARISONS[op](a, b), want)]
            )
        terms: list[Term] = []
        for t, v in self.variables_of(left.table, left.args, names, term):
            for u, b in self.cases(right, names, t):
                if b is None or v is None:
                    terms += [u] if is_wanted(None, want) else []
                else:
                    terms += self.literal(v, self.accepted(v, op, b), u, wants_true(want))
        return self.bounded(terms)

    # Counting

    def _counted(self, op: str, count: ex.Quantifier, number: Expr, names: Names, term: Term, want: str) -> list[Term]:
        """The parts of a term in which `count(...) == 1`, or another comparison of a count, is what is wanted.

        At least k are true, or at most k are, which means that at least n - k are not: each choice of them is a part.
        """
        terms: list[Term] = []
        yes = want in (TRUE, UNFALSE)
        for t, k in self.cases(number, names, term):
            if not isinstance(k, int):
                terms += [t] if want in (UNTRUE, UNFALSE) else []
                continue
            wanted = op if yes else OPPOSITE[op]
            for u, items in self.items(count.loops, names, t):
                several = [(inner, conditions, count.body) for inner, conditions in items]
                if wanted in ("==", ">=", ">"):
                    least = k + 1 if wanted == ">" else k
                    some = self._at_least(several, least, u, TRUE)
                    terms += [w for s in some for w in self._at_most(several, k, s)] if wanted == "==" else some
                elif wanted in ("<=", "<"):
                    terms += self._at_most(several, k - 1 if wanted == "<" else k, u)
                else:
                    terms += self._at_least(several, k + 1, u, TRUE) + self._at_most(several, k - 1, u)
        return self.bounded(terms)

    def _at_most(self, several: Several, k: int, term: Term) -> list[Term]:
        return self._at_least(several, len(several) - k, term, UNTRUE)

    def _at_least(self, several: Several, k: int, term: Term, want: str) -> list[Term]:
        """The parts of a term in which at least k conditions have the wanted truth value: each part fixes k of them."""
        open_items = []
        for item in several:
            there = self.item(item, term, want)
            if term in there:
                k -= 1
            elif there:
                open_items.append(item)
        if k <= 0:
            return [term]
        terms: list[Term] = []
        stack: list[tuple[int, int, Term]] = [(0, k, term)]
        while stack:
            place, missing, t = stack.pop()
            if missing == 0:
                terms.append(t)
                self.limited(len(terms))
            elif len(open_items) - place >= missing:
                stack.append((place + 1, missing, t))
                stack += [(place + 1, missing - 1, u) for u in self.item(open_items[place], t, want)]
        return self.bounded(terms)

    def item(self, item: Part, term: Term, want: str) -> list[Term]:
        names, conditions, body = item
        return self.all_of((*conditions, body), names, term, want)
