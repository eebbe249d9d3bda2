"""The notebooks of the tutorial run, their exercises are asked for as long as they are open, and can be solved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..helpers.notebook_cells import run_cell
from ..helpers.tutorial_solutions import SOLUTIONS

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorial"
NOTEBOOKS = sorted(TUTORIAL.glob("*.ipynb"))


def cells(notebook: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in found if cell["cell_type"] == "code"]


def run(notebook: Path, solutions: list[str]) -> None:
    """Run all cells of a notebook, those with exercises as they are, or with these solutions."""
    names: dict[str, Any] = {"__name__": "notebook"}
    left = iter(solutions)
    for cell in cells(notebook):
        assert (cell["outputs"], cell["execution_count"]) == ([], None)
        run_cell("".join(cell["source"]), names)
        if "exercise" in cell["metadata"].get("tags", ()) and solutions:
            run_cell(next(left), names)
    assert next(left, None) is None


@pytest.mark.weekly
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("solved", [False, True], ids=["open", "solved"])
def test_notebooks_run(
    notebook: Path, solved: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas")
    monkeypatch.syspath_prepend(str(TUTORIAL))
    solutions = SOLUTIONS[notebook.stem]
    run(notebook, solutions if solved else [])
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("Right: ", "Not yet: "))]
    assert len(told) == len(solutions)
    assert all(line.startswith("Right: " if solved else "Not yet: ") for line in told), told


def test_there_are_five() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SOLUTIONS)
    assert len(NOTEBOOKS) == 5
