"""Any family: random moves from a given puzzle, and the distance of where they lead to, by an engine.

For puzzles whose states are too many to visit, or that only their own definition knows how to make.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..engines.common.state_space import ProgramSpace
from ..models.families import load_text
from ..models.family import Keys
from ..models.plan import Plan, apply
from ..models.program import ProgramTask
from ..models.puzzle import Puzzle
from ..models.task import Task
from ..runtime.budget import Budget
from ..runtime.outcome import Status
from ..workflows.solving import solve
from .maker import Graded

SECONDS = 20.0
"""Seconds that the engine has for a board; a board whose optimum it cannot prove in this time is dropped."""

Walk = tuple[int, ...]
"""A random walk: for each move a number that selects one of those that are possible."""


@dataclass(frozen=True)
class PlayMaker:
    """Positions that random play from a puzzle (the `text` of its file) leads to, at most `length` moves away."""

    text: str
    metric: str
    length: int
    engine: str

    @property
    def family(self) -> str:
        return _base(self.text).family

    @property
    def evaluations(self) -> int:
        return 5

    def new(self, chance: random.Random) -> Walk:
        """A new random walk."""
        return tuple(chance.randrange(1 << 16) for _ in range(self.length))

    def mutate(self, board: Walk, chance: random.Random) -> Walk:
        """Replace the end or the beginning of the walk."""
        cut = chance.randrange(len(board))
        new = self.new(chance)
        return board[:cut] + new[cut:] if chance.random() < 0.7 else new[:cut] + board[cut:]

    def grade(self, board: Walk) -> Graded | None:
        """See `Maker`; the start is not moved, and `states` is what the engine counted."""
        text = self._text(board)
        solution = solve(load_text(text), self.engine, self.metric, Budget(SECONDS))
        if solution.status is not Status.OPTIMAL or solution.outcome.upper_bound is None:
            return None
        stats = solution.outcome.stats
        count = next((int(stats[name]) for name in ("states", "nodes") if name in stats), 0)
        return Graded(board, solution.outcome.upper_bound[0], count)

    def minimal(self, graded: Graded) -> Graded:
        """The pieces are those of the puzzle: nothing is taken away."""
        return graded

    def same(self, board: Walk) -> Hashable:
        """See `Maker`: walks that lead to the same position are equal."""
        return load_text(self._text(board)).digest

    def keys(self, board: Walk) -> Keys:
        """See `Maker`."""
        return _base(self.text).keys(after=_played(_task(self.text, self.metric), board))

    def _text(self, board: Walk) -> str:
        return _base(self.text).to_yaml(after=_played(_task(self.text, self.metric), board))


@lru_cache(maxsize=4)
def _base(text: str) -> Puzzle:
    return load_text(text)


@lru_cache(maxsize=4)
def _task(text: str, metric: str) -> Task | ProgramTask:
    return _base(text).form(metric)


def _played(task: Task | ProgramTask, walk: Walk) -> Plan:
    """The plan of a walk; a move that would undo the one before is avoided if another one is possible."""
    start, able_in, plan_of = _of_programs(task) if isinstance(task, ProgramTask) else _of_operators(task)
    state, steps, last = start, [], None
    for choice in walk:
        able = able_in(state)
        other = [(step, after) for step, after in able if last is None or after != last] or able
        if not other:
            break
        step, after = other[choice % len(other)]
        last, state = state, after
        steps.append(step)
    return plan_of(steps)


Playing = tuple[Any, Callable[[Any], list[tuple[Any, Any]]], Callable[[list[Any]], Plan]]
"""The initial state; a function that gives each step that is possible in a state, with the state after it; and one
that makes a plan of steps."""


def _of_operators(task: Task) -> Playing:
    def able(state: frozenset[int]) -> list[tuple[Any, Any]]:
        return [(op, apply(state, op)) for op in task.operators if state.issuperset(op.pre)]

    return frozenset(task.init), able, Plan.of


def _of_programs(task: ProgramTask) -> Playing:
    space = ProgramSpace(task)
    return space.start, lambda state: [(step, after) for step, _, after in space.steps(state)], space.plan
