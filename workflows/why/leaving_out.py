"""Leaving out one piece: what the optimum is without it, a bound that shows which pieces matter.

Sound where a piece is nothing but an obstacle: vehicles and blocks that the goal does not name. A plan of the whole
puzzle, without the piece's moves, is one of the puzzle without it; so the optimum without it is never larger.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ...engines.common.reachable import hint
from ...models.puzzle import Puzzle
from ...models.task import GroupKind, Task
from ...runtime.budget import Budget

PIECES = {"rush-hour": "vehicles", "sliding-block": "pieces"}
"""Families whose pieces only stand in each other's way, and where their puzzles keep them."""


def without_one(puzzle: Puzzle, metric: str, task: object, budget: Budget) -> dict[str, int]:
    """For each single piece that may be left out, the optimum without it; nothing where that would not be sound, and
    not those for which there was no time. `task`: that of the puzzle, whose groups say which pieces are single.

    The puzzle without the piece is grounded anew: what the piece makes impossible is not in the task of the whole one.
    """
    if puzzle.family not in PIECES or not isinstance(task, Task):
        return {}
    wanted = {fact for clause in task.goal for fact in clause}
    found = {}
    for group in task.groups:
        if group.kind is GroupKind.OBJECT and group.count == 1 and wanted.isdisjoint(group.facts):
            if budget.stopped():
                break
            answer = hint(without(puzzle, [group.name]).task(metric), budget)
            if answer.distance is not None:
                found[group.name] = answer.distance
    return found


def without(puzzle: Puzzle, letters: Collection[str]) -> Puzzle:
    """A puzzle of a family of `PIECES` without some of its pieces."""
    key = PIECES[puzzle.family]
    left = tuple(piece for piece in getattr(puzzle.value, key) if piece.letter not in letters)
    return replace(puzzle, value=replace(puzzle.value, **{key: left}))
