"""What the checker reads as a graph: a puzzle by its own rules, or a problem text."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from .acting import ActingGame, ActionPuzzle
from .boxes import BoxGame
from .core.exhaustion import Successors
from .core.limits import Limits, Unsupported
from .core.problem import Cost
from .distances import Distances
from .pieces import PiecePuzzle
from .puzzles import Puzzle
from .resting import Resting
from .rules_pddl import PddlGame, PddlPuzzle
from .sliding import SlidingGame


@dataclass(frozen=True, slots=True)
class Game:
    """A graph. `moves`: the states after one move, each with what it costs; `nothing`: a cost of 0; `size`: the bytes
    of a state; `bound`: at least what a plan from a state costs (infinite: there is none), where something is known.
    """

    start: Hashable
    nothing: Cost
    size: int
    moves: Callable[[Any], Iterator[tuple[Cost, Hashable]]]
    solved: Callable[[Any], bool]
    bound: Callable[[Any], float] | None = None


def problem_game(bits: Successors) -> Game:
    """A problem text as a graph, whose states are integers."""
    nothing, size = (0,) * len(bits.problem.counts), sys.getsizeof(bits.start)
    return Game(bits.start, nothing, size, bits.successors, lambda state: all(state & mask for mask in bits.goal))


def game_of(puzzle: Puzzle, metric: str, limits: Limits, with_bound: bool = False, resting: bool = False) -> Game:
    """The puzzle in a metric, step by step, with the bound of `distances` if that is wanted; `resting`: of PDDL, from
    rest to rest. Raises `Unsupported` if the rules do not count that, or there is no bound."""
    count = puzzle.counted(metric)
    if count is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this puzzle")
    if isinstance(puzzle, ActionPuzzle):
        acting = ActingGame(puzzle, count, limits)
        bound = Distances(puzzle, count, acting, limits).bound if with_bound else None
        return Game(acting.start, acting.nothing, acting.size, acting.steps, acting.solved, bound)
    if with_bound:
        raise Unsupported("distances of values are for puzzles whose rules stand in their file")
    if isinstance(puzzle, PddlPuzzle):
        pddl = PddlGame(puzzle, count, limits)
        moves = Resting(pddl).moves if resting else pddl.steps
        return Game(pddl.start, pddl.nothing, pddl.size, moves, pddl.solved)
    if isinstance(puzzle, PiecePuzzle):
        return _paths(SlidingGame(puzzle, "steps", limits)) if count == "moves" else _moves(puzzle, count, limits)
    return _boxes(BoxGame(puzzle, limits), count)


def _moves(puzzle: PiecePuzzle, count: str, limits: Limits) -> Game:
    sliding = SlidingGame(puzzle, count, limits)

    def moves(position: Any) -> Iterator[tuple[Cost, Hashable]]:
        for then in sliding.successors(position):
            yield (1,), then

    return Game(sliding.start, (0,), sliding.size, moves, sliding.solved)


def _paths(sliding: SlidingGame) -> Game:
    """A move takes one piece along any path: its first step costs one, and each step that goes on costs nothing. A
    state is a position and the place of the piece that moved last.
    """

    def moves(state: Any) -> Iterator[tuple[Cost, Hashable]]:
        position, last = state
        for before, there, then in sliding.steps_from(position):
            yield (int(before != last),), (then, there)

    return Game((sliding.start, None), (0,), sliding.size + 64, moves, lambda state: sliding.solved(state[0]))


def _boxes(boxes: BoxGame, count: str) -> Game:
    """A step of the player, or a push, which is a step as well; each costs what is counted of it."""
    parts = count.split(",")

    def moves(state: Any) -> Iterator[tuple[Cost, Hashable]]:
        for (pushes, steps), then in boxes.steps(state):
            yield tuple(pushes if part == "pushes" else steps for part in parts), then

    return Game(boxes.start, (0,) * len(parts), boxes.size, moves, boxes.solved)
