"""How many random cases a run takes: a few of each test, drawn anew each day; all of them in the long run.

The number of the day draws them: `BUDGE_SEEDS=20261231` repeats the cases of that day. With `BUDGE_SEEDS=all` no case
is left out, and none is slow for being one of many.
"""

from __future__ import annotations

import os
import random
from datetime import UTC, datetime

import pytest
from _pytest.mark import ParameterSet

DRAWN_BY = os.environ.setdefault("BUDGE_SEEDS", f"{datetime.now(UTC):%Y%m%d}")
"""What draws: the same in all processes of a run, which inherit it."""

ALL = DRAWN_BY == "all"
FEW = 20
"""Random cases of a test in each run. In a month all 300 of the largest have their turn."""


def seeds(*bounds: int) -> list[ParameterSet]:
    """The seeds of `range(*bounds)` for `parametrize`: `FEW` drawn by the day, the others marked slow."""
    every = range(*bounds)
    drawn = every if ALL or len(every) <= FEW else random.Random(DRAWN_BY).sample(every, FEW)
    slow = set(every).difference(drawn)
    return [pytest.param(seed, marks=pytest.mark.slow if seed in slow else ()) for seed in every]


def examples(most: int, few: int = FEW) -> int:
    """Examples of a property that Hypothesis draws: at most `most`, and `few` in a run that does not take all."""
    return most if ALL else min(most, few)


def today(number: int) -> bool:
    """Whether a case of a test marked `weekly`, by its number, has its turn today."""
    return ALL or number % 7 == int(DRAWN_BY) % 7
