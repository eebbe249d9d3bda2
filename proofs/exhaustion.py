"""Exhaustion: no position that can be on a plan of at most N moves is a goal.

Breadth-first from the start. If a plan of at most N moves exists, its position after d moves is reached within d moves
and its bound is at most N - d. So positions with more than that are cut; if no goal is left, there is no such plan. The
bound has to be a lower bound (`bound` of the games says why it is); nothing else is assumed of it.

Where moves cost different amounts, or two things are counted, one before the other (`pushes,moves`: of all plans with
the fewest pushes the fewest moves), positions are met in the order of their least cost (Dijkstra 1959); the rest holds
as before.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from .core.limits import Limits
from .pieces import FAR
from .reading import Cost

EACH = 48
"""Bytes of an entry of a set, not counting the position itself."""


class ExhaustibleGame(Protocol):
    """A game that can be exhausted by its number of moves: `size` is the bytes of a position."""

    start: Any
    size: int

    def successors(self, position: Any) -> Iterator[Any]:
        """The positions after one more move."""

    def solved(self, position: Any) -> bool:
        """Whether a position is a goal."""

    def bound(self, position: Any) -> int:
        """A lower bound on the moves from this position to the goal; FAR if no plan exists."""


class Priced(Protocol):
    """A game that can be exhausted by cost: costs are tuples, compared from the first number on."""

    start: Any
    size: int

    def steps(self, position: Any) -> Iterator[tuple[Cost, Any]]:
        """The positions after one more move, each with what the move costs."""

    def solved(self, position: Any) -> bool:
        """Whether a position is a goal."""

    def rest(self, position: Any) -> Cost:
        """A lower bound on each number of the cost from this position to the goal."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The result: the number of positions of each cost, in ascending order, and the cost of the first goal (None: no
    goal).
    """

    layers: tuple[int, ...]
    goal: Cost | None

    @property
    def states(self) -> int:
        """The number of visited positions."""
        return sum(self.layers)


def exhaust(game: ExhaustibleGame, at_most: int | None, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan of at most so many moves (None: of any number).

    Stops at the first goal. Raises `Unsupported` when a limit is reached.
    """
    budget = FAR - 1 if at_most is None else at_most
    layers: list[int] = []
    layer = [game.start] if game.bound(game.start) <= budget else []
    seen = set(layer)
    while layer and budget >= 0:
        layers.append(len(layer))
        budget -= 1 if at_most is not None else 0
        found: list[Any] = []
        for position in layer:
            limits.tick()
            if game.solved(position):
                return Exhausted(tuple(layers), (len(layers) - 1,))
            if budget < 0:
                continue
            for after in game.successors(position):
                if after not in seen:
                    limits.hold(game.size + EACH)
                    seen.add(after)
                    if game.bound(after) <= budget:
                        found.append(after)
        layer = found
    return Exhausted(tuple(layers), None)


def exhaust_by_cost(game: Priced, at_most: Cost | None, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan of at most a given cost (None: of any cost).

    Stops at the first goal, which then is a cheapest one. Raises `Unsupported` when a limit is reached.
    """
    ahead = game.rest(game.start)
    nothing = (0,) * len(ahead)
    cheap = {game.start: nothing} if at_most is None or ahead <= at_most else {}
    heap = [(nothing, 0, position) for position in cheap]
    layers: dict[Cost, int] = {}
    met = 0
    while heap:
        cost, _, position = heapq.heappop(heap)
        if cost > cheap[position]:
            continue
        limits.tick()
        layers[cost] = layers.get(cost, 0) + 1
        if game.solved(position):
            return Exhausted(tuple(layers.values()), cost)
        for price, after in game.steps(position):
            so_far = tuple(map(int.__add__, cost, price))
            known = cheap.get(after)
            if known is not None and known <= so_far:
                continue
            limits.hold(3 * EACH if known else game.size + 4 * EACH)
            cheap[after] = so_far
            if at_most is None or tuple(map(int.__add__, so_far, game.rest(after))) <= at_most:
                met += 1
                heapq.heappush(heap, (so_far, met, after))
    return Exhausted(tuple(layers.values()), None)
