"""Strategies: in which order a search compares positions.

A search that goes wrong early seldom recovers, and one that compares positions a little differently may need a
thousandth of the time. So there are rounds: in each the first search goes on, and others with other strategies begin
anew beside it (compare Gomes, Selman, Kautz, *Boosting combinatorial search through randomization*, AAAI 1998). The
*rank* of a position is its score with the features in the order of the strategy; with a seed the distance, the last of
them, is noise, and in each position one more move is named by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from ....runtime.arrays import Longs
from ....runtime.bitops import long
from ....runtime.kernel_cache import njit
from .features import FIFTH, FIRST, FOURTH, REGIONS, THIRD, feature

ORDERS = 3
AS_SCORED, PLAN_FIRST, ROOMS_FIRST = range(ORDERS)
"""Orders of the features: that of the score; out of plan before all others; rooms before regions."""

NOISE = 48
"""The bits of a hash that are dropped, so that 16 are left."""

WORST = 1 << 62
"""A rank that is worse than any."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """An order of features; a seed, 0 for no noise; whether each move of the start opens a cell of its own; the seed of
    a packing plan of its own, 0 for the plan of the board.
    """

    order: int = AS_SCORED
    seed: int = 0
    open_start: bool = True
    plan: int = 0


BASE = Strategy()
"""The strategy that is gone on with in each round."""


def rounds(first: int, shift: int = 0) -> Iterator[tuple[int, tuple[Strategy, ...]]]:
    """For each round the positions of each search, and the strategies that are tried anew beside the one gone on with.

    A round has twice as many positions as the one before. `shift`: what is added to all seeds.
    """
    yield first, (Strategy(PLAN_FIRST), Strategy(ROOMS_FIRST))
    for turn in count():
        orders = (AS_SCORED, PLAN_FIRST, ROOMS_FIRST)
        seed = shift + 1 + 3 * turn
        yield (
            first << turn,
            tuple(
                Strategy(order, (seed + k) * noise, turn % 2 == 0, (seed + k) * plan)
                for k, order in enumerate(orders)
                for noise, plan in ((1, 0), (0, 1))
            ),
        )


@njit(inner=True)
def rank_of(strategy: Longs, score: int, hash_: np.uint64) -> int:
    """The rank of a position with a score: less is better."""
    order, seed = strategy[0], strategy[1]
    rank = score
    if order == PLAN_FIRST:
        rank = feature(score, FOURTH) << 56 | feature(score, FIRST) << FIRST | feature(score, REGIONS) << REGIONS
        rank |= feature(score, THIRD) << THIRD | feature(score, FIFTH) << FIFTH | (score & 0xFFFF)
    elif order == ROOMS_FIRST:
        rank = feature(score, FIRST) << FIRST | feature(score, THIRD) << REGIONS | feature(score, REGIONS) << THIRD
        rank |= score & 0xFFFFFFFF
    if seed:
        mixed = (np.uint64(hash_) ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        rank = rank - (rank & 0xFFFF) + long(mixed >> np.uint64(NOISE))
    return rank
