"""What is installed is what is in the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import budge
import pytest

ROOT = Path(budge.__file__).parent
NOT_INSTALLED = {"tests", "benchmarks", "docs", "build"}


def test_every_folder_with_code_is_a_package_of_the_distribution() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = {path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py")}
    ours = {folder for folder in folders if not (folder.parts and folder.parts[0] in NOT_INSTALLED | {".venv"})}
    assert {".".join(("budge", *folder.parts)) for folder in ours} == set(settings["tool"]["setuptools"]["packages"])


@pytest.mark.slow
def test_a_wheel_has_nothing_of_earlier_builds(tmp_path: Path) -> None:
    """`build/lib` of an earlier release does not get into a wheel, and none is left behind (needs the network)."""
    source = tmp_path / "budge"
    skipped = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests", "benchmarks")
    shutil.copytree(ROOT, source, ignore=skipped)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(source)]
    subprocess.run(build, check=True)
    assert not (source / "build").exists()
    (source / "build" / "lib" / "budge").mkdir(parents=True)
    (source / "build" / "lib" / "budge" / "stale.py").touch()
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"budge/cli.py", "budge/puzzles/budge.schema.json", "budge/puzzles/rush_hour/bird-1.yaml"} <= names
    assert not {"budge/stale.py", "budge/setup.py"} & names
