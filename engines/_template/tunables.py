"""The constants of the engine that someone could want otherwise, each with a range, a sentence and a measurement."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class TemplateTunables:
    """See `runtime.tunables`."""

    look_every: int = tunable(100, 1, 100_000, "states between two looks at the budget", "100 states take 1 ms")


TUNABLES = TemplateTunables()
