"""The tunables of the engine `refine`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class Refine:
    """Plan refinement (refine/)."""

    refinements: int = tunable(
        1,
        1,
        1000,
        "refinements of a plan that are followed",
        "31 boards of 12x12 to 16x16, 2 s each: no plan on 5 with 1, on 7 with 2, on 8 with 4 or 8",
    )
    attempts: int = tunable(1 << 10, 1, 1 << 20, "attempts in which two seeds make different random choices")
    first_states: int = tunable(200, 1, 10_000_000, "states after which it begins anew with other preferences")
    growth: float = tunable(1.2, 1.0, 10.0, "each attempt may meet this many times the states of the one before")
    first_cells: int = tunable(1 << 16, 1, 1 << 28, "parts of plans that there is room for at first; then it doubles")

    scored: int = tunable(64, 1, 10_000, "alternatives of a fact that are scored, at most")
    looked_at: int = tunable(
        64, 1, 10_000, "refinements of a plan that are looked at, at most; each puts at most `scored` on the pile"
    )
    noise: int = tunable(
        8,
        1,
        1_000,
        "in every attempt but the first, a whole number less than this is added to the score of each alternative, "
        "where a step scores 1",
    )
    unmet: int = tunable(2, 0, 127, "what an alternative costs for each fact that it lacks, where a step costs 1")
    spoilt: int = tunable(4, 0, 1_000, "what it costs for each part of the plan that it makes impossible")


REFINE = Refine()
