"""The comparison of a problem text with the puzzle that it is said to be, and certificates by rules alone."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from budge.models.families import load_text
from budge.models.library import load
from budge.proofs.check import check_folder, compared
from budge.proofs.core.claim import OPTIMUM, UNSOLVABLE, Claim
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Invalid, Limits
from budge.proofs.core.problem import Cost, Problem, read
from budge.proofs.verdict import INVALID, VALID
from budge.runtime.budget import Budget
from budge.workflows.certifying import canonical, certify
from budge.workflows.exporting import problem_of
from budge.workflows.solving import solve

PUZZLES = [
    ("bird-1", "slides"),
    ("level-15", "steps"),
    ("dads-puzzler", "steps"),
    ("dads-puzzler", "moves"),
    ("line-4", "moves"),
    ("microban-001", "pushes"),
    ("microban-001", "pushes,moves"),
    ("microban-003", "moves"),
    ("bridge-and-torch", "minutes"),
    ("snake-5", "moves"),
]
CASES = [*PUZZLES, pytest.param("lunar-lockout-1", "moves", marks=pytest.mark.slow)]


def how(problem: Problem, text: str) -> str:
    """What the comparison says of the optimum of a problem."""
    cost = _optimum(problem)
    return compared(text, Claim(problem, OPTIMUM if cost else UNSOLVABLE, cost), Limits())[0]


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric"), [*CASES, pytest.param("eight-20", "moves", marks=pytest.mark.slow)])
def test_a_problem_is_its_puzzle(name: str, metric: str) -> None:
    puzzle = load(name)
    assert "that problem.txt is puzzle.yaml was" in how(problem_of(puzzle, metric).problem, canonical(puzzle))


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric"), CASES)
def test_a_problem_with_other_actions_is_refused(name: str, metric: str) -> None:
    puzzle = load(name)
    problem, text = problem_of(puzzle, metric).problem, canonical(puzzle)
    draw = random.Random(name)
    possible = [a for a in problem.actions if all(any(m >> problem.start[x] & 1 for x, m in c) for c in a.needs)]
    gone = draw.choice(possible)
    cheaper = replace(gone, cost=tuple(1 + part for part in gone.cost))
    rest = [action for action in problem.actions if action != gone]
    # An action that is possible at the start is left out, or costs more. Where it does not lead to the goal, the
    # optimum may be that of the puzzle all the same.
    for actions in (rest, [*rest, cheaper]):
        forged = replace(problem, actions=tuple(actions))
        try:
            said = how(forged, text)
        except Invalid:
            continue
        assert "recomputed by the rules" in said or "derived" in said
        assert _optimum(forged) == _optimum(problem)


def _optimum(problem: Problem) -> Cost | None:
    return exhaust(problem, None, [], Limits(None, None))[1]


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric"), CASES)
def test_a_problem_with_another_start_or_goal_is_refused(name: str, metric: str) -> None:
    puzzle = load(name)
    problem, text = problem_of(puzzle, metric).problem, canonical(puzzle)
    x = problem.goal[0][0][0]
    start = list(problem.start)
    start[x] = (start[x] + 1) % len(problem.domains[x])
    for forged in (replace(problem, start=tuple(start)), replace(problem, goal=())):
        try:
            said = how(forged, text)
        except Invalid:
            continue
        assert _optimum(forged) == _optimum(problem), said


def test_a_puzzle_without_a_problem_text_is_certified_by_its_rules(tmp_path: Path) -> None:
    puzzle = load("flood-4x4")
    made = certify(solve(puzzle), tmp_path / "flood", Budget(60))
    assert made.verdict.status == VALID
    assert {file.name for file in (tmp_path / "flood").iterdir()} == {"claim.txt", "plan.txt", "puzzle.yaml"}
    assert "the rules of the puzzle" in made.verdict.trust
    claim = tmp_path / "flood" / "claim.txt"
    text = claim.read_text()
    steps = made.verdict.shown.split()[0]
    dearer = text.replace(f"optimum {steps}", f"optimum {int(steps) + 1}")
    for forged in (dearer, text.replace("by rules 1", "by rules 2"), text + "x\n"):
        assert forged != text
        claim.write_text(forged)
        assert check_folder(tmp_path / "flood").status == INVALID


def test_a_dearer_move_to_the_same_state_does_not_matter() -> None:
    text = """\
format: 1
family: custom
state:
  n: {in: 0..9, start: 1}
actions:
  double:
    set: {n: 2 * n}
  up:
    with: {k: 1..2}
    set: {n: n + k}
    cost: k
goal: n == 9
"""
    puzzle = load_text(text)
    assert "derived" in how(problem_of(puzzle, "moves").problem, canonical(puzzle))


def test_a_board_on_which_nothing_can_move_is_looked_at() -> None:
    text = canonical(load_text("format: 1\nfamily: rush-hour\nboard: |2\n  AAB\n  CCB\n"))
    problem = read("budge problem 1\ncount slides\nvar S one two three\nstart one\ngoal S=two\n")
    how, unknown, _ = compared(text, Claim(problem, UNSOLVABLE, None), Limits(None, None))
    assert how.startswith("the same of puzzle.yaml was recomputed by the rules in `proofs/`, from 1 position; ")
    assert not unknown
