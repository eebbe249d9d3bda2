"""Adding a heuristic: a file comes into a copy of the package, and nothing else is touched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..helpers.template_copy import copy, run

LEVEL = "format: 1\nfamily: sokoban\nmetric: pushes\nmap: |\n  #######\n  #@$ . #\n  # $ . #\n  #     #\n  #######\n"

__all__ = ["copy"]  # the fixture


def taken(copy: Path) -> None:
    """Take the template as a heuristic."""
    template = Path(__file__).parent.parent / "helpers" / "template_heuristic.py"
    shutil.copy(template, copy / "analysis" / "heuristics" / "unmet_goals.py")


def test_the_template_under_another_name_is_found(copy: Path) -> None:
    taken(copy)
    assert "unmet-goals" in "".join(run(copy, "solve", "--help").split())  # a line may end within it


@pytest.mark.slow  # all kernels are compiled, as there is one more
def test_the_template_under_another_name_is_a_heuristic(copy: Path) -> None:
    taken(copy)
    root = "from budge import load; from budge.analysis.plan_invariants import root_bounds; "
    root += "print(*(by for _, by in root_bounds(load('board.yaml').task('steps'))), sep=',')"
    ran = subprocess.run([sys.executable, "-c", root], cwd=copy.parent, capture_output=True, text=True, check=True)
    assert "unmet goals" in ran.stdout.split(",")  # what every engine reports before it searches

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


@pytest.mark.slow  # all kernels are compiled, as there are fewer
def test_without_the_files_of_heuristics_the_engines_work(copy: Path) -> None:
    """A* asks for tables that it fills by their kind, and does without them where no heuristic has them."""
    (copy.parent / "level.yaml").write_text(LEVEL)
    for name in ("conflicts", "walks"):
        (copy / "analysis" / "heuristics" / f"{name}.py").unlink()
    assert "walks" not in run(copy, "solve", "--help").split("--without")[1].split("--")[0]
    result = json.loads(run(copy, "solve", "level.yaml", "--engine", "astar", "--json").splitlines()[-1])
    assert (result["status"], result["cost"]) == ("optimal", 4)
