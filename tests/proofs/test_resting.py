"""PDDL by rows of actions in the checker: the optimum stays; that of texts in which they are moves is looked for."""

from __future__ import annotations

import random

import pytest
from budge.encoders.exports.problem_writing import Deed, ProblemText
from budge.models.errors import ReplayError
from budge.models.families.custom.puzzle import Act
from budge.models.moves import Chain, Move
from budge.models.plan import Plan
from budge.proofs import rules_pddl
from budge.proofs.check import compared
from budge.proofs.core.claim import OPTIMUM, UNSOLVABLE, Claim
from budge.proofs.core.exhaustion import exhaust, visit
from budge.proofs.core.limits import Invalid, Limits
from budge.proofs.core.problem import Cost, read
from budge.proofs.games import Resting

from ..helpers.random_pddl import Problems
from ..helpers.resting_texts import texts
from ..helpers.seeds import seeds

LIMITS = Limits(None, None)


def read_both(domain: str, problem: str) -> rules_pddl.PddlPuzzle:
    return rules_pddl.read({"domain": domain, "problem": problem}, "puzzle.yaml", LIMITS)


def optima(puzzle: rules_pddl.PddlPuzzle, metric: str, most: int) -> list[Cost | None]:
    """By single actions, and from rest to rest: the costs of cheapest plans of at most so much."""
    game = rules_pddl.PddlGame(puzzle, metric, LIMITS)
    return [visit(one, lambda _, cost: cost > (most,), LIMITS)[1] for one in (game, Resting(game))]


@pytest.mark.parametrize("seed", seeds(12))
def test_rows_of_cards_have_the_same_optimum(seed: int) -> None:
    puzzle = read_both(*texts(random.Random(seed), seed % 4))
    assert Resting(rules_pddl.PddlGame(puzzle, "cost", LIMITS)).passing
    one, other = optima(puzzle, "cost", 2)
    assert one == other


@pytest.mark.parametrize("seed", seeds(40))
def test_any_problem_has_the_same_optimum(seed: int) -> None:
    one, other = optima(read_both(*Problems(seed).texts()), "actions", 3)
    assert one == other


def test_a_goal_between_two_states_at_rest_ends_a_plan() -> None:
    domain = """(define (domain d) (:predicates (busy) (lit) (done))
      (:action start :parameters () :precondition (not (busy)) :effect (and (busy) (lit)))
      (:action stop :parameters () :precondition (busy) :effect (and (not (busy)) (not (lit)) (done))))"""
    problem = "(define (problem p) (:domain d) (:init) (:goal {}))"
    assert optima(read_both(domain, problem.format("(busy)")), "actions", 9) == [(1,), (1,)]
    assert optima(read_both(domain, problem.format("(done)")), "actions", 9) == [(2,), (2,)]
    assert optima(read_both(domain, problem.format("(and (done) (lit) (not (busy)))")), "actions", 9) == [None, None]


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
