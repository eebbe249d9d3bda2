"""What is installed is what is in the repository."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import budge
import pytest

ROOT = Path(budge.__file__).parent
NOT_INSTALLED = {"tests", "benchmarks", "docs", "build"}
CHECK = runpy.run_path(str(ROOT / ".ci" / "try_wheel.py"))


def test_every_folder_with_code_is_a_package_of_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, list[str]] = {}
    monkeypatch.setattr("setuptools.setup", given.update)
    runpy.run_path(str(ROOT / "setup.py"))
    folders = {path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py")}
    ours = {folder for folder in folders if not (folder.parts and folder.parts[0] in NOT_INSTALLED | {".venv"})}
    assert {".".join(("budge", *folder.parts)) for folder in ours} == set(given["packages"])


def build(source: Path, folder: Path) -> Path:
    """The wheel of a copy of the repository (needs the network)."""
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    subprocess.run(pip, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the repository as it is installed."""
    skipped = shutil.ignore_patterns(
        ".*", "build", "*.egg-info", "__pycache__", "tests", "benchmarks", "kernels.so", "kernels.json"
    )
    return shutil.copytree(ROOT, tmp_path / "budge", ignore=skipped)


@pytest.mark.slow
def test_a_wheel_has_nothing_of_earlier_builds(source: Path, tmp_path: Path) -> None:
    """`build/lib` of an earlier release does not get into a wheel, and none is left behind."""
    build(source, tmp_path)
    assert not (source / "build").exists()
    (source / "build" / "lib" / "budge").mkdir(parents=True)
    (source / "build" / "lib" / "budge" / "stale.py").touch()
    names = zipfile.ZipFile(build(source, tmp_path)).namelist()
    assert CHECK["problems"](names) == []
    assert "budge/stale.py" not in names


def test_what_must_and_must_not_be_in_a_wheel_is_noticed() -> None:
    inside = [f"budge/{name}" for name in CHECK["MUST"]]
    assert CHECK["problems"]([*inside, "budge-0.1.0.dist-info/METADATA"]) == []
    wrong = [
        "budge/setup.py",
        "budge/tests/test_bfs.py",
        "budge/views/__pycache__/text.pyc",
        "tests/__init__.py",
    ]
    assert len(CHECK["problems"]([*inside[1:], *wrong])) == len(wrong) + 1
    files = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()]
    assert set(CHECK["MUST"]) <= set(files)


def test_on_the_package_index_links_lead_to_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    readme = runpy.run_path(str(ROOT / "setup.py"))["readme"]
    text = "![it moves](docs/a.gif) | [two](docs/b.md#c), [here](#d), [there](https://e.f)"
    assert readme(text, "", "1.2") == text
    assert readme(text, "R", "1.2") == (
        "![it moves](R/raw/v1.2/docs/a.gif) | [two](R/blob/v1.2/docs/b.md#c), [here](#d), [there](https://e.f)"
    )


@pytest.mark.slow
def test_a_wheel_with_kernels_that_fit_is_for_one_platform_and_needs_no_numba(source: Path, tmp_path: Path) -> None:
    pure = build(source, tmp_path / "pure")
    for name in ("kernels.so", "kernels.json"):
        (source / "runtime" / name).touch()
    carrying = build(source, tmp_path / "carrying")
    assert pure.name.endswith("-py3-none-any.whl")
    assert "-py3-none-" in carrying.name
    assert not carrying.name.endswith("-any.whl")
    edited = source / "runtime" / "bitops.py"
    os.utime(edited, (edited.stat().st_atime, time.time() + 60))
    stale = build(source, tmp_path / "stale")
    for wheel, needed in ((pure, True), (carrying, False), (stale, True)):
        opened = zipfile.ZipFile(wheel)
        (metadata,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        required = [line for line in opened.read(metadata).decode().splitlines() if line.startswith("Requires-Dist")]
        assert any("numba" in line and "extra" not in line for line in required) is needed
        assert ("budge/runtime/kernels.so" in opened.namelist()) is not needed


KEEPING = """
from budge.runtime import kernel_files
kernel_files.write("kernels-library-0-0/code", b"compiled")
assert kernel_files.read("kernels-library-0-0/code") == b"compiled"
print(kernel_files.place())
"""


@pytest.mark.slow
def test_uninstalling_leaves_no_folder_of_the_package(source: Path, tmp_path: Path) -> None:
    """A folder `budge` with nothing but compiled code would hide a checkout that is installed next."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", str(build(source, tmp_path))], check=True)
    clean = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    keep = [str(python), "-c", KEEPING]
    done = subprocess.run(keep, cwd=tmp_path / "environment", env=clean, capture_output=True, text=True, check=True)
    assert Path(done.stdout.strip()).is_relative_to(environment)
    subprocess.run([*pip, "uninstall", "--quiet", "--yes", "budge"], check=True)
    assert not list(environment.glob("**/site-packages/budge"))


PROGRAM = """
import budge
solution = budge.solve("bird-1", engine="cp-sat", time_limit=10)
reveal_type(solution)
reveal_type(budge.verify("bird-1", claim=24).verdict)
solution.cost + 1
budge.solve("bird-1", stategy="linear")
budge.solve("bird-1", time_limit=[])
budge.solv("bird-1")
"""


@pytest.mark.slow
def test_mypy_finds_the_types_after_a_plain_install(source: Path, tmp_path: Path) -> None:
    environment, program = tmp_path / "environment", tmp_path / "program" / "uses_budge.py"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*install, str(build(source, tmp_path))], check=True)
    program.parent.mkdir()
    program.write_text(PROGRAM)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", str(python), program.name]
    clean = {name: value for name, value in os.environ.items() if name not in ("MYPYPATH", "PYTHONPATH")}
    done = subprocess.run(mypy, cwd=program.parent, env=clean, capture_output=True, text=True, check=False)
    said = [line.split(": ", 2)[-1] for line in done.stdout.splitlines()]
    assert said[0] == 'Revealed type is "budge.workflows.solving.Solution"'
    assert said[1] == 'Revealed type is "budge.workflows.verdict.Verdict"'
    assert 'Unsupported operand types for + ("None" and "int")' in said[2]
    assert said[3].startswith("Left operand is of type")
    assert 'Unexpected keyword argument "stategy" for "solve"' in said[4]
    assert 'Argument "time_limit" to "solve" has incompatible type' in said[-3]
    assert 'Module has no attribute "solv"' in said[-2]
    assert len(said) == 9  # and how many errors there are


def test_an_archive_on_the_path_says_what_to_do(source: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "archive"), "zip", source.parent, source.name)
    code = f"import sys; sys.path.insert(0, {archive!r}); import budge; budge.solve('bird-1')"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=False)
    assert f"Budge cannot run inside an archive: install it (`pip install {archive}`)" in done.stderr
