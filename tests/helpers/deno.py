"""JavaScript of pages, run without a browser by deno (PyPI package `deno`, a dev dependency)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import budge
import pytest

WEB = Path(budge.__file__).parent / "views" / "web"
FOUND = shutil.which("deno") or shutil.which("deno", path=str(Path(sys.executable).parent))

needs_deno = pytest.mark.skipif(FOUND is None, reason="deno runs JavaScript: pip install deno")


def run_module(name: str, data: Any, folder: Path, *words: object) -> Any:
    """What a module of `tests/helpers` tells of some data, with further words on its command line."""
    assert FOUND is not None
    (folder / "data.json").write_text(json.dumps(data), encoding="utf-8")
    module = Path(__file__).parent / name
    command = [
        FOUND,
        "run",
        "--quiet",
        f"--allow-read={WEB},{folder}",
        str(module),
        str(WEB),
        str(folder / "data.json"),
    ]
    done = subprocess.run([*command, *map(str, words)], capture_output=True, text=True, timeout=3000, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
