"""Reasons by counting and parity, each computed again from the rules."""

from __future__ import annotations

import pytest
from budge import load, load_text, why
from budge.cli import main
from budge.workflows.why.laws import COUNTING, PARITY, Law, explained, laws_of


def test_pegs() -> None:
    """Each jump takes one peg: as many jumps as pegs but one."""
    for name, pegs in (("peg-solitaire", 32), ("peg-solitaire-4x4", 15)):
        puzzle = load(name)
        assert sum(row.count("o") for row in puzzle.board()) == pegs
        (law,) = laws_of(puzzle.form("moves"), None)
        assert law == Law(COUNTING, pegs - 1, True, "peg", pegs, 1, -1)
    found = why("peg-solitaire-4x4")
    assert found.explained == found.optimum == 14


@pytest.mark.weekly
def test_parity() -> None:
    """All plans are odd, or all even, as the known optimum; so there is none that is one longer."""
    for name in ("eight-15", "eight-20", "three-6", "korf-01"):
        puzzle = load(name)
        (law,) = laws_of(puzzle.form("moves"), None)
        assert law.kind == PARITY
        assert law.least == puzzle.header.expect.costs["moves"][0] % 2
    for name in ("wolf-goat-cabbage", "eight-15"):
        found = why(name)
        assert found.plans
        assert found.plans.longer
        assert any(law.kind == PARITY for law in found.laws) == (found.plans.longer[0] == 0)
    assert not why("level-12").laws
    assert explained(14, (Law(PARITY, 1),)) == 15
    assert explained(15, (Law(PARITY, 1),)) == 15
    assert explained(3, (Law(COUNTING, 14),)) == 14


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "peg-solitaire", "--why", "-q", "--time-limit", "4"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "Each move takes 1 `peg`: there are 32, and in the goal 1. So every plan has exactly 31 moves." in out
    assert main(["explain", "eight-15", "--why", "-q"]) == 0
    assert "Every plan has an odd number of moves." in capsys.readouterr().out


IDLE = """\
format: 1
family: pddl
name: An action that changes nothing of interest
domain: |
  (define (domain g) (:predicates (p ?x) (q ?x) (junk ?x))
    (:action a :parameters (?x) :precondition (q ?x) :effect (p ?x))
    (:action j :parameters (?x) :precondition (q ?x) :effect (junk ?x)))
problem: |
  (define (problem gp) (:domain g) (:objects o1 o2) (:init (q o1) (q o2)) (:goal (and (p o1) (p o2))))
"""


def test_what_is_said_of_every_plan_holds_with_actions_that_are_left_out() -> None:
    """`(j o1)` can be in a plan: that all have two actions, or an even number of them, would be false."""
    found = why(load_text(IDLE))
    assert [(law.kind, law.least, law.exact) for law in found.laws] == [(COUNTING, 2, False)]
