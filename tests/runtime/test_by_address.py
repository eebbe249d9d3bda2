"""Named tuples by address: a kernel reads the same as from the tuple itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from budge.runtime.arrays import Bytes, Longs, Words
from budge.runtime.bitops import on_stack
from budge.runtime.kernel_calls import ByAddress, njit
from numba.core.errors import TypingError


class Inside(NamedTuple):
    numbers: Longs
    bytes: Bytes
    factor: int


class Outside(NamedTuple):
    scale: float
    inside: Inside
    both: tuple[Longs, Longs]
    table: Bytes
    bits: np.uint64


class Same(NamedTuple):
    """Fields of one type, which numba keeps as an array."""

    first: Longs
    second: Longs


ALL = np.uint64(2**64 - 1)
TABLES = Outside(
    scale=0.5,
    inside=Inside(np.arange(4), np.arange(3, dtype=np.uint8), 7),
    both=(np.arange(2), np.arange(5)),
    table=np.arange(12, dtype=np.uint8).reshape(3, 4),
    bits=ALL,
)


@njit(inner=True)
def weigh(tables: Outside, number: int) -> float:
    inside = tables.inside
    inside.numbers[number] += 1
    total: float = tables.scale * inside.numbers[number] * inside.factor + inside.bytes[2] + len(tables.both[1])
    total += tables.table[2, 1]
    return total


@njit()
def weigh_tables(tables: Outside, number: int) -> float:
    return weigh(tables, number)


@njit()
def largest(tables: Outside) -> bool:
    return bool(tables.bits == ALL)


@njit()
def difference(same: Same) -> int:
    return int(same.second[0] - same.first[0])


@njit()
def twice(same: Same) -> int:
    return int(difference(on_stack(Same(same.second, same.first))) - difference(same))


@njit()
def total(words: Words, table: Same) -> int:
    return int(words[0] + table.first[-1])


@njit()
def misnamed(tables: Outside) -> int:
    return int(tables.outside)  # type: ignore[attr-defined]


def test_fields_are_read_and_arrays_written_through_the_address() -> None:
    assert weigh_tables(TABLES, 3) == 0.5 * 4 * 7 + 2 + 5 + 9
    assert weigh_tables(TABLES, 3) == 0.5 * 5 * 7 + 2 + 5 + 9
    assert TABLES.inside.numbers.tolist() == [0, 1, 2, 5]


def test_rows_of_another_array() -> None:
    """Strides are those of the array, not those that its shape would have."""
    other = TABLES._replace(table=np.arange(24, dtype=np.uint8).reshape(3, 8)[:, ::2])
    assert weigh_tables(other, 0) - weigh_tables(TABLES, 0) == 18 - 9 - 0.5 * 7


def test_numbers_of_64_bits() -> None:
    assert largest(TABLES)
    assert not largest(TABLES._replace(bits=np.uint64(1)))


def test_fields_of_one_type() -> None:
    assert difference(Same(np.array([3]), np.array([10]))) == 7


def test_a_kernel_that_others_call_gets_the_same_address() -> None:
    assert twice(Same(np.array([3]), np.array([10]))) == -14
    assert len(difference.compiled.signatures) == 1


def test_arguments_that_are_no_tuples_go_as_they_are() -> None:
    assert total(np.array([5], np.uint64), Same(np.array([1, 2]), np.array([0]))) == 7


def test_a_field_that_is_not_there() -> None:
    with pytest.raises(TypingError, match="outside"):
        misnamed(TABLES)


def test_what_has_no_place_in_a_block_of_words() -> None:
    with pytest.raises(TypeError, match="a kernel gets no str"):
        ByAddress(TABLES._replace(scale="half"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a kernel gets no bool"):
        ByAddress(TABLES._replace(scale=True))
