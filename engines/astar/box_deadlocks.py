"""Deadlock searches for states that are about to be expanded, where a task is boxes on a board (`models.boxes`).

The searches are those of `fess`: of *corrals*, regions that nothing can open, and of *cores*, boxes that block each
other. Both leave boxes out and then try every push, so a state that they call dead has no plan at all, and A* may drop
it: every optimal plan goes through states that are not dead. What is found dead is shrunk to the boxes that matter and
learned (`analysis.deadlocks.learned`), so that later states like it are not even kept. Cores are those of the strict
rule: they hold more boxes, and more is found dead. To prove XSokoban 21 optimal, its plan being known, takes 700
expansions with them and 47,000 with the other rule.

A search takes longer than an expansion, so it is left out where it would hardly find anything. A state's parent was
searched and not found dead. If the box that was pushed can be pushed on and back, it can be left out; and the parent
without it can be left what it was, not dead. So only states are searched in which the box that was pushed is not free.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...analysis.boxes.board import FAR, Board, bare_board, label_regions
from ...analysis.boxes.core_deadlocks import (
    LAST_CORE,
    CoreSearch,
    core_search_for,
    first_stop,
    has_dead_core,
    next_stop,
)
from ...analysis.boxes.corral_deadlocks import (
    LAST_CORRAL,
    MOST_BOXES,
    CorralSearch,
    corral_search_for,
    has_dead_corral,
    put_boxes,
)
from ...analysis.boxes.freeze import freezes
from ...analysis.boxes.scratch import AT_CELL, BoardScratch, scratch_for
from ...analysis.deadlocks.freeze import LearnedSets, holds_learned, learn, learned_sets
from ...analysis.estimate import tables_of
from ...analysis.heuristic import Estimate
from ...analysis.movable_objects import MovableObjects
from ...models.boxes import BoxBoard
from ...runtime.arrays import Ints, Longs, Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from .packed_states import ESTIMATE, set_value, unpack
from .positions import put_state
from .symmetric_states import unpack_before
from .tables import DROPPED, LOOKED_AT, AStarSearch

LEARNED, CORRALS, CORES = range(3)
"""Entries of `BoxSearches.found`: states that held a learned set, a dead corral, a dead core."""


class BoxSearches(NamedTuple):
    """What the searches work on: `s` is the state; `place` (F): the place of a box on a cell, -1 for a dead cell.

    `learned`: the sets that were found; `at` (boxes): the places of one. `found`: how often, see `LEARNED`.
    """

    board: Board
    s: BoardScratch
    corrals: CorralSearch
    cores: CoreSearch
    learned: LearnedSets
    place: Ints
    at: Ints
    found: Longs

    @property
    def size(self) -> int:
        """The memory of all arrays, in bytes."""
        tuples = (self.board, self.s, self.corrals, self.corrals.s, self.cores, self.cores.s)
        return sum(field.nbytes for fields in tuples for field in fields if isinstance(field, np.ndarray))


def searches_for(view: object, estimate: Estimate, budget: Budget) -> BoxSearches | None:
    """Arrays for a view, if it is a board of boxes, and if there are more boxes than the tables of dead sets have
    objects: those hold all smaller sets.
    """
    if not isinstance(view, BoxBoard):
        return None
    if estimate.objects.count != len(view.boxes) or estimate.objects.count <= estimate.dead.size:
        return None
    made = box_searches(view, estimate, lambda: budget.stopped() is not None)
    return None if budget.stopped() else made  # its tables may not be complete, then


def box_searches(view: BoxBoard, estimate: Estimate, stopped: Callable[[], bool] = lambda: False) -> BoxSearches:
    """Arrays for a board. Its cells are the walker's. What is found dead is learned if a heuristic looks it up."""
    board, objects = bare_board(view, stopped), estimate.objects
    _, learned = tables_of(estimate, LearnedSets) or ("", learned_sets(len(objects.mask), 0, 0))
    cells, boxes = len(view.cells), len(view.boxes)
    place = np.full(cells, -1, np.int32)
    place[objects.covers] = np.arange(len(objects.covers))
    return BoxSearches(
        board=board,
        s=scratch_for(cells, boxes, 0),
        corrals=corral_search_for(scratch_for(cells, MOST_BOXES, 0), cells),
        cores=core_search_for(scratch_for(cells, boxes, 0), strict=True),
        learned=learned,
        place=place,
        at=np.zeros(boxes, np.int32),
        found=np.zeros(3, np.int64),
    )


@njit(cache=True, _nrt=False, effort=2)
def drop_dead(estimate: Estimate, search: AStarSearch, searches: BoxSearches) -> None:
    """Drop the state that has just left the queue if it is dead; its estimate becomes -1, too."""
    objects, learned, nodes, control = estimate.objects, searches.learned, search.nodes, search.control
    index, row, before = long(control[LOOKED_AT]), search.scratch.state, search.scratch.row
    if not unpack_before(search.packing, nodes, search.images, index, before, search.scratch.image):
        return
    unpack(search.packing, nodes.rows[index], row)
    walker, place = long(row[len(objects.mask)]), long(-1)
    for w in range(len(objects.mask)):
        came = row[w] & ~before[w] & objects.mask[w]
        if came:
            place = long(objects.place[(w << 6) + long(trailing_zeros(came))])
    if holds_learned(learned, row, place, walker):
        searches.found[LEARNED] += 1
    elif not is_dead(objects, searches, row, long(objects.covers[place]), walker):
        return
    set_value(nodes, ESTIMATE, index, -1)
    control[LOOKED_AT] = -1
    control[DROPPED] += 1


@njit(inner=True)
def is_dead(objects: MovableObjects, searches: BoxSearches, row: Words, moved: int, walker: int) -> bool:
    """Whether the searches find a state dead, the box on cell `moved` having been pushed last; then a set is learned.

    1. Nothing is looked for if that box is free.
    2. A corral, or a core, of the boxes that stand there.
    3. Of the boxes of the one that was found, those that are not needed are left out, one by one.
    """
    board, s, found = searches.board, searches.s, searches.found
    put_state(objects, s, row)
    if is_free(board, searches.cores.s, s, moved, walker):
        return False
    which = dead_by(searches, walker)
    if which < 0:
        return False
    found[which] += 1
    boxes = searches.corrals.answer_box[searches.corrals.number[LAST_CORRAL]]
    if which == CORES:
        boxes = searches.cores.answer_box[searches.cores.number[LAST_CORE]]
    put_boxes(s, boxes)
    count = 0
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0:
            continue
        s.box[i], s.occupied[c] = -1, 0
        if dead_by(searches, walker) < 0:
            s.box[i], s.occupied[c] = c, 1
            searches.at[count] = searches.place[c]
            count += 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    learn(searches.learned, objects.fact, searches.at, count, s.label, s.label[walker])
    return True


@njit(inner=True)
def is_free(board: Board, t: BoardScratch, s: BoardScratch, moved: int, walker: int) -> bool:
    """Whether the box on a cell of the state in `s` is free in the sense of `core_deadlocks`. `t` is scratch."""
    box = 0
    for c in range(len(s.occupied)):
        t.occupied[c] = s.occupied[c]
    for i in range(len(s.box)):
        t.box[i] = s.box[i]
        box = i if s.box[i] == moved else box
    first_stop(t, moved, walker)
    while next_stop(board.neighbour, board.live, t, False):
        end = t.at[AT_CELL]
        t.box[box] = end
        back = end != moved and (board.goal[end] == 1 or board.pushes[end, moved] < FAR)
        if back and not freezes(board, t, end):
            return True
    return False


@njit(inner=True)
def dead_by(searches: BoxSearches, walker: int) -> int:
    """The search that finds the boxes in `s` dead, the walker being on a cell: CORRALS or CORES; -1 if neither does."""
    board, s = searches.board, searches.s
    regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
    root = long(s.label[walker])
    if regions > 1 and has_dead_corral(board, s, searches.corrals, root):
        return CORRALS
    return CORES if has_dead_core(board, s, searches.cores, root) else -1
