"""The checker of certificates by itself: it stands alone, its rules are Budge's, it follows proofs."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budge.models.library import load, shipped
from budge.proofs.by_rules import RULES, less
from budge.proofs.core.limits import Unsupported
from budge.proofs.core.problem import Cost
from budge.proofs.folder import write_files
from budge.proofs.games import puzzle_of
from budge.workflows.certifying import canonical

from ..helpers.board_games import visited
from ..helpers.certificates import BRIDGE, RUSH, certificate
from ..helpers.checker_process import PROOFS, processor_time
from ..helpers.two_readers import differ

ALLOWED = {"yaml"} | set(sys.stdlib_module_names)


def test_it_imports_nothing_but_the_standard_library_and_yaml() -> None:
    for path in PROOFS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                assert node.level == 1, path
            elif isinstance(node, ast.ImportFrom | ast.Import):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                assert {name.split(".")[0] for name in names} <= ALLOWED, path


def test_a_copy_of_the_folder_checks_without_budge(tmp_path: Path) -> None:
    shutil.copytree(PROOFS, tmp_path / "proofs", ignore=shutil.ignore_patterns("__pycache__"))
    write_files(tmp_path / "one", certificate(RUSH, "steps", "refutation"))
    write_files(tmp_path / "two", certificate(BRIDGE, "minutes", RULES))
    blocked = "import sys; sys.modules.update(dict.fromkeys(['budge', 'numpy', 'numba', 'ortools']))\n"
    code = blocked + "import runpy; sys.argv = ['proofs', 'one', 'two']; runpy.run_path('proofs', run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert " minutes is the optimum" in run.stdout


# The rules are Budge's


@pytest.mark.weekly
@pytest.mark.parametrize("name", shipped())
def test_it_reads_every_shipped_puzzle_as_budge_does(name: str) -> None:
    assert not differ(canonical(load(name)), load(name))


LONG = 3.0
"""Seconds of processor time that the checker may take for each claim of the library, and again to find the optimum."""
QUICK = ("bird-2", "level-01", "eight-10", "five-21", "microban-001", "microban-011", "unsolvable-lane", "simplicity")


def agrees(name: str, seconds: float) -> int:
    """Hold exhaustion against what the file expects, in all metrics; how many could be decided."""
    puzzle, decided = load(name), 0
    expect = puzzle.header.expect
    claims: list[tuple[str, Cost | None]] = list(expect.costs.items())
    if expect.unsolvable:
        claims = [(puzzle.header.metric, None)]
    for metric, cost in claims:
        try:
            read = puzzle_of(puzzle.to_yaml())
            below = visited(read, metric, less(cost), processor_time(seconds))
            assert below.goal is None, (name, metric)
            decided += 1
            if cost is not None:
                assert visited(read, metric, cost, processor_time(seconds)).goal == cost, (name, metric)
        except Unsupported:
            continue
    return decided


@pytest.mark.parametrize("name", QUICK)
def test_exhaustion_finds_the_known_optimum(name: str) -> None:
    assert agrees(name, 30) > 0


@pytest.mark.slow
def test_exhaustion_finds_the_known_optima_of_the_library() -> None:
    assert sum(agrees(name, LONG) for name in shipped()) > 440  # of 493 claims
