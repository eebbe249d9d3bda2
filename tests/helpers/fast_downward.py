"""Fast Downward, run on an exported task."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .patience import PATIENCE


def fast_downward(domain: str, problem: str, folder: Path, search: str) -> int | None:
    """The cost of Fast Downward's optimal plan, which is in the file `plan`; None if it says that there is none."""
    spec = importlib.util.find_spec("up_fast_downward")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("up-fast-downward is not installed")
    script = Path(spec.submodule_search_locations[0]) / "downward" / "fast-downward.py"
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)
    command = [sys.executable, str(script), "--plan-file", "plan", "domain.pddl", "problem.pddl", "--search", search]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    found = re.search(r"Plan cost: (\d+)", ran.stdout)
    if found:
        return int(found[1])
    assert ran.returncode in (11, 12), ran.stdout + ran.stderr  # unsolvable
    return None
