"""Sokoban: a player walks on free cells and pushes boxes, one at a time, until every box stands on a goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .core.limits import Invalid, Limits
from .core.problem import Cost
from .pieces import moves_of
from .reading import Cell, StateGraph, only_keys, other_form, rows_of, shifted

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

    def cost(self, plan: str, metric: str, file: str, limits: Limits) -> Cost:
        """Replay a plan and count. Raises `Invalid` at a step that the rules forbid, and if a box is not on a goal.

        A move of a box is a row of pushes; before each the player walks by a shortest way to behind the box. A move of
        the player is a walk.
        """
        boxes, player = set(self.boxes), self.player
        counts = {"pushes": 0, "moves": 0}
        for number, (cell, path) in enumerate(moves_of(plan, file), 1):
            limits.tick()
            if cell not in boxes and cell != player:
                raise Invalid("neither a box nor the player stands there", file, number)
            pushed = cell in boxes
            for way in path:
                limits.tick()
                if pushed:
                    row, column = shifted(cell, way)
                    behind = (2 * cell[0] - row, 2 * cell[1] - column)
                    steps = self._walk(boxes, player, behind, limits)
                    if steps is None or not self._free(boxes, (row, column)):
                        raise Invalid(f"the box cannot be pushed {way}", file, number)
                    boxes.remove(cell)
                    boxes.add((row, column))
                    counts["pushes"] += 1
                    counts["moves"] += steps
                    player, cell = cell, (row, column)
                else:
                    player = shifted(player, way)
                    if not self._free(boxes, player):
                        raise Invalid(f"the player cannot walk {way}", file, number)
                counts["moves"] += 1
        if not boxes <= self.goals:
            raise Invalid("a box is not on a goal at the end of the plan", file)
        return tuple(counts[part] for part in metric.split(","))

    def _free(self, boxes: set[Cell], cell: Cell) -> bool:
        return cell in self.open and cell not in boxes

    def _walk(self, boxes: set[Cell], start: Cell, end: Cell, limits: Limits) -> int | None:
        """The number of steps of a shortest walk; None if there is no way."""
        steps = {start: 0}
        for here in (queue := [start]):  # grows while it is read
            limits.tick()
            if here == end:
                return steps[here]
            for there in (shifted(here, way) for way in "UDLR"):
                if there not in steps and self._free(boxes, there):
                    steps[there] = steps[here] + 1
                    queue.append(there)
        return None


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


# The positions of a level of Sokoban, and the moves between them.
#
# Cells are bits of one integer, row by row, each row one bit wider than the map, so that a shift by 1 or by the width
# is a step and nothing wraps around.

Position = tuple[int, int]


class BoxGame(StateGraph):
    """A level, step by step. A position is the boxes and the player's cell. A push is a step of the
    player, too; each costs what is counted of it: `pushes`, `moves`, or both."""

    def __init__(self, level: Level, count: str, limits: Limits) -> None:
        self.parts = count.split(",")
        self.nothing: Cost = (0,) * len(self.parts)
        self.width = max(map(len, level.rows)) + 1
        self.floor, self.goals = self.mask(level.open), self.mask(level.goals)
        self.shifts = (1, -1, self.width, -self.width)
        self.limits = limits
        self.size = 120 + 2 * self.width * (len(level.rows) + 2) // 7
        self.start: Position = self.mask(level.boxes), self.mask(frozenset((level.player,)))

    def mask(self, cells: frozenset[Cell]) -> int:
        """Cells as one integer, with a bit for each."""
        return sum(1 << ((r + 1) * self.width + c + 1) for r, c in cells)

    def solved(self, position: Position) -> bool:
        """Whether every box stands on a goal."""
        return not position[0] & ~self.goals

    def successors(self, position: Position) -> Iterator[tuple[Cost, Position]]:
        """The positions after one step of the player, each with its cost."""
        boxes, player = position
        walk = tuple(int(part == "moves") for part in self.parts)
        push = (1,) * len(self.parts)
        free = self.floor & ~boxes
        for by in self.shifts:
            self.limits.tick()
            there = moved(player, by)
            if there & free:
                yield walk, (boxes, there)
            elif there & boxes and moved(there, by) & free:
                yield push, (boxes ^ there ^ moved(there, by), there)


def moved(mask: int, by: int) -> int:
    """The cells of a mask, moved by one step in the direction of `by`."""
    return mask << by if by > 0 else mask >> -by
