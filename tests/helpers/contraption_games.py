"""Contraptions as games, and an oracle that searches them breadth first."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass
from typing import Any

from budge.models.families.custom.language.expressions import text_of
from budge.models.families.custom.leaves import Effort
from budge.models.moves import Cost
from budge.proofs.acting import ActingGame, ActionPuzzle
from budge.proofs.core.limits import Limits, Unsupported
from budge.proofs.games import puzzle_of

from .random_contraptions import Contraption

State = tuple[Any, ...]

MOST_STATES = 800

EFFORT = Effort(operators=4_000, steps=100_000)
"""What is enumerated within a quarter of a second is compared."""


@dataclass(frozen=True)
class Oracle:
    """The reachable states of a game with the least cost of each, and of a goal, by Dijkstra's search."""

    game: ActingGame
    costs: dict[State, Cost]
    optimum: Cost | None


def oracle(game: ActingGame) -> Oracle | None:
    """What is true of a game; None if it has too many states."""
    nothing = (0,) * (game.metric.count(",") + 1)
    heap: list[tuple[Cost, int, State]] = [(nothing, 0, game.start)]
    costs: dict[State, Cost] = {}
    optimum, number = None, 0
    while heap:
        cost, _, state = heapq.heappop(heap)
        if state in costs:
            continue
        costs[state] = cost
        if len(costs) > MOST_STATES:
            return None
        if optimum is None and game.solved(state):
            optimum = cost
        for price, after in game.successors(state):
            number += 1
            if after not in costs:
                heapq.heappush(heap, (tuple(map(int.__add__, cost, price)), number, after))
    return Oracle(game, costs, optimum)


def game_of(text: str, metric: str | None = None) -> ActingGame:
    read = puzzle_of(text)
    assert isinstance(read, ActionPuzzle)
    return ActingGame(read, metric or next(iter(read.prices)), Limits())


def contraption(seed: int) -> str:
    """A definition; its goal is mostly some values of a state that random play comes to."""
    made, rng = Contraption(seed), random.Random(seed)
    body, goal = made.body(), made.goal()
    if rng.random() < 0.3:
        return body + goal
    try:
        game = game_of(body + goal)
    except Unsupported:  # the start breaks `always`
        return body + goal
    state = game.start
    for _ in range(rng.choice((4, 10, 30))):
        following = [after for act in game.acts.values() if (after := game.after(act, state)) is not None]
        state = rng.choice(following) if following else state
    wanted = [
        f"{name}[{', '.join(map(text_of, key))}]" if key else name
        for name, table in game.meaning.names.tables.items()
        for key in table.places or ()
    ]
    chosen = rng.sample(range(len(wanted)), rng.randint(1, min(6, len(wanted))))
    return body + "goal:\n" + "".join(f"  - {wanted[place]} == {text_of(state[place])}\n" for place in sorted(chosen))
