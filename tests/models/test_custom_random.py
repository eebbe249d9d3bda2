"""The compiler of custom families against the interpreter of the same definitions, on random ones."""

from __future__ import annotations

import pytest
from budge import Budget, PuzzleError, Status, load_text
from budge.engines.plain.engine import solve as plain
from budge.models.errors import GroundingError
from budge.models.families.custom.grounding import ground
from budge.models.families.custom.leaves import Effort
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.optimum import optimum
from ..helpers.random_definitions import Definitions
from ..helpers.seeds import examples

EFFORT = Effort(operators=100_000, steps=1_000_000)
"""What is enumerated within a second or so is compared."""


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


@settings(max_examples=examples(120))
@given(st.integers(0, 10**9))
def test_compiler_and_interpreter_agree(seed: int) -> None:
    check(seed)


@pytest.mark.weekly
def test_most_random_definitions_say_something() -> None:
    found = [check(seed) for seed in range(16)]
    assert found.count("solved") + found.count("unsolvable") > 8, found
    assert found.count("solved") > 2


@pytest.mark.slow
def test_compiler_and_interpreter_agree_on_many() -> None:
    for seed in range(3_000):
        check(seed)
