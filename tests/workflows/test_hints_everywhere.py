"""Hints in positions of all families, held against distances that the rules alone give.

pytest -m slow tests/workflows/test_hints.py tests/workflows/test_hints_everywhere.py -s     20,000 hints
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable

import pytest
from budge import Game, Puzzle, PuzzleError, hint, load, load_text
from budge.models.errors import GroundingError
from budge.models.library import expand
from budge.models.moves import Move
from budge.models.plan import Plan

from ..helpers.ways import Ways, key, made


def hints(puzzle: Puzzle, metric: str, most: int, seed: int = 0) -> int:
    """Ask for hints in some positions: distances and first moves are those of the rules. How many were asked."""
    ways = Ways(puzzle, metric)
    try:
        ways.explore()
    except OverflowError:
        return 0
    away = ways.away()
    chosen = random.Random(seed).sample(list(ways.path), min(most, len(ways.path)))
    for here in chosen:
        game = Game(puzzle, metric)
        for move in ways.path[here]:
            game.play(move)
        answer = hint(game.here(), metric)
        assert answer.distance == away.get(here), (puzzle.header.name, game.notation)
        said = set()
        for plan in answer.steps:
            after = _after(puzzle, ways.path[here], plan)
            assert away[after] < away[here] or not answer.every
            assert away[after] <= away[here]
            said.add(after)
        if answer.every:
            right = ways.first(here, away) if away.get(here) else set()
            if puzzle.family == "pddl":  # actions that do the same to what is ever asked for are one
                assert said <= right
                assert bool(said) == bool(right)
            else:
                assert said == right, (puzzle.header.name, game.notation)
    return len(chosen)


def _after(puzzle: Puzzle, path: tuple[Move, ...], plan: Plan) -> Hashable:
    game = puzzle.record.simulate(puzzle.value)
    for move in (*path, *plan.moves):
        game.play(move)
    return key(game)


def asked(seeds: range, most: int) -> Counter[str]:
    """How many hints were asked of each family."""
    found = Counter[str]()
    for seed in seeds:
        for family, text, metric in made(seed):
            try:
                puzzle = load_text(text)
                found[family] += hints(puzzle, metric or puzzle.metrics[0], most, seed)
            except (PuzzleError, GroundingError):
                continue
    return found


def test_hints_of_all_families() -> None:
    assert set(asked(range(4), 5)) == {family for family, *_ in made(0)}


@pytest.mark.slow
def test_ten_thousand_hints_of_all_families() -> None:
    found = asked(range(250), 12)
    print(found)
    assert found.total() > 10_000


@pytest.mark.slow
def test_hints_of_shipped_puzzles() -> None:
    found = Counter[str]()
    for name in expand(["custom/", "n_puzzle/", "rush_hour/", "sokoban/", "klotski/", "sliding_block/"]):
        puzzle = load(name)
        for metric in puzzle.metrics:
            if "," not in metric:
                found[puzzle.family] += hints(puzzle, metric, 40)
    print(found)
    assert found.total() > 2_000
