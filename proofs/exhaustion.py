"""Exhaustion: every position that can be on a plan of so many moves, and none of them is a goal.

Breadth-first from the start. If a plan of at most N moves exists, its position after d moves is reached within d moves
and its bound is at most N - d. So positions with more than that are cut; if no goal is left, there is no such plan. The
bound has to be a lower bound (`bound` of the two games says why it is); nothing else is assumed of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from .limits import Limits
from .pieces import FAR

EACH = 48
"""Bytes of an entry of a set, beside the position itself."""


class Game(Protocol):
    """What is exhausted: `size` is the bytes of a position."""

    start: Any
    size: int

    def successors(self, position: Any) -> Iterator[Any]:
        """The positions after one more move."""

    def solved(self, position: Any) -> bool:
        """Whether it is a goal."""

    def bound(self, position: Any) -> int:
        """No plan from here is shorter; FAR if there is none."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """What was found: the positions of each layer, and the layer of the first goal (None: no goal)."""

    layers: tuple[int, ...]
    goal: int | None

    @property
    def states(self) -> int:
        """All positions that were met."""
        return sum(self.layers)


def exhaust(game: Game, at_most: int | None, limits: Limits) -> Exhausted:
    """Look at every position that can be on a plan of at most so many moves (None: of any number).

    Stops at the first goal. Raises `Unsupported` when a limit is reached.
    """
    budget = FAR - 1 if at_most is None else at_most
    layers: list[int] = []
    layer = [game.start] if game.bound(game.start) <= budget else []
    seen = set(layer)
    held = 0
    while layer and budget >= 0:
        layers.append(len(layer))
        budget -= 1 if at_most is not None else 0
        found: list[Any] = []
        for position in layer:
            limits.tick()
            if game.solved(position):
                return Exhausted(tuple(layers), len(layers) - 1)
            if budget < 0:
                continue
            for after in game.successors(position):
                if after not in seen:
                    seen.add(after)
                    if game.bound(after) <= budget:
                        found.append(after)
            limits.hold((game.size + EACH) * (len(seen) - held))
            held = len(seen)
        layer = found
    return Exhausted(tuple(layers), None)
