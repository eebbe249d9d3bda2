"""Minimal dead sets: what a table of dead sets of one size says of smaller ones.

places 0 to 4, and a table of triples: {0, 1, 2}, {0, 1, 3}, {0, 1, 4} and {2, 3, 4} are dead
{0, 1} is dead too, with three objects on the board: the third one makes one of the first three triples
minimal: {0, 1}, and {2, 3, 4} if no two of its places are dead
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Flags, Longs, Words


class SetsOfSize(NamedTuple):
    """All sets of k places: `places` (n, k), ascending; `lives` (n, words): the walker's cells for which a set is not
    lost, as bits. Its *parts* are the sets with one place less. `minimal` (n): for some cell it is lost and no part is;
    `parts_live` (n): each part is alive for some cell.
    """

    places: Longs
    lives: Words
    minimal: Flags
    parts_live: Flags


def sets_by_size(size: int, alive: Words, choose: Longs) -> Iterator[SetsOfSize]:
    """The sets of a table (`tables.DeadSets`), then those with a place less, and so on, down to single places.

    A set of fewer places is lost for a cell where all sets of the table are that it is a part of: with as many objects
    as the table counts, one of these is there.
    """
    places = len(choose) - 1
    for k in range(size, 0, -1):
        sets = np.array(list(combinations(range(places), k)), np.int64).reshape(-1, k)
        lives = alive[choose[sets, np.arange(1, k + 1)].sum(axis=1)]
        minimal, parts_live = ~lives, np.ones(len(sets), np.bool_)
        if k > 1:
            alive = np.zeros((comb(places, k - 1), lives.shape[1]), np.uint64)
            parts = [np.delete(sets, i, axis=1) for i in range(k)]
            numbers = [choose[part, np.arange(1, k)].sum(axis=1) for part in parts]
            for of_part in numbers:
                np.bitwise_or.at(alive, of_part, lives)
            for of_part in numbers:
                minimal &= alive[of_part]
                parts_live &= alive[of_part].any(axis=1)
        yield SetsOfSize(sets, lives, minimal.any(axis=1), parts_live)


def together(size: int, alive: Words, choose: Longs) -> Bytes:
    """(P, P): 1 for two places that belong to a dead set of which no part is dead (`tables.DeadSets.together`)."""
    places = len(choose) - 1
    matters = np.zeros((places, places), np.uint8)
    for of_size in sets_by_size(size, alive, choose):
        sets = of_size.places[of_size.minimal]
        for i, j in combinations(range(sets.shape[1]), 2):
            matters[sets[:, i], sets[:, j]] = matters[sets[:, j], sets[:, i]] = 1
    return matters
