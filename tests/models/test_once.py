"""Tasks no operator of which can be applied twice: one model of whole plans gives what exhaustive search does."""

from __future__ import annotations

import random

import pytest
from budge import Budget, Status
from budge.analysis.once import once
from budge.engines.cp_sat.engine import solve as solve_by_horizons
from budge.engines.plain.engine import solve as plain
from budge.models.families.pddl.grounding import ground
from budge.models.families.pddl.reading import read_pddl
from budge.models.task import ExactlyInvariant, GroupKind, Operator, OperatorTask, operator
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.seeds import examples


def random_task(seed: int) -> OperatorTask:
    """Chains that only go on, marks that are made once, and operators that need and take several of them. Twins, of
    which there is one for each fact of a chain, count how often it goes on.
    """
    dice = random.Random(seed)
    facts: list[str] = []
    chains: list[list[int]] = []
    for c in range(dice.randint(2, 5)):
        chains.append([len(facts) + n for n in range(dice.randint(1, 4))])
        facts += [f"c{c} {n}" for n in range(len(chains[-1]))]
    shut, opened, key = (len(facts) + n for n in range(3))
    facts += ["not open", "open", "key"]
    groups = (ExactlyInvariant("open", GroupKind.OBJECT, (shut, opened)),)
    operators: list[Operator] = []
    counted = {c for c in range(len(chains)) if dice.random() < 0.4}
    for number in range(dice.randint(3, 9)):
        ways: list[tuple[set[int], set[int], set[int]]] = [(set(), set(), set())]
        for c in dice.sample(range(len(chains)), dice.randint(0, 2)):
            chain, takes = chains[c], c in counted or dice.random() < 0.7
            ways = [
                (
                    pre | {chain[n]},
                    add | ({chain[n + 1]} if takes and n + 1 < len(chain) else set()),
                    delete | ({chain[n]} if takes else set()),
                )
                for pre, add, delete in ways
                for n in (range(len(chain)) if c in counted else [dice.randrange(len(chain))])
            ]
        if dice.random() < 0.3:
            before, after, taken = (shut, opened, {key}) if number % 2 else (opened, shut, set())
            ways = [(pre | {before}, add | {after}, delete | {before} | taken) for pre, add, delete in ways]
        if dice.random() < 0.7 or not ways[0][2]:
            ways = [(pre, add, delete | {len(facts)}) for pre, add, delete in ways]
            facts.append(f"unused {number}")
        cost = dice.randint(1, 3)
        operators += [operator(f"{number} {n}", *way, move=None, cost=(cost,)) for n, way in enumerate(ways)]
    init = (
        [chain[0] for chain in chains] + [shut, key] + [f for f, name in enumerate(facts) if name.startswith("unused")]
    )
    goal = {tuple(sorted(dice.sample(range(len(facts)), dice.choice((1, 1, 2))))) for _ in range(dice.randint(1, 4))}
    return OperatorTask("", tuple(facts), groups, tuple(operators), tuple(sorted(init)), tuple(sorted(goal)), ("cost",))


def compared(seed: int) -> str:
    """What came of a seed."""
    task = random_task(seed)
    task.validate()
    if once(task) is None:
        return "no"
    expected, found = plain(task, Budget(60)), solve_by_horizons(task, Budget(60))
    assert (found.status, found.upper_bound) == (expected.status, expected.upper_bound), seed
    if expected.plan and found.lower_bound != (0,):
        assert "no action can be repeated" in (found.lower_bound_by or ""), seed
    return found.status


@given(st.integers(0, 10**9))
@settings(max_examples=examples(150))
def test_random_tasks(seed: int) -> None:
    compared(seed)


def test_all_kinds_are_met() -> None:
    assert {compared(seed) for seed in range(25)} >= {Status.OPTIMAL, Status.UNSOLVABLE}


LOOP = """(define (domain loop) (:types node level) (:predicates (free ?n - node) (end ?n - node) (begun)
    (new ?a ?b - node) (near ?a ?b - node) (ink ?l - level) (next ?l ?m - level) (marked ?n - node))
  (:action begin :parameters (?a ?b - node ?l ?m - level)
    :precondition (and (not (begun)) (new ?a ?b) (free ?a) (free ?b) (ink ?l) (next ?l ?m))
    :effect (and (begun) (not (new ?a ?b)) (not (free ?a)) (end ?a) (not (free ?b)) (end ?b) (not (ink ?l)) (ink ?m)))
  (:action go :parameters (?a ?b - node ?l ?m - level)
    :precondition (and (new ?a ?b) (end ?a) (free ?b) (ink ?l) (next ?l ?m))
    :effect (and (not (new ?a ?b)) (not (end ?a)) (not (free ?b)) (end ?b) (not (ink ?l)) (ink ?m)))
  (:action close :parameters (?a ?b - node ?l ?m - level)
    :precondition (and (new ?a ?b) (end ?a) (end ?b) (ink ?l) (next ?l ?m))
    :effect (and (not (new ?a ?b)) (not (end ?a)) (not (end ?b)) (not (ink ?l)) (ink ?m))))"""


@pytest.mark.parametrize(("ink", "steps"), [(9, 8), (7, None)])
def test_a_loop_on_a_board(ink: int, steps: int | None) -> None:
    """The shortest loop on a board of 3x3 nodes that visits the corners has eight lines; two short loops are none."""
    cells = [(x, y) for x in range(3) for y in range(3)]
    near = [((a, b), (c, d)) for a, b in cells for c, d in cells if abs(a - c) + abs(b - d) == 1]
    name = "n{0[0]}{0[1]}".format
    drawn = " ".join(f"(new {name(a)} {name(b)})" for a, b in near)
    problem = f"""(define (problem p) (:domain loop)
      (:objects {" ".join(map(name, cells))} - node {" ".join(f"l{n}" for n in range(ink + 1))} - level)
      (:init {drawn} {" ".join(f"(free {name(cell)})" for cell in cells)} (ink l0)
        {" ".join(f"(next l{n} l{n + 1})" for n in range(ink))})
      (:goal (and {" ".join(f"(not (free {name(cell)}))" for cell in ((0, 0), (0, 2), (2, 0), (2, 2)))}
        (forall (?n - node) (not (end ?n))))))"""
    puzzle = read_pddl(LOOP, "domain.pddl", problem, "problem.pddl")
    task = ground(puzzle, puzzle.metrics[0])
    known = once(task)
    assert known
    assert known.chains
    found = solve_by_horizons(task, Budget(60))
    assert (found.status, found.upper_bound and found.upper_bound[0]) == (
        Status.UNSOLVABLE if steps is None else Status.OPTIMAL,
        steps,
    )


def test_what_comes_back_is_not_once() -> None:
    """A switch that is pressed again and again, and what two operators give without taking what they share."""
    on_off = (operator("on", [0], [1], [0], None), operator("off", [1], [0], [1], None))
    assert once(OperatorTask("", ("off", "on"), (), on_off, (0,), ((1,),), ("steps",))) is None
    apart = (operator("a", [0], [2], [0], None), operator("b", [1], [2], [1], None))
    assert once(OperatorTask("", ("a", "b", "c"), (), apart, (0, 1), ((2,),), ("steps",))) is None
