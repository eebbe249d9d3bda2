"""Symmetries of tasks against their definition, and A* with symmetric states kept once against plain search."""

from __future__ import annotations

import json

import pytest
from budge import load, load_text
from budge.analysis.symmetries import symmetries_of
from budge.models.errors import PuzzleError
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.workflows.solving import solve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.random_puzzles import agrees
from ..helpers.reference import distances, optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import level, levels, text_of

SQUARE = ["#######", "#     #", "# $.$ #", "# . . #", "# $.$ #", "#@    #", "#######"]
WIDE = ["#########", "#   #   #", "# $ . $ #", "#@  .   #", "#########"]
CROOKED = ["#######", "#     #", "# $$  #", "# .@ .#", "#   # #", "#######"]


def mirrored(rows: tuple[str, ...], across: bool) -> list[str]:
    """A level beside its mirror image, or above it: the room and the goals twice, boxes and player once."""
    bare = [row.replace("$", " ").replace("@", " ").replace("*", ".").replace("+", ".") for row in rows]
    if across:
        return [row[:-1] + image[::-1] for row, image in zip(rows, bare, strict=True)]
    return [*rows[:-1], *reversed(bare[:-1])]


@pytest.mark.parametrize(("rows", "count"), [(SQUARE, 7), (WIDE, 1), (CROOKED, 0)])
def test_known_boards(rows: list[str], count: int) -> None:
    task = level(rows).task("pushes")
    assert len(symmetries_of(task).fact) == count


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 3)
    assert len(symmetries_of(level(SQUARE).task("pushes")).fact) == 3
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    assert not symmetries_of(level(SQUARE).task("pushes"))
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 15)
    monkeypatch.setattr("budge.analysis.symmetries.MOST_OPERATORS", 3)
    assert not symmetries_of(level(SQUARE).task("pushes"))


def goal_distances_agree(task: OperatorTask) -> None:
    """States and their images are equally far from the goal, where both can be reached."""
    found = symmetries_of(task)
    _, left = distances(task)
    for image in found.fact.tolist():
        for state, steps in left.items():
            other = frozenset(image[f] for f in state)
            assert left.get(other, steps) == steps


@pytest.mark.parametrize(
    ("name", "metric"), [("bird-1", "slides"), ("eight-31-a", "moves"), ("klotski/heng-dao-li-ma", "moves")]
)
def test_definition(name: str, metric: str) -> None:
    task = load(name).task(metric)
    found = symmetries_of(task)
    operators = {(op.pre, op.add, op.delete, op.cost) for op in task.operators}
    goal = set(task.goal)

    def mapped(facts: tuple[int, ...], image: list[int]) -> tuple[int, ...]:
        return tuple(sorted(image[f] for f in facts))

    for image in found.fact.tolist():
        assert sorted(image) == list(range(len(task.facts)))
        for op in task.operators:
            assert (mapped(op.pre, image), mapped(op.add, image), mapped(op.delete, image), op.cost) in operators
        assert {mapped(clause, image) for clause in task.goal} == goal


@given(seed=st.integers(0, 10**9))
@settings(max_examples=20)
def test_images_are_equally_far(seed: int) -> None:
    for text, metric in ((rush_hour(seed), "slides"), (n_puzzle(seed), "moves")):
        task = load_text(text).task(metric)
        try:
            optimal(task, 2_000)
        except OverflowError:
            continue
        goal_distances_agree(task)


@given(rows=levels(max_boxes=3), across=st.booleans())
@settings(max_examples=examples(100))
def test_symmetric_levels(rows: tuple[str, ...], across: bool) -> None:
    puzzle = load_text(text_of(mirrored(rows, across)))
    task = puzzle.task("pushes")
    try:
        expected = optimal(task, 20_000)
    except OverflowError:
        assume(False)
    agrees(solve(puzzle, "astar", "pushes"), expected and expected[0])


@given(seed=st.integers(0, 10**9))
@settings(max_examples=examples(30))
def test_symmetric_sliding_blocks(seed: int) -> None:
    try:
        puzzle = load_text(sliding_block(seed).text)
        expected = optimal(puzzle.task("steps"), 20_000)
    except (PuzzleError, OverflowError):
        assume(False)
    outcome = solve(puzzle, "astar", "steps").outcome
    assert outcome.upper_bound == (None if expected is None else expected[0])


@pytest.mark.parametrize(("rows", "metric"), [(SQUARE, "pushes"), (WIDE, "pushes"), (SQUARE, "moves")])
def test_same_answers_with_fewer_states(rows: list[str], metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walk is paid for in `moves`, where bounds depend on the initial state: there nothing is left out."""
    with_them = solve(level(rows), "astar", metric).outcome
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    without = solve(level(rows), "astar", metric).outcome
    assert with_them.upper_bound == without.upper_bound
    assert ("symmetries" in with_them.lower_bound_by) == (metric == "pushes")
    assert "symmetries" not in without.lower_bound_by
    fewer = int(with_them.stats["states"]) < int(without.stats["states"])
    assert fewer == (metric == "pushes")


GRIPPER = """
(define (domain gripper) (:requirements :typing)
 (:types room ball hand)
 (:predicates (robot ?r - room) (at ?b - ball ?r - room) (free ?h - hand) (carry ?b - ball ?h - hand))
 (:action move :parameters (?a ?b - room) :precondition (and (robot ?a) (not (= ?a ?b)))
  :effect (and (robot ?b) (not (robot ?a))))
 (:action pick :parameters (?b - ball ?r - room ?h - hand) :precondition (and (at ?b ?r) (robot ?r) (free ?h))
  :effect (and (carry ?b ?h) (not (at ?b ?r)) (not (free ?h))))
 (:action drop :parameters (?b - ball ?r - room ?h - hand) :precondition (and (carry ?b ?h) (robot ?r))
  :effect (and (at ?b ?r) (free ?h) (not (carry ?b ?h)))))
"""


def gripper(goal: str, balls: int = 8) -> Puzzle:
    """Balls to be carried from one room to another, two at a time."""
    names = [f"b{n}" for n in range(balls)]
    facts = " ".join(f"(at {ball} here)" for ball in names)
    wanted = " ".join(goal.format(ball=ball) for ball in names)
    problem = f"""(define (problem balls) (:domain gripper)
 (:objects here there - room {" ".join(names)} - ball l r - hand)
 (:init (robot here) (free l) (free r) {facts}) (:goal (and {wanted})))"""
    return from_pddl(problem)


def from_pddl(problem: str) -> Puzzle:
    return load_text(json.dumps({"format": 1, "family": "pddl", "domain": GRIPPER, "problem": problem}))


def test_interchangeable_objects_of_pddl() -> None:
    """Eight balls and two hands: seven exchanges of balls and one of hands sort them, where 80,640 orders are one."""
    puzzle = gripper("(at {ball} there)")
    found = symmetries_of(puzzle.task("actions"))
    assert (len(found.fact), found.exchanges) == (8, True)
    with_them, without = solve(puzzle, "astar"), solve(puzzle, "astar", without="symmetries")
    assert with_them.cost == without.cost == 23
    assert "interchangeable objects" in with_them.outcome.lower_bound_by
    assert int(with_them.outcome.stats["states"]) < 100 < 10_000 < int(without.outcome.stats["states"])


def test_objects_that_a_goal_names_are_told_apart() -> None:
    text = "(define (problem p) (:domain gripper) (:objects here there - room a b c - ball l r - hand)"
    init = "(:init (robot here) (free l) (free r) (at a here) (at b here) (at c here))"
    one = from_pddl(f"{text} {init} (:goal (and (at a there) (carry b l))))")
    assert not symmetries_of(one.task("actions")).exchanges
    two = from_pddl(f"{text} {init} (:goal (and (at a there) (at b there) (at c here))))")
    assert len(symmetries_of(two.task("actions")).fact) == 2  # a and b, and the two hands


def test_mirrored_klotski(monkeypatch: pytest.MonkeyPatch) -> None:
    with_them = solve(load("klotski/heng-dao-li-ma"), "astar", "steps").outcome
    monkeypatch.setattr("budge.analysis.symmetries.MOST_SYMMETRIES", 0)
    without = solve(load("klotski/heng-dao-li-ma"), "astar", "steps").outcome
    assert with_them.upper_bound == without.upper_bound == (116,)
    assert int(with_them.stats["states"]) < 0.6 * int(without.stats["states"])
