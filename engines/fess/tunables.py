"""The tunables of the engine `fess`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class FeatureSpace:
    """Feature space search (fess/)."""

    first_positions: int = tunable(2_000, 1, 10_000_000, "positions for which each strategy is tried first")
    packing_share: float = tunable(0.25, 0.0, 1.0, "part of the time that the packing search may take")
    packing_positions: int = tunable(20_000, 1, 10_000_000, "positions that it expands at most")
    middle_positions: float = tunable(1.0, 0.0, 10.0, "positions of a search to a middle, for one forward")
    table_memory: float = tunable(0.1, 0.01, 0.9, "part of the memory that a search to a middle may fill")
    table_slots: int = tunable(1 << 22, 2, 1 << 28, "slots of the table of its positions at most")
    plans: int = tunable(100, 0, 10_000, "other plans that are looked for, to be made shorter, once there is one")
    plans_share: float = tunable(0.3, 0.0, 1.0, "part of `shorten_seconds` in which other plans are looked for")
    shorten_seconds: float = tunable(10.0, 0.0, 600.0, "seconds in which the plan is made shorter at most")
    moves_each: int = tunable(200, 1, 10_000, "moves of a position, on the average, that there is memory for")
    memory_share: float = tunable(0.8, 0.1, 1.0, "part of the memory limit that positions and moves may fill")
    memory_mib: int = tunable(8192, 1, 1 << 20, "MiB that count as the limit if the budget has no memory limit")
    base_memory: float = tunable(0.7, 0.1, 0.9, "part of that for the search that goes on from round to round")
    most_positions: int = tunable(1 << 22, 16, 1 << 28, "positions that a tree has room for at most")


FESS = FeatureSpace()
