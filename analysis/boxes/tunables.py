"""The tunables of what searches know of boards with boxes, in one table.

Kernels (`njit`) hold the values with which they were compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class BoxTunables:
    """See `runtime.tunables`."""

    cells_a_look: int = tunable(16, 1, 10_000, "cells between two checks of the time limit while tables are filled")
    frozen_boards: int = tunable(
        256,
        1,
        1 << 20,
        "sets of frozen boxes whose reach is kept (goal_reach.py); a later set replaces an earlier one. A power of two",
    )
    room_boxes: int = tunable(5, 1, 32, "boxes at most of a room for which the search for a deadlock is made")

    # Cores (core_deadlocks.py) and corrals (corral_deadlocks.py)
    core_positions: int = tunable(
        60, 1, 10**6, "positions at most of a core's search: a core that would need more counts as not dead"
    )
    core_answers: int = tunable(
        1 << 16, 1, 1 << 28, "answers that are kept; a later one replaces an earlier one. A power of two"
    )
    corral_positions: int = tunable(400, 1, 1_000, "the same of a corral's search")
    corral_answers: int = tunable(1 << 18, 1, 1 << 28, "answers of it that are kept. A power of two")
    corral_boxes: int = tunable(16, 1, 64, "boxes at most of a corral's search")


BOXES = BoxTunables()
