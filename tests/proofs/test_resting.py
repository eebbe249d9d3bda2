"""PDDL by rows of actions in the checker: of texts in which they are moves the optimum is looked for."""

from __future__ import annotations

import pytest
from budge.encoders.exports.problem_writing import Deed, ProblemText
from budge.models.errors import ReplayError
from budge.models.families.custom.puzzle import Act
from budge.models.moves import Chain, Move
from budge.models.plan import Plan
from budge.proofs.check import compared
from budge.proofs.core.claim import OPTIMUM, UNSOLVABLE, Claim
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Invalid, Limits
from budge.proofs.core.problem import read

LIMITS = Limits(None, None)


LAMPS = """format: 1
family: pddl
name: lamps
domain: |2
  (define (domain lamps) (:predicates (busy) (lit ?l) (near ?l))
    (:action reach :parameters (?l) :precondition (and (not (busy)) (not (lit ?l))) :effect (and (busy) (near ?l)))
    (:action turn :parameters (?l) :precondition (near ?l) :effect (and (lit ?l) (not (near ?l))))
    (:action rest :parameters () :precondition (forall (?l) (not (near ?l))) :effect (not (busy))))
problem: |2
  (define (problem two) (:domain lamps) (:objects l1 l2) (:init) (:goal (and (lit l1) (lit l2) (not (busy)))))
"""
MOVES = """budge problem 1
count actions
var l1 off on
var l2 off on
start off off
goal l1=on
goal l2=on
act switch.l1 3 if l1=off then l1=on
act switch.l2 3 if l2=off then l2=on
"""


def test_a_problem_text_of_moves_has_the_optimum_of_the_puzzle() -> None:
    """To switch a lamp on is three actions of PDDL, and one of the problem text."""
    said = compared(LAMPS, Claim(read(MOVES), OPTIMUM, (6,)), LIMITS)
    assert "recomputed by the rules" in said[0]
    for wrong in (
        MOVES.replace("switch.l1 3", "switch.l1 2"),
        MOVES.replace("start off off", "start on off"),
        MOVES.replace("goal l2=on\n", ""),
    ):
        cost = exhaust(read(wrong), None, [], LIMITS)[1]
        with pytest.raises(Invalid, match="another problem"):
            compared(LAMPS, Claim(read(wrong), OPTIMUM if cost else UNSOLVABLE, cost), LIMITS)


def test_a_plan_of_actions_is_a_plan_of_moves() -> None:
    acts = [Act(name, (lamp,)) for lamp in ("l2", "l1") for name in ("reach", "turn")]
    moves: dict[int, Move] = {1: Chain(tuple(acts[:2])), 0: Chain(tuple(acts[2:]))}
    text = ProblemText(read(MOVES), tuple(Deed(None, case_of=number) for number in (0, 1)), lambda _: moves)
    assert text.steps_of(Plan(tuple(acts))) == ["switch.l2", "switch.l1"]
    with pytest.raises(ReplayError):
        text.steps_of(Plan(tuple(acts[1:])))
