"""Classes of states: for each place the values that it may have, read by expressions as if they were one state.

at[H] in {r2c3}          at[H] == r2c3 is true
at[H] in {r2c4, r2c5}    at[H] == r2c3 is false
at[H] in {r2c3, r2c4}    at[H] == r2c3 asks: it raises `OpenError`, and whoever evaluates it divides the class into
                         the states where it is true and those where it is false
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .terms import OpenError, Run, Unknown, Value

Class = dict[int, frozenset[Value]]
"""A class of states: for each place the values that it may have."""


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


class ClassState:
    """A class of states as a state that expressions read."""

    __slots__ = ("apart", "known", "truths")

    def __init__(self, known: Class, truths: frozenset[int], apart: dict[int, range]) -> None:
        self.known, self.truths, self.apart = known, truths, apart

    def __getitem__(self, place: int) -> Any:
        values = self.known[place]
        if len(values) == 1:
            (value,) = values
            return value
        if place in self.truths:  # expressions tell truth values apart by `is`
            raise OpenError(place, None)
        return OpenValue(place, values, self.apart.get(place))


class StateAfter:
    """A state in which some places have new values."""

    __slots__ = ("changed", "state")

    def __init__(self, state: Any, changed: dict[int, Any]) -> None:
        self.state, self.changed = state, changed

    def __getitem__(self, place: int) -> Any:
        return self.changed[place] if place in self.changed else self.state[place]


@dataclass(frozen=True, slots=True)
class OneOf:
    """The condition that one of some places has one of its values: `A=r1c1,r2c1|B=r3c4`, as a function of a class."""

    parts: tuple[tuple[int, frozenset[Value]], ...]

    def __call__(self, state: Any) -> bool:
        asked = None
        for place, some in self.parts:
            values = state.known[place]
            if values <= some:
                return True
            if not values.isdisjoint(some):
                asked = asked or OpenError(place, some)
        if asked:
            raise asked
        return False


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
