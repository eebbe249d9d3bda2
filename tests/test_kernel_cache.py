"""Compiled kernels are kept apart by the sources that they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budge.runtime import cache_places, kernel_cache
from budge.runtime.cache_places import PACKAGE
from budge.runtime.kernel_cache import PREFIX, fingerprint, sources

PROGRAM = """
import numba
before = numba.config.CACHE_DIR
from budge.runtime import cache_places, kernel_cache
if {locked}:
    cache_places.PACKAGE = cache_places.Path("/proc/none")
from budge.runtime.bitops import hash_row
import numpy as np
print(kernel_cache.folder(hash_row.py_func.__code__.co_filename))
hashed = hash_row(np.zeros(1, np.uint64))
print(not hash_row.stats.cache_hits)
print(hashed, numba.config.CACHE_DIR == before)
"""


def run(locked: bool = False, **environment: str) -> tuple[str, bool]:
    """The folder that a fresh process uses, and whether it had to compile."""
    names = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    env = {key: value for key, value in os.environ.items() if key not in names} | environment
    command = [sys.executable, "-c", PROGRAM.format(locked=locked)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    folder, compiled, result = done.stdout.splitlines()
    assert result.endswith(" True")
    return folder, compiled == "True"


BITOPS = PREFIX + "runtime.bitops-"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package's sources."""
    for part in ("models", "runtime", "analysis", "engines"):
        shutil.copytree(PACKAGE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def changes(package: Path, kernels: str, edited: str) -> bool:
    """Whether the kernels of a module are compiled anew after an edit of a file."""

    def now() -> str:
        kernel_cache._text.cache_clear()
        kernel_cache._imports.cache_clear()
        return fingerprint(package / kernels)

    before, source = now(), package / edited
    source.write_text(source.read_text() + "\n")
    return now() != before


FIXPOINT, STATES = "analysis/hm/fixpoint.py", "engines/search/states/kernels.py"


@pytest.mark.parametrize(
    ("kernels", "edited"),
    [
        (FIXPOINT, FIXPOINT),
        (FIXPOINT, "analysis/hm/kept_facts.py"),  # what is called,
        (FIXPOINT, "runtime/bitops.py"),  # also through others,
        (FIXPOINT, "analysis/hm/operator_arrays.py"),  # a constant, and a named tuple
        (STATES, "analysis/bitset_kernels.py"),
        (STATES, "analysis/bitset_task.py"),
    ],
)
def test_what_kernels_are_made_of_counts(package: Path, kernels: str, edited: str) -> None:
    assert fingerprint(package / kernels) == fingerprint(PACKAGE / kernels)
    assert changes(package, kernels, edited)


@pytest.mark.parametrize(
    ("kernels", "edited"),
    [
        (FIXPOINT, "analysis/matching.py"),  # other kernels
        (FIXPOINT, "analysis/hm/tables.py"),  # what calls them
        (FIXPOINT, "models/task.py"),  # what no kernel sees
        ("runtime/bitops.py", FIXPOINT),
        (STATES, FIXPOINT),
    ],
)
def test_nothing_else_counts(package: Path, kernels: str, edited: str) -> None:
    assert not changes(package, kernels, edited)


def test_imports_are_found_however_they_are_written(tmp_path: Path) -> None:
    texts = {
        "a.py": "from .room import (\n b,\n c,\n)\nfrom . import d\nfrom .e import x\nfrom .f import LIMIT\nnjit",
        "room/__init__.py": "",
        "room/b.py": "from ..g import h as i\nclass B(NamedTuple): ...",
        "room/c.py": "njit",
        "d.py": "",
        "e.py": "x = 1",
        "f.py": "from .g import h\nLIMIT = 1",
        "g.py": "njit",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {str(path.relative_to(tmp_path)) for path in sources(tmp_path / "a.py")}
    assert found == {"a.py", "room/b.py", "room/c.py", "d.py", "f.py", "g.py"}


def test_the_users_folder_is_respected_and_used_again(tmp_path: Path) -> None:
    folder, compiled = run(NUMBA_CACHE_DIR=str(tmp_path))
    assert Path(folder) == tmp_path / (BITOPS + fingerprint(PACKAGE / "runtime" / "bitops.py"))
    assert compiled
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == (folder, False)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that even root cannot write to")
def test_a_package_that_cannot_be_written_to(tmp_path: Path) -> None:
    folder, compiled = run(locked=True, XDG_CACHE_HOME=str(tmp_path))
    assert Path(folder).parent == tmp_path / "budge"
    assert compiled
    assert run(locked=True, XDG_CACHE_HOME=str(tmp_path)) == (folder, False)
    assert run(locked=True, XDG_CACHE_HOME="/proc/none") == ("", True)


def test_former_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the same module's former sources, and those of versions that had one folder for all."""
    monkeypatch.setattr(cache_places, "PACKAGE", tmp_path)
    names = "0123", "a.b-0123", "a.b-4567", "a.bc-0123"
    whole, old, new, other = (tmp_path / "__pycache__" / (PREFIX + name) for name in names)
    for place in (whole, other, old, new):
        assert kernel_cache._usable(place)
    assert [place.exists() for place in (whole, other, old, new)] == [False, True, False, True]
    assert kernel_cache._usable(new)
