"""What a search of A* works on: the numbers that it keeps, its scratch arrays, and all of its tables."""

from __future__ import annotations

from typing import NamedTuple

from ...analysis.deadlocks.corrals import Corral
from ...analysis.heuristic import Survey
from ...runtime.arrays import Bytes, Ints, Longs, Words
from ...runtime.kernel_cache import njit
from ..common.successors import Workspace
from .open_states import OpenStates
from .packed_states import PackedStates, Packing
from .plan_progress import PlanProgress
from .symmetric_states import Images

COUNT, WAITING, EXPANDED, GENERATED, REOPENED, DEAD, CUT, DOMINATED = range(8)
"""Entries of `AStarSearch.control` that are reported: states, open ones, states that left the queue, successors
generated, states opened again, dead ends met, states in which a corral left out pushes, dominated states (see
`dominance`)."""

GOAL, BEST, BOUND, AGAIN, CHANCE, LOOKED_AT, DROPPED, RAISED, LATE, FORCED = range(8, 18)
"""More of them: the cheapest goal state met or -1, the cost that counts (that state's, or that of a plan that others
have found: then the state is -1; `NONE` without a plan), the proven bound, a state that has to be expanded once more,
or -1, the last random number, a state that has left its bucket and is looked at once more, or -1, how many of those
were not expanded, how many of them had a larger estimate by larger sets, how many states got late bounds, and how many
forced steps were followed."""

CONTROLS = 18

NONE = 1 << 62
"""Stands for no cost: more than any cost."""

MORE, PROVEN, EXHAUSTED, BOARD, LOOK = -1, -2, -3, -4, -5
"""What a kernel returns: there is more to expand, when there is time or room; no plan is cheaper than the best cost; no
state is open and there is no plan; the tables of a board are wanted (`add_board`); the state `LOOKED_AT` has to be
looked at once more before it is expanded (`box_deadlocks.drop_dead`, `larger_conflicts.raise_estimates`)."""


class ExpansionScratch(NamedTuple):
    """Scratch arrays: of the state that is expanded, a successor, its packed form and an image of that, of walker's
    cells (K), of places (P), and for the estimates.
    """

    state: Words
    row: Words
    key: Words
    image: Words
    reached: Bytes
    again: Bytes
    stack: Ints
    distance: Ints
    onward: Ints
    label: Ints
    corral: Bytes
    chosen: Bytes
    some: Longs
    look: Survey


class AStarSearch(NamedTuple):
    """What a search works on. `packing`: of its states; `images`: which of them are symmetric. `ranked`: the open
    states once more, by their `rank` (S); without a packing plan both are empty, see `plan_progress`. `looks`: 1 if a
    state is looked at once more before it is expanded, see `LOOK`. A step of the walker costs `walk_cost`; all costs
    are multiples of `unit`, 0 if they have two components. `follows`: 1 if it follows forced steps
    (`common.forced_steps`).
    """

    packing: Packing
    images: Images
    nodes: PackedStates
    opened: OpenStates
    work: Workspace
    scratch: ExpansionScratch
    control: Longs
    ranked: OpenStates
    rank: Ints
    progress: PlanProgress
    looks: int
    walk_cost: int
    unit: int
    follows: int


@njit(inner=True)
def corral_arrays(scratch: ExpansionScratch) -> Corral:
    """The arrays for the search for a corral in the surveyed state, whose walker's region is `reached`."""
    look = scratch.look
    return Corral(
        at=look.at,
        occupied=look.occupied,
        reached=scratch.reached,
        label=scratch.label,
        role=scratch.corral,
        region=scratch.again,
        stack=scratch.stack,
        best=scratch.chosen,
        some=scratch.some,
        standing=look.standing,
        picked=look.chosen,
    )
