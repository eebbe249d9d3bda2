"""The pages about the Python API do what they show: docs/api.md, the notebook, and README's ten lines."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

import budge
import pytest

from ..helpers.notebook_cells import run_cell

ROOT = Path(__file__).resolve().parents[2]


def reference() -> str:
    return (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def test_the_examples_of_the_reference() -> None:
    pytest.importorskip("pandas")
    blocks = re.findall(r"^```pycon\n(.*?)^```", reference(), re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "api.md", "docs/api.md", 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=told.append)
    assert tried > 25
    assert not failed, "".join(told)


def test_the_reference_names_everything_public() -> None:
    text = reference()
    functions = [name for name in budge.__all__ if name.islower()]
    assert [name for name in functions if name not in text] == []


def test_the_notebook_runs_and_keeps_no_output() -> None:
    pytest.importorskip("pandas")
    notebook = json.loads((ROOT / "docs" / "budge.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {}
    shown: list[object] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            shown.append(run_cell("".join(cell["source"]), names))
    assert isinstance(shown[0], budge.Puzzle)
    assert [value.cost for value in shown if isinstance(value, budge.Solution)] == [10, 2, (8, 33)]
    assert sum(getattr(value, "_repr_html_", lambda: None)() is not None for value in shown) >= 8


def test_the_ten_lines_of_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(block.splitlines()) <= 12
    names: dict[str, Any] = {}
    exec(compile(block, "README.md", "exec"), names)
    assert names["solution"].cost == 10
