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
from ...analysis.boxes.board import Board, BoardScratch, bare_board, scratch_for
from ...analysis.boxes.box_board import BoxBoard, NotBoxes, find_box_board
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
from .kernels import wait_again
from .packed_states import ESTIMATE, set_value, unpack, value_of
from .tables import DROPPED, LATE, LOOKED_AT, RAISED, AStarSearch, put_state, unpack_before

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


class BoxSearches(NamedTuple):
    """What the searches work on: `s` is the state; `found` (1): how many states they have found dead."""

    board: Board
    s: BoardScratch
    deadlocks: DeadlockSearch
    found: Longs

    @property
    def size(self) -> int:
        """The memory of all arrays, in bytes."""
        tuples = (self.board, self.s, self.deadlocks, self.deadlocks.s, self.deadlocks.learned)
        return sum(field.nbytes for fields in tuples for field in fields if isinstance(field, np.ndarray))


def searches_for(board: BoxBoard | NotBoxes, estimate: Estimate, budget: Budget) -> BoxSearches | None:
    """Arrays for a board with boxes; None for another task, or if time is up."""
    if isinstance(board, NotBoxes):
        return None
    made = box_searches(board, estimate, lambda: budget.stopped() is not None)
    return None if budget.stopped() else made  # its tables may not be complete, then


def box_searches(view: BoxBoard, estimate: Estimate, stopped: Callable[[], bool] = lambda: False) -> BoxSearches:
    """Arrays for a board. Its cells are the walker's. What is found dead is learned."""
    objects, cells, boxes = estimate.objects, len(view.cells), len(view.boxes)
    place = np.full(cells, -1, np.int32)
    place[objects.covers] = np.arange(len(objects.covers))
    return BoxSearches(
        board=bare_board(view, stopped),
        s=scratch_for(cells, boxes, 0),
        deadlocks=deadlock_search_for(scratch_for(cells, boxes, 0), estimate.learned, place, objects.fact),
        found=np.zeros(1, np.int64),
    )


@njit(_nrt=False, effort=2)
def drop_dead(estimate: Estimate, search: AStarSearch, searches: BoxSearches) -> None:
    """Drop the state that has just left the queue if it is dead; its estimate becomes -1, too."""
    objects, nodes, control, s = estimate.objects, search.nodes, search.control, searches.s
    index, row, before = long(control[LOOKED_AT]), search.scratch.state, search.scratch.row
    if not unpack_before(search.packing, nodes, search.images, index, before, search.scratch.image):
        return
    unpack(search.packing, nodes.rows[index], row)
    walker, place = long(row[len(objects.mask)]), long(-1)
    for w in range(len(objects.mask)):
        came = row[w] & ~before[w] & objects.mask[w]
        if came:
            place = long(objects.place[(w << 6) + long(trailing_zeros(came))])
    if not holds_learned(searches.deadlocks.learned, row, place, walker):
        # If the box that was pushed is free, the state is as dead as its parent, which was searched before.
        put_state(objects, s, row)
        if was_free(searches, long(objects.covers[place]), walker):
            return
        if not is_dead(searches.board, s, searches.deadlocks, walker):
            return
    searches.found[0] += 1
    set_value(nodes, ESTIMATE, index, -1)
    control[LOOKED_AT] = -1
    control[DROPPED] += 1


@njit(inner=True)
def was_free(searches: BoxSearches, moved: int, walker: int) -> bool:
    """Whether the box on a cell of the state in `s` can be pushed to a goal, or away and, alone, back."""
    s, t, box = searches.s, searches.deadlocks.s, 0
    for c in range(len(s.occupied)):
        t.occupied[c] = s.occupied[c]
    for i in range(len(s.box)):
        t.box[i] = s.box[i]
        box = i if s.box[i] == moved else box
    return is_free(searches.board, t, box, walker, False)


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


@njit(_nrt=False)
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


# Expansions after which deadlock searches, or conflicts of larger sets, are given up if they have found hardly
# anything. XSokoban 72, of which deadlock searches find 3 states dead: 7.2 s of processor time, 22.5 s with 50,000.
LOOKS_TRIED = 10_000

# They have found hardly anything if it is less than one state in this many. Microban 139 in moves: 5 found in 3
# million.
LOOKS_FOR_EACH = 500


class Rechecks:
    """The second looks for a task, except those named in `without`. `tables` is the estimate laid out for kernels.

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
        searches = "deadlock-searches" not in without
        self.deadlocks = searches_for(find_box_board(task), estimate, budget) if searches else None
        self._searches = laid_out(self.deadlocks) if self.deadlocks else None
        self.pairs_name, pairs = tables_of(estimate, Conflicts) or ("", no_conflicts())
        triples = no_conflicts()
        if pairs.unit and "conflicts-3" not in without:
            triples = find_conflicts(packed, estimate.objects, estimate.boards, 3, budget, fewer=pairs)
        self.conflicts = ConflictTables(pairs, triples)
        self._laid_conflicts = laid_out(self.conflicts)
        self._choice = laid_out(conflict_scratch(estimate.objects.count, triples.size))
        self._raises = triples.size > 0

    @property
    def wanted(self) -> bool:
        """Whether any test is switched on that could find something."""
        return bool(self._searches) or self._raises or self.late is not None

    @property
    def size(self) -> int:
        """Bytes held."""
        larger = sum(table.extra.nbytes for table in self.conflicts)
        return larger + (self.deadlocks.size if self.deadlocks else 0)

    def tests_of(self, search: AStarSearch, control: Longs) -> Callable[[], None]:
        """What tests the state that has left the queue: it drops it if it is dead or has to wait again. The quicker
        tests come first, and a state that waits again is searched for deadlocks only when it is back.
        """
        tests = list[Callable[[], None]]()
        if self.late is not None:
            tests.append(look_late.bind(self.tables, self.late.tables, search))
        if self._raises:
            tests.append(raise_estimates.bind(self.tables, self._laid_conflicts, search, self._choice))
        if self._searches:
            tests.append(drop_dead.bind(self.tables, search, self._searches))

        def look() -> None:
            for test in tests:
                test()
                if control[LOOKED_AT] < 0:
                    return

        return look

    def go_on(self, expanded: int, raised: int) -> None:
        """Called after `expanded` expansions, `raised` estimates having been raised by triples: end the tests that
        hardly ever find anything.
        """
        found = 0 if self.deadlocks is None else int(self.deadlocks.found.sum())
        if expanded >= max(LOOKS_TRIED, LOOKS_FOR_EACH * found):
            self._searches = None
        if expanded >= max(LOOKS_TRIED, LOOKS_FOR_EACH * raised):
            self._raises = False
