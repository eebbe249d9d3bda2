"""Compiled kernels are kept apart by the sources that they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budge.runtime import kernel_cache
from budge.runtime.kernel_cache import PACKAGE, PREFIX, fingerprint

PROGRAM = """
import numba
before = numba.config.CACHE_DIR
from budge.runtime import kernel_cache
if {locked}:
    kernel_cache.PACKAGE = kernel_cache.Path("/proc/none")
from budge.runtime.bitops import hash_row
from budge.runtime.warmup import compiling
import numpy as np
print(kernel_cache.folder())
print(compiling(hash_row))
print(hash_row(np.zeros(1, np.uint64)), numba.config.CACHE_DIR == before)
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


def test_another_source_is_another_folder(tmp_path: Path) -> None:
    """What is called counts, and so do the tuples that kernels take; code without either does not."""
    for part in kernel_cache.FOLDERS:
        shutil.copytree(PACKAGE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    same = fingerprint(tmp_path)
    assert same == fingerprint(PACKAGE)
    (tmp_path / "engines" / "search" / "plain.py").write_text("ONE = 1\n")
    assert fingerprint(tmp_path) == same
    for name in ("runtime/bitops", "analysis/bitset_task", "analysis/movable_objects"):
        source = tmp_path / f"{name}.py"
        before = fingerprint(tmp_path)
        source.write_text(source.read_text() + "\n")
        assert fingerprint(tmp_path) != before


def test_the_users_folder_is_respected_and_used_again(tmp_path: Path) -> None:
    folder, compiled = run(NUMBA_CACHE_DIR=str(tmp_path))
    assert Path(folder) == tmp_path / (PREFIX + fingerprint(PACKAGE))
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
    monkeypatch.setattr(kernel_cache, "PACKAGE", tmp_path)
    old, new = (tmp_path / "__pycache__" / (PREFIX + name) for name in ("old", "new"))
    assert kernel_cache._usable(old)
    assert kernel_cache._usable(new)
    assert (old.exists(), new.exists()) == (False, True)
    assert kernel_cache._usable(new)
