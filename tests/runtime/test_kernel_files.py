"""The library of kernels is named by the sources that it is made of, and kept where it can be written."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge.runtime import kernel_files
from budge.runtime.kernel_files import PACKAGE, PREFIX


@pytest.fixture
def edited(monkeypatch: pytest.MonkeyPatch) -> set[Path]:
    """Files that count as edited."""
    files: set[Path] = set()
    text_of = kernel_files._text
    monkeypatch.setattr(kernel_files, "_text", lambda file: text_of(file) + b"#" * (file in files))
    return files


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("analysis/hm/fixpoint.py", True),
        ("runtime/bitops.py", True),
        ("runtime/numba_kernels.py", True),
        ("engines/astar/kernels.py", True),
        ("models/program.py", True),  # it has no kernels: the codes of a program's instructions are constants of them
        ("models/task.py", False),  # what no kernel sees
        ("runtime/kernel_files.py", False),
        ("runtime/kernels.py", False),
        ("lab/generator.py", False),
    ],
)
def test_what_kernels_are_made_of_counts(file: str, counts: bool, edited: set[Path]) -> None:
    before = kernel_files.sources_hash.__wrapped__()
    assert (PACKAGE / file).is_file()
    edited.add(PACKAGE / file)
    assert (kernel_files.sources_hash.__wrapped__() != before) is counts


def test_imports_are_found_however_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "runtime/a.py": "from ..room import (\n b,\n c,\n)\nfrom .. import d\nfrom ..e import x\n"
        "from ..f import LIMIT\nnjit",
        "room/__init__.py": "",
        "room/b.py": "from ..g import h as i\nclass B(NamedTuple): ...",
        "room/c.py": "njit",
        "d.py": "",
        "e.py": "x = 1",
        "f.py": "from .g import h\nLIMIT = 1",
        "g.py": "njit",
        "runtime/h.py": "import os",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(kernel_files, "PACKAGE", tmp_path)
    found = {path.relative_to(tmp_path).as_posix() for path in kernel_files.sources()}
    assert found == {"runtime/a.py", "room/b.py", "room/c.py", "d.py", "f.py", "g.py"}


def test_code_in_a_place_that_cannot_be_written_to_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has comes from there; only what is new is written elsewhere."""
    package, user = tmp_path / "package", tmp_path / "user"
    monkeypatch.setattr(kernel_files, "places", lambda: iter([package, user]))
    kernel_files.write("kernels-library-1-2/known", b"of the administrator")
    monkeypatch.setattr(kernel_files, "writable", lambda folder: folder == user)
    user.mkdir()
    kernel_files.write("kernels-library-1-2/new", b"of the user")
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["package/kernels-library-1-2/known", "user/kernels-library-1-2/new"]
    assert kernel_files.read("kernels-library-1-2/known") == b"of the administrator"
    assert kernel_files.read("kernels-library-1-2/new") == b"of the user"
    (package / "kernels-library-1-2" / "known").write_bytes(b"damaged")
    assert kernel_files.read("kernels-library-1-2/known") is None
    kernel_files.write("kernels-library-1-2/known", b"of the user")
    assert kernel_files.read("kernels-library-1-2/known") == b"of the user"


def test_former_folders_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of former sources, not those of other machines, nor what is not ours."""
    monkeypatch.setattr(kernel_files, "places", lambda: iter([tmp_path]))
    (tmp_path / "another").mkdir()
    (tmp_path / f"{PREFIX}runtime.bitops-0123-77").mkdir()
    for name in ("0123-77", "0123-88", "4567-77", "4567-88"):
        kernel_files.write(f"{PREFIX}library-{name}/code", b"")
    kept = [f"{PREFIX}library-4567-77", f"{PREFIX}library-4567-88"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["another", *kept]
