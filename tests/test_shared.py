"""Named tuples by address: a kernel reads the same through `shared` as from the tuple itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from budge.runtime.arrays import Bytes, Longs
from budge.runtime.kernel_cache import njit
from budge.runtime.shared import shared
from numba.core.errors import TypingError


class Inside(NamedTuple):
    numbers: Longs
    bytes: Bytes
    factor: int


class Outside(NamedTuple):
    scale: float
    inside: Inside
    both: tuple[Longs, Longs]


class Same(NamedTuple):
    """Fields of one type, which numba keeps as an array."""

    first: Longs
    second: Longs


TABLES = Outside(0.5, Inside(np.arange(4), np.arange(3, dtype=np.uint8), 7), (np.arange(2), np.arange(5)))


@njit(inner=True)
def weigh(tables: Outside, number: int) -> float:
    inside = tables.inside
    inside.numbers[number] += 1
    total: float = tables.scale * inside.numbers[number] * inside.factor + inside.bytes[2] + len(tables.both[1])
    return total


@njit()
def weigh_alone(tables: Outside, number: int) -> float:
    return weigh(tables, number)


@njit()
def weigh_shared(tables: Outside, number: int) -> float:
    return weigh(shared(tables), number)


@njit()
def later(same: Same) -> int:
    lent = shared(same)
    return int(lent.second[0] - lent.first[0])


@njit()
def misnamed(tables: Outside) -> int:
    return int(shared(tables).outside)  # type: ignore[attr-defined]


def test_fields_are_read_and_arrays_written_through_the_address() -> None:
    assert weigh_shared(TABLES, 3) == 0.5 * 4 * 7 + 2 + 5
    assert weigh_alone(TABLES, 3) == 0.5 * 5 * 7 + 2 + 5
    assert TABLES.inside.numbers.tolist() == [0, 1, 2, 5]


def test_fields_of_one_type() -> None:
    assert later(Same(np.array([3]), np.array([10]))) == 7


def test_a_field_that_is_not_there() -> None:
    with pytest.raises(TypingError, match="outside"):
        misnamed(TABLES)
