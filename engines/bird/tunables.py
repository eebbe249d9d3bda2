"""The tunables of the engine `bird`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class BirdTunables:
    """See `runtime.tunables`."""

    state_bytes: int = tunable(
        1_500,
        1,
        100_000,
        "bytes that a state takes with its paths in the frontiers",
        "1,050 on a board of 12x12 with 44 vehicles",
    )
    look_every: int = tunable(256, 1, 1_000_000, "refinements and states between two looks at the budget")


TUNABLES = BirdTunables()
