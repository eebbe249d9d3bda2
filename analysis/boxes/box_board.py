"""Boards with boxes, found in a task: a player on a grid who pushes equal boxes, one at a time, onto goals.

Nothing but the task is read, so Sokoban is understood whoever wrote its rules: the family `sokoban`, a custom
definition, a PDDL domain. A task is such a board if

- its walker steps between neighbouring cells of a grid,
- each operator moves a box from the cell in front of the walker to the next one, and the walker to where the box was,
- each push that the cells allow is an operator, and all cost the same,
- the goal asks for nothing but a box on each goal, or, of more goals than boxes, for every box to be on a goal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...models.cells import Cell, shift
from ...models.task import OperatorTask
from ...runtime.arrays import Ints
from ..movable_objects import MovableObjects, find_movable_objects

LETTERS = ("U", "D", "L", "R")
"""The directions in the order in which boards number them: the opposite of direction d is d ^ 1."""


@dataclass(frozen=True, slots=True)
class BoxBoard:
    """Boxes on the F cells of a room, numbered in the order of `cells`; everything else is wall, the cell number F.

    `neighbour` (F+1, 4): the cell next to each in each direction. `push` (F, 4): the operator that pushes a box on a
    cell in a direction, -1 if there is none; `box` (F): the fact that a box stands on a cell, -1 on a dead square.
    `boxes`, `goals`: cells, at least as many goals as boxes; `player`: a
    cell.
    """

    cells: tuple[Cell, ...]
    neighbour: Ints = field(compare=False, repr=False)
    push: Ints = field(compare=False, repr=False)
    box: Ints = field(compare=False, repr=False)
    boxes: tuple[int, ...]
    goals: tuple[int, ...]
    player: int


@dataclass(frozen=True, slots=True)
class NotBoxes:
    """Why a task is no board with boxes: a clause to go on with, `no player walks`."""

    reason: str


def find_box_board(task: OperatorTask) -> BoxBoard | NotBoxes:
    """The board with boxes that a task is, or why it is none; looked for once for each task."""
    return task.computed(_box_board)


def _box_board(task: OperatorTask) -> BoxBoard | NotBoxes:
    walker = task.walker
    if walker is None:
        return NotBoxes("no player walks from push to push")
    neighbour = grid(walker.cells)
    wall = len(walker.cells)
    for cell, near in enumerate(walker.neighbours):
        if set(near) != {*neighbour[cell].tolist()} - {wall}:
            return NotBoxes("the player's steps are not those between neighbouring cells of a grid")
    objects = find_movable_objects(task)
    if objects.sides == 1 or (np.diff(objects.covers_first) != 1).any():
        return NotBoxes("not every move pushes one of several equal boxes, each on one cell")
    push = _pushes(task, objects, neighbour)
    if push is None:
        return NotBoxes("not every move pushes a box one cell ahead, or not every such push is a move of the same cost")
    goals = _goals(task, objects)
    if goals is None:
        return NotBoxes("the goal is not a box on each goal, or each box on a goal")
    boxes = objects.covers[objects.place[[fact for fact in task.init if objects.place[fact] >= 0]]]
    box = np.full(wall, -1, np.int32)
    box[objects.covers] = objects.fact
    return BoxBoard(
        cells=walker.cells,
        neighbour=neighbour,
        push=push,
        box=box,
        boxes=tuple(sorted(boxes.tolist())),
        goals=goals,
        player=walker.start,
    )


def grid(cells: tuple[Cell, ...]) -> Ints:
    """(F+1, 4): the cell next to each in each direction, F for a wall and next to it."""
    number = {cell: i for i, cell in enumerate(cells)}
    neighbour = np.full((len(cells) + 1, 4), len(cells), np.int32)
    for cell, i in number.items():
        neighbour[i] = [number.get(shift(cell, letter), len(cells)) for letter in LETTERS]
    return neighbour


def _pushes(task: OperatorTask, objects: MovableObjects, neighbour: Ints) -> Ints | None:
    """(F, 4): the operators by the cell of the box and direction; None if they are not all pushes, and all of them."""
    assert task.walker is not None
    free, cover, fact = task.walker.free, objects.covers.tolist(), objects.fact.tolist()
    push = np.full((len(free), 4), -1, np.int32)
    for o, (op, (before, after)) in enumerate(zip(task.operators, objects.moves.tolist(), strict=True)):
        here, there = cover[before], cover[after]
        assert op.walk is not None
        behind, stands = op.walk
        for d in range(4):
            if (neighbour[here, d], neighbour[here, d ^ 1], here) == (there, behind, stands) and push[here, d] < 0:
                push[here, d] = o
                break
        else:
            return None
        needed = {fact[before], free[there]}
        if set(op.delete) != needed or set(op.add) != {fact[after], free[here]}:
            return None
        # Where the walker stands it is free, whether the operator asks for it or not.
        if {*op.pre, free[behind]} != needed | {free[behind]} or op.cost != task.operators[0].cost:
            return None
    places = {*cover}
    for here in places:
        for d in range(4):
            possible = neighbour[here, d] in places and neighbour[here, d ^ 1] < len(free)
            if possible != (push[here, d] >= 0):
                return None
    start = {*task.init}
    stand = {cell for cell, place in zip(cover, fact, strict=True) if place in start}
    return push if all((fact in start) != (cell in stand) for cell, fact in enumerate(free)) else None


def _goals(task: OperatorTask, objects: MovableObjects) -> tuple[int, ...] | None:
    """The cells on which boxes are wanted; None if the goal asks for anything else."""
    assert task.walker is not None
    cell_of = dict(zip(objects.fact.tolist(), objects.covers.tolist(), strict=True))
    cell_kept_free = {task.walker.free[cell]: cell for cell in cell_of.values()}
    if any(len(clause) > 1 for clause in task.goal):
        return None
    wanted = {fact for (fact,) in task.goal}
    with_box = {cell_of[fact] for fact in wanted & cell_of.keys()}
    empty = {cell_kept_free[fact] for fact in wanted & cell_kept_free.keys()}
    if len(wanted) != len(with_box) + len(empty) or with_box & empty:
        return None
    if len(with_box) == objects.count:
        return tuple(sorted(with_box))
    goals = {*cell_of.values()} - empty
    return tuple(sorted(goals)) if not with_box and len(goals) >= objects.count else None
