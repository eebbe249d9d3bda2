"""The optimum of a custom puzzle by its definition."""

from __future__ import annotations

import heapq
from itertools import count, product

from budge.models.errors import ReplayError
from budge.models.families.custom.puzzle import Custom
from budge.models.families.custom.rules import CustomSimulator

MOST_STATES = 1_500


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
