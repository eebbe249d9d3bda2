"""Reading PDDL: what is read, what is refused, and that all mistakes of both files are shown at once."""

from __future__ import annotations

import pytest
from budge.models.errors import PuzzleError
from budge.models.families.pddl.problem import AtomEffect, AtomOf, Increase, Junction, Pddl
from budge.models.families.pddl.reading import read_pddl

from .pddl_domains import FERRY

DOMAIN, PROBLEM = FERRY


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
