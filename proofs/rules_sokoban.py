"""Sokoban: a player walks on free cells and pushes boxes, one at a time, until every box stands on a goal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .core.limits import Invalid, Limits
from .reading import Cell, only_keys, other_form, rows_of, shifted

PLAYER, BOX, GOAL = "@+", "$*", ".+*"
COUNTS = ("pushes", "moves", "pushes,moves", "moves,pushes")


@dataclass(frozen=True)
class Level:
    """A level. Cells that are not `open` are walls, or not on the map."""

    rows: tuple[str, ...]
    open: frozenset[Cell]
    goals: frozenset[Cell]
    boxes: frozenset[Cell]
    player: Cell

    def counted(self, metric: str) -> str | None:
        """The units of a metric; None if this checker does not know it."""
        return metric if metric in COUNTS else None


def read(fields: dict[str, Any], file: str, _limits: Limits) -> Level:
    """The level of a file."""
    only_keys(fields, {"map"})
    rows = ["" if row == "-" else row for row in rows_of(fields.get("map"), "map", file)]
    if not set().union(*rows) <= set("# " + PLAYER + BOX + GOAL):
        raise other_form("`map` has no characters but `#`, `@`, `+`, `$`, `*`, `.` and blanks", file)
    cells = {(r, c): char for r, row in enumerate(rows) for c, char in enumerate(row)}
    players = [cell for cell, char in cells.items() if char in PLAYER]
    boxes = frozenset(cell for cell, char in cells.items() if char in BOX)
    goals = frozenset(cell for cell, char in cells.items() if char in GOAL)
    if len(players) != 1 or not boxes or len(boxes) > len(goals):
        raise Invalid("a level has one player, and boxes, and at least as many goals", file)
    open_ = frozenset(cell for cell, char in cells.items() if char != "#")
    walked, seen = list(players), set(players)
    for here in walked:  # grows while it is read
        around = [shifted(here, way) for way in "UDLR"]
        if not cells.keys() >= set(around):
            raise Invalid("the border is open: the player can walk off the map", file)
        fresh = open_.intersection(around) - seen
        seen |= fresh
        walked += fresh
    return Level(tuple(rows), open_, goals, boxes, players[0])
