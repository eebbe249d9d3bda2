"""The transposition table of iterative deepening: the states expanded, each with the least cost that led to it.

Open addressing. A state stands in one of the `WINDOW` slots from its hash on, so that a look-up ends soon in a full
table:

    slot        h   h+1  h+2  ...  h+WINDOW-1          round 0 marks a slot that is free: a state that is not in
    round       3    7    0                            the slots before the first free one is not in the table
    cost       12   15    -

A full window loses its oldest entry, of equally old ones the dearest: a lost entry costs time only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Ints, Longs, Words
from ...runtime.bitops import hash_row, long, same_row
from ...runtime.kernel_cache import njit
from ..common.successors import copy_row
from .control import FIXED, LOST, ROUND, USED

# Slots of the transposition table that are looked at for one state.
WINDOW = 16


class TranspositionTable(NamedTuple):
    """A table of S slots: the state, the least cost it was reached with, and in which round (0: the slot is free)."""

    rows: Words
    cost: Longs
    round: Ints


def transposition_table(row: int, slots: int) -> TranspositionTable:
    """An empty table, for states of `row` words; a power of two of slots."""
    return TranspositionTable(
        rows=np.empty((slots, row), np.uint64), cost=np.empty(slots, np.int64), round=np.zeros(slots, np.int32)
    )


@njit(inner=True)
def slot_of(seen: TranspositionTable, row: Words) -> int:
    """The slot of a state, or the free slot where it belongs, or -1 if it is not there and there is no free one."""
    mask = len(seen.round) - 1
    slot = long(hash_row(row)) & mask
    for _ in range(WINDOW):
        if seen.round[slot] == 0:
            return slot
        if same_row(seen.rows, slot, row):
            return slot
        slot = (slot + 1) & mask
    return -1


@njit(inner=True)
def known(seen: TranspositionTable, row: Words, cost: int, now: int) -> bool:
    """Whether a state need not be expanded at this cost in this round.

    It need not if it was expanded in this round at no more, or in an earlier round at less: then this round comes to
    it by that way too, as long as the heuristic has not changed (Reinefeld and Marsland, *Enhanced
    iterative-deepening search*, 1994).
    """
    slot = slot_of(seen, row)
    if slot < 0 or seen.round[slot] == 0:
        return False
    return bool(seen.cost[slot] < cost or (seen.cost[slot] == cost and seen.round[slot] == now))


@njit(inner=True)
def remember(seen: TranspositionTable, row: Words, cost: int, at: Longs) -> bool:
    """Enter a state. False if there is no room and the table may grow; if it may not, an older or dearer entry
    is lost.
    """
    slot = slot_of(seen, row)
    if slot < 0:
        if not at[FIXED]:
            return False
        mask = len(seen.round) - 1
        place = long(hash_row(row)) & mask
        slot = place
        for i in range(1, WINDOW):
            other = (place + i) & mask
            older = seen.round[other] - seen.round[slot]
            if older < 0 or (older == 0 and seen.cost[other] > seen.cost[slot]):
                slot = other
        at[LOST] += 1
    elif seen.round[slot] == 0:
        if not at[FIXED] and 2 * at[USED] >= len(seen.round):
            return False
        at[USED] += 1
    copy_row(seen.rows[slot], row)
    seen.cost[slot] = cost
    seen.round[slot] = at[ROUND]
    return True


@njit(cache=True)
def move_entries(source: TranspositionTable, target: TranspositionTable) -> int:
    """Enter all entries of one table into a larger, empty one; gives how many found room."""
    count = 0
    for i in range(len(source.round)):
        if source.round[i]:
            slot = slot_of(target, source.rows[i])
            if slot >= 0:
                copy_row(target.rows[slot], source.rows[i])
                target.cost[slot] = source.cost[i]
                target.round[slot] = source.round[i]
                count += 1
    return count
