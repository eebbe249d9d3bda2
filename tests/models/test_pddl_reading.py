"""Reading PDDL: what is read, what is refused, and that all mistakes of both files are shown at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import load, solve
from budge.models.errors import PuzzleError
from budge.models.families.custom.language.expressions import And, Expr, Not, Or, Quantifier, Read
from budge.models.families.pddl.grounding import ground
from budge.models.families.pddl.problem import AtomEffect, Pddl, PddlSimulator, Price, term
from budge.models.families.pddl.reading import read_pddl
from budge.proofs import rules_pddl
from budge.proofs.acting import ActingGame
from budge.proofs.core.limits import Limits, Rejected

from ..helpers.pddl_domains import FERRY
from ..helpers.pddl_texts import DOMAIN, PROBLEM
from ..helpers.two_readers import true_at_first, true_in


def read(domain: str = DOMAIN, problem: str = PROBLEM) -> Pddl:
    return read_pddl(domain, "d.pddl", problem, "p.pddl")


def atom(predicate: str, *terms: str) -> Read:
    """The condition that an atom is true: `atom("at", "?c", "left")`."""
    return Read(predicate, tuple(map(term, terms)))


def refused(domain: str = DOMAIN, problem: str = PROBLEM) -> list[str]:
    """The problems as `d.pddl:3:4: message`."""
    with pytest.raises(PuzzleError) as error:
        read(domain, problem)
    return [f"{one.file}:{one.line}:{one.column}: {one.message}" for one in error.value.problems]


def test_a_domain_and_a_problem() -> None:
    task = read()
    assert (task.domain, task.name, task.priced) == ("ferry", "one", True)
    assert task.objects == {"red": "car", "blue": "van", "left": "place", "right": "place"}
    assert task.predicates["at"] == (("red", "blue"), ("left", "right"))
    assert task.values[("far", "left", "right")] == 3
    assert task.static == frozenset()
    sail, board, leave = task.actions
    assert sail.costs == (Price(("far", "?a", "?b")),)
    assert board.costs == (Price(1),)
    (car,) = leave.effects[1].variables
    assert car.values == ("red", "blue")
    assert leave.effects[2] == AtomEffect(("on", "?c"), False, (car,), atom("on", "?c"))
    assert task.places["action", "board"].line == 10


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(and (at red right) (at blue right))", "red and blue at right"),
        ("(and (on red) (forall (?c - car) (on ?c)))", "red on, (for every car or van c: c on)"),
        ("(or (not (empty)) (and (at red left) (boat left)))", "not empty or (red at left, left boat)"),
        ("(exists (?v - van) (imply (at ?v left) (= ?v blue)))", "for some van v: (v not at left or v is blue)"),
        ("(and)", "nothing"),
    ],
)
def test_a_goal_in_words(goal: str, said: str) -> None:
    wanted = PROBLEM[PROBLEM.index("(:goal") :].split("\n")[0]
    task = read(problem=PROBLEM.replace(wanted, f"(:goal {goal})"))
    assert task.goal_text() == (said,)


def test_a_variable_that_hides_another_gets_a_new_name() -> None:
    effect = "(when (on ?c) (forall (?c - van) (when (on ?c) (not (on ?c)))))"
    old = "(and (on ?c) (not (at ?c ?p)) (not (empty)) (increase (total-cost) 1))"
    (only,) = read(DOMAIN.replace(old, effect)).actions[1].effects
    assert only.atom == ("on", "?c?")
    assert only.variables[0].name == "?c?"
    assert only.condition == And((atom("on", "?c"), atom("on", "?c?")))


def test_upper_case_comments_and_missing_parts() -> None:
    domain = "(DEFINE (DOMAIN D) ; a comment (\n"
    domain += " (:PREDICATES (P ?X)(q)) (:ACTION A :EFFECT (Q)) (:action b :precondition ()))"
    task = read(domain, "(define (problem p) (:domain d) (:objects O) (:init (P o)) (:goal (Q)))")
    assert task.init == {("p", "o")}
    assert task.static == {"p"}
    assert not task.priced


def changed(*changes: tuple[str, str]) -> Pddl:
    """The ferry with other words in its domain or problem."""
    domain, problem = DOMAIN, PROBLEM
    for old, new in changes:
        assert (domain + problem).count(old) == 1, old
        domain, problem = domain.replace(old, new), problem.replace(old, new)
    return read(domain, problem)


def parts(condition: Expr) -> tuple[Expr, ...]:
    assert isinstance(condition, And | Or)
    return condition.parts


def test_either() -> None:
    task = changed(
        ("van - car)", "van - car bike rope)"),
        ("(on ?c - car)", "(on ?c - (either car bike))"),
        ("red - car", "red - car b - bike r - rope both - (either bike rope)"),
        ("(forall (?c - car) (when", "(forall (?c - (either bike car)) (when"),
        ("(and (at ?c ?p) (not (on ?c)))", "(not (on ?c))"),
    )
    assert task.predicates["on"] == (("red", "b", "both", "blue"),)
    assert task.actions[2].effects[-1].variables[0].values == ("red", "b", "both", "blue")


def test_constants_are_objects_and_may_be_named_again() -> None:
    task = changed(
        ("(:predicates", "(:constants LEFT - place port - place)\n  (:predicates"),
        ("(imply (empty)", "(imply (boat port)"),
    )
    assert list(task.objects) == ["left", "port", "red", "blue", "right"]
    assert parts(task.actions[2].precondition)[0] == Not(atom("boat", "port"))


def test_effects_nested_in_each_other_are_flat() -> None:
    old = "(and (empty) (forall (?c - car) (when (on ?c) (and (at ?c ?p) (not (on ?c))))))"
    inner = "(and (when (on ?d) (forall () (at ?c ?p))) () (not (on ?c)))"
    new = f"(and (and) (and (empty) (and (when (boat ?p) (forall (?c - car ?d - van) {inner})))))"
    first, second, third = changed((old, new)).actions[2].effects
    assert first == AtomEffect(("empty",), True)
    assert [one.name for one in second.variables] == [one.name for one in third.variables] == ["?c", "?d"]
    both = And((atom("boat", "?p"), atom("on", "?d")))
    assert (second.atom, second.makes, second.condition) == (("at", "?c", "?p"), True, both)
    assert (third.atom, third.makes, third.condition) == (("on", "?c"), False, atom("boat", "?p"))


@pytest.mark.parametrize("metric", ["(:metric minimize (total-time))", "(:METRIC Minimize total-time)", ""])
def test_without_costs_every_action_counts_one(metric: str) -> None:
    task = changed(("(:metric minimize (total-cost))", metric))
    assert not task.priced
    assert task.actions[1].costs == (Price(1),)


def test_costs_that_are_whole_in_other_words() -> None:
    task = changed(("(far left right) 3)", "(far left right) +3.00)"), ("(= (total-cost) 0)", "(= (total-cost) 0.0)"))
    assert task.values["far", "left", "right"] == 3


def test_a_cost_that_grows_by_itself_is_no_cost() -> None:
    (problem,) = refused(DOMAIN.replace("(total-cost) 1)", "(total-cost) (total-cost))"))
    assert "no action changes" in problem


def test_sections_in_any_order_and_what_is_advice_only() -> None:
    problem = "(define (problem one) (:goal (forall () (on red))) (:init) (:length (:serial 3)) (:objects red - car)\n"
    task = read(DOMAIN, problem + " (:requirements :strips) (:domain ferry))")
    assert task.init == frozenset()
    assert task.goal == Quantifier("all", atom("on", "red"), ())


def test_types_that_stand_behind_a_dash_only_are_types() -> None:
    task = changed(("place - object", "place - thing"), ("(on ?c - car) (", "(lost ?t - thing) (on ?c - car) ("))
    assert task.predicates["lost"] == (("red", "blue", "left", "right"),)


def test_a_predicate_may_have_the_name_of_a_word_that_is_refused_elsewhere() -> None:
    task = changed(
        ("(on ?c - car) (empty)", "(on ?c - car) (empty) (over ?p - place) (assign)"),
        ("(boat ?p) (empty)", "(over ?p) (assign)"),
    )
    assert parts(task.actions[1].precondition)[1:] == (atom("over", "?p"), atom("assign"))


def test_comments_have_any_bytes(tmp_path: Path) -> None:
    for name, text in zip(("domain.pddl", "p.pddl"), FERRY, strict=True):
        (tmp_path / name).write_bytes("; by Ren\u00e9\n".encode("latin-1") + text.encode())
    puzzle = load(tmp_path / "p.pddl")
    assert isinstance(puzzle.value, Pddl)
    assert puzzle.value.domain_text == "; by Ren\u00e9\n" + FERRY.domain


def test_a_puzzle_file_counts_as_its_problem_does(tmp_path: Path) -> None:
    keys = "format: 1\nfamily: pddl\ndomain: d.pddl\nproblem: p.pddl\n"
    (tmp_path / "d.pddl").write_text(FERRY.domain)
    (tmp_path / "one.yaml").write_text(keys)
    for metric, own in (("(total-cost)", "cost"), ("(total-time)", "actions"), ("TOTAL-TIME", "actions")):
        (tmp_path / "p.pddl").write_text(FERRY.problem.replace("(total-cost)))", f"{metric}))"))
        puzzle = load(tmp_path / "one.yaml")
        assert puzzle.header.metric == own
        assert solve(puzzle, "bfs" if own == "actions" else "auto").status == "optimal"


ODD = {
    "no space before a variable": (("(at ?c ?p) (boat ?p) (empty)", "(at?c?p)(boat?p)(empty)"),),
    "equality is declared": (("(:predicates", "(:predicates (= ?x ?y - object)"),),
    "no space before a type": (
        ("red - car", "red -car"),
        ("(?c - car ?p - place)\n    :precondition", "(?c -car ?p -place)\n:precondition"),
    ),
    "costs of another name": (
        ("(:functions", "(:functions (effort)"),
        ("(total-cost) 1", "(effort) 1"),
        ("(= (total-cost) 0)", "(= (effort) 0)"),
        ("(increase (total-cost) (far", "(increase (effort) (far"),
        ("minimize (total-cost)", "minimize (effort)"),
    ),
    "what is false is listed": (("(:init", "(:init (not (on red))"),),
    "nothing in brackets": (("(imply (empty)", "(imply (and () (empty))"),),
    "total cost without brackets": (("(total-cost)))", "total-cost))"),),
    "actions are counted, a cost is missing": (
        ("(total-cost)))", "(total-time)))"),
        ("(= (far left right) 3)", ""),
    ),
}
"""What may stand in files, in the example of the ferry: texts and what stands in their place."""


@pytest.mark.parametrize("name", ODD)
def test_the_checker_reads_what_is_read(name: str) -> None:
    domain, problem = DOMAIN, PROBLEM
    for old, new in ODD[name]:
        assert old in domain + problem, old
        domain, problem = domain.replace(old, new), problem.replace(old, new)
    task = read(domain, problem)
    puzzle = rules_pddl.read({"domain": domain, "problem": problem}, "puzzle.yaml", Limits())
    assert ("cost" in puzzle.prices) == task.priced
    assert puzzle.names.tables.keys() >= task.predicates.keys()
    assert true_at_first(puzzle) == task.init
    metric = "cost" if task.priced else "actions"
    game, plays = ActingGame(puzzle, metric, Limits()), PddlSimulator(task)
    for _ in range(3):
        moves = [plays.fork() for _ in plays.moves()]
        for other, move in zip(moves, plays.moves(), strict=True):
            other.play(move)
        here = bytes(atom in plays.state for atom in game.atoms.values())
        after = [(true_in(game, puzzle, state), cost[0]) for cost, state in game.successors(here)]
        found = {(state, plays.costs[metric] + cost) for state, cost in after}
        assert found == {(other.position, other.costs[metric]) for other in moves}
        plays = moves[-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("?c - car", "?c - lorry"),
        ("(on ?c)", "(over ?c)"),
        ("(:goal", "(:length"),
        ("(:init", "(:init (and (empty))"),
        ("(:init", "(:init (not (empty)) (empty)"),
        ("(:predicates", "(:predicates (when)"),
        ("(:predicates", "(:predicates (at ?x)"),
    ],
)
def test_the_checker_refuses_what_is_no_pddl(old: str, new: str) -> None:
    fields = {"domain": DOMAIN.replace(old, new), "problem": PROBLEM.replace(old, new)}
    with pytest.raises(Rejected):
        rules_pddl.read(fields, "puzzle.yaml", Limits())


def test_what_is_wrong_once_it_is_grounded_has_a_place() -> None:
    task = changed(("(= (far left right) 3)", ""))
    with pytest.raises(PuzzleError, match=r"p.pddl:4:3: error: `\(far left right\)` has no value, but"):
        ground(task, task.metrics[0])
    cars = [f"c{number}" for number in range(8)]
    task = changed(
        ("(imply (empty) (exists (?c - van) (on ?c)))", "(forall (?c - car) (or (at ?c left) (at ?c right) (on ?c)))"),
        ("(:predicates", "(:constants left right - place)\n  (:predicates"),
        ("red - car", f"red {' '.join(cars)} - car"),
        ("(boat left)", f"(boat left) {' '.join(f'(at {one} left)' for one in cars)}"),
    )
    with pytest.raises(PuzzleError, match=r"d.pddl:15:3: error: a condition of the action `leave` falls into"):
        ground(task, task.metrics[0])
