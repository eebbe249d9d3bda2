"""The tunables of the engine `astar`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class AStar:
    """Second looks of A* at states (astar/second_looks.py), and the order of open ones (astar/plan_progress.py)."""

    looks_tried: int = tunable(
        10_000,
        1,
        10**9,
        "expansions after which deadlock searches, or conflicts of larger sets, are given up if they have found hardly "
        "anything",
        "XSokoban 72, of which deadlock searches find 3 states dead: 7.2 s of processor time, 22.5 s with 50,000",
    )
    looks_for_each: int = tunable(
        500,
        1,
        10**9,
        "...that is, less than one state in this many",
        "Microban 139 in moves: 5 found in 3 million",
    )
    packing_positions: int = tunable(
        2_000, 1, 10_000_000, "positions that the search for a packing plan expands at most"
    )

    late_after: float = tunable(
        4.0, 0.0, 10_000.0, "seconds of search with the estimate alone before one with late bounds begins beside it"
    )
    late_gain: float = tunable(
        0.05, 0.0, 1.0, "a slower late bound joins if it is larger by this share, or finds this share of states dead"
    )
    late_samples: int = tunable(100, 1, 10**6, "states of the first search by which that is decided")
    behind: int = tunable(
        4, 1, 1_000, "of two searches in turns the one with the smaller bound gets this part of the time of the other"
    )
    draws: int = tunable(
        16, 1, 1_000, "buckets that are drawn at most for a rank by chance; one of a larger total does not count"
    )
    first_buckets: int = tunable(1 << 10, 2, 1 << 24, "buckets of open states that there is room for at first")
    slots: float = tunable(
        1.5, 1.1, 10.0, "slots of the table for each state that there is room for: 1.5 leaves one of three empty"
    )
    least_growth: float = tunable(
        1.1, 1.0, 2.0, "the least growth of a full store, where memory does not allow twice its capacity"
    )


ASTAR = AStar()
