"""Choosing among conflicts of sets of several sizes: which disjoint sets of a state's objects are to add up."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Int, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .conflicts import LOST, Conflicts


class ConflictScratch(NamedTuple):
    """Scratch of `larger_conflicts_of`, for S sets: `extra`, `members` (S, as bits) of those in conflict.

    For n objects: `at`, `who` (n): the numbers, ascending, of those places that a table counts, and whose they are;
    `picked`, `rank`, `both` (n + 1): of the first i members of a set: which in `at`, their number, the objects as bits.
    """

    extra: Longs
    members: Longs
    at: Longs
    who: Longs
    picked: Longs
    rank: Longs
    both: Longs


def conflict_scratch(tables: Sequence[Conflicts], objects: int) -> ConflictScratch:
    """Scratch for choosing among the sets that `objects` objects form, of all sizes in the tables."""
    sets = sum(comb(objects, table.size) for table in tables if table.size)
    return ConflictScratch(
        extra=np.zeros(sets, np.int64),
        members=np.zeros(sets, np.int64),
        at=np.zeros(objects, np.int64),
        who=np.zeros(objects, np.int64),
        picked=np.zeros(objects + 1, np.int64),
        rank=np.zeros(objects + 1, np.int64),
        both=np.zeros(objects + 1, np.int64),
    )


@njit(inner=True)
def larger_conflicts_of(tables: tuple[Conflicts, ...], at: Longs, cell: Int, choice: ConflictScratch) -> int:
    """What conflicts of disjoint sets of the objects at places `at` add, in operators; -1: a lost set.

    1. All sets that have a conflict, table by table: smaller sets first.
    2. The sets of the largest conflict that are still disjoint, then those of the next smaller one, and so on. Of equal
       ones the smaller sets come first.
    """
    count, most = long(0), long(0)
    for table in tables:
        if table.size:
            count = _in_conflict(table, at, cell, choice, count)
            if count < 0:
                return -1
    for which in range(count):
        most = choice.extra[which] if choice.extra[which] > most else most
    total, taken = long(0), long(0)
    while most > 0:
        below = long(0)
        for which in range(count):
            if choice.members[which] & taken == 0:
                extra = choice.extra[which]
                if extra == most:
                    taken |= choice.members[which]
                    total += extra
                elif extra < most:
                    below = extra if extra > below else below
        most = below
    return total


@njit(inner=True)
def _in_conflict(table: Conflicts, at: Longs, cell: Int, choice: ConflictScratch, count: int) -> int:
    """Put the sets of a table that have a conflict after the `count` that are there; gives how many there are then.

    -1: a set is lost. The sets come in lexicographic order, each place of a set being picked after the one before it:

        picked  0 1 2    0 1 3    0 1 4    0 2 3    ...      rank[i + 1] = rank[i] + choose[at[picked[i]], i + 1]
    """
    number, choose, size, begins, first = table.number, table.choose, long(table.size), table.begins, table.first
    place, who, picked, rank, both = choice.at, choice.who, choice.picked, choice.rank, choice.both
    # 1. The objects that the table counts, by their numbers.
    n = long(0)
    for i in range(len(at)):
        here = number[at[i]]
        if here >= 0:
            last = n
            while last > 0 and place[last - 1] > here:
                place[last], who[last] = place[last - 1], who[last - 1]
                last -= 1
            place[last], who[last] = here, i
            n += 1
    # 2. All sets of them. Where no set in conflict begins with picked[0..depth], all that begin so are passed over.
    depth = long(0)
    picked[0], rank[0], both[0] = -1, 0, 0
    while depth >= 0:
        picked[depth] += 1
        if picked[depth] > n - size + depth:
            depth -= 1
            continue
        i = picked[depth]
        rank[depth + 1] = rank[depth] + choose[place[i], depth + 1]
        both[depth + 1] = both[depth] | (1 << who[i])
        if depth + 1 < size:
            if begins[first[depth + 1] + rank[depth + 1]]:
                depth += 1
                picked[depth] = i
            continue
        extra = long(table.extra[rank[size], cell])
        if extra == LOST:
            return -1
        if extra:
            choice.extra[count], choice.members[count] = extra, both[size]
            count += 1
    return count
