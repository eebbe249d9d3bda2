"""Exhaustion by the rules of a puzzle: no position that can be on a plan of at most a given cost is a goal.

The least cost first (Dijkstra 1959); costs of two counts are compared from the first on.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import inf
from typing import Any

from .core.limits import Limits
from .core.problem import Cost
from .games import Game

EACH = 48
"""Bytes of an entry of a set, not counting the position itself."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The result: how many positions were visited, and the cost of a cheapest plan (None: no goal was visited)."""

    states: int
    goal: Cost | None


def exhaust(game: Game, at_most: Cost | None, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan of at most a given cost (None: of any cost), up to the first goal.

    What the game's bound leaves out is not visited: from there a plan would cost more. Raises `Stopped` at a limit.
    """
    bound = game.bound
    cheap: dict[Any, Cost] = {game.start: game.nothing}
    heap: list[tuple[Cost, int, Any]] = [(game.nothing, 0, game.start)]
    if at_most is not None and at_most < game.nothing:
        heap.clear()
    states = met = 0
    while heap:
        cost, _, position = heapq.heappop(heap)
        if cost > cheap[position]:
            continue
        limits.tick()
        states += 1
        if game.solved(position):
            return Exhausted(states, cost)
        for price, after in game.moves(position):
            so_far = tuple(map(int.__add__, cost, price))
            known = cheap.get(after)
            if known is not None and known <= so_far:
                continue
            limits.hold(3 * EACH if known else game.size + 4 * EACH)
            cheap[after] = so_far
            rest = 0 if bound is None else bound(after)
            if rest < inf and (at_most is None or (*so_far[:-1], so_far[-1] + rest) <= at_most):
                met += 1
                heapq.heappush(heap, (so_far, met, after))
    return Exhausted(states, None)
