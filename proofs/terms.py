"""The parts of expressions of custom puzzles: terms, and what is made of them.

A term has every name replaced by a value (`expressions` makes it so). It has one value in all states, or is a function
of the state. None means "no value": a cell off the board, an argument that a table does not have, a division by 0.
A term with a part that has no value has no value, but for `and`, `or`, and `if`, which has its second alternative.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .core.limits import Unsupported
from .reading import Cell

Value = bool | int | str | Cell
State = tuple[Value, ...]
Run = Callable[[State], Any]

MANY = 100
"""Choices with more values than this are not listed. (Lists are needed to know directions, and what has two values.)"""

TRUTH, NUMBER, OBJECT, CELL, VECTOR = "truth", "number", "object", "cell", "vector"


@dataclass(frozen=True)
class TypeDomain:
    """The values of a type, in order, and their kind."""

    kind: str
    values: tuple[Value, ...]


Key = tuple[Any, ...]
"""The arguments of a table."""


class Places(dict[Key, int]):
    """Where in a state the values of a table stand. `new`: of a sparse table gives out a place, once it is wanted."""

    new: Callable[[Key], int] | None = None

    def get(self, key: Key) -> int | None:  # type: ignore[override]
        """The place of a value; None if there is no such value."""
        if key not in self:
            if self.new is None:
                return None
            self[key] = self.new(key)
        return self[key]


@dataclass(frozen=True)
class Table:
    """A value for each combination of arguments: at the start, or for good. Of a table of the state, `places` has where
    in a state each value stands. `different`: no two of them are ever equal; `others`: the value of arguments that are
    not among `values`; `sparse`: there are so many of these that only those which are asked for or set have a place.
    """

    of: tuple[TypeDomain, ...]
    domain: TypeDomain
    values: dict[Key, Value] = field(default_factory=dict)
    places: Places | None = None
    different: bool = False
    others: Value | None = None
    sparse: bool = False


Parameters = tuple[tuple[str, TypeDomain], ...]


@dataclass
class Names:
    """The names of a puzzle and what they stand for. `homes`: the type that named an object first; `taken`: all
    names.
    """

    directions: dict[str, Cell] = field(default_factory=dict)
    cells: frozenset[Cell] = frozenset()
    domains: dict[str, TypeDomain] = field(default_factory=dict)
    homes: dict[str, TypeDomain | None] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    definitions: dict[str, tuple[Parameters, ast.expr]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Term:
    """An expression in which every name has a value. In a state it has the value `run(state)`; without `run` it has
    `value` in all states. `values`: all that its type has, where that is known; `step`: of a cell and a vector, both;
    `place`: of which it is the value; `each`: the conditions that it joins by `and`; `barred`: no state makes them all
    true.
    """

    kind: str
    value: Value | None = None
    run: Run | None = None
    values: tuple[Value, ...] = ()
    step: tuple[Term, Term] | None = None
    place: int | None = None
    each: tuple[Run, ...] = ()
    barred: bool = False

    def of(self, state: State) -> Any:
        """The value of the term in a state."""
        return self.run(state) if self.run else self.value

    @property
    def never(self) -> bool:
        """Whether the term, as a condition, is true in no state."""
        return self.barred or (self.run is None and self.value is not True)


TRUE, FALSE = Term(TRUTH, True), Term(TRUTH, False)
YES, NO = frozenset[Value]((True,)), frozenset[Value]((False,))


@dataclass(frozen=True, slots=True)
class OneOf:
    """The condition that one of some places has one of its values, `A=r1c1,r2c1|B=r3c4`: what most conditions are, and
    can be told apart by. `others`: of one place, the values with which it is false.
    """

    parts: tuple[tuple[int, frozenset[Value]], ...]
    others: frozenset[Value] | None = None

    def __call__(self, state: Any) -> bool:
        among = getattr(state, "among", None)
        if among is None:
            return any(state[place] in some for place, some in self.parts)
        asked = None
        for place, some in self.parts:
            try:
                if among(place, some):
                    return True
            except OpenError as question:
                asked = asked or question
        if asked:
            raise asked
        return False


def on_one_place(condition: Run) -> tuple[int, frozenset[Value]] | None:
    """The place on which alone a condition depends, and the values with which it is true, as of `at[H] == r2c3`; None
    if it asks for more.
    """
    return condition.parts[0] if isinstance(condition, OneOf) and len(condition.parts) == 1 else None


def whole(term: Term) -> Term:
    """A term of which it counts no more how it was made."""
    return replace(term, step=None) if term.step else term


def conjuncts(term: Term) -> tuple[Run, ...]:
    """The conditions that a condition joins by `and`, each as a function of a state; of others, itself."""
    return term.each or (running(term),)


def running(term: Term) -> Run:
    """A function that gives the value of the term in a state."""
    value = term.value
    return term.run or (lambda _state: value)


def lifted(kind: str, function: Callable[..., Any], *parts: Term, values: tuple[Value, ...] = ()) -> Term:
    """The term of a function applied to terms; it has no value if one of the terms has none."""
    if all(part.run is None for part in parts):
        found = [part.value for part in parts]
        return Term(kind, None if None in found else function(*found), values=values)
    runs = [running(part) for part in parts]

    def run(state: State) -> Any:
        found = [one(state) for one in runs]
        return None if None in found else function(*found)

    def run_one(state: State) -> Any:  # the same for one part, and quicker
        found = runs[0](state)
        return None if found is None else function(found)

    return Term(kind, None, run if len(runs) > 1 else run_one, values)


def remembered(term: Term) -> Term:
    """A term that is computed once for a state, however often it is used.

    For terms that stand in several places: `a1: a0 + a0`, `a2: a1 + a1`, ... would else be worked out 2^n times.
    """
    run = term.run
    if run is None or isinstance(run, OneOf):
        return term
    asked: Any = None
    answer: Any = None

    def again(state: State) -> Any:
        nonlocal asked, answer
        if state is not asked:
            answer = run(state)
            asked = state
        return answer

    return replace(term, run=again)


def equal(compare: Callable[[Any, Any], bool], a: Term, b: Term) -> Term:
    """Two values compared: of a place and a value, whether the place has one of those values for which it is so."""
    if a.run and a.place is not None and a.values and b.run is None and b.value is not None:
        some = frozenset(value for value in a.values if compare(value, b.value))
        return Term(TRUTH, run=OneOf(((a.place, some),), frozenset(a.values) - some))
    if a.run and b.run is None and b.value is not None:
        run, value = a.run, b.value
        return Term(TRUTH, run=lambda state: None if (found := run(state)) is None else compare(found, value))
    return lifted(TRUTH, compare, a, b)


def negated(term: Term) -> Term:
    """The value of `not`."""
    if isinstance(term.run, OneOf) and term.run.others is not None:
        ((place, some),) = term.run.parts
        return Term(TRUTH, run=OneOf(((place, term.run.others),), some))
    return lifted(TRUTH, operator.not_, term)


def every(parts: list[Term]) -> Term:
    """The value of `and`: false if one part is false, else without a value if one has none, else true."""
    return _decided_by(False, parts)


def some(parts: list[Term]) -> Term:
    """The value of `or`: true if one part is true, else without a value if one has none, else false."""
    return _decided_by(True, parts)


def _decided_by(decisive: bool, parts: list[Term]) -> Term:
    fixed = [part.value for part in parts if part.run is None]
    runs = tuple([part.run for part in parts if part.run])
    if decisive in fixed:
        return Term(TRUTH, decisive)
    otherwise = None if None in fixed else not decisive
    if not runs:
        return Term(TRUTH, otherwise)
    if len(runs) == 1 and otherwise is not None:
        return next(part for part in parts if part.run)
    if otherwise is False and all(isinstance(one, OneOf) for one in runs):
        return Term(TRUTH, run=OneOf(tuple([part for one in runs for part in one.parts])))  # type: ignore[attr-defined]

    def run(state: State) -> Any:
        result = otherwise
        for one in runs:
            found = one(state)
            if found is decisive:
                return decisive
            if found is None:
                result = None
        return result

    joined = tuple([one for part in parts if part.run for one in conjuncts(part)]) if otherwise is True else ()
    barred = not decisive and (None in fixed or any(part.barred for part in parts))
    return Term(TRUTH, run=run, each=joined, barred=barred)


def choice(when: Term, yes: Term, no: Term) -> Term:
    """`yes if when else no`"""
    if yes.kind != no.kind:
        raise Unsupported(f"this checker does not understand a choice between {yes.kind} and {no.kind}")
    few = yes.values and no.values and len(yes.values) + len(no.values) <= MANY
    values = tuple(dict.fromkeys((*yes.values, *no.values))) if few else ()
    if when.run is None:
        return replace(no if when.never else yes, values=values, step=None)
    test, one, other = when.run, running(yes), running(no)
    return Term(yes.kind, None, lambda state: one(state) if test(state) is True else other(state), values)


def present(term: Term) -> Term:
    """Whether a term has a value."""
    return folded(TRUTH, [term], lambda found: found[0] is not None)


def one_of(term: Term, values: frozenset[Any]) -> Term:
    """Whether a term has one of these values; false if it has no value."""
    return folded(TRUTH, [term], lambda found: found[0] in values)


def folded(kind: str, terms: list[Term], fold: Callable[[list[Any]], int | None]) -> Term:
    """A value computed from the values of terms; the function gets None for a term without a value."""
    if all(term.run is None for term in terms):
        return Term(kind, fold([term.value for term in terms]))
    runs = [running(term) for term in terms]
    return Term(kind, run=lambda state: fold([run(state) for run in runs]))


class OpenError(Exception):
    """Raised where an expression asks what a class of states leaves open (`derivation`): whether a place has a value of
    `part` (None: which one it has).
    """

    def __init__(self, place: int, part: frozenset[Value] | None) -> None:
        self.place, self.part = place, part


class Unknown:
    """A value that a class of states leaves open. Whatever is done with it asks (raises `OpenError`) which it is; what
    a comparison can answer nevertheless, subclasses say.
    """

    __slots__ = ()

    def question(self) -> OpenError:
        """What has to be known to know the value, or more of it."""
        raise NotImplementedError

    def ask(self, *_others: object) -> Any:
        """Ask for the value."""
        raise self.question()

    if not TYPE_CHECKING:  # else subclasses, whose comparisons answer, would have other signatures
        __eq__ = __hash__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __iter__ = __len__ = ask
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = ask
        __mod__ = __rmod__ = __neg__ = __abs__ = __index__ = __int__ = ask

    def __ne__(self, other: object) -> bool:
        return not self == other


class Between(Unknown):
    """A count that is at least `low` and at most `high`: `count(...) > 5` is false of one between 2 and 4."""

    __slots__ = ("asked", "high", "low")
    __hash__ = Unknown.__hash__  # a class with an `__eq__` of its own has none otherwise

    def __init__(self, low: int, high: int, asked: OpenError) -> None:
        self.low, self.high, self.asked = low, high, asked

    def question(self) -> OpenError:
        """That of the first condition that is counted and open."""
        return self.asked

    def __eq__(self, other: object) -> bool:
        return bool(False if isinstance(other, int) and not self.low <= other <= self.high else self.ask())

    def __lt__(self, other: int) -> bool:
        return self.high < other or (self.low < other and self.ask())

    def __ge__(self, other: int) -> bool:
        return not self < other

    def __gt__(self, other: int) -> bool:
        return self.low > other or (self.high > other and self.ask())

    def __le__(self, other: int) -> bool:
        return not self > other


def counted(terms: list[Term]) -> Term:
    """How many of some conditions are true: 3; or, in a class of states that leaves two open, between 3 and 5."""
    runs = [running(term) for term in terms]

    def run(state: State) -> Any:
        true, asked = 0, []
        for one in runs:
            try:
                true += one(state) is True
            except OpenError as question:
                asked.append(question)
        return Between(true, true + len(asked), asked[0]) if asked else true

    return Term(NUMBER, None, run) if any(term.run for term in terms) else Term(NUMBER, run(()))
