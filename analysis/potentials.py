"""Linear bounds and parities of a task, from its things and how far each is from where it has to go.

A minimum-cost matching of things to goal places bounds the steps that are left, and so does, by linear programming
duality (Kuhn 1955), every sum of potentials that nowhere exceeds the distances: `min over c of d(p, c) - v(c)` for a
thing at place p, and v(c) for each column c of the goal. With the potentials v of a matching in the initial state the
sum is exact there; with v = 0 it adds up the nearest goals. Such a sum is linear in the facts of a layer, so a model
can state it where it could not state the matching. The steps from the initial state are bounded in the same way.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..models.task import Task
from ..runtime.outcome import Budget
from .bitset_task import BitsetTask, cost_key, to_bitset_task
from .deadlocks.freeze import boards
from .deadlocks.tables import dead_sets
from .distances import INFINITE, distances
from .matching import assignment, match
from .movable_objects import MovableObjects, find_movable_objects
from .plan_invariants import Invariants, PotentialHeuristic

Table = NDArray[np.int64]

Changes = dict[int, dict[int, tuple[int, int]]]
"""For each group the operators that replace one fact of it by another, and those two facts."""


def find_invariants(task: Task, budget: Budget) -> Invariants:
    """The invariants of a task all of whose steps are single operators."""
    if task.compound_moves or not task.operators or not task.goal or any(op.cost[0] != 1 for op in task.operators):
        return Invariants()
    changes = _changes(task)
    parity, colour = _parity(task, changes), _turns(task, changes)
    packed = to_bitset_task(task)
    things = find_movable_objects(task, packed)
    if not things.count:
        return Invariants(parity=parity, colour=colour)
    _, dist = distances(packed, things)
    init = np.array([int(things.place[f]) for f in task.init if things.place[f] >= 0])
    spare = np.arange(len(things.fact) * things.sides, len(dist))
    nearest = dist[: len(things.fact) * things.sides].reshape(len(things.fact), things.sides, -1).min(axis=1)
    nearest = np.vstack([nearest, dist[spare]])
    nearest = np.where(nearest < INFINITE, nearest // cost_key((1, *[0] * (len(task.metric) - 1))), INFINITE)
    rows = np.concatenate([init, np.arange(len(things.fact), len(nearest))])
    to_goal = _potentials(task, things, nearest, rows)
    behind = _from_start(things, init)
    ends = _ends(things)
    from_start = _potentials(task, things, behind, ends) if ends is not None else ()
    return Invariants(to_goal, from_start, _dead(packed, things, budget), parity, colour)


def _potentials(task: Task, things: MovableObjects, dist: Table, rows: NDArray[Any]) -> tuple[PotentialHeuristic, ...]:
    """Linear bounds from distances (P + spare, C): exact where the things are at `rows`, and with no potentials."""
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
        for place, fact in enumerate(things.fact.tolist()):
            # A place from which the goal is out of reach is excluded by the layers, and needs no weight.
            weights[fact] = int(least[place]) if least[place] < INFINITE else 0
        constant = int(low.sum() + least[len(things.fact) :].sum())
        bound = PotentialHeuristic(tuple(weights), constant)
        if bound not in found and any(weights):
            found.append(bound)
    return tuple(found)


def _from_start(things: MovableObjects, init: NDArray[Any]) -> Table:
    """(P, count): the least number of operators that bring each of the first things to each place, alone."""
    places = len(things.fact)
    edges = [(int(a), int(b)) for a, b in things.moves if a >= 0]
    after: list[list[int]] = [[] for _ in range(places)]
    for a, b in edges:
        after[a].append(b)
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


def _ends(things: MovableObjects) -> NDArray[Any] | None:
    """The places of the things in goal states, if there is one set of them only."""
    if things.rows != things.count or len(things.meets) != things.count or (things.meets.sum(axis=1) != 1).any():
        return None
    ends: NDArray[Any] = np.argmax(things.meets, axis=1)
    return ends


def _dead(packed: BitsetTask, things: MovableObjects, budget: Budget) -> tuple[tuple[int, ...], ...]:
    """The smallest sets of places from which the things cannot reach the goal, wherever the walker is."""
    made = boards(packed, things)
    if not made.freezes:
        return ()
    lost = dead_sets(packed, things, made.useful, budget)
    if lost.size == 0:
        return ()
    places = len(things.fact)
    sets = np.array(list(combinations(range(places), lost.size)), np.int64).reshape(-1, lost.size)
    ranks = sum(lost.choose[sets[:, i], i + 1] for i in range(lost.size))
    alive = lost.alive[ranks].any(axis=1)
    found: list[tuple[int, ...]] = []
    for size in range(lost.size, 0, -1):
        # A smaller set is alive if a larger one that contains it is.
        shape = (places,) * (size - 1)
        smaller = np.zeros(shape, np.bool_)
        parts = [np.delete(sets, i, axis=1) for i in range(size)]
        for part in parts:
            smaller[tuple(part[alive].T)] = True
        minimal = ~alive
        for part in parts:
            minimal &= smaller[tuple(part.T)]
        found += [tuple(sorted(things.fact[list(places)].tolist())) for places in sets[minimal].tolist()]
        if size > 1:
            sets = np.array(list(combinations(range(places), size - 1)), np.int64).reshape(-1, size - 1)
            alive = smaller[tuple(sets.T)]
    return tuple(found)


def _parity(task: Task, changes: Changes) -> int | None:
    """The parity of all plans, if every operator moves one thing between places of two colours and the end is known.

    What an operator moves is decided by the first group in which it replaces one fact by another.
    """
    moved: dict[int, list[tuple[int, int]]] = {}
    for number in range(len(task.operators)):
        group = min((g for g, pairs in changes.items() if number in pairs), default=None)
        if group is None:
            return None
        moved.setdefault(group, []).append(changes[group][number])
    colour = _two_colours(len(task.facts), [pair for pairs in moved.values() for pair in pairs])
    if colour is None:
        return None
    places = {fact for g in moved for fact in task.groups[g].facts}
    if sum(task.groups[g].count for g in moved) != len(places.intersection(task.init)):
        return None  # groups that overlap
    ends = [clause[0] for clause in task.goal if len(clause) == 1 and clause[0] in places]
    if any(len(set(task.groups[g].facts).intersection(ends)) != task.groups[g].count for g in moved):
        return None
    return sum(colour[f] for f in (*places.intersection(task.init), *ends)) % 2


def _turns(task: Task, changes: Changes) -> dict[int, int] | None:
    """Facts of groups of one which every operator changes between two colours: after how many steps, modulo 2."""
    turns: dict[int, int] = {}
    for g, pairs in changes.items():
        group = task.groups[g]
        if group.count != 1 or len(pairs) < len(task.operators):
            continue
        colour = _two_colours(len(task.facts), list(pairs.values()))
        if colour is not None:
            first = next(colour[f] for f in task.init if f in group.facts)
            turns.update({fact: (colour[fact] - first) % 2 for fact in group.facts})
    return turns or None


def _changes(task: Task) -> Changes:
    """For each group the operators that replace one fact of it by another, and those two facts."""
    groups_of = task.groups_of
    changes: dict[int, dict[int, tuple[int, int]]] = {}
    for number, op in enumerate(task.operators):
        old, new = (
            {g: [f for f in facts if g in groups_of[f]] for f in facts for g in groups_of[f]}
            for facts in (op.delete, op.add)
        )
        for g in old.keys() & new.keys():
            if len(old[g]) == 1 == len(new[g]):
                changes.setdefault(g, {})[number] = (old[g][0], new[g][0])
    return changes


def _two_colours(nodes: int, edges: list[Any]) -> list[int] | None:
    """Colours 0 and 1 such that every edge joins two of them, or None."""
    near: list[list[int]] = [[] for _ in range(nodes)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    colour = [-1] * nodes
    for start in range(nodes):
        if colour[start] >= 0:
            continue
        colour[start] = 0
        queue = [start]
        for node in queue:
            for other in near[node]:
                if colour[other] < 0:
                    colour[other] = 1 - colour[node]
                    queue.append(other)
                elif colour[other] == colour[node]:
                    return None
    return colour
