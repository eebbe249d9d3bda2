"""The compiler of custom families against the interpreter of the same definitions, on random ones."""

from __future__ import annotations

import heapq
from itertools import count, product

import pytest
from budge import Budget, PuzzleError, Status, load_text
from budge.engines.plain.engine import plain
from budge.models.errors import GroundingError, ReplayError
from budge.models.families.custom.grounding.task import ground
from budge.models.families.custom.grounding.variables import Effort
from budge.models.families.custom.puzzle import Custom
from budge.models.families.custom.rules import CustomSimulator
from hypothesis import given, settings
from hypothesis import strategies as st

from .random_definitions import Definitions

MOST_STATES = 1_500
EFFORT = Effort(operators=100_000, steps=1_000_000)
"""What is enumerated within a second or so is compared."""


def optimum(puzzle: Custom) -> int | str:
    """The cost of a cheapest plan by the interpreter alone (Dijkstra), or why there is none."""
    game = CustomSimulator(puzzle)
    if any(True for condition in puzzle.always if not _holds(game, condition)):
        return "unsolvable"
    order = count()
    heap = [(0, next(order), game.state)]
    done: set[frozenset[object]] = set()
    while heap:
        cost, _, state = heapq.heappop(heap)
        key = frozenset(state.items())
        if key in done:
            continue
        done.add(key)
        if len(done) > MOST_STATES:
            return "large"
        game.state = state
        if game.solved:
            return cost
        for action in puzzle.actions.values():
            for values in product(*(domain.values for _, domain in action.parameters)):
                names = dict(zip((name for name, _ in action.parameters), values, strict=True))
                game.state = state
                try:
                    after = game.state | game.changes(action, names)
                    game.costs = {"moves": 0}
                    game._pay(action, names)
                except ReplayError:
                    continue
                heapq.heappush(heap, (cost + game.costs["moves"], next(order), after))
    return "unsolvable"


def _holds(game: CustomSimulator, condition: object) -> bool:
    from budge.models.families.custom.language.evaluate import Interpreter

    return Interpreter(game.puzzle).holds(condition, {}, game.state)  # type: ignore[arg-type]


def check(seed: int) -> str:
    """What came of a seed: an optimum that both have, or why they were not compared."""
    text = Definitions(seed).text()
    try:
        puzzle = load_text(text)
    except PuzzleError as error:
        return "rejected" if error.problems else "nothing said"
    expected = optimum(puzzle.value)
    if expected in ("large", "no cost"):
        return str(expected)
    try:
        task = ground(puzzle.value, puzzle.metric("moves"), EFFORT)
    except GroundingError:
        return "too large"
    task.validate()
    found = plain(task, Budget(60))
    if expected == "unsolvable":
        assert found.status is Status.UNSOLVABLE, text
        return "unsolvable"
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (expected,)), text
    assert found.plan
    assert puzzle.replay(found.plan).solved
    return "solved"


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**9))
def test_compiler_and_interpreter_agree(seed: int) -> None:
    check(seed)


def test_most_random_definitions_say_something() -> None:
    found = [check(seed) for seed in range(120)]
    assert found.count("solved") + found.count("unsolvable") > 60, found
    assert found.count("solved") > 20


@pytest.mark.slow
def test_compiler_and_interpreter_agree_on_many() -> None:
    for seed in range(3_000):
        check(seed)
