"""A view of puzzles in which a player pushes boxes: for engines that plan with boxes, regions and rooms.

A family offers this view in its record. An engine that reads it knows nothing of the family, of its files or its rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from .cells import Cell
from .cost import Cost


@dataclass(frozen=True, slots=True)
class BoxBoard:
    """Boxes on the cells of a room, and a player who pushes one at a time; solved if every box stands on a goal.

    `cells`, in reading order: where the player could get if there were no boxes; everything else is wall. `boxes` and
    `goals` are among them, and there are at least as many goals as boxes. `push` and `walk`: what a step of the player
    costs in the metric asked for, one number for each of its components. `unsolvable_because` says why there is no
    plan, if that is seen at once.
    """

    cells: tuple[Cell, ...]
    boxes: tuple[Cell, ...]
    goals: tuple[Cell, ...]
    player: Cell
    push: Cost
    walk: Cost
    unsolvable_because: str | None = None
