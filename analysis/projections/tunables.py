"""The tunables of projections."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class ProjectionLimits:
    """Which projections are made."""

    most_states: int = tunable(500_000, 1, 100_000_000, "abstract states of a pattern")
    most_edges: int = tunable(1 << 25, 64, 1 << 31, "edges between the abstract states of a pattern")
    most_forks: int = tunable(400, 3, 100_000, "values that one run of a program may have to guess")
    most_paths: int = tunable(
        400, 1, 10**9, "runs of one program on one abstract state; with more of them a pattern says hardly anything"
    )
    runs_a_look: int = tunable(20_000, 1, 10**9, "runs of programs between two looks at the budget, about")


PROJECTIONS = ProjectionLimits()
