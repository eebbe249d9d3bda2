"""The tunables of the code that engines share."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class States:
    """The tunables of all searches that store states."""

    look_every: float = tunable(
        0.05, 0.001, 1.0, "seconds between two looks at the clock and the limits, about; limits are overrun by this"
    )
    first_states: int = tunable(1 << 14, 1, 1 << 24, "states that a store has room for at first; then it doubles")
    plain_bytes: int = tunable(600, 1, 100_000, "bytes that a state of plain search takes, with the way to it")
    facts_a_look: int = tunable(
        10_000,
        1,
        10**9,
        "facts of the states of plain search between two looks at the budget",
        "a hundred states of a small puzzle, one of a large one, which can take a hundredth of a second",
    )
    forced_steps: int = tunable(
        1_000, 1, 10**6, "forced steps that are followed at most before a state is stored all the same"
    )
    most_edges: int = tunable(
        3_000_000,
        0,
        10**9,
        "edges at most of a graph of states whose features are counted: no limit is looked at meanwhile",
        "it takes a third of a second",
    )
    most_states: float = tunable(
        1e10, 1.0, 1e18, "a search that would have to meet more states than this before the bound is reached is ended"
    )
    large_task: int = tunable(
        2_000, 0, 10**9, "operators from which on a bound from the initial state is proven before anything is prepared"
    )
    bound_after: float = tunable(
        0.5, 0.0, 60.0, "seconds of search after which that bound is proven for fewer operators"
    )


@dataclass(slots=True)
class Shortening:
    """Plan neighbourhood graph search (common/neighbourhood.py)."""

    near: int = tunable(20_000, 100, 10_000_000, "states near the plan that are collected to make it shorter")
    growth: int = tunable(4, 2, 100, "times as many states are collected next, if these made the plan no shorter")
    seconds: float = tunable(0.5, 0.0, 60.0, "seconds after which no new round of improvement begins")
    step_seconds: float = tunable(
        0.03, 0.0, 60.0, "the same for each step of the plan, if that is less", "a plan of four steps is soon proven"
    )


STATES = States()
SHORTENING = Shortening()
