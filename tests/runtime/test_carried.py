"""Kernels that a wheel carries: the same results as from numba, and no use of a library that does not fit."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from budge.models.errors import UsageError
from budge.runtime import cache_places, carried
from budge.runtime.arrays import Longs, Words
from budge.runtime.by_address import laid_out
from budge.runtime.carried_kernels import Kernel
from budge.runtime.kernel_cache import njit

SCRIPT = Path(cache_places.PACKAGE, ".ci", "carry_kernels.py")


LIBRARY_HERE = carried.library.__wrapped__
"""`carried.library`, which looks anew at each call."""


class Rows(NamedTuple):
    words: Words
    inner: tuple[Longs, int]
    scale: float


@njit()
def told(rows: Rows, table: Longs, pair: tuple[int, np.uint64], negative: bool) -> tuple[int, np.uint64, bool]:
    """Allocates, writes, and takes every kind of argument."""
    sums = np.zeros(2, np.int64)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            sums[i % 2] += table[i, k] * rows.inner[0][k]
    rows.words[0] += np.uint64(1)
    total = int(sums[0] * rows.scale) + sums[1] + rows.inner[1] + pair[0]
    return (-total if negative else total), rows.words[0] ^ pair[1], negative


@njit()
def nothing(table: Longs) -> None:
    table[0] = 7


def rows() -> Rows:
    return Rows(np.array([2**64 - 3], np.uint64), (np.arange(4), 5), 0.5)


TABLE = np.arange(12).reshape(3, 4)
ARGUMENTS: tuple[Any, ...] = TABLE, (-3, np.uint64(2**63)), True


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a library of the two kernels."""
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(carried, "LIBRARY", folder / "kernels.so")
        patched.setattr(carried, "INDEX", folder / "kernels.json")
        script = runpy.run_path(str(SCRIPT))
        note = script["note"]
        note(told, (rows(), *ARGUMENTS))
        note(told, (rows(), TABLE[:, ::-1], *ARGUMENTS[1:]))
        note(nothing, (np.zeros(1, np.int64),))
        told(rows(), *ARGUMENTS)
        told(rows(), TABLE[:, ::-1], *ARGUMENTS[1:])
        nothing(np.zeros(1, np.int64))
        script["link"](folder)
        found = carried.Library()
        patched.setattr(carried, "library", lambda: found)
        yield folder


def test_results_are_those_of_numba(library: Path) -> None:
    carry = Kernel(told.__wrapped__, releases=False)
    for table in (TABLE, TABLE[:, ::-1]):
        mine, numbas = rows(), rows()
        for _ in range(3):
            expected = told(numbas, table, *ARGUMENTS[1:])
            assert carry(mine, table, *ARGUMENTS[1:]) == expected
            assert mine.words == numbas.words
    assert list(map(type, expected)) == [int, int, bool]
    once = laid_out(rows())
    assert carry(once, *ARGUMENTS) == told(rows(), *ARGUMENTS)
    zeros = np.zeros(3, np.int64)
    assert Kernel(nothing.__wrapped__, releases=True)(zeros) is None
    assert zeros[0] == 7


def test_arrays_of_other_layouts_are_told_apart(library: Path) -> None:
    """What is one type for numba is one layout: an array of one row is in both orders."""
    carry = Kernel(told.__wrapped__, releases=False)
    assert carry(rows(), TABLE[:1], *ARGUMENTS[1:]) == told(rows(), TABLE[:1], *ARGUMENTS[1:])
    for other in (TABLE.astype(np.int32), np.asfortranarray(TABLE)):
        with pytest.raises(NotImplementedError, match="told` was compiled for other arguments"):
            carry(rows(), other, *ARGUMENTS[1:])


def test_a_library_that_does_not_fit(library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = json.loads((library / "kernels.json").read_text())
    monkeypatch.setattr(carried, "LIBRARY", library / "kernels.so")
    monkeypatch.setattr(carried, "INDEX", tmp_path / "kernels.json")
    monkeypatch.setattr(carried, "instructions", lambda: "sse4_2 ssse3")
    for change, reason in (
        ({"sources": "00"}, "have changed"),
        ({"instructions": ["popcnt", "ssse3"]}, "this processor has no popcnt"),
    ):
        carried.INDEX.write_text(json.dumps(facts | change))
        with pytest.raises(ValueError, match=reason):
            carried.Library()
        assert LIBRARY_HERE() is None
        with monkeypatch.context() as alone:
            alone.setattr(carried, "find_spec", lambda _name: None)
            with pytest.raises(UsageError, match=f"{reason}.*pip install 'budge.kernels.'"):
                LIBRARY_HERE()


WITHOUT_NUMBA = """
import sys
from importlib import metadata
sys.modules["numba"] = None
version = metadata.version
def missing(name):
    if name == "numba":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = missing
import budge
from budge.runtime import carried
carried.INDEX = carried.INDEX.with_name("nothing")
print(*(budge.solve(name, engine).status.value for name, engine in {runs!r}))
"""


def test_plain_search_needs_neither_numba_nor_kernels() -> None:
    runs = [("bird-1", "plain"), ("eight-31-a", "plain"), ("wolf-goat-cabbage", "plain"), ("bird-1", "auto")]
    code = WITHOUT_NUMBA.format(runs=runs)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["optimal"] * len(runs), "")


def test_kernels_load_no_scipy() -> None:
    """Its OpenBLAS asks for memory without end where there is none, and it takes as long to load as all else."""
    code = "import sys, budge; budge.solve('bird-1', 'astar'); print('scipy.linalg' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
