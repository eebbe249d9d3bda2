"""Reasons by counting, parity and equations, each computed again from the rules."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from budge import load, load_text, why
from budge.cli import main
from budge.workflows.why.laws import COUNTING, PARITY, SETS, Law, explained, laws_of, lightest, solutions

from ..helpers.lamps import LAMPS
from ..helpers.seeds import seeds


def fewest_presses(lamps: list[str]) -> int | None:
    """The least number of presses that turns all lamps off, by trying all sets."""
    cells = [(r, c) for r, row in enumerate(lamps) for c in range(len(row))]
    lit = {(r, c) for r, c in cells if lamps[r][c] == "*"}
    crosses = [{(r, c), (r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)} & set(cells) for r, c in cells]
    for many in range(len(cells) + 1):
        for pressed in combinations(crosses, many):
            left = set(lit)
            for cross in pressed:
                left ^= cross
            if not left:
                return many
    return None


@pytest.mark.parametrize("seed", seeds(12))
def test_lamps(seed: int) -> None:
    chosen = random.Random(seed)
    height, width = chosen.choice([(2, 3), (3, 3), (2, 4), (1, 5), (3, 4)])
    lamps = ["".join(chosen.choice("*.") for _ in range(width)) for _ in range(height)]
    if "*" not in "".join(lamps):
        lamps[0] = "*" + lamps[0][1:]
    puzzle = load_text(LAMPS.format(more="", grid="\n".join(f"  {row}" for row in lamps)))
    found = [law for law in laws_of(puzzle.form("moves"), None) if law.kind == SETS]
    expected = fewest_presses(lamps)
    assert [law.least for law in found] == ([] if expected is None else [expected])


def test_known_lamps() -> None:
    """All 25 lamps: 15 presses, four sets (Anderson and Feil 1998), though two to the 25 states are not visited."""
    found = why("lights-out", time_limit=5)
    assert (found.optimum, found.states) == (15, None)
    assert [(law.kind, law.least, law.step, law.solutions) for law in found.laws] == [(SETS, 15, 23, 4)]
    assert "so far" in found.stopped_by
    assert found.contradicts is None


def test_equations() -> None:
    """Against all assignments."""
    chosen = random.Random(7)
    for _ in range(200):
        unknowns = chosen.randint(1, 7)
        rows = [(chosen.getrandbits(unknowns), chosen.getrandbits(1)) for _ in range(chosen.randint(1, 8))]
        fits = [x for x in range(1 << unknowns) if all((x & row).bit_count() % 2 == value for row, value in rows)]
        solved = solutions(rows, unknowns)
        assert (solved is None) == (not fits)
        if solved is not None:
            assert solved[0] in fits
            assert 1 << len(solved[1]) == len(fits)
            assert lightest(*solved) == min(x.bit_count() for x in fits)


def test_pegs() -> None:
    """Each jump takes one peg: as many jumps as pegs but one."""
    for name, pegs in (("peg-solitaire", 32), ("peg-solitaire-4x4", 15)):
        puzzle = load(name)
        assert sum(row.count("o") for row in puzzle.board()) == pegs
        (law,) = laws_of(puzzle.form("moves"), None)
        assert law == Law(COUNTING, pegs - 1, True, "peg", pegs, 1, -1)
    found = why("peg-solitaire-4x4")
    assert found.explained == found.optimum == 14


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
