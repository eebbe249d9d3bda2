"""`budge verify` of small puzzles: what plain search says is found again by the checker of certificates, or refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from budge import Budget, Status, load
from budge.engines.plain import engine
from budge.engines.plain.engine import solve
from budge.models.errors import DisagreementError
from budge.runtime.events import silent
from budge.runtime.outcome import Outcome
from budge.workflows import verification
from budge.workflows.jobs import Run
from budge.workflows.verdict import Claimed

from ..helpers.patience import PATIENCE

KINDS = [
    ("bird-2", "slides"),
    ("microban-003", "pushes"),
    ("microban-003", "moves"),
    ("microban-003", "pushes,moves"),
    ("sliding_block/simplicity", "moves"),  # compound moves
    ("seven-36", "moves"),
    ("pancakes-6", "moves"),  # programs
    ("bridge-and-torch", "minutes"),  # costs
]


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "MOMENT", PATIENCE)
    monkeypatch.setattr(verification, "CHECK", PATIENCE)


def run_of(name: str, metric: str) -> Run | None:
    puzzle = load(name)
    return verification._certified_run(Claimed(puzzle, metric, None), puzzle.form(metric), Budget(), silent)


@pytest.mark.parametrize(("name", "metric"), KINDS)
def test_the_checker_finds_the_answer_again(name: str, metric: str) -> None:
    run = run_of(name, metric)
    assert run
    assert run.outcome.status is Status.OPTIMAL
    assert "the checker of certificates visits" in run.outcome.lower_bound_by
    assert run.outcome.lower_bound == load(name).header.expect.costs.get(metric, run.outcome.lower_bound)


@pytest.mark.parametrize(("name", "metric"), KINDS)
def test_a_dearer_plan_is_refused(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a search that calls a cost optimal below which there is a plan."""

    def wrong(*given: Any) -> Outcome:
        outcome = solve(*given)
        first, *rest = outcome.upper_bound or ()
        return replace(outcome, upper_bound=(first + 1, *rest))

    monkeypatch.setattr(engine, "solve", wrong)
    with pytest.raises(DisagreementError, match="the checker of certificates finds a plan"):
        run_of(name, metric)


@pytest.mark.parametrize("name", ["bird-2", "pancakes-6"])
def test_a_plan_where_none_is_said_to_be_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Outcome:
        return replace(solve(*given), status=Status.UNSOLVABLE)

    monkeypatch.setattr(engine, "solve", wrong)
    with pytest.raises(DisagreementError, match="the checker of certificates finds a plan"):
        run_of(name, load(name).header.metric)


def test_what_has_no_plan() -> None:
    run = run_of("unsolvable-lane", "slides")
    assert run
    assert run.outcome.status is Status.UNSOLVABLE


def test_nothing_is_said_that_is_not_proven_or_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "CHECK", 0.0)
    assert run_of("bird-2", "slides") is None
    monkeypatch.setattr(verification, "MOMENT", 0.05)
    assert run_of("heng-dao-li-ma", "moves") is None
