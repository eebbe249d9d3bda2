"""The rechecks of A*: tests of a state that has left the queue, before it is expanded.

Searches for deadlocks and conflicts of three objects take longer than a successor's
first estimate. They are left to states that would be expanded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...analysis.bitset_task import BitsetTask
from ...analysis.box_conflicts import (
    Conflicts,
    ConflictScratch,
    conflict_scratch,
    conflicts_of,
    find_conflicts,
    no_conflicts,
)
from ...analysis.boxes.board import BoardScratch, scratch_for
from ...analysis.boxes.box_board import BoxBoard, find_box_board
from ...analysis.boxes.deadlock_search import DeadlockSearch, deadlock_search_for, is_dead, is_free
from ...analysis.deadlocks.freeze import holds_learned
from ...analysis.estimate import late_bound, tables_of
from ...analysis.heuristic import Estimate, Successor
from ...analysis.matching import aim, rematch
from ...analysis.movable_objects import places_in
from ...models.task import OperatorTask
from ...runtime.arrays import Longs
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_calls import laid_out, njit
from .kernels import expand, wait_again
from .packed_states import ESTIMATE, set_value, unpack, value_of
from .tables import (
    DROPPED,
    EXPANDED,
    FOUND_DEAD,
    LATE,
    LOOK,
    LOOKED_AT,
    MORE,
    RAISED,
    SMALL_BOARD,
    AStarSearch,
    PlanProgress,
    put_state,
    unpack_before,
)

# Deadlock searches for states that are about to be expanded, where a task is a board with boxes (`box_board`).
#
# The searches are those of `fess`: of *corrals*, regions that nothing can open, and of *cores*, boxes that block each
# other. Both leave boxes out and then try every push, so a state that they call dead has no plan at all, and A* may
# drop it: every optimal plan goes through states that are not dead. What is found dead is shrunk to the boxes that
# matter and learned (`analysis.deadlocks.freeze`), so that later states like it are not even kept. Cores are those
# of the strict rule: they hold more boxes, and more is found dead. To prove XSokoban 21 optimal, its plan being
# known, takes 700 expansions with them and 47,000 with the other rule.
#
# A search takes longer than an expansion, so it is left out where it would hardly find anything. A state's parent was
# searched and not found dead. If the box that was pushed can be pushed on and back, it can be left out; and the
# parent without it can be left what it was, not dead. So only states are searched in which the box that was pushed is
# not free.


def deadlocks_on(view: BoxBoard, estimate: Estimate) -> DeadlockSearch:
    """Arrays for the searches on a board, whose cells are the walker's. What is found dead is learned."""
    covers = estimate.objects.covers
    place = np.full(max(len(view.cells), 1 + int(covers.max(initial=0))), -1, np.int32)
    place[covers] = np.arange(len(covers))
    scratch = scratch_for(len(view.cells), len(view.boxes), 0)
    return deadlock_search_for(scratch, estimate.learned, place, estimate.objects.fact)


@njit(inner=True)
def drop_dead(estimate: Estimate, search: AStarSearch, deadlocks: DeadlockSearch) -> None:
    """Drop the state that has just left the queue if it is dead; its estimate becomes -1, too."""
    objects, nodes, control, s = estimate.objects, search.nodes, search.control, search.progress.s
    index, row, before = long(control[LOOKED_AT]), search.scratch.state, search.scratch.row
    if not unpack_before(search.packing, nodes, search.images, index, before, search.scratch.image):
        return
    unpack(search.packing, nodes.rows[index], row)
    walker, place = long(row[len(objects.mask)]), long(-1)
    for w in range(len(objects.mask)):
        came = row[w] & ~before[w] & objects.mask[w]
        if came:
            place = long(objects.place[(w << 6) + long(trailing_zeros(came))])
    if not holds_learned(deadlocks.learned, row, place, walker):
        # If the box that was pushed is free, the state is as dead as its parent, which was searched before.
        put_state(objects, s, row)
        if was_free(search.progress, deadlocks.s, long(objects.covers[place]), walker):
            return
        if not is_dead(search.progress.board, s, deadlocks, walker):
            return
    control[FOUND_DEAD] += 1
    set_value(nodes, ESTIMATE, index, -1)
    control[LOOKED_AT] = -1
    control[DROPPED] += 1


@njit(inner=True)
def was_free(progress: PlanProgress, t: BoardScratch, moved: int, walker: int) -> bool:
    """Whether the box on a cell of the state in `progress.s` can be pushed to a goal, or away and, alone, back."""
    s, box = progress.s, 0
    for c in range(len(s.occupied)):
        t.occupied[c] = s.occupied[c]
    for i in range(len(s.box)):
        t.box[i] = s.box[i]
        box = i if s.box[i] == moved else box
    return is_free(progress.board, t, box, walker, False)


# Late bounds: heuristics that take so long that a state gets them only when it is about to be expanded.
#
# Of the states that are met, most are never expanded, and of most of those that would be the cheap estimate says
# enough. So a state that leaves the queue gets its late bounds then, once, and goes back if its total has risen: lazy
# A* (Zhang and Bacchus, *MAXSAT heuristics for cost optimal planning*, AAAI 2012; Tolpin and others, *Towards
# rational deployment of multiple heuristics in A\**, IJCAI 2013). What leads from it inherits the bound, less what is
# paid (pathmax).

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


@njit(_nrt=False)
def late_value(estimate: Estimate, late: Any, search: AStarSearch, index: int) -> int:
    """The late bounds of a state that has been met; -1 for a dead end."""
    row = search.scratch.state
    unpack(search.packing, search.nodes.rows[index], row)
    child = Successor(row, long(-1), long(0), long(0), long(0), long(0))
    value: int = late_bound(late, estimate, search.scratch.look, child)
    return value


@njit(_nrt=False)
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


# Conflicts of three objects, which are looked at when a state is about to be expanded.
#
# A state has hundreds of sets of three, each of which is looked up in a table of megabytes: too many for every
# successor. Only one in some five successors is expanded at all before the search ends, and of most only the estimate
# is ever used. So a state that leaves the queue gets its better estimate then, and goes back if its total has risen.
# The order of expansion is that of A* with the better estimates from the start: a state is expanded when none waits
# with a smaller total, and totals that wait are lower bounds (as in Zhang and Bacchus, *MAXSAT heuristics for cost
# optimal planning*, AAAI 2012, and Tolpin and others, *Towards rational deployment of multiple heuristics in A\**,
# IJCAI 2013).


class ConflictTables(NamedTuple):
    """The conflicts of two and of three objects; a table that is not known is empty."""

    pairs: Conflicts
    triples: Conflicts


@njit(inner=True)
def raise_estimates(
    estimate: Estimate, conflicts: ConflictTables, search: AStarSearch, choice: ConflictScratch
) -> None:
    """Drop the state that has just left the queue if it is dead, or let it wait again if its estimate rises."""
    objects, nodes, control, look = estimate.objects, search.nodes, search.control, search.scratch.look
    at, unit, row, index = look.at, conflicts.pairs.unit, search.scratch.state, long(control[LOOKED_AT])
    # 1. The objects, and what the sets add. The pairs alone are in the estimate.
    unpack(search.packing, nodes.rows[index], row)
    places_in(objects, row, at)
    cell = long(row[len(objects.mask)])
    tables = (conflicts.pairs, conflicts.triples)
    extra = conflicts_of(tables, at, cell, choice)
    value = long(-1)
    if extra >= 0:
        if index and extra <= conflicts_of((conflicts.pairs,), at, cell, choice):
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


class BoxTests(NamedTuple):
    """What is tested of boxes on a board: `raises`, `drops`: 1 if conflicts of three, or deadlocks, are looked for."""

    conflicts: ConflictTables
    choice: ConflictScratch
    deadlocks: DeadlockSearch
    raises: int
    drops: int


@njit()
def advance(task: BitsetTask, estimate: Estimate, search: AStarSearch, tests: BoxTests, quota: int) -> int:
    """Expand states as `expand`, with the tests of boxes for each; late bounds are left to the caller, at `LOOK`.

    The quicker test comes first, and a state that waits again is searched for deadlocks only when it is back.
    """
    control = search.control
    last = long(control[EXPANDED]) + quota
    while control[EXPANDED] < last:
        ended = long(expand(task, estimate, search, last - long(control[EXPANDED])))
        if ended != LOOK or not (tests.raises or tests.drops):
            return ended
        if tests.raises:
            raise_estimates(estimate, tests.conflicts, search, tests.choice)
        if tests.drops and control[LOOKED_AT] >= 0:
            drop_dead(estimate, search, tests.deadlocks)
    return long(MORE)


# Expansions after which deadlock searches, or conflicts of larger sets, are given up if they have found hardly
# anything. XSokoban 72, of which deadlock searches find 3 states dead: 7.2 s of processor time, 22.5 s with 50,000.
LOOKS_TRIED = 10_000

# They have found hardly anything if it is less than one state in this many. Microban 139 in moves: 5 found in 3
# million.
LOOKS_FOR_EACH = 500


class Rechecks:
    """The second looks for a task, except those named in `without`. `tables` is the estimate laid out for kernels,
    `tests` what they test of boxes, as `given`.

    `late`: bounds that every state gets once, or None. `conflicts`: the tables of pairs and triples, empty where they
    are not known; `pairs_name`: the heuristic that has those of pairs.
    """

    def __init__(
        self,
        task: OperatorTask,
        packed: BitsetTask,
        estimate: Estimate,
        budget: Budget,
        without: frozenset[str] = frozenset(),
        late: LateBounds | None = None,
    ) -> None:
        self.late = late
        self.tables = laid_out(estimate)
        board = find_box_board(task)
        self.deadlocks = isinstance(board, BoxBoard) and "deadlock-searches" not in without and not budget.stopped()
        self.pairs_name, pairs = tables_of(estimate, Conflicts) or ("", no_conflicts())
        triples = no_conflicts()
        if pairs.unit and "conflicts-3" not in without:
            triples = find_conflicts(packed, estimate.objects, estimate.boards, 3, budget, fewer=pairs)
        self.conflicts = ConflictTables(pairs, triples)
        self.given = BoxTests(
            self.conflicts,
            conflict_scratch(estimate.objects.count, triples.size),
            deadlocks_on(board if isinstance(board, BoxBoard) else SMALL_BOARD, estimate),
            raises=int(triples.size > 0),
            drops=int(self.deadlocks),
        )
        self.tests = laid_out(self.given)

    @property
    def wanted(self) -> bool:
        """Whether any test is switched on that could find something."""
        return bool(self.given.drops or self.given.raises or self.late is not None)

    @property
    def size(self) -> int:
        """Bytes held."""
        tables = (*self.conflicts, self.given.deadlocks, self.given.deadlocks.learned)
        return sum(field.nbytes for table in tables for field in table if isinstance(field, np.ndarray))

    def go_on(self, expanded: int, raised: int, found: int) -> None:
        """Called after `expanded` expansions, `raised` estimates having been raised by triples and as many states as
        `found` been found dead: end the tests that hardly ever find anything.
        """
        given = self.given
        drops = given.drops and expanded < max(LOOKS_TRIED, LOOKS_FOR_EACH * found)
        raises = given.raises and expanded < max(LOOKS_TRIED, LOOKS_FOR_EACH * raised)
        if (drops, raises) != (given.drops, given.raises):
            self.given = given._replace(drops=int(drops), raises=int(raises))
            self.tests = laid_out(self.given)


def no_tests(estimate: Estimate) -> BoxTests:
    """Tables of the same types, for searches without tests of boxes."""
    conflicts = ConflictTables(no_conflicts(), no_conflicts())
    return BoxTests(conflicts, conflict_scratch(0, 0), deadlocks_on(SMALL_BOARD, estimate), raises=0, drops=0)
