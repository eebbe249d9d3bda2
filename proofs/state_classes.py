"""Classes of states: for each place the values that it may have, read by expressions as if they were one state.

at[H] == r2c3      True, if this is the only value that the class has there; False, if it has others only; else the
                   expression asks (`OpenError`), and who evaluates it divides the class by the answer
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .terms import OpenError, Value

Class = dict[int, frozenset[Value]]
"""A class of states: for each place the values that it may have."""


class OpenValue:
    """The value of a place that has several in a class. Comparing it asks whether it is that value; whatever else is
    done with it asks which it is.
    """

    __slots__ = ("apart", "place", "values")

    def __init__(self, place: int, values: frozenset[Value], apart: range | None) -> None:
        self.place, self.values, self.apart = place, values, apart

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OpenValue):
            if self.place == other.place:
                return True
            if (self.apart is not None and self.apart is other.apart) or self.values.isdisjoint(other.values):
                return False
            raise OpenError(self.place, None)
        if other in self.values:
            raise OpenError(self.place, frozenset((other,)))
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _which(self, *_others: object) -> Any:
        raise OpenError(self.place, None)

    __hash__ = __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __getitem__ = __iter__ = __len__ = _which
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _which
    __mod__ = __rmod__ = __neg__ = __abs__ = __index__ = __int__ = _which


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


def is_one_of(state: Any, parts: Iterable[tuple[int, frozenset[Value]]]) -> bool:
    """Whether in a class of states one of some places has one of its values; raises `OpenError` where that is open."""
    asked = None
    for place, some in parts:
        values = state.known[place]
        if values <= some:
            return True
        if not values.isdisjoint(some):
            asked = asked or OpenError(place, some)
    if asked:
        raise asked
    return False


def which(value: Any) -> Any:
    """A value that is known; raises `OpenError` for one that is not."""
    if isinstance(value, OpenValue):
        raise OpenError(value.place, None)
    return value
