"""Adding a heuristic: a file comes into a copy of the package, and nothing else is touched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from .test_template_engine import copy, run

__all__ = ["copy"]  # the fixture


def test_the_template_under_another_name_is_a_heuristic(copy: Path) -> None:
    folder = copy / "analysis" / "heuristics"
    shutil.copy(folder / "_template.py", folder / "unmet_goals.py")
    assert "unmet-goals" in run(copy, "solve", "--help")

    by = {}
    for without in ("patterns,matching", "patterns,matching,unmet-goals"):
        *events, result = map(
            json.loads,
            run(copy, "solve", "board.yaml", "--engine", "astar", "--without", without, "--json").splitlines(),
        )
        assert (result["status"], result["cost"], result["lower_bound"]) == ("optimal", 3, 3)
        by[without] = " ".join(str(event) for event in (*events, result))
    assert "A* (unmet goals)" in by["patterns,matching"]
    assert "A* (no bound)" in by["patterns,matching,unmet-goals"]
