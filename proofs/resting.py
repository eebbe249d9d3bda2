"""PDDL by rows of actions: from one state at rest to the next.

    start-move, move, move, stop-move        the states between have an atom (cards-moving), so this is one move

A state is at *rest* if no atom is true of a predicate that is false of everything at the start, and that some action
makes false. A move is a row of actions from rest to rest, through states that are not. Each plan is a row of moves,
and some actions at its end that come to no rest: where these meet the goal, that is a move, too. So the optimum is the
same, whatever the names of predicates say.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from .core.problem import Cost
from .rules_pddl import PddlGame, State, touched


def passing(game: PddlGame) -> frozenset[str]:
    """The predicates of which a state at rest has no atom."""
    every = (one for action in game.puzzle.actions.values() for one in touched(action.effect))
    return frozenset(name for name, makes in every if not makes).difference(atom[0] for atom in game.start)


class Resting:
    """A problem as a graph of its states at rest: an edge is a row of actions, start-move ... stop-move."""

    def __init__(self, game: PddlGame) -> None:
        self.game, self.passing = game, passing(game)

    def moves(self, state: State) -> Iterator[tuple[Cost, State]]:
        """The states at rest after a move, each with the least cost."""
        game, order = self.game, count()
        waiting: list[tuple[Cost, int, State]] = [(game.nothing, next(order), state)]
        seen, ended = set[State](), game.solved(state)
        while waiting:
            cost, _, here = heappop(waiting)
            if here in seen:
                continue
            seen.add(here)
            game.limits.hold(game.size)
            if here != state and (self._rests(here) or (not ended and game.solved(here))):
                yield cost, here
                continue
            for more, then in game.steps(here):
                if then not in seen:
                    total = tuple(a + b for a, b in zip(cost, more, strict=True))
                    heappush(waiting, (total, next(order), then))
        game.limits.hold(-game.size * len(seen))

    def _rests(self, state: State) -> bool:
        return not any(atom[0] in self.passing for atom in state)
