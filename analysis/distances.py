"""How far each thing is from each goal place when it is alone on the board.

The distance of a thing alone is the cost of the operators that move it, whatever else they need; with a walker, the
part of the board (the *side*) counts from which the walker comes, as it cannot pass the thing itself. These projections
are abstractions in the sense of Edelkamp (*Planning with pattern databases*, 2001); with a player they are the pull
distances of Junghanns and Schaeffer (*Sokoban: enhancing general single-agent search methods using domain knowledge*,
2001).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..runtime.kernel_cache import njit
from .bitset_task import BitsetTask

if TYPE_CHECKING:
    from .movable_objects import MovableObjects

INFINITE = 1 << 60
"""The distance of what cannot be reached."""


def distances(task: BitsetTask, things: MovableObjects) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """(side, dist) on a board without other things; see `project`."""
    shut = np.zeros(max(1, len(things.fact)), np.uint8)
    return empty_tables(task, things, shut)


def empty_tables(
    task: BitsetTask, things: MovableObjects, shut: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """(side, dist) on a board where things stand for ever at the places that are `shut`."""
    side = np.zeros((len(things.fact), max(1, len(task.free_bit))), np.uint8)
    dist = np.full((len(things.fact) * things.sides + len(things.spare), things.rows), INFINITE, np.int64)
    project(task, things, shut, side, dist)
    return side, dist


@njit(cache=True)
def project(task: Any, things: Any, shut: Any, side: Any, dist: Any) -> None:
    """Fill `side` (P, K) and `dist` (P * sides + spare, C).

    `side[p, w]`: the side on which a walker in cell w is of a thing at p (0: one from which it moves the thing
    nowhere, if sides are told apart). `dist[p * sides + s, c]`: the least cost of operators that move a thing
    alone from p to a place that fills column c, the walker being on side s at first (1, if a carry may be as long as
    it likes). Things at places that are
    `shut` never move, and are in the way. The rows after those are the spare ones.
    """
    places, sides = len(things.fact), things.sides
    dist[:] = INFINITE
    dist[places * sides :] = things.spare
    side[:] = 0
    usable = np.zeros(len(things.moves), np.uint8)
    for o in range(len(things.moves)):
        if things.moves[o, 0] >= 0 and not shut[things.moves[o, 0]]:
            usable[o] = 1
            for i in range(things.bars_first[o], things.bars_first[o + 1]):
                if shut[things.bars[i]]:
                    usable[o] = 0
    if sides > 1:
        _mark_sides(task, things, shut, usable, side)
    queue = np.empty(places * sides + 1, np.int64)
    queued = np.zeros(places * sides, np.uint8)
    for c in range(len(things.meets)):
        head, tail, waiting = 0, 0, 0
        for p in range(places):
            if things.meets[c, p]:
                for s in range(sides):
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
            for i in range(things.arriving_first[p], things.arriving_first[p + 1]):
                o = things.arriving[i]
                if not usable[o]:
                    continue
                before = things.moves[o, 0]
                from_node = before * sides
                if sides > 1:
                    if side[p, task.walk[o, 1]] != s:
                        continue
                    from_node += side[before, task.walk[o, 0]]
                total = dist[node, c] + things.cost[o]
                if total < dist[from_node, c]:
                    dist[from_node, c] = total
                    if not queued[from_node]:
                        queued[from_node] = 1
                        queue[tail] = from_node
                        tail = tail + 1 if tail + 1 < len(queue) else 0
                        waiting += 1
    if len(task.displacement):
        for node in range(places * sides):
            for c in range(len(things.meets)):
                if 0 < dist[node, c] < INFINITE:
                    dist[node, c] = 1


@njit(cache=True)
def _mark_sides(task: Any, things: Any, shut: Any, usable: Any, side: Any) -> None:
    cells = len(task.free_bit)
    passable = things.walkable.copy()
    for p in range(len(things.fact)):
        if shut[p]:
            for i in range(things.covers_first[p], things.covers_first[p + 1]):
                passable[things.covers[i]] = 0
    reached = np.zeros(cells, np.int64)
    stack = np.empty(cells, np.int64)
    stamp = 0
    for p in range(len(things.fact)):
        stamp += 1
        for i in range(things.covers_first[p], things.covers_first[p + 1]):
            reached[things.covers[i]] = stamp
        number = 0
        for i in range(things.leaving_first[p], things.leaving_first[p + 1]):
            o = things.leaving[i]
            start = task.walk[o, 0]
            if not usable[o] or side[p, start] or not passable[start] or reached[start] == stamp:
                continue
            number += 1
            side[p, start] = number
            reached[start] = stamp
            stack[0] = start
            height = 1
            while height > 0:
                height -= 1
                cell = stack[height]
                for j in range(task.near_first[cell], task.near_first[cell + 1]):
                    other = task.near[j]
                    if passable[other] and reached[other] != stamp:
                        reached[other] = stamp
                        side[p, other] = number
                        stack[height] = other
                        height += 1
