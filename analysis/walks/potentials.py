"""Lower bounds on what a walker's steps and pushes cost together: potential heuristics over (object's place, cell).

The matching of objects to goals counts pushes. Where every step of the walker costs the same, whether it pushes or not,
most of a plan's cost is walking, and nothing of that may be added object by object: while the walker pushes one box it
may be on its way to the other side of another. A linear program (`program`) finds weights whose sum is nevertheless a
lower bound: those that say most of the initial state.

Weights are integers, in parts of 1 / `SCALE`. They are made from the solution of the program, whose rounding errors
nobody knows. So the most that a step can lower their sum, and its value in goal states, are computed anew from the
integers: soundness rests on that alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Flags, Int, Ints, Longs
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from ..bitset_task import BitsetTask, cost_key
from ..deadlocks.freeze import Boards
from ..object_arrays import MovableObjects
from .program import Reals, Room, WalkProgram, classes, room_of, rows_of

# Constraints of the linear program, for which the initial state waits, at most (nearly): a tenth of a second.
MOST_ROWS = 2_500

# How often weights are made smaller until no step lowers their sum by more than 1.
SCALINGS = 5

SHIFT = 20
SCALE = 1 << SHIFT
"""Weights are integers in units of 1 / `SCALE` of a step."""


RADII = (64, 12, 8, 6, 5, 4, 3, 2, 1, 0)
"""Radii of the linear programs (see `program`) to be tried; the first with few enough constraints is taken."""

NONE = -(1 << 40)
"""Stands for no value: less than any that a function can have."""


class WalkPotentials(NamedTuple):
    """`weight` (P, K), `cell` (K): for pairs of a place and the walker's cell, and for the cell. Each step costs `unit`
    or more; if that is 0, nothing is known.
    """

    weight: Ints
    cell: Longs
    unit: int


def no_walk_potentials() -> WalkPotentials:
    """Nothing is known."""
    return WalkPotentials(np.zeros((0, 0), np.int32), np.zeros(0, np.int64), 0)


def as_integers(room: Room, weight: Reals, cell: Reals) -> tuple[Longs, Longs] | None:
    """The weights (P, K) and (K) in parts of 1 / `SCALE`, so that no step lowers their sum by more than `SCALE` and no
    goal state has more than 0. None if they cannot be made so.
    """
    scale = float(SCALE - 2 * room.objects - 8)
    for _ in range(SCALINGS):
        whole, base = np.rint(weight * scale).astype(np.int64), np.rint(cell * scale).astype(np.int64)
        fall = greatest_fall(room, whole, base)
        if fall <= SCALE:
            end = value_at_goal(room, whole, base)
            fits = end > NONE and np.abs(whole).max(initial=0) < 1 << 31
            return (whole, base - end) if fits else None
        scale *= (SCALE - 1) / fall
    return None


def greatest_fall(room: Room, weight: Longs, cell: Longs) -> int:
    """The most by which a walk or a push lowers the sum of weights."""
    u, v = room.steps.T
    most = int((largest_falls(room, weight, u, v, room.objects) + cell[u] - cell[v]).max(initial=NONE))
    if not len(room.pushes):
        return most
    p, q, u, v = room.pushes.T
    without = np.zeros((len(weight), len(p)), np.bool_)
    without[p, np.arange(len(p))] = without[q, np.arange(len(p))] = True
    others = largest_falls(room, weight, u, v, room.objects - 1, without)
    return max(most, int((others + weight[p, u] - weight[q, v] + cell[u] - cell[v]).max()))


def largest_falls(room: Room, weight: Longs, u: Longs, v: Longs, count: int, without: Flags | None = None) -> Longs:
    """For steps of the walker from cells u to v: the `count` largest decreases of places' weights, where positive."""
    possible = room.possible[:, u] & room.possible[:, v]
    possible &= (room.cover[:, None] != u) & (room.cover[:, None] != v)
    if without is not None:
        possible &= ~without
    falls = np.where(possible, np.maximum(weight[:, u] - weight[:, v], 0), 0)
    largest: Longs = np.sort(falls, axis=0)[len(falls) - min(count, len(falls)) :].sum(axis=0)
    return largest


def value_at_goal(room: Room, weight: Longs, cell: Longs) -> int:
    """The largest sum of weights in any goal state that is reached by a push."""
    most = NONE
    for _, q, _, v in room.pushes.tolist():
        others = [g for g in np.flatnonzero(room.target).tolist() if g != q and room.cover[g] != v]
        if room.target[q] and len(others) >= room.objects - 1:
            largest = sorted((int(weight[g, v]) for g in others), reverse=True)[: room.objects - 1]
            most = max(most, int(weight[q, v] + cell[v]) + sum(largest))
    return most


def walk_potentials(
    task: Task, packed: BitsetTask, objects: MovableObjects, boards: Boards, budget: Budget
) -> WalkPotentials:
    """The potentials of a task with a walker; nothing, if steps of the walker are not what the task counts."""
    assert task.walker is not None
    unit = min([cost_key(task.walker.cost), *packed.cost.tolist()])
    program = program_of(packed, objects, boards, MOST_ROWS) if unit > 0 else None
    if program is None:
        return no_walk_potentials()
    at = [int(objects.place[f]) for f in task.init if objects.place[f] >= 0]
    weights = program.maximise(at, packed.start, budget.remaining / 10)
    made = weights and as_integers(program.room, *weights)
    return WalkPotentials(made[0].astype(np.int32), made[1], unit) if made else no_walk_potentials()


def program_of(packed: BitsetTask, objects: MovableObjects, boards: Boards, most: int) -> WalkProgram | None:
    """The program of the largest radius that has about `most` constraints or fewer; None if there is none."""
    room = room_of(packed, objects, boards.useful, boards.side[0], boards.dist[0])
    if room is None:
        return None
    for radius in RADII:
        number = classes(room, boards.side[0], radius)
        if rows_of(room, number) <= most:
            return WalkProgram(room, number)
    return None


def root_walk_value(potentials: WalkPotentials, at: Longs, cell: int) -> int:
    """What the player has to walk at least from the initial state: `walk_value`, for callers in Python."""
    total = int(potentials.weight[at, cell].sum() + potentials.cell[cell])
    return int((max(0, total) + SCALE - 1) >> SHIFT) * potentials.unit


@njit(inner=True)
def walk_value(potentials: WalkPotentials, at: Longs, cell: Int) -> int:
    """The value in a state with objects at places `at` and the walker in `cell`, as a key of a cost.

    By definition `unit` times the sum of `weight[p, cell]` over p in `at` and `cell[cell]`, in steps, rounded up; at
    least 0.
    """
    weight, total = potentials.weight, long(potentials.cell[cell])
    for i in range(len(at)):
        total += weight[at[i], cell]
    value: int = ((max(long(0), total) + (SCALE - 1)) >> SHIFT) * potentials.unit
    return value
