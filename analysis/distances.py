"""How far each movable object is from each goal place when it is alone on the board.

The distance of an object alone is the cost of the operators that move it, whatever else they need. Leaving out all
other objects only removes preconditions, so no plan moves the object there at less cost: an abstraction in the sense of
Edelkamp (*Planning with pattern databases*, 2001).

With a walker (Sokoban's player) an object cannot be passed, so it matters on which *side* of it the walker is: a part
of the board that the walker gets about in while the object stays.

    #######
    #@ $ .#     From the left side the box is two pushes from the goal. From the right one it is infinitely far: on this
    #######     board the walker never gets to its left.

With a player these are the pull distances of Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search
methods using domain knowledge*, 2001).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Bytes, Int, Longs, zeros
from ..runtime.kernel_calls import njit
from .bitset_task import BitsetTask
from .movable_objects import INFINITE, MovableObjects


class Projection(NamedTuple):
    """Scratch of `project` for N operators, P places and K cells.

    `usable` (N): whether an operator moves an object on this board. `queue` (P * sides + 1), `queued` (P * sides):
    nodes whose distance has fallen. `cells` (3, K): of a walk.
    """

    usable: Bytes
    queue: Longs
    queued: Bytes
    cells: Longs


def projection(task: BitsetTask, objects: MovableObjects) -> Projection:
    """The scratch arrays of `project` for a task."""
    nodes = len(objects.fact) * objects.sides
    return zeros(Projection, nodes, usable=len(objects.moves), queue=nodes + 1, cells=(3, len(task.free_bit)))


def distances(task: BitsetTask, objects: MovableObjects) -> tuple[Bytes, Longs]:
    """(side, dist) on a board without other objects; see `project`."""
    side = np.zeros((len(objects.fact), max(1, len(task.free_bit))), np.uint8)
    dist = np.empty((len(objects.fact) * objects.sides + len(objects.spare), objects.rows), np.int64)
    project(task, objects, np.zeros(len(objects.fact), np.uint8), side, dist, projection(task, objects))
    return side, dist


@njit()
def project(
    task: BitsetTask, objects: MovableObjects, shut: Bytes, side: Bytes, dist: Longs, scratch: Projection
) -> None:
    """Fill `side` (P, K) and `dist` (P * sides + spare, C).

    `side[p, w]`: the side on which a walker in cell w is of an object at p (0: one from which it moves the object
    nowhere, if sides are distinguished). `dist[p * sides + s, c]`: the least cost of operators that move an object
    alone from p to a place that fills column c, the walker being on side s at first (1, if a compound move may be as
    long as it likes). Objects at places that are `shut` never move, and are in the way. The rows after those are the
    spare ones.
    """
    places, sides, columns = len(objects.fact), objects.sides, dist.shape[1]
    moves, bars_first, bars, usable = objects.moves, objects.bars_first, objects.bars, scratch.usable

    # 1. No distance is known but those of the spare rows.
    for node in range(places * sides):
        for c in range(columns):
            dist[node, c] = INFINITE
    for i in range(len(dist) - places * sides):
        for c in range(columns):
            dist[places * sides + i, c] = objects.spare[i, c]

    # 2. The operators that move an object which is not shut, and that no shut one bars.
    for o in range(len(moves)):
        usable[o] = moves[o, 0] >= 0 and not shut[moves[o, 0]]
        for i in range(bars_first[o], bars_first[o + 1]):
            if shut[bars[i]]:
                usable[o] = 0

    # 3. The sides of each place, then the distances to each column.
    if sides > 1:
        _mark_sides(task, objects, shut, side, scratch)
    for c in range(len(objects.meets)):
        _to_column(task, objects, side, dist, c, scratch)

    # 4. A compound move costs 1, however long it is.
    if len(task.displacement):
        for node in range(places * sides):
            for c in range(columns):
                if 0 < dist[node, c] < INFINITE:
                    dist[node, c] = 1


@njit(inner=True)
def _to_column(
    task: BitsetTask, objects: MovableObjects, side: Bytes, dist: Longs, c: Int, scratch: Projection
) -> None:
    """Write the distances to column `c`, backward from the places that fill it.

    A node is a place and a side. A node whose distance falls waits in a queue (a ring) to have its predecessors looked
    at again: the method of Bellman and Ford, a breadth-first search where all operators cost the same.
    """
    sides, walk, moves, cost = objects.sides, task.walk, objects.moves, objects.cost
    arriving_first, arriving = objects.arriving_first, objects.arriving
    usable, queue, queued = scratch.usable, scratch.queue, scratch.queued
    head, tail, waiting = 0, 0, 0
    for p in range(len(objects.fact)):
        for s in range(sides):
            queued[p * sides + s] = 0
            if objects.meets[c, p]:
                dist[p * sides + s, c] = 0
                queue[tail] = p * sides + s
                queued[p * sides + s] = 1
                tail += 1
                waiting += 1
    if tail == len(queue):
        tail = 0
    while waiting > 0:
        node = queue[head]
        head = head + 1 if head + 1 < len(queue) else 0
        waiting -= 1
        queued[node] = 0
        p, s = node // sides, node % sides
        for i in range(arriving_first[p], arriving_first[p + 1]):
            o = arriving[i]
            # The operator leaves the walker on a side of p: it has to be this one.
            if not usable[o] or (sides > 1 and side[p, walk[o, 1]] != s):
                continue
            before = moves[o, 0]
            other = before * sides + (side[before, walk[o, 0]] if sides > 1 else 0)
            total = dist[node, c] + cost[o]
            if total < dist[other, c]:
                dist[other, c] = total
                if not queued[other]:
                    queued[other] = 1
                    queue[tail] = other
                    tail = tail + 1 if tail + 1 < len(queue) else 0
                    waiting += 1


@njit(inner=True)
def _mark_sides(task: BitsetTask, objects: MovableObjects, shut: Bytes, side: Bytes, scratch: Projection) -> None:
    """Number in `side`, for each place, the parts of the board from which a walker moves an object there: 1, 2, ..."""
    cells, places = len(task.free_bit), len(objects.fact)
    near_first, near, walk = task.near_first, task.near, task.walk
    covers_first, covers = objects.covers_first, objects.covers
    leaving_first, leaving, walkable = objects.leaving_first, objects.leaving, objects.walkable
    usable, passable, stack = scratch.usable, scratch.cells[0], scratch.cells[1]
    reached = scratch.cells[2]  # the last place past an object on which the walker came to this cell
    for cell in range(cells):
        passable[cell], reached[cell] = walkable[cell], -1
    for p in range(places):
        if shut[p]:
            for i in range(covers_first[p], covers_first[p + 1]):
                passable[covers[i]] = 0
    for p in range(places):
        for cell in range(cells):
            side[p, cell] = 0
        for i in range(covers_first[p], covers_first[p + 1]):
            reached[covers[i]] = p
        number = 0
        for i in range(leaving_first[p], leaving_first[p + 1]):
            o = leaving[i]
            start = walk[o, 0]
            if not usable[o] or side[p, start] or not passable[start] or reached[start] == p:
                continue
            number += 1
            side[p, start] = number
            reached[start] = p
            stack[0] = start
            height = 1
            while height > 0:
                height -= 1
                cell = stack[height]
                for j in range(near_first[cell], near_first[cell + 1]):
                    other = near[j]
                    if passable[other] and reached[other] != p:
                        reached[other] = p
                        side[p, other] = number
                        stack[height] = other
                        height += 1
