"""Doors: a box that stands in one is pushed on at once.

A *door* is a cell that is no goal and has two neighbours, opposite each other: without the door, no way leads from one
to the other.

    #########    The box stands in a door, between the cells a and b. The player gets to a. Whatever else could be
    #   #   #    pushed now, the box in the door comes first, to b. (Were a closed off by another box, that one would
    # @a$b. #    have to be pushed first.)
    #   #   #
    #########

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
    """If fact `box` is true, an object stands in the door, and the walker gets to `cell`, beside it, then operator
    `push` is next, or one of `before`: the pushes from doors with smaller numbers.
    """

    box: int
    cell: int
    push: int
    before: tuple[int, ...]


def find_doors(task: Task) -> tuple[DoorPush, ...]:
    """The pushes from doors, of a task of pushes along one cell by a walker who walks for nothing; else none."""
    if task.walker is None:
        return ()
    objects = find_movable_objects(task)
    if not pushes_only(task, objects):
        return ()
    near = [{other for other in cells if objects.walkable[other]} for cells in task.walker.neighbours]
    leaving: dict[int, list[int]] = {}
    for op, (before, _) in enumerate(objects.moves.tolist()):
        leaving.setdefault(before, []).append(op)
    pushes: list[DoorPush] = []
    earlier: tuple[int, ...] = ()
    for place, cell in enumerate(objects.covers.tolist()):
        if objects.target[place] or not _separates(near, cell):
            continue
        for op in leaving.get(place, ()):
            walk = task.operators[op].walk
            assert walk is not None
            pushes.append(DoorPush(int(objects.fact[place]), walk[0], op, earlier))
        earlier += tuple(leaving.get(place, ()))
    return tuple(pushes)


def _separates(near: list[set[int]], cell: int) -> bool:
    """Whether a cell has two neighbours, and every way from one to the other goes through it."""
    if len(near[cell]) != 2:
        return False
    start, end = near[cell]
    seen, queue = {cell, start}, [start]
    for here in queue:
        new = near[here] - seen
        seen |= new
        queue += new
    return end not in seen
