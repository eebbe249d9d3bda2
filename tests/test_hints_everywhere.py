"""Hints in positions of all families, held against distances that the rules alone give.

pytest -m slow tests/test_hints.py tests/test_hints_everywhere.py -s     20,000 hints
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

import pytest
from budge import Game, Puzzle, PuzzleError, hint, load, load_text
from budge.models.errors import GroundingError
from budge.models.library import expand
from budge.models.moves import Move
from budge.models.plan import Plan

from .other_positions import random_lamps, random_level
from .random_boards import n_puzzle, rush_hour, sliding_block
from .random_definitions import Definitions
from .random_pddl import Problems
from .test_unordered import LAMPS

MOST = 1_500
"""Positions of one puzzle at most."""

SLIDING = "rush-hour", "sliding-block"


@dataclass
class Ways:
    """All positions of a puzzle, by its rules: from each the moves with their costs, and the moves that lead to it."""

    puzzle: Puzzle
    metric: str
    steps: dict[Hashable, list[tuple[int, Hashable]]] = field(default_factory=dict)
    path: dict[Hashable, tuple[Move, ...]] = field(default_factory=dict)
    goals: set[Hashable] = field(default_factory=set)

    def explore(self) -> None:
        """Raises `OverflowError` for too many positions."""
        start = self.puzzle.record.simulate(self.puzzle.value)
        waiting: list[Any] = [start]
        self.path[key(start)] = ()
        for game in waiting:
            here = key(game)
            if game.solved:
                self.goals.add(here)
            self.steps[here] = []
            for move in Game(self.puzzle, self.metric, start=game).moves():
                after = game.fork()
                after.play(move)
                # Sliding on with the piece that moved last costs nothing; here each slide is a move of its own.
                cost = 1 if self.puzzle.family in SLIDING else after.costs[self.metric] - game.costs[self.metric]
                self.steps[here].append((cost, key(after)))
                if key(after) not in self.path:
                    self.path[key(after)] = (*self.path[here], move)
                    waiting.append(after)
            if len(waiting) > MOST:
                raise OverflowError

    def away(self) -> dict[Hashable, int]:
        """The least cost from each position to a goal."""
        before: dict[Hashable, list[tuple[int, Hashable]]] = {}
        for here, steps in self.steps.items():
            for cost, after in steps:
                before.setdefault(after, []).append((cost, here))
        order, found = count(), dict[Hashable, int]()
        heap = [(0, next(order), goal) for goal in self.goals]
        while heap:
            cost, _, here = heappop(heap)
            if here not in found:
                found[here] = cost
                for price, there in before.get(here, ()):
                    heappush(heap, (cost + price, next(order), there))
        return found

    def first(self, here: Hashable, away: dict[Hashable, int]) -> set[Hashable]:
        """Where the first moves that cost one lead to, on cheapest plans: free ones may come before them. (A walk of
        several cells, which costs more, is several.)
        """
        free, found = [here], set[Hashable]()
        for one in free:
            for cost, after in self.steps[one]:
                if after in away and away[after] + cost == away[here]:
                    if cost == 1:
                        found.add(after)
                    elif not cost and after not in free:
                        free.append(after)
        return found


def key(game: Any) -> Hashable:
    found: Hashable = game.position
    return game.board() if found is None else found


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


def made(seed: int) -> Iterator[tuple[str, str, str | None]]:
    """The text of a random puzzle of each family, with a metric."""
    level = "".join(f"  {row}\n" for row in random_level(seed))
    lamps = "\n".join(f"  {row}" for row in random_lamps(seed))
    domain, problem = ("\n".join(f"  {line}" for line in text.splitlines()) for text in Problems(seed).texts())
    yield "rush-hour", rush_hour(seed), random.Random(seed).choice(["slides", "steps"])
    yield "sliding-block", sliding_block(seed).text, random.Random(seed).choice(["moves", "slides", "steps"])
    yield "n-puzzle", n_puzzle(seed), None
    yield "sokoban", f"format: 1\nfamily: sokoban\nmap: |\n{level}", random.Random(seed).choice(["pushes", "moves"])
    yield "lamps", LAMPS.format(grid=lamps, more=""), None
    yield "definitions", Definitions(seed).text(), "moves"
    yield "pddl", f"format: 1\nfamily: pddl\ndomain: |\n{domain}\nproblem: |\n{problem}\n", None


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
