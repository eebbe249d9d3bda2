"""Compilers of kernels: parts are linked into their callers and never translated, which rests on numba's inside."""

from __future__ import annotations

import numpy as np
import pytest
from budge.runtime.arrays import Int, Longs
from budge.runtime.kernel_cache import njit
from numba.core.codegen import JITCodeLibrary


@njit(inner=True)
def triple(numbers: Longs, place: Int) -> Int:
    return np.int64(3 * numbers[place])


@njit(inner=True)
def larger(numbers: Longs, place: Int) -> Int:
    """Of the same types as `triple`: they must not be mistaken for each other."""
    return np.int64(triple(numbers, place) + 1)


@njit(effort=1, _nrt=False)
def total(numbers: Longs) -> Int:
    found = 0
    for i in range(len(numbers)):
        found += larger(numbers, i) + triple(numbers, i)
    return found


def test_parts_are_linked_and_not_translated(monkeypatch: pytest.MonkeyPatch) -> None:
    translated = []
    finalize = JITCodeLibrary._finalize_final_module

    def noted(library: JITCodeLibrary) -> None:
        translated.append(library.name)
        finalize(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_final_module", noted)
    assert total(np.array([1, 2, 5])) == 3 * (2 * 8) + 3
    assert [name for name in translated if name != "nrt"] == ["total"]  # nrt: numba's own, once in a process


def test_a_part_cannot_be_called_from_python() -> None:
    total(np.array([1]))
    with pytest.raises(KeyError):
        triple(np.array([1]), 0)
