"""Objects that no plan needs are left out, and others are not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from budge import load_text, solve
from budge.analysis.transformed_tasks import without_spare_objects
from budge.models.families.pddl.grounding import ground
from budge.models.families.pddl.reading import read_pddl

BLOCKS = """
(define (domain blocks)
  (:predicates (on ?x ?y) (ontable ?x) (clear ?x) (free) (held ?x))
  (:action take :parameters (?x) :precondition (and (clear ?x) (ontable ?x) (free))
    :effect (and (held ?x) (not (ontable ?x)) (not (clear ?x)) (not (free))))
  (:action put :parameters (?x) :precondition (held ?x)
    :effect (and (ontable ?x) (clear ?x) (free) (not (held ?x))))
  (:action stack :parameters (?x ?y) :precondition (and (held ?x) (clear ?y))
    :effect (and (on ?x ?y) (clear ?x) (free) (not (held ?x)) (not (clear ?y))))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (free))
    :effect (and (held ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (free)))))
"""

BALLS = """
(define (domain balls)
  (:predicates (ball ?b) (room ?r) (hand ?h) (at ?b ?r) (robot ?r) (free ?h) (in ?b ?h))
  (:action go :parameters (?p ?q) :precondition (and (room ?p) (room ?q) (robot ?p) (not (= ?p ?q)))
    :effect (and (robot ?q) (not (robot ?p))))
  (:action pick :parameters (?b ?r ?h) :precondition (and (ball ?b) (hand ?h) (at ?b ?r) (robot ?r) (free ?h))
    :effect (and (in ?b ?h) (not (at ?b ?r)) (not (free ?h))))
  (:action drop :parameters (?b ?r ?h) :precondition (and (ball ?b) (hand ?h) (in ?b ?h) (robot ?r))
    :effect (and (at ?b ?r) (free ?h) (not (in ?b ?h)))))
"""


def blocks(*piles: str, goal: str) -> tuple[str, str]:
    """Piles as `abc`, the lowest block first."""
    below = [f"(on {x} {y})" for pile in piles for y, x in pairwise(pile)]
    ends = [f"(ontable {pile[0]}) (clear {pile[-1]})" for pile in piles]
    start = " ".join([*below, *ends, "(free)"])
    return BLOCKS, (
        f"(define (problem p) (:domain blocks) (:objects {' '.join(''.join(piles))})"
        f" (:init {start}) (:goal (and {goal})))"
    )


def balls(*, free: str) -> tuple[str, str]:
    """Five balls here of which one is wanted there; the free hands."""
    names = ["b1", "b2", "b3", "b4", "b5"]
    start = " ".join(f"(ball {ball}) (at {ball} here)" for ball in names)
    return BALLS, (
        f"(define (problem p) (:domain balls) (:objects {' '.join(names)} here there h)"
        f" (:init {start} (room here) (room there) (hand h) {free} (robot here)) (:goal (at b3 there)))"
    )


@pytest.mark.parametrize(
    ("texts", "operators", "cost"),
    [
        # of six blocks a and b are wanted: take and put each, stack and unstack the two ways
        (blocks("a", "b", "c", "d", "e", "f", goal="(on a b)"), 8, 2),
        # c lies on b, so that it has to be moved; d need not
        (blocks("a", "bc", "d", goal="(on a b)"), 18, 4),
        # go both ways, pick and drop b3 in each room
        (balls(free="(free h)"), 6, 3),
    ],
)
def test_what_is_left(texts: tuple[str, str], operators: int, cost: int) -> None:
    puzzle = read_pddl(texts[0], "d.pddl", texts[1], "p.pddl")
    task = ground(puzzle, puzzle.metrics[0])
    fewer = without_spare_objects(task)
    assert len(fewer.operators) == operators < len(task.operators)
    assert set(fewer.operators) < set(task.operators)
    domain, problem = ("\n".join(f"  {line}" for line in text.splitlines()) for text in texts)
    loaded = load_text(f"format: 1\nfamily: pddl\ndomain: |\n{domain}\nproblem: |\n{problem}\n")
    for names in (None, "spare-objects"):
        assert solve(loaded, engine="astar", without=names).cost == cost


def test_a_ball_that_is_in_the_way_is_needed() -> None:
    domain, problem = balls(free="(in b1 h)")
    puzzle = read_pddl(domain, "d.pddl", problem.replace("(at b1 here)", ""), "p.pddl")
    task = ground(puzzle, puzzle.metrics[0])
    assert any("b1" in op.name for op in without_spare_objects(task).operators)
