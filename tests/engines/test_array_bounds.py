"""No kernel reads or writes beside an array. Numba checks indices only if it is told to, when a process begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from budge.engines.table import ENGINES

from ..helpers.patience import PATIENCE

pytestmark = pytest.mark.slow

SAMPLES = {
    "bird": ["bird-1", "uva-12x12"],
    "fess": ["microban-001", "microban-099", "microban-155", "xsokoban-01", "xsokoban-38", "xsokoban-78"],
}
"""What engines of one family solve; all others solve `OF_ALL`."""

OF_ALL = ["bird-1", "yong-chuang-wu-guan", "eight-31-a", "microban-001", "xsokoban-01", "hanoi-8", "lights-out"]

CODE = """
import sys

from budge import Budget, load
from budge.workflows.solving import solve

name, metrics, *puzzles = sys.argv[1:]
for puzzle in puzzles:
    loaded = load(puzzle)
    for metric in loaded.metrics if metrics == "all" else [None]:
        print(puzzle, metric, solve(loaded, name, metric, Budget(seconds=5)).status.value, flush=True)
"""


@pytest.mark.parametrize("name", [name for name in ENGINES if name != "auto"])
def test_indices_are_inside(name: str, tmp_path: Path) -> None:
    settings = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", CODE, name, "all" if name not in SAMPLES else "one", *SAMPLES.get(name, OF_ALL)]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout
