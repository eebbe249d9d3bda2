"""Potential heuristics: lower bounds that are sums of a weight for each true fact (Pommerening, Helmert, Röger and
Seipp, *From non-negative to general operator cost partitioning*, AAAI 2015).

Here the weights come from the matching of objects to goal positions. Let d(p, c) be the distance from position p to
column c of the goal, for an object that is alone on the board. A minimum-cost matching bounds the steps that are left,
and so does, by linear programming duality (Kuhn, *The Hungarian method*, 1955), for any potentials v

    h(state) = sum over columns c of v(c)  +  sum over objects at p of min over c of (d(p, c) - v(c)).

With the potentials of a matching in the initial state, h is exact there, as far as matching goes; with v = 0 it adds up
the distances to the nearest goals. Such a sum is linear in the facts of a layer (a time step), so a model states it as
one inequality, where it could not state the matching. The steps from the initial state are bounded in the same way.

With a walker, d depends on the side of the object on which the walker is: a box in a door is one push from a goal in
the room if the player is outside, and three if the player is inside and has to push it out first. Then an object weighs
what it does on the side where that is least, and more on each other side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.task import Task
from ..runtime.arrays import Bytes
from .bitset_task import BitsetTask, cost_key
from .distances import distances
from .matching import assignment, match
from .movable_objects import MovableObjects
from .object_arrays import INFINITE

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PotentialHeuristic:
    """The sum of the `weights` (F) of a state's true facts, plus `constant`, is at most `scale` times some steps.

    With a walker, each of `sides` that holds adds to it: (a fact, cells of the walker, how much).
    """

    weights: tuple[int, ...]
    constant: int
    sides: tuple[tuple[int, frozenset[int], int], ...] = ()
    scale: int = 1

    def value(self, facts: tuple[int, ...], cell: int = -1) -> int:
        """The bound in a state given by its true facts and the walker's cell (-1: anywhere)."""
        true = set(facts) if self.sides and cell >= 0 else set()
        more = sum(extra for fact, cells, extra in self.sides if fact in true and cell in cells)
        return -(-(self.constant + sum(self.weights[f] for f in facts) + more) // self.scale)


def potentials_to_goal(task: Task, packed: BitsetTask, objects: MovableObjects) -> tuple[PotentialHeuristic, ...]:
    """Bounds on the steps that are left, from the distances to the goal. Empty if the goal is out of reach, or asks
    for no place of an object.

    The sides on which the walker can stand are distinguished where that raises the bound of the initial state.
    """
    if not objects.rows:
        return ()
    side, dist = distances(packed, objects)
    sides, nodes = objects.sides, len(objects.fact) * objects.sides
    one_step = cost_key((1, *[0] * (len(task.metric) - 1)))
    dist = np.where(dist < INFINITE, dist // one_step, INFINITE)
    at = _initial(task, objects)
    nearest = np.vstack([dist[:nodes].reshape(-1, sides, dist.shape[1]).min(axis=1), dist[nodes:]])
    ahead = _potentials(task, objects, nearest, np.concatenate([at, np.arange(len(objects.fact), len(nearest))]))
    if sides == 1:
        return ahead
    rows = np.concatenate([at * sides + side[at, packed.start], np.arange(nodes, len(dist))])
    by_side = _potentials(task, objects, dist, rows, side)
    values = [max((bound.value(task.init, packed.start) for bound in bounds), default=0) for bounds in (ahead, by_side)]
    return by_side if values[1] > values[0] else ahead


def potentials_from_start(task: Task, objects: MovableObjects) -> tuple[PotentialHeuristic, ...]:
    """Bounds on the steps that were made, from the distances from where the objects are at first.

    Empty unless the goal has one position for each object: exact bounds need to know where they end.
    """
    if objects.rows != objects.count or len(objects.meets) != objects.count:
        return ()
    if (objects.meets.sum(axis=1) != 1).any():
        return ()
    ends: NDArray[np.int64] = np.argmax(objects.meets, axis=1)
    return _potentials(task, objects, _distances_from_start(objects, _initial(task, objects)), ends)


def _initial(task: Task, objects: MovableObjects) -> NDArray[np.int64]:
    """(count): the places of the objects in the initial state."""
    return np.array([int(objects.place[f]) for f in task.init if objects.place[f] >= 0], np.int64)


def _potentials(
    task: Task, objects: MovableObjects, dist: Table, rows: NDArray[np.int64], side: Bytes | None = None
) -> tuple[PotentialHeuristic, ...]:
    """The two heuristics from distances (rows, C): exact where the objects are at `rows`, and with v = 0.

    `dist` has a row for each place, or with `side` (P, K) one for each side of each place, and then the spare ones.
    """
    columns, sides = dist.shape[1], objects.sides if side is not None else 1
    heuristics: list[PotentialHeuristic] = []
    work = assignment(columns)
    if len(rows) == columns:
        work.where[:] = rows
        if match(dist, work) < 0:
            return ()
    nodes = len(objects.fact) * sides
    for low in (work.low, np.zeros(columns, np.int64)):
        least = np.where(dist < INFINITE, dist - low, INFINITE).min(axis=1)
        by_side = least[:nodes].reshape(-1, sides)
        weights, more = [0] * len(task.facts), []
        for place, fact in enumerate(objects.fact.tolist()):
            # A place from which the goal is out of reach is excluded by h^m, and needs no weight.
            nearest = by_side[place].min()
            weights[fact] = int(nearest) if nearest < INFINITE else 0
            if side is not None and sides > 1:
                more += _sides(fact, side[place], by_side[place])
        constant = int(low.sum() + least[nodes:].sum())
        bound = PotentialHeuristic(tuple(weights), constant, tuple(more))
        if bound not in heuristics and (any(weights) or more):
            heuristics.append(bound)
    return tuple(heuristics)


def _sides(fact: int, side: Bytes, weight: NDArray[np.int64]) -> list[tuple[int, frozenset[int], int]]:
    """What a fact weighs more on some sides than on the one where it weighs least; cells of the same weight together.

    `side` (K): the side that each cell of the walker is on; `weight` (sides). (Sides from which the goal is out of
    reach are excluded by h^m.)
    """
    values = np.where(weight < INFINITE, weight, weight.min())[side]
    if weight.min() >= INFINITE:
        return []
    more = sorted(set(values.tolist()) - {int(weight.min())})
    return [(fact, frozenset(np.flatnonzero(values == v).tolist()), int(v - weight.min())) for v in more]


def _distances_from_start(objects: MovableObjects, init: NDArray[np.int64]) -> Table:
    """(P, count): the least number of operators that bring each of the objects from its first place to each, alone."""
    places = len(objects.fact)
    after: list[list[int]] = [[] for _ in range(places)]
    for before, there in objects.moves.tolist():
        if before >= 0:
            after[before].append(there)
    dist = np.full((places, len(init)), INFINITE, np.int64)
    for column, start in enumerate(init.tolist()):
        dist[start, column] = 0
        queue = [start]
        for place in queue:
            for other in after[place]:
                if dist[other, column] == INFINITE:
                    dist[other, column] = dist[place, column] + 1
                    queue.append(other)
    return dist
