"""Adding and removing an engine: a folder comes or goes, in a copy of the package, and nothing else is touched."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..helpers.template_copy import copy, run

__all__ = ["copy"]  # the fixture

TEMPLATE = Path(__file__).parent.parent / "helpers" / "template_engine"


@pytest.mark.weekly
def test_the_template_under_another_name_is_an_engine(copy: Path) -> None:
    folder = Path(shutil.copytree(TEMPLATE, copy / "engines" / "mine"))
    record = folder / "__init__.py"
    record.write_text(record.read_text().replace('"template"', '"mine"'))

    options = ("--engine", "mine", "--steps", "reversed", "--json")
    *events, result = map(json.loads, run(copy, "solve", "board.yaml", *options).splitlines())
    assert [event["lower_bound"] for event in events if event["type"] == "bound"] == [1, 2, 3]
    assert (result["status"], result["cost"], result["lower_bound"]) == ("optimal", 3, 3)
    *rows, _ = map(json.loads, run(copy, "compare", "board.yaml", "--engines", "mine,plain", "--json").splitlines())
    assert [(row["engine"], row["status"]) for row in rows] == [("mine", "optimal"), ("plain", "optimal")]
    explained = " ".join(run(copy, "solve", "--help").split())
    assert "mine: in which order steps are tried: given, reversed (default given)" in explained
    assert "template" not in explained


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["bidirectional", "bird", "csp", "plain"])
def test_without_an_engine_the_others_work(copy: Path, name: str) -> None:
    """Of those on which no other engine is built."""
    shutil.rmtree(copy / "engines" / name)
    left = "bird" if name == "plain" else "plain"
    assert "--engine NAME" in run(copy, "solve", "--help")
    assert "cost         3 steps" in run(copy, "solve", "board.yaml", "--engine", left, "--quiet")
    assert json.loads(run(copy, "explore", "board.yaml", "--json").splitlines()[-1])["type"] == "result"
    assert "rush_hour/bird-1" in run(copy, "list")
    row, _ = map(json.loads, run(copy, "compare", "board.yaml", "--engines", left, "--json").splitlines())
    assert row["engine"] == left
    script = f"from budge.engines.table import ENGINES; assert len(ENGINES) > 9 and {name!r} not in ENGINES"
    subprocess.run([sys.executable, "-c", script], cwd=copy.parent, check=True)
