"""Minimum-cost perfect matching: each movable object gets a goal place of its own, as cheaply as possible.

The cost of the cheapest assignment of rows (objects) to columns (goal places) is a lower bound on the cost of a plan: a
plan brings each object to one place, different objects to different ones, no operator moves two, and each object costs
at least its distance (Junghanns and Schaeffer, *Sokoban: enhancing general single-agent search methods using domain
knowledge*, 2001). If there is no perfect matching, the state is a dead end.

The assignment problem is solved by shortest augmenting paths (the Hungarian method as in Jonker and Volgenant, *A
shortest augmenting path algorithm for dense and sparse linear assignment problems*, 1987). Each row i has a potential
`high[i]`, each column j a potential `low[j]`, so that no *reduced cost*

    dist[i, j] - high[i] - low[j]

is negative, and that of each assigned pair is 0. The sum of the potentials is then a lower bound on every assignment
(linear programming duality), and the cost of this one, which is therefore the cheapest. Example:

             c0  c1                                   high
        r0    1   3      r0 takes c0, then r1 wants    3      r0 - c1: 3 = 3 + 0
        r1    2   7      it: r0 steps aside to c1      4      r1 - c0: 2 = 4 - 2
                                              low  -2   0     3 + 4 - 2 + 0 = 5 = 3 + 2, the cheapest
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.arrays import Bytes, Int, Longs, zeros
from ..runtime.bitops import long
from ..runtime.kernel_calls import njit
from .movable_objects import INFINITE, MovableObjects

LOWEST = -(INFINITE >> 8)
"""The least potential with which a column begins where all rows are assigned anew."""


class Assignment(NamedTuple):
    """An assignment in progress, of n rows to n columns.

    `where` (n): the row of the distance table that stands for each row here. `column` (n) of each row, `row` (n) of
    each column: who is assigned to whom, or -1. `high` (n), `low` (n): the potentials of rows and columns.
    Scratch of a shortest path: `length` (n) of the path to each column, `came` (n): the column before it on that path
    (-1: none), `done` (n): whether the length is final.
    """

    where: Longs
    column: Longs
    row: Longs
    high: Longs
    low: Longs
    length: Longs
    came: Longs
    done: Bytes


def assignment(size: int) -> Assignment:
    """An empty assignment of `size` rows."""
    return zeros(Assignment, size, column=np.full(size, -1, np.int64), row=np.full(size, -1, np.int64))


@njit(inner=True)
def augment(dist: Longs, work: Assignment, free: Int) -> bool:
    """Assign row `free`, which has no column, along a shortest augmenting path. False if there is none.

    An augmenting path goes from the row to a column, from there to the row that has it, and so on to a column that
    nobody has; then each row on it takes the column after it. Dijkstra's algorithm finds the one of least reduced cost.
    """
    where, column, row, high, low = work.where, work.column, work.row, work.high, work.low
    length, came, done = work.length, work.came, work.done
    n = len(where)

    # 1. The row's potential is as high as its reduced costs allow. If the column of the least one is free, that is all.
    place, least, last = where[free], INFINITE, -1
    for j in range(n):
        length[j], done[j] = INFINITE, 0
        if dist[place, j] < INFINITE and dist[place, j] - low[j] < least:
            least, last = dist[place, j] - low[j], j
    if last < 0:
        return False
    high[free] = least
    if row[last] < 0:
        row[last], column[free] = free, last
        return True

    # 2. Dijkstra over columns. Row `current` was reached at cost `reach` through column `via`.
    # Invariant: length[j] is the least reduced cost of an alternating path from row `free` to column j through columns
    # that are done; edges that are assigned cost 0, so a column and its row are equally far.
    current, via, reach = free, -1, long(0)
    while True:
        last, least, place, paid = -1, INFINITE, where[current], reach - high[current]
        for j in range(n):
            if done[j]:
                continue
            cost = dist[place, j]
            if cost < INFINITE and paid + cost - low[j] < length[j]:
                length[j] = paid + cost - low[j]
                came[j] = via
            if length[j] < least:
                last, least = j, length[j]
        if last < 0:
            return False
        reach = least
        if row[last] < 0:
            break
        done[last] = 1
        current, via = row[last], last

    # 3. New potentials: reduced costs on the path become 0, none becomes negative.
    for j in range(n):
        if done[j]:
            low[j] += length[j] - reach
            high[row[j]] += reach - length[j]
    high[free] += reach

    # 4. Backward along the path, each column goes to the row before it.
    while True:
        before = came[last]
        owner = free if before < 0 else row[before]
        row[last] = owner
        column[owner] = last
        if before < 0:
            return True
        last = before


@njit()
def match(dist: Longs, work: Assignment) -> int:
    """Find the cheapest perfect matching of the rows named by `where`, from scratch: its cost, or -1 if there is no
    perfect one.

    `dist` (rows of the table, n): what each column costs; `INFINITE` where a row may not have it.
    """
    return rematch(dist, work, work, False)


@njit(inner=True)
def rematch(dist: Longs, before: Assignment, work: Assignment, same: bool) -> int:
    """Like `match`; if `same`, from the perfect matching `before` in `dist`, whose `where` may be another.

    A move changes the costs of one row, in general: only the rows that changed are assigned anew. The potentials stay
    valid for the others, as a row's potential does not occur in the reduced costs of another. Where all are assigned,
    the last potentials of the columns are as good a beginning as any: of a similar state they are the best.
    """
    where, column, row, high, low = work.where, work.column, work.row, work.high, work.low
    n = len(where)
    if same:
        # Rows whose costs are others are set free, with their columns. Potentials of the rest stay feasible, and each
        # row that is free costs one augmenting path, O(n^2), in place of n of them: O(n) where it gets its column back.
        for i in range(n):
            column[i], row[i] = before.column[i], before.row[i]
            high[i], low[i] = before.high[i], before.low[i]
        for i in range(n):
            if where[i] != before.where[i]:
                row[column[i]] = -1
                column[i] = -1
    else:
        # A call lowers potentials by at most 2 n times the largest cost, as an augmenting path leaves each column on it
        # at the potential of one that was free, but for the costs on the path. So they never get near `INFINITE`.
        for i in range(n):
            column[i], row[i], low[i] = -1, -1, max(low[i], LOWEST)
    for i in range(n):
        if column[i] < 0 and not augment(dist, work, i):
            return -1
    cost = long(0)
    for i in range(n):
        cost += dist[where[i], column[i]]
    return cost


@njit(inner=True)
def aim(objects: MovableObjects, side: Bytes, at: Longs, cell: Int, where: Longs) -> None:
    """Write the rows of the distance table for objects at places `at`, the walker being in `cell`; then the spare rows.

    `side` (P, K): see `distances.project`.
    """
    sides, n = objects.sides, len(at)
    for i in range(n):
        where[i] = at[i] * sides + (side[at[i], cell] if sides > 1 else 0)
    for i in range(n, len(where)):
        where[i] = len(objects.fact) * sides + i - n
