"""Doors: a box that stands in one is pushed on at once.

A *door* is a cell with two neighbours, opposite each other, which no way connects but the one through it, and which is
no goal:

    #####      The box stands in a door, between a and b; the player gets to a. Of all that could be pushed now, only
    #  a$b ..  the box in the door is, to b. (If the player cannot get to a, other boxes have to be pushed first.)
    #####

Let S be a state with an object in a door, and let the walker get to a. On every plan from S the object leaves the door
at some time, as it is no goal; the first push that moves it is made from a, since until then nobody gets to the other
side. Let X be the pushes before that one. They are all of objects on the walker's side: none of them enters the door,
nor the other side. So b is as free in S as it is after X, and the push to b can be made first. After it, X can be made
from the door and the walker's side, where only more is free than before; then the walker, who in the plan came to a
last, is in the same region as after the push from a. So some plan of the same length begins with that push, and by
induction on the length there is one in which this is so in every state.

Objects may stand in several doors with the walker at them: then one of these pushes comes first, that of the door with
the smallest number, and the others stay possible. (That is the smallest case of PI-corral pruning, see
`deadlocks.corrals`, in which nothing depends on where other objects are; so a model can state it as a clause.)
"""

from __future__ import annotations

from dataclasses import dataclass

from ..models.task import Task
from .deadlocks.corrals import pushes_only
from .movable_objects import find_movable_objects


@dataclass(frozen=True, slots=True)
class DoorPush:
    """With `box` true and the walker getting to `cell`, operator `push` comes next, or one of `before`: pushes from
    doors of smaller numbers.
    """

    box: int
    cell: int
    push: int
    before: tuple[int, ...]


def find_doors(task: Task) -> tuple[DoorPush, ...]:
    """The pushes from doors, of a task of pushes along one cell by a walker who walks for nothing; else none."""
    objects = find_movable_objects(task)
    if not pushes_only(task, objects):
        return ()
    assert task.walker is not None
    near = [{other for other in cells if objects.walkable[other]} for cells in task.walker.neighbours]
    leaving: dict[int, list[int]] = {}
    for op, (before, _) in enumerate(objects.moves.tolist()):
        leaving.setdefault(before, []).append(op)
    found: list[DoorPush] = []
    earlier: tuple[int, ...] = ()
    for place, cell in enumerate(objects.covers.tolist()):
        if objects.target[place] or not _parts(near, cell):
            continue
        for op in leaving.get(place, ()):
            walk = task.operators[op].walk
            assert walk is not None
            found.append(DoorPush(int(objects.fact[place]), walk[0], op, earlier))
        earlier += tuple(leaving.get(place, ()))
    return tuple(found)


def _parts(near: list[set[int]], cell: int) -> bool:
    """Whether a cell has two neighbours that no way connects but the one through it."""
    if len(near[cell]) != 2:
        return False
    start, end = near[cell]
    seen, queue = {cell, start}, [start]
    for here in queue:
        new = near[here] - seen
        seen |= new
        queue += new
    return end not in seen
