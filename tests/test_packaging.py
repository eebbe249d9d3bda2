"""What is installed is what is in the repository."""

from __future__ import annotations

import tomllib
from pathlib import Path

import budge

ROOT = Path(budge.__file__).parent
NOT_INSTALLED = {"tests", "benchmarks", "docs", "build"}


def test_every_folder_with_code_is_a_package_of_the_distribution() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folders = {path.parent.relative_to(ROOT) for path in ROOT.rglob("__init__.py")}
    ours = {folder for folder in folders if not (folder.parts and folder.parts[0] in NOT_INSTALLED | {".venv"})}
    assert {".".join(("budge", *folder.parts)) for folder in ours} == set(settings["tool"]["setuptools"]["packages"])
