"""Conflicts for models: what they add to a potential heuristic, in the initial state and in every layer.

`box_conflicts` proves that disjoint sets of objects add their conflicts to the matching, in any state. A potential
heuristic h is never above the matching (`potentials`). So with disjoint sets S of a state's objects

    h(state) + sum of conflict(S)  <=  steps that are left.

In the initial state it is known where the walker is, and sets of two to four objects are chosen greedily, as by A*.
In a layer of a model it is not: there a set of two or three counts with its least conflict, wherever the walker is, and
only the largest of the sets that are there counts. Sets are kept whose conflict is larger than that of each part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from ..models.task import Task
from ..runtime.budget import Budget
from .bitset_task import BitsetTask
from .box_conflicts import LOST, Conflicts, find_conflicts
from .deadlocks.freeze import Boards
from .movable_objects import MovableObjects

# Conflicts for bounded models are found if their table has at most this many entries: many models are solved in a
# fraction of a second.
MOST_ENTRIES = 20_000_000

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ConflictSet:
    """While all these facts (in order) are true, a plan needs `extra` steps more than a potential heuristic says."""

    facts: tuple[int, ...]
    extra: int


def conflict_tables(task: BitsetTask, objects: MovableObjects, boards: Boards, budget: Budget) -> list[Conflicts]:
    """Tables of the conflicts of two, three and four objects: those small enough to be filled in a fraction of a
    second.
    """
    tables: list[Conflicts] = []
    for size in (2, 3, 4):
        if comb(len(objects.fact), size) * len(task.free_bit) > MOST_ENTRIES:
            break
        table = find_conflicts(task, objects, boards, size, budget)
        if not table.unit:
            break
        tables.append(table)
    return tables


def conflict_at_start(task: Task, objects: MovableObjects, tables: Sequence[Conflicts]) -> int:
    """What the conflicts of disjoint sets of objects add in the initial state: the largest first."""
    if task.walker is None:
        return 0
    at = np.array(sorted(int(objects.place[f]) for f in task.init if objects.place[f] >= 0), np.int64)
    conflicts: list[tuple[int, tuple[int, ...]]] = []
    for table in tables:
        sets = np.array(list(combinations(at.tolist(), table.size)), np.int64).reshape(-1, table.size)
        extra = table.extra[_numbers(table, sets), task.walker.start]
        conflicts += [
            (int(extra[i]), tuple(sets[i].tolist())) for i in np.flatnonzero((extra > 0) & (extra < LOST)).tolist()
        ]
    total, taken = 0, set[int]()
    for extra_of, places in sorted(conflicts, key=lambda conflict: (-conflict[0], len(conflict[1]))):
        if taken.isdisjoint(places):
            taken.update(places)
            total += extra_of
    return total


def conflict_sets(objects: MovableObjects, tables: Sequence[Conflicts]) -> tuple[ConflictSet, ...]:
    """The sets whose conflict is larger than that of each of their subsets."""
    minimal: list[ConflictSet] = []
    smaller: Numbers = np.zeros(len(objects.fact), np.int64)
    for table in tables:
        size = table.size
        sets = np.array(list(combinations(range(len(objects.fact)), size)), np.int64).reshape(-1, size)
        parts: Numbers = np.zeros(len(sets), np.int64)
        for i in range(size):
            np.maximum(parts, smaller[_numbers(table, np.delete(sets, i, axis=1))], out=parts)
        least: Numbers = np.maximum(table.extra[_numbers(table, sets)].min(axis=1), parts)
        for which in np.flatnonzero((least > parts) & (least < LOST)).tolist():
            facts = objects.fact[sets[which]].tolist()
            minimal.append(ConflictSet(tuple(sorted(facts)), int(least[which])))
        smaller = np.empty(len(sets), np.int64)
        smaller[_numbers(table, sets)] = least
    return tuple(minimal)


def _numbers(table: Conflicts, sets: Numbers) -> Numbers:
    """The numbers of sets of places in a table of sets of that size."""
    total: Numbers = sum((table.choose[sets[:, i], i + 1] for i in range(sets.shape[1])), np.zeros(len(sets), np.int64))
    return total
