"""Freeze deadlocks: things that can never move again, and tables for the board on which they stand for ever.

A set of things is frozen if every operator that moves one of them is barred by another of them, or leads to a place
from which the goal cannot be reached: none of them can be the first to move. If one stands where the goal allows
none, the state is a dead end (*freeze deadlock*; Junghanns and Schaeffer 2001, and the Sokoban wiki's page "How to
detect deadlocks"). If all stand where the goal wants them, they are walls from then on: the distances of the other
things are computed anew with them in the way, once for each set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...runtime.bitops import hash_row
from ...runtime.kernel_cache import njit
from ..bitset_task import BitsetTask, Ints, Words
from ..distances import INFINITE, empty_tables, project
from ..movable_objects import MovableObjects

MAX_BYTES = 64 << 20
"""Memory for the tables of frozen sets; sets beyond that are pruned by the tables of the empty board."""


class Boards(NamedTuple):
    """Tables for boards with frozen things; entry 0 is the empty board.

    `useful` (N): operators that move a thing to a place from which it could reach the goal. `shut` (M, P): the
    frozen places, `hashed` (M) a hash of them; `side` (M, P, K), `dist` (M, rows, C): see `distances.project`;
    `known` (1): how many are there; `freezes`: whether things can freeze at all.
    """

    useful: NDArray[np.uint8]
    shut: NDArray[np.uint8]
    hashed: Words
    side: NDArray[np.uint8]
    dist: NDArray[np.int64]
    known: Ints
    freezes: int


def boards(task: BitsetTask, things: MovableObjects) -> Boards:
    """The empty board, and room for others where moves cannot be undone."""
    nothing = np.zeros(len(things.fact), np.uint8)
    side, dist = empty_tables(task, things, nothing)
    lost = np.all(dist >= INFINITE, axis=1) if dist.size else np.zeros(len(dist), np.bool_)
    useful = np.zeros(len(things.moves), np.uint8)
    for o, (_, after) in enumerate(things.moves.tolist()):
        if after >= 0:
            node = after * things.sides + (int(side[after, task.walk[o, 1]]) if things.sides > 1 else 0)
            useful[o] = not lost[node]
    pairs = {(before, after) for before, after in things.moves.tolist()}
    freezes = any((after, before) not in pairs for before, after in pairs) or things.sides > 1
    room = max(2, min(4096, MAX_BYTES // max(1, side.nbytes + dist.nbytes + nothing.nbytes))) if freezes else 1
    made = Boards(
        useful,
        np.zeros((room, *nothing.shape), np.uint8),
        np.zeros(room, np.uint64),
        np.empty((room, *side.shape), np.uint8),
        np.empty((room, *dist.shape), np.int64),
        np.ones(1, np.int32),
        int(freezes),
    )
    made.side[0], made.dist[0], made.hashed[0] = side, dist, hash_row(nothing.astype(np.uint64))
    return made


@njit(cache=True)
def barred(things: Any, useful: Any, standing: Any, place: int) -> bool:
    """Whether each useful operator that moves the thing at a place is barred by a thing that is `standing`."""
    for i in range(things.leaving_first[place], things.leaving_first[place + 1]):
        o = things.leaving[i]
        if not useful[o]:
            continue
        free = True
        for j in range(things.bars_first[o], things.bars_first[o + 1]):
            if standing[things.bars[j]]:
                free = False
                break
        if free:
            return False
    return True


@njit(cache=True)
def freeze(things: Any, useful: Any, at: Any, standing: Any) -> bool:
    """Leave in `standing` (P) only the frozen ones of the things at places `at`. False: a dead end."""
    standing[:] = 0
    for place in at:
        standing[place] = 1
    changed = True
    while changed:
        changed = False
        for place in at:
            if standing[place] and not barred(things, useful, standing, place):
                standing[place] = 0
                changed = True
    for place in at:  # noqa: SIM110 (numba compiles no generators)
        if standing[place] and not things.target[place]:
            return False
    return True


@njit(cache=True)
def board_of(task: Any, things: Any, boards: Any, standing: Any) -> Any:
    """The number of the board on which the frozen things stand; 0, the empty one, where there is no more room."""
    known = boards.known[0]
    hashed = hash_row(standing.astype(np.uint64))
    for m in range(known):
        same = boards.hashed[m] == hashed
        for p in range(len(standing)):
            if not same:
                break
            same = boards.shut[m, p] == standing[p]
        if same:
            return m
    if known == len(boards.shut):
        return 0
    boards.shut[known] = standing
    boards.hashed[known] = hashed
    project(task, things, standing, boards.side[known], boards.dist[known])
    boards.known[0] = known + 1
    return known
