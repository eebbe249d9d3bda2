"""The scripts of pages: their types are right, as far as `deno check` can tell."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(file for room in ("views", "studio") for file in (ROOT / room / "web").glob("*.js"))
DENO = shutil.which("deno") or shutil.which("deno", path=str(Path(sys.executable).parent))


def test_types() -> None:
    if DENO is None:
        pytest.skip("deno is not installed: `pip install deno`")
    command = [DENO, "check", "--config", str(ROOT / "deno.json"), *map(str, SCRIPTS)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}, check=False)
    assert done.returncode == 0, done.stderr
