"""The tunables of the engine `bidirectional`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class Bidirectional:
    """The search from both ends (bidirectional/engine.py, goal_states.py)."""

    most_goals: int = tunable(100_000, 1, 10_000_000, "goal states with which a search backward is begun, at most")
    choices_per_goal: int = tunable(
        4, 1, 100, "choices of a fact, for each goal state that is allowed, after which enumerating is given up"
    )
    first_choices: int = tunable(1000, 1, 10_000_000, "choices beyond those: a small task is always enumerated")


BIDIRECTIONAL = Bidirectional()
