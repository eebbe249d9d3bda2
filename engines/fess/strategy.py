"""Strategies: in which order a search compares positions.

A search that goes wrong early seldom recovers, and one that compares positions a little differently may need a
thousandth of the time. So there are rounds: in each the first search goes on, and others with other strategies begin
anew beside it (compare Gomes, Selman, Kautz, *Boosting combinatorial search through randomization*, AAAI 1998). The
*rank* of a position is its score with the features in the order of the strategy; with a seed the distance, the last of
them, is noise, and in each position one more move is named by chance. Searches to a middle (`halves`) come last in a
round: they take long, and most levels do not need them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from ...runtime.arrays import Longs
from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from .space import FIFTH, FIRST, FOURTH, REGIONS, THIRD, feature

ORDERS = 3
AS_SCORED, PLAN_FIRST, ROOMS_FIRST, REGIONS_FIRST = range(ORDERS + 1)
"""Orders of the features: that of the score; out of plan before all others; rooms before regions; regions before what
is packed. The first `ORDERS` are for searches with a packing plan.
"""

ORDER, NOISE_SEED, OPEN_START, MEETS = range(4)
"""Entries of a strategy in kernels: see `Strategy`; `MEETS`: whether only a position of the other side is the goal."""

NOISE = 48
"""Bits by which a hash is shifted right to give 16 bits of noise."""

HALF = 4
"""The effort of searches to a middle: those that find a plan mostly need thousands of positions."""

WORST = 1 << 62
"""A rank that is worse than any."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one search orders positions, and where it goes.

    `order` of the features; `seed` of the noise, 0 for none; `open_start`: whether each move of the start opens a cell
    of its own; `plan`: the seed of a packing plan of its own, 0 for the plan of the board. `middle`: the number of the
    backward search to whose middle it wants to get (`halves`), 0 for a search to the goals; it has a packing plan only
    if `plan` is not 0, to the middle. `effort`: its share of positions, as a multiple of that of others.
    `near`: whether boxes near the goals are preferred to boxes far from them.
    """

    order: int = AS_SCORED
    seed: int = 0
    open_start: bool = True
    plan: int = 0
    middle: int = 0
    effort: int = 1
    near: bool = False


BASE = Strategy()
"""The strategy that continues, with more positions, in each round."""


def rounds(first: int, shift: int = 0) -> Iterator[tuple[int, tuple[Strategy, ...]]]:
    """For each round the positions of each search, and the strategies tried anew beside the one that continues.

    A round has twice as many positions as the one before. `shift`: what is added to all seeds.
    """
    yield first, (Strategy(PLAN_FIRST), Strategy(ROOMS_FIRST))
    for turn in count():
        seed, step = shift + 1 + 3 * turn, shift + 2 * turn
        yield (
            first << turn,
            (
                *(
                    Strategy(order, (seed + k) * noise, turn % 2 == 0, (seed + k) * plan)
                    for k, order in enumerate((AS_SCORED, PLAN_FIRST, ROOMS_FIRST))
                    for noise, plan in ((1, 0), (0, 1))
                ),
                Strategy(REGIONS_FIRST, step, middle=step + 1, effort=HALF),
                Strategy(AS_SCORED, step, middle=step + 1, effort=HALF),
                Strategy(AS_SCORED, step, plan=step + 1, middle=step + 2, effort=HALF),
                Strategy(AS_SCORED, step + 1, plan=step + 1, middle=step + 2, effort=HALF),
            ),
        )


@njit(inner=True)
def rank_of(strategy: Longs, score: int, hash_: np.uint64) -> int:
    """The rank of a position with a score: less is better."""
    order, seed = strategy[ORDER], strategy[NOISE_SEED]
    # A score has its features in bytes: FIRST from bit 48, REGIONS 40, THIRD 32, FOURTH 24, FIFTH 16, and a tie breaker
    # in bits 0 to 15. An order moves the features that matter more to higher bytes, so that ranks compare as tuples
    # would.
    rank = score
    if order == PLAN_FIRST:
        rank = feature(score, FOURTH) << 56 | feature(score, FIRST) << FIRST | feature(score, REGIONS) << REGIONS
        rank |= feature(score, THIRD) << THIRD | feature(score, FIFTH) << FIFTH | (score & 0xFFFF)
    elif order == REGIONS_FIRST:
        rank = feature(score, REGIONS) << 56 | feature(score, FIRST) << FIRST | feature(score, THIRD) << REGIONS
        rank |= score & 0xFFFFFFFF
    elif order == ROOMS_FIRST:
        rank = feature(score, FIRST) << FIRST | feature(score, THIRD) << REGIONS | feature(score, REGIONS) << THIRD
        rank |= score & 0xFFFFFFFF
    if seed:
        # Noise takes the place of the tie breaker: the upper 16 bits of the hash, mixed with the seed.
        mixed = (np.uint64(hash_) ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
        rank = rank - (rank & 0xFFFF) + long(mixed >> np.uint64(NOISE))
    return rank
