"""Classes of states: for each place the values that it may have, read by expressions as if they were one state.

at[H] in {r2c3}          at[H] == r2c3 is true
at[H] in {r2c4, r2c5}    at[H] == r2c3 is false
at[H] in {r2c3, r2c4}    at[H] == r2c3 asks: it raises `OpenError`, and whoever evaluates it divides the class into
                         the states where it is true and those where it is false
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .core.limits import Limits, Unsupported
from .terms import OneOf, OpenError, Run, Unknown, Value

MOST_ANSWERS = 5000
"""An expression is worked out for at most this many combinations of the values that it asks for."""


class Class(dict[int, frozenset[Value]]):
    """A class of states: for each place the values that it may have; `others`: those of places that are not named."""

    __slots__ = ("others",)

    def __init__(self, others: Sequence[frozenset[Value]], named: Mapping[int, frozenset[Value]]) -> None:
        super().__init__(named)
        self.others = others

    def __missing__(self, place: int) -> frozenset[Value]:
        return self.others[place]

    def replaced(self, new: Mapping[int, frozenset[Value]]) -> Class:
        """The class with other values at some places."""
        found = Class(self.others, self)
        found.update(new)
        return found


class OpenValue(Unknown):
    """The value of a place that has several in a class. Compared with one of them it asks whether it is that one,
    compared with another it is not.
    """

    __slots__ = ("apart", "place", "values")
    __hash__ = Unknown.__hash__  # a class with an `__eq__` of its own has none otherwise

    def __init__(self, place: int, values: frozenset[Value], apart: range | None) -> None:
        self.place, self.values, self.apart = place, values, apart

    def question(self) -> OpenError:
        """Which value the place has."""
        return OpenError(self.place, None)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OpenValue):
            if self.place == other.place:
                return True
            if (self.apart is not None and self.apart is other.apart) or self.values.isdisjoint(other.values):
                return False
            return bool(self.ask())
        if other in self.values:
            raise OpenError(self.place, frozenset((other,)))
        return False

    def among(self, some: frozenset[Value]) -> bool:
        """Whether it is one of some values."""
        return among(self.place, self.values, some)


def among(place: int, values: frozenset[Value], some: frozenset[Value]) -> bool:
    """Whether a place that has one of these values has one of some values; it asks where that is open."""
    if values <= some:
        return True
    if values.isdisjoint(some):
        return False
    raise OpenError(place, some)


class ClassState:
    """A class of states as a state that expressions read. `views`: of places whose values follow from others."""

    __slots__ = ("apart", "known", "views")

    def __init__(self, known: Class, apart: Mapping[int, range], views: Mapping[int, View]) -> None:
        self.known, self.apart, self.views = known, apart, views

    def __getitem__(self, place: int) -> Any:
        if place in self.views:
            return self.views[place](self)
        values = self.known[place]
        value = next(iter(values))
        if len(values) == 1:
            return value
        if isinstance(value, bool):  # expressions tell truth values apart by `is`
            raise OpenError(place, None)
        return OpenValue(place, values, self.apart.get(place))

    def among(self, place: int, some: frozenset[Value]) -> bool:
        """Whether a place has one of some values."""
        if place in self.views:
            return self.views[place](self) in some
        return among(place, self.known[place], some)

    def replaced(self, new: Mapping[int, frozenset[Value]]) -> ClassState:
        """The class with other values at some places."""
        return ClassState(self.known.replaced(new), self.apart, self.views) if new else self


class StateAfter:
    """A state in which some places have new values."""

    __slots__ = ("changed", "state")

    def __init__(self, state: Any, changed: dict[int, Any]) -> None:
        self.state, self.changed = state, changed

    def __getitem__(self, place: int) -> Any:
        return self.changed[place] if place in self.changed else self.state[place]

    def among(self, place: int, some: frozenset[Value]) -> bool:
        """Whether a place has one of some values."""
        if place not in self.changed:
            return bool(self.state.among(place, some))
        value = self.changed[place]
        return value.among(some) if isinstance(value, OpenValue) else value in some


@dataclass(frozen=True, slots=True)
class Count:
    """That so many of some places have one of their values: of box[r1c1], box[r1c2] ... at least and at most two."""

    parts: tuple[tuple[int, frozenset[Value]], ...]
    least: int
    most: int

    def __call__(self, state: Any) -> bool:
        true, open_ = 0, list[tuple[int, frozenset[Value]]]()
        for place, some in self.parts:
            values = state.known[place]
            if values <= some:
                true += 1
            elif not values.isdisjoint(some):
                open_.append((place, some))
        if true > self.most or true + len(open_) < self.least:
            return False
        if true < self.least or true + len(open_) > self.most:
            raise OpenError(*open_[0])
        return True


@dataclass(frozen=True, slots=True)
class View:
    """An atom that is read off other places. `at.pkg1.a` is true where the place `at/in.pkg1` has that value
    (`positive`); `ontable b` is true where none of some places has one of some values (not `positive`).
    """

    one_of: OneOf
    positive: bool

    def __call__(self, state: Any) -> bool:
        return self.one_of(state) is self.positive

    def told(self, known: Class) -> bool | None:
        """The truth in all states of a class; None if it differs."""
        with suppress(OpenError):
            return self(ClassState(known, {}, {}))
        return None

    def gives(self, known: Class, value: Value) -> bool:
        """Whether an effect that gives the atom this value has to be named: not if it has it in the whole class before,
        nor if it is not `positive`, as it then follows from what the effect makes of others.
        """
        return self.positive and self.told(known) is not value


def decide(decisive: bool, conditions: Iterable[Run], state: Any) -> bool:
    """`all` of some conditions (`decisive` is False), or `any` (True). It asks only where none of them decides: if A is
    open and B is false, `A and B` is false.
    """
    asked = None
    for condition in conditions:
        try:
            if (condition(state) is True) is decisive:
                return decisive
        except OpenError as question:
            asked = asked or question
    if asked:
        raise asked
    return not decisive


def which(value: Any) -> Any:
    """A value that is known; raises `OpenError` for one that is not."""
    return value.ask() if isinstance(value, Unknown) else value


def told(run: Run, known: Class, unknown: Any) -> Any:
    """What an expression answers in all states of a class, or `unknown` if that is open."""
    try:
        return which(run(ClassState(known, {}, {})))  # type: ignore[arg-type]
    except OpenError:
        return unknown


def answers(
    run: Run, domains: Sequence[Sequence[Value]], work: int, limits: Limits
) -> Iterator[tuple[dict[int, Value], Any]]:
    """What an expression answers in all states, each answer with the values of the places that it asked for.

    `domains`: the values that each place can have; `work`: of asking once. Raises `Unsupported` if there are too many.
    """
    waiting = [Class([*map(frozenset, domains)], {})]
    for _ in range(2 * MOST_ANSWERS):
        if not waiting:
            return
        known = waiting.pop()
        limits.tick(work)
        try:
            answer = which(run(ClassState(known, {}, {})))  # type: ignore[arg-type]
        except OpenError as asked:
            waiting += [known.replaced({asked.place: frozenset((value,))}) for value in domains[asked.place]]
            continue
        yield {place: value for place, (value,) in known.items()}, answer
    raise Unsupported("a condition of the goal, or a price, asks for too many values")
