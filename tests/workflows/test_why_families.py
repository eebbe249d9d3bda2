"""Shares, milestones and numbers of plans of n-puzzles, Sokoban and puzzles of one's own, against brute force."""

from __future__ import annotations

from collections.abc import Hashable
from math import inf

import pytest
from budge import BudgeError, Puzzle, explore, load_text, plans, why
from budge.engines.common.state_graph import state_graph
from budge.models.families.custom.programs.task import programs
from budge.models.program import ProgramTask
from budge.models.task import Task
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.workflows.why.plans import counted_plans
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..helpers.lamps import LAMPS
from ..helpers.other_positions import of_boxes, of_lamps, of_tiles, random_lamps, random_level
from ..helpers.random_boards import n_puzzle
from ..helpers.random_definitions import Definitions
from ..helpers.random_pddl import Problems
from ..helpers.rooms_of_walks import routes, walks
from ..helpers.vehicle_positions import Positions


def tiles(seed: int) -> tuple[Puzzle, str, Positions]:
    puzzle = load_text(n_puzzle(seed))
    return puzzle, "moves", of_tiles(list(puzzle.board()))


def boxes(seed: int) -> tuple[Puzzle, str, Positions]:
    level = random_level(seed)
    text = "".join(f"  {row}\n" for row in level)
    return load_text(f"format: 1\nfamily: sokoban\nmap: |\n{text}"), "pushes", of_boxes(level)


def lamps(seed: int) -> tuple[Puzzle, str, Positions]:
    rows = random_lamps(seed)
    return load_text(LAMPS.format(grid="\n".join(f"  {row}" for row in rows), more="")), "moves", of_lamps(rows)


def is_at(thing: str, place: str, here: Hashable) -> bool:
    """Whether `box at r2c3`, `5 at r1c1` or `lit[r1c1] true` is true in a position."""
    if thing.startswith("lit["):
        r, c = (int(part) - 1 for part in thing[5:-1].split("c"))
        return ((r, c) in here) == (place == "true")  # type: ignore[operator]
    cell = tuple(int(part) - 1 for part in place[1:].split("c"))
    return cell in here[1] if thing == "box at" else (thing.removesuffix(" at"), cell) in here  # type: ignore[index,operator]


def true_in(positions: Positions, text: str) -> set[Hashable]:
    """The positions in which a text is true."""
    thing, _, place = text.rpartition(" ")
    return {here for here in positions.steps if is_at(thing, place, here)}


def compared(kind: str, seed: int) -> bool:
    """Whether a random puzzle has a plan; all that is said of it equals brute force."""
    try:
        puzzle, metric, positions = {"tiles": tiles, "boxes": boxes, "lamps": lamps}[kind](seed)
    except OverflowError:
        return False
    optimum = positions.least(positions.start)
    found = why(puzzle, metric)
    assert found.optimum == (None if optimum == inf else optimum)
    if not found.optimum:
        return False
    assert found.shares
    assert found.milestones
    assert found.plans
    for share in (*found.shares.single, *found.shares.joint):
        assert share.least == positions.least(positions.start, set(share.owners)), (kind, seed, share)
    single = {share.owners[0]: share.least for share in found.shares.single}
    for owner, least in single.items():
        alone = kind != "boxes" or len(single) == 1  # boxes that are told apart by their ways have no route
        if least and alone and len(positions.steps) < 100:
            ways = routes(positions, owner, least)
            assert (owner in found.routes) == (len(ways) == 1), (kind, seed, owner, ways)
    owners = {owner for steps in positions.steps.values() for owner, *_ in steps}
    named = {share.owners[0] for share in found.shares.single}
    assert all(positions.least(positions.start, {owner}) == 0 for owner in owners - named)
    assert found.shares.bound <= found.explained <= optimum
    for one in (*found.milestones.chain, *found.milestones.others):
        assert positions.least(positions.start, without=true_in(positions, one.text)) == inf, (kind, seed, one)
    known = walks(positions, int(optimum) + 2)
    assert found.plans.number == known[int(optimum)]
    assert found.plans.longer == tuple(known[-2:])
    return True


@pytest.mark.weekly
@pytest.mark.parametrize("kind", ["tiles", "boxes", "lamps"])
def test_random_puzzles(kind: str) -> None:
    assert sum(compared(kind, seed) for seed in range(12)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tiles", "boxes", "lamps"])
def test_many_random_puzzles(kind: str) -> None:
    assert sum(compared(kind, seed) for seed in range(170)) > 40


@given(st.integers(0, 10**6), st.sampled_from(["tiles", "boxes", "lamps"]))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_random_puzzle(seed: int, kind: str) -> None:
    compared(kind, seed)


PDDL = """format: 1
family: pddl
domain: |
  (define (domain d) (:requirements :adl) (:predicates {})
    {})
problem: |
  (define (problem p) (:domain d) (:objects {}) (:init {}) (:goal {}))
"""


def test_plans_through_moves_are_not_counted_up_to_swaps() -> None:
    """All orders of four marks that end with `a` or `b`: swapped, some would end before what has to be passed."""
    marks = " ".join(f"(:action do-{x} :precondition (not ({x})) :effect ({x}))" for x in "abcd")
    puzzle = load_text(PDDL.format("(a) (b) (c) (d)", marks, "", "", "(and (a) (b))"))
    found = plans(puzzle, through=("do-c", "do-d")).plans
    assert found
    assert (found.number, found.up_to_order) == (12, None)


@pytest.mark.parametrize("cases", [64, 0])
def test_a_goal_that_nothing_makes_true(cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With operators and with programs."""
    monkeypatch.setattr("budge.models.families.pddl.grounding.MAX_CASES", cases)
    effect = "(and (when (m o1) (not (m o1))) (when (not (m o1)) (m o1)))"
    go = f"(:action go :parameters (?a) :precondition (m ?a) :effect {effect})"
    for goal, expected in (("(z)", None), ("(m o1)", 1)):
        puzzle = load_text(PDDL.format("(m ?x) (z)", go, "o0 o1", "(m o0)", goal))
        task = puzzle.form(puzzle.metrics[0])
        assert cases or isinstance(task, ProgramTask)
        found = why(puzzle)
        assert (found.optimum, found.states) == (expected, 2)
        space = explore(puzzle).space
        assert space
        assert space.goals == int(expected is not None)


def test_free_steps_after_the_goal_are_no_part_of_plans() -> None:
    free = "(:action go :precondition (not (a)) :effect (and (a) (increase (total-cost) 0)))"
    back = "(:action back :precondition (a) :effect (and (not (a)) (increase (total-cost) 0)))"
    text = PDDL.format("(a) (b)", f"(:functions (total-cost)) {free} {back}", "", "", "(not (a))")
    found = plans(load_text(text.replace("(:goal", "(:metric minimize (total-cost)) (:goal")))
    assert found.optimum == 0
    assert found.plans
    assert found.plans.number == 1


TWO_HANDS = """format: 1
family: custom
types:
  hand: [left, right]
state:
  lit: {start: false}
  n: {in: 0..3, start: 0}
actions:
  press:
    with: {h: hand}
    set: {lit: "true"}
  push:
    set: {lit: "true"}
    cost: 2
  count: {when: "n < 3", set: {n: n + 1}}
  add: {when: "n < 3", set: {n: n + 1}}
goal: lit
metrics:
  effort: cost
"""
PRESS_TWICE = PDDL.format(
    "(lit ?x) (heard ?x)",
    "(:action press :parameters (?x ?hand) :effect (and (lit ?x) (heard ?hand))) "
    "(:action hit :parameters (?x) :effect (lit ?x))",
    "lamp left right",
    "",
    "(lit lamp)",
)


def ways_by_rules(puzzle: Puzzle, metric: str, most: int) -> dict[int, int] | None:
    """How many rows of moves, as the rules list them, end at their first goal, by their cost: up to two more than the
    optimum. Moves that change nothing are left out. None if a move is free, or there are too many positions.
    """
    start = puzzle.record.simulate(puzzle.value)
    games, waiting, found = {start.position: start}, {0: {start.position: 1}}, dict[int, int]()
    for cost in range(most):
        if found and cost > min(found) + 2:
            break
        for here, ways in waiting.pop(cost, {}).items():
            game = games[here]
            if game.solved:
                found[cost] = found.get(cost, 0) + ways
                continue
            for move in game.moves() or ():
                then = game.fork()
                then.play(move)
                price = then.costs.get(metric, 0) - game.costs[metric]
                if price <= 0 or len(games) > 300:
                    return None
                if then.position != here:
                    games.setdefault(then.position, then)
                    after = waiting.setdefault(cost + price, {})
                    after[then.position] = after.get(then.position, 0) + ways
    return found


def counted_by_rules(puzzle: Puzzle, metric: str, *forms: Task) -> bool:
    """Whether plans were counted: as many as the rules have, each action by its own name, in every form of the task."""
    wanted = ways_by_rules(puzzle, metric, most=20)
    if not wanted:
        return False
    best = min(wanted)
    for form in forms:
        graph = state_graph(form, Budget(), silent)
        assert graph.optimum == best
        found = counted_plans(graph, Budget())
        assert found
        assert found.number == wanted[best]
        if found.longer is not None and (puzzle.family != "pddl" or form is forms[-1]):
            assert found.longer == (wanted.get(best + 1, 0), wanted.get(best + 2, 0))
    return True


@pytest.mark.parametrize("text", [TWO_HANDS, PRESS_TWICE])
def test_actions_that_do_the_same_are_several_plans(text: str) -> None:
    puzzle = load_text(text.replace("goal: lit", "goal: lit\nexpect: {plans: 2}"))
    found = plans(puzzle)
    assert found.plans
    names = ("press(left)", "press(right)") if text == TWO_HANDS else tuple(found.first)
    many = 2 if text == TWO_HANDS else 4
    assert (found.plans.number, found.plans.up_to_order, found.first) == (many, many, names)
    assert found.contradicts is None
    metric = puzzle.metrics[0]
    assert counted_by_rules(puzzle, metric, puzzle.task(metric), puzzle.complete(metric))
    other = plans(puzzle, intended=found.first[-1]).intended
    assert other
    assert other.detours == ()
    left = plans(puzzle, avoid=found.first[-1]).plans
    assert left
    assert left.number == many - 1


def with_twins(kind: str, seed: int) -> int:
    """1 if the plans of a random puzzle were counted, in all forms of its task, 2 if actions of it do the same."""
    if kind == "pddl":
        domain, problem = ("\n".join(f"  {line}" for line in text.splitlines()) for text in Problems(seed).texts())
        text = f"format: 1\nfamily: pddl\ndomain: |\n{domain}\nproblem: |\n{problem}\n"
    else:
        text = Definitions(seed).text()
    try:
        puzzle = load_text(text)
        metric = "actions" if kind == "pddl" else puzzle.metrics[0]
        task, last = puzzle.task(metric), puzzle.complete(metric)
        other = task if kind == "pddl" else programs(puzzle.value, puzzle.metric(metric))
    except BudgeError:  # too large, or no puzzle
        return 0
    return counted_by_rules(puzzle, metric, task, other, last) and 1 + bool(task.twins)


@pytest.mark.parametrize(("kind", "most"), [pytest.param("custom", 80, marks=pytest.mark.slow), ("pddl", 30)])
def test_numbers_of_plans_are_those_of_the_rules(kind: str, most: int) -> None:
    found = [with_twins(kind, seed) for seed in range(most)]
    assert 2 in found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["custom", "pddl"])
def test_many_numbers_of_plans_are_those_of_the_rules(kind: str) -> None:
    found = [with_twins(kind, seed) for seed in range(1000, 2200)]
    assert found.count(2) > 80
