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
        "...that is, one state in more than so many",
        "Microban 139 in moves: 5 found in 3 million",
    )
    packing_positions: int = tunable(
        2_000, 1, 10_000_000, "positions that the search for a packing plan expands at most"
    )


ASTAR = AStar()
