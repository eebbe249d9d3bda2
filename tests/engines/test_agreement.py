"""All engines agree: on random small puzzles of every family, in every metric, solvable and unsolvable.

The answer is that of a search too simple to be wrong (`reference.optimal`). Each engine that promises an optimum must
find it, or say honestly that it cannot do the task. What an engine cannot prove within its limit (that an unsolvable
puzzle is one, for engines that only raise bounds) it leaves open; a bound above the optimum, a plan below it, or a
proof against a plan is a failure. Plans are replayed on the way.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from budge import Budget, Puzzle, PuzzleError, Status, UsageError, load_text
from budge.engines.table import ENGINES
from budge.models.moves import Cost
from budge.workflows.solving import solve
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ..helpers.patience import PATIENCE
from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal
from ..helpers.seeds import ALL, DRAWN_BY, examples
from ..helpers.sokoban_levels import levels, text_of

BOUNDED = ("cp-sat", "csp")
"""Engines that raise a bound for ever where there is no plan: they are given a last horizon."""

LAST = 8
"""That horizon on unsolvable puzzles."""

UNTIL = 2.0
"""Seconds for an engine on a puzzle without a plan, which it may fail to prove; `CERTAIN` have more."""

CERTAIN = ("auto", "bfs")
"""Engines that prove it, on a machine of any speed."""

LONG = 5
"""The least cost of a plan that is not short."""


@cache
def present(name: str) -> bool:
    """Whether an engine's module is there."""
    try:
        solve(load_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.\n"), name)
    except ImportError:
        return False
    except UsageError:  # it reads other puzzles only
        return True
    return True


def cost_of(puzzle: Puzzle, metric: str) -> Cost | None:
    """The optimum by the oracle; None if there is no plan."""
    best = optimal(puzzle.task(metric))
    return best[0] if best else None


def check(puzzle: Puzzle, metric: str, expected: Cost | None) -> None:
    answered = [name for name in ENGINES if answers(puzzle, metric, name, expected)]
    assert set(CERTAIN) <= set(answered)


def answers(puzzle: Puzzle, metric: str, name: str, expected: Cost | None) -> bool:
    """Whether an engine gives an answer, which must be right."""
    engine = ENGINES[name]
    if not puzzle.offers(engine.reads) or not present(name):
        return False
    options: dict[str, Any] = {"horizon_limit": max(1, expected[0]) if expected else LAST} if name in BOUNDED else {}
    where = f"{name} on {puzzle.header.name} in {metric}\n" + "\n".join(puzzle.board())
    try:
        solution = solve(puzzle, name, metric, Budget(PATIENCE if expected or name in CERTAIN else UNTIL), **options)
    except UsageError:
        return False
    outcome = solution.outcome
    if expected is None:
        assert outcome.status in (Status.UNSOLVABLE, Status.UNKNOWN), where
        return outcome.status is Status.UNSOLVABLE
    assert outcome.upper_bound is not None, where
    if engine.promises_optimum:
        assert outcome.status is Status.OPTIMAL, where
        assert outcome.upper_bound == outcome.lower_bound == expected, where
    else:
        assert outcome.upper_bound >= expected, where
        assert outcome.lower_bound is None or outcome.lower_bound <= expected, where
    return True


def seeded(family: str, seed: int) -> tuple[Puzzle, str] | None:
    """A random puzzle with one of its metrics; None if the file would be refused."""
    texts = {"rush-hour": rush_hour, "sliding-block": lambda s: sliding_block(s).text, "n-puzzle": n_puzzle}
    try:
        puzzle = load_text(texts[family](seed))
    except PuzzleError:  # a goal piece that may not move, for example
        return None
    return puzzle, puzzle.metrics[seed % len(puzzle.metrics)]


def check_seeds(family: str, first: int, count: int) -> None:
    """Check so many puzzles; every second one has a plan that is not short, which few random boards have."""
    seed = first
    while count:
        found = seeded(family, seed)
        seed += 1
        if found is None:
            continue
        expected = cost_of(*found)
        if count % 2 or (expected and max(expected) >= LONG):
            check(*found, expected)
            count -= 1


@pytest.mark.parametrize("family", ["rush-hour", "sliding-block", "n-puzzle"])
def test_engines_agree_on_8_boards(family: str) -> None:
    """Others each day, from one of a hundred places on."""
    check_seeds(family, 1000 * (0 if ALL else int(DRAWN_BY) % 100), 25 if ALL else 8)


@given(rows=levels(max_boxes=2), number=st.integers(0, 3), long=st.booleans())
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
def test_engines_agree_on_20_levels(rows: tuple[str, ...], number: int, long: bool) -> None:
    puzzle = load_text(text_of(list(rows)))
    metric = puzzle.metrics[number]
    expected = cost_of(puzzle, metric)
    assume(not long or (expected and max(expected) >= LONG))
    check(puzzle, metric, expected)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["rush-hour", "sliding-block", "n-puzzle"])
@pytest.mark.parametrize("part", range(5))
def test_engines_agree_on_250_boards(family: str, part: int) -> None:
    check_seeds(family, 1_000_000 + 10_000 * part, 50)


@pytest.mark.slow
@given(rows=levels(), number=st.integers(0, 3), long=st.booleans())
@settings(max_examples=250, suppress_health_check=list(HealthCheck))
def test_engines_agree_on_250_levels(rows: tuple[str, ...], number: int, long: bool) -> None:
    puzzle = load_text(text_of(list(rows)))
    metric = puzzle.metrics[number]
    expected = cost_of(puzzle, metric)
    assume(not long or (expected and max(expected) >= LONG))
    check(puzzle, metric, expected)
