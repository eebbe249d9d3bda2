"""Dominated states, where walks are paid for: another one has the same objects, and its walker gets here in time.

In a state each object has its place and the walker a cell. Let two states have the same objects, and let the walker of
s walk d steps, past the objects, to its cell in t. If

    g(s) + cost of d steps  <=  g(t),      d > 0,

each plan from t is one from s after that walk, of no higher cost in all, and t need not be kept or expanded:

    ########      Two ways led to this board: one with the player on a at cost 7, one with him on b at cost 12. He walks
    #a   b##      from a to b in 4 steps. So the state at cost 12 is left out: all that follows from it follows from the
    # $ $ .#      other, at less cost.
    ########

A* still finds an optimal plan. Take one that begins as some state t does and goes on from there with k pushes. If t is
left out for s, the same k pushes follow s, at the same cost in all or less, and g(s) < g(t): this ends, at a state that
is open, or one that has been expanded; that one has the next push of the k among its successors, with k-1 left. So
there is always an open state on an optimal plan (as for the pruning of A. Torralba and J. Hoffmann, *Simulation-based
admissible dominance pruning*, IJCAI 2015). It needs walks that can be walked back, since distances are measured from
the cell of t.
"""

from __future__ import annotations

from ...analysis.bitset_task import BitsetTask
from ...runtime.arrays import Ints
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .packed_states import COST, PackedStates, Packing, cell_of, value_of


def walks_back(task: BitsetTask) -> bool:
    """Whether the walker can take every step in both directions."""
    first, near = task.near_first.tolist(), task.near.tolist()
    steps = {(c, other) for c in range(len(first) - 1) for other in near[first[c] : first[c + 1]]}
    return all((other, c) in steps for c, other in steps)


@njit(inner=True)
def of_objects(packing: Packing, nodes: PackedStates, newest: int, cell: int) -> tuple[int, int]:
    """Among the states with the same objects: the one with the walker in a cell, or -1; and the least cost of any."""
    known, least, index = long(-1), value_of(nodes, COST, newest), long(newest)
    while index >= 0:
        if cell_of(packing, nodes.rows[index]) == cell:
            known = index
        least = min(least, value_of(nodes, COST, index))
        index = long(nodes.older[index])
    return known, least


@njit(inner=True)
def is_dominated(packing: Packing, nodes: PackedStates, newest: int, distance: Ints, step: int, cost: int) -> bool:
    """Whether a state of that cost is dominated by one of those with the same objects, `newest` and the older ones.

    `distance` (K): the walker's steps from its cell there; `step`: what a step costs.
    """
    index = newest
    while index >= 0:
        steps = long(distance[cell_of(packing, nodes.rows[index])])
        if steps > 0 and value_of(nodes, COST, index) + step * steps <= cost:
            return True
        index = long(nodes.older[index])
    return False
