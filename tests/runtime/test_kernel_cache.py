"""Compiled kernels are kept apart by the sources that they were compiled from."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from budge.runtime import cache_places, kernel_sources, kernels
from budge.runtime.cache_places import PACKAGE
from budge.runtime.kernel_cache import PREFIX
from budge.runtime.kernel_sources import fingerprint, sources

PROGRAM = """
import sys
import numba
before = numba.config.CACHE_DIR
from budge.runtime import cache_places, kernel_cache
if sys.argv[1]:
    cache_places.PACKAGE, package = cache_places.Path(sys.argv[1]), cache_places.PACKAGE
    kernel_cache.module_name = lambda source: "runtime.bitops"
from budge.runtime.bitops import hash_row
import numpy as np
print(hash_row._cache.cache_path)
hashed = hash_row(np.zeros(1, np.uint64))
print(not hash_row.stats.cache_hits)
print(hashed, numba.config.CACHE_DIR == before)
"""


def run(package: str = "", *flags: str, **environment: str) -> tuple[str, bool]:
    """The name of the folder that a fresh process uses, and whether it had to compile. `package`: where it is."""
    names = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    env = {key: value for key, value in os.environ.items() if key not in names} | environment
    command = [sys.executable, *flags, "-c", PROGRAM, package]
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
        kernel_sources._text.cache_clear()
        kernel_sources._imports.cache_clear()
        return fingerprint(package / kernels)

    before, source = now(), package / edited
    source.write_text(source.read_text() + "\n")
    return now() != before


FIXPOINT, STATES = "analysis/hm/fixpoint.py", "engines/common/store.py"


@pytest.mark.parametrize(
    ("kernels", "edited"),
    [
        (FIXPOINT, FIXPOINT),
        (FIXPOINT, "analysis/hm/fixpoint.py"),  # what is called,
        (FIXPOINT, "runtime/bitops.py"),  # also through others,
        (FIXPOINT, "analysis/hm/tuples.py"),  # a constant, and a named tuple
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


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_the_users_folder_is_respected_and_used_again(tmp_path: Path) -> None:
    folder, compiled = run(NUMBA_CACHE_DIR=str(tmp_path))
    assert folder.startswith(BITOPS + fingerprint(PACKAGE / "runtime" / "bitops.py") + "-")
    assert compiled
    assert [path.parent for path in files(tmp_path)] == [tmp_path / folder]
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == (folder, False)


@pytest.mark.parametrize("how", ["cut", "empty", "zeros", "other"])
def test_what_is_damaged_is_compiled_again(tmp_path: Path, how: str) -> None:
    folder, _ = run(NUMBA_CACHE_DIR=str(tmp_path))
    (file,) = files(tmp_path)
    data = file.read_bytes()
    wrong = b"a pickle of another program"
    file.write_bytes(
        {
            "cut": data[: len(data) // 2],
            "empty": b"",
            "zeros": bytes(len(data)),
            "other": zlib.crc32(wrong).to_bytes(4, "little") + wrong,
        }[how]
    )
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == (folder, True)
    assert run(NUMBA_CACHE_DIR=str(tmp_path)) == (folder, False)


@pytest.mark.parametrize(
    ("flags", "environment"),
    [(("-OO",), {}), (("-O",), {}), ((), {"NUMBA_BOUNDSCHECK": "1"}), ((), {"NUMBA_OPT": "1"})],
)
def test_other_conditions_have_other_code(tmp_path: Path, flags: tuple[str, ...], environment: dict[str, str]) -> None:
    """Each is kept beside the others."""
    package = {"package": str(tmp_path), "XDG_CACHE_HOME": "/proc/none"}
    plain, _ = run(**package)
    other, compiled = run(package["package"], *flags, XDG_CACHE_HOME="/proc/none", **environment)
    assert other != plain
    assert compiled
    assert run(**package) == (plain, False)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that even root cannot write to")
def test_a_package_that_cannot_be_written_to(tmp_path: Path) -> None:
    folder, compiled = run("/proc/none", XDG_CACHE_HOME=str(tmp_path))
    assert compiled
    assert {path.parent for path in files(tmp_path)} == {tmp_path / "budge" / folder}
    assert run("/proc/none", XDG_CACHE_HOME=str(tmp_path)) == (folder, False)
    assert run("/proc/none", XDG_CACHE_HOME="/proc/none") == (folder, True)


def test_code_in_a_place_that_cannot_be_written_to_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has comes from there; only what is new is written elsewhere."""
    package, user = tmp_path / "package", tmp_path / "user"
    monkeypatch.setattr(cache_places, "places", lambda: iter([package, user]))
    cache_places.write("kernels-a.b-1-2/known", b"of the administrator")
    monkeypatch.setattr(cache_places, "writable", lambda folder: folder == user)
    user.mkdir()
    cache_places.write("kernels-a.b-1-2/new", b"of the user")
    assert [path.relative_to(tmp_path).as_posix() for path in files(tmp_path)] == [
        "package/kernels-a.b-1-2/known",
        "user/kernels-a.b-1-2/new",
    ]
    assert cache_places.read("kernels-a.b-1-2/known") == b"of the administrator"
    assert cache_places.read("kernels-a.b-1-2/new") == b"of the user"
    (package / "kernels-a.b-1-2" / "known").write_bytes(b"damaged")
    assert cache_places.read("kernels-a.b-1-2/known") is None
    cache_places.write("kernels-a.b-1-2/known", b"of the user")
    assert cache_places.read("kernels-a.b-1-2/known") == b"of the user"


def test_former_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the same module's former sources, not those for other conditions."""
    monkeypatch.setattr(cache_places, "places", lambda: iter([tmp_path]))
    names = "a.b-0123-77", "a.b-0123-88", "a.bc-0123-77", "a.b-4567-77"
    for name in names:
        cache_places.write(f"{PREFIX}{name}/code", b"")
        (tmp_path / (PREFIX + name)).mkdir(exist_ok=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [PREFIX + "a.b-4567-77", PREFIX + "a.bc-0123-77"]


def test_the_library_is_made_again_where_a_constant_of_kernels_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The codes of a program's instructions are constants of a file without kernels."""
    before = kernels.sources.__wrapped__()
    changed = PACKAGE / "models" / "program.py"
    text_of = kernel_sources._text
    monkeypatch.setattr(kernel_sources, "_text", lambda file: text_of(file) + b"#" * (file == changed))
    assert kernels.sources.__wrapped__() != before
