"""Minimum-cost perfect matching of things to the places that the goal wants filled.

Each thing needs a goal place of its own: the cheapest assignment is a lower bound (Junghanns and Schaeffer, *Sokoban:
enhancing general single-agent search methods using domain knowledge*, 2001). It is computed by shortest augmenting
paths over reduced costs (Jonker and Volgenant, *A shortest augmenting path algorithm for dense and sparse linear
assignment problems*, 1987); after a move, only the rows whose costs have changed are assigned anew.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..runtime.kernel_cache import njit
from .distances import INFINITE


class Assignment(NamedTuple):
    """An assignment in progress, of n rows to n columns.

    `where` (n): the row of the distance table that stands for each row here; `column` (n), `row` (n): who is
    assigned to whom, or -1; `high` (n), `low` (n): the dual values of rows and columns. The rest is scratch.
    """

    where: NDArray[np.int64]
    column: NDArray[np.int64]
    row: NDArray[np.int64]
    high: NDArray[np.int64]
    low: NDArray[np.int64]
    length: NDArray[np.int64]
    came: NDArray[np.int64]
    done: NDArray[np.uint8]


def assignment(size: int) -> Assignment:
    """An empty assignment of `size` rows."""
    return Assignment(
        np.zeros(size, np.int64),
        np.full(size, -1, np.int64),
        np.full(size, -1, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.uint8),
    )


@njit(cache=True)
def settle(dist: Any, work: Any, row: int) -> bool:
    """Assign a row that has no column, along a shortest augmenting path. False if there is none."""
    n = len(work.where)
    least = INFINITE
    for j in range(n):
        work.length[j] = INFINITE
        work.done[j] = 0
        if dist[work.where[row], j] < INFINITE:
            least = min(least, dist[work.where[row], j] - work.low[j])
    work.high[row] = least
    current, via, reach, last = row, -1, np.int64(0), -1
    while True:
        last = -1
        for j in range(n):
            if work.done[j]:
                continue
            cost = dist[work.where[current], j]
            if cost < INFINITE:
                length = reach + cost - work.high[current] - work.low[j]
                if length < work.length[j]:
                    work.length[j] = length
                    work.came[j] = via
            if work.length[j] < INFINITE and (last < 0 or work.length[j] < work.length[last]):
                last = j
        if last < 0:
            return False
        reach = work.length[last]
        if work.row[last] < 0:
            break
        work.done[last] = 1
        current, via = work.row[last], last
    for j in range(n):
        if work.done[j]:
            work.low[j] += work.length[j] - reach
            work.high[work.row[j]] += reach - work.length[j]
    work.high[row] += reach
    while True:
        before = work.came[last]
        owner = row if before < 0 else work.row[before]
        work.row[last] = owner
        work.column[owner] = last
        if before < 0:
            return True
        last = before


@njit(cache=True)
def match(dist: Any, work: Any) -> Any:
    """Assign all rows as `where` has them, from nothing: the cost, or -1 if there is no perfect matching."""
    work.column[:] = -1
    work.row[:] = -1
    work.low[:] = 0
    work.high[:] = 0
    for i in range(len(work.where)):
        if not settle(dist, work, i):
            return np.int64(-1)
    return total(dist, work)


@njit(cache=True)
def rematch(dist: Any, before: Any, work: Any) -> Any:
    """Like `match`, from the perfect matching `before`, whose `where` may differ from that of `work`."""
    n = len(work.where)
    work.column[:] = before.column
    work.row[:] = before.row
    work.low[:] = before.low
    work.high[:] = before.high
    for i in range(n):
        if work.where[i] != before.where[i]:
            work.row[work.column[i]] = -1
            work.column[i] = -1
    for i in range(n):
        if work.column[i] < 0 and not settle(dist, work, i):
            return np.int64(-1)
    return total(dist, work)


@njit(cache=True)
def total(dist: Any, work: Any) -> Any:
    """The cost of an assignment."""
    cost = np.int64(0)
    for i in range(len(work.where)):
        cost += dist[work.where[i], work.column[i]]
    return cost
