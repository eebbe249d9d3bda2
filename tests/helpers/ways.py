"""All ways of a small puzzle, for hints held against them"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any

from budge import Game, Puzzle
from budge.models.moves import Move

from .lamps import LAMPS
from .other_positions import random_lamps, random_level
from .random_boards import n_puzzle, rush_hour, sliding_block
from .random_definitions import Definitions
from .random_pddl import Problems

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
