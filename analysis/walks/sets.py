"""What a set of two to four objects costs more, walks included, than a function of `walk_potentials` says.

A function h charges a state for its objects one by one. With c the most that a step lowers it, a step that costs one
and takes h from h(s) to h(t) has the *reduced cost* c - (h(s) - h(t)) >= 0, in parts of a step, and a plan of L steps
from s has

    c L  =  h(s) - h(goal) + sum of the reduced costs of its steps  >=  h(s) + that sum.

Reduced costs are 0 where h is right, and positive where a step leads astray: to make way for another object, or around
one. The table has, for each set of m places and each of the walker's cells, the least sum with which the objects there
come to goals, found by Dijkstra's algorithm backward. Other objects are left out. What they may contribute to a fall of
h is bounded: the n-m largest falls, or the push of one of them and the n-m-1 largest ones. This is a pattern database
(Culberson and Schaeffer 1998) of the task with reduced costs (Felner, Korf and Hanan, *Additive pattern database
heuristics*, 2004; Seipp, Keller and Helmert, *Saturated cost partitioning*, 2020).

Walks serve several sets at once, so the entries of two sets do not add: the largest counts.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.arrays import Bytes, Int, Ints, Longs
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from ..deadlocks.tables import LARGEST, rank_of, unrank
from ..tunables import TUNABLES
from .potentials import greatest_fall, largest_falls, value_at_goal
from .program import Reals, Room

Table = NDArray[np.uint16]

PARTS = (128, 120, 144, 160, 168, 180)
"""Parts of a step in which a function may be rounded for its table. Most weights are fractions with small denominators;
that is taken with which a step lowers the rounded function by hardly more than 1.
"""

LOST = 65_535
"""From this set the goal is out of reach."""

MOST = LOST - 1
"""The largest entry; more counts as that."""


BYTES = 40
"""Held for each entry, while the table is filled."""


class WalkSets(NamedTuple):
    """`extra` (sets, K): the least sum of reduced costs, for sets of `size` places and the walker's cells, in parts;
    `LOST`. A set's number: see `deadlocks.tables`, `choose` as there. `weight` (P, K), `cell` (K): the function, `step`
    parts a step. A step costs `unit`; if that is 0, nothing is known.
    """

    size: int
    extra: Table
    choose: Longs
    weight: Ints
    cell: Longs
    step: int
    unit: int


class Moves(NamedTuple):
    """The steps backward. `into_first`, `into` (E): walks by the cell that they lead to, as numbers; `walk_from` (E):
    where they begin; `walk_cost` (E): what they cost but for the objects of the set. `arriving_first`, `arriving`:
    pushes by the walker's cell after them; `push` (O, 3): places before and after, the walker's cell before;
    `push_cost` (O). `cover` (P), `possible` (P, K): as in `Room`.
    """

    into_first: Ints
    into: Ints
    walk_from: Longs
    walk_cost: Longs
    arriving_first: Ints
    arriving: Ints
    push: Longs
    push_cost: Longs
    cover: Longs
    possible: Bytes


class Waiting(NamedTuple):
    """Entries by their sum: `entry` (E): set times K plus cell; `after` (E): the one below, or -1; `top` (MOST + 1):
    the one on top for each sum, or -1; `used` (1).
    """

    entry: Longs
    after: Ints
    top: Ints
    used: Longs


def no_walk_sets() -> WalkSets:
    """Nothing is known."""
    none = np.zeros((0, 0), np.int32)
    choose = np.zeros((1, LARGEST + 1), np.int64)
    return WalkSets(0, np.zeros((0, 0), np.uint16), choose, none, np.zeros(0, np.int64), 1, 0)


def size_for(room: Room) -> int:
    """The size of the largest sets whose table is affordable; 0 if there is none."""
    for size in range(min(LARGEST, room.objects), 1, -1):
        few = comb(room.objects, size) <= TUNABLES.walk_set_lookups
        if few and entries_of(room, size) <= TUNABLES.walk_set_entries:
            return size
    return 0


def entries_of(room: Room, size: int) -> int:
    """The entries of the table of sets of a size."""
    places, cells = room.possible.shape
    return comb(places, size) * int(cells)


def find_walk_sets(room: Room, weight: Reals, cell: Reals, unit: int, size: int, budget: Budget) -> WalkSets:
    """The table of a function for sets of a size. Nothing, if there is no room for it or the budget ends meanwhile."""
    if not budget.fits(BYTES * entries_of(room, size)):
        return no_walk_sets()
    parts, step = min(((n, greatest_fall(room, *_rounded(weight, cell, n))) for n in PARTS), key=lambda x: x[1] / x[0])
    whole, base = _rounded(weight, cell, parts)
    base -= value_at_goal(room, whole, base)
    places, cells = room.possible.shape
    choose = np.array([[comb(p, i) for i in range(LARGEST + 1)] for p in range(places + 1)], np.int64)
    moves = _moves(room, whole, base, step, size)
    extra = np.full((comb(places, size), cells), LOST, np.uint16)
    at, waiting, level = np.zeros(size, np.int64), _waiting(1 << 16), 0
    for number, value in _ends(room, whole, base, choose, size):
        if value < extra.ravel()[number]:
            extra.ravel()[number] = value
            if waiting.used[0] == len(waiting.entry):
                waiting = _longer(waiting)
            _wait(waiting, number, value)
    while level <= MOST:
        if budget.stopped():
            return no_walk_sets()
        level = _spread(moves, whole, choose, extra, waiting, at, level, TUNABLES.dead_set_quota)
        if waiting.used[0] + _ROOM > len(waiting.entry):
            waiting = _longer(waiting)
    return WalkSets(size, extra, choose, whole.astype(np.int32), base, step, unit)


def compile_kernels() -> None:
    """Compile what fills tables."""
    none, numbers = np.zeros(0, np.int32), np.zeros(0, np.int64)
    pairs, table = np.zeros((0, 0), np.int64), np.zeros((0, 0), np.uint16)
    moves = Moves(
        into_first=none,
        into=none,
        walk_from=numbers,
        walk_cost=numbers,
        arriving_first=none,
        arriving=none,
        push=pairs,
        push_cost=numbers,
        cover=numbers,
        possible=np.zeros((0, 0), np.uint8),
    )
    _spread.compile(moves, pairs, pairs, table, _waiting(1), numbers, 0, 0)


def _rounded(weight: Reals, cell: Reals, parts: int) -> tuple[Longs, Longs]:
    return np.rint(weight * parts).astype(np.int64), np.rint(cell * parts).astype(np.int64)


_ROOM = 64
"""More than the predecessors of an entry."""


def _moves(room: Room, weight: Longs, cell: Longs, step: int, size: int) -> Moves:
    """The steps, with what they cost but for the falls of the weights of the set's own objects."""
    cells, rest = len(cell), room.objects - size
    u, v = room.steps.T
    p, q, pu, pv = room.pushes.T
    without = np.zeros((len(weight), len(p)), np.bool_)
    without[p, np.arange(len(p))] = without[q, np.arange(len(p))] = True
    fall = largest_falls(room, weight, u, v, rest)
    pushed = weight[p, pu] - weight[q, pv]
    if rest:
        # A step from u to v that pushes an object which is not in the set looks like a walk.
        others = pushed + largest_falls(room, weight, pu, pv, rest - 1, without)
        number = {(int(a), int(b)): i for i, (a, b) in enumerate(room.steps)}
        for a, b, most in zip(pu.tolist(), pv.tolist(), others.tolist(), strict=True):
            fall[number[a, b]] = max(fall[number[a, b]], most)
    own = pushed + largest_falls(room, weight, pu, pv, rest, without)
    into_first, into = _by(v, cells)
    arriving_first, arriving = _by(pv, cells)
    return Moves(
        into_first=into_first,
        into=into,
        walk_from=np.ascontiguousarray(u),
        walk_cost=step - (cell[u] - cell[v]) - fall,
        arriving_first=arriving_first,
        arriving=arriving,
        push=np.ascontiguousarray(room.pushes[:, :3]),
        push_cost=step - (cell[pu] - cell[pv]) - own,
        cover=room.cover,
        possible=room.possible.astype(np.uint8),
    )


def _by(ends: Longs, cells: int) -> tuple[Ints, Ints]:
    """Numbers in the order of their ends, and where those of each end begin."""
    first = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=cells)))).astype(np.int32)
    return first, np.argsort(ends, kind="stable").astype(np.int32)


def _ends(room: Room, weight: Longs, cell: Longs, choose: Longs, size: int) -> list[tuple[int, int]]:
    """Entries of sets of goals, with the walker where a push to a goal leaves it: (number, least sum)."""
    targets = np.flatnonzero(room.target).tolist()
    found = []
    for v in sorted({v for _, q, _, v in room.pushes.tolist() if room.target[q]}):
        free = [g for g in targets if room.cover[g] != v]
        for chosen in combinations(free, size):
            others = sorted((int(weight[g, v]) for g in free if g not in chosen), reverse=True)
            if len(others) < room.objects - size:
                continue
            value = cell[v] + sum(weight[g, v] for g in chosen) + sum(others[: room.objects - size])
            rank = sum(int(choose[g, i + 1]) for i, g in enumerate(chosen))
            found.append((rank * len(cell) + v, min(MOST, max(0, -int(value)))))
    return found


def _waiting(room: int) -> Waiting:
    return Waiting(
        entry=np.zeros(room, np.int64),
        after=np.full(room, -1, np.int32),
        top=np.full(MOST + 1, -1, np.int32),
        used=np.zeros(1, np.int64),
    )


def _longer(waiting: Waiting) -> Waiting:
    longer = _waiting(2 * len(waiting.entry))
    longer.entry[: len(waiting.entry)], longer.after[: len(waiting.after)] = waiting.entry, waiting.after
    longer.top[:], longer.used[:] = waiting.top, waiting.used
    return longer


def _wait(waiting: Waiting, number: int, value: int) -> None:
    which = int(waiting.used[0])
    waiting.entry[which], waiting.after[which] = number, waiting.top[value]
    waiting.top[value] = which
    waiting.used[0] = which + 1


@njit(inner=True)
def _lower(extra: Table, waiting: Waiting, number: Int, cell: Int, value: Int) -> None:
    """Note that an entry has a smaller sum, if it has."""
    value = min(value, long(MOST))
    if extra[number, cell] <= value:
        return
    extra[number, cell] = value
    which = waiting.used[0]
    waiting.entry[which] = number * extra.shape[1] + cell
    waiting.after[which] = waiting.top[value]
    waiting.top[value] = which
    waiting.used[0] = which + 1


@njit(cache=True)
def _spread(
    moves: Moves, weight: Longs, choose: Longs, extra: Table, waiting: Waiting, at: Longs, level: int, quota: int
) -> int:
    """Look at `quota` entries at most, the least sum first (Dial's buckets); gives the sum that it has come to.

    An entry may wait more than once; only its least sum counts. Ends early if there is no room for the predecessors of
    one more. MOST + 1: nothing waits.
    """
    cells = extra.shape[1]
    for _ in range(quota):
        while level <= MOST and waiting.top[level] < 0:
            level += 1
        if level > MOST or waiting.used[0] + _ROOM > len(waiting.entry):
            break
        # 1. The entry on top: a set, and the walker in v.
        which = waiting.top[level]
        waiting.top[level] = waiting.after[which]
        number, v = waiting.entry[which] // cells, waiting.entry[which] % cells
        if extra[number, v] < level:
            continue
        unrank(choose, number, at)
        # 2. A walk from u, or the push of an object that is not in the set.
        for i in range(moves.into_first[v], moves.into_first[v + 1]):
            e = moves.into[i]
            u = moves.walk_from[e]
            cost, free = moves.walk_cost[e], True
            for place in at:
                cost -= weight[place, u] - weight[place, v]
                free = free and moves.cover[place] != u and moves.possible[place, u] == 1
            if free:
                _lower(extra, waiting, number, u, level + max(cost, long(0)))
        # 3. A push of one of the set from u.
        for i in range(moves.arriving_first[v], moves.arriving_first[v + 1]):
            o = moves.arriving[i]
            before, after, u = moves.push[o, 0], moves.push[o, 1], moves.push[o, 2]
            member = long(-1)
            cost, free = moves.push_cost[o], moves.possible[before, u] == 1
            for j in range(len(at)):
                if at[j] == after:
                    member = j
                    continue
                cost -= weight[at[j], u] - weight[at[j], v]
                free = free and moves.cover[at[j]] != u and at[j] != before and moves.possible[at[j], u] == 1
            if member < 0 or not free:
                continue
            at[member] = before
            earlier = rank_of(choose, at)
            _lower(extra, waiting, earlier, u, level + max(cost, long(0)))
            unrank(choose, number, at)
    return level


@njit(inner=True)
def walk_set_value(sets: WalkSets, at: Longs, cell: Int) -> int:
    """The lower bound of a state with objects at places `at`, ascending, the walker in `cell`; -1 if a set is lost.

    By definition: `unit` times the sum of the function and of the largest entry of a set of `size` of the places, in
    steps, rounded up.
    """
    n, size, choose, extra = len(at), sets.size, sets.choose, sets.extra
    total, most = sets.cell[cell], long(0)
    for i in range(n):
        total += sets.weight[at[i], cell]
    for j in range(1, n):
        for i in range(j):
            two = at[i] + choose[at[j], 2]
            for k in range(j + 1 if size > 2 else n - 1, n):
                three = two + choose[at[k], 3] if size > 2 else two
                for m in range(k + 1 if size > 3 else n - 1, n):
                    number = three + choose[at[m], 4] if size > 3 else three
                    value = long(extra[number, cell])
                    if value == LOST:
                        return -1
                    most = max(most, value)
    steps: int = max(long(0), (total + most + sets.step - 1) // sets.step)
    return steps * sets.unit
