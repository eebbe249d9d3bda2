"""Late bounds: heuristics that take so long that a state gets them only when it is about to be expanded.

Of the states that are met, most are never expanded, and of most of those that would be the cheap estimate says enough.
So a state that leaves the queue gets its late bounds then, once, and goes back if its total has risen: lazy A* (Zhang
and Bacchus, *MAXSAT heuristics for cost optimal planning*, AAAI 2012; Tolpin and others, *Towards rational deployment
of multiple heuristics in A\\**, IJCAI 2013). What leads from it inherits the bound, less what is paid (pathmax).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...analysis.estimate import late_bound
from ...analysis.heuristic import Estimate, Successor
from ...runtime.arrays import Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .open_order import wait_again
from .packed_states import ESTIMATE, unpack, value_of
from .tables import LATE, LOOKED_AT, AStarSearch

# A slower late bound joins if it is larger by this share, or finds this share of states dead.
LATE_GAIN = 0.05


@dataclass(frozen=True, slots=True)
class LateBounds:
    """The tables of late bounds, laid out for kernels, and what they are in words, by name."""

    tables: Any
    words: dict[str, str]


def that_pay(late: list[LateBounds], values: Callable[[LateBounds], Longs]) -> LateBounds | None:
    """Of some late bounds, each with those before it and a slower one, the last that pays. `values`: of sample states.

    It pays if it finds a share of `LATE_GAIN` dead that were not, or if the bounds of the others are larger by that.
    """
    if not late:
        return None
    chosen, known = late[0], values(late[0])
    for longer in late[1:]:
        found = values(longer)
        alive = (found >= 0) & (known >= 0)
        dead = ((found < 0) & (known >= 0)).mean()
        if dead >= LATE_GAIN or found[alive].sum() > (1 + LATE_GAIN) * known[alive].sum():
            chosen, known = longer, found
    return chosen


@njit(cache=True, _nrt=False)
def late_value(estimate: Estimate, late: Any, search: AStarSearch, index: int) -> int:
    """The late bounds of a state that has been met; -1 for a dead end."""
    row = search.scratch.state
    unpack(search.packing, search.nodes.rows[index], row)
    child = Successor(row, long(-1), long(0), long(0), long(0), long(0))
    value: int = late_bound(late, estimate, search.scratch.look, child)
    return value


@njit(cache=True, _nrt=False)
def look_late(estimate: Estimate, late: Any, search: AStarSearch) -> None:
    """Find the late bounds of the state that has just left the queue; it waits again if its estimate rises, or is
    dropped if it is dead.
    """
    nodes, control, index = search.nodes, search.control, long(search.control[LOOKED_AT])
    nodes.looked[index] = 1
    control[LATE] += 1
    value = late_value(estimate, late, search, index)
    if 0 <= value <= value_of(nodes, ESTIMATE, index):
        return
    control[LOOKED_AT] = -1
    wait_again(search, index, value)
