"""Learned dead sets: sets of any number of objects that a search has found dead, looked up in every later state.

A *dead set* is some places and some of the walker's cells such that, with objects there and nowhere else and the walker
in one of these cells, the goal cannot be reached. With more objects on the board it cannot be reached either: they only
get in the way. So a state is dead that has all these objects, and its walker in one of these cells.

    ########      Learned from a state with twelve objects: only these two matter, the walker being on the left of
    #@ $$  #      them. The tables of `tables` hold all such sets of up to four objects; this is for larger ones, and
    #  ##  #      for boards on which those tables would take too long.
    ########

A state's parent was looked up too. So a set need only be compared if the object that has just moved belongs to it: the
sets are listed by place. (After Junghanns and Schaeffer's pattern search, *Sokoban: enhancing general single-agent
search methods using domain knowledge*, 2001, without its bounds.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Int, Ints, Longs, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE

# Sets that are kept; later ones are not learned.
LEARNED_SETS = 1 << 12

# Objects of all kept sets together.
LEARNED_ENTRIES = 1 << 15

SETS, ENTRIES = range(2)
"""Entries of `LearnedSets.known`."""


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
    """Empty arrays of `LearnedSets`. A task without a walker gets no room, and no dead sets are searched for."""
    sets, entries = (LEARNED_SETS, LEARNED_ENTRIES) if cells else (0, 0)
    return LearnedSets(
        facts=np.zeros((sets, words), np.uint64),
        cells=np.zeros((sets, (cells + 63) // 64), np.uint64),
        newest=np.full(places, -1, np.int32),
        number=np.zeros(entries, np.int32),
        older=np.zeros(entries, np.int32),
        known=np.zeros(2, np.int64),
    )


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
