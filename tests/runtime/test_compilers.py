"""Compilers of kernels: parts are linked into their callers and never translated, which rests on numba's inside."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from budge.runtime.arrays import Int, Longs
from budge.runtime.kernel_calls import by_type, njit
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
        triple.compiled(np.array([1]), 0)  # type: ignore[attr-defined]


class Tens(NamedTuple):
    """Numbers that count ten times."""

    numbers: Longs


class Pair(NamedTuple):
    """Numbers, and others that count ten times."""

    numbers: Longs
    tens: Tens


@njit(inner=True)
def of_tens(table: Tens, place: Int) -> Int:
    return np.int64(10 * table.numbers[place])


@njit(inner=True)
def of_pair(table: Pair, place: Int) -> Int:
    return np.int64(table.numbers[place] + of_tens(table.tens, place))


value_of = by_type({Tens: of_tens, Pair: of_pair})


@njit()
def sum_of(table: Tens | Pair, count: Int) -> Int:
    found = 0
    for i in range(count):
        found += value_of(table, i)
    return found


def test_one_text_of_a_kernel_serves_several_types() -> None:
    numbers = np.array([1, 2, 5])
    assert sum_of(Tens(numbers), 3) == 80
    assert sum_of(Pair(numbers, Tens(numbers)), 2) == 33


PRIVATE = {
    "numba.core.cgutils": ("gep_inbounds", "alloca_once_value", "pack_array", "get_null_value"),
    "numba.core.codegen": (
        "JITCodeLibrary._optimize_final_module",
        "JITCodeLibrary._finalize_final_module",
        "JITCodeLibrary._finalize_dynamic_globals",
        "JITCodeLibrary.enable_object_caching",
        "JITCodeLibrary._get_module_for_linking",
        "CPUCodegen.magic_tuple",
        "CPUCodegen._module_pass_manager",
    ),
    "numba.core.dispatcher": ("Dispatcher.get_call_template", "Dispatcher.get_overload", "Dispatcher.is_compiling"),
    "numba.core.compiler": ("Compiler._compile_core", "Flags"),
    "numba.core.imputils": ("impl_ret_borrowed",),
    "numba.core.typing.templates": ("AttributeTemplate.generic_resolve",),
    "numba.core.types": ("Dispatcher", "BaseNamedTuple"),
}
"""What `runtime/numba_kernels.py` and `lab/make_kernels.py` use of numba that is not documented."""

HELP = (
    "numba {version} has changed `{module}.{name}`, a private part that budge/runtime uses: adapt it, run "
    "test_compilers.py, test_by_address.py and test_kernels.py in tests/runtime, raise the bound in pyproject.toml"
)


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in PRIVATE.items() for name in names])
def test_private_parts_of_numba_are_there(module: str, name: str) -> None:
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
        help_text = HELP.format(version=numba.__version__, module=module, name=name)
        assert found is not None, help_text


def test_the_version_of_numba_is_one_that_was_tested() -> None:
    """Private parts change without notice: a version beyond the bound is tried by hand before it is let in."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    (needed,) = project["optional-dependencies"]["kernels"]
    low, high = (tuple(map(int, bound.split("."))) for bound in re.findall(r"[0-9]+[.][0-9]+", needed))
    assert low <= tuple(map(int, numba.__version__.split(".")[:2])) < high
