"""Sokoban as a planning task: boxes that share their facts, and the player as its walker.

Two simplifications, neither of which loses a plan:
- *dead squares* (Junghanns and Schaeffer, *Sokoban: Enhancing general single-agent search methods using
  domain knowledge*, 2001): where a box could not be pulled to from any goal, it could never be pushed to a
  goal from, and there is no operator that pushes it there;
- *frozen boxes*: a box that can never move again is a wall if it stands on a goal, and what only it gave
  access to is outside; if it stands elsewhere, there is no plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...boxes import BoxBoard, pulled_from, to_task
from ...cells import DIRECTIONS, Cell, place, shift
from ...cost import Metric
from ...task import Task
from ..units import MOVE
from .puzzle import PUSH, Sokoban

WALKING = {PUSH: 0, MOVE: 1}
"""The cost of a step without a push, in each unit; a push costs 1 in both."""


@dataclass(frozen=True, slots=True)
class LevelRoom:
    """What matters of a level: the cells inside, and the boxes and goals there that are not settled.

    `reach[g]` are the cells from which a single box could be pushed to goal g.
    """

    inside: frozenset[Cell]
    boxes: frozenset[Cell]
    goals: frozenset[Cell]
    reach: dict[Cell, frozenset[Cell]]

    @property
    def live(self) -> frozenset[Cell]:
        """The cells from which a box can be pushed to some goal; all others are dead squares."""
        return frozenset().union(*self.reach.values())


def survey(puzzle: Sokoban) -> tuple[LevelRoom, str | None]:
    """The room in which boxes can move, with frozen boxes on goals as walls; and why no plan exists, if that is
    found.
    """
    fixed: frozenset[Cell] = frozenset()
    room = _room(puzzle, fixed)
    while True:
        frozen = _frozen(room)
        stuck = min(frozen - puzzle.goals, default=None)
        if stuck is not None:
            return room, f"the box at {place(stuck)} can never be moved to a goal"
        if not frozen:
            return room, _unmatched(room)
        fixed |= frozen
        smaller = _room(puzzle, fixed)
        lost = min(room.boxes - frozen - smaller.boxes - puzzle.goals, default=None)
        if lost is not None:
            return room, f"the box at {place(lost)} is behind boxes that can never move"
        fixed |= room.boxes - smaller.boxes
        room = smaller


def _room(puzzle: Sokoban, fixed: frozenset[Cell]) -> LevelRoom:
    inside = {puzzle.player}
    queue = [puzzle.player]
    for cell in queue:
        for direction in DIRECTIONS:
            target = shift(cell, direction)
            if target not in inside and target not in fixed and puzzle.is_open(target):
                inside.add(target)
                queue.append(target)
    goals = puzzle.goals & inside
    reach = {goal: pulled_from([goal], inside) for goal in goals}
    return LevelRoom(frozenset(inside), puzzle.boxes & inside, goals, reach)


def _frozen(room: LevelRoom) -> frozenset[Cell]:
    """The boxes that can never move: the largest set of which none could be the first to be pushed.

    A box cannot be pushed along an axis if a wall or a box of the set stands on either side of it, or if both
    sides are dead squares.
    """
    frozen, live = set(room.boxes), room.live

    def movable(box: Cell) -> bool:
        for pair in ("LR", "UD"):
            sides = [shift(box, direction) for direction in pair]
            blocked = any(side in frozen or side not in room.inside for side in sides)
            if not blocked and any(side in live for side in sides):
                return True
        return False

    while loose := {box for box in frozen if movable(box)}:
        frozen -= loose
    return frozenset(frozen)


def _unmatched(room: LevelRoom) -> str | None:
    """Why the boxes cannot each have a goal of their own that they can reach, in a sentence; None if they can."""
    owner: dict[Cell, Cell] = {}

    def settle(box: Cell) -> set[Cell] | None:
        """Give a box a goal, moving other boxes to other goals (an augmenting path); if none is left, the goals it
        tried.
        """
        came: dict[Cell, Cell] = {}
        queue = [box]
        for other in queue:
            for goal in sorted(room.goals):
                if goal in came or other not in room.reach[goal]:
                    continue
                came[goal] = other
                if goal in owner:
                    queue.append(owner[goal])
                    continue
                current: Cell | None = goal
                while current is not None:
                    taker = came[current]
                    released = next((g for g, b in owner.items() if b == taker), None)
                    owner[current] = taker
                    current = released
                return None
        return set(came)

    for box in sorted(room.boxes):
        short = settle(box)
        if short == set():
            return f"the box at {place(box)} can never reach a goal"
        if short:
            return f"{len(short) + 1} boxes can reach only {len(short)} of the goals"
    return None


def to_box_board(puzzle: Sokoban, metric: Metric) -> BoxBoard:
    """The view of a level as boxes in a room: frozen boxes on goals are walls, as in the task."""
    return _box_board(puzzle, metric, *survey(puzzle))


def _box_board(puzzle: Sokoban, metric: Metric, room: LevelRoom, why: str | None) -> BoxBoard:
    push, walk = (1,) * len(metric.units), tuple(WALKING[unit] for unit in metric.units)
    boxes, goals = tuple(sorted(room.boxes)), tuple(sorted(room.goals))
    return BoxBoard(tuple(sorted(room.inside)), boxes, goals, puzzle.player, push, walk, why)


def ground(puzzle: Sokoban, metric: Metric) -> Task:
    """The task of the boxes and goals that are not settled (`boxes.to_task`)."""
    return to_task(to_box_board(puzzle, metric), metric.components)


def complete(puzzle: Sokoban, metric: Metric) -> Task:
    """The task of all boxes and goals inside, with pushes onto dead squares."""
    board = _box_board(puzzle, metric, _room(puzzle, frozenset()), None)
    return to_task(board, metric.components, dead_squares=True)
