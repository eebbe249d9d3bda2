"""Steps that cost nothing: at most K of them between two that are paid for, where that can be proven."""

from __future__ import annotations

from collections.abc import Callable

from ...encoders.formula import Formula
from .solver import CpSatAnswer

# Free steps between two that are paid for: a model has room for so many, where no more are needed.
MOST_FREE_STEPS = 6


def longest_chain(chain: Callable[[int], Formula], answered: Callable[[Formula], CpSatAnswer]) -> int | None:
    """The most free steps in a row of a plan that meets no state twice; None if no bound is proven soon.

    `chain(k)`: the formula of k free steps in a row, all states different. `answered` solves and counts it.
    """
    for steps in range(1, MOST_FREE_STEPS + 2):
        status = answered(chain(steps)).status
        if status == "infeasible":
            return steps - 1
        if status == "unknown":
            return None
    return None
