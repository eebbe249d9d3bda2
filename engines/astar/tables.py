"""What a search of A* works on: the numbers that it keeps, its scratch arrays, and all of its tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE
from ...analysis.boxes.board import Board, BoardScratch, clear_board, label_regions, scratch_for
from ...analysis.boxes.box_board import BoxBoard, NotBoxes, grid
from ...analysis.boxes.packing_plan import PackingPlan, packed_steps
from ...analysis.boxes.pi_corrals import NONE as NO_CORRAL
from ...analysis.boxes.pi_corrals import find_corral
from ...analysis.heuristic import Survey
from ...analysis.movable_objects import MovableObjects
from ...analysis.symmetries import Symmetries
from ...runtime.arrays import Bytes, Ints, Longs, Words, bit_rows
from ...runtime.bitops import long, trailing_zeros
from ...runtime.budget import Budget
from ...runtime.kernel_calls import njit
from ..common.successors import Workspace
from .packed_states import OpenStates, PackedStates, Packing, pack, unpack

# Symmetric states: of a state and its images under the task's symmetries, A* keeps one.
#
# A goal-stable symmetry σ (`analysis.symmetries`) maps plans from a state s to plans from σ(s), of the same cost. So
# all images of a state share one entry of the table, that of the *canonical* image, which is the least as a number:
# first the kept facts, then the walker's cell. (Orbit space search: Pochter, Zohar and Rosenschein, AAAI 2011;
# Domshlak, Katz and Shleyfman, *Enhanced symmetry breaking in cost-optimal planning as forward search*, ICAPS 2012.)
# Of a larger group than `analysis.symmetries.MOST_SYMMETRIES`, two images of a state may be kept: that costs time,
# and no more. Where there is no walker, one symmetry after the other is applied as long as the image gets less: with
# exchanges of two neighbours, interchangeable objects are sorted that way.
#
# So a stored state c may be no successor of its parent p: it is σ(s) for a successor s. The number of σ is kept with
# it (`PackedStates.turned`). As σ maps pushes to pushes, c is a successor of σ(p):
#
#     p    --push-->  s             what asks which box was pushed to reach c compares c with σ(p) (`unpack_before`);
#     |σ              |σ            a plan needs s and not c, so `EstimatedStore.path_to` maps the states of a path back
#     σ(p) --push-->  c = σ(s)


class Images(NamedTuple):
    """What G symmetries map to what: `fact` (G, F); `cell` (G, K); `number` (G, F): the number of the image among the
    kept facts, or -1. `sources` (W): the bits of the facts that are kept or have a kept image. `exchanges`: 1 if
    several in a row are tried; `applied`: how many were applied last, and then their numbers.
    """

    fact: Ints
    cell: Ints
    number: Ints
    sources: Words
    exchanges: int
    applied: Ints

    def __bool__(self) -> bool:
        return len(self.fact) > 0


MOST_APPLIED = 1 << 16
"""Exchanges that make one state canonical, at most: sorting 200 objects takes 19,900."""


def images_for(symmetries: Symmetries, packing: Packing) -> Images:
    """The images under the symmetries that map at least half of the kept facts to others.

    The others save little: a state with nothing on the few places that change is its own image. And they cost: a
    packing plan goes for one state of two that are alike, and the other may be the one that is kept
    (XSokoban 48, where two pairs of places can be swapped: 1,003 states expanded without, not solved in 20 s with it).
    """
    number = packing.number[symmetries.fact]
    kept = (packing.number[: symmetries.fact.shape[1]] >= 0) | (number >= 0).any(axis=0)
    changed = (number[:, packing.fact] != np.arange(len(packing.fact))).sum(axis=1)
    useful = (changed > 0) & (symmetries.exchanges | (2 * changed >= len(packing.fact)))
    sources = bit_rows([np.flatnonzero(kept).tolist()], len(packing.kept))[0]
    kinds = symmetries.fact[useful], symmetries.cell[useful], np.ascontiguousarray(number[useful])
    return Images(*kinds, sources, int(symmetries.exchanges), np.zeros(MOST_APPLIED, np.int32))


@njit(inner=True)
def to_canonical(packing: Packing, images: Images, row: Words, region: Bytes, key: Words, image: Words) -> int:
    """Replace the packed state `key` of a row by its canonical image: the number of the symmetry, counted from 1, or 0
    if the state is canonical itself. `region` (K): the cells of the walker, of which the state has the first; `image`:
    scratch.
    """
    cells, shift = images.cell, np.uint64(packing.shift)
    turned, cell = long(0), long(row[len(packing.kept)]) if packing.cell_word >= 0 else long(0)
    for g in range(len(cells)):
        # 1. The kept facts decide, unless they are equal and there is a walker.
        _pack_image(images, g, row, image)
        order = _compared(packing, image, key)
        if order > 0 or (order == 0 and packing.cell_word < 0):
            continue
        # 2. The walker's cell in the image is the first one of the image of its region.
        first = long(0)
        if packing.cell_word >= 0:
            first = long(len(region))
            for c in range(len(region)):
                if region[c]:
                    first = min(first, long(cells[g, c]))
        if order < 0 or first < cell:
            turned, cell = long(g + 1), first
            for w in range(len(key)):
                key[w] = image[w]
            if packing.cell_word >= 0:
                key[packing.cell_word] |= np.uint64(cell) << shift
    return turned


SEVERAL = 255
"""Stands for the number of a symmetry where several were applied, one after the other."""


@njit(inner=True)
def exchange_objects(packing: Packing, images: Images, row: Words, key: Words, image: Words) -> int:
    """Replace the packed state `key` of a row by a canonical image, as long as one symmetry makes it less; the number
    of the symmetry, `SEVERAL`, or 0. The row becomes that of the image. There is no walker.
    """
    turned, g, tried, applied = long(0), long(0), long(0), images.applied
    applied[0] = 0
    while tried < len(images.fact) and applied[0] + 1 < len(applied):
        _pack_image(images, g, row, image)
        tried += 1
        if _compared(packing, image, key) < 0:
            turned, tried = long(SEVERAL if turned else g + 1), long(0)
            applied[0] += 1
            applied[applied[0]] = g
            for w in range(len(key)):
                key[w] = image[w]
            unpack(packing, key, row)
        g = g + 1 if g + 1 < len(images.fact) else long(0)
    return turned


@njit()
def exchange_in_row(packing: Packing, images: Images, row: Words, key: Words, image: Words) -> int:
    """Pack a row and make it canonical: `exchange_objects`, for callers in Python."""
    pack(packing, row, key)
    return exchange_objects(packing, images, row, key, image)


@njit(inner=True, inline="always")
def _compared(packing: Packing, image: Words, key: Words) -> int:
    """-1, 0 or 1: whether the kept facts of `image` are less than, equal to or more than those of the state `key`."""
    for w in range(len(image)):
        word = key[w]
        if w == packing.cell_word:
            word &= (ONE << np.uint64(packing.shift)) - ONE
        if image[w] != word:
            return -1 if image[w] < word else 1
    return 0


@njit(inner=True)
def unpack_before(packing: Packing, nodes: PackedStates, images: Images, index: int, row: Words, image: Words) -> bool:
    """Write the facts of the state from which one operator leads to state `index`: of its parent, or of the parent's
    image. False if it is the initial state. The walker's cell is not written where it is an image. `image`: scratch.
    """
    parent = long(nodes.parent[index])
    if parent < 0:
        return False
    unpack(packing, nodes.rows[parent], row)
    turned = long(nodes.turned[index]) if len(nodes.turned) else long(0)
    if turned and turned != SEVERAL:
        _pack_image(images, turned - 1, row, image)
        unpack(packing, image, row)
    return True


@njit(inner=True)
def _pack_image(images: Images, g: int, row: Words, image: Words) -> None:
    """Write the packed facts of the image of a row under symmetry g; 0 for the walker's cell."""
    number, sources = images.number, images.sources
    for w in range(len(image)):
        image[w] = np.uint64(0)
    for w in range(len(sources)):
        bits = row[w] & sources[w]
        while bits:
            # number[g, f]: the packed bit of the fact to which symmetry g takes f; -1 if that one is left out.
            n = number[g, (w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            if n >= 0:
                image[n >> 6] |= ONE << np.uint64(n & 63)


# A state of A* as a position of feature space search, whose boards and deadlock tests A* uses too.


@njit(inner=True)
def put_state(objects: MovableObjects, s: BoardScratch, row: Words) -> int:
    """Put the boxes of a state on the board, in the order of their facts; gives the number of boxes."""
    mask, place, covers = objects.mask, objects.place, objects.covers
    clear_board(s.occupied)
    count = 0
    for w in range(len(mask)):
        bits = row[w] & mask[w]
        while bits:
            cell = covers[place[(w << 6) + long(trailing_zeros(bits))]]
            bits &= bits - ONE
            s.box[count], s.occupied[cell] = cell, 1
            count += 1
    return long(count)


# How far a state has got with a packing plan: the kind of state by which A* takes every other open state.
#
# Where the bound is the optimum, all states of the least f look alike, and h says only how many pushes are left. A
# packing plan (`fess.packing`) tells more: in which order the goals are filled so that those left can still be
# reached. So boxes on a board get a plan, and a state a *rank*, of which less is better. The first entry in which two
# differ decides:
#
#     bits  16 ...       12        8             0
#           not packed | regions | out of plan | box changes
#
# The first three are features of `fess` (`fess.features`). *Box changes* are those on the way to the state: pushes of
# another box than the push before. An optimal plan of 441 pushes (XSokoban 73) moves some twenty boxes from their
# place to a goal, so a way of few changes is more like it than one that pushes boxes in turn.
#
# The rank says nothing about cost: it only orders states of the same f. What is proven does not depend on it.

# The most positions that the search for a packing plan expands.
PACKING_POSITIONS = 2_000

MISSING, REGIONS, OUT_OF_PLAN = 16, 12, 8
"""The lowest bit of each entry of a rank."""

MOST, MOST_CHANGES = 15, 255
"""The largest values of the second and third entry, and of box changes; more counts as that. Where the goals are every
other cell of a room (XSokoban 48), each free cell between boxes is a region, and more of them is no worse.
"""

_CORRIDOR = ((0, 0), (0, 1), (0, 2))
SMALL_BOARD = BoxBoard(
    _CORRIDOR, grid(_CORRIDOR), np.full((3, 4), -1, np.int32), np.arange(3, dtype=np.int32), (1,), (2,), 0
)


class PlanProgress(NamedTuple):
    """A board with boxes and its packing plan: `s` and `t` are scratch for positions on the board, `before` for the
    parent's row. `prunes`: 1 if only boxes of corrals are pushed (`pi_corrals`).
    """

    board: Board
    plan: PackingPlan
    s: BoardScratch
    t: BoardScratch
    before: Words
    prunes: int


def progress_for(
    board: BoxBoard | NotBoxes, objects: MovableObjects, budget: Budget, *, ranks: bool = False, prunes: bool = False
) -> PlanProgress:
    """The tables for a task with these objects as boxes. With `ranks` a packing plan is looked for. Another task has a
    board of three cells; on it, and if time is up, nothing is pruned.
    """
    from ..fess.search import board_and_plan

    view = SMALL_BOARD if isinstance(board, NotBoxes) else board
    planned = board_and_plan(view, budget, PACKING_POSITIONS if ranks and view is board else 0)
    s, t = (scratch_for(len(view.cells), len(view.boxes), 0) for _ in range(2))
    before = np.zeros(len(objects.mask) + 1, np.uint64)
    return PlanProgress(*planned, s, t, before, int(prunes and view is board and not budget.stopped()))


@njit(inner=True)
def rank_after(progress: PlanProgress, objects: MovableObjects, row: Words, changes: int) -> int:
    """The rank of a state; `changes`: box changes on the way to it."""
    board, plan, s = progress.board, progress.plan, progress.s
    count = put_state(objects, s, row)
    packed = packed_steps(plan, board, s)
    missing, out = long(max(len(plan.to), count) - packed), long(0)
    regions = long(label_regions(board.neighbour, s.occupied, s.label, s.stack))
    if len(plan.to):  # else `packed` counts boxes on goals, and nothing is out of plan
        for i in range(count):
            out += plan.zone[packed, s.box[i]]
    rank = missing << MISSING | min(regions, MOST) << REGIONS | min(out, MOST) << OUT_OF_PLAN
    return rank | min(changes, MOST_CHANGES)


COUNT, WAITING, EXPANDED, GENERATED, REOPENED, DEAD, CUT, DOMINATED = range(8)
"""Entries of `AStarSearch.control` that are reported: states, open ones, states that left the queue, successors
generated, states opened again, dead ends met, states in which a corral left out pushes, dominated states (see
`dominance`)."""

GOAL, BEST, BOUND, AGAIN, CHANCE, LOOKED_AT, DROPPED, RAISED, LATE, FORCED, FOUND_DEAD = range(8, 19)
"""More of them: the cheapest goal state met or -1, the cost that counts (that state's, or that of a plan that others
have found: then the state is -1; `NONE` without a plan), the proven bound, a state that has to be expanded once more,
or -1, the last random number, a state that has left its bucket and is looked at once more, or -1, how many of those
were not expanded, how many of them had a larger estimate by larger sets, how many states got late bounds, how many
forced steps were followed, and how many states the searches for deadlocks found dead."""

CONTROLS = 19

NONE = 1 << 62
"""Stands for no cost: more than any cost."""

MORE, PROVEN, EXHAUSTED, BOARD, LOOK = -1, -2, -3, -4, -5
"""What a kernel returns: there is more to expand, when there is time or room; no plan is cheaper than the best cost; no
state is open and there is no plan; the tables of a board are wanted (`add_board`); the state `LOOKED_AT` has to be
looked at once more before it is expanded (`recheck_before_expansion`: `drop_dead`, `raise_estimates`)."""


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
    chosen: Bytes
    look: Survey


class AStarSearch(NamedTuple):
    """What a search works on. `packing`: of its states; `images`: which of them are symmetric. `ranked`: the open
    states once more, by their `rank` (S); without a packing plan both are empty. `looks`: 1 if a
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
def choose_pushes(progress: PlanProgress, objects: MovableObjects, at: Longs, cell: int, chosen: Bytes) -> int:
    """Mark in `chosen` the places of boxes that are pushed next, of those at places `at` with the walker in a cell, if
    they are a corral: how many of its pushes can be made; -1 if there is no corral.
    """
    board, s, covers = progress.board, progress.s, objects.covers
    clear_board(s.occupied)
    for i in range(len(at)):
        s.box[i] = covers[at[i]]
        s.occupied[s.box[i]] = 1
    if label_regions(board.neighbour, s.occupied, s.label, s.stack) == 1:
        return long(NO_CORRAL)
    pushes = find_corral(board, s, progress.t, s.label[cell])
    for place in range(len(chosen)):
        chosen[place] = 0
    for i in range(len(at)):
        chosen[at[i]] = s.movable[i]
    return pushes
