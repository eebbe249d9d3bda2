"""Which movable objects share a pattern database.

The value of a table over the sum of its objects' distances is what the objects cost each other. So those that get into
each other's way near where they end belong together; what one table does not see of them is lost.
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from ...models.task import Task
from ..structure import structure_of
from ..transition_graphs import TransitionGraph, TransitionGraphs

# All tables together have at most this many times the entries of the largest one.
TABLES = 8

# The most objects of one table.
MOST_OBJECTS = 24

# Partitions of the objects that are compared, the first at random like the others.
TRIES = 60

# Of more objects than this, only one partition is made.
FEW_OBJECTS = 32

# The share by which the weights between objects are changed at random, up or down, in each try (0: all alike).
NOISE = 0.4

Weights = NDArray[np.float64]


def partition(task: Task, transitions: TransitionGraphs, entries: int) -> list[tuple[TransitionGraph, ...]]:
    """Disjoint sets of objects, each with a goal among them, whose tables have at most `entries` entries each.

    Several partitions are built greedily, each with the weights between objects changed a little at random (always the
    same way). The one that separates the objects with the smallest sum of weights is taken.
    """
    objects = [graph for graph in transitions.graphs if graph.count == 1]
    weights = _closeness(task, objects)
    rng, noise = random.Random(0), NOISE
    best: tuple[float, list[list[int]]] = (-1.0, [])
    for _ in range(TRIES if len(objects) <= FEW_OBJECTS else 1):
        noisy = weights * np.array([[rng.uniform(1 - noise, 1 + noise) for _ in objects] for _ in objects])
        sets = _grow(objects, noisy + noisy.T, entries)
        score = sum(float(weights[np.ix_(chosen, chosen)].sum()) for chosen in sets)
        best = max(best, (score, sets), key=lambda scored: scored[0])
    return [tuple(objects[i] for i in chosen) for chosen in best[1]]


def _grow(objects: list[TransitionGraph], weights: Weights, entries: int) -> list[list[int]]:
    """Build sets greedily: begin with the object least tied to the others, then add the one most closely tied to the
    set.
    """
    remaining = set(range(len(objects)))
    sets: list[list[int]] = []
    room = TABLES * entries
    while seeds := [i for i in remaining if objects[i].has_goal and len(objects[i].facts) <= entries]:
        others = sorted(remaining)
        chosen = [min(seeds, key=lambda i: (float(weights[i, others].sum()), i))]
        size = len(objects[chosen[0]].facts)
        remaining.remove(chosen[0])
        while len(chosen) < MOST_OBJECTS:
            pull = weights[chosen].sum(axis=0)
            fitting = [
                i for i in remaining if size * len(objects[i].facts) <= entries and (objects[i].has_goal or pull[i] > 0)
            ]
            if not fitting:
                break
            following = max(fitting, key=lambda i: (float(pull[i]), objects[i].has_goal, -i))
            chosen.append(following)
            remaining.remove(following)
            size *= len(objects[following].facts)
        room -= size
        if room < 0:
            break
        sets.append(sorted(chosen))
    return sets


def _closeness(task: Task, objects: list[TransitionGraph]) -> Weights:
    """[i, j]: how many operators move object i to or from one of its goal positions and are barred by j on its own
    goal.
    """
    where = {fact: j for j, graph in enumerate(objects) for fact in graph.facts}
    weights = np.zeros((len(objects), len(objects)))
    for i, graph in enumerate(objects):
        for arc in graph.arcs:
            if arc.before in graph.ends or arc.after in graph.ends:
                for fact in barred_by(task, arc.operator):
                    j = where.get(fact, i)
                    if j != i and fact in objects[j].ends:
                        weights[i, j] += 1 / len(objects[j].ends) / len(graph.ends)
    return weights


def barred_by(task: Task, operator: int) -> set[int]:
    """The facts that are false in every state in which an operator is applicable."""
    required = task.operators[operator].pre
    return {f for fact in required for f in structure_of(task).excluded_by(fact)}.difference(required)
