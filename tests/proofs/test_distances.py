"""The bound by distances of values: never more than what a plan costs, and what it leaves out."""

from __future__ import annotations

import heapq
from math import inf
from pathlib import Path

import pytest
from budge import PuzzleError, load, load_text
from budge.models.puzzle import Puzzle
from budge.proofs.acting import ActingGame, ActionPuzzle
from budge.proofs.by_rules import DISTANCES, less
from budge.proofs.check import check_folder
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.folder import write_files
from budge.proofs.games import Distances, puzzle_of
from budge.proofs.terms import State
from budge.runtime.budget import Budget
from budge.workflows.certifying import proven
from budge.workflows.problem_certificate import _ByRules
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.contraption_games import contraption
from ..helpers.random_definitions import Definitions
from ..helpers.seeds import examples
from ..helpers.visited import exhausted

MOST_STATES = 400

DIALS = """\
format: 1
family: custom
name: dials
types: {dial: 1..4}
state:
  at: {of: dial, in: 0..5, start: 0}
actions:
  up:
    with: {d: dial}
    when: at[d] != 3
    set:
      at[d]: at[d] + 1
  both:
    with: {d: 1..3}
    cost: 3
    set:
      at[d]: (at[d] + 2) % 6
      at[d + 1]: (at[d + 1] + 2) % 6
goal: GOAL
"""


def game_in(puzzle: Puzzle, metric: str) -> tuple[ActionPuzzle, ActingGame]:
    """The puzzle as the checker reads it, and its game."""
    read = puzzle_of(puzzle.to_yaml())
    assert isinstance(read, ActionPuzzle)
    return read, ActingGame(read, metric, Limits())


def costs_to_goal(game: ActingGame) -> dict[State, float] | None:
    """The cheapest cost to a goal from each reachable state; None if there are many."""
    before: dict[State, list[tuple[int, State]]] = {game.start: []}
    todo = [game.start]
    while todo:
        state = todo.pop()
        for (cost,), after in game.successors(state):
            if after not in before:
                before[after] = []
                todo.append(after)
                if len(before) > MOST_STATES:
                    return None
            before[after].append((cost, state))
    far: dict[State, float] = dict.fromkeys(before, inf)
    heap = [(0, number, state) for number, state in enumerate(before) if game.solved(state)]
    far |= {state: 0 for _, _, state in heap}
    number = len(before)
    while heap:
        cost, _, state = heapq.heappop(heap)
        if cost > far[state]:
            continue
        for price, earlier in before[state]:
            if cost + price < far[earlier]:
                far[earlier] = cost + price
                number += 1
                heapq.heappush(heap, (cost + price, number, earlier))
    return far


def holds(puzzle: Puzzle, metric: str) -> str:
    """Whether the bound of a puzzle is one, in every state."""
    try:
        _, game = game_in(puzzle, metric)
        distances = Distances(metric, game, Limits())
        far = costs_to_goal(game)
    except Unsupported:
        return "unsupported"
    if far is None:
        return "large"
    bounds = [distances.bound(state) for state in far]
    assert all(bound <= true for bound, true in zip(bounds, far.values(), strict=True)), puzzle.to_yaml()
    return "bound" if max(bounds) > 0 else "nothing"


def of_definitions(seed: int) -> str:
    try:
        return holds(load_text(Definitions(seed).text()), "moves")
    except PuzzleError:
        return "rejected"


def of_contraptions(seed: int) -> str:
    try:
        puzzle = load_text(contraption(seed))
    except PuzzleError:
        return "rejected"
    return holds(puzzle, puzzle.header.metric)


@settings(max_examples=examples(60))
@given(st.integers(0, 10**9))
def test_it_is_a_lower_bound_of_random_definitions(seed: int) -> None:
    of_definitions(seed)


@settings(max_examples=examples(60))
@given(st.integers(0, 10**9))
def test_it_is_a_lower_bound_of_random_contraptions(seed: int) -> None:
    of_contraptions(seed)


@pytest.mark.slow
def test_it_is_a_lower_bound_of_many() -> None:
    found = [of(seed) for of in (of_definitions, of_contraptions) for seed in range(3000)]
    print({word: found.count(word) for word in set(found)})
    assert found.count("bound") > 200


@pytest.mark.parametrize(
    ("goal", "bound"),
    [
        ("all(at[d] == 3 for d in dial)", 10),  # 2.5 for each dial: one step, and half of the price of two
        ("at[1] == 3 and at[2] == 2", 4),
        ("at[1] in [1, 2]", 1),
        ("at[1] + at[2] == 4", 0),  # it asks for two places
        ("at[1] > at[2] or at[3] == 1", 0),
    ],
)
def test_an_action_divides_its_price_among_the_places_that_it_changes(goal: str, bound: int) -> None:
    _, game = game_in(load_text(DIALS.replace("GOAL", goal)), "moves")
    found = Distances("moves", game, Limits()).bound(game.start)
    assert found == bound
    far = costs_to_goal(game)
    assert far is None or found <= far[game.start]


def test_a_value_that_cannot_be_reached_is_a_dead_end() -> None:
    text = DIALS.replace("GOAL", "at[1] == 5").replace("at[d]: (at[d] + 2) % 6", "at[d]: 0")
    _, game = game_in(load_text(text), "moves")
    assert Distances("moves", game, Limits()).bound(game.start) == inf


@pytest.mark.weekly
def test_what_it_leaves_out_is_on_no_cheaper_plan(tmp_path: Path) -> None:
    puzzle = load("folding-9")
    read = puzzle_of(puzzle.to_yaml())
    assert exhausted(read, "moves", (12,), Limits(), DISTANCES).goal == (12,)
    below = exhausted(read, "moves", less((12,)), Limits(), DISTANCES)
    assert below.goal is None
    assert below.states < 200  # all positions are far more
    folder, by_rules = tmp_path / "folding", _ByRules(proven(solve(puzzle, "astar")), puzzle.to_yaml(), Limits())
    write_files(folder, by_rules.visit(Budget(), by_distances=True)[0])
    claim = (folder / CLAIM).read_text()
    assert f"by distances {below.states}\n" in claim
    assert check_folder(folder).status == "valid"
    for wrong in (claim.replace("optimum 12", "optimum 13"), claim.replace(f" {below.states}\n", " 1\n")):
        (folder / CLAIM).write_text(wrong)
        assert check_folder(folder).status == "invalid"


def test_two_counts_have_no_distances() -> None:
    read = puzzle_of(load("bridge-and-torch").to_yaml())
    with pytest.raises(Unsupported, match="distances"):
        exhausted(read, "crossings,minutes", (9, 99), Limits(), DISTANCES)
