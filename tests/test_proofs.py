"""The checker of certificates by itself: it stands alone, its rules are Budge's, its clauses are true of every play."""

from __future__ import annotations

import ast
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import budge
import pytest
from budge.models.library import load, shipped
from budge.proofs.check import exhausted, formula_of
from budge.proofs.core.formula import Clause
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.formula import SequentialFormula
from budge.proofs.manifest import less, write
from budge.proofs.pieces import PiecePuzzle
from budge.proofs.puzzles import puzzle_of
from budge.proofs.reading import Cost
from budge.proofs.sliding import SlidingGame
from budge.workflows.same_puzzle import canonical, difference
from pysat.solvers import Solver

from .certificates import BLOCKS, BOXES, HEAD, RUSH, STUCK, TILES, certificate, written

PROOFS = Path(budge.__file__).parent / "proofs"
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
    write(tmp_path / "one", certificate(RUSH, "steps", "refutation"), "a test")
    write(tmp_path / "two", certificate(BOXES, "pushes", "exhaustion"), "a test")
    blocked = "import sys; sys.modules.update(dict.fromkeys(['budge', 'numpy', 'numba', 'ortools']))\n"
    code = blocked + "import runpy; sys.argv = ['proofs', 'one', 'two']; runpy.run_path('proofs', run_name='__main__')"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert " pushes is the optimum" in run.stdout


# The rules are Budge's


@pytest.mark.parametrize("name", shipped())
def test_it_reads_every_shipped_puzzle_as_budge_does(name: str) -> None:
    assert difference(canonical(load(name)), Limits(), load(name)) is None


LONG = 3.0
"""Seconds of processor time that the checker may take for each claim of the library, and again to find the optimum."""
QUICK = ("bird-2", "level-01", "eight-20", "five-21", "microban-001", "microban-011", "unsolvable-lane", "simplicity")


def processor_time(seconds: float) -> Limits:
    """Limits that do not depend on what else the machine does."""
    until = time.process_time() + seconds
    return Limits(None, 4096, lambda: "time" if time.process_time() > until else None)


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
            below = exhausted(read, metric, None if cost is None else less(cost), processor_time(seconds))
            assert below.goal is None, (name, metric)
            decided += 1
            if cost is not None:
                assert exhausted(read, metric, cost, processor_time(seconds)).goal == cost, (name, metric)
        except Unsupported:
            continue
    return decided


@pytest.mark.parametrize("name", QUICK)
def test_exhaustion_finds_the_known_optimum(name: str) -> None:
    assert agrees(name, 30) > 0


@pytest.mark.slow
def test_exhaustion_finds_the_known_optima_of_the_library() -> None:
    assert sum(agrees(name, LONG) for name in shipped()) > 440  # of 493 claims


# The clauses are true of every play


def play(
    board: PiecePuzzle, formula: SequentialFormula, count: str, random_: random.Random, steps: int
) -> list[tuple[int, int]]:
    """A random legal play, by the moves of exhaustion, as pairs of places."""
    game = SlidingGame(board, count, Limits())
    position, plan = game.start, []
    for _ in range(steps):
        after = random_.choice(list(game.successors(position)))
        (start,), (end,) = set(position) - set(after), set(after) - set(position)
        plan.append((start, end))
        position = after
    return plan


def satisfied(clauses: list[Clause], true: set[int]) -> Clause | None:
    """The first clause that is not satisfied."""
    return next((c for c in clauses if not any((x in true) if x > 0 else (-x not in true) for x in c)), None)


PLAYED = [
    ("bird-1", "slides"),
    ("servais-93", "steps"),
    ("heng-dao-li-ma", "steps"),
    ("klotski-gate", "slides"),
    ("equal-tiles", "moves"),
    ("unsolvable-lane", "slides"),
    ("entanglement", "slides"),
    ("entanglement", "moves"),
    ("heng-dao-li-ma", "moves"),
]


@pytest.mark.parametrize(("name", "metric"), PLAYED)
def test_random_plays_satisfy_every_clause_but_the_goal(name: str, metric: str) -> None:
    board, random_ = puzzle_of(load(name).to_yaml()), random.Random(name)
    assert isinstance(board, PiecePuzzle)
    formula = formula_of(board, metric, 12, Limits())
    assert isinstance(formula, SequentialFormula)
    goal = len(board.wishes)
    clauses = list(formula.clauses())[:-goal]
    for steps in (0, 1, 5, 12, 12):
        plan = play(board, formula, metric, random_, steps)
        assert satisfied(clauses, formula.model(plan)) is None


TWINS = written(HEAD + "family: sliding-block\nboard: |2\n  aa.\n  b.c\n  b.c\ngoal: |2\n  ..c\n  ..c\n  ...\n")
SOLDIERS = written(HEAD + "family: sliding-block\nboard: |2\n  xy.\n  Ab#\ngoal: |2\n  .A.\n  ..#\n")
ONE_WAY = HEAD + "family: sliding-block\nboard: |2\n  ..A\n  .b.\ngoal: |2\n  A..\n  ...\ndirections: {A: left}\n"
ONE_WAY = written(ONE_WAY)
TINY = [
    (RUSH, "steps"),
    (RUSH, "slides"),
    (TILES, "moves"),
    (BLOCKS, "steps"),
    (BLOCKS, "moves"),
    (TWINS, "moves"),
    (SOLDIERS, "moves"),
    (ONE_WAY, "moves"),
    (ONE_WAY, "slides"),
    (STUCK, "slides"),
]


@pytest.mark.parametrize(("text", "metric"), TINY)
def test_models_without_the_goal_are_the_walks(text: str, metric: str) -> None:
    """On tiny boards: as many models, projected to moves, as walks of at most so many moves."""
    board, steps = puzzle_of(text), 3
    assert isinstance(board, PiecePuzzle)
    formula = formula_of(board, metric, steps, Limits())
    assert isinstance(formula, SequentialFormula)
    clauses = list(formula.clauses())[: -len(board.wishes)]
    moves = [x + t * formula.stride for t in range(steps) for x in (*formula.begins, *formula.ends)]
    found = 0
    with Solver("cadical153", bootstrap_with=[list(c) for c in clauses]) as solver:
        while solver.solve():
            model = set(solver.get_model())
            found += 1
            solver.add_clause([-x if x in model else x for x in moves])
    game = SlidingGame(board, metric, Limits())
    layer, walks = [game.start], 1
    for _ in range(steps):
        layer = [after for position in layer for after in game.successors(position)]
        walks += len(layer)
    assert found == walks


@pytest.mark.parametrize(("text", "metric"), TINY[:-1])
def test_the_clauses_are_satisfiable_from_the_optimum_on(text: str, metric: str) -> None:
    board = puzzle_of(text)
    goal = exhausted(board, metric, None, Limits()).goal
    assert goal is not None
    (optimum,) = goal
    for at_most, wanted in ((optimum - 1, False), (optimum, True), (optimum + 1, True)):
        clauses = formula_of(board, metric, at_most, Limits()).clauses()
        with Solver("cadical153", bootstrap_with=[list(c) for c in clauses]) as solver:
            assert solver.solve() is wanted


BOTH = [
    ("bird-1", "slides"),
    ("bird-2", "slides"),
    ("level-01", "steps"),
    ("eight-20", "moves"),
    ("simplicity", "steps"),
    ("simplicity", "moves"),
]


@pytest.mark.parametrize(("name", "metric"), BOTH)
def test_refutation_and_exhaustion_agree(name: str, metric: str) -> None:
    refutes_as_expected(name, metric)


@pytest.mark.slow
def test_refutation_and_exhaustion_agree_on_the_library() -> None:
    """On every board of pieces with an optimum of at most 20 that exhaustion decides in moments."""
    seen = 0
    for name in shipped():
        expect = load(name).header.expect.costs
        for metric in set(expect) & {"steps", "slides", "moves"}:
            if expect[metric][0] <= 20 and "sokoban" not in name:
                seen += refutes_as_expected(name, metric)
    assert seen > 20


def refutes_as_expected(name: str, metric: str) -> bool:
    """Hold the clauses at the optimum, and one below, against exhaustion. False if that is too much."""
    read, (cost,) = puzzle_of(load(name).to_yaml()), load(name).header.expect.costs[metric]
    try:
        assert exhausted(read, metric, (cost - 1,), Limits()).goal is None
        formulas = [formula_of(read, metric, at_most, Limits(mebibytes=1024)) for at_most in (cost - 1, cost)]
        clauses = [list(formula.clauses()) for formula in formulas]
    except Unsupported:
        return False
    for listed, wanted in zip(clauses, (False, True), strict=True):
        with Solver("cadical153", bootstrap_with=[list(c) for c in listed]) as solver:
            assert solver.solve() is wanted, (name, metric)
    return True
