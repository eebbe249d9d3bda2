"""The tunables of the engine `bfs`.

`block` is a constant of kernels: its value is that of when a kernel was compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class BreadthFirst:
    """The search over short keys (bfs/fdr_store.py, bfs/fdr_kernels.py)."""

    first_slots: int = tunable(1 << 14, 1 << 4, 1 << 28, "slots of the table at first, a power of two")
    quick_slots: int = tunable(
        1 << 18, 1 << 4, 1 << 28, "below this many slots the table grows to eight times its size at once, then to twice"
    )
    full: float = tunable(0.5, 0.1, 0.9, "how full the table may get before it grows: longer probes, less memory")
    crowded: float = tunable(0.875, 0.5, 0.95, "how full it may get where the memory limit keeps it from growing")
    block: int = tunable(
        16,
        1,
        1024,
        "states expanded between two marks: parents are found again among these, and a mark takes 8 bytes",
    )


BREADTH_FIRST = BreadthFirst()
