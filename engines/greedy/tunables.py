"""The tunables of the engine `greedy`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class Greedy:
    """Greedy search (greedy/engine.py)."""

    first_weight: int = tunable(5, 1, 100, "weight of the estimate in the search for the first plan")
    second_weight: int = tunable(2, 1, 100, "weight in a second search, as long as improvement may last")
    improve_seconds: float = tunable(0.5, 0.0, 60.0, "seconds for the second search")

    boost: int = tunable(
        1_000,
        0,
        10**9,
        "states more that are taken from the preferred ones when the estimate has come down to less than ever",
    )


GREEDY = Greedy()
