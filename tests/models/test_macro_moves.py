"""Moves from rest to rest: few programs instead of many actions, with the optima that an interpreter finds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from operator import sub

import pytest
from budge import Budget, Status
from budge.analysis.linked_variables import linked_or_single
from budge.analysis.program_projections import projections_of
from budge.engines.plain.engine import solve as plain
from budge.models.families.custom.puzzle import Act
from budge.models.families.pddl.macro_moves import macro_moves
from budge.models.families.pddl.problem import PddlSimulator
from budge.models.families.pddl.reading import read_pddl
from budge.models.program import ProgramTask
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers import patrol_texts, resting_texts, slide_texts
from ..helpers.chain_texts import DOMAIN, folds, headings, problem
from ..helpers.pddl_reading import PddlTask

MOST_STATES = 600


resting_texts.LITERALS += ["(turn ?c)", "(turn ?d)", "(left)", "(shut ?c)", "(next ?p ?q)", "(= ?c ?d)", "(= ?p ?q)"]


def compared(seed: int, texts: Callable[[random.Random, int], tuple[str, str]], resting: bool = True) -> str:
    """What came of a seed: whether moves were made, and a plan found; its cost is that which an interpreter finds."""
    both = texts(random.Random(seed), seed % 4)
    puzzle = read_pddl(both[0], "domain.pddl", both[1], "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "", resting)
    if task is None:
        return "none"
    best, states = PddlTask(*both).solve(MOST_STATES)
    if len(states) >= MOST_STATES:
        return "large"
    found = plain(task, Budget(60))
    if best is None:
        assert found.status == Status.UNSOLVABLE, seed
        return "unsolvable"
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (best,)), seed
    assert found.plan
    game = PddlSimulator(puzzle)
    for move in found.plan.moves:
        assert isinstance(move, Act)
        game.play(move)
    assert game.solved, seed
    assert game.costs["cost"] == best, seed
    return "plan"


@given(st.integers(0, 10**9))
@settings(max_examples=15)
def test_rows_of_cards(seed: int) -> None:
    compared(seed, resting_texts.texts)


@given(st.integers(0, 10**9))
@settings(max_examples=15)
def test_pucks_on_ice(seed: int) -> None:
    compared(seed, slide_texts.texts)


@given(st.integers(0, 10**9))
@settings(max_examples=15)
def test_patrols(seed: int) -> None:
    compared(seed, patrol_texts.texts, resting=False)


def test_a_patrol_is_one_of_several() -> None:
    """Of three patrols and four posts: one walk for each two of them, from wherever the patrol is, with any fuel."""
    domain, problem = patrol_texts.texts(random.Random(1), 0)
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "", resting=False)
    assert task
    assert Counter(action.name.split()[0] for action in task.actions) == {
        "walk": 12,
        "share": 6,
        "watch": 12,
        "report": 2,
    }
    assert [each.words for each in task.interchangeable] == ["patrol p0, p1, p2"]


@pytest.mark.slow
def test_many_rows_of_cards() -> None:
    for several in (resting_texts, slide_texts, patrol_texts):
        outcomes = Counter(compared(seed, several.texts, several is not patrol_texts) for seed in range(1_000))
        assert outcomes["plan"] > 100
        assert outcomes["unsolvable"] > 100


def test_a_slide_is_one_move() -> None:
    """Where a puck stops, the state decides: one program for each puck and way, with all that it passes in its text."""
    domain, problem = slide_texts.texts(random.Random(1), 0)
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "")
    assert task is not None
    pucks = [variable for variable in task.variables if variable.name.startswith("at[")]
    assert len(task.actions) == 4 * len(pucks)
    assert [each.objects for each in task.interchangeable] == ([("p1", "p2")] if len(pucks) == 3 else [])
    dear = domain.replace("(increase (total-cost) 0)", "(increase (total-cost) 1)")
    puzzle = read_pddl(dear, "domain.pddl", problem, "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "")
    assert task is not None
    assert len(task.actions) > 4 * len(pucks)  # one for each number of cells, which costs its own


def test_a_card_that_rules_name_is_no_place() -> None:
    """Where an action asks for a card by its name, where the walker is is said by his card."""
    domain, problem = resting_texts.texts(random.Random(3), 0)
    domain = domain.replace("(:predicates", "(:constants c1 - card) (:predicates")
    domain = domain.replace("(on ?c) (at ?c ?p) (last ?p)", "(on ?c) (on c1) (at ?c ?p) (last ?p)")
    problem = problem.replace("c0 c1 ", "c0 ")
    puzzle = read_pddl(domain, "domain.pddl", problem, "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "")
    assert task is not None
    assert next(v for v in task.variables if v.name == "on").texts[0].startswith("c")
    best, _ = PddlTask(domain, problem).solve(5_000)
    found = plain(task, Budget(60))
    assert found.upper_bound == (None if best is None else (best,))


def row_of_cards() -> tuple[tuple[str, str], ProgramTask]:
    """The texts of a row of cards, and its task with macro moves."""
    both = resting_texts.texts(random.Random(3), 0)
    puzzle = read_pddl(both[0], "domain.pddl", both[1], "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "")
    assert task is not None
    return both, task


def test_moves_are_few() -> None:
    """A row of n cards: n - 1 steps either way, a shift, and leaving; where the walker is is a variable of its own."""
    _, task = row_of_cards()
    places = [variable for variable in task.variables if variable.name.startswith("at[")]
    assert len(task.actions) == 2 * (len(places) - 1) + 2
    assert {variable.name for variable in task.variables} == {"on", "left", *[place.name for place in places]}
    assert next(v for v in task.variables if v.name == "on").texts == tuple(f"p{n}" for n in range(len(places)))


def test_the_way_to_the_door_is_a_bound() -> None:
    """The goal is made true by a free step, so that alone it is no distance away; with the walker's place it is."""
    both, task = row_of_cards()
    found = projections_of(task, Budget())
    optimum = PddlTask(*both).solve(5_000)[0]
    assert isinstance(optimum, int)
    assert 0 < found.stats["root_bound"] <= optimum


@pytest.mark.parametrize("seed", range(3))
def test_a_fold_is_one_move(seed: int) -> None:
    """A joint turns all links behind it: where they are follows from their headings, and the bound is the optimum but
    for chains in the way.
    """
    side, start = 7, ((4, 4), (4, 5), (4, 6), (5, 6), (6, 6))
    distance = folds(start, side)
    goal = random.Random(seed).choice(sorted(distance))
    puzzle = read_pddl(DOMAIN, "domain.pddl", problem(start, goal, side), "problem.pddl")
    task = macro_moves(puzzle, puzzle.metrics[0], "")
    assert task is not None
    assert [variable.name for variable in task.variables] == [f"heading[n{n}]" for n in range(4)]
    assert len(task.actions) == 8
    bound = linked_or_single(task, Budget()).stats["root_bound"]
    turns = [[*map(sub, each, (0, *each))] for each in (headings(start), headings(goal))]
    assert bound == sum(min((a - b) & 3, (b - a) & 3) for a, b in zip(*turns, strict=True)) <= distance[goal]
    found = plain(task, Budget(60))
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (distance[goal],))
    assert found.plan is not None
    game = PddlSimulator(puzzle)
    for move in found.plan.moves:
        assert isinstance(move, Act)
        game.play(move)
    assert game.solved
    assert game.costs["cost"] == distance[goal]


def test_a_fold_whose_links_may_meet_is_none() -> None:
    """Where placing a link does not ask for a vacant place, `vacant` is no function of where links are."""
    domain = DOMAIN.replace("(heading ?m ?w) (vacant ?u ?v)", "(heading ?m ?w)")
    start = ((4, 4), (4, 5), (4, 6), (5, 6))
    puzzle = read_pddl(domain, "domain.pddl", problem(start, start, 7), "problem.pddl")
    assert macro_moves(puzzle, puzzle.metrics[0], "") is None
