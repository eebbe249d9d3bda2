"""A copy of the package in which a template was taken as an engine."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import budge
import pytest

ROOT = Path(budge.__file__).parent

NOT_COPIED = shutil.ignore_patterns("tests", "docs", "benchmarks", ".*", "__pycache__", "*.egg-info", "build")

BOARD = "format: 1\nfamily: rush-hour\nmetric: steps\nboard: |\n  AAB.\n  ..B.\n  ....\n"
"""B has to go two cells down, then A can get out: three steps."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, and a board beside it."""
    (tmp_path / "board.yaml").write_text(BOARD)
    return Path(shutil.copytree(ROOT, tmp_path / "budge", ignore=NOT_COPIED))


def run(copy: Path, *arguments: str) -> str:
    """What a command of the copy prints."""
    command = [sys.executable, "-m", "budge", *arguments]
    ran = subprocess.run(command, cwd=copy.parent, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
