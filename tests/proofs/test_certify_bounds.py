"""Certificates of lower bounds alone: `budge certify PUZZLE --at-least N`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import budge
import pytest
from budge import UsageError, load_text
from budge.cli import main
from budge.models.errors import DisagreementError
from budge.models.library import load
from budge.models.puzzle import Puzzle
from budge.models.text import being
from budge.proofs.check import check_folder
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.claim import PLAN
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.verdict import INVALID, VALID
from budge.runtime.budget import Budget
from budge.runtime.outcome import Status
from budge.workflows import certifying
from budge.workflows.certifying import Certified, NotCertified, certify
from budge.workflows.problem_certificate import Statement
from budge.workflows.solving import metric_of, solve

from ..helpers.certificates import NO_TORCH


def bound(
    puzzle: Puzzle, least: tuple[int, ...], folder: Path, metric: str | None = None, evidence: str = "auto"
) -> Certified:
    """Certify that no plan of a puzzle costs less than `least`."""
    return certifying.certify_bound(
        Statement(puzzle, metric_of(puzzle, metric), least), folder, Budget(60), evidence=evidence
    )


@pytest.mark.weekly
@pytest.mark.parametrize("least", [0, 1, 9, 10])
def test_a_bound_up_to_the_optimum_is_certified_without_a_plan(
    least: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    assert main(["certify", "bird-2", "--at-least", str(least), "--out", str(made), "--quiet"]) == 0
    assert f"valid: every plan has at least {least} slide" in capsys.readouterr().out
    assert not (made / PLAN).exists()
    assert main(["verify", str(made), "--puzzle", "bird-2", "--metric", "slides"]) == 0
    forged = (made / CLAIM).read_text().replace(f"at-least {least}\n", "at-least 11\n")
    (made / CLAIM).write_text(forged)
    assert main(["verify", str(made)]) == 1


@pytest.mark.parametrize("evidence", ["exhaustion", "refutation"])
def test_evidence_of_each_kind_shows_a_bound(evidence: str, tmp_path: Path) -> None:
    made = bound(load("bird-2"), (9,), tmp_path, evidence=evidence)
    assert made.kind == evidence
    assert check_folder(tmp_path).shown == "every plan has at least 9 slides"


def test_a_bound_above_the_optimum_shows_the_cheaper_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["certify", "bird-2", "--at-least", "11", "--out", str(tmp_path / "made"), "--quiet"]
    assert main(asked) == 1
    said = capsys.readouterr()
    assert "plan (10 slides):" in said.out
    assert "a plan of 10 slides exists, which is less than 11 slides" in said.err
    assert not (tmp_path / "made").exists()
    assert main([*asked, "--json"]) == 1
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["type"], told["upper_bound"]) == ("result", 10)


def test_a_cheaper_plan_that_only_the_checker_finds_is_sought_by_an_engine(tmp_path: Path) -> None:
    """The first look finds nothing here, as in a puzzle for which it has too little time."""
    puzzle = load("bird-2")
    nothing = solve(puzzle, budget=Budget(0.0))
    with pytest.raises(NotCertified, match="a plan of 10 slides exists") as refused:
        certifying.certify_bound(Statement(puzzle, "slides", (11,)), tmp_path, Budget(60), known=nothing)
    assert refused.value.cheaper is not None
    with (
        patch.object(certifying, "_look", lambda *_: nothing),
        pytest.raises(NotCertified, match="no engine found one"),
    ):
        certifying.certify_bound(Statement(puzzle, "slides", (11,)), tmp_path, Budget(60), known=nothing)


def test_an_engine_that_proves_too_much_is_a_fault(tmp_path: Path) -> None:
    """The checker's own search finds a plan below a bound that an engine says it has proven."""
    puzzle = load("bird-2")
    longer = solve(load("bird-1"))
    with pytest.raises(DisagreementError, match="finds a plan of 10"):
        certifying.certify_bound(Statement(puzzle, "slides", (11,)), tmp_path, Budget(60), known=longer)


def test_a_bound_of_two_counts_is_said_as_it_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan of more pushes may have less moves, so "at least 8 pushes and 33 moves" would be wrong."""
    for least, shown in (
        ((8, 33), "every plan has at least 8 pushes, and with 8 pushes at least 33 moves"),
        ((7, 900), "every plan has at least 7 pushes, and with 7 pushes at least 900 moves"),
    ):
        made = bound(load("microban-001"), least, tmp_path, "pushes,moves")
        assert made.verdict.shown == shown
        assert "no plan has fewer than" in made.verdict.by[0]
        assert f", or {least[0]} pushes and fewer than {least[1]} moves" in made.verdict.by[0]
    asked = ["certify", "microban-001", "--metric", "pushes,moves", "--out", str(tmp_path), "--quiet", "--at-least"]
    assert main([*asked, "8,34"]) == 1
    assert main([*asked, "8"]) == 2
    assert "needs a lower bound of 2 numbers" in capsys.readouterr().err


WEIGHED = """\
format: 1
family: custom
name: Loads
state:
  n: {start: 0, in: 0..6}
actions:
  light: {when: n < 6, set: {n: n + 1}, cost: 5}
  heavy: {when: n < 5, set: {n: n + 2}, cost: 9}
metrics:
  weight: cost
goal: n == 5
"""


def test_amounts_of_what_has_no_plural_read_as_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loads.yaml").write_text(WEIGHED)
    assert main(["certify", str(tmp_path / "loads.yaml"), "--out", str(tmp_path / "c"), "--quiet"]) == 0
    said = capsys.readouterr().out
    for sentence in ("weight 23 is the optimum", "replays and has weight 23", "no plan has less than weight 23: "):
        assert sentence in said
    assert main(["solve", str(tmp_path / "loads.yaml"), "--engine", "plain"]) == 0
    text = "".join(capsys.readouterr())
    assert "plan (weight 23):" in text
    assert "at least weight 0" not in text
    assert [being(amount) for amount in ("weight 22", "1 slide", "9 slides", "1 push, 3 moves", "11")] == [
        *("weight 22 is", "1 slide is", "9 slides are", "1 push, 3 moves are", "11 are")
    ]


def test_what_has_no_plan_has_every_lower_bound(tmp_path: Path) -> None:
    for name, puzzle in (("tiles", load("fourteen-fifteen")), ("bridge", load_text(NO_TORCH))):
        assert bound(puzzle, (5,), tmp_path / name).verdict.shown.startswith("every plan has at least 5 ")


def test_a_bound_by_the_rules_of_the_puzzle_has_no_problem_text(tmp_path: Path) -> None:
    made = bound(load("flood-4x4"), (3,), tmp_path)
    assert made.verdict.shown == "every plan has at least 3 moves"
    assert not (tmp_path / PROBLEM).exists()
    assert not (tmp_path / PLAN).exists()
    claim = (tmp_path / CLAIM).read_text()
    for old, new in (("at-least 3", "at-least 9"), ("at-least", "optimum"), ("at-least", "at-most")):
        (tmp_path / CLAIM).write_text(claim.replace(old, new))
        assert check_folder(tmp_path).status == INVALID
    (tmp_path / CLAIM).write_text(claim)
    assert check_folder(tmp_path).status == VALID
    (tmp_path / PLAN).write_text("")
    assert check_folder(tmp_path).status == INVALID  # a plan, and no claim that there is one
    (tmp_path / PLAN).unlink()
    with pytest.raises(NotCertified, match="exists, which is less than 60 moves"):
        bound(load("flood-4x4"), (60,), tmp_path)


def test_a_custom_puzzle_has_bounds_too(tmp_path: Path) -> None:
    made = bound(load("custom/bridge-and-torch"), (16,), tmp_path)
    assert made.verdict.shown == "every plan has at least 16 minutes"
    with pytest.raises(NotCertified, match="a plan of 17 minutes exists"):
        bound(load("custom/bridge-and-torch"), (18,), tmp_path)


def test_a_limit_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made"
    limits = ["--time-limit", "0.5", "--out", str(made), "--quiet"]
    assert main(["certify", "uva-12x12", "--at-least", "30", *limits]) == 3
    assert "time limit" in capsys.readouterr().err
    assert not made.exists()


def test_what_is_proven_is_offered_where_the_optimum_is_not(tmp_path: Path) -> None:
    solved = solve(load("bird-2"))
    stopped = replace(solved.outcome, status=Status.FEASIBLE, lower_bound=(7,))
    with pytest.raises(NotCertified, match="`--at-least 7` certifies that no plan costs less than 7 slides"):
        certify(replace(solved, outcome=stopped), tmp_path, Budget(60))
    asked = Statement(solved.puzzle, "slides", (8,))
    with (
        patch("budge.workflows.certifying.certify", side_effect=limit),
        pytest.raises(NotCertified) as refused,
    ):
        certifying.certify_bound(asked, tmp_path, Budget(60), known=replace(solved, outcome=stopped))
    assert str(refused.value) == "too late; `--at-least 7` certifies that no plan costs less than 7 slides"


def limit(*_: object, **__: object) -> None:
    """Stop as writing a certificate does at a limit."""
    raise NotCertified("too late", stopped=True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--at-least", "x"], "`x` is not a cost"),
        (["--at-least", "1,2"], "the metric slides needs a lower bound of 1 number"),
        (["--at-least", "unsolvable"], "`unsolvable` is no lower bound: leave out --at-least"),
        (["--at-least", str(2**62)], "below 4,611,686,018,427,387,904"),
        (["--at-least", "3", "--claim", "10"], "give one of them"),
    ],
)
def test_a_bound_that_cannot_be_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", "bird-2", *words, "--out", str(tmp_path / "made"), "--quiet"]) == 2
    assert said in capsys.readouterr().err


def test_bounds_from_python(tmp_path: Path) -> None:
    assert budge.certify("bird-2", tmp_path / "one", at_least=9).verdict.shown == "every plan has at least 9 slides"
    solution = budge.solve("microban-001", metric="pushes,moves")
    assert "at least 8 pushes, and" in budge.certify(solution, tmp_path / "two", at_least=(8, 1)).verdict.shown
    with pytest.raises(UsageError, match="a plan of 10 slides exists"):
        budge.certify("bird-2", tmp_path / "one", at_least=11)
    with pytest.raises(ValueError, match="`at_least` is a whole number from 0 on"):
        budge.certify("bird-2", tmp_path / "one", at_least=-1)
