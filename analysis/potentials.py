"""Potential heuristics: lower bounds that are sums of a weight for each true fact (Pommerening, Helmert, Röger and
Seipp, *From non-negative to general operator cost partitioning*, AAAI 2015).

Here the weights come from the matching of objects to goal positions. Let d(p, c) be the distance from position p to
column c of the goal, for an object that is alone on the board. A minimum-cost matching bounds the steps that are left,
and so does, by linear programming duality (Kuhn, *The Hungarian method*, 1955), for any potentials v

    h(state) = sum over columns c of v(c)  +  sum over objects at p of min over c of (d(p, c) - v(c)).

With the potentials of a matching in the initial state, h is exact there, as far as matching goes; with v = 0 it adds up
the distances to the nearest goals. Such a sum is linear in the facts of a layer (a time step), so a model states it as
one inequality, where it could not state the matching. The steps from the initial state are bounded in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..models.task import Task
from .bitset_task import BitsetTask, cost_key
from .distances import distances
from .matching import assignment, match
from .movable_objects import MovableObjects
from .object_arrays import INFINITE

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PotentialHeuristic:
    """The sum of the `weights` (F) of a state's true facts, plus `constant`, is at most a number of steps."""

    weights: tuple[int, ...]
    constant: int

    def value(self, facts: tuple[int, ...]) -> int:
        """The bound in a state given by its true facts."""
        return self.constant + sum(self.weights[f] for f in facts)


def potentials_to_goal(task: Task, packed: BitsetTask, objects: MovableObjects) -> tuple[PotentialHeuristic, ...]:
    """Bounds on the steps that are left, from the distances to the goal. Empty if the goal is out of reach."""
    _, dist = distances(packed, objects)
    count, sides = len(objects.fact), objects.sides
    # With a walker there is a row for each side of an object; the nearest counts, as a fact does not tell the side.
    nearest = np.vstack([dist[: count * sides].reshape(count, sides, -1).min(axis=1), dist[count * sides :]])
    one_step = cost_key((1, *[0] * (len(task.metric) - 1)))
    nearest = np.where(nearest < INFINITE, nearest // one_step, INFINITE)
    rows = np.concatenate([_initial(task, objects), np.arange(count, len(nearest))])
    return _potentials(task, objects, nearest, rows)


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
    task: Task, objects: MovableObjects, dist: Table, rows: NDArray[np.int64]
) -> tuple[PotentialHeuristic, ...]:
    """The two heuristics from distances (P + spare, C): exact where the objects are at `rows`, and with v = 0."""
    columns = dist.shape[1]
    found: list[PotentialHeuristic] = []
    work = assignment(columns)
    if len(rows) == columns:
        work.where[:] = rows
        if match(dist, work) < 0:
            return ()
    for low in (work.low, np.zeros(columns, np.int64)):
        least = np.where(dist < INFINITE, dist - low, INFINITE).min(axis=1)
        weights = [0] * len(task.facts)
        for place, fact in enumerate(objects.fact.tolist()):
            # A place from which the goal is out of reach is excluded by h^m, and needs no weight.
            weights[fact] = int(least[place]) if least[place] < INFINITE else 0
        constant = int(low.sum() + least[len(objects.fact) :].sum())
        bound = PotentialHeuristic(tuple(weights), constant)
        if bound not in found and any(weights):
            found.append(bound)
    return tuple(found)


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
