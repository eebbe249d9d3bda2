"""The tunables of projections."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class ProjectionLimits:
    """Which projections are made."""

    most_states: int = tunable(500_000, 1, 100_000_000, "abstract states of a pattern")
    most_edges: int = tunable(1 << 25, 64, 1 << 31, "edges between the abstract states of a pattern")
    most_pairs: int = tunable(200, 0, 100_000, "patterns of two variables; with more of them none is made")
    most_forks: int = tunable(400, 3, 100_000, "values that one run of a program may have to guess")
    most_paths: int = tunable(
        400, 1, 10**9, "runs of one program on one abstract state; with more of them a pattern says hardly anything"
    )
    runs_a_look: int = tunable(20_000, 1, 10**9, "runs of programs between two looks at the budget, about")
    states_a_look: int = tunable(1 << 19, 1, 1 << 40, "abstract states of a database between two looks at the budget")
    share_of_memory: float = tunable(
        2.0, 1.0, 1000.0, "how many times the memory of all databases has to be there: the search needs the rest"
    )
    databases_after: float = tunable(0.5, 0.0, 1e9, "seconds of search before the first databases are built")
    seconds_a_step: float = tunable(
        1e-8,
        0.0,
        1.0,
        "seconds that an action takes on an abstract state of a database",
        "twelve turns of a cube: 3 s for 32 million states, of which 21 million are reached, 70 s for 764 million",
    )
    most_goals: int = tunable(
        1_000, 1, 1_000_000, "goal states with which a search from the goals is begun, at most; each is tried in Python"
    )


PROJECTIONS = ProjectionLimits()

DATABASE_SIZES = [500_000, 10_000_000, 200_000_000]
"""Abstract states of a pattern at most, of databases that are built one after the other."""
