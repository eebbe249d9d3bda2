"""The library of kernels is named by the sources that it is made of, and kept where it can be written."""

from __future__ import annotations

import ast
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


def test_files_of_constants_that_kernels_have_are_named() -> None:
    """Constants are compiled into machine code: where they stand counts, and `CONSTANTS` names those files."""
    sources, elsewhere = kernel_files.sources(), set[tuple[str, Path]]()
    for file in sources:
        tree, origins = ast.parse(file.read_text()), dict[str, Path]()
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.level:
                base = file.parents[statement.level - 1].joinpath(*filter(None, (statement.module or "").split(".")))
                for name in statement.names:
                    module = base / name.name
                    origins[name.asname or name.name] = module if module.with_suffix(".py").is_file() else base
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(one) for one in node.decorator_list):
                local = {
                    one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                }
                local |= {each.arg for each in node.args.args}
                used = {one.id for body in node.body for one in ast.walk(body) if isinstance(one, ast.Name)} - local
                elsewhere |= {(name, origins[name].with_suffix(".py")) for name in used if name in origins}
    types = {"Bytes", "Flags", "Int", "Ints", "Longs", "Shorts", "Words"}
    assert {file for name, file in elsewhere if name not in types} <= sources


def test_code_in_a_place_that_cannot_be_written_to_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has comes from there; only what is new is written elsewhere."""
    package, user = tmp_path / "package", tmp_path / "user"
    monkeypatch.setattr(kernel_files, "places", lambda: iter([package, user]))
    kernel_files.write("kernels-library-1-2/known", b"of the administrator")
    monkeypatch.setattr("os.access", lambda folder, _mode: folder == user)
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
