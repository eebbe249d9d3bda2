"""Conflicts of three objects, which are looked at when a state is about to be expanded.

A state has hundreds of sets of three, each of which is looked up in a table of megabytes: too many for every successor.
Only one in some five successors is expanded at all before the search ends, and of most only the estimate is ever used.
So a state that leaves the queue gets its better estimate then, and goes back if its total has risen. The order of
expansion is that of A* with the better estimates from the start: a state is expanded when none waits with a smaller
total, and totals that wait are lower bounds (as in Zhang and Bacchus, *MAXSAT heuristics for cost optimal planning*,
AAAI 2012, and Tolpin and others, *Towards rational deployment of multiple heuristics in A\\**, IJCAI 2013).
"""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.box_conflicts import Conflicts, ConflictScratch, conflicts_of, larger_conflicts_of
from ...analysis.heuristic import Estimate
from ...analysis.matching import aim, rematch
from ...analysis.movable_objects import places_in
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .open_order import wait_again
from .packed_states import ESTIMATE, unpack, value_of
from .tables import LOOKED_AT, RAISED, AStarSearch


class ConflictTables(NamedTuple):
    """The conflicts of two and of three objects; a table that is not known is empty."""

    pairs: Conflicts
    triples: Conflicts


@njit(cache=True, _nrt=False)
def raise_estimates(
    estimate: Estimate, conflicts: ConflictTables, search: AStarSearch, choice: ConflictScratch
) -> None:
    """Drop the state that has just left the queue if it is dead, or let it wait again if its estimate rises."""
    objects, nodes, control, look = estimate.objects, search.nodes, search.control, search.scratch.look
    at, unit, row, index = look.at, conflicts.pairs.unit, search.scratch.state, long(control[LOOKED_AT])
    if index < 0:
        return
    # 1. The objects, and what the sets add. The pairs alone are in the estimate.
    unpack(search.packing, nodes.rows[index], row)
    places_in(objects, row, at)
    cell = long(row[len(objects.mask)])
    tables = (conflicts.pairs, conflicts.triples)
    extra = larger_conflicts_of(tables, at, cell, choice)
    value = long(-1)
    if extra >= 0:
        if index and extra * unit <= conflicts_of(conflicts.pairs, at, cell, look.taken):
            return
        # 2. The matching on the empty board, and the new estimate.
        aim(objects, estimate.boards.side[0], at, cell, look.empty.where)
        value = rematch(estimate.boards.dist[0], look.empty, look.empty, False)
        value = value + extra * unit if value >= 0 else value
        if 0 <= value <= value_of(nodes, ESTIMATE, index):
            return
    control[LOOKED_AT] = -1
    control[RAISED] += 1
    wait_again(search, index, value)
