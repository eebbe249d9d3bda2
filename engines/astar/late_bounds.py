"""Late bounds: heuristics that take so long that a state gets them only when it is about to be expanded.

Of the states that are met, most are never expanded, and of most of those that would be the cheap estimate says enough.
So a state that leaves the queue gets its late bounds then, once, and goes back if its total has risen: lazy A* (Zhang
and Bacchus, *MAXSAT heuristics for cost optimal planning*, AAAI 2012; Tolpin and others, *Towards rational deployment
of multiple heuristics in A\\**, IJCAI 2013). What leads from it inherits the bound, less what is paid (pathmax).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...analysis.estimate import late_bound
from ...analysis.heuristic import Estimate, Successor
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .packed_states import ESTIMATE, unpack, value_of
from .tables import LATE, LOOKED_AT, AStarSearch
from .turns import wait_again


@dataclass(frozen=True, slots=True)
class LateBounds:
    """The tables of late bounds, laid out for kernels, and what they are in words, by name."""

    tables: Any
    words: dict[str, str]


@njit(cache=True, _nrt=False)
def look_late(estimate: Estimate, late: Any, search: AStarSearch) -> None:
    """Find the late bounds of the state that has just left the queue; it waits again if its estimate rises, or is
    dropped if it is dead.
    """
    nodes, control, row, index = search.nodes, search.control, search.scratch.state, long(search.control[LOOKED_AT])
    nodes.looked[index] = 1
    control[LATE] += 1
    unpack(search.packing, nodes.rows[index], row)
    child = Successor(row, long(-1), long(0), long(0), long(0), long(0))
    value = late_bound(late, estimate, search.scratch.look, child)
    if 0 <= value <= value_of(nodes, ESTIMATE, index):
        return
    control[LOOKED_AT] = -1
    wait_again(search, index, value)
