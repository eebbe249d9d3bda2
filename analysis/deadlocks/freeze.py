"""Freeze deadlocks: movable objects that can never move again, and tables for the board on which they stand for ever.

A set of objects is *frozen* if every operator that moves one of them is barred by another of them, or leads to a place
from which the goal cannot be reached: none of them can be the first to move. If one stands where the goal allows none,
the state is a dead end, a *freeze deadlock* (Junghanns and Schaeffer, *Sokoban: enhancing general single-agent search
methods using domain knowledge*, 2001; the Sokoban wiki's page "How to detect deadlocks").

    #####      Two boxes side by side under a wall. The wall bars both from being pushed up or down, and each bars the
    # $$ #     other from being pushed left or right. No order of pushes starts with either.
    #    #

If all frozen objects stand where the goal wants them, they are walls from then on: the distances of the other objects
are computed anew with them in the way, once for each set. Each state after this one has at least the same frozen
objects, so a plan from here is a plan on that board, and its distances are lower bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Int, Ints, Longs, Words, zeros
from ...runtime.bitops import long, same_row
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from ..bitset_task import BitsetTask
from ..distances import Projection, distances, project, projection
from ..movable_objects import INFINITE, MovableObjects

# MiB for distance tables of boards with frozen objects; beyond them those of the empty board serve.
BOARD_MIB = 64

# The most such boards: they are looked up one after the other, for each object that freezes.
MOST_BOARDS = 4096

# In place of a board's number or a bound: the tables of the board are to be filled first (-1 is a dead end).
WANTED = -2


class Boards(NamedTuple):
    """Tables for boards with frozen objects; entry 0 is the empty board.

    `useful` (N): operators that move an object to a place from which it could reach the goal. `shut` (M, words): the
    frozen places as bits; `side` (M, P, K), `dist` (M, rows, C): see `distances.project`; `known` (1): how many are
    there; `freezes`: whether objects can freeze at all. `key` (words): the frozen places of the board that is looked
    for; `scratch`: of `add_board`.
    """

    useful: Bytes
    shut: Words
    side: Bytes
    dist: Longs
    known: Ints
    freezes: int
    key: Words
    scratch: Projection


def boards(task: BitsetTask, objects: MovableObjects) -> Boards:
    """The empty board, and room for others where moves cannot be undone."""
    places = len(objects.fact)
    side, dist = distances(task, objects)
    lost = np.all(dist >= INFINITE, axis=1) if dist.size else np.zeros(len(dist), np.bool_)
    useful = np.zeros(len(objects.moves), np.uint8)
    for o, (_, after) in enumerate(objects.moves.tolist()):
        if after >= 0:
            node = after * objects.sides + (int(side[after, task.walk[o, 1]]) if objects.sides > 1 else 0)
            useful[o] = not lost[node]
    pairs = {(before, after) for before, after in objects.moves.tolist()}
    freezes = any((after, before) not in pairs for before, after in pairs) or objects.sides > 1
    fitting = (BOARD_MIB << 20) // max(1, side.nbytes + dist.nbytes)
    room = max(2, min(MOST_BOARDS, fitting)) if freezes else 1
    words = (places + 63) // 64
    made = Boards(
        useful=useful,
        shut=np.zeros((room, words), np.uint64),
        side=np.empty((room, *side.shape), np.uint8),
        dist=np.empty((room, *dist.shape), np.int64),
        known=np.ones(1, np.int32),
        freezes=int(freezes),
        key=np.zeros(words, np.uint64),
        scratch=projection(task, objects),
    )
    made.side[0], made.dist[0] = side, dist
    return made


@njit(inner=True)
def barred(objects: MovableObjects, useful: Bytes, standing: Bytes, place: Int) -> bool:
    """Whether each useful operator that moves the object at a place is barred by an object that is `standing`."""
    leaving_first, leaving = objects.leaving_first, objects.leaving
    bars_first, bars = objects.bars_first, objects.bars
    for i in range(leaving_first[place], leaving_first[place + 1]):
        o = leaving[i]
        if not useful[o]:
            continue
        free = True
        for j in range(bars_first[o], bars_first[o + 1]):
            if standing[bars[j]]:
                free = False
                break
        if free:
            return False
    return True


@njit(inner=True)
def freeze(objects: MovableObjects, useful: Bytes, at: Longs, standing: Bytes) -> bool:
    """Leave in `standing` (P) only the frozen ones of the objects at places `at`. False: a dead end.

    Starts with all objects and takes away, again and again, one that could move if only the others that are left stood
    there. What is left bars itself: the largest frozen set.
    """
    for place in range(len(standing)):
        standing[place] = 0
    for place in at:
        standing[place] = 1
    changed = True
    while changed:
        changed = False
        for place in at:
            if standing[place] and not barred(objects, useful, standing, place):
                standing[place] = 0
                changed = True
    target = objects.target
    for place in at:  # noqa: SIM110 (numba compiles no generators)
        if standing[place] and not target[place]:
            return False
    return True


@njit(inner=True)
def board_of(boards: Boards, standing: Bytes) -> int:
    """The number of the board on which the frozen objects stand; 0, the empty one, where there is no room for more.

    `WANTED` if its tables are not there yet: its frozen places are in `key`. Then the kernel puts the state back and
    returns, its caller calls `add_board`, and the state is expanded anew. Boards are few, and a kernel that filled
    tables itself would take 0.6 s longer to compile.
    """
    shut, key, known = boards.shut, boards.key, long(boards.known[0])
    for w in range(len(key)):
        key[w] = 0
    # The board's key: bit `place & 63` of word `place >> 6` for each place with a frozen object. There are few boards,
    # so it is compared with each.
    for place in range(len(standing)):
        if standing[place]:
            key[place >> 6] |= ONE << np.uint64(place & 63)
    for m in range(known):
        if same_row(shut, m, key):
            return long(m)
    if known == len(shut):
        return long(0)
    return long(WANTED)


def add_board(task: BitsetTask, objects: MovableObjects, boards: Boards) -> None:
    """Fill the tables of the board that a kernel has asked for."""
    number = int(boards.known[0])
    frozen = np.unpackbits(boards.key.view(np.uint8), bitorder="little")[: len(objects.fact)]
    boards.shut[number] = boards.key
    project(task, objects, frozen, boards.side[number], boards.dist[number], boards.scratch)
    boards.known[0] = number + 1


# Learned dead sets: sets of any number of objects that a search has found dead, looked up in every later state.
#
# A *dead set* is some places and some of the walker's cells such that, with objects there and nowhere else and the
# walker in one of these cells, the goal cannot be reached. With more objects on the board it cannot be reached
# either: they only get in the way. So a state is dead that has all these objects, and its walker in one of these
# cells.
#
#     ########      Learned from a state with twelve objects: only these two matter, the walker being on the left of
#     #@ $$  #      them. Tables of conflicts hold all such sets of two and three objects; this is for larger
#     #  ##  #      ones, and for boards on which those tables would take too long.
#     ########
#
# A state's parent was looked up too. So a set need only be compared if the object that has just moved belongs to it:
# the sets are listed by place. (After Junghanns and Schaeffer's pattern search, *Sokoban: enhancing general
# single-agent search methods using domain knowledge*, 2001, without its bounds.)

# Sets that are kept; later ones are not learned.
LEARNED_SETS = 1 << 12

# Objects of all kept sets together.
LEARNED_ENTRIES = 1 << 15

# Entries of `LearnedSets.known`.
SETS, ENTRIES = range(2)


class LearnedSets(NamedTuple):
    """Dead sets, for W words of facts, P places and K walker's cells.

    `facts` (L, W): the facts of a set's objects, as bits; `cells` (L, words): the walker's cells, as bits. A list for
    each place: `newest` (P), its first entry or -1, and `number`, `older` (E): the set of an entry and the entry after
    it. `known`: how many sets and entries there are.
    """

    facts: Words
    cells: Words
    newest: Ints
    number: Ints
    older: Ints
    known: Longs


def learned_sets(words: int, places: int, cells: int) -> LearnedSets:
    """Empty arrays of `LearnedSets`; without cells they have no room."""
    sets, entries = (LEARNED_SETS, LEARNED_ENTRIES) if cells else (0, 0)
    newest, words_of_cells = np.full(places, -1, np.int32), (cells + 63) // 64
    return zeros(LearnedSets, entries, facts=(sets, words), cells=(sets, words_of_cells), newest=newest, known=2)


@njit(inner=True)
def holds_learned(learned: LearnedSets, row: Words, place: Int, cell: Int) -> bool:
    """Whether a state, `row`, holds a learned set with the object at a place, the walker being in a cell."""
    facts, number, older = learned.facts, learned.number, learned.older
    word, bit = cell >> 6, np.uint64(cell & 63)
    # A linked list of the sets with an object at this place, the newest first. A set holds if the walker's cell is one
    # of its cells (one bit) and its facts are a subset of the state's: no bit of facts & ~row.
    entry = long(learned.newest[place]) if place < len(learned.newest) else long(-1)  # there may be no room
    while entry >= 0:
        which = number[entry]
        if (learned.cells[which, word] >> bit) & ONE:
            inside = True
            for w in range(facts.shape[1]):
                if facts[which, w] & ~row[w]:
                    inside = False
                    break
            if inside:
                return True
        entry = long(older[entry])
    return False


@njit(inner=True)
def learn(learned: LearnedSets, facts: Ints, at: Ints, count: int, cells: Ints, root: int) -> bool:
    """Keep the set of objects at the first `count` places `at`; dead for a walker in the cells of label `root`.

    `facts` (P): the fact of an object at each place; `cells` (K+1): labels, the last is not looked at. False if there
    is no room.
    """
    known = learned.known
    which, entry = known[SETS], known[ENTRIES]
    if which == len(learned.facts) or entry + count > len(learned.number):
        return False
    for i in range(count):
        fact = long(facts[at[i]])
        learned.facts[which, fact >> 6] |= ONE << np.uint64(fact & 63)
        # The set goes in front of the list of each of its places.
        learned.number[entry], learned.older[entry] = which, learned.newest[at[i]]
        learned.newest[at[i]] = entry
        entry += 1
    for cell in range(len(cells) - 1):
        if cells[cell] == root:
            learned.cells[which, cell >> 6] |= ONE << np.uint64(cell & 63)
    known[SETS], known[ENTRIES] = which + 1, entry
    return True
