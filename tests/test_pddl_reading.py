"""Reading PDDL: what is read, what is refused, and that all mistakes of both files are shown at once."""

from __future__ import annotations

import pytest
from budge.models.errors import PuzzleError
from budge.models.families.pddl.problem import AtomEffect, AtomOf, Increase, Junction, Pddl
from budge.models.families.pddl.reading import read_pddl

DOMAIN = """\
(define (domain ferry)
  (:requirements :typing :adl :action-costs)
  (:types car place - object  van - car)
  (:predicates (at ?c - car ?p - place) (boat ?p - place) (on ?c - car) (empty))
  (:functions (total-cost) - number (far ?a ?b - place) - number)
  (:action sail
    :parameters (?a ?b - place)
    :precondition (and (boat ?a) (not (= ?a ?b)))
    :effect (and (boat ?b) (not (boat ?a)) (increase (total-cost) (far ?a ?b))))
  (:action board
    :parameters (?c - car ?p - place)
    :precondition (and (at ?c ?p) (boat ?p) (empty))
    :effect (and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1)))
  (:action leave
    :parameters (?p - place)
    :precondition (imply (empty) (exists (?c - van) (on ?c)))
    :effect (and (empty) (forall (?c - car) (when (on ?c) (and (at ?c ?p) (not (on ?c))))))))
"""
PROBLEM = """\
(define (problem one)
  (:domain ferry)
  (:objects red - car blue - van left right - place)
  (:init (at red left) (at blue left) (boat left) (empty)
         (= (total-cost) 0) (= (far left right) 3.0) (= (far right left) 2))
  (:goal (and (at red right) (forall (?v - van) (at ?v right))))
  (:metric minimize (total-cost)))
"""


def read(domain: str = DOMAIN, problem: str = PROBLEM) -> Pddl:
    return read_pddl(domain, "d.pddl", problem, "p.pddl")


def refused(domain: str = DOMAIN, problem: str = PROBLEM) -> list[str]:
    """The problems as `d.pddl:3:4: message`."""
    with pytest.raises(PuzzleError) as error:
        read(domain, problem)
    return [f"{one.file}:{one.line}:{one.column}: {one.message}" for one in error.value.problems]


def test_a_domain_and_a_problem() -> None:
    task = read()
    assert (task.domain, task.name, task.priced) == ("ferry", "one", True)
    assert task.objects == {"red": "car", "blue": "van", "left": "place", "right": "place"}
    assert task.predicates["at"].arguments == (("red", "blue"), ("left", "right"))
    assert task.values[("far", "left", "right")] == 3
    assert task.static == frozenset()
    sail, board, leave = task.actions
    assert sail.costs == (Increase("far", ("?a", "?b")),)
    assert board.costs == (Increase("", (), 1),)
    (car,) = leave.effects[1].variables
    assert car.objects == ("red", "blue")
    assert leave.effects[2] == AtomEffect(AtomOf("on", ("?c",)), False, (car,), AtomOf("on", ("?c",)))
    assert task.places["action", "board"][1].line == 9


def test_a_variable_that_hides_another_gets_a_new_name() -> None:
    effect = "(when (on ?c) (forall (?c - van) (when (on ?c) (not (on ?c)))))"
    old = "(and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1))"
    (only,) = read(DOMAIN.replace(old, effect)).actions[1].effects
    assert only.atom == AtomOf("on", ("?c-2",))
    assert only.variables[0].name == "?c-2"
    assert only.condition == Junction(True, (AtomOf("on", ("?c",)), AtomOf("on", ("?c-2",))))


def test_upper_case_comments_and_missing_parts() -> None:
    domain = "(DEFINE (DOMAIN D) ; a comment (\n"
    domain += " (:PREDICATES (P ?X)(q)) (:ACTION A :EFFECT (Q)) (:action b :precondition ()))"
    task = read(domain, "(define (problem p) (:domain d) (:objects O) (:init (P o)) (:goal (Q)))")
    assert task.init == {("p", "o")}
    assert task.static == {"p"}
    assert not task.priced
