"""Interchangeable objects: which are found, that exchanges are symmetries, and that searches find the same."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from budge import Budget, Status, load, load_text, solve
from budge.analysis.symmetries import symmetries_of
from budge.engines.astar.engine import solve as astar
from budge.engines.astar.engine import solve as astar_of_operators
from budge.engines.bfs.engine import solve as bfs
from budge.engines.greedy.engine import solve as greedy
from budge.models.errors import GroundingError, PuzzleError
from budge.models.families.custom.interchangeable import interchangeable
from budge.models.families.custom.programs.task import programs
from budge.models.interchangeable import canonical, exchanged, swap_tables
from budge.models.program import FAIL, Machine, ProgramTask
from budge.models.puzzle import Puzzle

from ..helpers.random_interchangeable import Game
from ..helpers.seeds import seeds

RULES = """
format: 1
family: custom
types:
  jug: [A, B, C, D]
  place: [shelf, table, floor]
constants:
  size: {of: jug, in: 3..9, value: SIZES}
state:
  water: {of: jug, in: 0..9, start: {A: 8, others: 0}}
  at: {of: jug, in: place, start: table}
define:
  poured:
    with: {a: jug, b: jug}
    is: min(water[a], size[b] - water[b])
actions:
  pour:
    with: {a: jug, b: jug}
    when: WHEN
    set:
      water[a]: water[a] - poured(a, b)
      water[b]: water[b] + poured(a, b)
  move:
    with: {a: jug, p: place}
    when: water[a] > 0
    set:
      at[a]: p
goal: GOAL
"""
ANY = "any(water[j] == 4 for j in jug)"


def classes_of(text: str) -> list[tuple[str, ...]]:
    """The classes of interchangeable objects of rules."""
    puzzle = load_text(text)
    metric = puzzle.metric(puzzle.metrics[0])
    return sorted(each.objects for each in interchangeable(puzzle.value, programs(puzzle.value, metric)))


@pytest.mark.parametrize(
    ("when", "goal", "sizes", "jugs"),
    [
        ("a != b", ANY, "9", ["ABCD"]),
        ("a != b", ANY, "[8, 5, 5, 5]", ["BCD"]),
        ("a != b", ANY, "[8, 8, 5, 5]", ["AB", "CD"]),
        ("a != b", "water[A] == 4", "9", ["BCD"]),
        ("a != b", "water[A] == 4 and water[B] == 4", "9", ["AB", "CD"]),
        ("a != b", "water[A] == 4 and water[B] == 3", "9", ["CD"]),
        ("a != b", "any(water[j] == 4 for j in [B, C])", "9", ["AD", "BC"]),
        ("a < b", ANY, "9", []),
        ("a != b and a == the(j for j in jug if water[j] > 0)", ANY, "9", []),
        ("a != b and b != C", ANY, "9", ["ABD"]),
        ("a != b", "sum(water[j] * size[j] for j in jug) == 40", "[5, 5, 8, 5]", ["ABD"]),
    ],
)
def test_jugs(when: str, goal: str, sizes: str, jugs: list[str]) -> None:
    text = RULES.replace("WHEN", when).replace("GOAL", goal).replace("SIZES", sizes)
    found = [objects for objects in classes_of(text) if "shelf" not in objects]
    assert found == [tuple(some) for some in jugs]


def test_objects_that_are_only_values_are_exchanged_if_the_start_allows() -> None:
    text = RULES.replace("WHEN", "a != b").replace("GOAL", ANY).replace("SIZES", "9")
    assert ("shelf", "floor") in classes_of(text)
    assert not any("table" in objects for objects in classes_of(text))


def test_objects_that_two_tables_have_in_common_may_be_told_apart_in_one() -> None:
    """No rule compares the jugs that hold water with those that stand somewhere."""
    text = RULES.replace("WHEN", "a != b").replace("GOAL", "water[A] == 4").replace("SIZES", "9")
    found = classes_of(text.replace("    when: water[a] > 0\n", ""))
    assert [*"ABCD"] in map(list, found)
    assert [*"BCD"] in map(list, found)


def test_numbers_that_are_names_and_numbers_that_are_not() -> None:
    assert [each.words for each in form("ball-sort").interchangeable] == ["tube 1, 2, ..., 5"]


def form(name: str) -> ProgramTask:
    task = load(name).form("moves")
    assert isinstance(task, ProgramTask)
    return task


@cache
def game(seed: int) -> tuple[Puzzle, ProgramTask] | None:
    """A random puzzle with interchangeable objects, as programs; None if there are none, or if it cannot be read."""
    try:
        puzzle = load_text(Game(seed).text())
        metric = puzzle.metric(puzzle.metrics[0])
        task = programs(puzzle.value, metric)
    except PuzzleError:
        return None
    classes = interchangeable(puzzle.value, task)
    return (puzzle, replace(task, interchangeable=classes)) if classes else None


@pytest.mark.parametrize("seed", seeds(40))
def test_exchanges_are_symmetries(seed: int) -> None:
    """Of any state, also of such that are not reached: with two objects exchanged, every action does the same."""
    made = game(seed)
    if made is None:
        return
    task, machine, chance = made[1], Machine(made[1]), random.Random(seed)
    swaps = swap_tables(task.interchangeable, [variable.low for variable in task.variables])
    states = [tuple(chance.choice(variable.values) for variable in task.variables) for _ in range(10)]
    for state in (task.init, *states):
        for swap in range(len(swaps.first) - 1):
            image = exchanged(swaps, state, [swap])
            assert exchanged(swaps, image, [swap]) == state
            assert machine.is_goal(image) == machine.is_goal(state)
            after = [(action.cost, machine.after(state, action)) for action in task.actions]
            expected = {(cost, exchanged(swaps, then, [swap])) for cost, then in after if then}
            assert {(a.cost, then) for a in task.actions if (then := machine.after(image, a))} == expected


@pytest.mark.parametrize("seed", seeds(60))
def test_searches_find_the_same_without_them(seed: int) -> None:
    made = game(seed)
    if made is None:
        return
    puzzle, task = made
    expected = bfs(task.told_apart, Budget(20.0))
    if not expected.status.proven:
        return
    for search in (bfs, astar, greedy):
        outcome = search(task, Budget(20.0))
        assert (outcome.plan is None) == (expected.plan is None)
        if search is not greedy:
            assert (outcome.status, outcome.lower_bound) == (expected.status, expected.lower_bound)
        if outcome.plan is not None:
            assert puzzle.replay(outcome.plan).solved


@pytest.mark.parametrize("seed", seeds(60))
def test_operators_are_exchanged_alike(seed: int) -> None:
    """A* over operators, with exchanges of what the facts name and without."""
    made = game(seed)
    if made is None:
        return
    puzzle = made[0]
    try:
        task = puzzle.task(puzzle.metrics[0])
    except GroundingError:
        return
    expected = astar_of_operators(task, Budget(20.0), without="symmetries")
    outcome = astar_of_operators(task, Budget(20.0))
    if expected.status.proven and outcome.status.proven:
        assert (outcome.status, outcome.lower_bound) == (expected.status, expected.lower_bound)
    if outcome.plan is not None:
        assert puzzle.replay(outcome.plan).solved


def test_pegs_of_operators() -> None:
    """Seven discs from the first of five pegs to the last: the three others are alike, but for what is on them."""
    text = """
format: 1
family: custom
types: {disc: 1..7, peg: [first, second, third, fourth, last]}
state:
  at: {of: disc, in: peg, start: first}
actions:
  move:
    with: {d: disc, p: peg}
    when: p != at[d] and all(at[e] != at[d] and at[e] != p for e in disc if e < d)
    set:
      at[d]: p
goal: all(at[d] == last for d in disc)
"""
    puzzle = load_text(text)
    found = symmetries_of(puzzle.task("moves"))
    assert (len(found.fact), found.exchanges) == (3, True)
    states = [
        int(solve(puzzle, "astar", without=words).outcome.stats["states"])
        for words in ("patterns", "patterns,symmetries")
    ]
    assert states[1] > 5 * states[0]


def test_states_are_met_once_up_to_exchanges() -> None:
    """The states that breadth-first search meets: one of each orbit of those that it meets without exchanges."""
    task = form("ball-sort")
    task = replace(task, goal=next(n for n, code in enumerate(task.code) if code[0] == FAIL))
    swaps, machine = swap_tables(task.interchangeable, [variable.low for variable in task.variables]), Machine(task)
    states, waiting = {task.init}, [task.init]
    while waiting:
        state = waiting.pop()
        new = {after for action in task.actions if (after := machine.after(state, action))} - states
        states |= new
        waiting += new
    outcome = bfs(task, Budget())
    assert outcome.status is Status.UNSOLVABLE
    assert outcome.stats["states"] == len({canonical(swaps, state)[0] for state in states}) < len(states) / 10
    assert "states up to interchangeable objects" in outcome.lower_bound_by


def test_thirteen_tubes() -> None:
    for engine in ("bfs", "astar"):
        solution = solve("water-sort-13", engine)
        assert solution.status is Status.OPTIMAL
        assert solution.cost == 37
        assert int(solution.outcome.stats["states"]) < 20_000


def test_they_are_told_apart_on_demand() -> None:
    words = None, "interchangeable"
    states = [int(solve("ball-sort", "bfs", without=word).outcome.stats["states"]) for word in words]
    assert states[1] > 5 * states[0]
